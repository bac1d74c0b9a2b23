"""RobWork's controllers of devices: closed forms with and without physics."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from arm_scenes import arm, path
from physics_scenes import run

import pyrave
from pyrave import ArgumentError, StateError
from pyrave.spatial import matrix_from_axis_angle

pytest.importorskip("mujoco")

AXES = ((0, 1, 0), (0, 1, 0), (1, 0, 0))
PHYSICS = pytest.mark.parametrize("physics", [True, False], ids=["pushed", "placed"])


def ready(physics, axes=AXES, **fields):
    env, robot = arm(axes, **fields)
    if not physics:
        env.physics_engine = ""
    return env, robot


@PHYSICS
def test_pd_drives_motors_by_the_error(physics):
    """dq/dt = kp (goal - q): an exponential, below the velocity limit."""
    env, robot = ready(physics)
    controller = robot.set_controller("PDDeviceController", kp=4, kd=0)
    goal = np.array((0.6, -0.4, 0.3))
    controller.set_desired(goal)
    run(env, 0.1, dt=0.002)
    for k in range(1, 300):
        before = robot.dof_values
        env.step(0.002)
        rates = (robot.dof_values - before) / 0.002
        if k % 50 == 0:
            np.testing.assert_allclose(rates, 4 * (goal - robot.dof_values), atol=0.02)
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, goal, atol=2e-3)
    assert controller.is_done()


@PHYSICS
def test_pd_keeps_to_velocity_limits_and_holds(physics):
    env, robot = ready(physics)
    robot.dof_velocity_limits = [0.5, 1.0, 1.0]
    controller = robot.set_controller("PDDeviceController", kp=50)
    robot.dof_values = start = np.array((0.3, 0.2, -0.1))
    run(env, 1.0)
    np.testing.assert_allclose(robot.dof_values, start, atol=2e-3)
    controller.set_desired([2.0, 0.2, -0.1])
    run(env, 0.5)
    before = robot.dof_values[0]
    run(env, 1.0)
    assert robot.dof_values[0] - before == pytest.approx(0.5, abs=0.005)


@PHYSICS
@pytest.mark.parametrize("name", ["PDDeviceController", "SerialDeviceController"])
def test_trajectories_are_followed(physics, name):
    env, robot = ready(physics)
    controller = robot.set_controller(f"{name} kp=20")
    made = path(env, robot, [[0, 0, 0], [0.5, -0.7, 0.4], [1.0, -0.2, 0.1]], 3.0)
    assert controller.set_path(made)
    for k in range(1, 301):
        env.step(0.01)
        if k % 20 == 0:
            at = made.sample(0.01 * k)
            wanted = made.spec.extract_joint_values(at, robot, range(3))
            np.testing.assert_allclose(robot.dof_values, wanted, atol=0.02)
    assert controller.get_time() == pytest.approx(3.0)
    run(env, 1.0)
    assert controller.is_done()


@PHYSICS
def test_the_tool_goes_to_a_pose(physics):
    """Its error decays with the gain, below the speed."""
    env, robot = ready(physics, axes=((0, 1, 0), (0, 1, 0), (0, 1, 0)))
    controller = robot.set_controller("PoseDeviceController", gain=8, speed=0.4)
    robot.dof_acceleration_limits = [100.0] * 3
    start = np.array((0.5, -0.9, 0.7))
    robot.dof_values = start
    env.step(0.01)
    link = robot.links[-1]
    goal = link.transform
    goal[:3, 3] += 0.3, 0.0, 0.1
    goal[:3, :3] = matrix_from_axis_angle((0, 0.4, 0)) @ goal[:3, :3]
    controller.set_pose(goal)
    run(env, 0.3)
    before = link.transform[:3, 3]
    run(env, 0.2)
    speed = np.linalg.norm(link.transform[:3, 3] - before) / 0.2
    assert speed == pytest.approx(0.4, rel=0.05)
    run(env, 5.0)
    np.testing.assert_allclose(link.transform, goal, atol=2e-3)
    assert controller.is_done()


def test_the_tool_keeps_to_limits_of_joints():
    """Where one joint is at its limit the others make up for it."""
    env, robot = ready(False, axes=((0, 1, 0),) * 4)
    robot.dof_acceleration_limits = [100.0] * 4
    controller = robot.set_controller("PoseDeviceController", gain=3)
    robot.dof_values = [0.5, -0.9, 0.7, 0.4]
    limits = [-3, -3, -3, 0.35], [3, 3, 3, 0.45]
    robot.dof_limits = limits
    goal = robot.links[-1].transform
    goal[:3, 3] += 0.2, 0.0, 0.1
    controller.set_pose(goal)
    for _ in range(600):
        env.step(0.01)
        assert (robot.dof_values <= np.array(limits[1]) + 1e-9).all()
        assert (robot.dof_values >= np.array(limits[0]) - 1e-9).all()
    np.testing.assert_allclose(robot.links[-1].transform, goal, atol=1e-3)


@PHYSICS
def test_motions_are_queued(physics):
    """A cubic from rest to rest: 1.5 times the way by the limit, half at half time."""
    env, robot = ready(physics)
    robot.dof_velocity_limits = [1.0, 2.0, 2.0]
    controller = robot.set_controller("SerialDeviceController")
    env.step(0.01)
    controller.move([1.0, 0.0, 0.0], speed=50)
    controller.move([1.0, -0.5, 0.4])
    run(env, 1.5)
    assert robot.dof_values[0] == pytest.approx(0.5, abs=0.02)
    assert robot.dof_velocities[0] == pytest.approx(0.5, abs=0.02), "half of the limit"
    run(env, 1.52)
    assert robot.dof_values[0] == pytest.approx(1.0, abs=0.02)
    assert controller.n_waiting == 1
    run(env, 1.0)
    np.testing.assert_allclose(robot.dof_values, [1.0, -0.5, 0.4], atol=5e-3)
    assert controller.is_done()
    assert controller.n_waiting == 0


def test_the_tool_follows_a_line():
    env = pyrave.load("robots/arms/iiwa14.robot.xml")
    robot = env.robots[0]
    manipulator = robot.manipulators[0]
    start = np.array((0.3, 0.5, 0.2, -1.2, 0.1, 0.8, 0.2))[: robot.dof]
    robot.set_dof_values(start, range(len(start)))
    controller = robot.set_controller("SerialDeviceController")
    first = manipulator.transform
    goal = first.copy()
    goal[:3, 3] += 0.0, 0.1, 0.1
    controller.move_line(goal, 50, manipulator)
    direction = (goal - first)[:3, 3] / math.hypot(0.1, 0.1)
    while not controller.is_done():
        env.step(0.01)
        way = manipulator.transform[:3, 3] - first[:3, 3]
        assert np.linalg.norm(way - (way @ direction) * direction) < 1e-3
    np.testing.assert_allclose(manipulator.transform, goal, atol=2e-3)
    far = goal.copy()
    far[0, 3] += 9.0
    with pytest.raises(StateError, match="no way along the line"):
        controller.move_line(far, 50, manipulator)
    assert controller.n_waiting == 0


def test_springs():
    """A damped oscillator around the offset."""
    inertia, k, d, offset = 1.0, 30.0, 2.0, -0.25
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, inertia))
    robot.set_controller(
        f"SpringJointController elasticity={-k} damping={-d} offset={offset}"
    )
    s = 0.5 * d / inertia
    w = math.sqrt(k / inertia - s * s)
    for step in range(1, 1001):
        env.step(0.001)
        t = 0.001 * step
        swing = math.exp(-s * t) * (math.cos(w * t) + s / w * math.sin(w * t))
        assert robot.dof_values[0] == pytest.approx(0.25 * (1 - swing), abs=4e-3)


def test_stiff_springs_are_stable():
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, 1e-3), mass=1e-3)
    robot.set_controller(
        "SpringJointController", elasticity=-1000, damping=-1, offset=0
    )
    robot.dof_values = [0.4]
    run(env, 1.0, dt=0.02)
    assert abs(robot.dof_values[0]) < 1e-3


def test_springs_need_an_engine():
    env, robot = ready(False)
    controller = robot.set_controller("SpringJointController", elasticity=-9, offset=1)
    run(env, 0.1)
    assert not robot.dof_values.any()
    assert not controller.get_torque().any()


@pytest.mark.parametrize(
    "control",
    [
        "PDDeviceController period=0.03",
        "PoseDeviceController",
        "SerialDeviceController",
        "SpringJointController elasticity=-9",
    ],
)
@PHYSICS
def test_copies_go_on_alike(control, physics):
    env, robot = ready(physics)
    robot.dof_values = [0.3, 0.4, 0.2]
    robot.set_controller(control).set_desired([0.5, -0.2, 0.4])
    run(env, 0.2)
    again = pickle.loads(pickle.dumps(env))  # noqa: S301 - made here
    copies = [env.clone(), again]
    for one in (env, *copies):
        run(one, 0.3)
    for one in copies:
        # poses of links, by which tools go, are computed anew in a copy
        np.testing.assert_allclose(
            one.robots[0].dof_values, robot.dof_values, rtol=0, atol=1e-13
        )


def test_parts_of_a_copied_multi_controller_do_not_stop_joints():
    env, robot = ready(physics=True)
    multi = robot.set_controller("GenericMultiController")
    multi.attach_controller("PDDeviceController", [0, 1])
    multi.attach_controller("SerialDeviceController", [2])
    multi.set_desired([0.4, -0.3, 0.2])
    run(env, 0.2)
    copies = [env.clone(), pickle.loads(pickle.dumps(env))]  # noqa: S301 - made here
    for one in (env, *copies):
        run(one, 0.2)
    for one in copies:
        other = one.robots["chain"]
        np.testing.assert_array_equal(other.dof_values, robot.dof_values)


def test_wrong_inputs():
    env, robot = ready(True)
    serial = robot.set_controller("SerialDeviceController")
    for speed in (0, -3, 101, math.nan):
        with pytest.raises(ArgumentError, match="speed"):
            serial.move([0, 0, 0], speed)
    with pytest.raises(ArgumentError, match="values of a motion"):
        serial.move([0, 0])
    with pytest.raises(ArgumentError, match="the path is 'x', expected a trajectory"):
        serial.set_path("x")
    with pytest.raises(StateError, match="no manipulator"):
        serial.move_line(np.eye(4))
    assert serial.is_done()
    robot.dof_velocity_limits = [0.0, 1.0, 1.0]
    with pytest.raises(ArgumentError, match="velocity limit 0"):
        serial.move([1, 0, 0])
    pose = robot.set_controller("PoseDeviceController")
    with pytest.raises(ArgumentError, match="pose"):
        pose.set_pose(np.eye(3))
    with pytest.raises(pyrave.Error, match=r"from -1e\+12 to 1e\+12 N m s"):
        env.create("controller", "SpringJointController damping=inf")


def test_springs_change_before_they_have_joints():
    env = pyrave.Environment()
    spring = env.create("controller", "SpringJointController")
    spring.change_settings(elasticity=(-1.0, -2.0))
    assert spring.settings.elasticity == (-1.0, -2.0)
