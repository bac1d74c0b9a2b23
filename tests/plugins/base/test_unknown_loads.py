"""Dry friction, and loads of which the model knows nothing, leave joints where told."""

import numpy as np
import pytest
from arm_scenes import arm, path
from physics_scenes import motor, run

import pyrave
from pyrave.scene import (
    Inertial,
    JointAxis,
    JointDescription,
    LinkDescription,
    RobotDescription,
)
from pyrave.testing.scene import failures

pytest.importorskip("mujoco")

AXES = ((0, 0, 1), (0, 1, 0), (0, 1, 0))
FREE = (0.0, 0.0, 0.0)


def pushed(env, robot, torque, seconds):
    """Let time pass while something turns the last link about y."""
    for _ in range(round(seconds / 0.01)):
        robot.links[-1].set_torque([0.0, torque, 0.0])
        env.step(0.01)


@pytest.mark.parametrize(
    ("servo", "offset"),
    [
        ("ComputedTorqueController", 1e-3),
        ("OperationalSpaceController", 1e-3),
        ("JointPIDController gravity=1", 1e-3),
        ("PDDeviceController", 2e-4),
        ("PoseDeviceController", 2e-4),
        ("SerialDeviceController", 2e-4),
        ("IdealController", 1e-6),
    ],
)
def test_dry_friction_holds_nothing_up(servo, offset):
    """1 N m leave springs of 100 N m/rad 0.01 rad off, and light joints much more."""
    inertia = 1e-3
    losses = motor(coloumb_friction=1.0, viscous_friction=1.0)
    env, robot = arm(
        AXES, actuator=losses, inertia=(inertia,) * 3, mass=inertia, length=0.1
    )
    controller = robot.set_controller(servo)
    goal = np.array((0.8, 0.6, -0.5))
    assert controller.set_path(path(env, robot, [[0, 0, 0], goal], 1.0))
    run(env, 3.0)
    assert controller.is_done()
    np.testing.assert_allclose(robot.dof_values, goal, atol=offset)


SOFTER = 1.0 + 0.01 * 40.0 + 0.01**2 * 400.0
"""By what gains are less, since errors count as they are at the end of a step."""


def test_an_unknown_load_is_found_out():
    """Without that a joint is off by its torque over inertia and stiffness."""
    torque, inertia = 2.0, 0.1 + 1.0
    for ki, off in ((0, SOFTER * torque / inertia / 400), (10, 0.0)):
        env, robot = arm(gravity=FREE)
        controller = robot.set_controller("ComputedTorqueController", ki=ki)
        controller.set_desired([0.3])
        pushed(env, robot, torque, 3.0)
        assert robot.dof_values[0] - 0.3 == pytest.approx(off, abs=1e-5)
        np.testing.assert_allclose(controller.get_torque(), -torque, rtol=1e-3)


def test_a_load_is_found_out_with_its_rate():
    """The torque comes to 1 - exp(-ki t) of the load, whatever the gains are."""
    env, robot = arm(gravity=FREE)
    controller = robot.set_controller("ComputedTorqueController", kp=1e4, kd=200, ki=5)
    controller.set_desired([0.0])
    pushed(env, robot, 2.0, 0.01)
    for k in range(1, 100):
        pushed(env, robot, 2.0, 0.01)
        learnt = controller.get_own_state()[1][0][0]
        part = 1.0 - (1.0 - 0.05) ** (k + 1)
        assert learnt == pytest.approx(-2.0 / 1.1 * part, rel=0.05)


def test_what_is_in_the_way_is_pushed_with_a_bounded_effort():
    """As by a goal 0.1 rad further on, and not until something breaks."""
    env, robot = arm(gravity=FREE)
    robot.dof_limits = [-100.0], [0.2]
    controller = robot.set_controller("ComputedTorqueController", ki=50)
    controller.set_desired([0.5])
    run(env, 5.0)
    pushes = controller.get_torque()[0]
    assert pushes == pytest.approx(1.1 * 400 * (0.3 / SOFTER + 0.1), rel=0.02)
    twin = env.clone()
    run(env, 0.2)
    run(twin, 0.2)
    np.testing.assert_array_equal(twin.robots[0].dof_values, robot.dof_values)


def test_an_exact_model_has_nothing_to_find_out():
    env, robot = arm(AXES)
    controller = robot.set_controller("ComputedTorqueController")
    controller.set_path(path(env, robot, [[0, 0, 0], [0.8, 0.6, -0.5]], 1.0))
    for _ in range(200):
        env.step(0.01)
        assert np.abs(controller.get_own_state()[1][0]).max() < 0.2, "of 20 rad/s2"
    controller.reset()
    assert not controller.get_own_state()[1][0].any()


def test_a_tool_on_its_way_to_a_pose_stays_soft():
    """`set_pose` makes it a mass on a spring: a force moves it by F / (m kp)."""
    env, robot = arm(((0, 1, 0), (1, 0, 0), (0, 1, 0)), gravity=FREE)
    robot.dof_values = [0.3, 0.2, 0.6]
    controller = robot.set_controller("OperationalSpaceController")
    run(env, 0.1)
    controller.set_pose(robot.links[-1].transform)
    pushed(env, robot, 2.0, 3.0)
    held = robot.dof_values
    assert np.abs(held - [0.3, 0.2, 0.6]).max() > 1e-3
    pushed(env, robot, 2.0, 1.0)
    np.testing.assert_allclose(robot.dof_values, held, atol=1e-5)


def test_what_cannot_be_simulated_can_be_driven():
    """A body whose masses no body has stays where it is, and the engine goes on."""
    env, robot = arm(((0, 0, 1),), inertia=(0.1, 0.1, -0.1))
    for servo in ("PDDeviceController", "JointPIDController", "IdealController"):
        robot.set_controller(servo).set_desired([0.4])
        run(env, 0.1)
    assert not failures(env)
    assert "it stays where it is" in str(env.problems)


def test_largest_inertias_hold_everywhere():
    """Never less than what a joint of two axes feels, and a power of two."""
    from pyrave_base.efforts import largest_inertias

    tensor = (1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-4)
    links = (
        LinkDescription("a"),
        LinkDescription("b", inertial=Inertial(2.0, (0.0, 0.0, 1.0), tensor)),
    )
    axes = (JointAxis((0.0, 0.0, 1.0)), JointAxis((0.0, 1.0, 0.0)))
    joint = JointDescription("u", "universal", "a", "b", axes=axes)
    described = RobotDescription("r", links=links, joints=(joint,))
    robot = pyrave.Environment().create_body(described)
    dofs = np.arange(2, dtype=np.int64)
    for angle in (0.0, 0.4, 1.2):
        robot.dof_values = (0.7, angle)
        bound = largest_inertias(robot, dofs)
        assert (bound >= np.diag(robot.mass_matrix())).all()
        assert (np.log2(bound) % 1.0 == 0.0).all()
        own = sum(np.trace(one) for one in robot.model.inertias)
        for k, axis in enumerate(robot.joints[0].axes):
            arms = [np.cross(link.global_com, axis) for link in robot.links]
            masses = [link.mass for link in robot.links]
            whole = own + sum(
                m * arm @ arm for m, arm in zip(masses, arms, strict=True)
            )
            assert whole <= bound[k] < 2.0 * whole
