"""Retimers by libraries: their motions keep all limits between their ends."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from loops import each

import pyrave
from pyrave.interfaces import PlannerParameters
from pyrave.planning import time_optimal, verify
from pyrave_planners import library_retimers
from pyrave_planners.timing_planner import TimingProblem

NAMES = ("ruckig", "toppra")


@pytest.fixture
def robot():
    robot = pyrave.load("scenes/demo.env.xml").robots["heron7"]
    robot.limits.jerk = 30 * robot.dof_acceleration_limits
    robot.set_active_dofs(robot.active_manipulator.arm_indices)
    return robot


def problem(robot, **extra):
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(robot)
    parameters.extra = extra
    return parameters


def waypoints(robot, seed, count=5):
    rng = np.random.default_rng(seed)
    middle = np.clip(np.mean(robot.active.limits, axis=0), -1.5, 1.5)
    return middle + rng.uniform(-0.5, 0.5, (count, 7))


def retimed(robot, name, rows, parameters, *, columns=()):
    trajectory = robot.env.create("trajectory", "")
    spec = parameters.specification
    for add in columns:
        spec = add(spec)
    trajectory.init(spec)
    trajectory.insert(0, rows)
    planner = robot.env.create("planner", name)
    status = planner.init_plan(robot, parameters)
    return trajectory, planner.plan_path(trajectory) if status else status


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_limits_are_kept_through_all_waypoints(robot, name, seed):
    parameters = problem(robot)
    rows = waypoints(robot, seed)
    trajectory, status = retimed(robot, name, rows, parameters)
    assert status, status.description
    jerks = robot.limits.jerk if name == "ruckig" else None
    assert verify(robot, trajectory, collisions=False, jerk_limits=jerks) == ()
    times = np.linspace(0.0, trajectory.duration, 50_001)
    points = trajectory.sample_points(times, parameters.specification)
    assert points[[0, -1]] == pytest.approx(rows[[0, -1]], abs=1e-9)
    for row in rows:
        assert np.abs(points - row).max(axis=1).min() < 1e-3


def test_ruckig_stays_on_the_lines(robot):
    rows = waypoints(robot, 1, count=2)
    trajectory, _ = retimed(robot, "ruckig", rows, problem(robot))
    spec = problem(robot).specification
    points = trajectory.sample_points(np.linspace(0, trajectory.duration, 999), spec)
    way = rows[1] - rows[0]
    part = (points - rows[0]) @ way / (way @ way)
    assert np.abs(points - rows[0] - part[:, None] * way).max() < 1e-9


def test_toppra_takes_about_as_long_as_our_own(robot):
    rows = waypoints(robot, 4)
    parameters = problem(robot)
    trajectory, _ = retimed(robot, "toppra", rows, parameters)
    own = time_optimal(
        rows, parameters.velocity_limits, parameters.acceleration_limits, path="spline"
    )
    # slowed down where it passes limits
    assert 0.99 < trajectory.duration / own.duration < 1.2


def test_ruckig_keeps_durations_and_velocities(robot):
    rows = waypoints(robot, 2, count=3)
    spans = np.array([[0.0], [8.0], [9.0]])
    parameters = problem(robot, hastimestamps="1")
    add = type(parameters.specification).add_delta_time_group
    timed = np.hstack((rows, spans))
    trajectory, status = retimed(robot, "ruckig", timed, parameters, columns=[add])
    assert status, status.description
    assert trajectory.duration == pytest.approx(17.0)
    timed[1, -1] = 1e-3
    _, status = retimed(robot, "ruckig", timed, parameters, columns=[add])
    assert "0.001 s from waypoint 0 to 1 are too few" in status.description

    parameters = problem(robot, hasvelocities="1")
    rates = np.zeros_like(rows)
    rates[1] = 0.1
    both = np.hstack((rows, rates))
    spec = parameters.specification.add_derivative_groups(1)
    columns = [lambda _: spec]
    trajectory, status = retimed(robot, "ruckig", both, parameters, columns=columns)
    assert status, status.description
    found = trajectory.get_waypoints(0, None, spec)
    assert np.abs(found - both[1]).max(axis=1).min() < 1e-9
    assert verify(robot, trajectory, collisions=False) == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_path_that_stays_is_one(robot, name):
    rows = np.repeat(waypoints(robot, 0, count=1), 3, axis=0)
    trajectory, status = retimed(robot, name, rows, problem(robot))
    assert status, status.description
    assert trajectory.duration == 0.0


def test_what_they_cannot_do_is_said(robot):
    rows = waypoints(robot, 0)
    parameters = problem(robot, hastimestamps="1")
    add = type(parameters.specification).add_delta_time_group
    timed = np.hstack((rows, np.full((5, 1), 9.0)))
    _, status = retimed(robot, "toppra", timed, parameters, columns=[add])
    assert "toppra chooses times and velocities" in status.description
    parameters = problem(robot)
    parameters.jerk_limits = np.zeros(0)
    _, status = retimed(robot, "ruckig", rows, parameters)
    assert "no jerk_limits, which ruckig needs" in status.description
    # the spline turns back beyond the limit
    lower, upper = robot.active.limits
    rows[:, 0] = [lower[0], upper[0] - 1e-3, upper[0], upper[0] - 1e-3, lower[0]]
    _, status = retimed(robot, "toppra", rows, problem(robot))
    assert "passes the limits of value 0" in status.description


@pytest.mark.parametrize("name", NAMES)
def test_a_missing_library_is_named(robot, name, monkeypatch):
    monkeypatch.setitem(sys.modules, name, None)
    library_retimers._toppra.cache_clear()
    _, status = retimed(robot, name, waypoints(robot, 0), problem(robot))
    library_retimers._toppra.cache_clear()
    assert f"the library {name}" in status.description
    assert "pip install 'pyrave[planning]'" in status.description


def test_joints_that_hardly_move_stay_on_the_line(robot):
    rows = waypoints(robot, 1, count=2)
    rows[1, [1, 4]] = rows[0, [1, 4]]
    rows[1, 2] = rows[0, 2] + 1e-7
    trajectory, status = retimed(robot, "ruckig", rows, problem(robot))
    assert status, status.description
    spec = problem(robot).specification
    points = trajectory.sample_points(np.linspace(0, trajectory.duration, 999), spec)
    way = rows[1] - rows[0]
    part = (points - rows[0]) @ way / (way @ way)
    assert np.abs(points - rows[0] - part[:, None] * way).max() < 1e-9
    assert points[-1] == pytest.approx(rows[1], abs=1e-12)


@each("size", [1e-6, 1e3, 1e8])
@pytest.mark.parametrize("second", [1e-4, 1e4])
def test_units_do_not_matter_to_toppra(size, second):
    pytest.importorskip("toppra")
    rng = np.random.default_rng(8)
    planner = pyrave.Environment().create("planner", "toppra")
    parameters = PlannerParameters()
    for _ in range(4):
        points = np.cumsum(rng.normal(size=(5, 3)), axis=0)
        rates, changes = rng.uniform(0.5, 2, 3), rng.uniform(1, 5, 3)
        wide = np.full(3, 1e20)
        durations = []
        for by, per in ((1.0, 1.0), (size, second)):
            limits = by * rates / per, by * changes / per**2
            given = TimingProblem(by * points, None, None, *limits, None, -wide, wide)
            durations.append(planner._timed(given, parameters)[0].duration / per)
        assert durations[1] == pytest.approx(durations[0], rel=1e-6)
