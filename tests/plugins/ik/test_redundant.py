"""Arms with joints to spare: nothing reachable is lost, and no "no" is untrue."""

from __future__ import annotations

import time

import numpy as np
import pytest

import pyrave
from pyrave import (
    ArgumentError,
    IkAction,
    IkParameterization,
    IkReturn,
    NotSupportedError,
)
from pyrave import IkParameterizationType as Kind
from pyrave.ik import residuals
from pyrave.spatial import matrix_from_axis_angle
from pyrave_ik.arm.reach_bound import ReachBound
from pyrave_ik.methods.bounded_arm import BoundedArm
from pyrave_ik.solver.effort import Clock

_FAST = 30.0
"""Most that a joint moves where the held joint moves by one."""
SHIPPED = ("panda", "fr3", "iiwa14", "gen3", "pr2_left_arm", "wam7", "pa10")


@pytest.fixture
def shipped():
    """Return a function for arms that ship, whose environments live with the test."""
    envs = []

    def load(name, words="Analytic"):
        env = pyrave.load(f"robots/arms/{name}.robot.xml")
        envs.append(env)
        arm = env.robots[0].manipulators[0]
        arm.ik_solver = words
        return arm

    return load


def limits_of(arm):
    """Return limits, half a turn to either side where there are none."""
    indices = arm.arm_indices
    endless = arm.robot.model.circular[indices]
    lower, upper = (bound[indices] for bound in arm.robot.dof_limits)
    return np.where(endless, -np.pi, lower), np.where(endless, np.pi, upper)


def is_inside(arm, q):
    lower, upper = limits_of(arm)
    endless = arm.robot.model.circular[arm.arm_indices]
    return bool((endless | ((lower <= q) & (q <= upper))).all())


def turned(differences):
    return (differences + np.pi) % (2.0 * np.pi) - np.pi


def goal_at(arm, kind, q):
    with arm.robot.preserve_state():
        arm.arm_dof_values = q
        if kind is Kind.Transform6D:
            return arm.transform
        return IkParameterization.from_pose(kind, arm.transform, arm.direction)


def missed(arm, goal, q):
    """Return by how much the tool misses a goal, metres or radians."""
    with arm.robot.preserve_state():
        arm.arm_dof_values = q
        tool = arm.transform
    if not isinstance(goal, IkParameterization):
        return np.abs(tool - goal).max()
    return max(float(off[0]) for off in residuals(goal, tool[None], arm.direction))


@pytest.mark.parametrize(
    ("name", "kind", "count"),
    [
        ("panda", Kind.Transform6D, 300),
        ("fr3", Kind.Transform6D, 150),
        ("iiwa14", Kind.Transform6D, 100),
        ("gen3", Kind.Transform6D, 100),
        ("pr2_left_arm", Kind.Transform6D, 150),
        ("panda", Kind.TranslationDirection5D, 60),
        ("irb2400", Kind.TranslationZAxisAngle4D, 60),
        ("puma560", Kind.TranslationZAxisAngle4D, 60),
        ("kr6", Kind.TranslationZAxisAngle4D, 60),
        ("kr6", Kind.Translation3D, 30),
    ],
    ids=lambda one: getattr(one, "name", str(one)),
)
def test_goals_within_limits_are_found_from_anywhere(shipped, name, kind, count):
    arm = shipped(name)
    lower, upper = limits_of(arm)
    rng = np.random.default_rng(1)
    for _ in range(count):
        goal = goal_at(arm, kind, rng.uniform(lower, upper))
        arm.arm_dof_values = rng.uniform(lower, upper)
        solution = arm.solve_ik(goal)
        assert solution is not None
        assert missed(arm, goal, solution) < 1e-8
        assert is_inside(arm, solution)


def test_joints_with_more_than_a_turn_end_within_their_limits(shipped):
    arm = shipped("kr6", "Numerical")
    lower, upper = limits_of(arm)
    rng = np.random.default_rng(1)
    for _ in range(60):
        goal = goal_at(arm, Kind.Translation3D, rng.uniform(lower, upper))
        arm.arm_dof_values = rng.uniform(lower, upper)
        solution = arm.solve_ik(goal)
        assert is_inside(arm, solution)
        assert missed(arm, goal, solution) < 1e-8


def test_what_the_goal_determines_is_not_held(shipped):
    for name in SHIPPED:
        arm = shipped(name)
        solver = arm.ik_solver.goal_solver(Kind.Transform6D)
        shares = solver.null_space.shares()
        # the elbow bends as far as the wrist is away
        assert shares[3] < 0.1
        assert 3 not in solver.free
        assert shares[list(solver.free)].min() > 0.1
    arm = shipped("panda", "Analytic free joint4")
    assert arm.ik_solver.get_free_indices().tolist() == [3]  # as it was asked for


def line_of(arm, goal, count):
    """Return solutions within limits at many values of the held joint.

    Rows are the number of the value, and the joints' values.
    """
    rows = []
    for number, part in enumerate(np.linspace(0.0, 1.0, count)):
        found = arm.solve_ik(goal, all=True, free=(part,))
        rows += [np.concatenate([[number], one]) for one in found]
    return np.array(rows)


def intervals_of(rows, step):
    """Return sets of rows (n, 1 + d) that curves of solutions go through."""
    groups = np.arange(len(rows))
    for i, row in enumerate(rows):
        others = np.flatnonzero(np.abs(rows[:, 0] - row[0] - 1) < 0.5)
        for j in others:
            if np.abs(turned(rows[j, 1:] - row[1:])).max() < _FAST * step:
                groups[groups == groups[j]] = groups[i]
    return [rows[groups == group] for group in np.unique(groups)]


@pytest.mark.parametrize("name", ["panda", "iiwa14", "pr2_left_arm"])
def test_every_interval_has_a_solution_and_the_nearest_is_the_nearest(shipped, name):
    """Against 700 values of the held joint, where the default has up to 17."""
    arm = shipped(name)
    held = int(arm.ik_solver.get_free_indices()[0])
    lower, upper = limits_of(arm)
    step = (upper - lower)[held] / 700
    rng = np.random.default_rng(3)
    count = 0
    for _ in range(4):
        goal = goal_at(arm, Kind.Transform6D, rng.uniform(lower, upper))
        near = rng.uniform(lower, upper)
        arm.arm_dof_values = near
        rows = line_of(arm, goal, 701)
        best = np.sqrt(((rows[:, 1:] - near) ** 2).sum(axis=1).min())
        nearest = arm.solve_ik(goal)
        assert np.linalg.norm(nearest - near) <= best + 1e-3
        found = arm.solve_ik(goal, all=True)
        assert max(missed(arm, goal, one) for one in found) < 1e-8
        for interval in intervals_of(rows, step):
            if len(interval) < 4:
                continue
            count += 1
            ways = np.abs(turned(found[:, None] - interval[:, 1:])).max(axis=2)
            assert ways.min() < _FAST * step
    assert count > 8


def unreached(arm):
    """Return the first of some poses near the arm that it does not reach."""
    rng = np.random.default_rng(8)
    for _ in range(100):
        pose = np.eye(4)
        pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
        pose[:3, 3] = rng.uniform(-0.6, 0.6, 3)
        result = arm.find_ik(pose)
        if not result and not result.complete:
            return pose
    raise AssertionError("all are reached")


def test_no_is_said_only_where_it_is_proven(shipped):
    arm = shipped("panda")
    lower, upper = limits_of(arm)
    arm.arm_dof_values = 0.5 * (lower + upper)
    far = np.eye(4)
    far[:3, 3] = (1.4, 0.0, 0.3)
    result = arm.find_ik(far)
    assert not result
    assert result.complete
    assert "whatever the limits" in result.rejections[0].reason
    # within reach of the links, not of the limits
    odd = unreached(arm)
    result = arm.find_ik(odd)
    assert not result.complete
    reason = result.rejections[0].reason
    assert "even without limits" not in reason
    for text in ("joint7 held at", "numerical starts", "no proof", "timeout="):
        assert text in reason
    answer = arm.ik_solver.solve(IkParameterization.transform_6d(odd))
    assert answer.failures[0].startswith("no joint values were found")
    # solutions at values of a joint to spare are never all there are
    assert not arm.find_ik(goal_at(arm, Kind.Transform6D, arm.arm_dof_values)).complete


@pytest.mark.parametrize("name", [*SHIPPED, "puma560", "ur5", "gantry", "stanford"])
def test_bounds_of_reach_leave_what_is_reached(shipped, name):
    arm = shipped(name)
    chain = arm.ik_solver.chain
    lower, upper = limits_of(arm)
    limits = np.sort(chain.scale[:, None] * np.stack([lower, upper], axis=1))
    limits += chain.offset[:, None]
    rng = np.random.default_rng(4)
    back = np.linalg.inv(arm.base.transform)
    for kind in (Kind.Transform6D, Kind.Translation3D):
        bound = ReachBound.from_chain(chain, kind, limits)
        assert bound is not None
        for q in rng.uniform(lower, upper, (200, len(lower))):
            # at limits, too, where an elbow's bounds are met exactly
            at_limits = np.where(
                rng.random(len(q)) < 0.3, rng.choice((lower, upper)), q
            )
            pose = back @ goal_at(arm, Kind.Transform6D, at_limits)
            assert bound.proof(pose) == ""
        pose = np.eye(4)
        pose[:3, 3] = bound.most + 3.0
        assert "whatever the limits" in bound.proof(pose)


def test_elbows_beyond_their_limits_are_a_proof(shipped):
    arm = shipped("iiwa14")
    q = np.array((0.3, 0.4, 0.2, 2.5, 0.4, 0.7, 0.1))
    with arm.robot.preserve_state():
        arm.robot.set_dof_values(q, arm.arm_indices, pyrave.LimitCheck.NONE)
        goal = arm.transform
    result = arm.find_ik(goal)
    assert not result
    assert result.complete
    assert "the limits of 'joint4' leave" in result.rejections[0].reason
    ignored = arm.solve_ik(goal, options=pyrave.IkFilterOptions.IGNORE_JOINT_LIMITS)
    assert missed_without_limits(arm, goal, ignored) < 1e-8


def missed_without_limits(arm, goal, q):
    with arm.robot.preserve_state():
        arm.robot.set_dof_values(q, arm.arm_indices, pyrave.LimitCheck.NONE)
        return np.abs(arm.transform - goal).max()


def test_filters_get_one_solution_after_the_other(shipped):
    arm = shipped("iiwa14")
    lower, upper = limits_of(arm)
    rng = np.random.default_rng(5)
    goal = goal_at(arm, Kind.Transform6D, 0.6 * rng.uniform(lower, upper))
    first = arm.solve_ik(goal)
    tried = []

    def away(q, _arm, _goal):
        tried.append(q)
        passes = np.abs(q - first).max() > 0.8
        return IkReturn(IkAction.SUCCESS if passes else IkAction.REJECT)

    with arm.ik_solver.register_custom_filter(0, away):
        solution = arm.solve_ik(goal)
    assert np.abs(tried[0] - first).max() < 1e-9
    assert len(tried) > 1
    assert np.abs(solution - first).max() > 0.8
    assert missed(arm, goal, solution) < 1e-8

    def never(_q, _arm, _goal):
        return IkReturn(IkAction.REJECT, failures=("never",))

    with arm.ik_solver.register_custom_filter(0, never):
        answer = arm.ik_solver.solve(IkParameterization.transform_6d(goal), timeout=0.2)
    assert not answer
    assert "never" in answer.failures


def test_time_is_bounded_and_the_best_so_far_returned(shipped):
    arm = shipped("panda", "Analytic 0.05")
    lower, upper = limits_of(arm)
    rng = np.random.default_rng(6)
    goal = goal_at(arm, Kind.Translation3D, rng.uniform(lower, upper))
    arm.find_ik(goal, timeout=0.05)  # kernels are compiled
    result = arm.find_ik(goal, timeout=1.0)
    assert len(result)
    assert not result.complete
    (reason,) = (why for why in result.reasons if "time ran out after 1 s" in why)
    assert "combinations of values" in reason
    # a goal that is not met is tried until then
    odd = unreached(arm)
    began = time.perf_counter()
    result = arm.find_ik(odd, timeout=0.4)
    assert time.perf_counter() - began > 0.35
    assert "time ran out" in result.rejections[0].reason
    for wrong in (0.0, -1.0, float("nan"), float("inf"), "1"):
        with pytest.raises(ArgumentError, match="positive number of seconds"):
            arm.solve_ik(odd, timeout=wrong)


def test_a_timeout_holds_where_each_value_of_held_joints_takes_long(
    shipped, monkeypatch
):
    """As where kernels are interpreted yet: here each value takes 5 ms of a clock."""
    arm = shipped("panda", "Analytic 0.2")
    goal = goal_at(arm, Kind.Translation3D, np.array([0.2, -0.5, 0.1, -2, 0.1, 1.5, 0]))
    solved = [0]
    solve = BoundedArm.all_rows

    def all_rows(self, base, pose, virtual, samples, near):
        solved[0] += len(samples)
        return solve(self, base, pose, virtual, samples, near)

    monkeypatch.setattr(BoundedArm, "all_rows", all_rows)
    monkeypatch.setattr(Clock, "passed", property(lambda _: 0.005 * solved[0]))
    result = arm.find_ik(goal, timeout=0.5)
    assert len(result)
    assert any("time ran out" in reason for reason in result.reasons)
    assert 0.5 <= 0.005 * solved[0] < 0.8
    solved[0] = 0
    assert len(arm.solve_ik(goal, all=True, timeout=0.5))
    assert 0.005 * solved[0] < 0.8


def test_solvers_that_take_no_timeout_say_so(shipped):
    arm = shipped("panda")

    class Plain(type(arm.ik_solver)):
        def solution(self, target, q0=None, options=0, free=None):
            return super().solution(target, q0)

    plain = Plain(arm.robot.env)
    arm.ik_solver = plain
    pose = arm.transform
    assert arm.solve_ik(pose) is not None
    with pytest.raises(NotSupportedError, match="takes no timeout"):
        arm.solve_ik(pose, timeout=1.0)


def test_batches_are_what_single_calls_are(shipped):
    arm = shipped("panda")
    lower, upper = limits_of(arm)
    rng = np.random.default_rng(7)
    poses = np.array(
        [goal_at(arm, Kind.Transform6D, q) for q in rng.uniform(lower, upper, (5, 7))]
    )
    batch = arm.solve_ik_batch(poses, timeout=5.0, all=True)
    for k, pose in enumerate(poses):
        single = arm.solve_ik(pose, all=True)
        assert batch.counts[k] == len(single) > 0
        assert batch[k] == pytest.approx(single, abs=1e-9)
