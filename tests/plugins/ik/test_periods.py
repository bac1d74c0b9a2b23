"""Joints that turn on and on, alone and as leaders: no solution is moved off its goal.

Every solution is verified by the robot itself: its joint values are set as users set
them, wrapped and clamped, and its own forward kinematics say where the tool is.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from coupled_arms import BASE, ELBOW, WRIST, Axis, follower, robot

import pyrave
from pyrave import IkParameterization, LimitCheck
from pyrave import IkParameterizationType as Kind
from pyrave.kinematics import angle_difference
from pyrave_ik.arm.chain import ArmChain, joint_periods
from pyrave_ik.solver.compound_method import CompoundMethod

TURN = 2.0 * math.pi
ROUND = (-math.pi, math.pi)


def turning(axes, name):
    """Return the axes with one that is circular."""
    return tuple(
        Axis(one.name, one.axis, one.place, ROUND, circular=True)
        if one.name == name
        else one
        for one in axes
    )


def miss(arm, goal, q):
    """Return how far the tool is from a goal where joint values were set."""
    with arm.robot.preserve_state():
        arm.arm_dof_values = q
        there = IkParameterization.from_pose(goal.type, arm.transform, arm.direction)
        return math.sqrt(abs(goal.distance2(there)))


def reached(arm, kind, rng, far=9.0):
    """Return a goal that a random configuration within the limits meets, and that."""
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    endless = arm.robot.model.circular[arm.arm_indices]
    with arm.robot.preserve_state():
        q = rng.uniform(np.where(endless, -far, lower), np.where(endless, far, upper))
        arm.arm_dof_values = q
        pose = arm.transform
        return IkParameterization.from_pose(kind, pose, arm.direction), q


CRANK = {"cranks": [("crank", "l0", ROUND)], "turning": ("crank",)}
LEADERS = {
    "a gear": (
        (
            follower("j1", "0 0 1", (0, 0, 0.5), "0.5*crank"),
            BASE[1],
            ELBOW,
            *WRIST,
        ),
        CRANK,
    ),
    "half": (
        (
            *turning(BASE, "j1"),
            follower("half", "1 0 0", (0.1, 0, 0.2), "0.5*j1"),
            ELBOW,
            *WRIST,
        ),
        {},
    ),
    "a third": (
        (
            *BASE,
            *turning((ELBOW,), "j3"),
            follower("third", "1 0 0", (0.1, 0, 0.2), "j3/3"),
            *WRIST,
        ),
        {},
    ),
    "never back": (
        (
            *turning(BASE, "j1"),
            follower("odd", "1 0 0", (0.1, 0, 0.2), "0.7182818*j1"),
            ELBOW,
            *WRIST,
        ),
        {},
    ),
    "a follower that slides": (
        (
            *turning(BASE, "j1"),
            follower("screw", "0 0 1", (0.1, 0, 0.2), "0.02*j1", slides=True),
            ELBOW,
            *WRIST,
        ),
        {},
    ),
}


@pytest.mark.parametrize("name", LEADERS)
def test_solutions_reach_their_goals_where_a_leader_turns_on_and_on(name):
    axes, settings = LEADERS[name]
    _env, arm = robot(axes, **settings)
    rng = np.random.default_rng(12)
    n_solutions = 0
    # each turn of a joint that is never back is another place
    far = 3.0 if name in {"never back", "a follower that slides"} else 9.0
    for _ in range(6):
        goal, _q = reached(arm, Kind.Transform6D, rng, far)
        for start in (np.zeros(6), rng.uniform(-2.9, 2.9, 6)):
            arm.arm_dof_values = start
            rows = arm.solve_ik(goal, all=True)
            one = arm.solve_ik(goal)
            assert one is not None
            n_solutions += len(rows)
            for row in (one, *rows, *arm.find_ik(goal).solutions):
                assert miss(arm, goal, row) < 1e-7
    assert n_solutions > 12


@pytest.mark.parametrize("name", ["half", "a third", "a gear"])
def test_the_numerical_solver_turns_leaders_by_whole_periods(name):
    axes, settings = LEADERS[name]
    _env, arm = robot(axes, **settings)
    arm.ik_solver = "Numerical"
    rng = np.random.default_rng(13)
    for _ in range(10):
        goal, q = reached(arm, Kind.Transform6D, rng)
        arm.arm_dof_values = rng.uniform(-3.0, 3.0, 6)
        one = arm.solve_ik(goal)
        assert one is not None
        assert miss(arm, goal, one) < 1e-7
        near = arm.ik_solver.solve(goal, q + 1e-5)
        np.testing.assert_allclose(near.solution, q, atol=1e-4)


def parallelogram(*, circular):
    """A bar that a circular crank leads against the shoulder, solved in closed form."""
    return robot(
        (*BASE, follower("j3", "0 1 0", (0, 0, 0.7), "0.5*crank-j2"), *WRIST),
        cranks=[("crank", "l1", ROUND if circular else (-6.0, 6.0))],
        turning=("crank",) if circular else (),
    )


def test_both_turns_of_a_leader_at_half_rate_are_solutions():
    _env, arm = parallelogram(circular=True)
    rng = np.random.default_rng(14)
    for _ in range(10):
        goal, q = reached(arm, Kind.Transform6D, rng)
        found = arm.find_ik(goal)
        assert found.complete
        assert isinstance(arm.ik_solver.method(Kind.Transform6D), CompoundMethod)
        with arm.robot.preserve_state():
            arm.arm_dof_values = q
            q = arm.arm_dof_values
        periods = arm.robot.model.circular_periods[arm.arm_indices]
        off = angle_difference(found.solutions - q, periods)
        assert np.abs(off).max(axis=1).min() < 1e-7
        for row in found.solutions:
            assert miss(arm, goal, row) < 1e-7
        crank = found.solutions[:, -1]
        assert (np.abs(crank) <= TURN + 1e-9).all()


def test_wide_limits_leave_the_period_that_is_inside():
    axes = (*BASE, follower("j3", "0 1 0", (0, 0, 0.7), "0.5*crank-j2"), *WRIST)
    _env, arm = robot(axes, cranks=[("crank", "l1", (20.0, 60.0))])
    lower, upper = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    rng = np.random.default_rng(15)
    for _ in range(5):
        goal, _q = reached(arm, Kind.Transform6D, rng)
        rows = arm.solve_ik(goal, all=True)
        assert len(rows)
        for row in rows:
            assert miss(arm, goal, row) < 1e-7
            assert (row >= lower).all()
            assert (row <= upper).all()


def periods_of(arm):
    limits = (bound[arm.arm_indices] for bound in arm.robot.dof_limits)
    return joint_periods([ArmChain.from_manipulator(arm)], *limits)


def test_periods_of_chains():
    for name, first in {
        "half": 2 * TURN,
        "never back": math.inf,
        "a follower that slides": math.inf,
    }.items():
        _env, arm = robot(LEADERS[name][0])
        assert periods_of(arm) == pytest.approx([first, *[TURN] * 5])
    env = pyrave.load("robots/arms/stanford.robot.xml")
    arm = env.robots[0].manipulators[0]
    slides = ArmChain.from_manipulator(arm).screws[:, 6] != 0.0
    np.testing.assert_allclose(periods_of(arm), np.where(slides, np.inf, TURN))


def test_a_follower_that_stops_at_its_limit_has_no_period():
    axes = (
        BASE[0],
        Axis("j2", "0 1 0", (0.2, 0, 0), (-50.0, 50.0)),
        follower("twice", "1 0 0", (0.1, 0, 0.2), "-2*j2"),
        ELBOW,
        *WRIST,
    )
    _env, arm = robot(axes)
    assert periods_of(arm)[1] == math.inf
    rng = np.random.default_rng(19)
    for _ in range(3):
        goal, _q = reached(arm, Kind.Transform6D, rng)
        for row in arm.solve_ik(goal, all=True):
            assert miss(arm, goal, row) < 1e-7


@pytest.mark.parametrize("name", ["jaco2_6s", "gen3"])
def test_the_nearest_is_first_the_short_way_round(name):
    """A joint at 3.1 is nearer to -3.1 than to 2.5."""
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    robot = env.robots[0]
    arm = robot.manipulators[0]
    rng = np.random.default_rng(16)
    lower, upper = np.clip(robot.dof_limits, -math.pi, math.pi)
    circular = robot.model.circular[: robot.dof]
    for _ in range(10):
        q = rng.uniform(lower, upper)
        q[circular] = rng.choice([-3.13, 3.13], circular.sum())
        robot.dof_values = q
        goal = arm.transform
        # across the seam
        q[circular] = -q[circular]
        robot.dof_values = q
        found = arm.find_ik(goal, q0=q).solutions
        ways = [float((robot.subtract_dof_values(row, q) ** 2).sum()) for row in found]
        assert ways == sorted(ways)
        one = arm.ik_solver.solve(IkParameterization.transform_6d(goal), q).solution
        way = ((one - q) ** 2).sum()
        assert way <= ways[0] + 1e-9
        if not arm.ik_solver.get_num_free_parameters():
            assert way == pytest.approx(ways[0], abs=1e-9)


def test_a_searched_arm_takes_the_short_way_round():
    _env, arm = robot(LEADERS["half"][0])
    arm.ik_solver = "Analytic free j6 0.5"
    q = np.array([TURN - 0.02, 0.4, 0.6, -0.5, 0.7, 0.1])
    arm.robot.set_dof_values(q, arm.arm_indices, LimitCheck.NONE)
    goal = arm.ik_parameterization(Kind.Transform6D)
    q[0] = -TURN + 0.02
    found = arm.ik_solver.solve(goal, q).solution
    assert found is not None
    assert abs(found[0] - q[0]) < 0.1


SCARA = ("cobra600", "TranslationXAxisAngleZNorm4D")


@pytest.mark.parametrize("solver", ["Analytic", "Numerical"])
def test_a_direction_along_the_normal_has_no_angle(solver):
    env = pyrave.load(f"robots/arms/{SCARA[0]}.robot.xml")
    arm = env.robots[0].manipulators[0]
    rng = np.random.default_rng(17)
    lower, upper = np.clip(arm.robot.dof_limits, -2.0, 2.0)
    for direction, meets in (
        ((1, 0, 0), True),
        ((0, 0, 1), False),
        ((0, 0, -1), False),
    ):
        arm.direction = direction
        arm.ik_solver = solver
        for q in rng.uniform(lower, upper, (5, len(lower))):
            arm.robot.dof_values = q
            place = arm.transform[:3, 3]
            goal = IkParameterization.translation_axis_angle_norm_4d("x", place, 0.0)
            if meets:
                goal = arm.ik_parameterization(SCARA[1])
                rows = arm.solve_ik(goal, all=True)
                assert len(rows)
                assert max(miss(arm, goal, row) for row in rows) < 1e-7
            elif solver == "Analytic":
                assert not arm.ik_solver.supports(goal.type)
            else:
                assert arm.solve_ik(goal) is None


@pytest.mark.parametrize(
    ("kind", "normal"),
    [
        ("TranslationXAxisAngleZNorm4D", 2),
        ("TranslationYAxisAngleXNorm4D", 0),
        ("TranslationZAxisAngleYNorm4D", 1),
    ],
)
@pytest.mark.parametrize("name", ["puma560", "ur5"])
def test_no_solution_has_its_direction_along_the_normal(name, kind, normal):
    """Held joints at values at which the direction can only be along the normal."""
    env = pyrave.load(f"robots/arms/{name}.robot.xml")
    arm = env.robots[0].manipulators[0]
    rng = np.random.default_rng(18)
    n_solutions = 0
    for q in rng.uniform(-2.0, 2.0, (4, 6)):
        arm.arm_dof_values = q
        goal = arm.ik_parameterization(kind)
        rows = arm.solve_ik(goal, all=True)
        n_solutions += len(rows)
        for row in rows:
            arm.arm_dof_values = row
            pointing = arm.transform[:3, :3] @ arm.direction
            shadow = np.delete(pointing, normal)
            assert np.linalg.norm(shadow) > 1e-7
            assert goal.distance2(arm.ik_parameterization(kind)) < 1e-12
    assert n_solutions
