"""Poses where solutions merge: the boundary of the reach, several singularities."""

import numpy as np
import pytest
from ik_configurations import adversarial_configurations

import pyrave
from pyrave.ik import IkParameterizationType as Kind
from pyrave_environments.arms import Arm, At, arm_description
from pyrave_ik.arm.poses import random_configurations, tool_poses
from pyrave_ik.kernels.iteration import boundary_newton

HALF = 0.5 * np.pi


def same_goal(tool, q, kind):
    """Return the goal that the tool meets at joint values, and where it is seen."""
    tool.arm_dof_values = q
    goal = (
        tool.transform if kind is Kind.Transform6D else tool.ik_parameterization(kind)
    )
    return goal, tool.transform


def missed(tool, kind, pose, q):
    """Return how far the tool is from where it met a goal, as numbers of the goal."""
    tool.arm_dof_values = q
    if kind is Kind.Transform6D:
        return np.abs(tool.transform - pose).max()
    direction = (tool.transform[:3, :3] - pose[:3, :3]) @ tool.direction
    return max(np.abs(tool.transform[:3, 3] - pose[:3, 3]).max(), abs(direction).max())


@pytest.mark.parametrize("solver", ["Analytic", "Numerical"])
@pytest.mark.parametrize("kind", [Kind.Transform6D, Kind.TranslationDirection5D])
def test_a_stretched_arm_that_hardly_bends_sideways_is_found(solver, kind):
    """Gen3: the elbow is straight, and 25 mm of offset are all that joint 3 turns."""
    env = pyrave.load("robots/arms/gen3.robot.xml")
    tool = env.robots[0].active_manipulator
    tool.ik_solver = solver
    rng = np.random.default_rng(3)
    for shoulder in (HALF, -HALF):
        for wrist in (HALF, -HALF):
            turns = HALF * rng.integers(-2, 3, 3)
            q = np.array([turns[0], shoulder, 0.0, 0.0, turns[1], wrist, turns[2]])
            goal, pose = same_goal(tool, q, kind)
            tool.arm_dof_values = rng.uniform(-2.0, 2.0, 7)
            found = tool.solve_ik(goal)
            assert found is not None
            assert missed(tool, kind, pose, found) < 1e-8


def nearly_stretched():
    """Return an arm of the lengths of a UR5 within half a turn of each joint."""
    lines = (
        ((0.0, 0.0, 1.0), (0.0, 0.0, 0.089159)),
        ((0.0, 1.0, 0.0), (0.0, 0.13585, 0.089159)),
        ((0.0, 1.0, 0.0), (0.425, 0.01615, 0.089159)),
        ((0.0, 1.0, 0.0), (0.81725, 0.01615, 0.089159)),
        ((0.0, 0.0, -1.0), (0.81725, 0.10915, 0.089159)),
        ((0.0, 1.0, 0.0), (0.81725, 0.10915, -0.005491)),
    )
    joints = tuple(At(axis, point, (-180.0, 180.0)) for axis, point in lines)
    tip = (0.81725, 0.19145, -0.005491)
    env = pyrave.Environment()
    robot = env.create("robot", "")
    robot.init(arm_description(Arm("stretched", "stretched", "a UR5", joints, tip)))
    env.add(robot)
    return env, robot.manipulators["arm"]


def test_poses_near_two_singularities_are_found_and_not_denied():
    """The elbow bends by 0.015 rad, and the wrist lies over the first axis."""
    _env, tool = nearly_stretched()
    tool.ik_solver = "Analytic"
    rng = np.random.default_rng(4)
    at = [1.30931862, -1.47562461, 0.014509299, -2.75703217, -1.657786125, -2.66177614]
    for size in (0.0, 1e-8, 1e-7):
        q = np.array(at) + size * rng.normal(size=6)
        tool.arm_dof_values = q
        pose = tool.transform
        tool.arm_dof_values = rng.uniform(-2.0, 2.0, 6)
        rows = [
            tool.solve_ik(pose),
            *tool.solve_ik(pose, all=True),
            *tool.find_ik(pose).solutions,
            *tool.solve_ik_batch(pose[None], all=True).solutions,
        ]
        assert len(rows) >= 4
        for row in rows:
            assert missed(tool, Kind.Transform6D, pose, row) < 1e-8
    assert not tool.find_ik(beyond(pose)).solutions.size


def beyond(pose):
    """Return a pose out of reach."""
    far = pose.copy()
    far[:3, 3] *= 3.0
    return far


def test_what_is_out_of_reach_is_proven_to_be():
    _env, tool = nearly_stretched()
    tool.ik_solver = "Analytic"
    tool.arm_dof_values = [0.3, -0.9, 1.1, 0.4, 0.8, -0.2]
    result = tool.find_ik(beyond(tool.transform))
    assert not result
    assert result.complete
    assert "even without limits" in result.reasons[0]


def test_a_shifted_matrix_is_solved_where_it_is_positive_definite():
    rng = np.random.default_rng(5)
    a = rng.normal(size=(5, 5))
    matrix, wanted, lower = a + a.T, rng.normal(size=5), np.empty((5, 5))
    least = np.linalg.eigvalsh(matrix)[0]
    x = wanted.copy()
    assert not boundary_newton.shifted_solution(matrix, -0.99 * least, x, lower)
    x = wanted.copy()
    assert boundary_newton.shifted_solution(matrix, -1.01 * least, x, lower)
    np.testing.assert_allclose(matrix @ x - 1.01 * least * x, wanted, atol=1e-9)


ON_LIMITS = {
    "panda": [
        (
            [-0.83323359, 1.7628, 5.0368592e-05, -3.0718, 2.8973, 3.7525, -2.34573416],
            [-1.25889839, 1.17864923, -0.66835466, -2.06533626, -0.88381392, 3.47126926,
             1.30406626],
        )
    ],
    "iiwa14": [
        (
            [-4.51228e-05, 2.0943925021237964, 0.0, HALF, 0.0, HALF,
             -3.0543261909900767],
            [0.31061506, -1.07380575, -1.25196767, -0.91402636, -0.22011478,
             -1.04927794, -0.49993264],
        ),
        (
            [0.0, 2.0943951023931953, 5.8188e-06, 0.25904832, 2.96705973,
             2.0943951023931953, -4.1255852e-09],
            [-2.55175213, -1.18276673, 1.39871236, -0.26435879, 0.91403241, -0.58648806,
             0.11345123],
        ),
    ],
}  # fmt: skip
"""Configurations with joints on limits, and where the arm stands."""


@pytest.mark.parametrize("name", ON_LIMITS)
def test_poses_with_several_joints_on_limits_are_found(name):
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    arm = env.robots[0].active_manipulator
    lower, upper = env.robots[0].dof_limits
    for q, start in ON_LIMITS[name]:
        arm.arm_dof_values = np.clip(q, lower, upper)
        pose = arm.transform
        arm.arm_dof_values = start
        found = arm.solve_ik(pose)
        assert found is not None
        assert ((found >= lower) & (found <= upper)).all()
        assert missed(arm, Kind.Transform6D, pose, found) < 1e-8


@pytest.mark.parametrize("name", ["panda", "gen3", "ur5"])
def test_adversarial_poses_are_found_and_right(name):
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    arm = env.robots[0].active_manipulator
    rng = np.random.default_rng(17)
    rows = adversarial_configurations(arm, 200, rng)
    poses = arm.base.transform @ tool_poses(arm, rows)
    lower, upper = env.robots[0].dof_limits
    circular = env.robots[0].model.circular
    for pose, start in zip(poses, random_configurations(arm, 200, rng), strict=True):
        arm.arm_dof_values = start
        q = arm.solve_ik(pose)
        assert q is not None
        assert (circular | ((q >= lower) & (q <= upper))).all()
        assert missed(arm, Kind.Transform6D, pose, q) < 1e-8


def test_held_joints_are_not_put_on_limits_past_the_goal():
    """A turn ahead of the held joint's value is 8e-8 beyond its limit."""
    rng = np.random.default_rng(2)
    env = pyrave.load("robots/arms/panda.robot.xml")
    robot = env.robots[0]
    arm = robot.active_manipulator
    lower, upper = (limit.copy() for limit in robot.dof_limits)
    lower[6], upper[6] = -2.0 * np.pi, 2.0 * np.pi
    robot.dof_limits = lower, upper
    for away in np.geomspace(1e-9, 9e-7, 30):
        q = rng.uniform(lower, upper)
        q[6] = away
        robot.dof_values = q
        pose = arm.transform
        q[6] = upper[6] - 1e-3
        robot.dof_values = q
        found = arm.solve_ik(pose)
        assert ((found >= lower) & (found <= upper)).all()
        assert missed(arm, Kind.Transform6D, pose, found) < 1.1e-9
