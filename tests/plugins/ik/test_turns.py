"""Joints that can be whole turns apart: each solution once, or in all turns."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, NotSupportedError
from pyrave.ik import IkFilterOptions
from pyrave.interfaces import IkSolverBase
from pyrave_ik.arm.turns import at_all_turns, at_nearest_turns

TURN = 2.0 * np.pi


@pytest.fixture
def arm_of():
    kept = []

    def load(name, solver="Analytic", reach=TURN):
        env = pyrave.load(f"robots/arms/{name}.robot.xml")
        kept.append(env)
        robot = env.robots[name]
        wide = np.full(robot.dof, reach)
        robot.dof_limits = -wide, wide
        arm = robot.active_manipulator
        arm.ik_solver = solver
        return arm

    return load


def nearest_of_each(every, near):
    """Of rows that are whole turns apart the one nearest to `near`, by hand."""
    best = {}
    for row in every:
        key = tuple(np.round(np.cos(row), 4)) + tuple(np.round(np.sin(row), 4))
        known = best.get(key)
        if known is None or np.sum((row - near) ** 2) < np.sum((known - near) ** 2):
            best[key] = row
    return np.array(list(best.values()))


def assert_same(rows, others):
    assert len(rows) == len(others)
    away = np.abs(rows[:, None] - others).max(axis=2)
    assert away.min(axis=0).max(initial=0.0) < 1e-7
    assert away.min(axis=1).max(initial=0.0) < 1e-7


def assert_nearest(rows, every, near):
    """Each solution comes once; two turns may be equally near."""
    wanted = nearest_of_each(every, near)
    assert len(rows) == len(wanted) == len(nearest_of_each(rows, near))
    assert np.abs(rows[:, None] - every).max(axis=2).min(axis=1).max() < 1e-7
    ways = [np.sort(((some - near) ** 2).sum(axis=1)) for some in (rows, wanted)]
    assert np.allclose(*ways, atol=1e-6)


@pytest.mark.parametrize("name", ["ur5", "puma560"])
def test_each_solution_comes_once_in_the_turn_nearest_to_where_the_arm_is(arm_of, name):
    arm = arm_of(name)
    rng = np.random.default_rng(5)
    for _ in range(4):
        goal, here = rng.uniform(-TURN, TURN, (2, 6))
        arm.arm_dof_values = goal
        pose = arm.transform
        arm.arm_dof_values = here
        once = arm.solve_ik(pose, all=True)
        every = arm.solve_ik(pose, all=True, turns=True)
        assert len(once) in {4, 8}
        assert len(every) == len(once) * 2**6
        assert np.abs(every).max() <= TURN
        assert_nearest(once, every, here)
        assert_same(arm.solve_ik_batch([pose, pose], all=True)[1], once)
        assert_same(arm.solve_ik_batch([pose], turns=True, all=True).solutions, every)
        found = arm.find_ik(pose)
        assert_same(found.solutions, once)
        assert (np.diff(((found.solutions - here) ** 2).sum(axis=1)) >= -1e-9).all()
        assert np.allclose(arm.solve_ik(pose), found.solution, atol=1e-9)
        assert_same(arm.find_ik(pose, turns=True).solutions, every)
        there = arm.find_ik(pose, q0=goal)
        assert_nearest(there.solutions, every, goal)
        assert np.allclose(there.solution, goal, atol=1e-8)
        assert len(set(there.branches.tolist())) == len(once)


def test_filters_see_each_solution_once(arm_of):
    arm = arm_of("ur5")
    arm.arm_dof_values = [0.3, -1.0, 1.2, 0.4, 0.9, 5.0]
    seen = []

    def keeps(q, *_):
        seen.append(q.copy())
        return pyrave.ik.IkAction.SUCCESS

    with arm.ik_solver.register_custom_filter(1, keeps):
        found = arm.solve_ik(arm.transform, all=True)
    assert len(found) == len(seen) == 8


def test_a_compiled_function_has_a_reference_of_its_own(arm_of):
    arm = arm_of("ur5")
    arm.arm_dof_values = q = np.array([4.0, -1.0, 1.2, -4.4, 0.9, 5.0])
    pose = np.ascontiguousarray(np.linalg.inv(arm.base.transform) @ arm.transform)
    solver = arm.ik_solver
    every = arm.solve_ik(arm.transform, all=True, turns=True)
    assert_nearest(solver.compiled()(pose), every, np.zeros(6))
    assert_nearest(solver.compiled(q0=q)(pose), every, q)
    assert_same(solver.compiled(turns=True)(pose), every)
    with pytest.raises(ArgumentError, match="q0"):
        solver.compiled(q0=[1.0])


def test_limits_many_turns_apart_are_kept_and_multiply_nothing(arm_of):
    arm = arm_of("ur5", reach=20.0)
    rng = np.random.default_rng(3)
    for _ in range(40):
        goal, here = rng.uniform(-20.0, 20.0, (2, 6))
        here[rng.integers(6)] = 20.0 - rng.uniform(0.0, 0.5)
        arm.arm_dof_values = goal
        pose = arm.transform
        arm.arm_dof_values = here
        some = arm.solve_ik(pose, all=True)
        every = [
            some,
            arm.solve_ik(pose)[None],
            arm.solve_ik_batch([pose], all=True).solutions,
            arm.find_ik(pose).solutions,
            arm.find_ik(pose, q0=goal).solutions,
            arm.follow([pose]).values,
            arm.ik_solver.compiled(q0=here)(
                np.ascontiguousarray(np.linalg.inv(arm.base.transform) @ pose)
            ),
            arm.solve_ik(pose, all=True, turns=True),
        ]
        for rows in every:
            assert len(rows)
            assert np.abs(rows).max() <= 20.0
        turns = (goal - some) / TURN
        away = np.abs(turns - turns.round()).max(axis=1)
        assert away.min() < 1e-7
        # no joint could be nearer by a turn
        lower, upper = some - TURN >= -20.0, some + TURN <= 20.0
        assert not (lower & (some - here > np.pi + 1e-9)).any()
        assert not (upper & (here - some > np.pi + 1e-9)).any()
        assert np.abs(arm.solve_ik(pose) - some).max(axis=1).min() < 1e-9
        assert len(arm.solve_ik(pose, all=True, turns=True)) == len(some)


def test_the_turn_beyond_a_limit_is_not_the_nearest(arm_of):
    arm = arm_of("puma560", reach=4.0)  # less than a whole turn more than +-pi
    arm.arm_dof_values = q = np.full(6, 0.5)
    pose = arm.transform
    arm.arm_dof_values = np.full(6, 3.9)
    once = arm.solve_ik(pose, all=True)
    assert np.abs(once).max() <= 4.0
    assert np.abs(once - q).max(axis=1).min() < 1e-8  # 0.5 + a turn is outside
    every = arm.solve_ik(pose, all=True, turns=True)
    assert_nearest(once, every, np.full(6, 3.9))


@pytest.mark.parametrize("end", [-1.0, 1.0])
def test_a_joint_at_its_limit_is_at_the_limit_that_is_nearer(arm_of, end):
    arm = arm_of("puma560", reach=np.pi)
    q = np.array([0.3, 0.5, -0.4, 0.6, 0.7, np.pi])
    arm.arm_dof_values = q
    pose = arm.transform
    arm.arm_dof_values = here = np.append(q[:5], end * 3.0)
    wanted = np.append(q[:5], end * np.pi)
    assert np.allclose(arm.solve_ik(pose), wanted, atol=1e-8)
    rows = arm.solve_ik(pose, all=True)
    assert np.abs(rows - wanted).max(axis=1).min() < 1e-8
    assert_nearest(rows, arm.solve_ik(pose, all=True, turns=True), here)


def test_held_joints_keep_the_values_that_are_given(arm_of):
    arm = arm_of("wam7")
    arm.arm_dof_values = np.array([0.1, 0.4, 4.0, 1.3, 0.1, 0.5, 0.2])
    free = arm.ik_solver.get_free_parameters()
    held = arm.ik_solver.get_free_indices()
    pose = arm.transform
    rows = arm.solve_ik(pose, all=True, free=free)
    every = arm.solve_ik(pose, all=True, free=free, turns=True)
    assert len(every) == len(rows) * 2**6
    assert np.allclose(rows[:, held], arm.arm_dof_values[held], atol=1e-9)
    assert_nearest(rows, every, arm.arm_dof_values)


def test_the_numerical_solver_does_the_same(arm_of):
    arm = arm_of("puma560", "Numerical")
    n = len(arm.arm_indices)
    arm.arm_dof_values = q = np.linspace(0.4, 5.0, n)
    pose = arm.transform
    arm.arm_dof_values = here = np.linspace(-0.4, -5.0, n)
    once = arm.solve_ik(pose, all=True)
    every = arm.solve_ik(pose, all=True, turns=True)
    assert len(every) == len(once) * 2**n
    assert_nearest(once, every, here)
    found = arm.find_ik(pose, q0=q)
    assert_nearest(found.solutions, every, q)
    assert (np.diff(((found.solutions - q) ** 2).sum(axis=1)) >= -1e-9).all()


def test_wrong_values_of_turns_are_refused(arm_of):
    arm = arm_of("puma560")
    pose = arm.transform
    with pytest.raises(ArgumentError, match="all=True"):
        arm.solve_ik(pose, turns=True)
    with pytest.raises(ArgumentError, match="turns is 'yes', expected True or False"):
        arm.solve_ik(pose, all=True, turns="yes")
    with pytest.raises(ArgumentError, match="turns is 1, expected True or False"):
        arm.find_ik(pose, turns=1)


def test_a_solver_without_that_keyword_says_so(arm_of):
    arm = arm_of("puma560")

    class Short(type(arm.ik_solver)):
        contract = 2
        solutions = IkSolverBase.solutions

        def solve_all(self, goal, options=IkFilterOptions.NONE, free=None):
            return []

    arm.ik_solver = Short(arm.robot.env)
    assert len(arm.solve_ik(arm.transform, all=True)) == 0
    with pytest.raises(NotSupportedError, match=r"takes no turns: its solve_all\(\)"):
        arm.solve_ik(arm.transform, all=True, turns=True)


def test_turns_of_rows():
    rows = np.array([[0.5, 1.0], [0.5 - TURN, 1.0]])
    lower, upper = np.full(2, -TURN), np.full(2, TURN)
    periods = np.array([TURN, np.inf])
    near = np.array([5.0, 0.0])
    assert np.allclose(at_nearest_turns(rows, near, lower, upper, periods), rows[:1])
    every = at_all_turns(rows, lower, upper, periods)
    assert_same(every, rows)
    beyond = np.array([[0.5, 7.0]])  # of a joint that turns without end
    assert np.allclose(at_nearest_turns(beyond, near, lower, upper, periods), beyond)
    assert_same(
        at_all_turns(beyond, lower, upper, periods), beyond - [[0, 0], [TURN, 0]]
    )
    none = np.empty((0, 2))
    assert at_nearest_turns(none, near, lower, upper, periods).shape == (0, 2)
    assert at_all_turns(none, lower, upper, periods).shape == (0, 2)
    with pytest.raises(NotSupportedError, match="combinations of whole turns"):
        at_all_turns(rows, lower - 1e6, upper + 1e6, periods)
