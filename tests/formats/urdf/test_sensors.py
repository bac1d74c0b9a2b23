"""Sensors of URDF and Gazebo: what they deliver, where, in which axes, how noisy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import pyrave
from pyrave.scene import body_from_boxes

INERTIAL = (
    "<inertial><mass value='2'/><inertia ixx='.1' ixy='0' ixz='0' iyy='.1' iyz='0' "
    "izz='.1'/></inertial>"
)
CAMERA = (
    "<horizontal_fov>1.2</horizontal_fov><image><width>64</width><height>48</height>"
    "{}</image><clip><near>0.05</near><far>20</far></clip>"
)


IMU = (
    "<sensor name='s' type='imu'><imu><angular_velocity><x><noise><stddev>0.5"
    "</stddev></noise></x></angular_velocity></imu></sensor>"
)
FORCE = (
    "<sensor name='s' type='force_torque'><force_torque><measure_direction>"
    "parent_to_child</measure_direction><force><x><noise><stddev>0.5</stddev>"
    "</noise></x></force></force_torque></sensor>"
)


def robot(sensor, of="a", more=""):
    return (
        "<robot name='r'><link name='world'/><link name='a'/><joint name='j' "
        "type='fixed'><parent link='world'/><child link='a'/></joint>"
        f"<gazebo reference='{of}'>{sensor}</gazebo>{more}</robot>"
    )


def loaded(sensor, of="a", more=""):
    env = pyrave.load_string(robot(sensor, of, more))
    wall = body_from_boxes("wall", [(3.05, 0, 0, 0.05, 5, 5)])
    env.create_body(wall)
    (attached,) = env.robots[0].attached_sensors
    attached.sensor.power = True
    return env, attached


def camera(kind, inside="", fmt=""):
    content = CAMERA.format(fmt) + inside
    return f"<sensor name='s' type='{kind}'><camera>{content}</camera></sensor>"


@pytest.mark.parametrize(
    ("kind", "color", "depth"),
    [
        ("camera", True, False),
        ("depth", True, True),
        ("rgbd_camera", True, True),
        ("depth_camera", False, True),
        ("segmentation_camera", False, False),
    ],
)
def test_what_cameras_deliver(kind, color, depth):
    _, attached = loaded(camera(kind))
    data = attached.read()
    assert bool(data.image.size) is color
    assert bool(data.depth.size) is depth
    assert bool(data.body_ids.size) is (kind == "segmentation_camera")
    if depth:
        # Gazebo's cameras look along x: the wall is 3 m ahead
        assert data.depth == pytest.approx(np.full((48, 64), 3.0), abs=1e-6)


def test_grey_images_and_lenses():
    _, attached = loaded(camera("camera", fmt="<format>L8</format>"))
    assert attached.read().image.shape[-1] in {1, 64}
    inside = (
        "<lens><intrinsics><fx>50</fx><fy>60</fy><cx>30</cx><cy>20</cy><s>1</s>"
        "</intrinsics></lens><distortion><k1>-0.1</k1><p2>0.01</p2></distortion>"
    )
    _, attached = loaded(camera("camera", inside))
    known = attached.sensor.get_sensor_geometry()
    assert (known.kk, known.skew) == ((50, 60, 30, 20), 1)
    assert known.distortion_model == "plumb_bob"
    assert tuple(known.distortion_coeffs) == (-0.1, 0.0, 0.0, 0.01, 0.0)


def test_noise_of_cameras_acts_with_its_seed():
    noise = "<noise><type>gaussian</type><mean>0</mean><stddev>0.05</stddev></noise>"
    images = []
    for inside in ("", noise, noise):
        _, attached = loaded(camera("camera", inside))
        images.append(attached.read().image.astype(float))
    plain, noisy, again = images
    inner = (plain > 40) & (plain < 215)
    assert (noisy - plain)[inner].std() / 255 == pytest.approx(0.05, rel=0.1)
    assert (again == noisy).all(), "the seed is that of the environment"


def lidar(noise="", density="", step=""):
    return (
        "<sensor name='s' type='ray'><ray><scan><horizontal><samples>101</samples>"
        f"{density}<min_angle>-0.5</min_angle><max_angle>0.5</max_angle></horizontal>"
        f"</scan><range><min>0.1</min><max>9</max>{step}</range>{noise}</ray></sensor>"
    )


def distances(attached):
    return np.linalg.norm(attached.read().ranges, axis=1)


def test_scanners():
    _, attached = loaded(lidar())
    exact = 3.0 / np.cos(np.linspace(-0.5, 0.5, 101))
    assert distances(attached)[:101] == pytest.approx(exact, abs=1e-6)
    noise = "<noise><type>gaussian</type><mean>0.5</mean><stddev>0.02</stddev></noise>"
    _, attached = loaded(lidar(noise))
    errors = distances(attached)[:101] - exact
    assert errors.mean() == pytest.approx(0.5, abs=0.01)
    assert errors.std() == pytest.approx(0.02, rel=0.3)
    _, attached = loaded(lidar(step="<resolution>0.1</resolution>"))
    steps = distances(attached) / 0.1
    assert steps == pytest.approx(np.rint(steps), abs=1e-6)
    _, attached = loaded(lidar(density="<resolution>2</resolution>"))
    assert len(distances(attached)) in {202, 203}


@pytest.mark.parametrize("old", [False, True])
def test_noise_of_inertial_sensors(old):
    def noise(spread):
        return f"<noise><type>gaussian</type><stddev>{spread}</stddev></noise>"

    axes = "".join(f"<{a}>{noise(0.2)}</{a}>" for a in "xyz")
    still = "".join(f"<{a}>{noise(0.5)}</{a}>" for a in "xyz")
    inside = f"<angular_velocity>{axes}</angular_velocity>"
    inside += f"<linear_acceleration>{still}</linear_acceleration>"
    if old:
        inside = (
            "<noise><type>gaussian</type><rate><stddev>0.2</stddev></rate>"
            "<accel><stddev>0.5</stddev></accel></noise>"
        )
    env, attached = loaded(f"<sensor name='s' type='imu'><imu>{inside}</imu></sensor>")
    rates, forces = [], []
    for _ in range(300):
        env.step(0.01)
        data = attached.read()
        rates.append(data.angular_velocity)
        forces.append(data.linear_acceleration)
    assert np.std(rates) == pytest.approx(0.2, rel=0.1)
    assert np.std(forces, axis=0) == pytest.approx([0.5] * 3, rel=0.15)


def test_axes_and_directions_of_force_sensors():
    """A tool of 2 kg hangs on a joint whose frame is turned by 90 degrees about y."""
    tool = (
        f"<link name='tool'>{INERTIAL}</link><joint name='mount' type='{{}}'>"
        "<parent link='a'/><child link='tool'/>"
        f"<origin xyz='0 0 -1' rpy='0 {math.pi / 2} 0'/></joint>"
    )
    weight = 2 * 9.797930195020351
    cases = {
        # the world's down is +x of the child, whose z is the world's x
        "": (weight, 0, 0),
        "<frame>child</frame>": (weight, 0, 0),
        "<frame>parent</frame>": (0, 0, -weight),
        "<measure_direction>parent_to_child</measure_direction>": (-weight, 0, 0),
        "<measure_direction>child_to_parent</measure_direction>": (weight, 0, 0),
        # the sensor itself is turned by 90 degrees about the child's z
        "<frame>sensor</frame>": (0, -weight, 0),
    }
    for inside, force in cases.items():
        sensor = (
            f"<sensor name='s' type='force_torque'><pose degrees='true'>0 0 0 0 0 90"
            f"</pose><force_torque>{inside}</force_torque></sensor>"
        )
        _, attached = loaded(sensor, "mount", tool.format("fixed"))
        assert attached.read().force == pytest.approx(force, abs=1e-9), inside


def test_poses_of_sensors():
    quarter = "<pose rotation_format='quat_xyzw'>1 2 3 0 0 1 1</pose>"
    for pose in (
        f"<pose>1 2 3 0 0 {math.pi / 2}</pose>",
        "<pose degrees='true'>1 2 3 0 0 90</pose>",
        quarter,
    ):
        _, attached = loaded(f"<sensor name='s' type='imu'>{pose}</sensor>")
        assert attached.transform[:3, 3].tolist() == [1, 2, 3]
        assert attached.transform[:3, 0] == pytest.approx([0, 1, 0], abs=1e-12)
    inside = camera("camera", "<pose>0 0 0.5 0 0 0</pose>")
    _, attached = loaded(inside.replace("<camera>", f"{quarter}<camera>", 1))
    assert attached.transform[:3, 3].tolist() == [1, 2, 3.5]
    assert attached.transform[:3, 2] == pytest.approx([0, 1, 0], abs=1e-12)


@pytest.mark.parametrize(
    "sensor",
    [
        camera("depth", "<noise><type>gaussian</type><stddev>0.05</stddev></noise>"),
        camera("depth_camera", "<distortion><k1>0.1</k1></distortion>"),
        lidar("<noise><mean>0.5</mean><stddev>0.02</stddev></noise>"),
        lidar(step="<resolution>0.1</resolution>"),
        IMU,
        FORCE,
    ],
)
def test_settings_come_back_over_other_formats(tmp_path, sensor):
    """Without the kept block, from what pyrave's own sensor says."""
    (tmp_path / "r.urdf").write_text(robot(sensor))
    first = pyrave.load(tmp_path / "r.urdf")
    first.save(tmp_path / "r.env.xml")
    text = (tmp_path / "r.env.xml").read_text()
    start, end = text.index("<gazebo"), text.index("</gazebo>") + len("</gazebo>")
    (tmp_path / "bare.env.xml").write_text(text[:start] + text[end:])
    pyrave.convert(tmp_path / "bare.env.xml", tmp_path / "again.urdf")
    ((_, one),) = first.robots[0].describe().attached_sensors[0].readables
    again = pyrave.load(tmp_path / "again.urdf").robots[0].describe()
    ((_, other),) = again.attached_sensors[0].readables

    assert said(one) == said(other)


def said(readable):
    """Return what a sensor's data says, numbers to 12 digits."""
    found = {}
    for child in readable.to_xml().children:
        try:
            numbers = [float(word) for word in child.text.split()]
        except ValueError:
            found[child.tag] = child.text
        else:
            found[child.tag] = [float(f"{number:.12g}") for number in numbers]
    return found


@pytest.mark.parametrize(
    ("model", "lens"),
    [("plumb_bob", (0.1, 0.02, 0.0, 0.0, 0.003)), ("equidistant", (0.05, 0.01, 0, 0))],
)
def test_lenses_and_noise_are_written_as_what_they_are(model, lens, tmp_path):
    env = pyrave.load_string("<robot name='r'><link name='a'/></robot>")
    env.robots[0].add_sensor(
        "s", "BaseCamera", link="a", width=64, height=48, kk=(100, 110, 31.5, 23.5),
        noise_sigma=0.01, distortion_model=model, distortion_coeffs=lens,
    )  # fmt: skip
    losses = env.save(tmp_path / "r.urdf", body="r")
    again = pyrave.load(tmp_path / "r.urdf").robots[0].attached_sensors["s"].sensor
    kept = again.geometry
    assert kept.kk == (100, 110, 31.5, 23.5)
    assert again.options.noise_gaussian == again.noise.sigma == 0
    assert kept.distortion_model == (model if model == "plumb_bob" else "")
    np.testing.assert_array_equal(kept.distortion_coeffs, lens if kept.distortion_model
                                  else ())  # fmt: skip
    assert "settings of sensors" in " ".join(map(str, losses))


def test_what_was_changed_after_reading_is_written(tmp_path):
    plugin = "<plugin name='p' filename='p.so'/></sensor>"
    env, attached = loaded(camera("rgbd").replace("</sensor>", plugin))
    env.save(tmp_path / "same.urdf", body="r")
    assert "type='rgbd'" in (tmp_path / "same.urdf").read_text().replace('"', "'")
    attached.sensor.change_settings(kk=(100, 110, 31.5, 23.5), max_range=5)
    env.save(tmp_path / "r.urdf", body="r")
    (again,) = pyrave.load(tmp_path / "r.urdf").robots[0].attached_sensors
    assert again.sensor.geometry.kk == (100, 110, 31.5, 23.5)
    assert again.sensor.options.max_range == 5
    np.testing.assert_allclose(again.transform, attached.transform, atol=1e-12)
    assert "p.so" in (tmp_path / "r.urdf").read_text()
