"""Controllers that push joints: closed forms, limits, loads, wrong inputs, copies."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from arm_scenes import arm, path
from physics_scenes import box, motor, run

import pyrave
from pyrave import ArgumentError

pytest.importorskip("mujoco")


# -- PID ---------------------------------------------------------------------------


def test_pd_is_a_damped_oscillator():
    """x = exp(-s t) (cos w t + s/w sin w t) for a step from rest."""
    inertia, kp, kd = 1.1, 40.0, 3.0
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, inertia))
    robot.set_controller("JointPIDController", kp=kp, kd=kd)
    robot.controller.set_desired([0.4])
    s = 0.5 * kd / inertia
    w = math.sqrt(kp / inertia - s * s)
    for k in range(1, 1001):
        env.step(0.001)
        t = 0.001 * k
        x = 0.4 * (1 - math.exp(-s * t) * (math.cos(w * t) + s / w * math.sin(w * t)))
        assert robot.dof_values[0] == pytest.approx(x, abs=4e-3)


def test_a_command_is_done_once_the_joints_stand():
    """Not while they swing to and fro about its end."""
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 1.1))
    controller = robot.set_controller("JointPIDController", kp=40.0, kd=3.0)
    controller.set_desired([0.4])
    rates = []
    while not controller.is_done():
        env.step(0.01)
        rates.append(abs(robot.dof_velocities[0]))
        assert len(rates) < 1000
    assert max(rates[:-5]) > 0.5
    assert max(rates[-5:]) < 0.01


def test_pd_sags_and_integral_and_gravity_do_not():
    """kp (goal - q) = m g l sin q at rest."""
    goal, sags = 1.0, []
    for args in ("kp=100", "kp=100 ki=300", "kp=100 gravity=1"):
        env, robot = arm()
        robot.set_controller(f"JointPIDController kd=20 {args}")
        robot.controller.set_desired([goal])
        run(env, 5.0)
        assert robot.controller.is_done()
        sags.append(goal - robot.dof_values[0])
    rest = goal - sags[0]
    assert 100 * sags[0] == pytest.approx(9.81 * math.sin(rest), rel=1e-3)
    assert abs(sags[1]) < 1e-3
    assert abs(sags[2]) < 1e-6


def test_stiff_gains_are_stable_in_long_steps():
    """A plain law is unstable above kd dt / I = 2: here it is 100."""
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 0.01), mass=0.01)
    robot.set_controller("JointPIDController", kp=1e4, kd=200)
    robot.controller.set_desired([0.5])
    run(env, 2.0, dt=0.02)
    assert robot.dof_values[0] == pytest.approx(0.5, abs=1e-3)


def test_torque_limits_clip():
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 1.0))
    robot.dof_torque_limits = [3.0]
    controller = robot.set_controller("JointPIDController", kp=1e5)
    controller.set_desired([3.0])
    run(env, 0.5)
    np.testing.assert_allclose(controller.get_torque(), [3.0])
    assert robot.dof_velocities[0] == pytest.approx(3.0 * 0.5 / 1.0, rel=1e-6)


# -- trajectories ------------------------------------------------------------------


@pytest.mark.parametrize(
    "control",
    ["JointPIDController kp=2e3 kd=300 gravity=1", "ComputedTorqueController"],
)
def test_a_trajectory_is_the_same_with_and_without_physics(control):
    reached = []
    for physics in (True, False):
        env, robot = arm(((0, 1, 0), (0, 1, 0), (1, 0, 0)))
        if not physics:
            env.physics_engine = ""
        controller = robot.set_controller(control)
        rows = [[0, 0, 0], [0.5, -0.7, 0.4], [1.0, -0.2, 0.1]]
        assert controller.set_path(path(env, robot, rows, 3.0))
        states = []
        for _ in range(300):
            env.step(0.01)
            states.append(robot.dof_values)
        assert controller.get_time() == pytest.approx(3.0)
        run(env, 1.0)
        assert controller.is_done()
        reached.append(states)
    error = np.abs(np.subtract(*reached)).max()
    assert error < (0.05 if "PID" in control else 5e-4)


def test_computed_torque_decouples():
    """Errors decay as (1 + w t) exp(-w t), whatever the other joints do."""
    env, robot = arm(((0, 1, 0), (0, 1, 0), (1, 0, 0)))
    robot.set_controller("ComputedTorqueController", kp=100, kd=20)
    start, goal = np.array((0.3, -1.0, 0.8)), np.array((1.0, 0.5, -0.4))
    robot.dof_values = start
    robot.controller.set_desired(goal)
    for k in range(1, 801):
        env.step(0.001)
        t = 0.001 * k
        left = (1.0 + 10.0 * t) * math.exp(-10.0 * t)
        np.testing.assert_allclose(
            robot.dof_values, goal + left * (start - goal), atol=5e-3
        )


def test_what_is_held_counts():
    env, robot = arm()
    body = env.create_body(box("load", (0, 0, -1.2), (0.05, 0.05, 0.05), mass=8.0))
    robot.grab(body, robot.links[-1])
    robot.set_controller("ComputedTorqueController")
    robot.controller.set_desired([1.0])
    run(env, 3.0)
    assert robot.dof_values[0] == pytest.approx(1.0, abs=1e-4)
    torque = 9.81 * math.sin(1.0) * (1.0 + 8.0 * 1.2)
    assert robot.controller.get_torque()[0] == pytest.approx(torque, rel=1e-3)


# -- velocities and torques --------------------------------------------------------


def test_velocities_come_as_a_text():
    """OpenRAVE's name of the command, and a word for each joint."""
    _, robot = arm(actuator=motor())
    controller = robot.set_controller("odevelocity")
    assert controller.send_command("setvelocity 0.5") == ""
    assert list(controller.get_velocity()) == [0.5]
    with pytest.raises(ArgumentError, match="2"):
        controller.send_command("setvelocity 0.5 0.5")
    with pytest.raises(pyrave.CommandError, match="velocities"):
        controller.send_command("setvelocity fast")


def test_velocity_under_load():
    """The motor keeps its speed against gravity, dry friction and a payload."""
    actuator = motor(coloumb_friction=2.0)
    env, robot = arm(actuator=actuator)
    body = env.create_body(box("load", (0, 0, -1.2), (0.05, 0.05, 0.05), mass=5.0))
    robot.grab(body, robot.links[-1])
    controller = robot.set_controller("odevelocity")
    controller.set_desired([0.5])
    run(env, 0.2)
    before = robot.dof_values[0]
    run(env, 1.0)
    assert robot.dof_values[0] - before == pytest.approx(0.5, rel=2e-3)
    assert not controller.is_done()
    controller.set_desired([0.0])
    run(env, 0.2)
    held = robot.dof_values[0]
    run(env, 1.0)
    assert robot.dof_values[0] == pytest.approx(held, abs=1e-3)
    assert controller.is_done()
    controller.reset()
    run(env, 0.1)
    assert abs(robot.dof_velocities[0]) > 0.3, "reset lets go"


def test_velocity_stops_at_something_stronger():
    env, robot = arm(((0, 0, 1),))
    robot.dof_torque_limits = [2.0]
    robot.dof_limits = [-1.0], [0.3]
    controller = robot.set_controller("JointVelocityController")
    controller.set_desired([1.0])
    run(env, 2.0)
    assert robot.dof_values[0] == pytest.approx(0.3, abs=0.02)
    assert abs(controller.get_torque()[0]) <= 2.0


def test_torques_accelerate():
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 0.5))
    controller = robot.set_controller("TorqueController")
    assert controller.is_done()
    assert controller.set_desired([3.0])
    run(env, 1.0)
    assert robot.dof_velocities[0] == pytest.approx(6.0, rel=1e-6)
    assert not controller.is_done()
    controller.reset()
    run(env, 0.5)
    assert robot.dof_velocities[0] == pytest.approx(6.0, rel=1e-6)


@pytest.mark.parametrize("name", ["JointPIDController", "ComputedTorqueController"])
def test_joints_without_a_command_are_held_where_they_are(name):
    env, robot = arm(((0, 0, 1), (0, 0, 1)))
    robot.dof_values = [0.4, -0.7]
    held = robot.set_controller(name)
    run(env, 0.1)
    assert held.is_done()
    robot.links[2].set_force((5.0, 0.0, 0.0), robot.links[2].global_com)
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, [0.4, -0.7], atol=1e-3)
    held.reset()
    robot.dof_velocities = np.zeros(2)
    robot.dof_values = [1.0, 0.2]
    run(env, 1.0)
    np.testing.assert_allclose(robot.dof_values, [1.0, 0.2], atol=1e-6)


@pytest.mark.parametrize(
    "name",
    ["JointPIDController", "ComputedTorqueController", "OperationalSpaceController"],
)
def test_hold_0_leaves_joints_to_gravity_until_there_is_a_command(name):
    env, robot = arm()
    controller = robot.set_controller(f"{name} hold=0")
    for _ in range(2):
        robot.dof_values, robot.dof_velocities = [1.0], [0.0]
        run(env, 0.1)
        assert robot.dof_values[0] < 0.99
        controller.set_desired([1.0])
        run(env, 0.1)
        controller.reset()


def test_a_law_that_acts_once_in_a_long_step_is_told_once(caplog):
    env, robot = arm(((0, 0, 1),))
    robot.set_controller("ComputedTorqueController")
    env.step(0.05)
    assert not caplog.records
    env.step(0.5)
    env.step(0.5)
    (record,) = caplog.records
    assert "the same efforts during a whole step of 0.5 s" in record.getMessage()


# -- elsewhere ---------------------------------------------------------------------


def test_torques_need_an_engine(caplog):
    env, robot = arm()
    env.physics_engine = ""
    controller = robot.set_controller("TorqueController")
    assert not controller.set_desired([1.0])
    assert "applies none" in caplog.text


def test_torques_rest_while_no_engine_applies_them():
    env, robot = arm()
    controller = robot.set_controller("TorqueController")
    controller.set_desired([3.0])
    run(env, 0.01)
    engine = env.physics_engine
    env.physics_engine = ""
    run(env, 0.01)
    assert controller.get_torque() == 0.0
    env.physics_engine = engine
    run(env, 0.01)
    assert controller.get_torque() == 3.0
    assert env.problems == ()


def test_kinematic_links_are_placed():
    env, robot = arm()
    robot.links[1].kinematic = True
    robot.set_controller("JointPIDController")
    robot.controller.set_desired([0.7])
    env.step(0.01)
    assert robot.dof_values[0] == 0.7


def test_parts_of_a_multi_controller_push():
    env, robot = arm(((0, 1, 0), (0, 1, 0)))
    multi = robot.set_controller("GenericMultiController")
    multi.attach_controller("JointPIDController kp=400 kd=40 gravity=1", [0])
    multi.attach_controller("ComputedTorqueController", [1])
    multi.set_desired([0.4, -0.3])
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, [0.4, -0.3], atol=0.01)


@pytest.mark.parametrize(
    "control",
    [
        "JointPIDController kp=80 ki=20",
        "ComputedTorqueController",
        "JointVelocityController",
        "TorqueController",
    ],
)
def test_copies_go_on_alike(control):
    env, robot = arm(((0, 1, 0), (0, 1, 0)))
    robot.set_controller(control).set_desired([0.3, -0.2])
    run(env, 0.2)
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    copies = [env.clone(), again]
    for one in (env, *copies):
        run(one, 0.3)
    for one in copies:
        other = one.robots["chain"]
        np.testing.assert_array_equal(other.dof_values, robot.dof_values)
        np.testing.assert_array_equal(
            other.controller.get_torque(), robot.controller.get_torque()
        )


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("gain=3", "has no setting 'gain'; settings: hold, kp, kd, ki, gravity"),
        ("kp", "has the word 'kp' behind its id"),
        ("kp=-1", "expected one number or one for each joint from 0 to 1e.12 N m"),
        ("kp=inf", "expected one number or one for each joint from 0 to 1e.12 N m"),
        ("kp=1e300", "expected one number or one for each joint from 0 to 1e.12 N m"),
        ("kp=1,x", "expected one number or one for each joint from 0 to 1e.12 N m"),
        ("kp=1 kd=2 kp=3", "two settings 'kp'"),
        ("kp=1,2,3", "3 values of 'kp', expected one, or one for each of its 2"),
    ],
)
def test_wrong_gains(args, says):
    _, robot = arm(((0, 1, 0), (0, 1, 0)))
    with pytest.raises(pyrave.Error, match=says):
        robot.set_controller(f"JointPIDController {args}")


def test_gains_for_each_joint_in_a_file():
    joint = '<joint name="{}" type="hinge"><axis>0 0 1</axis>{}</joint>'
    joints = joint.format("x", "<body>a</body><body>b</body>")
    joints += joint.format("y", "<body>b</body><body>c</body>")
    env = pyrave.Environment()
    env.load_string(f"""<environment><robot name="r"><kinbody>
      <body name="a"/><body name="b"/><body name="c"/>{joints}</kinbody>
      <controller type="JointPIDController kp=1,2 kd=3"/></robot></environment>""")
    assert env.problems == ()
    controller = env.robots["r"].controller
    assert controller.settings.kp == (1.0, 2.0)
    assert controller.id_words == ("kp=1,2", "kd=3")


def test_the_base_is_not_driven():
    _, robot = arm()
    for name in ("JointPIDController", "TorqueController", "odevelocity"):
        controller = robot.set_controller(name)
        with pytest.raises(ArgumentError, match="transform"):
            controller.set_desired([0.0], np.eye(4))


@pytest.mark.parametrize(
    "control", ["JointPIDController kp=1e4 kd=1e3", "JointVelocityController"]
)
def test_what_gives_way_makes_nothing_unstable(control):
    """A light base that floats, and joints that nobody drives."""
    env, robot = arm(((0, 1, 0), (0, 1, 0)), static=False, gravity=(0, 0, 0))
    controller = robot.set_controller(control, [1])
    controller.set_desired([0.5])
    run(env, 2.0)
    if "PID" in control:
        assert robot.dof_values[1] == pytest.approx(0.5, abs=1e-3)
    else:
        assert robot.dof_velocities[1] == pytest.approx(0.5, abs=1e-3)
    assert np.abs(robot.base_velocity).max() < 5.0
