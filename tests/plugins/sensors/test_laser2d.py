"""The planar laser: its model, timing, switches, commands and XML tags."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
import weakref
from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, ConfigureCommand, SceneError, SensorType
from pyrave.scene import XmlElement
from pyrave.sensing.data import CameraData, LaserData
from pyrave_sensors.optics.camera_geometry import CameraGeometry
from pyrave_sensors.ranges.beams import ray_count
from pyrave_sensors.ranges.laser_geometry import LaserGeometry
from pyrave_sensors.settings.xml import SensorReadable

# A room of half-sizes 3 x 2 around the origin, with a ball at (1, 0) of radius 0.25.
ROOM = """
<kinbody name="room"><body name="room">
  <geom type="box"><extents>.5 9 1</extents><translation>3.5 0 0</translation></geom>
  <geom type="box"><extents>.5 9 1</extents><translation>-3.5 0 0</translation></geom>
  <geom type="box"><extents>9 .5 1</extents><translation>0 2.5 0</translation></geom>
  <geom type="box"><extents>9 .5 1</extents><translation>0 -2.5 0</translation></geom>
</body></kinbody>
<kinbody name="ball"><body name="ball">
  <geom type="sphere"><radius>.25</radius></geom></body>
  <translation>1 0 0</translation></kinbody>
"""
IDS = ["BaseLaser2D", "base_laser2d"]


def scene(sensor):
    return f"<environment>{ROOM}{sensor}</environment>"


def load(sensor):
    env = pyrave.Environment()
    env.load_string(scene(sensor))
    return env


@pytest.fixture
def env():
    return load("")


def add_laser(env, interface="BaseLaser2D", **settings):
    laser = env.create("sensor", interface)
    laser.set_sensor_geometry(replace(laser.geometry, **settings))
    env.add(laser)
    return laser


def in_room(origin, direction):
    """Return the distance to the room's walls and the ball, in closed form."""
    best = np.inf
    for axis, size in ((0, 3.0), (1, 2.0)):
        if abs(direction[axis]) > 1e-12:
            wall = np.sign(direction[axis]) * size
            best = min(best, (wall - origin[axis]) / direction[axis])
    middle = np.array((1.0, 0.0, 0.0)) - origin
    along = middle @ direction
    inside = 0.25**2 - (middle @ middle - along**2)
    if inside > 0 and along - np.sqrt(inside) > 0:
        best = min(best, along - np.sqrt(inside))
    return best


# -- model -------------------------------------------------------------------------


@pytest.mark.parametrize("interface", IDS)
def test_defaults(env, interface):
    laser = env.create("sensor", interface)
    geometry = laser.get_sensor_geometry(SensorType.LASER)
    assert geometry is laser.geometry is laser.settings
    assert (geometry.min_angle, geometry.max_angle) == (-np.pi / 2, np.pi / 2)
    assert geometry.resolution == float(np.float32(0.01))
    assert (geometry.min_range, geometry.max_range) == (0.03, 100)
    assert (geometry.time_scan, geometry.time_increment) == (0, 0)
    assert laser.color == (0.5, 0.5, 1)
    assert not laser.power
    assert laser.last_data() is None
    assert laser.measure().ranges.shape == (315, 3)
    assert laser.interface_id == interface


@pytest.mark.parametrize(
    ("low", "high", "step", "n"),
    [
        (-90, 90, 1, 181),
        (0, 0, 1, 1),
        (-1, 1, 0.6, 4),
        (-1, 1, 0.9, 3),
        (0, 10, 100, 1),
    ],
)
def test_number_of_rays(low, high, step, n):
    assert ray_count(low, high, step) == n


def test_ranges_in_closed_form(env):
    laser = add_laser(env, min_angle=-np.pi, max_angle=np.pi, resolution=0.01)
    angle = 0.7
    pose = np.eye(4)
    pose[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    pose[:3, 3] = [-0.5, 0.3, 0.1]
    laser.transform = pose
    data = laser.measure()
    angles = angle - np.pi + 0.01 * np.arange(len(data.ranges))
    assert len(angles) == int(2 * np.pi / 0.01 + 0.5) + 1
    for a, vector, intensity in zip(angles, data.ranges, data.intensity, strict=True):
        direction = np.array((np.cos(a), np.sin(a), 0))
        expected = in_room(pose[:3, 3], direction)
        np.testing.assert_allclose(vector, expected * direction, atol=1e-9)
        assert intensity == 1
    np.testing.assert_array_equal(data.positions, [[-0.5, 0.3, 0.1]])
    np.testing.assert_array_equal(data.pose, pose)
    assert set(data.body_ids) == {0, 1}
    np.testing.assert_allclose(data.points, data.positions + data.ranges)


def test_misses_have_maximum_range(env):
    laser = add_laser(env, min_angle=0.0, max_angle=0.0, max_range=0.5)
    data = laser.measure()
    np.testing.assert_allclose(data.ranges, [[0.5, 0, 0]])
    np.testing.assert_array_equal(data.intensity, [0])
    np.testing.assert_array_equal(data.body_ids, [-1])


def test_rays_start_at_minimum_range(env):
    """From (0.5, 0) the ball's near side is 0.25 away, its far side 0.75."""
    laser = add_laser(env, min_angle=0.0, max_angle=0.0, min_range=0.2)
    laser.transform = [1, 0, 0, 0, 0.5, 0, 0]
    assert laser.measure().distances[0] == pytest.approx(0.25)
    laser.change_settings(min_range=0.8)
    data = laser.measure()
    assert data.distances[0] == pytest.approx(2.5)
    assert data.body_ids[0] == 0


def test_tilted_sensor(env):
    """Turned by 90 degrees about x, the fan is vertical and leaves the room."""
    laser = add_laser(env, min_angle=0.0, max_angle=np.pi, resolution=np.pi / 2)
    laser.transform = [np.sqrt(0.5), np.sqrt(0.5), 0, 0, 0, 0, 0]
    data = laser.measure()
    np.testing.assert_allclose(
        data.ranges, [[0.75, 0, 0], [0, 0, 100], [-3, 0, 0]], atol=1e-12
    )


def test_disabled_and_removed_bodies_are_not_seen(env):
    laser = add_laser(env, min_angle=0.0, max_angle=0.0)
    assert laser.measure().distances[0] == pytest.approx(0.75)
    env.bodies["ball"].enabled = False
    assert laser.measure().distances[0] == pytest.approx(3)
    env.remove("room")
    assert laser.measure().distances[0] == pytest.approx(100)


# -- timing and switches -----------------------------------------------------------


def test_nothing_without_power_or_steps(env):
    laser = add_laser(env)
    assert laser.power, "stand-alone sensors are switched on when added"
    laser.power = False
    env.step(0.1)
    assert laser.last_data() is None
    laser.power = True
    assert laser.last_data() is None
    env.step(0.1)
    assert laser.last_data() is not None


@pytest.mark.parametrize(
    ("period", "dt", "n_steps", "n_scans"),
    [
        (0, 0.01, 10, 10),
        (0.1, 0.01, 101, 11),
        (0.1, 0.03, 101, 31),
        (0.01, 0.1, 10, 10),
    ],
)
def test_scan_times(env, period, dt, n_steps, n_scans):
    """A scan in the first step, then one every `period`, without drift."""
    laser = add_laser(env, min_angle=0.0, max_angle=0.0, time_scan=period)
    scans = []
    laser.register_data_callback(scans.append)
    for _ in range(n_steps):
        env.step(dt)
    assert len(scans) == n_scans
    assert all(isinstance(scan, LaserData) for scan in scans)
    assert scans[0].stamp == round(dt, 6)
    assert scans[-1].stamp <= env.simulation_time


def test_switching_on_scans_at_once(env):
    laser = add_laser(env, min_angle=0.0, max_angle=0.0, time_scan=10.0)
    env.step(0.1)
    laser.power = False
    env.step(0.1)
    laser.power = True
    env.step(0.1)
    assert laser.read().stamp == 0.3


def test_configure(env):
    laser = env.create("sensor", "BaseLaser2D")
    on_off_check = [
        ("POWER", 0),
        ("RENDER_DATA", 0),
        ("RENDER_GEOMETRY", 1),
    ]
    for name, default in on_off_check:
        check = ConfigureCommand[f"{name}_CHECK"]
        assert laser.configure(check) == default
        assert laser.configure(ConfigureCommand[f"{name}_ON"]) == 1
        assert laser.configure(check) == 1
        assert laser.configure(ConfigureCommand[f"{name}_OFF"]) == 0
        assert laser.configure(check) == 0


def test_data_is_the_callers_own(env):
    laser = add_laser(env)
    first = laser.measure()
    first.ranges[:] = 0
    assert laser.read().ranges.any()
    data = LaserData()
    assert laser.get_sensor_data(data)
    data.ranges[:] = 0
    assert laser.read().ranges.any()


def test_other_kinds_of_data(env):
    laser = env.create("sensor", "BaseLaser2D")
    assert laser.supports(SensorType.LASER)
    assert not laser.supports(SensorType.CAMERA)
    with pytest.raises(ArgumentError, match="CAMERA"):
        laser.create_sensor_data(SensorType.CAMERA)
    with pytest.raises(ArgumentError, match="CameraData"):
        laser.get_sensor_data(CameraData())
    with pytest.raises(ArgumentError, match="LaserGeometry"):
        laser.set_sensor_geometry(CameraGeometry())


@pytest.mark.parametrize(
    "settings",
    [
        {"min_angle": 2.0},
        {"resolution": 0.0, "max_angle": 1.0},
        {"resolution": 1e-9, "max_angle": 1.0},
        {"min_range": 2.0, "max_range": 1.0},
        {"min_range": -1.0},
        {"max_range": np.inf},
        {"time_scan": -1.0},
    ],
)
def test_geometry_that_makes_no_sense(env, settings):
    laser = env.create("sensor", "BaseLaser2D")
    before = laser.get_sensor_geometry()
    full = {"resolution": 0.1, "max_range": 1.0} | settings
    with pytest.raises(ArgumentError):
        laser.set_sensor_geometry(LaserGeometry(**full))
    assert laser.get_sensor_geometry() == before


def test_commands(env):
    laser = add_laser(env, min_angle=-0.5, max_angle=0.5, resolution=0.5, max_range=1.0)
    assert set(laser.commands) == {"Configure", "render", "collidingbodies"}
    assert laser.send_command("collidingbodies") == ""
    laser.measure()
    assert laser.send_command("collidingbodies") == "0 2 0"
    assert laser.command("collidingbodies") == [0, 2, 0]
    assert laser.command("CollidingBodies", unique=True) == [2]
    assert laser.send_command("render 1") == ""
    assert laser.configure(ConfigureCommand.RENDER_DATA_CHECK) == 1
    assert laser.send_command("render 0") == ""
    assert laser.configure(ConfigureCommand.RENDER_DATA_CHECK) == 0


def test_colliding_bodies_are_counted_as_they_are_now():
    env = load("")
    env.remove("room")
    env.load_string(scene("").replace('name="ball"', 'name="other"'))
    assert [body.id for body in env.bodies] == [1, 2, 3]
    env.remove("other")
    laser = add_laser(env, min_angle=0.0, max_angle=1.5, resolution=0.5, max_range=9.0)
    laser.measure()
    assert laser.command("collidingbodies") == [1, 2, 2, 2]
    assert laser.command("collidingbodies", unique=True) == [1, 2]
    env.remove("ball")
    assert laser.command("collidingbodies") == [0, 1, 1, 1]
    assert laser.command("collidingbodies", unique=True) == [1]


# -- life --------------------------------------------------------------------------


def test_state_in_clones_and_pickles(env):
    laser = add_laser(env, resolution=0.1, time_scan=0.2)
    laser.name = "laser"
    laser.transform = [1, 0, 0, 0, 0.25, 0, 0]
    env.step(0.1)
    laser.send_command("render 1")
    for other in (env.clone(), pickle.loads(pickle.dumps(env))):  # noqa: S301
        twin = other.sensors[0]
        assert twin.get_sensor_geometry().time_scan == 0.2
        np.testing.assert_array_equal(twin.transform, laser.transform)
        np.testing.assert_array_equal(twin.read().ranges, laser.read().ranges)
        assert twin.configure(ConfigureCommand.RENDER_DATA_CHECK) == 1
        assert twin.power
        other.step(0.1)
        assert twin.read().stamp == 0.1
        other.step(0.1)
        assert twin.read().stamp == 0.3


def test_measurements_keep_no_environment_alive():
    env = load("")
    laser = add_laser(env)
    env.step(0.1)
    data = laser.read()
    gone = weakref.ref(env)
    del env
    gc.collect()
    assert laser.measure().stamp == data.stamp
    del laser
    gc.collect()
    assert gone() is None
    assert data.ranges.any()


def test_attached_laser_moves_with_its_link():
    env = load("""
      <robot name="r"><kinbody><body name="base"/><body name="head"/>
        <joint name="neck" type="hinge"><body>base</body><body>head</body>
          <axis>0 0 1</axis></joint></kinbody>
        <attachedsensor name="eye"><link>head</link><translation>0 0.1 0</translation>
          <sensor type="BaseLaser2D"><minangle>0</minangle><maxangle>0</maxangle>
          </sensor></attachedsensor>
      </robot>""")
    robot = env.robots["r"]
    eye = robot.attached_sensors["eye"]
    assert not eye.sensor.power
    robot.dof_values = [np.pi / 2]
    np.testing.assert_allclose(eye.measure().positions, [[-0.1, 0, 0]], atol=1e-12)
    np.testing.assert_allclose(eye.measure().ranges, [[0, 2, 0]], atol=1e-9)
    eye.sensor.power = True
    env.step(0.01)
    assert eye.read().distances[0] == pytest.approx(2)


@pytest.mark.slow
def test_hooks_import_no_numba():
    code = (
        "import sys, pyrave_sensors.hooks as h\n"
        "h.pyrave_xml_readers()\n"
        "assert not {'numba', 'lxml'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- XML ---------------------------------------------------------------------------

OLD = """<minangle>-45</minangle><maxangle>60</maxangle><resolution>0.5</resolution>
  <minrange>0.1</minrange><maxrange>20</maxrange><scantime>0.2</scantime>
  <time_increment>0.001</time_increment><color>1 0.25 0</color><power>1</power>"""
NEW = OLD.replace("minangle", "min_angle").replace("maxangle", "max_angle")
NEW = NEW.replace("scantime", "time_scan")


@pytest.mark.parametrize("interface", IDS)
@pytest.mark.parametrize("tags", [OLD, NEW, OLD.upper().replace("E-", "e-")])
def test_all_tags_in_both_spellings(interface, tags):
    env = load(f'<sensor type="{interface}" name="s">{tags}</sensor>')
    assert not env.problems
    laser = env.sensors["s"]
    geometry = laser.get_sensor_geometry()
    assert geometry == LaserGeometry(
        color=(1.0, 0.25, 0.0),
        power=True,
        min_angle=np.radians(-45),
        max_angle=np.radians(60),
        resolution=np.radians(0.5),
        min_range=0.1,
        max_range=20.0,
        time_scan=0.2,
        time_increment=0.001,
    )
    assert laser.color == (1, 0.25, 0)
    assert laser.power
    assert len(laser.measure().ranges) == 211


def test_power_of_attached_sensors():
    robot = """<robot name="r"><kinbody><body name="b"/></kinbody>
      <attachedsensor name="a"><link>b</link>
        <sensor type="BaseLaser2D"><power>{}</power></sensor>
      </attachedsensor></robot>"""
    for power in (0, 1):
        env = load(robot.format(power))
        assert env.sensors["r:a"].power == bool(power)


def test_generic_tags_are_known():
    env = load("""<sensor type="BaseLaser2D" name="s"><translation>1 2 3</translation>
      <rotationaxis>0 0 1 90</rotationaxis><maxrange>5</maxrange>
      <sendcommand>render 1</sendcommand></sensor>""")
    assert not env.problems
    laser = env.sensors["s"]
    np.testing.assert_allclose(laser.transform[:3, 3], [1, 2, 3])
    assert laser.configure(ConfigureCommand.RENDER_DATA_CHECK) == 1


def test_surplus_numbers_are_passed_over_as_in_openrave():
    env = load("""<sensor type="BaseLaser2D" name="s"><color>0 .5 1 .2</color>
      <maxrange>5 6</maxrange></sensor>""")
    laser = env.sensors["s"].get_sensor_geometry()
    assert (laser.color, laser.max_range) == ((0, 0.5, 1), 5)
    color, reach = (problem.message for problem in env.problems)
    assert "holds '0 .5 1 .2', expected three numbers; 0 .5 1 is taken" in color
    assert "holds '5 6', expected one number; 5 is taken" in reach


@pytest.mark.parametrize(
    ("tag", "message"),
    [
        ("<maxrange></maxrange>", r"'', expected one number"),
        ("<maxrange>nan</maxrange>", r"'nan', expected one number"),
        ("<color>1 2</color>", r"expected three numbers"),
        ("<minrange>-1</minrange>", r"expected 0 or more"),
        ("<resolution>0</resolution>", r"more than 0 degrees"),
        ("<resolution>1e-9</resolution>", r"rays, at most"),
        (
            "<maxangle>-100</maxangle>",
            r"min_angle -90 is above max_angle -100",
        ),
        ("<minrange>200</minrange>", r"min_range 200 is above max_range 100 .metres."),
        ("<minangl>3</minangl>", r"unknown tag <minangl>.*did you mean <minangle>"),
        ("<zzz/>", r"unknown tag <zzz>.*tags are .* minangle, maxangle"),
    ],
)
def test_mistakes_are_warnings_with_a_place(tag, message):
    text = scene(f'<sensor type="BaseLaser2D" name="s">\n\n{tag}</sensor>')
    env = pyrave.Environment()
    env.load_string(text)
    (problem,) = env.problems
    assert problem.line == text[: text.index("\n\n")].count("\n") + 3
    assert problem.column == 1
    assert problem.hint
    with pytest.raises(SceneError, match=message):
        pyrave.Environment().load_string(text, strict=True)
    plain = env.create("sensor", "BaseLaser2D").get_sensor_geometry()
    assert env.sensors["s"].get_sensor_geometry() == plain


@pytest.mark.parametrize("number", ["1,5", "1_0", "1m"])
def test_a_slip_in_a_number_is_told_and_its_beginning_taken(number):
    text = scene(
        f'<sensor type="BaseLaser2D" name="s"><maxrange>{number}</maxrange></sensor>'
    )
    env = pyrave.Environment()
    env.load_string(text)
    (problem,) = env.problems
    assert f"'{number}', no number as it should be; 1 is taken" in problem.message
    assert env.sensors["s"].get_sensor_geometry().max_range == 1.0
    with pytest.raises(SceneError, match="no number as it should be"):
        pyrave.Environment().load_string(text, strict=True)


def test_readable_writes_back_what_is_set():
    readable = SensorReadable("base_laser2d").saying(
        LaserGeometry(min_angle=np.radians(-45.5), power=False)
    )
    assert readable.to_xml() == XmlElement(
        "sensor",
        (("type", "base_laser2d"),),
        children=(XmlElement("min_angle", text="-45.5"), XmlElement("power", text="0")),
    )
    assert SensorReadable("BaseLaser2D").to_xml().children == ()


@pytest.mark.parametrize("interface", IDS)
def test_readable_survives_reading_its_own_text(interface):
    extra = "<vendor a='1'>text<inner/></vendor>"
    env = load(f'<sensor type="{interface}" name="s">{OLD}{extra}</sensor>')
    readable = env.sensors["s"].readables[interface]
    again = load(_text(readable.to_xml(), name="s")).sensors["s"].readables[interface]
    assert again == readable
    assert again.values["max_angle"] == 60
    assert [element.tag for element in again.extra] == ["vendor"]
    assert [child.tag for child in again.extra[0].children] == ["inner"]


def _text(element, **attributes):
    words = "".join(
        f' {name}="{value}"'
        for name, value in (*element.attributes, *attributes.items())
    )
    inner = "".join(_text(child) for child in element.children)
    return f"<{element.tag}{words}>{element.text}{inner}</{element.tag}>"


def test_changed_geometry_is_kept_for_saving(env):
    laser = add_laser(env, max_range=7.0, min_angle=-1.0)
    readable = laser.readables["BaseLaser2D"]
    assert readable.values["max_range"] == 7
    assert readable.values["min_angle"] == pytest.approx(np.degrees(-1))
    assert "min_range" not in readable.values
    assert laser.get_sensor_geometry().min_angle == -1.0


@pytest.mark.parametrize("interface", IDS)
def test_saved_scenes_have_the_settings(tmp_path, interface):
    extra = "<vendor a='1'>text\n  <inner/>\n</vendor>\n"
    env = load(f'<sensor type="{interface}" name="s">\n{NEW}\n{extra}</sensor>')
    laser = env.sensors["s"]
    laser.change_settings(max_range=3.0)
    env.save(tmp_path / "saved.env.xml")
    twin = pyrave.load(tmp_path / "saved.env.xml").sensors["s"]
    assert twin.readables[interface] == laser.readables[interface]
    assert twin.get_sensor_geometry() == laser.get_sensor_geometry()
    assert twin.get_sensor_geometry().max_range == 3
