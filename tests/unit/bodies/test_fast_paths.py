"""Joint values, poses and a tool's Jacobian take short ways that change nothing."""

import logging
import math

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.kinematics.limits import LimitCheck
from pyrave.scene import (
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MimicFormula,
    Pose,
    RobotDescription,
)

FORMULA = "sqrt(1 - J0)"


def described(*, circular=False, mimic=""):
    z, x = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
    axes = (
        JointAxis(z, lower=-2.0, upper=2.0),
        JointAxis(x, lower=-1.5, upper=1.0, circular=circular),
        JointAxis(z, prismatic=True, lower=-0.1, upper=0.4),
    )
    joints = [
        JointDescription(
            f"J{i}",
            "slider" if axis.prismatic else "hinge",
            f"L{i}",
            f"L{i + 1}",
            T_parent_joint=Pose.from_translation(0.1, 0.2, 0.3 * i),
            axes=(axis,),
        )
        for i, axis in enumerate(axes)
    ]
    links = [LinkDescription(f"L{i}") for i in range(4)]
    if mimic:
        links.append(LinkDescription("finger"))
        follower = JointAxis(x, mimic=MimicFormula(mimic))
        joints.append(JointDescription("F", "hinge", "L3", "finger", axes=(follower,)))
    tool = Pose.from_quaternion((0.9, 0.1, 0.3, -0.2), (0.05, -0.1, 0.2))
    arms = (
        ManipulatorDescription("arm", "L0", "L3", tool=tool),
        ManipulatorDescription("half", "L1", "L3"),
    )
    return RobotDescription("robot", tuple(links), tuple(joints), manipulators=arms)


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def make():
    env = pyrave.Environment()

    def made(**kinds):
        robot = env.create("robot", "")
        robot.init(described(**kinds))
        env.add(robot)
        return robot

    return made


@pytest.mark.parametrize(
    "kind", [list, tuple, np.array, lambda v: np.array(v, np.float32)]
)
def test_values_of_any_kind_are_taken(make, kind):
    robot = make()
    robot.dof_values = kind([0.5, -0.25, 0.125])
    assert robot.dof_values.tolist() == [0.5, -0.25, 0.125]


def test_poses_follow_values(make, rng):
    robot = make()
    for _ in range(5):
        q = rng.uniform((-2, -1.5, -0.1), (2, 1, 0.4))
        before = robot.pose_stamp
        robot.dof_values = q
        assert robot.pose_stamp == before + 1
        expected = robot.compute_link_transforms([q])[0]
        np.testing.assert_allclose(robot.link_transforms, expected, atol=1e-15)
    q[0] = 0.0  # the caller's array stays the caller's
    assert robot.dof_values[0] != 0.0
    robot.link_transforms[:] = 0.0
    np.testing.assert_allclose(robot.link_transforms, expected, atol=1e-15)


def test_limits_are_kept_and_own_limits_count_at_once(make, caplog):
    robot = make()
    with caplog.at_level(logging.WARNING):
        robot.dof_values = np.array((0.5, 1.25, 0.0))
    assert "is clamped" in caplog.text
    assert robot.dof_values.tolist() == [0.5, 1.0, 0.0]
    robot.dof_limits = (-np.ones(3), np.full(3, 0.25))
    caplog.clear()
    robot.dof_values = np.array((0.5, 0.0, 0.0))
    assert "is clamped" in caplog.text
    assert robot.dof_values.tolist() == [0.25, 0.0, 0.0]
    state = robot.get_state()
    robot.dof_limits = (-np.ones(3), np.full(3, 0.125))
    robot.set_state(state)
    caplog.clear()
    robot.dof_values = np.array((0.25, 0.0, 0.0))
    assert not caplog.text
    robot.set_dof_values(np.array((5.0, 0.0, 0.0)), limits=LimitCheck.NONE)
    assert robot.dof_values[0] == 5.0


def test_circular_axes_are_wrapped(make):
    robot = make(circular=True)
    inside = np.array((0.0, 0.75, 0.0))
    robot.dof_values = inside
    assert robot.dof_values.tolist() == inside.tolist()
    for turns in (1, -3):
        robot.dof_values = np.array((0.0, 0.75 + turns * 2.0 * math.pi, 0.0))
        np.testing.assert_allclose(robot.dof_values, inside, atol=1e-14)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_not_finite_leaves_the_body_as_it_was(make, bad):
    robot = make()
    robot.dof_values = np.array((0.5, 0.5, 0.25))
    with pytest.raises(ArgumentError, match="not finite"):
        robot.dof_values = np.array((0.0, bad, 0.0))
    with pytest.raises(ArgumentError, match="length 3"):
        robot.dof_values = np.zeros(4)
    assert robot.dof_values.tolist() == [0.5, 0.5, 0.25]


def test_followers_are_checked(make):
    robot = make(mimic=FORMULA)
    robot.dof_values = np.array((0.5, 0.0, 0.0))
    with pytest.raises(ArgumentError, match="'F' follows others"):
        robot.dof_values = np.array((1.5, 0.0, 0.0))
    assert robot.dof_values[0] == 0.5


def test_linear_followers_go_along(make, rng):
    robot = make(mimic="2 * J0 + 0.1")
    for _ in range(5):
        q = rng.uniform((-1, -1.5, -0.1), (1, 1, 0.4))
        robot.dof_values = q
        assert robot.joint_values[3] == pytest.approx(2.0 * q[0] + 0.1, abs=1e-15)
        expected = robot.compute_link_transforms([q])[0]
        np.testing.assert_allclose(robot.link_transforms, expected, atol=1e-15)
    robot.set_dof_values(np.array((1.7e308, 0, 0)), limits=LimitCheck.NONE)
    assert robot.joint_values[3] == math.pi  # the limit that it has by default


def test_values_are_clamped_alike_however_they_are_given(make, rng):
    robot = make(circular=True)
    (lower, upper), ends = robot.dof_limits, (-9.0, 9.0)
    for q in rng.uniform(*ends, (20, 3)):
        robot.set_dof_values(q, limits=LimitCheck.CLAMP)
        found = robot.dof_values
        assert (found >= lower).all()
        assert (found <= upper).all()
        turns = (found[1] - q[1]) / (2.0 * math.pi)
        assert turns == pytest.approx(round(turns), abs=1e-12)
        for same in (q.tolist(), np.repeat(q, 2)[::2]):
            robot.set_dof_values(same, limits=LimitCheck.CLAMP)
            assert robot.dof_values.tolist() == found.tolist()
        robot.set_dof_values(q[[2, 0]], [2, 0], limits=LimitCheck.CLAMP)
        assert robot.dof_values.tolist() == found.tolist()


@pytest.mark.parametrize("mimic", ["", FORMULA, "2 * J0 + 0.1"])
def test_tool_jacobian_equals_that_of_the_link(make, rng, mimic):
    robot = make(mimic=mimic)
    base = np.eye(4)
    base[:3, 3] = 1.0, -2.0, 0.5
    robot.transform = base
    for arm in robot.manipulators:
        robot.dof_values = rng.uniform((-2, -1.5, -0.1), (0.9, 1, 0.4))
        full = robot.jacobian(arm.end_effector, arm.transform[:3, 3])
        expected = full[:, arm.arm_indices]
        np.testing.assert_allclose(arm.jacobian(), expected, atol=1e-14)
        arm.local_tool_transform = Pose.from_translation(0.3, 0.0, 0.1)
        full = robot.jacobian(arm.end_effector, arm.transform[:3, 3])
        expected = full[:, arm.arm_indices]
        np.testing.assert_allclose(arm.jacobian(), expected, atol=1e-14)


def test_tools_belong_to_a_model(make):
    robot, other = make(), pyrave.Environment().create("robot", "")
    other.init(described(circular=True))
    tool = pyrave.kinematics.compile_tool(other.model, "L3")
    with pytest.raises(ArgumentError, match="has another model"):
        robot.tool_jacobian(tool)
    assert other.tool_jacobian(tool).shape == (6, 3)
