"""Solutions of other people's solvers are compared with their goals and limits."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import IkParameterization, IkParameterizationType, IkSolverBase, PluginError
from pyrave.ik import (
    IkAction,
    IkBatch,
    IkFilterOptions,
    IkPath,
    IkPathEnd,
    IkResult,
    IkReturn,
)
from pyrave.plugins import default_registry
from pyrave.testing import IkSolverContract

POINT = IkParameterizationType.Translation3D


@pytest.fixture
def arm():
    env = pyrave.Environment()
    env.load("robots/planar3r.robot.xml")
    arm = env.robots[0].manipulators[0]
    arm.arm_dof_values = (0.3, 0.4, 0.1)
    return arm


def goal_at(arm, values):
    with arm.robot.preserve_state():
        arm.robot.set_dof_values(values, arm.arm_indices)
        return arm.ik_parameterization(POINT)


class Answers(IkSolverBase):
    """Answers what a test puts into `rows`, by the method that it names."""

    contract = 2
    rows = ()
    by = "hand"

    def supports(self, kind):
        return kind is POINT

    def solve_all(self, goal, options=0, free=None):
        if self.by == "checked":
            return self.checked(np.array(self.rows), goal, options)
        return [IkReturn(IkAction.SUCCESS, np.array(row, float)) for row in self.rows]


class AllDoors(Answers):
    """Overrides everything that returns joint values."""

    def solve(self, goal, q0=None, options=0, free=None):
        return IkReturn(IkAction.SUCCESS, np.array(self.rows[-1], float))

    def solution(self, target, q0=None, options=0, free=None):
        return np.array(self.rows[-1], float)

    def solutions(self, target, options=0, free=None):
        return np.array(self.rows, float)

    def find(self, target, q0=None, options=0, free=None, *, nearest=False):
        rows = np.array(self.rows, float)
        marks = tuple({"row": k} for k in range(len(rows)))
        return IkResult(target, rows, np.arange(len(rows)), values=marks)

    def solve_batch(self, poses, options=0, free=None):
        rows = np.array(self.rows, float)
        counts = np.full(len(poses), len(rows))
        return IkBatch(np.concatenate([rows] * len(poses)), counts)

    def follow(self, targets, q0=None, options=0):
        return IkPath(np.array(self.rows, float), len(targets), IkPathEnd.COMPLETE)


def give(arm, cls, rows, by="hand"):
    solver = cls(arm.robot.env)
    solver._plugin = "acme-ik"
    solver.rows, solver.by = rows, by
    arm.ik_solver = solver
    return solver


RIGHT, WRONG = (0.3, 0.4, 0.1), (0.3, 0.4, 0.102)


@pytest.mark.parametrize("by", ["hand", "checked"])
@pytest.mark.parametrize("cls", [Answers, AllDoors])
def test_wrong_solutions_are_dropped_and_the_plugin_is_named(arm, cls, by):
    env = arm.robot.env
    give(arm, cls, [RIGHT, WRONG], by)
    goal = goal_at(arm, RIGHT)
    np.testing.assert_array_equal(arm.solve_ik(goal, all=True), [RIGHT])
    found = arm.find_ik(goal)
    np.testing.assert_array_equal(found.solutions, [RIGHT])
    (rejected,) = found.rejections
    assert rejected.action & IkAction.REJECT_KINEMATICS_PRECISION
    # the tool is 0.2 m from the last joint
    assert "misses its goal by 0.0004 m" in rejected.reason
    (problem,) = env.problems
    assert problem.code == "wrong-ik-solution"
    assert "of plugin 'acme-ik'" in problem.message
    arm.ik_solver.rows = [WRONG]
    assert arm.solve_ik(goal) is None
    assert arm.solve_ik(goal, all=True).shape == (0, 3)
    assert not arm.find_ik(goal)
    assert not arm.ik_solver.solve(goal)
    assert len(env.problems) == 1


def test_a_wider_tolerance_is_the_authors_word(arm):
    solver = give(arm, Answers, [WRONG])
    solver.tolerance = 1e-3
    np.testing.assert_array_equal(arm.solve_ik(goal_at(arm, RIGHT)), WRONG)
    assert not arm.robot.env.problems


def test_solutions_outside_of_limits_are_dropped(arm):
    lower, upper = arm.robot.dof_limits
    arm.robot.dof_limits = lower, [*upper[:2], 0.0999]
    give(arm, Answers, [RIGHT])
    goal = goal_at(arm, RIGHT)
    assert arm.solve_ik(goal) is None
    (problem,) = arm.robot.env.problems
    assert "at 0.1, outside of its limits" in problem.message
    free = IkFilterOptions.IGNORE_JOINT_LIMITS
    np.testing.assert_array_equal(arm.solve_ik(goal, options=free), RIGHT)


def test_batches_and_paths_are_checked(arm):
    solver = give(arm, AllDoors, [RIGHT, WRONG])
    poses = []
    for values in (RIGHT, WRONG):
        arm.arm_dof_values = values
        poses.append(arm.transform)
    batch = arm.solve_ik_batch(poses, all=True)
    np.testing.assert_array_equal(batch.counts, [1, 1])
    np.testing.assert_array_equal(batch.solutions, [RIGHT, WRONG])
    assert arm.follow(poses)
    solver.rows = [RIGHT, RIGHT]
    path = arm.follow(poses)
    assert path.status is IkPathEnd.NOT_FOUND
    assert (len(path), path.end) == (1, 0.0)
    assert path.cause.startswith("goal 1: a solution of")


@pytest.mark.parametrize(
    "method", ["solution", "solutions", "find", "solve_batch", "follow"]
)
def test_what_is_no_solution_at_all_names_the_plugin(arm, method):
    solver = give(arm, AllDoors, [RIGHT])
    pose = arm.transform
    target = [pose] if method in {"solve_batch", "follow"} else pose
    solver.rows = [(1.0, 2.0)]
    with pytest.raises(PluginError, match=rf"{method}\(\).*of plugin 'acme-ik' retu"):
        getattr(solver, method)(target)

    class Raising(AllDoors):
        def solution(self, *_args, **_named):
            raise ValueError("no")

        solutions = find = solve_batch = follow = solution

    solver = give(arm, Raising, [RIGHT])
    with pytest.raises(PluginError, match=r"acme-ik.*ValueError: no"):
        getattr(solver, method)(target)


def test_what_a_filter_makes_of_a_solution_need_not_reach_the_goal(arm):
    solver = give(arm, Answers, [RIGHT, WRONG], "checked")

    def shift(solution, _manipulator, _goal):
        solution[0] += 0.1
        return IkAction.SUCCESS

    with solver.register_custom_filter(1, shift):
        found = arm.solve_ik(goal_at(arm, RIGHT), all=True)
    np.testing.assert_allclose(found, [(0.4, 0.4, 0.1)])
    # nothing of that is remembered
    solver.rows, solver.by = [(0.4, 0.4, 0.1)], "hand"
    assert arm.solve_ik(goal_at(arm, RIGHT)) is None


def test_finish_callbacks_see_no_wrong_solution(arm):
    solver = give(arm, Answers, [RIGHT, WRONG], "checked")
    seen = []
    with solver.register_finish_callback(lambda answer, *_: seen.append(answer)):
        arm.solve_ik(goal_at(arm, RIGHT), all=True)
    (answer,) = seen
    np.testing.assert_array_equal(answer.solution, RIGHT)


def test_a_class_that_overrides_methods_says_again_that_it_verifies(arm):
    class Trusted(Answers):
        verifies = True

        def solve_all(self, goal, options=0, free=None):
            return [IkReturn(IkAction.SUCCESS, np.array(WRONG))]

    class Heir(Trusted):
        def solve_all(self, goal, options=0, free=None):
            return super().solve_all(goal, options, free)

    goal = goal_at(arm, RIGHT)
    give(arm, Trusted, [])
    np.testing.assert_array_equal(arm.solve_ik(goal), WRONG)
    give(arm, Heir, [])
    assert arm.solve_ik(goal) is None


def test_our_own_solvers_verify_themselves(arm):
    env = arm.robot.env
    for name in default_registry().ids("iksolver"):
        if "*" not in name and name.lower() in {"analytic", "numerical"}:
            assert type(env.create("iksolver", name)).verifies, name


class Sloppy(Answers):
    """Has one wrong solution among right ones."""

    def solve_all(self, goal, options=0, free=None):
        own = self.env.create("iksolver", "Numerical")
        own.init(self.require_manipulator())
        found = [one for one in own.solve_all(goal, options) if one]
        found += [IkReturn(IkAction.SUCCESS, one.solution + 0.1) for one in found]
        return found


def test_the_kit_fails_a_solver_with_wrong_solutions():
    class Kit(IkSolverContract):
        interface = Sloppy

    kit = Kit()
    with pytest.raises(AssertionError, match="misses its goal by"):
        kit.test_verifies(kit.new_environment())


def test_goals_of_any_kind_are_compared(arm):
    give(arm, Answers, [WRONG])
    pose = arm.transform
    kinds = (POINT, "TranslationXYOrientation3D", "Ray4D", "Transform6D")
    for kind in kinds:
        goal = IkParameterization.from_pose(kind, pose, arm.direction)
        assert arm.solve_ik(goal) is None, kind
