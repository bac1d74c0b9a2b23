"""Starts and goals beyond limits by rounding: encoders, solvers, single precision."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.kinematics import LimitCheck
from pyrave.planning import PlanFailureCode

PLANNERS = ("BiRRT", "OMPL_RRTConnect")
ROUNDING = (4e-16, 1e-12, 1e-9, 7e-8, 9.9e-7)


@pytest.fixture(scope="module")
def robot():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    robot.set_active_dofs(robot.active_manipulator.arm_indices)
    return robot


def beyond(robot, amount, joint=0):
    """Return values of which one is beyond its upper limit by an amount."""
    values = np.array([0.0, 0.5, 0.0, 1.0, 0.0, 1.0, 0.0])
    values[joint] = robot.active.limits[1][joint] + amount
    return values


@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.parametrize("amount", ROUNDING)
def test_rounding_is_taken_at_the_limit(robot, planner, amount):
    if planner.startswith("OMPL"):
        pytest.importorskip("ompl")
    there = beyond(robot, amount)
    away = beyond(robot, -1.0)
    limit = robot.active.limits[1][0]
    out = robot.plan(values=away, start=there, planner=planner)
    assert out, out.cause
    assert out.path[0, 0] == limit
    back = robot.plan(values=there, start=away, planner=planner)
    assert back, back.cause
    assert back.path[-1, 0] == limit
    rows = back.trajectory.sample_points(
        np.linspace(0.0, back.trajectory.duration, 101),
        robot.active.configuration_specification(),
    )
    assert (rows[:, 0] <= limit + 1e-9).all()


def test_where_the_robot_stands_is_taken_at_the_limit(robot):
    with robot.preserve_state():
        values = beyond(robot, 0.0)
        values[0] = np.nextafter(np.float32(values[0]), np.float32(9.0))
        assert values[0] > robot.active.limits[1][0]
        robot.set_dof_values(values, range(7), limits=LimitCheck.NONE)
        assert robot.plan(values=beyond(robot, -0.5))


@pytest.mark.parametrize("planner", PLANNERS)
def test_more_is_refused_with_the_amount(robot, planner):
    if planner.startswith("OMPL"):
        pytest.importorskip("ompl")
    refused = robot.plan(
        values=beyond(robot, -1.0), start=beyond(robot, 1e-4), planner=planner
    )
    assert refused.failure.code is PlanFailureCode.START_LIMITS
    assert "0.0001 above" in refused.failure.text
    (excess,) = refused.failure.limits
    assert excess.amount == pytest.approx(1e-4)
    refused = robot.plan(values=beyond(robot, 1e-4), planner=planner)
    assert refused.failure.code is PlanFailureCode.GOAL_LIMITS


def test_the_tolerance_is_set(robot):
    start, goal = beyond(robot, 1e-4), beyond(robot, -0.5)
    assert robot.plan(values=goal, start=start, limit_tolerance=2e-4)
    refused = robot.plan(values=goal, start=beyond(robot, 1e-8), limit_tolerance=0.0)
    assert refused.failure.code is PlanFailureCode.START_LIMITS
    with pytest.raises(ArgumentError, match="limit_tolerance"):
        robot.plan(values=goal, limit_tolerance=-1.0)


def test_planners_alone_take_rounding_too(robot):
    made = pyrave.PlannerParameters()
    made.set_robot_active_joints(robot)
    made.initial_configuration = beyond(robot, 5e-7)
    made.goal_configuration = beyond(robot, -0.5)
    planner = robot.env.create("planner", "BiRRT")
    assert planner.init_plan(robot, made)
    path = robot.env.create("trajectory", "")
    assert planner.plan_path(path)
    assert path.get_waypoints()[0, 0] == robot.active.limits[1][0]
