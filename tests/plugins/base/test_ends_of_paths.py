"""After a path joints are where it ends; what a path leaves out keeps its command."""

import numpy as np
import pytest
from arm_scenes import arm, path
from physics_scenes import box, run

import pyrave
from pyrave.planning import retime

pytest.importorskip("mujoco")

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0))
"""Of an arm that gravity pulls on."""
SERVOS = {
    "IdealController": 1e-6,
    "ComputedTorqueController": 1e-5,
    "OperationalSpaceController": 1e-5,
    "JointPIDController gravity=1": 5e-3,
    "JointPIDController kp=1000 kd=100 gravity=1": 1e-3,
    "PDDeviceController": 1e-5,
    "PoseDeviceController": 1e-5,
    "SerialDeviceController": 1e-5,
}
"""With how far off the end joints are two seconds later."""


@pytest.mark.parametrize("servo", SERVOS)
def test_joints_arrive_and_stay(servo):
    env, robot = arm(AXES)
    controller = robot.set_controller(servo)
    goal = np.array((0.8, 0.6, -0.5))
    assert controller.set_path(path(env, robot, [[0, 0, 0], goal], 1.0))
    run(env, 3.0)
    assert controller.is_done()
    np.testing.assert_allclose(robot.dof_values, goal, atol=SERVOS[servo])
    np.testing.assert_allclose(robot.dof_velocities, 0.0, atol=0.01)


@pytest.mark.parametrize("servo", SERVOS)
def test_what_stands_is_done_soon(servo):
    """Joints count as standing below 0.01 rad/s, and no later than 0.06 s after."""
    env, robot = arm(AXES)
    controller = robot.set_controller(servo)
    controller.set_path(path(env, robot, [[0, 0, 0], [0.2, 0.1, 0.1]], 0.5))
    waited = 0.0
    for k in range(400):
        env.step(0.01)
        if k >= 50 and np.abs(robot.dof_velocities).max() < 0.01:
            waited += 0.01
        elif not controller.is_done():
            waited = 0.0
        if controller.is_done():
            break
    assert controller.is_done()
    assert waited < 0.075


@pytest.mark.parametrize("servo", SERVOS)
def test_a_joint_left_out_goes_on_as_told(servo):
    env, robot = arm(AXES)
    controller = robot.set_controller(servo)
    controller.set_desired([0.0, 0.3, -0.2])
    run(env, 3.0)
    assert controller.set_path(retime(robot, [[0.0], [0.4]], [0]))
    # as a path, so that the next one has this to keep
    run(env, 3.0)
    assert controller.set_path(retime(robot, [[0.4], [0.1]], [0]))
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, [0.1, 0.3, -0.2], atol=5e-3)


@pytest.mark.parametrize("servo", SERVOS)
def test_a_joint_that_was_told_nothing_stays(servo):
    env, robot = arm(AXES)
    robot.dof_values = [0.0, 0.3, -0.2]
    controller = robot.set_controller(servo)
    assert controller.set_path(retime(robot, [[0.0], [0.4]], [0]))
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, [0.4, 0.3, -0.2], atol=5e-3)


def test_a_clone_keeps_what_is_left_out():
    env, robot = arm(AXES)
    robot.set_controller("JointPIDController", kp=1000, kd=100, gravity=1)
    robot.controller.set_desired([0.0, 0.3, -0.2])
    run(env, 0.1)
    robot.controller.set_path(retime(robot, [[0.0], [0.4]], [0]))
    twin = env.clone()
    for _ in range(100):
        env.step(0.01)
        twin.step(0.01)
        np.testing.assert_array_equal(robot.dof_values, twin.robots[0].dof_values)
    np.testing.assert_allclose(robot.dof_values[1:], [0.3, -0.2], atol=1e-3)


def test_without_physics_joints_left_out_are_left_alone():
    """A script may move them; those that were told something are held there."""
    env, robot = arm(AXES)
    env.physics_engine = ""
    controller = robot.set_controller("IdealController")
    controller.set_path(retime(robot, [[0.0], [0.4]], [0]))
    robot.set_dof_values([0.25], [2])
    env.step(0.01)
    assert robot.dof_values[2] == 0.25
    controller.set_desired([0.4, 0.1, -0.1])
    controller.set_path(retime(robot, [[0.4], [0.0]], [0]))
    robot.set_dof_values([0.25], [2])
    env.step(0.01)
    assert robot.dof_values[1:].tolist() == [0.1, -0.1]


def test_what_others_moved_since_is_where_it_stays():
    """Without physics a robot that was put somewhere does not jump back."""
    for servo in SERVOS:
        env, robot = arm(AXES)
        env.physics_engine = ""
        controller = robot.set_controller(servo)
        controller.set_desired([0.1, 0.1, 0.1])
        run(env, 2.0)
        robot.dof_values = [0.0, 0.5, 0.5]
        controller.set_path(retime(robot, [[0.0], [0.2]], [0]))
        run(env, 2.0)
        np.testing.assert_allclose(robot.dof_values, [0.2, 0.5, 0.5], atol=1e-3)


def test_integrals_and_motors_go_on_with_the_next_command():
    """What holds a joint against gravity is not lost with the first step of a path."""
    for servo in ("JointPIDController kp=500 kd=50 ki=2000", "PDDeviceController"):
        env, robot = arm(AXES)
        controller = robot.set_controller(servo)
        controller.set_desired([0.0, 0.6, 0.0])
        run(env, 6.0)
        controller.set_path(retime(robot, [[0.0], [0.1]], [0]))
        run(env, 0.3)
        assert abs(robot.dof_values[1] - 0.6) < 2e-3, servo


def test_a_queue_ends_for_joints_that_a_path_leaves_out():
    env, robot = arm(AXES)
    queue = robot.set_controller("SerialDeviceController")
    queue.move([0.0, 0.2, 0.0])
    queue.move([0.0, 0.2, 0.3])
    env.step(0.01)
    assert queue.set_path(retime(robot, [[0.0], [0.4]], [0]))
    assert queue.n_waiting == 0
    run(env, 3.0)
    np.testing.assert_allclose(robot.dof_values, [0.4, 0.2, 0.3], atol=1e-3)


@pytest.mark.parametrize(
    "servo", ["OperationalSpaceController", "PoseDeviceController"]
)
def test_goals_of_the_tool_leave_the_gripper_as_it_was_told(servo):
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    env.physics_engine = "mujoco"
    controller = robot.set_controller(servo)
    goal = np.array((0.0, 0.1, 0.0, 1.2, 0.0, 0.9, 0.0, 0.03))
    robot.dof_values = goal
    goal[7] = 0.01
    controller.set_desired(goal)
    run(env, 0.05)
    tool = robot.manipulators[0].transform
    tool[2, 3] += 0.05
    controller.set_pose(tool)
    run(env, 3.0)
    assert robot.dof_values[7] == pytest.approx(0.01, abs=1e-3)
    now = robot.dof_values[1]
    controller.set_path(retime(robot, [[robot.dof_values[0]], [0.2]], [0]))
    run(env, 3.0)
    assert robot.dof_values[7] == pytest.approx(0.01, abs=1e-3)
    assert robot.dof_values[1] == pytest.approx(now, abs=1e-3)


# -- several controllers -----------------------------------------------------------


def multi(robot, *parts):
    """Return a controller of a robot with parts, by their first joints."""
    made = robot.set_controller("GenericMultiController")
    for controller, joints in parts:
        made.attach_controller(controller, joints)
    return made


def test_the_other_controllers_go_on():
    env, robot = arm(AXES)
    pid = "JointPIDController kp=1000 kd=100 gravity=1 hold=0"
    made = multi(robot, (pid, [0, 1]), (pid, [2]))
    made.set_desired([0.0, 0.3, -0.2])
    run(env, 2.0)
    assert made.set_path(retime(robot, [[0.0], [0.4]], [0]))
    run(env, 3.0)
    assert made.is_done()
    np.testing.assert_allclose(robot.dof_values, [0.4, 0.3, -0.2], atol=1e-3)
    made.set_path(None)
    run(env, 0.5)
    assert abs(robot.dof_values[2] + 0.2) > 0.05, "None stops all"


def test_what_has_something_else_to_do_holds_no_path_up():
    """A joint that turns for ever is told so by its own controller."""
    env, robot = arm(AXES, gravity=(0.0, 0.0, 0.0))
    turning = "JointVelocityController"
    made = multi(robot, ("ComputedTorqueController", [0, 1]), (turning, [2]))
    made.controllers[1].set_desired([0.5])
    assert not made.is_done()
    assert made.set_path(retime(robot, [[0.0], [0.4]], [0]))
    run(env, 2.0)
    assert robot.dof_velocities[2] == pytest.approx(0.5, abs=1e-3)
    assert made.is_done()
    twin = env.clone().robots[0].controller
    assert twin.is_done()
    assert not twin.controllers[1].is_done()
    made.reset()
    made.controllers[1].set_desired([0.5])
    assert not made.is_done()


def test_a_part_that_refuses_stops_the_others():
    env, robot = arm(AXES)
    made = multi(robot, ("IdealController", [0, 1]), ("TorqueController", [2]))
    rows = [[0.0, 0.0, 0.0], [0.4, 0.3, -0.2]]
    assert made.set_path(path(env, robot, rows, 1.0)) is False
    assert made.controllers[0].is_done()
    assert made.controllers[0].get_time() == 0.0


# -- grips -------------------------------------------------------------------------


def gripping(controller, limit, mass=0.03):
    """Return a robot whose fingers have closed on a cube, and the cube."""
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    robot.dof_values = [0.0, 0.1, 0.0, 1.2, 0.0, 0.9, 0.0, 0.03]
    limits = robot.dof_torque_limits
    limits[7] = limit
    robot.dof_torque_limits = limits
    robot.dof_acceleration_limits = np.full(robot.dof, 2.0)
    env.physics_engine = "mujoco"
    cube = env.create_body(box("cube", half=(0.015,) * 3, mass=mass))
    robot.set_controller(controller)
    goal = robot.dof_values
    goal[7] = 0.007
    robot.controller.set_desired(goal)
    for _ in range(100):
        cube.transform = robot.manipulators[0].transform
        cube.base_velocity = np.zeros(6)
        env.step(0.01)
    return env, robot, cube


@pytest.mark.parametrize(
    "servo", ["ComputedTorqueController", "OperationalSpaceController"]
)
def test_fingers_squeeze_with_their_torque_limit(servo):
    """A cube of 0.5 kg is lifted; the spring of the law gives 0.1 N."""
    env, robot, cube = gripping(servo, 20.0, mass=0.5)
    run(env, 1.0)  # its weight is found out
    arm = robot.manipulators[0]
    assert robot.controller.get_torque()[7] == pytest.approx(-20.0)
    first = robot.dof_values[:7]
    last = [0.3, 0.1, 0.0, 1.0, 0.0, 0.9, 0.0]
    done = robot.execute(retime(robot, [first, last], range(7)))
    run(env, 1.0)
    assert done, done.cause
    slip = np.linalg.inv(arm.transform) @ cube.transform
    assert np.linalg.norm(slip[:3, 3]) < 5e-3
    twin = env.clone()
    for one in (env, twin):
        run(one, 0.1)
    np.testing.assert_array_equal(
        twin.robots[0].controller.get_torque(), robot.controller.get_torque()
    )
    env.remove(cube)
    run(env, 1.0)
    assert robot.dof_values[7] == pytest.approx(0.007, abs=1e-4), "it is not pushed on"


@pytest.mark.parametrize("limit", [3.0, 40.0])
@pytest.mark.parametrize("servo", ["IdealController", "ComputedTorqueController"])
def test_a_cube_is_carried_through_a_motion(servo, limit):
    """Fingers go on with what they were told, also with their torque limit."""
    env, robot, cube = gripping(servo, limit)
    arm = robot.manipulators[0]
    first = [0.0, 0.1, 0.0, 1.2, 0.0, 0.9, 0.0]
    last = [0.5, 0.1, 0.0, 0.9, 0.0, 0.9, 0.0]
    trajectory = retime(robot, [first, last], range(7))
    done = robot.execute(trajectory)
    run(env, 1.0)
    assert done, done.cause
    slip = np.linalg.inv(arm.transform) @ cube.transform
    assert np.linalg.norm(slip[:3, 3]) < 5e-3
    forces = [
        np.linalg.norm(one.force)
        for one in env.physics_engine.contacts()
        if cube in {one.first.body, one.second.body}
    ]
    assert sum(forces) > 1.0
