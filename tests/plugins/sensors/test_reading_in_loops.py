"""The loop that everybody writes: move, step, read; of sensors on and off."""

from __future__ import annotations

import numpy as np
import pytest
from physics_scenes import box, floor, world

import pyrave
from pyrave.scene import (
    ContactSensor,
    ForceTorqueSensor,
    LinkReference,
    SimulationDescription,
    TactileArray,
    body_from_boxes,
)

STEP = 0.05
ATTACHED = (
    "BaseActuator",
    "BaseCamera",
    "BaseEncoder",
    "BaseFlashLidar3D",
    "BaseForce6D",
    "BaseIMU",
    "BaseLaser2D",
    "BaseOdometry",
    "BaseSpinningLaser2D",
    "BaseTactile",
    "MultiBeamLidar",
    "StereoCamera",
)
ARM = """<robot name="cart"><kinbody>
  <body name="base"><geom type="box"><extents>.05 .05 .05</extents></geom></body>
  <body name="arm"><offsetfrom>base</offsetfrom>
    <geom type="box"><extents>.05 .05 .05</extents></geom></body>
  <joint name="turn" type="hinge"><body>base</body><body>arm</body></joint>
</kinbody>{}</robot>"""
GAZEBO = """<robot name="cart"><link name="base"/><gazebo reference="base">
<sensor name="eye" type="ray"><always_on>1</always_on><update_rate>100</update_rate>
<ray><scan><horizontal><samples>3</samples><min_angle>-0.1</min_angle>
<max_angle>0.1</max_angle></horizontal></scan>
<range><min>0.01</min><max>30</max></range></ray></sensor></gazebo></robot>"""


def attached(kind, settings=""):
    sensor = (
        f'<attachedsensor name="eye"><link>arm</link><sensor type="{kind}">'
        f"{settings}</sensor></attachedsensor>"
    )
    return ARM.format(sensor)


def looped(env, n=4):
    """Step a cart towards a wall; return stamps, times, and what was read."""
    robot = env.robots[0]
    eye = robot.attached_sensors["eye"]
    wall = env.create_body(body_from_boxes("wall", [(0, 0, 0, 0.1, 5, 5)]))
    wall.transform = [1, 0, 0, 0, 5.1, 0, 0]
    read, times = [], []
    for k in range(n):
        place = robot.transform
        place[0, 3] = 0.5 * k
        robot.transform = place
        env.step(STEP)
        times.append(env.simulation_time)
        read.append(eye.read())
    return times, read


def test_all_sensor_types_are_here():
    """What is registered is in one of the lists below."""
    env = pyrave.Environment()
    known = {name for name in env.registry.ids("sensor") if name != name.lower()}
    scene = {"FTSensor", "BodyContactSensor", "TactileArraySensor"}
    assert known == {*ATTACHED, *scene}


@pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
@pytest.mark.parametrize("kind", ATTACHED)
def test_each_reading_is_of_now(kind, is_on):
    env = pyrave.load_string(attached(kind, "<power>1</power>" if is_on else ""))
    sensor = env.robots[0].attached_sensors["eye"].sensor
    assert sensor.power == is_on
    times, read = looped(env)
    period = int(1e6 * sensor.period)
    for time, data in zip(times, read, strict=True):
        assert time - (period if is_on else 0) <= data.stamp <= time
        assert is_on or data.stamp == time
    if not is_on:
        places = [data.pose[0, 3] for data in read]
        np.testing.assert_allclose(places, [0, 0.5, 1.0, 1.5], atol=1e-12)


def test_a_robot_from_urdf_sees_what_it_drives_to():
    """Its sensors are on, as simulators run them, and measure at their rates."""
    env = pyrave.load_string(GAZEBO)
    eye = env.robots[0].attached_sensors["eye"].sensor
    assert eye.power
    assert eye.period == pytest.approx(0.01)
    times, read = looped(env)
    assert [data.stamp for data in read] == times
    ahead = [data.distances[1] for data in read]
    np.testing.assert_allclose(ahead, [5.0, 4.5, 4.0, 3.5], atol=1e-9)


def test_sensors_of_urdf_stay_on_in_other_formats(tmp_path):
    env = pyrave.load_string(GAZEBO)
    for ending in (".env.xml", ".urdf", ".dae"):
        path = tmp_path / f"cart{ending}"
        env.save(path)
        again = pyrave.load(path).robots[0]
        assert again.attached_sensors["eye"].sensor.power, ending


def test_a_sensor_of_xml_is_off_also_in_urdf_without_a_loss(tmp_path):
    """URDF has no switch; that it is on there is no setting which gets lost."""
    env = pyrave.load_string(attached("BaseLaser2D", "<maxrange>3</maxrange>"))
    assert not env.robots[0].attached_sensors["eye"].sensor.power
    env.save(tmp_path / "cart.urdf")
    assert not any("settings of sensors" in str(one) for one in env.problems)


def test_what_is_off_does_not_remember_how_it_moved():
    """A body that stands where it was when the sensor went off does not move."""
    env = pyrave.load_string(attached("BaseIMU", "<power>1</power>"))
    robot = env.robots[0]
    eye = robot.attached_sensors["eye"]
    for k in range(5):
        robot.dof_values = [2.0 * STEP * k]
        env.step(STEP)
    assert eye.read().angular_velocity[2] == pytest.approx(2.0)
    eye.sensor.power = False
    env.step(STEP)
    assert eye.read().angular_velocity[2] == 0.0
    robot.dof_velocities = [0.7]
    assert eye.read().angular_velocity[2] == pytest.approx(0.7)


@pytest.mark.parametrize("is_on", [True, False], ids=["on", "off"])
def test_sensors_of_scenes_are_read_now(is_on):
    pytest.importorskip("mujoco")
    env = world(floor(), box("cube"))
    env.bodies["cube"].transform = [1, 0, 0, 0, 0, 0, 0.5]
    links = [LinkReference(body.name, body.links[0].name) for body in env.bodies]
    cube = next(link for link in links if link.body == "cube")
    env.simulation = SimulationDescription(
        sensors=(
            ContactSensor("touch", cube),
            ForceTorqueSensor("wrist", links[0], cube, cube),
            TactileArray("skin", cube),
        )
    )
    assert len(env.sensors) == 3
    for sensor in env.sensors:
        sensor.power = is_on
    for _ in range(3):
        env.step(STEP)
        stamps = {sensor.read().stamp for sensor in env.sensors}
        assert stamps == {env.simulation_time}
