"""Spinning lasers, flash lidars and multi-beam lidars: models, tags, state."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, ConfigureCommand, SceneError
from pyrave_sensors.multi_beam_lidar import column_count
from pyrave_sensors.ranges.lidar_presets import PRESETS

# a hollow ball of radius 4 seen from inside: a ray from p along d has a closed form
BALL = """<kinbody name="ball"><body name="b"><geom type="sphere"><radius>4</radius>
  </geom></body></kinbody>"""
# the same seen through boxes: a room of half sizes 3 x 2 x 1.5
ROOM = """<kinbody name="room"><body name="room">
  <geom type="box"><extents>.5 9 9</extents><translation>3.5 0 0</translation></geom>
  <geom type="box"><extents>.5 9 9</extents><translation>-3.5 0 0</translation></geom>
  <geom type="box"><extents>9 .5 9</extents><translation>0 2.5 0</translation></geom>
  <geom type="box"><extents>9 .5 9</extents><translation>0 -2.5 0</translation></geom>
  <geom type="box"><extents>9 9 .5</extents><translation>0 0 2</translation></geom>
  <geom type="box"><extents>9 9 .5</extents><translation>0 0 -2</translation></geom>
</body></kinbody>"""
SIZES = np.array((3.0, 2.0, 1.5))
FLASH = ["BaseFlashLidar3D", "base_laser3d", "laser3d", "base_flash_laser"]
MULTI = ["MultiBeamLidar", "base_multibeam_lidar"]


KEPT = []


@pytest.fixture(autouse=True)
def _keep_environments():
    """Sensors do not keep the environment that they are in."""
    yield
    KEPT.clear()


def load(sensor="", world=ROOM):
    env = pyrave.Environment()
    KEPT.append(env)
    env.load_string(f"<environment>{world}{sensor}</environment>")
    assert not env.problems
    return env


def make(kind, tags="", world=ROOM):
    text = f'<sensor type="{kind}" name="s">{tags}</sensor>'
    return load(text, world).sensors["s"]


def to_walls(origins, directions):
    """Return distances to the room's walls in closed form."""
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = (np.sign(directions) * SIZES - origins) / directions
    return np.where(directions == 0, np.inf, reach).min(axis=1)


def check_room(data, origins=None):
    """Every ray ends at a wall, seen from where it begins."""
    starts = np.broadcast_to(data.positions, data.ranges.shape)
    if origins is not None:
        assert np.abs(starts - origins).max() < 1e-12
    directions = data.ranges / data.distances[:, None]
    np.testing.assert_allclose(data.distances, to_walls(starts, directions), rtol=1e-9)
    assert (data.body_ids == 0).all()
    assert (data.intensity == 1).all()
    return directions


# -- spinning laser -----------------------------------------------------------------

SPIN = "<minangle>-45</minangle><maxangle>45</maxangle><resolution>1</resolution>"


def spinning(tags="<spinspeed>2</spinspeed>"):
    return make("BaseSpinningLaser2D", SPIN + tags)


def about_x(angle):
    c, s = np.cos(angle), np.sin(angle)
    return np.array(((1, 0, 0), (0, c, -s), (0, s, c)))


def test_the_plane_turns_with_simulated_time():
    laser = spinning()
    fan = np.radians(np.arange(-45, 46))
    plane = np.stack((np.cos(fan), np.sin(fan), np.zeros_like(fan)), axis=1)
    for k in range(1, 5):
        laser.env.step(0.25)
        data = laser.read()
        assert laser.spin_angle == pytest.approx(0.5 * k)
        assert data.stamp == 0.25 * k
        directions = check_room(data)
        np.testing.assert_allclose(directions, plane @ about_x(0.5 * k).T, atol=1e-12)
        np.testing.assert_array_equal(data.pose, np.eye(4))
        np.testing.assert_array_equal(data.positions, [[0, 0, 0]])


def test_the_axis_need_not_pass_the_sensor():
    """Half a turn about z through (0.5, 0, 0) moves the origin to (1, 0, 0)."""
    laser = spinning(
        "<spinaxis>0 0 2</spinaxis><spinpos>0.5 0 0</spinpos>"
        f"<spinspeed>{np.pi!r}</spinspeed>"
    )
    laser.env.step(1.0)
    data = laser.read()
    np.testing.assert_allclose(data.positions, [[1, 0, 0]], atol=1e-12)
    directions = check_room(data)
    np.testing.assert_allclose(directions[45], (-1, 0, 0), atol=1e-12)


def test_off_it_stands_and_switching_it_on_turns_it_back():
    laser = spinning()
    laser.env.step(0.25)
    laser.power = False
    assert laser.spin_angle == pytest.approx(0.5)
    laser.env.step(0.25)
    assert laser.spin_angle == pytest.approx(0.5)
    laser.power = True
    assert laser.spin_angle == 0
    laser.configure(ConfigureCommand.RENDER_DATA_ON)
    laser.power = True
    laser.env.step(0.1)
    assert laser.spin_angle == pytest.approx(0.2)
    laser.env.step(7.0)
    assert laser.spin_angle == pytest.approx((2 * 7.1) % (2 * np.pi))


def test_the_plane_turns_during_a_scan():
    laser = spinning("<spinspeed>2</spinspeed><time_increment>0.001</time_increment>")
    laser.env.step(0.5)
    data = laser.read()
    directions = check_room(data)
    np.testing.assert_allclose(data.time_offsets, 0.001 * np.arange(-90, 1), atol=1e-15)
    for i in (0, 10, 89, 90):
        fan = np.radians(i - 45)
        turn = about_x(1.0 + 2 * data.time_offsets[i])
        wanted = turn @ (np.cos(fan), np.sin(fan), 0)
        np.testing.assert_allclose(directions[i], wanted, atol=1e-12)


def test_the_angle_lives_on_in_clones_and_pickles():
    laser = spinning()
    laser.env.step(0.3)
    for other in (laser.env.clone(), pickle.loads(pickle.dumps(laser.env))):  # noqa: S301
        twin = other.sensors[0]
        assert twin.spin_angle == laser.spin_angle == 0.6
        np.testing.assert_array_equal(twin.measure().ranges, laser.measure().ranges)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<spinaxis>0 0 0</spinaxis>", "no direction"),
        ("<spinaxis>1 0</spinaxis>", "three numbers"),
        ("<spinspeed>1e10</spinspeed>", "or less radians per second"),
        ("<time_increment>1e7</time_increment>", "or less seconds"),
    ],
)
def test_spinning_laser_mistakes(tag, message):
    refused("BaseSpinningLaser2D", tag, message)


def test_no_range_is_too_long():
    laser = make("BaseLaser2D", "<maxrange>1e30</maxrange>", "")
    data = laser.measure()
    assert not data.returned.any()
    np.testing.assert_allclose(data.distances, 1e30)


def test_an_axis_needs_a_direction():
    laser = spinning()
    geometry = replace(laser.geometry, spin_axis=(0.0, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="direction"):
        laser.set_sensor_geometry(geometry)


# -- flash lidar --------------------------------------------------------------------


@pytest.mark.parametrize("kind", FLASH)
def test_flash_lidar_defaults(kind):
    lidar = make(kind)
    g = lidar.get_sensor_geometry()
    assert (g.width, g.height, g.min_range, g.max_range) == (64, 64, 0, 100)
    assert g.kk == (500, 500, 250, 250)
    assert lidar.measure().ranges.shape == (4096, 3)
    assert lidar.interface_id == kind


def test_flash_lidar_pixels():
    lidar = make(
        "BaseFlashLidar3D",
        "<KK>20 10 3 2</KK><width>7</width><height>5</height><maxrange>9</maxrange>",
    )
    lidar.transform = [1, 0, 0, 0, 0.5, -0.25, 0.125]
    data = lidar.measure()
    directions = check_room(data, origins=(0.5, -0.25, 0.125))
    for w in range(7):
        for h in range(5):
            wanted = np.array(((w - 3) / 20, (h - 2) / 10, 1))
            wanted /= np.sqrt(wanted @ wanted)
            np.testing.assert_allclose(directions[w * 5 + h], wanted, atol=1e-12)


def test_flash_lidar_minimum_range_counts_if_it_is_said():
    tags = "<KK>20 10 0 0</KK><width>1</width><height>1</height>"
    world = BALL + '<kinbody name="w"><body><geom type="box"><extents>9 9 .1</extents>'
    world += "<translation>0 0 1</translation></geom></body></kinbody>"
    assert make("laser3d", tags, world).measure().distances[0] == pytest.approx(0.9)
    far = make("laser3d", tags + "<minrange>2</minrange>", world).measure()
    assert far.distances[0] == pytest.approx(4)


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<KK>1 2 3</KK>", "expected 4 numbers"),
        ("<width>0</width>", "1 or more"),
        ("<width>2.5</width>", "one whole number"),
        ("<height>99999999</height>", "pixels make.*at most"),
        ("<KK>0 1 2 3</KK>", "fx and fy are .0.0, 1.0., less than"),
        ("<maxrange>1e101</maxrange>", "1e.100 or less"),
    ],
)
def test_flash_lidar_mistakes(tag, message):
    refused("BaseFlashLidar3D", tag, message)


def refused(kind, tag, message):
    text = f'<environment><sensor type="{kind}">\n{tag}</sensor></environment>'
    with pytest.raises(SceneError, match=message):
        pyrave.Environment().load_string(text, strict=True)
    pyrave.Environment().load_string(text)


def test_flash_lidar_geometry_is_checked():
    lidar = make("laser3d")
    for name, value in (("width", 0), ("height", 10**9)):
        with pytest.raises(ArgumentError, match="pixels"):
            lidar.set_sensor_geometry(replace(lidar.geometry, **{name: value}))
    geometry = replace(lidar.geometry, kk=(0, 1, 2, 3))
    with pytest.raises(ArgumentError, match="fx"):
        lidar.set_sensor_geometry(geometry)


# -- multi-beam lidar ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("low", "high", "step", "n"),
    [(-180, 180, 1, 360), (0, 360, 0.7, 515), (-10, 10, 1, 21), (-180, 180, 999, 1)],
)
def test_columns(low, high, step, n):
    assert column_count(low, high, step, 360.0) == n


@pytest.mark.parametrize("kind", MULTI)
def test_multi_beam_defaults(kind):
    lidar = make(kind)
    data = lidar.measure()
    assert data.ranges.shape == (1800 * 16, 3)
    assert lidar.interface_id == kind
    directions = check_room(data)
    elevations = np.degrees(np.arcsin(directions[:, 2])).reshape(1800, 16)
    np.testing.assert_allclose(elevations, [list(range(-15, 16, 2))] * 1800, atol=1e-9)
    azimuths = np.degrees(np.arctan2(directions[:, 1], directions[:, 0]))
    wanted = (np.arange(1800) * 0.2)[:, None] + np.zeros(16)
    off = (azimuths.reshape(1800, 16) + 180 - wanted + 180) % 360 - 180
    assert np.abs(off).max() < 1e-9
    np.testing.assert_array_equal(data.rings, np.tile(np.arange(16), 1800))
    # a turn takes 0.1 s and ends at the stamp
    assert data.time_offsets[-1] == 0
    assert data.time_offsets[0] == pytest.approx(-0.1 * 1799 / 1800)


def test_multi_beam_tags():
    lidar = make(
        "MultiBeamLidar",
        """<elevations>-10 0 10</elevations><azimuth_offsets>1 0 -1</azimuth_offsets>
        <firing_times>0 1e-4 2e-4</firing_times><minangle>0</minangle>
        <maxangle>90</maxangle><resolution>10</resolution><rate>5</rate>""",
    )
    g = lidar.get_sensor_geometry()
    assert g.time_scan == 0.2
    assert g.time_increment == pytest.approx(0.2 / 36)
    np.testing.assert_allclose(np.degrees(g.elevations), (-10, 0, 10))
    data = lidar.measure()
    directions = check_room(data)
    assert data.rings.tolist() == [0, 1, 2] * 10
    times = (np.arange(10) * 0.2 / 36)[:, None] + (0, 1e-4, 2e-4)
    offsets = (times - times.max()).ravel()
    np.testing.assert_allclose(data.time_offsets, offsets, atol=1e-15)
    # 5 turns a second are 1800 degrees a second
    azimuths = (np.arange(10) * 10)[:, None] + (1, 0.18, -1 + 0.36)
    found = np.degrees(np.arctan2(directions[:, 1], directions[:, 0]))
    np.testing.assert_allclose(found, azimuths.ravel(), atol=1e-9)


def test_without_time_increment_a_turn_is_one_moment():
    data = make("MultiBeamLidar", "<time_increment>0</time_increment>").measure()
    assert len(data.time_offsets) == 0
    assert data.positions.shape == (1, 3)


@pytest.mark.parametrize(
    ("name", "lasers", "low", "high", "cycle", "last"),
    [
        ("VLP-16", 16, -15, 15, 55.296e-6, 15 * 2.304e-6),
        ("HDL-32E", 32, -30.67, 10.67, 46.08e-6, 31 * 1.152e-6),
        ("OS1-64", 64, -22.5, 22.5, 0.1 / 1024, 0),
    ],
)
def test_presets_have_the_published_figures(name, lasers, low, high, cycle, last):
    lidar = make("MultiBeamLidar", f"<preset>{name.lower()}</preset>")
    g = lidar.get_sensor_geometry()
    degrees = np.degrees(g.elevations)
    assert len(degrees) == lasers
    assert (np.diff(degrees) > 0).all()
    assert degrees[[0, -1]] == pytest.approx((low, high), abs=0.005)
    assert g.time_increment == pytest.approx(cycle)
    assert max(g.firing_times, default=0) == pytest.approx(last)
    assert g.resolution == pytest.approx(2 * np.pi * cycle * 10)
    check_room(lidar.measure())


def test_the_order_of_firing_interleaves_two_banks():
    """The first eight of the tables in the manuals."""
    firing = {
        "VLP-16": (-15, 1, -13, 3, -11, 5, -9, 7),
        "HDL-32E": (-30.67, -9.33, -29.33, -8, -28, -6.67, -26.67, -5.33),
    }
    for name, wanted in firing.items():
        preset = PRESETS[name]
        order = np.argsort(preset.firing_times)[:8]
        found = np.array(preset.elevations)[order]
        np.testing.assert_allclose(found, wanted, atol=0.005)


def test_a_preset_at_another_rate_and_with_own_values():
    g = make(
        "MultiBeamLidar",
        "<preset>VLP-16</preset><rate>20</rate><maxrange>30</maxrange>",
    ).get_sensor_geometry()
    assert g.time_scan == 0.05
    assert g.time_increment == 55.296e-6
    assert np.degrees(g.resolution) == pytest.approx(0.398, abs=5e-4)
    assert g.max_range == 30
    tags = "<preset>VLP-16</preset><elevations>-1 1</elevations>"
    g = make("MultiBeamLidar", tags).get_sensor_geometry()
    assert len(g.elevations) == 2
    assert g.firing_times == ()


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<preset>VLP16</preset>", "did you mean VLP-16"),
        ("<elevations>0 91</elevations>", "90 or less"),
        ("<elevations></elevations>", "there is no laser"),
        ("<firing_times>0 1</firing_times>", "2 numbers .* 16 lasers"),
        (f"<firing_times>-1{' 0' * 15}</firing_times>", "0 or more"),
        ("<resolution>1e-6</resolution>", "rays, at most"),
        ("<preset>VLP-16</preset><rate>1e-3</rate>", "rays, at most"),
        ("<rate>0</rate>", "1e-06 or more"),
        ("<minangle>-1e9</minangle>", "-3600 or more"),
    ],
)
def test_multi_beam_mistakes(tag, message):
    refused("MultiBeamLidar", tag, message)


def test_multi_beam_geometry_is_checked():
    lidar = make("MultiBeamLidar")
    for name, value in (
        ("elevations", ()),
        ("firing_times", (0.0,)),
        ("firing_times", (-1.0,) * 16),
        ("azimuth_offsets", (np.nan,) * 16),
        ("resolution", 1e-9),
    ):
        with pytest.raises(ArgumentError):
            lidar.set_sensor_geometry(replace(lidar.geometry, **{name: value}))


# -- all ----------------------------------------------------------------------------


EXAMPLES = [
    ("BaseLaser2D", SPIN + "<time_increment>1e-4</time_increment>"),
    ("base_laser1d", "<angle_range>90</angle_range>"),
    ("BaseSpinningLaser2D", SPIN + "<spinspeed>2</spinspeed><spinpos>1 0 0</spinpos>"),
    ("BaseFlashLidar3D", "<KK>9 8 3 2</KK><width>7</width><height>5</height>"),
    ("flash_laser", "<width>7</width>"),
    ("MultiBeamLidar", "<preset>VLP-16</preset><rate>20</rate>"),
    ("base_multibeam_lidar", "<elevations>-1 0 1</elevations><rate>5</rate>"),
]


@pytest.mark.parametrize(("kind", "tags"), EXAMPLES)
def test_settings_are_saved_and_read_again(tmp_path, kind, tags):
    more = (
        "<noise_sigma>0.01</noise_sigma><seed>3</seed><include_robot>0</include_robot>"
    )
    lidar = make(kind, tags + more)
    lidar.env.save(tmp_path / "saved.env.xml")
    saved = pyrave.load(tmp_path / "saved.env.xml")
    twin = saved.sensors["s"]
    assert twin.readables[kind] == lidar.readables[kind]
    assert twin.get_sensor_geometry() == lidar.get_sensor_geometry()
    assert twin.noise == lidar.noise
    assert (twin.seed, twin.include_robot) == (3, False)


@pytest.mark.parametrize(("kind", "tags"), EXAMPLES)
def test_a_changed_geometry_is_saved(tmp_path, kind, tags):
    lidar = make(kind, tags)
    lidar.change_settings(max_range=7.0)
    lidar.env.save(tmp_path / "saved.env.xml")
    saved = pyrave.load(tmp_path / "saved.env.xml")
    twin = saved.sensors["s"]
    np.testing.assert_allclose(twin.measure().ranges, lidar.measure().ranges, atol=1e-9)
    assert twin.get_sensor_geometry().max_range == 7


@pytest.mark.parametrize(("kind", "tags"), EXAMPLES)
def test_clones_measure_the_same(kind, tags):
    lidar = make(kind, tags + "<outlier_rate>0.1</outlier_rate>")
    lidar.env.step(0.01)
    for other in (lidar.env.clone(), pickle.loads(pickle.dumps(lidar.env))):  # noqa: S301
        twin = other.sensors["s"]
        np.testing.assert_array_equal(twin.read().ranges, lidar.read().ranges)


def test_assigned_angles_are_read_back_to_rounding(tmp_path):
    laser = make("BaseLaser2D")
    random = np.random.default_rng(4)
    for low in random.uniform(-6, 0, 50):
        laser.change_settings(min_angle=low)
        laser.env.save(tmp_path / "saved.env.xml")
        saved = pyrave.load(tmp_path / "saved.env.xml").sensors["s"]
        assert saved.settings.min_angle == pytest.approx(low, abs=1e-15)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("BaseLaser2D", "elevations"),
        ("BaseFlashLidar3D", "resolution"),
        ("BaseFlashLidar3D", "time_increment"),
        ("BaseFlashLidar3D", "distortion_model"),
    ],
)
def test_scanners_have_what_makes_their_rays_and_nothing_else(kind, name):
    with pytest.raises(ArgumentError, match=f"{kind} has no setting '{name}'"):
        make(kind).change_settings(**{name: 0.1})


def test_a_single_angle_range_is_a_width_around_zero():
    g = make("base_laser1d", "<angle_range>90</angle_range>").get_sensor_geometry()
    np.testing.assert_allclose(np.degrees((g.min_angle, g.max_angle)), (-45, 45))
    two = make("base_laser2d", "<angle_range>-30 60</angle_range>")
    g = two.get_sensor_geometry()
    np.testing.assert_allclose(np.degrees((g.min_angle, g.max_angle)), (-30, 60))


def test_colladas_names_of_a_laser():
    """The example of OpenRAVE's page about its COLLADA extensions."""
    laser = make(
        "base_laser2d",
        """<angle_min>-90</angle_min><angle_max>90</angle_max>
        <range_min>0.01</range_min><range_max>4.0</range_max>
        <angle_increment>1</angle_increment><time_increment>0.0005</time_increment>
        <measurement_time>0.025</measurement_time><interface_type/>""",
    )
    g = laser.get_sensor_geometry()
    assert (g.min_range, g.max_range) == (0.01, 4)
    assert (g.time_increment, g.time_scan) == (0.0005, 0.025)
    assert np.degrees(g.resolution) == pytest.approx(1)


def test_collidingbodies_of_a_lidar():
    lidar = make("BaseFlashLidar3D", "<KK>20 10 3 2</KK><width>3</width>", BALL + ROOM)
    assert lidar.send_command("collidingbodies") == ""
    lidar.measure()
    numbers = lidar.command("collidingbodies")
    assert len(numbers) == 3 * 64
    assert lidar.command("collidingbodies", unique=True) == sorted(set(numbers))
    assert lidar.send_command("render 1") == ""
    assert lidar.configure(ConfigureCommand.RENDER_DATA_CHECK) == 1
