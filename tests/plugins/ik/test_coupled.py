"""Arms where a joint moves several axes, or moves them by a formula."""

from __future__ import annotations

import math

import numpy as np
import pytest
from coupled_arms import BASE, ELBOW, WRIST, Axis, follower, robot

import pyrave
from pyrave import IkAction, IkFilterOptions, IkParameterization, LimitCheck
from pyrave import IkParameterizationType as Kind
from pyrave_ik.solver.compound_method import CompoundMethod
from pyrave_ik.solver.numeric_method import NumericMethod


def palletiser(elbow, wrist):
    return (
        Axis("yaw", "0 0 1", (0, 0, 0.5)),
        Axis("shoulder", "0 1 0", (0.2, 0, 0), (-1.5, 1.5)),
        elbow,
        follower("level", "0 1 0", (0.7, 0, 0), wrist),
        Axis("roll", "0 0 1", (0.2, 0, -0.1)),
    )


LEVEL = Kind.TranslationXAxisAngleZNorm4D
CLOSED = {
    "palletiser": (
        palletiser(Axis("elbow", "0 1 0", (0, 0, 0.8), (-2, 2)), "-shoulder-elbow"),
        {"direction": "1 0 0"},
        LEVEL,
    ),
    "palletiser with a crank": (
        palletiser(
            follower("elbow", "0 1 0", (0, 0, 0.8), "crank-shoulder+0.1"), "-crank-0.1"
        ),
        {"direction": "1 0 0", "cranks": [("crank", "l1", (-2, 2))]},
        LEVEL,
    ),
    "parallelogram": (
        (*BASE, follower("j3", "0 1 0", (0, 0, 0.7), "crank-j2"), *WRIST),
        {"cranks": [("crank", "l1", (-3, 3))]},
        Kind.Transform6D,
    ),
    "differential wrist": (
        (
            *BASE,
            ELBOW,
            Axis("j4", "1 0 0", (0.4, 0, 0)),
            follower("pitch", "0 1 0", (0.2, 0, 0), "0.5*(a+b)"),
            follower("roll", "1 0 0", (0, 0, 0), "a-b"),
        ),
        {"cranks": [("a", "l4", (-2, 2)), ("b", "l4", (-2, 2))]},
        Kind.Transform6D,
    ),
    "telescope": (
        (
            *BASE,
            Axis("boom", "0 0 1", (0, 0, 0.3), (-0.5, 0.5), slides=True),
            follower("tip", "0 0 -1", (0, 0, 0.2), "-0.8*boom", slides=True),
            *WRIST,
        ),
        {},
        Kind.Transform6D,
    ),
    "bar that keeps a link upright": (
        (
            *BASE,
            follower("bar", "0 1 0", (0, 0, 0.5), "-j2"),
            Axis("j3", "0 1 0", (0.1, 0, 0.3)),
            *WRIST,
        ),
        {},
        Kind.Transform6D,
    ),
}
SEARCHED = {
    "formula": (
        (*BASE, follower("j3", "0 1 0", (0, 0, 0.7), "1.2*sin(crank)+0.3*j2"), *WRIST),
        {"cranks": [("crank", "l1", (-1.4, 1.4))]},
    ),
    "a follower's own limits": (
        (
            *BASE,
            follower("j3", "0 1 0", (0, 0, 0.7), "0.5*j1", limits=(-0.6, 0.6)),
            Axis("j3b", "0 1 0", (0.1, 0, 0.1)),
            *WRIST,
        ),
        {},
    ),
    "level without a closed form": (
        (
            *BASE,
            follower("half", "0 1 0", (0, 0, 0.5), "-0.5*j2"),
            Axis("j3", "0 1 0", (0.1, 0, 0.3)),
            *WRIST,
        ),
        {},
    ),
}


def limits_of(arm):
    return tuple(bound[arm.arm_indices] for bound in arm.robot.dof_limits)


def pose_at(arm, q):
    with arm.robot.preserve_state():
        arm.robot.set_dof_values(q, arm.arm_indices, LimitCheck.NONE)
        return arm.transform


def goal_at(arm, kind, q):
    return IkParameterization.from_pose(kind, pose_at(arm, q), arm.direction)


def check(arm, kind, goal, rows):
    """Check that rows are different, inside limits, and reach the goal."""
    lower, upper = limits_of(arm)
    for number, row in enumerate(rows):
        assert math.sqrt(goal.distance2(goal_at(arm, kind, row))) < 1e-7
        assert (row >= lower).all()
        assert (row <= upper).all()
        if number:
            assert np.abs(rows[:number] - row).max(axis=1).min() > 1e-6


@pytest.mark.parametrize("name", CLOSED)
def test_simpler_arms_have_all_solutions(name):
    axes, settings, kind = CLOSED[name]
    _env, arm = robot(axes, **settings)
    arm.robot.transform = (0.8, 0.0, 0.0, 0.6, 0.2, 0.3, 0.1)
    rng = np.random.default_rng(3)
    for q in rng.uniform(*limits_of(arm), (8, len(arm.arm_indices))):
        goal = goal_at(arm, kind, q)
        found = arm.find_ik(goal)
        assert found.complete
        check(arm, kind, goal, found.solutions)
        assert np.abs(found.solutions - q).max(axis=1).min() < 1e-7
        np.testing.assert_allclose(
            arm.ik_solver.solve(goal, q + 1e-4).solution, q, atol=1e-7
        )
        assert len(arm.solve_ik(goal, all=True)) == len(found)
    assert isinstance(arm.ik_solver.method(kind), CompoundMethod)
    assert arm.ik_solver.note == ""
    assert arm.ik_solver.get_free_indices().tolist() == []


@pytest.mark.parametrize("name", ["parallelogram", "differential wrist"])
def test_a_search_finds_no_other_solutions(name):
    axes, settings, kind = CLOSED[name]
    _env, arm = robot(axes, **settings)
    q = np.random.default_rng(5).uniform(*limits_of(arm))
    goal = goal_at(arm, kind, q)
    rows = arm.find_ik(goal).solutions
    arm.ik_solver = "Numerical starts=60"
    found = arm.find_ik(goal)
    assert not found.complete
    assert len(found) > 0
    for one in found.solutions:
        assert np.abs(rows - one).max(axis=1).min() < 1e-5


def test_what_is_outside_of_the_limits_is_said():
    axes, settings, kind = CLOSED["parallelogram"]
    _env, arm = robot(axes, **settings)
    q = np.array([0.3, 0.2, 0.9, 0.4, 0.5, 0.6])
    goal = goal_at(arm, kind, q)
    lower, upper = arm.robot.dof_limits
    arm.robot.dof_limits = np.full_like(lower, 1.5), np.full_like(upper, 1.6)
    found = arm.find_ik(goal)
    assert not found
    assert found.action & IkAction.REJECT_JOINT_LIMITS
    assert "below its limit 1.5" in found.reasons[0]
    free = arm.find_ik(goal, options=IkFilterOptions.IGNORE_JOINT_LIMITS)
    assert np.abs(free.solutions - q).max(axis=1).min() < 1e-7
    arm.robot.dof_limits = lower, upper
    pose = pose_at(arm, q)
    pose[:3, 3] += 9.0
    found = arm.find_ik(pose, nearest=True)
    assert "even without limits" in found.reasons[0]
    assert found.nearest.distance > 5.0


def test_filters_see_the_solutions_of_a_simpler_arm():
    axes, settings, kind = CLOSED["palletiser"]
    _env, arm = robot(axes, **settings)
    goal = goal_at(arm, kind, np.array([0.3, 0.4, 0.5, 0.6]))
    solver = arm.ik_solver
    assert solver.solve(goal)
    seen = []
    with solver.register_custom_filter(0, lambda *_: seen.append(1) or IkAction.REJECT):
        assert not solver.solve(goal)
    assert seen
    with pytest.raises(pyrave.ArgumentError, match="no free joints"):
        solver.solve(goal, free=[0.5])


@pytest.mark.parametrize("name", SEARCHED)
def test_any_formula_is_searched_for(name):
    axes, settings = SEARCHED[name]
    env, arm = robot(axes, **settings)
    rng = np.random.default_rng(4)
    lower, upper = limits_of(arm)
    for q in rng.uniform(0.9 * lower, 0.9 * upper, (2, len(lower))):
        goal = goal_at(arm, Kind.Transform6D, q)
        found = arm.find_ik(goal, q0=q + 0.01)
        assert not found.complete
        check(arm, Kind.Transform6D, goal, found.solutions)
        np.testing.assert_allclose(found.solution, q, atol=1e-6)
        near = arm.ik_solver.solution(goal, q + 0.01)
        np.testing.assert_allclose(near, q, atol=1e-6)
    solver = arm.ik_solver
    assert isinstance(solver.method(Kind.Transform6D), NumericMethod)
    assert "there may be more than are found" in solver.note
    with pytest.raises(pyrave.NotSupportedError, match="freedom of its own: j1"):
        solver.goal_solver(Kind.Transform6D)
    far = goal_at(arm, Kind.Transform6D, q).array.copy()
    far[4:] += 9.0
    answer = solver.solve(IkParameterization(Kind.Transform6D, tuple(far)))
    assert "m and" in answer.failures[0]
    other = env.create("iksolver", "Numerical")
    arm.ik_solver = other
    assert other.solve(goal, q + 0.01)


def test_held_joints_of_a_search_are_sampled():
    axes, settings = SEARCHED["formula"]
    axes = (Axis("j0", "0 0 1", (0, 0, 0.1), (-1.0, 1.0)), *axes)
    settings = {"cranks": [("crank", "l2", (-1.4, 1.4))]}
    words = "<iksolver>Analytic free j0 0.5</iksolver>"
    _env, arm = robot(axes, solver=words, **settings)
    solver = arm.ik_solver
    assert solver.get_free_indices().tolist() == [0]
    arm.arm_dof_values = q = np.array([0.25, 0.3, 0.4, 0.6, 0.2, 0.5, 0.7])
    np.testing.assert_allclose(solver.get_free_parameters(), [0.625])
    goal = goal_at(arm, Kind.Transform6D, q)
    found = arm.find_ik(goal)
    assert not found.complete
    check(arm, Kind.Transform6D, goal, found.solutions)
    np.testing.assert_allclose(found.solution, q, atol=1e-6)
    assert set(np.round(found.solutions[:, 0], 9)) <= {-0.75, -0.25, 0.25, 0.75}
    assert len(set(np.round(found.solutions[:, 0], 9))) > 1
    given = arm.find_ik(goal, free=[0.625]).solutions
    np.testing.assert_allclose(given[:, 0], 0.25)
    with pytest.raises(pyrave.ArgumentError, match=r"expected 0\.\.1"):
        arm.find_ik(goal, free=[1.5])


def test_whole_bodies_may_have_formulas():
    axes, settings = SEARCHED["formula"]
    env, arm = robot(axes, **settings)
    body = arm.robot
    body.set_active_dofs(arm.arm_indices, pyrave.Affine.X | pyrave.Affine.Y)
    q = np.array([0.3, 0.4, 0.6, 0.2, 0.5, 0.7])
    goal = goal_at(arm, Kind.Transform6D, q)
    target = goal.transformed(pyrave.spatial.pose_from_wxyz_xyz((1, 0, 0, 0, 2, 1, 0)))
    numeric = env.create("iksolver", "Numerical")
    result = numeric.solve_tasks([(arm, target, 1.0)])
    assert result
    body.active.values = result.solution
    assert (
        math.sqrt(
            target.distance2(
                IkParameterization.from_pose(
                    Kind.Transform6D, arm.transform, arm.direction
                )
            )
        )
        < 1e-7
    )


def test_poses_of_arms_with_too_few_joints_are_searched():
    axes, settings, _kind = CLOSED["palletiser"]
    _env, arm = robot(axes, **settings)
    pose = arm.transform
    arm.arm_dof_values = arm.arm_dof_values + 0.2
    arm.arm_dof_values = arm.solve_ik(pose)
    assert np.allclose(arm.transform, pose, atol=1e-8)
    assert "needs 6 joints, the arm has 4" in arm.ik_solver.note
    pose[:3, 3] += 5.0
    assert arm.solve_ik(pose) is None
    assert arm.ik_solver.main_kind() is LEVEL
