"""Actuators: torque, current, saturation, heat, states."""

from __future__ import annotations

import math

import numpy as np
import pytest
from body_sensors import drive, pendulum

import pyrave
from pyrave import ActuatorState, ArgumentError

WEIGHT = 2.0 * 9.797930195020351
MOTOR = "<gear_ratio>100</gear_ratio><torque_constant>0.05</torque_constant>"
JOINTS_OWN = """<actuator type="electric_motor"><gear_ratio>50</gear_ratio>
<torque_constant>0.1</torque_constant><starting_current>3</starting_current>
<coloumb_friction>0.7</coloumb_friction><viscous_friction>0.2</viscous_friction>
<rotor_inertia>0.001</rotor_inertia><terminal_resistance>2</terminal_resistance>
</actuator>"""


def test_holding_a_weight():
    """Level, the weight of 2 kg at 0.3 m turns with +y; the motor holds against it."""
    _env, _robot, sensor = pendulum("BaseActuator", MOTOR)
    data = sensor.measure()
    assert data.torque == pytest.approx(-WEIGHT * 0.3)
    assert data.applied_current == pytest.approx(-WEIGHT * 0.3 / 5)
    assert data.measured_current == data.applied_current
    assert data.measured_temperature == 25
    assert data.state is ActuatorState.IDLE


def test_moving_with_friction_and_rotor():
    """Everything that the motor has to give, against the sum in closed form."""
    env, robot, sensor = pendulum("BaseActuator", joint=JOINTS_OWN)
    t = drive(env, robot, lambda t: t + 2 * t * t, 10, 0.01)
    data = sensor.read()
    rate, bend = 1 + 4 * t, 4.0
    inertia = 0.2 + 2 * (0.3**2 + 0.1**2)
    angle = t + 2 * t * t
    arm = 0.3 * np.cos(angle) + 0.1 * np.sin(angle)
    load = inertia * bend - WEIGHT * arm
    wanted = load + 0.7 + 0.2 * rate + 50**2 * 0.001 * bend
    assert data.torque == pytest.approx(wanted, rel=1e-6)
    assert data.applied_current == pytest.approx(wanted / 5, rel=1e-6)
    assert data.state is ActuatorState.MOVING


def test_the_sensor_s_own_values_win():
    _env, _robot, sensor = pendulum(
        "BaseActuator",
        "<gear_ratio>10</gear_ratio><maxcurrent>9</maxcurrent>",
        joint=JOINTS_OWN,
    )
    assert sensor.measure().applied_current == pytest.approx(-WEIGHT * 0.3 / 1)


def test_saturation_and_stall():
    """3 A through 50 x 0.1 are 15 N m; 1 A is less than the weight needs."""
    _env, _robot, sensor = pendulum("BaseActuator", joint=JOINTS_OWN)
    assert sensor.measure().state is ActuatorState.IDLE
    sensor.change_settings(maximum_current=1.0)
    data = sensor.measure()
    assert data.applied_current == pytest.approx(-1)
    assert data.torque == pytest.approx(-5)
    assert data.state is ActuatorState.STALLED
    sensor.change_settings(maximum_current=0.0, maximum_torque=2.0)
    assert sensor.measure().torque == pytest.approx(-2)


@pytest.mark.parametrize("where", ["sensor", "joint"])
@pytest.mark.parametrize("start", [-6.0, -3.0, 0.0, 4.8, 6.0])
def test_the_voltage_limits_a_motor_that_turns(where, start):
    """24 V less what is induced, through 4 ohms: a straight line through no load."""
    values = """<gear_ratio>50</gear_ratio><torque_constant>0.1</torque_constant>
    <terminal_resistance>4</terminal_resistance><nominal_voltage>24</nominal_voltage>"""
    own = f"<actuator type='electric_motor'>{values}</actuator>"
    # a rotor so heavy that no motor turns it as asked
    env, robot, sensor = pendulum(
        "BaseActuator",
        "<rotor_inertia>100</rotor_inertia>" + (values if where == "sensor" else ""),
        joint=own if where == "joint" else "",
    )
    sign = math.copysign(1.0, start)
    t = drive(env, robot, lambda t: start * t + sign * 0.5 * t * t, 10, 0.01)
    data = sensor.read()
    current = (sign * 24 - 0.1 * 50 * (start + sign * t)) / 4
    assert data.applied_current == pytest.approx(current, rel=1e-6)
    assert data.torque == pytest.approx(current * 5, rel=1e-6)


def test_unknown_motors_have_no_current():
    _env, _robot, sensor = pendulum("BaseActuator")
    data = sensor.measure()
    assert math.isnan(data.applied_current)
    assert math.isnan(data.measured_current)
    assert data.torque == pytest.approx(-WEIGHT * 0.3)
    tags = "<maxtorque>20</maxtorque><maxcurrent>4</maxcurrent>"
    _env, _robot, sensor = pendulum("BaseActuator", tags)
    assert sensor.measure().applied_current == pytest.approx(-WEIGHT * 0.3 / 5)


def test_rounding_and_noise():
    tags = MOTOR + "<current_resolution>0.25</current_resolution>"
    _env, _robot, sensor = pendulum("BaseActuator", tags)
    assert sensor.measure().measured_current == -1.25
    sensor.change_settings(current_resolution=0.0, current_sigma=0.1)
    data = [sensor.measure() for _ in range(1500)]
    assert np.std([one.measured_current for one in data]) == pytest.approx(0.1, rel=0.1)
    assert len({one.applied_current for one in data}) == 1


@pytest.mark.parametrize("dt", [0.1, 1.0])
def test_heat(dt):
    """I^2 R through a thermal resistance, whatever the step; cold when switched on."""
    tags = MOTOR + "<terminal_resistance>8</terminal_resistance>"
    tags += "<thermal_resistance>5</thermal_resistance>"
    tags += "<thermal_time_constant>20</thermal_time_constant>"
    tags += "<ambient_temperature>18</ambient_temperature>"
    env, _robot, sensor = pendulum("BaseActuator", tags)
    for _ in range(round(10 / dt)):
        env.step(dt)
    final = (WEIGHT * 0.3 / 5) ** 2 * 8 * 5
    wanted = 18 + final * (1 - np.exp(-10 / 20))
    assert sensor.read().measured_temperature == pytest.approx(wanted)
    twin = env.clone()
    for one in (env, twin):
        one.step(dt)
    first, second = (
        one.robots[0].attached_sensors[0].read().measured_temperature
        for one in (env, twin)
    )
    assert first == second > wanted
    sensor.power = False
    sensor.power = True
    assert sensor.measure().measured_temperature == 18


def test_held_bodies_are_lifted_too():
    load = """<kinbody name="load"><translation>0.5 0 0</translation>
    <body name="load" type="dynamic"><geom type="box"><extents>.01 .01 .01</extents>
    </geom><mass type="custom"><total>3</total></mass></body></kinbody>"""
    env, robot, sensor = pendulum("BaseActuator", MOTOR, more=load)
    robot.grab(env.bodies["load"], robot.links["arm"])
    wanted = -WEIGHT * 0.3 - 3 * 9.797930195020351 * 0.5
    assert sensor.measure().torque == pytest.approx(wanted)


def test_named_joint():
    _env, _robot, sensor = pendulum("BaseActuator", "<joint>swing</joint>", link="base")
    assert sensor.joint.name == "swing"
    _env, _robot, sensor = pendulum("BaseActuator", link="base")
    assert sensor.joint is None
    assert sensor.measure().state is ActuatorState.UNDEFINED


def test_joints_without_a_motor():
    env = pyrave.Environment()
    env.load_string("""<environment><robot name="r"><kinbody><body name="a"/>
    <body name="b"/><joint name="u" type="universal"><body>a</body><body>b</body>
    <axis1>1 0 0</axis1><axis2>0 1 0</axis2></joint></kinbody>
    <attachedsensor name="s"><link>b</link><sensor type="BaseActuator"/>
    </attachedsensor></robot></environment>""")
    with pytest.raises(ArgumentError, match="has 2 degrees of freedom and is active"):
        env.robots["r"].attached_sensors["s"].measure()


def test_what_an_engine_pushes_with_is_measured():
    """At its limit the robot needs no torque, but the motor pushes all the same."""
    pytest.importorskip("mujoco")
    env, robot, sensor = pendulum("BaseActuator", MOTOR)
    robot.links[0].static = True
    env.physics_engine = "mujoco"
    robot.dof_limits = [-3.0], [0.0]
    robot.dof_values = [0.0]
    robot.set_controller("JointPIDController", kp=100, kd=10)
    robot.controller.set_desired([0.5])
    for _ in range(100):
        env.step(0.01)
    pushed = 100.0 * (0.5 - robot.dof_values[0])
    assert sensor.measure().torque == pytest.approx(pushed, rel=1e-3)
    assert pushed > 40.0
