"""Joint encoders: which joints, ticks, velocities, noise."""

from __future__ import annotations

import numpy as np
import pytest
from body_sensors import drive, pendulum

import pyrave
from pyrave import ArgumentError
from pyrave_sensors.joint_encoder import JointEncoderGeometry


def test_ticks():
    _, robot, encoder = pendulum("BaseEncoder", "<resolution>0.01</resolution>")
    for angle in (0.0, 0.004, 0.0051, 1.2345, -0.776):
        robot.dof_values = [angle]
        assert encoder.measure().values[0] == pytest.approx(round(angle / 0.01) * 0.01)


def test_offset_comes_before_rounding():
    _, robot, encoder = pendulum(
        "BaseEncoder", "<resolution>0.5</resolution><offset>0.2</offset>"
    )
    robot.dof_values = [0.1]
    assert encoder.measure().values[0] == 0.5


def test_velocity_by_differences_of_ticks():
    """8 rad/s over 3 ms are 24 ticks of a mrad; 0.4 rad/s have one tick or two."""
    env, robot, encoder = pendulum(
        "BaseEncoder",
        "<resolution>0.001</resolution><time_measurement>0.003</time_measurement>",
    )
    drive(env, robot, lambda t: 8 * t, 31, 0.001)
    assert encoder.read().velocities[0] == pytest.approx(8)
    seen = set()
    encoder.register_data_callback(lambda data: seen.add(round(data.velocities[0], 9)))
    start = robot.dof_values[0]
    drive(env, robot, lambda t: start + 0.4 * t, 60, 0.001)
    assert seen <= {round(k / 3, 9) for k in (0, 1, 2)} | {8.0}
    assert len(seen) >= 2


def test_velocity_of_the_robot_where_it_has_one():
    env, robot, encoder = pendulum("BaseEncoder", "<resolution>1</resolution>")
    drive(env, robot, lambda t: t, 5, 0.01, lambda t: 0.123)
    assert encoder.read().velocities[0] == 0.123


def test_measuring_between_steps_keeps_the_velocity():
    env, robot, encoder = pendulum("BaseEncoder")
    drive(env, robot, lambda t: 2 * t, 5, 0.01)
    assert encoder.measure().velocities[0] == pytest.approx(2)
    assert encoder.measure().velocities[0] == pytest.approx(2)
    drive(env, robot, lambda t: 0.1 + 2 * t, 1, 0.01)
    assert encoder.read().velocities[0] == pytest.approx(2)


ARM = """
<environment><robot name="arm"><kinbody>
  <body name="a"/><body name="b"/><body name="c"/><body name="d"/>
  <joint name="j0" type="hinge" circular="true"><body>a</body><body>b</body>
    <axis>0 0 1</axis></joint>
  <joint name="j1" type="slider"><body>b</body><body>c</body><limits>-1 1</limits>
    <axis>0 0 1</axis></joint>
  <joint name="j2" type="hinge" mimic_pos="2*j1"><body>c</body><body>d</body>
    <limits>-9 9</limits><axis>0 0 1</axis></joint>
</kinbody>{sensors}</robot></environment>
"""
SENSOR = (
    "<attachedsensor name='{0}'><link>{1}</link><sensor type='BaseEncoder'>"
    "<power>1</power>{2}</sensor></attachedsensor>"
)


def arm(*sensors, strict=True):
    env = pyrave.Environment()
    text = "".join(SENSOR.format(*one) for one in sensors)
    env.load_string(ARM.format(sensors=text), strict=strict)
    return env, env.robots["arm"]


def test_which_joints():
    _env, robot = arm(
        ("all", "a", ""),
        ("above", "c", ""),
        ("mimic", "d", ""),
        ("named", "a", "<joints>j2 j0</joints>"),
    )
    robot.dof_values = [0.3, 0.5]
    read = {one.name: one.measure().values.tolist() for one in robot.attached_sensors}
    assert read["all"] == [0.3, 0.5]
    assert read["above"] == [0.5]
    assert read["mimic"] == [1.0]
    assert read["named"] == [1.0, 0.3]


def test_turns_are_counted_the_short_way():
    env, robot = arm(("one", "b", ""))
    for k in range(8):
        angle = 3.0 + 0.05 * k
        robot.dof_values = [(angle + np.pi) % (2 * np.pi) - np.pi, 0]
        env.step(0.01)
    assert robot.attached_sensors["one"].read().velocities[0] == pytest.approx(5)


def test_one_number_for_each_joint():
    _env, robot = arm(("one", "a", "<resolution>0.1 0.25</resolution>"))
    robot.dof_values = [0.13, 0.3]
    values = robot.attached_sensors["one"].measure().values
    np.testing.assert_allclose(values, (0.1, 0.25))
    sensor = robot.attached_sensors["one"].sensor
    sensor.set_sensor_geometry(JointEncoderGeometry(resolution=[1.0, 2.0, 3.0]))
    with pytest.raises(ArgumentError, match="2 degrees of freedom got 3 numbers"):
        sensor.measure()
    with pytest.raises(ArgumentError, match=r"resolution is .* expected numbers >= 0"):
        sensor.set_sensor_geometry(JointEncoderGeometry(resolution=[-1.0]))


def test_unknown_joints_are_named():
    env, robot = arm(("one", "a", "<joints>j7</joints>"), strict=False)
    sensor = robot.attached_sensors["one"].sensor
    with pytest.raises(pyrave.NotFoundError, match="j7"):
        sensor.measure()
    env.step(0.01)
    assert sensor.disabled
    assert "arm:one" in str(env.problems[-1])
    assert "j7" in str(env.problems[-1])


def test_standing_alone_it_reads_nothing():
    env = pyrave.Environment()
    encoder = env.create("sensor", "BaseEncoder")
    assert encoder.measure().values.shape == (0,)


def test_noise_has_the_given_deviation_and_seed():
    tags = "<seed>5</seed><position_sigma>0.1</position_sigma>"
    tags += "<velocity_sigma>0.3</velocity_sigma>"
    _env, robot, encoder = pendulum("BaseEncoder", tags)
    robot.dof_values = [1.0]
    data = [encoder.measure() for _ in range(4000)]
    values = np.array([one.values[0] for one in data])
    rates = np.array([one.velocities[0] for one in data])
    assert values.mean() == pytest.approx(1, abs=0.01)
    assert values.std() == pytest.approx(0.1, rel=0.05)
    assert rates.std() == pytest.approx(0.3, rel=0.05)
    _other, robot, twin = pendulum("BaseEncoder", tags)
    robot.dof_values = [1.0]
    assert twin.measure().values[0] == values[0]
    encoder.change_settings(position_sigma=[0.0])
    assert encoder.measure().values[0] == 1.0
