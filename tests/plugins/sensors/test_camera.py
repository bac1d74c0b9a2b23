"""The camera: what it sees, its settings, commands, timing, noise and XML tags."""

from __future__ import annotations

import gc
import pickle
import weakref
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, ConfigureCommand, SceneError, SensorType
from pyrave.geometry import Lamp
from pyrave.spatial import matrix_from_axis_angle
from pyrave.summary import sensor_data_summary
from pyrave_sensors.optics.camera_geometry import CameraGeometry
from pyrave_sensors.optics.camera_options import CameraOptions

IDS = ["BaseCamera", "base_pinhole_camera", "pinhole"]
ALL = ("color", "depth", "distance", "normals", "segmentation")
# a wall at z = 3 and, before it, a ball of radius 0.5 at z = 2
SCENE = """
<kinbody name="wall"><body name="wall">
  <geom type="box"><extents>9 9 .5</extents><translation>0 0 3.5</translation>
    <diffusecolor>0.2 0.4 0.8</diffusecolor></geom></body></kinbody>
<kinbody name="toys"><body name="stand"/><body name="ball">
  <geom type="box"><extents>.1 .1 .1</extents><translation>9 9 9</translation></geom>
  <geom type="sphere"><radius>.5</radius><diffusecolor>1 0 0</diffusecolor></geom>
  <translation>0 0 2</translation></body></kinbody>
"""
LENS = "<kk>40 40 20 15</kk><width>41</width><height>31</height>"


def load(text, tags=LENS, interface="BaseCamera", **options):
    env = pyrave.Environment()
    sensor = f'<sensor type="{interface}" name="s">{tags}</sensor>'
    env.load_string(f"<environment>{text}{sensor}</environment>")
    env.sensors["s"].options = replace(env.sensors["s"].options, **options)
    return env


@pytest.fixture
def camera():
    env = load(SCENE, outputs=ALL)
    yield env.sensors["s"]
    del env


# -- images ------------------------------------------------------------------------


def rays():
    x, y = np.meshgrid((np.arange(41) - 20) / 40, (np.arange(31) - 15) / 40)
    return np.stack((x, y, np.ones_like(x)), axis=-1)


def test_a_view_in_closed_form(camera):
    data = camera.measure()
    local = rays()
    squares = (local**2).sum(axis=-1)
    # (2 - z)^2 + ... = 0.25 along local * z
    inside = 4.0 - squares * 3.75
    ball = inside > 0
    depth = np.where(ball, (2.0 - np.sqrt(np.where(ball, inside, 0))) / squares, 3.0)
    assert 0.1 < ball.mean() < 0.9
    np.testing.assert_allclose(data.depth, depth, atol=1e-12)
    np.testing.assert_allclose(data.distance, depth * np.sqrt(squares), atol=1e-12)
    np.testing.assert_array_equal(data.body_ids, np.where(ball, 1, 0))
    np.testing.assert_array_equal(data.link_indices, np.where(ball, 1, 0))
    np.testing.assert_array_equal(data.geometry_indices, np.where(ball, 1, 0))
    normals = np.where(
        ball[..., None], 2.0 * (depth[..., None] * local - (0, 0, 2)), (0, 0, -1)
    )
    np.testing.assert_allclose(data.normals, normals, atol=1e-9)
    np.testing.assert_allclose(
        camera.points(data), depth[..., None] * local, atol=1e-12
    )
    assert data.image.shape == (31, 41, 3)
    assert data.image.dtype == np.uint8
    assert (data.image[ball][:, 1:] == 0).all()
    assert (np.argmax(data.image[~ball], axis=1) == 2).all()


def test_poses_points_and_pixels(camera):
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle((0.1, 0.2, -0.05))
    pose[:3, 3] = 0.2, -0.1, 0.3
    camera.transform = pose
    data = camera.measure()
    np.testing.assert_array_equal(data.pose, pose)
    points = camera.points(data)[::5, ::5].reshape(-1, 3)
    pixels = camera.project(points)
    x, y = np.meshgrid(np.arange(0, 41, 5), np.arange(0, 31, 5))
    np.testing.assert_allclose(
        pixels, np.column_stack((x.ravel(), y.ravel())), atol=1e-9
    )
    eye, directions = camera.unproject(pixels)
    reach = data.distance[::5, ::5].reshape(-1, 1)
    np.testing.assert_allclose(eye + reach * directions, points, atol=1e-12)


def test_points_are_asked_of_images(camera):
    with pytest.raises(pyrave.ArgumentError, match="are LaserData, expected CameraD"):
        camera.points(pyrave.LaserData())


def test_nothing_is_infinitely_far_and_belongs_to_nobody():
    env = load("", outputs=ALL, background=(0.0, 1.0, 0.0))
    camera = env.sensors["s"]
    data = camera.measure()
    assert np.isinf(data.depth).all()
    assert np.isinf(data.distance).all()
    assert (data.body_ids == -1).all()
    assert (data.geometry_indices == -1).all()
    assert not data.normals.any()
    assert np.isnan(camera.points(data)).all()
    assert (data.image == (0, 255, 0)).all()


def test_only_what_is_asked_for_is_made(camera):
    camera.options = CameraOptions(outputs=("depth",))
    data = camera.measure()
    assert data.depth.shape == (31, 41)
    for name in ("image", "distance", "normals", "body_ids", "link_indices"):
        assert getattr(data, name).size == 0, name
    camera.options = CameraOptions()
    data = camera.measure()
    assert data.depth.size == 0
    assert data.image.size > 0
    with pytest.raises(ArgumentError, match="add 'depth'"):
        camera.points(data)


def test_distortion_bends_the_image():
    tags = LENS + "<distortion_model type='equidistant'>0.1</distortion_model>"
    env = load(SCENE, tags, outputs=("depth", "distance", "segmentation"))
    camera = env.sensors["s"]
    data = camera.measure()
    wall = data.body_ids == 0
    points = camera.points(data)
    np.testing.assert_allclose(points[wall][:, 2], 3.0, atol=1e-12)
    ball = np.linalg.norm(points[~wall] - (0, 0, 2), axis=1)
    np.testing.assert_allclose(ball, 0.5, atol=1e-12)
    # an angle t is seen at f (t + k t^3)
    angle = np.arctan2(*points[15, 35, [0, 2]])
    assert 40 * (angle + 0.1 * angle**3) == pytest.approx(15, abs=1e-9)


HIDDEN = """
<kinbody name="pane"><body name="pane"><geom type="box" {}><extents>9 9 .1</extents>
  <translation>0 0 1</translation>{}</geom></body></kinbody>"""


@pytest.mark.parametrize(
    ("attribute", "tags", "seen"),
    [
        ("", "", True),
        ("render='false'", "", False),
        ("", "<transparency>1</transparency>", False),
        ("", "<transparency>0.9</transparency>", True),
    ],
)
def test_invisible_things_are_seen_on_request_only(attribute, tags, seen):
    env = load(
        SCENE + HIDDEN.format(attribute, tags), outputs=("color", "segmentation")
    )
    camera = env.sensors["s"]
    assert (camera.measure().body_ids == 2).all() == seen
    assert (camera.measure().body_ids == 2).any() == seen
    camera.options = replace(camera.options, see_invisible=True)
    assert (camera.measure().body_ids == 2).all()


def test_edits_of_looks_are_seen(camera):
    env = camera.env
    geometry = env.bodies["wall"].links[0].geometries[0]
    before = camera.measure()
    geometry.diffuse_color = (0.0, 1.0, 0.0)
    green = camera.measure().image
    assert (np.argmax(green[before.body_ids == 0], axis=1) == 1).all()
    geometry.visible = False
    assert (camera.measure().body_ids == np.where(before.body_ids == 1, 1, -1)).all()
    geometry.visible = True
    geometry.transparency = 0.5
    np.testing.assert_array_equal(camera.measure().body_ids, before.body_ids)
    env.bodies["wall"].transform = [1, 0, 0, 0, 0, 0, -20]
    assert (camera.measure().body_ids == np.where(before.body_ids == 1, 1, -1)).all()


def test_links_that_do_not_collide_are_seen_too(camera):
    before = camera.measure()
    camera.env.bodies["wall"].enabled = False
    np.testing.assert_array_equal(camera.measure().body_ids, before.body_ids)


ROBOT = """
<robot name="r"><kinbody><body name="base"><geom type="box"><extents>.1 9 .1</extents>
  <translation>0.5 0 1</translation></geom></body></kinbody>
  <attachedsensor name="eye"><link>base</link>
    <sensor type="BaseCamera">{}</sensor></attachedsensor></robot>"""


def test_the_carrying_robot_is_seen_unless_told_otherwise():
    env = load(SCENE + ROBOT.format(LENS))
    eye = env.sensors["r:eye"]
    eye.options = replace(eye.options, outputs=("segmentation",))
    with_robot = eye.measure().body_ids
    assert set(np.unique(with_robot)) == {0, 1, 2}
    eye.options = replace(eye.options, include_robot=False)
    without = eye.measure().body_ids
    assert set(np.unique(without)) == {0, 1}
    np.testing.assert_array_equal(without[with_robot != 2], with_robot[with_robot != 2])
    # another camera sees the robot all the same
    other = env.sensors["s"]
    other.options = replace(
        other.options, outputs=("segmentation",), include_robot=False
    )
    np.testing.assert_array_equal(other.measure().body_ids, with_robot)


def test_a_render_mesh_is_seen_instead_of_the_shape(tmp_path):
    (tmp_path / "big.off").write_text(
        "OFF\n4 2 0\n-9 -9 1\n9 -9 1\n9 9 1\n-9 9 1\n3 0 1 2\n3 0 2 3\n"
    )
    text = """<kinbody name="k"><body name="k"><geom type="sphere"><radius>.2</radius>
      <render>{}</render></geom></body><translation>0 0 2</translation></kinbody>"""
    env = load(text.format(tmp_path / "big.off"), outputs=("depth",))
    camera = env.sensors["s"]
    np.testing.assert_allclose(camera.measure().depth, 3.0)
    camera.options = replace(camera.options, see_invisible=True)
    assert np.isinf(camera.measure().depth[0, 0])
    (tmp_path / "big.off").unlink()
    lost = load(text.format(tmp_path / "big.off"), outputs=("depth",))
    assert lost.sensors["s"].measure().depth.min() == pytest.approx(1.8)
    assert any("big.off' not found" in str(p) for p in lost.problems)


# -- light, noise, formats ---------------------------------------------------------


# environments of cameras that tests hold alone
KEPT = []


def grey(**options):
    """Return a camera that sees nothing but half of white."""
    env = load("", background=(0.5, 0.5, 0.5), **options)
    KEPT.append(env)
    return env.sensors["s"]


@pytest.fixture(autouse=True)
def _forget():
    yield
    KEPT.clear()


def shaped(camera, **changes):
    camera.set_sensor_geometry(replace(camera.geometry, **changes))
    return camera


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("uint8", 128),
        ("uint16", 32768),
        ("uint32", 2147483648),
        ("int8", 64),
        ("int16", 16384),
        ("int32", 1073741824),
        ("float32", 0.5),
        ("float64", 0.5),
    ],
)
def test_formats(kind, value):
    camera = shaped(grey(), format=kind)
    image = camera.measure().image
    assert image.dtype == np.dtype(kind)
    assert (image == value).all()
    bright = shaped(camera, gain=3.0).measure().image
    most = 1.5 if kind.startswith("f") else np.iinfo(kind).max
    assert (bright == most).all()
    one = shaped(camera, channels=1, gain=1.0).measure().image
    assert one.shape == (31, 41, 1)
    np.testing.assert_allclose(one, value, rtol=1e-6)


def test_grey_is_the_luminance():
    env = load("", background=(1.0, 0.5, 0.25))
    camera = shaped(env.sensors["s"], format="float64", channels=1)
    expected = 0.2126 + 0.7152 * 0.5 + 0.0722 * 0.25
    np.testing.assert_allclose(camera.measure().image, expected, rtol=1e-6)


def test_gaussian_noise_has_its_deviation_and_repeats():
    camera = shaped(grey(noise_gaussian=0.05), format="float64", width=200, height=150)
    camera.seed = 3
    noisy = camera.measure().image
    assert abs(noisy.mean() - 0.5) < 4 * 0.05 / np.sqrt(noisy.size)
    assert noisy.std() == pytest.approx(0.05, rel=0.02)
    other = camera.measure().image
    assert abs(np.corrcoef(noisy.ravel(), other.ravel())[0, 1]) < 0.02
    camera.seed = 3
    np.testing.assert_array_equal(camera.measure().image, noisy)
    # noise is made before the gain
    shaped(camera, gain=2.0).seed = 3
    np.testing.assert_allclose(camera.measure().image, 2 * noisy, rtol=1e-6)


def test_shot_noise_grows_with_the_root_of_the_light():
    deviations = []
    for level in (0.25, 1.0):
        env = load("", background=(level,) * 3, noise_shot=0.1)
        camera = shaped(env.sensors["s"], format="float64", width=200, height=150)
        deviations.append(camera.measure().image.std())
    np.testing.assert_allclose(deviations, (0.05, 0.1), rtol=0.02)


def test_noise_of_bytes_stays_within_them():
    image = grey(noise_gaussian=2.0).measure().image
    assert image.min() == 0
    assert image.max() == 255


def test_lamps_and_shadows():
    lamp = Lamp((1.0, 0.0, -1.0), (1.0, 1.0, 1.0))
    env = load(SCENE, lamps=(lamp,), outputs=ALL)
    camera = shaped(env.sensors["s"], format="float64")
    lit = camera.measure()
    camera.options = replace(camera.options, shadows=True)
    shady = camera.measure()
    wall = lit.body_ids == 0
    darker = (shady.image < lit.image - 1e-3).any(axis=-1)
    points = camera.points(lit)
    # a point of the wall is in shadow if the ball is on the line to the lamp
    line = points - (0, 0, 2)
    across = line - (line @ (1, 0, -1))[..., None] / 2 * np.array((1, 0, -1))
    expected = np.linalg.norm(across, axis=-1) < 0.5
    np.testing.assert_array_equal(darker[wall], expected[wall])
    assert expected[wall].any()


def test_samples_smooth_edges_and_leave_measures_alone(camera):
    plain = camera.measure()
    camera.options = replace(camera.options, samples=3)
    fine = camera.measure()
    np.testing.assert_array_equal(fine.depth, plain.depth)
    np.testing.assert_array_equal(fine.body_ids, plain.body_ids)
    assert len(np.unique(fine.image[..., 0])) > len(np.unique(plain.image[..., 0]))


def test_exposure_blurs_what_moves():
    env = load(SCENE, outputs=("color", "depth"))
    camera = env.sensors["s"]
    shaped(camera, exposure_time=0.1, framerate=10.0, format="float64")
    sharp = camera.measure()
    camera.options = replace(camera.options, exposure_samples=8)
    np.testing.assert_array_equal(camera.measure().image, sharp.image)
    camera.power = True
    env.step(0.1)
    camera.transform = [1, 0, 0, 0, 0.5, 0.0, 0.0]
    env.step(0.1)
    moved = camera.read()
    camera.options = replace(camera.options, exposure_samples=1)
    still = camera.measure()
    # depths are those of the stamp, colours of the way: from 0 to 0.5 in eight places
    np.testing.assert_array_equal(moved.depth, still.depth)
    assert np.abs(moved.image - still.image).max() > 0.1
    light = []
    for k in range(8):
        camera.transform = [1, 0, 0, 0, 0.5 * (k + 0.5) / 8, 0.0, 0.0]
        light.append(camera.measure().image)
    np.testing.assert_allclose(moved.image, np.mean(light, axis=0), atol=1e-6)


# -- geometry, timing, state -------------------------------------------------------


@pytest.mark.parametrize("interface", IDS)
def test_defaults(interface):
    env = pyrave.Environment()
    camera = env.create("sensor", interface)
    assert camera.interface_id == interface
    assert camera.supports(SensorType.CAMERA)
    assert camera.get_sensor_geometry() == CameraGeometry()
    assert camera.period == 0.2
    assert camera.color == (0.5, 0.5, 1)
    assert not camera.power
    assert camera.last_data() is None
    # about which nothing is said: 640 x 480, as wide as far
    assert camera.measure().image.shape == (480, 640, 3)
    np.testing.assert_array_equal(
        camera.camera.lens.matrix, [[640, 0, 319.5], [0, 640, 239.5], [0, 0, 1]]
    )


def test_images_come_at_their_rate(camera):
    camera.power = True
    stamps = []
    camera.register_data_callback(lambda data: stamps.append(data.stamp))
    for _ in range(100):
        camera.env.step(0.01)
    assert len(stamps) == 5
    assert np.diff(stamps) == pytest.approx([0.2] * 4)
    assert camera.read().stamp == stamps[-1]
    camera.power = False
    camera.env.step(0.5)
    assert len(stamps) == 5


def test_data_are_copies(camera):
    first = camera.measure()
    for name in ("image", "depth", "body_ids", "normals"):
        getattr(first, name)[:] = 7
    latest = camera.read()
    assert not (latest.depth == 7).any()
    assert not (latest.image == 7).all()


def test_clones_and_pickles_measure_the_same():
    env = load(SCENE, outputs=ALL, noise_gaussian=0.1)
    camera = env.sensors["s"]
    camera.seed = 5
    camera.measure()
    twins = [env.clone(), pickle.loads(pickle.dumps(env))]  # noqa: S301
    again = camera.measure()
    for twin in twins:
        other = twin.sensors["s"]
        assert other.options == camera.options
        data = other.measure()
        for name in ("image", "depth", "body_ids", "normals", "pose"):
            np.testing.assert_array_equal(getattr(data, name), getattr(again, name))
        other.options = CameraOptions()
    assert camera.options.outputs == ALL


def test_a_scene_that_was_seen_dies_with_its_last_reference():
    env = load(SCENE, outputs=ALL, shadows=True)
    env.sensors["s"].measure()
    watched = weakref.ref(env), weakref.ref(env.bodies["wall"])
    del env
    gc.collect()
    assert [ref() for ref in watched] == [None, None]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": -1}, "width is -1, expected a whole number > 0 pixels"),
        ({"width": 1 << 20, "height": 1 << 20}, "too large"),
        ({"format": "uint7"}, "expected one of uint8, uint16"),
        ({"channels": 2}, "expected one of 1, 3"),
        ({"gain": -1.0}, "gain"),
        ({"framerate": 0.0}, "framerate"),
        ({"exposure_time": float("nan")}, "exposure_time"),
        ({"kk": (-1.0, 1.0, 0.0, 0.0)}, "focal lengths"),
        ({"distortion_model": "bent"}, "distortion model"),
    ],
)
def test_wrong_geometries_are_refused(camera, changes, message):
    before = camera.get_sensor_geometry()
    with pytest.raises(ArgumentError, match=message):
        shaped(camera, **changes)
    assert camera.get_sensor_geometry() == before


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"outputs": ("colour",)}, "did you mean 'color'"),
        ({"samples": 0}, "samples is 0"),
        ({"max_range": 0.0}, "max_range"),
        ({"noise_shot": -1.0}, "noise_shot"),
        ({"background": (0.0, 1.0)}, "background"),
        ({"lamps": (Lamp((0.0, 0.0, 0.0)),)}, "direction"),
        ({"lamps": (Lamp((0.0, 0.0, 1.0)),) * 65}, "65 lamps, at most 64"),
    ],
)
def test_wrong_options_are_refused(values, message):
    with pytest.raises(ArgumentError, match=message):
        CameraOptions(**values)


# -- commands ----------------------------------------------------------------------


def test_openraves_commands(camera, tmp_path):
    camera.send_command("power 1")
    assert camera.power
    camera.send_command("power 0")
    assert not camera.power
    camera.send_command("render 1")
    assert camera.configure(ConfigureCommand.RENDER_DATA_CHECK) == 1
    camera.send_command("setintrinsic 80 81 10 11")
    camera.send_command("setdims 20 22")
    assert camera.geometry.kk == (80, 81, 10, 11)
    assert camera.measure().image.shape == (22, 20, 3)
    camera.send_command(f"SaveImage {tmp_path / 'shot.png'}")
    assert (tmp_path / "shot.png").read_bytes()[:4] == b"\x89PNG"
    camera.send_command(f"SaveImage {tmp_path / 'plain'}")
    assert (tmp_path / "plain.png").exists()
    with pytest.raises(ArgumentError, match="0 x 5 pixels"):
        camera.send_command("setdims 0 5")
    with pytest.raises(ArgumentError, match=r"'\.tiff'"):
        camera.send_command(f"SaveImage {tmp_path / 'a.tiff'}")


def test_summaries_tell_the_shapes_of_images(camera):
    summary = sensor_data_summary(camera.measure(), camera.env.bodies.names)
    assert summary["image_shape"] == [31, 41, 3]
    assert summary["depth_shape"] == summary["body_ids_shape"] == [31, 41]
    assert summary["pose"].shape == (4, 4)
    assert "depth" not in summary
    assert "body_names" not in summary


# -- XML ---------------------------------------------------------------------------

FULL = """<intrinsic>500 2 320 0 510 240</intrinsic>
  <image_dimensions>64 48 1</image_dimensions><format>uint16</format>
  <measurement_time>0.25</measurement_time><focal_length>0.02</focal_length>
  <distortion_model>plumb_bob</distortion_model>
  <distortion_coeffs>-.2 .1 0 0 .05</distortion_coeffs>
  <target_region url="#part"/><gain>1.5</gain><hardware_id>cam-7</hardware_id>
  <color>1 0 0</color><power>1</power><exposure_time>0.01</exposure_time>
  <outputs>color depth</outputs><shadows>1</shadows><samples>2</samples>
  <lamps>0 0 1 0 .5 .5 .5 1 2 3 1 .1 .2 .3</lamps><background>.1 .2 .3</background>
  <noise_gaussian>.01</noise_gaussian><seed>4</seed>"""


@pytest.mark.parametrize("interface", IDS)
def test_all_tags_are_read_and_written_back(interface, tmp_path):
    env = pyrave.Environment()
    sensor = f"<sensor type='{interface}' name='s'>{FULL}</sensor>"
    env.load_string(f"<environment>{sensor}</environment>")
    assert not env.problems
    camera = env.sensors["s"]
    assert camera.get_sensor_geometry() == CameraGeometry(
        hardware_id="cam-7",
        kk=(500, 510, 320, 240), skew=2.0, focal_length=0.02,
        distortion_model="plumb_bob", distortion_coeffs=(-0.2, 0.1, 0, 0, 0.05),
        width=64, height=48, target_region="#part", gain=1.5,
        channels=1, format="uint16", framerate=4.0, exposure_time=0.01,
        options=camera.options, seed=4, color=(1, 0, 0), power=True,
    )  # fmt: skip
    lamps = (
        Lamp((0.0, 0.0, 1.0), (0.5, 0.5, 0.5)),
        Lamp((1.0, 2.0, 3.0), (0.1, 0.2, 0.3), far=False),
    )
    assert camera.options == CameraOptions(
        ("color", "depth"), True, 2, noise_gaussian=0.01, background=(0.1, 0.2, 0.3),
        lamps=lamps,
    )  # fmt: skip
    assert (camera.seed, camera.color, camera.power) == (4, (1, 0, 0), True)
    env.save(tmp_path / "a.env.xml")
    assert 'url="#part"' in (tmp_path / "a.env.xml").read_text()
    twin = pyrave.load(tmp_path / "a.env.xml").sensors["s"]
    assert twin.readables[interface] == camera.readables[interface]
    assert twin.get_sensor_geometry() == camera.get_sensor_geometry()
    assert twin.options == camera.options
    camera.set_sensor_geometry(CameraGeometry(framerate=8.0, width=7, height=5))
    camera.options = CameraOptions(see_invisible=True)
    env.save(tmp_path / "b.env.xml")
    twin = pyrave.load(tmp_path / "b.env.xml").sensors["s"]
    assert twin.get_sensor_geometry() == camera.get_sensor_geometry()
    assert twin.options == camera.options


def test_openraves_old_tags_and_rates():
    def geometry(tags):
        return load("", tags).sensors["s"].get_sensor_geometry()

    old = geometry("<KK>640 641 320 240</KK><width>64</width><height>48</height>")
    assert (old.kk, old.skew, old.framerate) == ((640, 641, 320, 240), 0, 5)
    assert geometry("<measurement_time>0.1</measurement_time>").framerate == 10
    assert geometry("<framerate>10</framerate>").framerate == 10
    slow, fast = "<measurement_time>1</measurement_time>", "<framerate>5</framerate>"
    assert geometry(slow + fast).framerate == geometry(fast + slow).framerate == 5
    late = geometry("<intrinsic>1 2 3 0 5 6</intrinsic><kk>7 8 9 10</kk>")
    assert (late.kk, late.skew) == ((7, 8, 9, 10), 0)
    late = geometry("<kk>7 8 9 10</kk><intrinsic>1 2 3 0 5 6</intrinsic>")
    assert (late.kk, late.skew) == ((1, 5, 3, 6), 2)
    typed = geometry("<distortion_model type='fisheye'>.1 .2</distortion_model>")
    assert typed.distortion_coeffs == (0.1, 0.2)
    guessed = load("", LENS + "<distortion_coeffs>.1</distortion_coeffs>").sensors["s"]
    assert guessed.camera.lens.model == "plumb_bob"
    assert guessed.geometry.distortion_model == ""


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<kk>640 640 320</kk>", "expected 4 numbers"),
        ("<kk>-640 640 320 240</kk>", "focal lengths are -640 and 640.*ignored"),
        ("<width>0</width>", "more than 0 pixels"),
        ("<width>1000000000</width>", "too large"),
        (
            "<image_dimensions>640</image_dimensions>",
            "2 or 3 numbers: width",
        ),
        ("<channels>5</channels>", "expected 1 or 3"),
        ("<format>uint7</format>", "expected uint8 or uint16"),
        ("<framerate>0</framerate>", "more than 0 images a second"),
        ("<distortion_model>bent</distortion_model>", "distortion model is 'bent'"),
        (
            "<distortion_model type='plumb_bob'>a b</distortion_model>",
            "expected the model's coefficients",
        ),
        ("<distortion_coeffs>1 2 3 4 5 6 7 8 9</distortion_coeffs>", "8 coefficients"),
        ("<outputs>color sound</outputs>", "makes no 'sound'"),
        ("<lamps>1 2 3</lamps>", "seven for each"),
        ("<samples>9</samples>", "8 or less"),
        ("<exposure_samples>1000</exposure_samples>", "expected 256 or less"),
        pytest.param(
            f"<image_dimensions>{'9' * 5000} 480</image_dimensions>",
            "expected 2 or 3 numbers",
            id="digits",
        ),
        ("<widht>3</widht>", "did you mean <width>"),
    ],
)
def test_mistakes_are_warnings_with_a_place(tag, message):
    sensor = f'<sensor type="BaseCamera" name="s">\n\n{tag}</sensor>'
    text = f"<environment>{sensor}</environment>"
    env = pyrave.Environment()
    env.load_string(text)
    (problem,) = env.problems
    assert (problem.line, problem.column) == (3, 1)
    with pytest.raises(SceneError, match=message):
        pyrave.Environment().load_string(text, strict=True)
    assert env.sensors["s"].get_sensor_geometry() == CameraGeometry()
    assert env.sensors["s"].options == CameraOptions()
