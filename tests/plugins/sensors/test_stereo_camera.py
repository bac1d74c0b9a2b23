"""The stereo camera: rectification, disparity, occlusion, references, XML tags."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, Error, SceneError
from pyrave.geometry import Camera
from pyrave.spatial import matrix_from_axis_angle
from pyrave_sensors.optics.lens import DistortedLens
from pyrave_sensors.optics.rectification import rectified, rectify
from pyrave_sensors.optics.stereo_geometry import StereoPart

IDS = ["StereoCamera", "base_stereo_camera"]
# a wall at z = 3 and a thin post before it, from x = -0.1025 to 0.1025 at z = 1
SCENE = """
<kinbody name="wall"><body name="wall">
  <geom type="box"><extents>9 9 .5</extents><translation>0 0 3.5</translation></geom>
  </body></kinbody>
<kinbody name="post"><body name="post">
  <geom type="box"><extents>.1025 9 .01</extents>
    <translation>0 0 1.01</translation></geom>
  </body></kinbody>"""
LENS = "<kk>200 200 80 60</kk><width>161</width><height>121</height>"
TWO = """
<sensor type="BaseCamera" name="left"><kk>200 210 75 58</kk><width>161</width>
  <height>121</height><translation>0.02 0 0</translation>
  <distortion_model type="plumb_bob">-.2 .05 .001 .002 0</distortion_model></sensor>
<sensor type="BaseCamera" name="right"><kk>190 195 85 60</kk><width>160</width>
  <height>120</height><translation>.15 .01 .02</translation>
  <rotationaxis>0.2 1 0.1 -3</rotationaxis></sensor>"""
NAMED = '<instance_sensor url="#left"/><instance_sensor url="#right"/>'


def load(tags, more="", interface="StereoCamera", **options):
    env = pyrave.Environment()
    sensor = f'<sensor type="{interface}" name="s">{tags}</sensor>'
    env.load_string(f"<environment>{SCENE}{more}{sensor}</environment>")
    stereo = env.sensors["s"]
    stereo.options = replace(stereo.options, **options)
    return env


def random_camera(rng, place):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3) * 0.1)
    pose[:3, 3] = place
    focal = rng.uniform(180, 220, 2)
    lens = DistortedLens(
        *focal, *rng.uniform(50, 70, 2), rng.normal(), "plumb_bob", (0.1, 0.2)
    )
    return Camera(pose, 120, 100, lens)


def test_rectified_points_have_one_row():
    rng = np.random.default_rng(0)
    for _ in range(20):
        cameras = (
            random_camera(rng, rng.normal(size=3) * 0.05),
            random_camera(rng, (0.3, 0.05, 0.05) + rng.normal(size=3) * 0.05),
        )
        first, second = rectify(*cameras)
        points = np.array((0, 0, 2)) + rng.normal(size=(50, 3)) * 0.3
        left, depth = first.project(points)
        right, _ = second.project(points)
        np.testing.assert_allclose(left[:, 1], right[:, 1], atol=1e-10)
        baseline = np.linalg.norm(cameras[1].pose[:3, 3] - cameras[0].pose[:3, 3])
        np.testing.assert_allclose(
            left[:, 0] - right[:, 0], first.lens.fx * baseline / depth, atol=1e-10
        )
        np.testing.assert_array_equal(first.pose[:3, 3], cameras[0].pose[:3, 3])


def test_a_homography_is_a_camera():
    rng = np.random.default_rng(1)
    for sign in (1.0, -3.0):
        camera = random_camera(rng, (0.1, 0.2, 0.3))
        homography = np.eye(3) + rng.normal(size=(3, 3)) * (
            (0.05, 0.05, 5), (0.05, 0.05, 5), (1e-4, 1e-4, 0.01)
        )  # fmt: skip
        seen = rectified(camera, sign * homography, (200, 100))
        points = np.array((0, 0, 2)) + rng.normal(size=(50, 3)) * 0.3
        ideal = Camera(camera.pose, 120, 100, camera.lens.ideal).project(points)[0]
        moved = np.column_stack((ideal, np.ones(50))) @ homography.T
        pixels, _ = seen.project(points)
        np.testing.assert_allclose(pixels, moved[:, :2] / moved[:, 2:], atol=1e-9)


@pytest.mark.parametrize(
    ("homography", "message"),
    [
        (np.zeros((3, 3)), "singular"),
        (np.diag((1.0, 0.0, 1.0)), "singular"),
        (np.diag((-1.0, 1.0, 1.0)), "mirrors"),
    ],
)
def test_homographies_that_are_no_camera(homography, message):
    camera = Camera.at(np.eye(4), 20, 20)
    with pytest.raises(ArgumentError, match=message):
        rectified(camera, homography, (20, 20))


def test_cameras_that_cannot_be_rectified():
    camera = Camera.at(np.eye(4), 20, 20)
    with pytest.raises(ArgumentError, match="same place"):
        rectify(camera, camera)
    with pytest.raises(ArgumentError, match="straight ahead"):
        rectify(camera, camera.moved([1, 0, 0, 0, 0, 0, 0.2]))


@pytest.mark.parametrize("interface", IDS)
def test_two_cameras_side_by_side(interface):
    outputs = ("color", "depth", "segmentation")
    env = load(LENS + "<baseline>0.2</baseline>", "", interface, outputs=outputs)
    stereo = env.sensors["s"]
    data = stereo.measure()
    assert data.image.shape == data.second_image.shape == (121, 161, 3)
    assert data.distance.size == 0
    np.testing.assert_allclose(data.disparity, 200 * 0.2 / data.depth, atol=1e-10)
    post = data.body_ids == 1
    # the post covers columns 60 to 100 of the first image, 19.5 to 60.5 of the second;
    # the wall behind it is 40 / 3 columns further left there
    columns = np.broadcast_to(np.arange(161), post.shape)
    np.testing.assert_array_equal(post, abs(columns - 80) <= 20)
    moved = columns - 40 / 3
    hidden = (moved > 19.5) & (moved < 60.5)
    expected = ~post & (hidden | (moved < -0.5))
    np.testing.assert_array_equal(data.occluded, expected)
    # the second image is what a camera there takes
    other = env.create("sensor", "BaseCamera")
    other.change_settings(kk=(200, 200, 80, 60), width=161, height=121)
    other.transform = [1, 0, 0, 0, 0.2, 0, 0]
    np.testing.assert_array_equal(other.measure().image, data.second_image)
    points = stereo.points(data)
    np.testing.assert_allclose(points[..., 2], data.depth, atol=1e-12)


def test_named_cameras_are_rectified():
    env = load(NAMED, TWO, outputs=("depth", "distance", "segmentation"))
    stereo = env.sensors["s"]
    data = stereo.measure()
    np.testing.assert_array_equal(data.pose, env.sensors["left"].transform)
    pair = stereo.rectified_pair
    assert (pair.first.width, pair.second.height) == (161, 121)
    points = stereo.points(data)
    pixels = np.stack(np.meshgrid(np.arange(161.0), np.arange(121.0)), axis=-1)
    assert np.abs(stereo.project(points.reshape(-1, 3)).reshape(pixels.shape) - pixels
                  ).max() < 1e-9  # fmt: skip
    origin, directions = stereo.unproject(pixels)
    np.testing.assert_allclose(
        origin + directions * data.distance[..., None], points, atol=1e-9
    )
    with pytest.raises(ArgumentError, match="expected CameraData"):
        stereo.points(pixels)
    left, right = (one.project(points.reshape(-1, 3))[0] for one in
                   (pair.first, pair.second))  # fmt: skip
    np.testing.assert_allclose(left[:, 1], right[:, 1], atol=1e-9)
    np.testing.assert_allclose(data.disparity.ravel(), (left - right)[:, 0], atol=1e-9)
    wall, post = data.body_ids == 0, data.body_ids == 1
    np.testing.assert_allclose(points[wall][:, 2], 3.0, atol=1e-9)
    assert points[post][:, 2].min() == pytest.approx(1.0)
    assert 0.02 < data.occluded.mean() < 0.5
    # what is named moves
    env.sensors["left"].transform = [1, 0, 0, 0, 0.02, 0, 0.05]
    moved = stereo.measure()
    assert moved.pose[2, 3] == 0.05
    assert moved.depth.min() < data.depth.min() - 0.03


def test_given_rectifications_count():
    h = "1 0 5 0 1 -3 0 0 1"
    tags = "".join(
        f"<instance_sensor url='{name}'><rectification>{h}</rectification>"
        "</instance_sensor>"
        for name in ("#left", "right")
    )
    env = load(tags, TWO, outputs=("depth",))
    stereo = env.sensors["s"]
    shift = ((1.0, 0.0, 5.0), (0.0, 1.0, -3.0), (0.0, 0.0, 1.0))
    assert stereo.geometry.cameras == (
        StereoPart("left", shift),
        StereoPart("right", shift),
    )
    assert stereo.geometry.rectifications == (shift, shift)
    lens = stereo.rectified_pair.first.lens
    np.testing.assert_allclose(
        (lens.fx, lens.fy, lens.cx, lens.cy, lens.skew),
        (200, 210, 80, 55, 0),
        atol=1e-9,
    )
    np.testing.assert_allclose(stereo.rectified_pair.first.pose, stereo.pair.first.pose)
    assert np.isfinite(stereo.measure().disparity).all()


def test_cameras_of_the_same_robot():
    def eye(name, y):
        return f"""<attachedsensor name="{name}"><link>b</link>
          <translation>{y} 0 0</translation>
          <sensor type="BaseCamera">{LENS}</sensor></attachedsensor>"""

    robot = f"""<robot name="r"><kinbody><body name="b"/></kinbody>
      {eye("left", 0)}{eye("right", 0.1)}
      <attachedsensor name="eyes"><link>b</link>
        <sensor type="StereoCamera">{NAMED}</sensor></attachedsensor></robot>"""
    env = load(NAMED, robot)
    data = env.sensors["r:eyes"].measure()
    np.testing.assert_allclose(np.nanmin(data.disparity), 200 * 0.1 / 3)
    env.robots["r"].transform = [1, 0, 0, 0, 0, 0, 1.5]
    data = env.sensors["r:eyes"].measure()
    np.testing.assert_allclose(data.disparity, 200 * 0.1 / 1.5)
    assert data.pose[2, 3] == 1.5
    # from the outside they have the robot's name before theirs
    with pytest.raises(Error, match=r"unknown camera 'left'; cameras are .*r:left"):
        env.sensors["s"].measure()


def test_sky_has_no_disparity_and_clones_measure_the_same():
    env = load(LENS, noise_gaussian=0.1)
    stereo = env.sensors["s"]
    twins = [env.clone(), pickle.loads(pickle.dumps(env))]  # noqa: S301
    data = stereo.measure()
    for twin in twins:
        other = twin.sensors["s"].measure()
        np.testing.assert_array_equal(other.disparity, data.disparity)
        np.testing.assert_array_equal(other.second_image, data.second_image)
    stereo.transform = [0, 1, 0, 0, 0, 0, 0]
    assert np.isnan(stereo.measure().disparity).all()
    assert not stereo.measure().occluded.any()


@pytest.mark.parametrize("interface", IDS)
def test_settings_survive_saving(interface, tmp_path):
    tags = (
        '<instance_sensor url="#left"><rectification>1 0 0.1 0 1 0 0 0 1'
        '</rectification></instance_sensor><instance_sensor url="#right"/>'
        "<gain>2</gain><baseline>.25</baseline><outputs>depth</outputs>"
    )
    env = load(tags, TWO, interface)
    assert not env.problems
    stereo = env.sensors["s"]
    env.save(tmp_path / "a.env.xml")
    twin = pyrave.load(tmp_path / "a.env.xml").sensors["s"]
    assert twin.readables[interface] == stereo.readables[interface]
    assert twin.get_sensor_geometry() == stereo.get_sensor_geometry()
    assert twin.options == stereo.options
    stereo.change_settings(cameras=("right", "left"))
    env.save(tmp_path / "b.env.xml")
    twin = pyrave.load(tmp_path / "b.env.xml").sensors["s"]
    assert twin.geometry == stereo.geometry
    assert [one.name for one in twin.geometry.named] == ["right", "left"]


FIRST = "<instance_sensor url='#a'>"
SECOND = "</instance_sensor><instance_sensor url='#b'/>"


@pytest.mark.parametrize(
    ("tags", "message"),
    [
        ("<instance_sensor/>", "no attribute url"),
        (NAMED + "<instance_sensor url='#x'/>", "a third camera"),
        (
            f"{FIRST}<rectification>1 2 3</rectification>{SECOND}",
            "nine numbers of an invertible",
        ),
        (
            f"{FIRST}<rectify/>{SECOND}",
            "unknown tag <rectify>",
        ),
        ("<instance_sensor url='#a'/>", "one camera, expected two"),
        ("<baseline>-1</baseline>", "more than 0 metres"),
    ],
)
def test_mistakes_are_warnings(tags, message):
    sensor = f"<sensor type='StereoCamera' name='s'>{tags}</sensor>"
    text = f"<environment>{sensor}</environment>"
    with pytest.raises(SceneError, match=message):
        pyrave.Environment().load_string(text, strict=True)
    env = pyrave.Environment()
    env.load_string(text)
    # that there are no cameras of these names is another matter
    told = [one for one in env.problems if one.code != "unknown-reference"]
    assert len(told) == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cameras": ("a",)}, "names one camera, expected two or none"),
        ({"cameras": ("a", "b", "c")}, "expected two, or none"),
        ({"cameras": "ab"}, "expected two, or none"),
        ({"cameras": (1, 2)}, "a camera is 1, expected its name or a StereoPart"),
        ({"baseline": 0.0}, "baseline"),
        ({"width": -1}, "pixels"),
    ],
)
def test_wrong_geometries_are_refused(changes, message):
    env = load(LENS)
    with pytest.raises(ArgumentError, match=message):
        env.sensors["s"].change_settings(**changes)


@pytest.mark.parametrize(
    "matrix", [((1.0, 2.0),), np.eye(2), "x", np.full((3, 3), 1e999)]
)
def test_a_rectification_has_nine_numbers(matrix):
    with pytest.raises(ArgumentError, match="expected 3 x 3 numbers"):
        StereoPart("left", matrix)


def test_what_is_named_must_be_a_camera():
    env = load(NAMED, "<sensor type='BaseLaser2D' name='left'/>")
    with pytest.raises(Error, match="'left', which is not a camera"):
        env.sensors["s"].measure()


def test_what_is_missing_can_be_added_while_it_runs():
    env = pyrave.Environment()
    env.load_string(
        "<environment><sensor type='StereoCamera' name='s'>"
        "<instance_sensor url='#left'/><instance_sensor url='#right'/>"
        "</sensor></environment>"
    )
    stereo = env.sensors["s"]
    env.step(0.1)
    assert stereo.disabled
    *at_loading, problem = env.problems
    assert [one.code for one in at_loading] == ["unknown-reference"] * 2
    assert "refers to unknown camera 'left'" in problem.message
    assert "assign False" in problem.hint
    for name in ("left", "right"):
        env.load_string(
            f"<environment><sensor type='BaseCamera' name='{name}'><width>8</width>"
            f"<height>6</height><translation>{len(name)} 0 0</translation></sensor>"
            "</environment>"
        )
    stereo.disabled = False
    env.step(0.2)
    assert stereo.read().image.shape == (6, 8, 3)
