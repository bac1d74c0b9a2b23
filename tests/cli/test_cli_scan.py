"""``pyrave scan``: lists sensors, measures with one, writes what it saw."""

from __future__ import annotations

import struct

import numpy as np
import pytest

import pyrave as package

ROOM = """<environment>
  <kinbody name="wall"><body name="w"><geom type="box"><extents>.5 9 9</extents>
    <translation>2.5 0 0</translation></geom></body></kinbody>
  {}
</environment>"""
LASER = """<sensor type="BaseLaser2D" name="{}"><minangle>-10</minangle>
  <maxangle>10</maxangle><resolution>10</resolution><maxrange>5</maxrange>{}</sensor>"""
ARM = (
    """<robot name="{name}"><kinbody><body name="base"/><body name="head"/>
  <joint name="neck" type="hinge"><body>base</body><body>head</body>
  <limitsdeg>-180 180</limitsdeg><axis>0 0 1</axis></joint></kinbody>
  <attachedsensor name="eye"><link>head</link>"""
    + LASER.format("e", "")
    + """
  </attachedsensor></robot>"""
)


@pytest.fixture
def two(scene):
    return scene(ROOM.format(LASER.format("left", "") + LASER.format("right", "")))


@pytest.fixture
def arm(scene):
    return scene(ROOM.format(ARM.format(name="r")))


def test_it_lists_the_sensors(pyrave, arm):
    said = pyrave("scan", arm)
    assert said.code == 0
    assert "r:eye" in said.out
    assert "BaseLaser2D" in said.out
    assert "head" in said.out
    (found,) = pyrave("scan", arm, "--json").data["sensors"]
    assert found == {
        "name": "r:eye",
        "id": "BaseLaser2D",
        "type": "laser",
        "link": "head",
    }


def test_a_scene_without_sensors(pyrave, scene):
    path = scene(ROOM.format(""))
    assert "has no sensors" in pyrave("scan", path).out
    said = pyrave("scan", path, "--out", "a.ply")
    assert said.code == 1
    assert "no sensor in the scene" in said.err


@pytest.mark.parametrize("suffix", ["ply", "pcd", "xyz", "csv", "npy"])
def test_it_writes_a_cloud(pyrave, two, tmp_path, suffix):
    out = tmp_path / f"cloud.{suffix}"
    said = pyrave("scan", two, "--sensor", "left", "--out", out)
    assert said.code == 0, said.err
    assert out.stat().st_size > 30
    assert "3 rays, 3 points, 2.000 .. 2.031 m" in said.out
    assert "hits: wall 3" in said.out
    assert f"{out}: written (points)" in said.out


def test_the_points_are_those_of_the_sensor(pyrave, two, tmp_path):
    out = tmp_path / "cloud.npy"
    data = pyrave("scan", two, "--sensor", "right", "--out", out, "--json").data
    assert data["schema"] == "pyrave-scan/2"
    assert (data["rays"], data["points"], data["measurements"]) == (3, 3, 1)
    assert data["hits_by_body"] == {"wall": 3}
    cloud = np.load(out)
    np.testing.assert_allclose(cloud["x"], 2, atol=1e-12)
    slope = 2 * np.tan(np.radians(10))
    np.testing.assert_allclose(cloud["y"], (-slope, 0, slope), atol=1e-12)
    assert cloud["body"].tolist() == [0, 0, 0]


def test_joints_frames_and_short_names(pyrave, arm, tmp_path):
    out = tmp_path / "cloud.npy"
    words = ("--sensor", "eye", "--out", out, "--set")
    assert pyrave("scan", arm, *words, "neck=0.1").code == 0
    world = np.load(out)
    assert pyrave("scan", arm, *words, "r/neck=0.1", "--frame", "sensor").code == 0
    own = np.load(out)
    np.testing.assert_allclose(world["x"], 2, atol=1e-12)
    angles = np.arctan2(own["y"], own["x"])
    np.testing.assert_allclose(angles, np.radians((-10, 0, 10)), atol=1e-9)
    np.testing.assert_allclose(np.arctan2(world["y"], world["x"]), angles + 0.1)


def test_a_picture_of_the_scene_with_the_points(pyrave, two, tmp_path):
    out = tmp_path / "scan.png"
    assert pyrave("scan", two, "--sensor", "left", "--out", out).code == 0
    head = out.read_bytes()[:24]
    assert struct.unpack(">II", head[16:]) == (960, 720)
    out = tmp_path / "scan.jpg"
    assert pyrave("scan", two, "--sensor", "left", "--out", out).code == 0
    assert out.read_bytes().startswith(b"\xff\xd8\xff")


def test_a_scan_is_drawn_once(pyrave, scene, tmp_path):
    """Also where the scene asks viewers to draw it, in another colour."""
    drawn = "<sendcommand>Configure RenderDataOn</sendcommand><color>0 1 0</color>"
    pictures = set()
    for more in ("", drawn):
        out = tmp_path / "scan.png"
        path = scene(ROOM.format(LASER.format("s", more)))
        assert pyrave("scan", path, "--out", out).code == 0
        pictures.add(out.read_bytes())
    assert len(pictures) == 1


def test_a_camera_gives_an_image(pyrave, scene, tmp_path):
    camera = """<sensor type="BaseCamera" name="c"><width>32</width>
      <height>24</height></sensor>"""
    path = scene(ROOM.format(camera))
    out = tmp_path / "image.png"
    said = pyrave("scan", path, "--out", out)
    assert said.code == 0, said.err
    assert struct.unpack(">II", out.read_bytes()[16:24]) == (32, 24)
    assert pyrave("scan", path, "--out", tmp_path / "image.npy").code == 0
    assert np.load(tmp_path / "image.npy").shape == (24, 32, 3)
    said = pyrave("scan", path, "--out", out, "--gather", "--time", "1")
    assert said.code == 1
    assert "--gather joins points, and 'c' (BaseCamera) measures none" in said.err
    assert pyrave("scan", path, "--out", tmp_path / "image.ply").code == 2


PARTS = {
    "image": (24, 32, 3),
    "depth": (24, 32),
    "distance": (24, 32),
    "normals": (24, 32, 3),
    "body_ids": (24, 32),
    "link_indices": (24, 32),
    "geometry_indices": (24, 32),
    "second_image": (24, 32, 3),
    "disparity": (24, 32),
    "occluded": (24, 32),
}


@pytest.mark.parametrize("part", PARTS)
def test_a_camera_makes_what_the_name_of_the_file_says(pyrave, scene, tmp_path, part):
    """Nobody who writes depth.npy wants colours in it."""
    stereo = part in {"second_image", "disparity", "occluded"}
    camera = """<sensor type="{}" name="c"><width>32</width><height>24</height>
      <rotationaxis>0 1 0 90</rotationaxis></sensor>"""
    path = scene(ROOM.format(camera.format("StereoCamera" if stereo else "BaseCamera")))
    out = tmp_path / f"{part}.npy"
    said = pyrave("scan", path, "--out", out)
    assert said.code == 0, said.err
    assert f"{part}_shape" in said.out
    assert "0 x 0" not in said.out
    found = np.load(out)
    assert found.shape == PARTS[part]
    if part == "depth":
        np.testing.assert_allclose(found, 2.0, atol=1e-12)
    png = tmp_path / f"view.{part}.png"
    assert pyrave("scan", path, "--out", png).code == 0
    assert struct.unpack(">II", png.read_bytes()[16:24]) == (32, 24)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("left_depth_07.npy", "depth"),
        ("segmentation.npy", "body_ids"),
        ("wall.Body-IDs.npy", "body_ids"),
        ("depth_image.npy", "depth"),
        ("color.npy", "image"),
        ("depths.npy", "image"),
    ],
)
def test_it_says_which_part_of_an_image_a_name_asked_for(
    pyrave, scene, tmp_path, name, part
):
    camera = """<sensor type="BaseCamera" name="c"><width>32</width>
      <height>24</height></sensor>"""
    out = tmp_path / name
    said = pyrave("scan", scene(ROOM.format(camera)), "--out", out)
    assert f"{out}: written ({part})" in said.out
    assert np.load(out).shape == PARTS[part]


def test_a_short_name_with_a_mistake_finds_the_sensor(pyrave, arm):
    said = pyrave("scan", arm, "--sensor", "eyee")
    assert "no sensor 'eyee': did you mean 'r:eye'?" in said.err


def test_what_cannot_be_written_is_said_before_time_passes(pyrave, scene, tmp_path):
    sensors = "<sensor type='BaseIMU' name='i'/><sensor type='BaseCamera' name='c'/>"
    path = scene(ROOM.format(sensors))
    for name, out, code, message in (
        ("i", "i.npy", 1, "measures no points and no image"),
        ("c", "c.bmp", 2, "expected one of .png, .jpg, .jpeg, .npy, .npz"),
    ):
        words = ("--sensor", name, "--out", tmp_path / out, "--time", "1e5")
        said = pyrave("scan", path, *words)
        assert said.code == code
        assert message in said.err


def test_what_an_image_has_not_is_said(pyrave, scene, tmp_path):
    path = scene(ROOM.format("<sensor type='BaseCamera' name='c'/>"))
    for words, message in (
        (("depth.npy", "--frame", "sensor"), "not of the image depth.npy"),
        (("depth.npy", "--text"), "--text is of points alone"),
        (("disparity.npy", "--time", "1e5"), "measures no 'disparity', expected one"),
    ):
        name, *options = words
        said = pyrave("scan", path, "--out", tmp_path / name, *options)
        assert said.code == 2
        assert message in said.err
        assert not (tmp_path / name).exists()


def test_other_sensors_say_what_they_measured(pyrave, scene):
    path = scene(ROOM.format("<sensor type='BaseIMU' name='i'/>"))
    said = pyrave("scan", path, "--sensor", "i").out
    assert "linear_acceleration: [0. 0. 9.79793]" in said
    assert "covariance" not in said
    motor = scene(ROOM.format("<sensor type='BaseActuator' name='m'/>"))
    assert "state: UNDEFINED" in pyrave("scan", motor, "--sensor", "m").out
    assert pyrave("scan", motor, "--sensor", "m", "--json").data["data"]["state"] == 0
    camera = "<sensor type='BaseCamera' name='c'><width>32</width></sensor>"
    said = pyrave("scan", scene(ROOM.format(camera)), "--sensor", "c").out
    assert "image_shape: 480 x 32 x 3" in said


def test_time_passes_and_scans_gather(pyrave, scene, tmp_path):
    path = scene(ROOM.format(LASER.format("s", "<scantime>0.1</scantime>")))
    out = tmp_path / "cloud.csv"
    words = ("scan", path, "--out", out, "--time", "0.5", "--json")
    last = pyrave(*words).data
    assert (last["stamp"], last["measurements"], last["points"]) == (0.5, 1, 3)
    data = pyrave(*words, "--gather").data
    assert (data["measurements"], data["points"]) == (5, 15)
    table = np.genfromtxt(out, delimiter=",", names=True)
    times = sorted(set(table["time"].tolist()))
    assert times == pytest.approx([0.01, 0.11, 0.21, 0.31, 0.41])


def test_noise_starts_at_the_seed(pyrave, scene, tmp_path):
    noisy = LASER.format("s", "<noise_sigma>0.1</noise_sigma>")
    path = scene(ROOM.format(noisy))
    clouds = []
    for seed in (1, 1, 2):
        out = tmp_path / "cloud.npy"
        assert pyrave("scan", path, "--out", out, "--seed", seed).code == 0
        clouds.append(np.load(out))
    assert (clouds[0] == clouds[1]).all()
    assert (clouds[0] != clouds[2]).all()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--frame", "sensor"), "--frame is of a file, name one with --out"),
        (("--sensor", "left", "--text"), "--text is of a file"),
        (("--gather", "--time", "1"), "--gather is of a measurement"),
        (("--seed", "0"), "--seed is of a measurement"),
        (("--sensor", "left", "--gather"), "--gather joins the scans of a time"),
        (
            ("--sensor", "left", "--out", "a.png", "--frame", "sensor"),
            "--frame is of points alone, not of the picture a.png",
        ),
        (("--sensor", "left", "--out", "a.npy", "--text"), "as text in '.npy'"),
        (("--out", "a.ply"), "2 sensors; choose one with --sensor: left, right"),
        (("--sensor", "lefd"), "no sensor 'lefd': did you mean 'left'?"),
        (("--sensor", "left", "--out", "no/a.png"), "make this folder before a.png"),
        (("--sensor", "left", "--out", "a.plu"), "did you mean .ply"),
        (("--sensor", "left", "--set", "neck"), "expected JOINT=NUMBER"),
        (("--sensor", "left", "--set", "neck=nan"), "expected JOINT=NUMBER"),
        (("--sensor", "left", "--set", "neck=1"), "no joint"),
        (("--sensor", "left", "--set", "b/neck=1"), "no body 'b'"),
        (("--sensor", "left", "--out", "no/a.ply"), "make this folder before a.ply"),
        (("--sensor", "left", "--time", "1e5", "--gather"), "--gather would keep"),
    ],
)
def test_mistakes(pyrave, two, words, message):
    said = pyrave("scan", two, *words)
    assert said.code == (1 if "this folder" in message else 2)
    assert message in said.err
    assert "Traceback" not in said.err


def test_what_is_ambiguous(pyrave, scene):
    path = scene(ROOM.format(ARM.format(name="a") + ARM.format(name="b")))
    said = pyrave("scan", path, "--sensor", "eye")
    assert "2 sensors are called 'eye'" in said.err
    said = pyrave("scan", path, "--sensor", "a:eye", "--set", "neck=1")
    assert "2 bodies have a joint 'neck'" in said.err
    assert "--set a/neck=1" in said.err
    assert pyrave("scan", path, "--sensor", "a:eye", "--set", "b/neck=1").code == 0


def test_other_frames_are_wrong_usage(pyrave, two):
    said = pyrave("scan", two, "--sensor", "left", "--frame", "body")
    assert said.code == 2


def test_the_function_behind_it(tmp_path, two):
    env = package.load(two)
    scans = [sensor.measure() for sensor in env.sensors]
    package.save_sensor_data(scans, tmp_path / "both.npy")
    assert len(np.load(tmp_path / "both.npy")) == 6
    with pytest.raises(package.ArgumentError, match="no scan"):
        package.save_sensor_data([], tmp_path / "none.npy")
    with pytest.raises(package.ArgumentError, match="frame is 'body'"):
        package.save_sensor_data(scans[0], tmp_path / "a.npy", frame="body")
    image = package.CameraData(image=np.zeros((2, 2, 3), np.uint8))
    for more in ({"frame": "sensor"}, {"text": True}):
        with pytest.raises(package.ArgumentError, match=r"for the image a\.npy"):
            package.save_sensor_data(image, tmp_path / "a.npy", **more)
    with pytest.raises(package.NotSupportedError, match="IMUData"):
        package.save_sensor_data(package.IMUData(), tmp_path / "a.npy")


def test_views_and_whole_scans(pyrave, two, tmp_path):
    words = ("scan", two, "--sensor", "left", "--out")
    said = pyrave(*words, tmp_path / "a.png", "--size", "64x48", "--zoom", 2)
    assert said.code == 0, said.err
    head = (tmp_path / "a.png").read_bytes()[:24]
    assert struct.unpack(">II", head[16:]) == (64, 48)
    assert pyrave(*words, tmp_path / "a.npz").code == 0
    assert np.load(tmp_path / "a.npz")["rays"].tolist() == [3]
    said = pyrave(*words, tmp_path / "a.ply", "--eye", 1, 2, 3)
    assert "are of a picture, name it with --out NAME.png" in said.err
    said = pyrave(*words, tmp_path / "b.npz", "--frame", "sensor")
    assert "--frame is of points alone" in said.err
