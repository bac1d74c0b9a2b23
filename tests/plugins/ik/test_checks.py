"""Filters and collisions: what may reject, change or end a search."""

from __future__ import annotations

import numpy as np
import pytest
from arms import PUMA, WAM, arm_xml, screws_of
from told_checker import ToldChecker

import pyrave
from pyrave import (
    ArgumentError,
    IkAction,
    IkFilterOptions,
    IkParameterization,
    IkReturn,
    NotSupportedError,
)
from pyrave.scene import GeometryDescription, Sphere, body_from_boxes

Q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 2.0))
ENV = IkFilterOptions.CHECK_ENV_COLLISIONS
NO_FILTERS = IkFilterOptions.IGNORE_CUSTOM_FILTERS


class Checker(ToldChecker):
    """Also finds self collisions, by a rule."""

    def __init__(self, env, *args):
        super().__init__(env, *args)
        self.self_collides = lambda body: False
        self.env_collides = lambda subject: False

    def check_self_collision(self, subject, report=None):
        return self.self_collides(subject)

    def check_collision(
        self, first, second=None, *, excluded_bodies=(), excluded_links=(), report=None
    ):
        self.asked.append((first.name, tuple(link.name for link in excluded_links)))
        return self.env_collides(first)


@pytest.fixture
def env():
    env = pyrave.Environment()
    env.load_string(arm_xml(*screws_of(PUMA), limits=(-3.1, 3.1)))
    return env


@pytest.fixture
def arm(env):
    return env.robots[0].manipulators[0]


@pytest.fixture
def solver(arm):
    return arm.ik_solver


@pytest.fixture
def goal(arm):
    with arm.robot.preserve_state():
        arm.arm_dof_values = Q
        return arm.ik_parameterization(pyrave.IkParameterizationType.Transform6D)


@pytest.fixture
def checker(env):
    env.register("collisionchecker", "Told", Checker)
    made = env.create("collisionchecker", "Told")
    env.collision_checker = made
    return made


def test_filters_reject_in_order_of_distance(arm, solver, goal):
    seen = []

    def ik_filter(solution, manipulator, its_goal):
        assert manipulator is arm
        assert its_goal is goal
        # the robot is at the candidate
        np.testing.assert_array_equal(arm.arm_dof_values, solution)
        seen.append(solution.copy())
        return IkAction.REJECT if len(seen) < 3 else IkAction.SUCCESS

    with solver.register_custom_filter(0, ik_filter):
        answer = solver.solve(goal, Q)
    np.testing.assert_allclose(seen[0], Q, atol=1e-8)
    ways = [((one - Q) ** 2).sum() for one in seen]
    assert ways == sorted(ways)
    np.testing.assert_array_equal(answer.solution, seen[2])
    np.testing.assert_array_equal(arm.arm_dof_values, np.zeros(6))


def test_quit_ends_the_search(solver, goal):
    seen = []

    def ik_filter(solution, *_):
        seen.append(solution)
        return IkAction.QUIT

    with solver.register_custom_filter(0, ik_filter):
        answer = solver.solve(goal, Q)
        assert not answer
        assert answer.action & IkAction.QUIT
        assert answer.action & IkAction.REJECT_CUSTOM_FILTER
        assert len(seen) == 1
        assert solver.solve_all(goal) == []
        assert len(seen) == 2
        assert len(solver.solutions(goal)) == 0
        assert solver.solve(goal, Q, NO_FILTERS)
        assert len(solver.solve_all(goal, NO_FILTERS)) == 8


def test_filters_change_solutions_and_leave_values(solver, goal):
    def change(solution, *_):
        solution[0] += 0.01
        return IkReturn(IkAction.SUCCESS, values={"moved": 0.01})

    with solver.register_custom_filter(0, change):
        answer = solver.solve(goal, Q)
        np.testing.assert_allclose(answer.solution, np.add(Q, (0.01, 0, 0, 0, 0, 0)))
        assert answer.values == {"moved": 0.01}
        assert all(one.values for one in solver.solve_all(goal))

    def away(solution, *_):
        solution[1] = 4.0
        return IkAction.SUCCESS

    with solver.register_custom_filter(0, away):
        answer = solver.solve(goal, Q)
        assert answer.action & IkAction.REJECT_JOINT_LIMITS
        assert "took joint 'j1' out of its limits" in answer.failures[0]

    def broken(solution, *_):
        solution[1] = np.nan
        return IkAction.SUCCESS

    with (
        solver.register_custom_filter(0, broken),
        pytest.raises(ArgumentError, match="not finite"),
    ):
        solver.solve(goal, Q)


def test_last_filters_come_after_collisions(solver, goal, checker):
    order = []
    checker.self_collides = lambda body: bool(order.append("self"))
    checker.env_collides = lambda subject: bool(order.append("env"))

    def noting(name):
        return lambda *_: order.append(name) or IkAction.SUCCESS

    with (
        solver.register_custom_filter(solver.LAST, noting("last")),
        solver.register_custom_filter(-5, noting("low")),
        solver.register_custom_filter(5, noting("high")),
    ):
        assert solver.solve(goal, Q, ENV)
    assert order == ["high", "low", "self", "env", "last"]


def test_reasons_of_filters(arm, goal):
    def refuse(solution, *_):
        if solution[4] > 0:
            return IkReturn(IkAction.REJECT, failures=("the left half is taken",))
        return IkAction.SUCCESS

    found = arm.find_ik(goal, filters=[refuse])
    assert 0 < len(found) < 8
    assert len(found) + len(found.rejections) == 8
    assert found.reasons == ("the left half is taken",)
    assert all(one.values[4] > 0 for one in found.rejections)
    assert len(arm.find_ik(goal)) == 8  # they are for one call
    found = arm.find_ik(goal, filters=[lambda *_: IkAction.REJECT])
    assert found.action & IkAction.REJECT_CUSTOM_FILTER
    assert found.reasons == ("a custom filter refused it",)


def test_finish_callbacks_see_what_is_returned(solver, goal):
    seen = []
    handle = solver.register_finish_callback(lambda *args: seen.append(args))
    answer = solver.solve(goal, Q)
    assert seen == [(answer, solver.get_manipulator(), goal)]
    assert len(solver.solve_all(goal)) == 8
    assert len(seen) == 9
    handle.close()
    solver.solve(goal, Q)
    assert len(seen) == 9
    with pytest.raises(ArgumentError, match="cannot be called"):
        solver.register_finish_callback("x")


def test_collisions_need_a_checker(arm, solver, goal):
    env = arm.robot.env
    env.collision_checker = "GenericCollisionChecker"
    with pytest.raises(NotSupportedError, match="never finds any"):
        arm.solve_ik(goal, options=ENV)
    with pytest.raises(NotSupportedError, match="CHECK_ENV_COLLISIONS"):
        solver.solve_all(goal, ENV)
    with pytest.raises(NotSupportedError, match="CHECK_ENV_COLLISIONS"):
        arm.solve_ik_batch(np.eye(4)[None], options=ENV, all=True)
    assert len(arm.solve_ik(goal, all=True)) == 8


SELF = IkFilterOptions.CHECK_SELF_COLLISIONS


def test_self_collisions(arm, goal, checker):
    checker.self_collides = lambda body: body.dof_values[4] < 0
    assert len(arm.find_ik(goal)) == 8  # nobody asked
    found = arm.find_ik(goal, options=SELF)
    assert 0 < len(found) < 8
    assert (found.solutions[:, 4] > 0).all()
    (reason,) = found.reasons
    assert reason.startswith("the robot hits itself")
    assert len(arm.solve_ik(goal, all=True, options=SELF)) == len(found)
    ignored = ENV | IkFilterOptions.IGNORE_SELF_COLLISIONS
    assert len(arm.solve_ik(goal, all=True, options=ignored)) == 8
    batch = arm.solve_ik_batch([arm.transform], options=SELF, all=True)
    assert (batch.solutions[:, 4] >= 0).all()
    checker.self_collides = lambda body: True
    answer = arm.ik_solver.solve(goal, options=SELF)
    assert answer.action == IkAction.REJECT | IkAction.REJECT_SELF_COLLISION
    # without the end effector's links
    checker.self_collides = lambda body: body.links["l6"].enabled
    assert len(arm.solve_ik(goal, all=True, options=SELF)) == 0
    ignored = SELF | IkFilterOptions.IGNORE_END_EFFECTOR_SELF_COLLISIONS
    assert len(arm.solve_ik(goal, all=True, options=ignored)) == 8
    assert arm.robot.links["l6"].enabled


def test_environment_collisions(arm, solver, goal, checker):
    checker.env_collides = lambda subject: (
        subject is arm.robot and arm.robot.dof_values[4] < 0
    )
    assert len(solver.solutions(goal)) == 8
    found = arm.find_ik(goal, options=ENV)
    assert 0 < len(found) < 8
    (reason,) = found.reasons
    assert reason.startswith("the robot hits something")
    # where the end effector itself is in the way no candidate is better
    checker.env_collides = lambda subject: True
    checker.asked.clear()
    answer = solver.solve(goal, Q, ENV)
    assert answer.action & IkAction.QUIT_END_EFFECTOR_COLLISION
    assert len(answer.failures) == 1
    ignored = ENV | IkFilterOptions.IGNORE_END_EFFECTOR_ENV_COLLISIONS
    checker.env_collides = lambda subject: False
    checker.asked.clear()
    assert solver.solve(goal, Q, ignored)
    assert checker.asked == [("arm", ("l6",))]


def test_reasons_name_what_collides(arm, goal):
    env = arm.robot.env
    ball = GeometryDescription(shape=Sphere(0.05))
    arm.end_effector.add_geometry(ball)
    with arm.robot.preserve_state():
        arm.arm_dof_values = Q  # the tool stands off the link that has the ball
        place = arm.end_effector.transform[:3, 3]
    env.create_body(body_from_boxes("wall", [(*place, 0.2, 0.2, 0.2)]))
    found = arm.find_ik(goal, options=ENV)
    assert not found
    assert any("wall" in reason for reason in found.reasons)


def test_checks_over_free_joints():
    env = pyrave.Environment()
    env.load_string(arm_xml(*screws_of(WAM), solver="Analytic 0.2"))
    arm = env.robots[0].manipulators[0]
    q = np.array((0.3, -1.1, 0.9, -0.4, 1.2, 1.0, 2.0))
    arm.arm_dof_values = q
    goal = arm.ik_parameterization(pyrave.IkParameterizationType.Transform6D)
    (free,) = arm.ik_solver.get_free_indices()

    def above(solution, *_):
        return IkAction.SUCCESS if solution[free] > q[free] + 0.3 else IkAction.REJECT

    with arm.ik_solver.register_custom_filter(0, above):
        answer = arm.ik_solver.solve(goal, q)
    assert answer.solution[free] > q[free] + 0.3
    np.testing.assert_array_equal(arm.arm_dof_values, q)


def test_goals_of_wrong_size_are_refused(arm, goal):
    with pytest.raises(ArgumentError, match="q0"):
        arm.find_ik(goal, q0=(1, 2))
    with pytest.raises(ArgumentError, match="q0"):
        arm.ik_solver.solve(goal, (1, 2))
    loose = arm.robot.env.create("iksolver", "Analytic")
    with pytest.raises(pyrave.StateError, match="has no manipulator"):
        loose.solve(IkParameterization.transform_6d(np.eye(4)))


def test_find_tells_finish_callbacks(arm, solver, goal):
    told = []
    with solver.register_finish_callback(lambda answer, *rest: told.append(answer)):
        found = arm.find_ik(goal)
    np.testing.assert_array_equal([one.solution for one in told], found.solutions)


@pytest.mark.parametrize("answer", [None, True, "yes"])
def test_what_no_filter_may_return(arm, goal, answer):
    with pytest.raises(ArgumentError, match=f"returned {answer!r}, expected an IkAct"):
        arm.find_ik(goal, filters=[lambda *_: answer])


def test_solutions_that_no_filter_may_return(arm, goal):
    for wrong in ([1.0, 2.0], "up", np.full(6, np.nan)):
        answer = IkReturn(IkAction.SUCCESS, wrong)
        with pytest.raises(ArgumentError, match="the solution of the IK filter"):
            arm.find_ik(goal, filters=[lambda *_, answer=answer: answer])


def test_whole_numbers_of_numpy_are_as_good(arm, solver, goal):
    refuse = np.int64(IkAction.REJECT)
    with solver.register_custom_filter(np.uint8(3), lambda *_: refuse):
        assert arm.find_ik(goal).action & IkAction.REJECT_CUSTOM_FILTER
        assert solver.first_priority == 3
        assert arm.solve_ik(goal, options=np.int64(NO_FILTERS)) is not None


def test_priorities_and_options_of_another_type(arm, solver, goal):
    with pytest.raises(ArgumentError, match="priority of an IK filter is 'high'"):
        solver.register_custom_filter("high", lambda *_: IkAction.SUCCESS)
    for wrong in ("limits", 1 << 20, None, True):
        with pytest.raises(ArgumentError, match="expected IkFilterOptions: CHECK_ENV"):
            arm.solve_ik(goal, options=wrong)
        with pytest.raises(ArgumentError, match="options are"):
            arm.find_ik(goal, options=wrong)
        with pytest.raises(ArgumentError, match="options are"):
            arm.solve_ik_batch(np.eye(4)[None], options=wrong, all=True)
    assert arm.solve_ik(goal, options=int(NO_FILTERS)) is not None


def test_limits_stay_among_the_reasons_where_filters_refuse_the_rest(env, arm, goal):
    lower, upper = (bound.copy() for bound in arm.robot.dof_limits)
    lower[1] = 0.0  # half of the solutions have less
    arm.robot.dof_limits = (lower, upper)
    assert 0 < len(arm.find_ik(goal)) < 8
    found = arm.find_ik(goal, filters=[lambda *_: IkAction.QUIT])
    assert not found
    for reason in (IkAction.REJECT, IkAction.QUIT, IkAction.REJECT_CUSTOM_FILTER):
        assert found.action & reason
    assert found.action & IkAction.REJECT_JOINT_LIMITS


def test_far_starts_leave_joints_with_limits_exact(arm, solver, goal):
    with solver.register_custom_filter(1, lambda *_: IkAction.SUCCESS):
        answer = solver.solve(goal, np.full(6, 1e9))
    exact = arm.solve_ik(goal, all=True)
    assert np.abs(exact - answer.solution).max(axis=1).min() < 1e-13


@pytest.mark.parametrize("solver_name", ["Analytic", "Numerical"])
def test_solvers_themselves_refuse_what_they_cannot_take(solver_name):
    """Not only the manipulator, which hands over what it has looked at."""
    env = pyrave.load("robots/arms/iiwa14.robot.xml")
    arm = env.robots[0].active_manipulator
    solver = arm.set_ik_solver(solver_name)
    pose = arm.transform
    goal = IkParameterization.transform_6d(pose)
    singles = (solver.solve, solver.find, solver.solution)
    several = (solver.solve_all, solver.solutions)
    for wrong in ("limits", 1 << 20, None, 1.5):
        for one in (*singles, *several):
            with pytest.raises(ArgumentError, match="options are"):
                one(goal, options=wrong)
        with pytest.raises(ArgumentError, match="options are"):
            solver.solve_batch(pose[None], options=wrong)
    for wrong in ("up", [1, 2], np.zeros((2, 7)), np.full(7, np.nan)):
        for one in singles:
            with pytest.raises(ArgumentError, match="q0"):
                one(goal, wrong)
    for wrong in (None, "there", np.eye(3), [1.0, 2.0]):
        for one in (*singles, *several):
            with pytest.raises(ArgumentError, match=r"pose|target"):
                one(wrong)
    for wrong in (None, "there", np.eye(4), np.zeros((2, 3, 4))):
        with pytest.raises(ArgumentError, match="targets"):
            solver.solve_batch(wrong)
    if solver.get_num_free_parameters():
        with pytest.raises(ArgumentError, match=r"free is \[1\.5\], expected 0\.\.1"):
            solver.solutions(goal, free=[1.5])


@pytest.mark.parametrize("solver_name", ["Analytic", "Numerical"])
def test_solvers_themselves_take_poses_in_any_form(solver_name):
    env = pyrave.load("robots/arms/ur5.robot.xml")
    arm = env.robots[0].active_manipulator
    solver = arm.set_ik_solver(solver_name)
    arm.arm_dof_values = (0.1, -0.8, 1.1, 0.4, -1.3, 0.9)
    pose = arm.transform
    row = pyrave.spatial.wxyz_xyz_from_pose(pose)
    fixed = pose.copy()
    fixed.flags.writeable = False
    expected = solver.solutions(pose)
    assert len(expected)
    for form in (pose.tolist(), np.asfortranarray(pose), fixed, row):
        np.testing.assert_allclose(solver.solutions(form), expected, atol=1e-9)
    batch = solver.solve_batch(np.array([row, row]))
    np.testing.assert_allclose(batch[1], expected, atol=1e-9)
