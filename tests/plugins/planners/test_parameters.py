"""Each parameter of a planner changes what it does."""

from __future__ import annotations

import numpy as np
import pytest
from planning_scenes import clearance, gap, plan, plane_of, problem, wall

import pyrave
from pyrave.planning import retime

START, GOAL = (-0.7, 0.6), (0.7, 0.6)


def searched(planner, *, extra=None, goal=GOAL, **fields):
    """Return the path and the statistics of a search through a gap."""
    env, robot = plane_of(*gap(0.3))
    parameters = problem(robot, START, goal, **fields)
    parameters.extra = extra or {}
    status, path, made = plan(env, robot, parameters, planner)
    assert status, status.description
    return path, made.statistics


@pytest.mark.parametrize(
    ("planner", "name", "few", "many", "what"),
    [
        ("BiRRT", "range", "0.8", "0.05", "nodes"),
        ("BasicRRT", "range", "0.8", "0.05", "nodes"),
        ("BiRRT", "shortcuts", "0", "200", "checks"),
        ("BasicRRT", "shortcuts", "0", "200", "checks"),
        ("RAStar", "dist_thresh", "0.09", "0.01", "nodes"),
        ("RAStar", "goal_coeff", "3", "0", "nodes"),
    ],
)
def test_extra_parameters_count(planner, name, few, many, what):
    fewer, more = (
        getattr(searched(planner, extra={name: text})[1], what) for text in (few, many)
    )
    assert fewer < more


@pytest.mark.parametrize(
    ("planner", "name", "values"),
    [
        ("BasicRRT", "goal_bias", ("0.01", "0.9")),
        ("RAStar", "radius", ("0.08", "0.5")),
        ("RAStar", "max_children", ("3", "20")),
        ("RAStar", "max_sample_tries", ("1", "50")),
    ],
)
def test_extra_parameters_make_other_searches(planner, name, values):
    first, second = (searched(planner, extra={name: text})[1] for text in values)
    assert (first.nodes, first.checks) != (second.nodes, second.checks)


def test_the_range_of_steps_is_kept():
    path, _ = searched("BiRRT", extra={"range": "0.06", "shortcuts": "0"})
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() <= 0.06 + 1e-12
    path, _ = searched(
        "BiRRT", extra={"range": "0.01", "shortcuts": "0"}, step_length=0.05
    )
    steps = np.linalg.norm(np.diff(path, axis=0), axis=1)
    assert 0.049 < steps.max() <= 0.05 + 1e-12


def test_seeds_resolutions_and_weights_count():
    first, second = (searched("BiRRT", random_seed=seed)[0] for seed in (0, 1))
    assert first.shape != second.shape or (first != second).any()
    constrained = {"check_path_constraints": lambda _a, _b: True}
    rough, fine = (
        searched("BiRRT", resolutions=np.full(2, step), **constrained)[1]
        for step in (0.02, 0.005)
    )
    assert fine.checks > 2 * rough.checks
    one, two = (
        searched("BiRRT", weights=np.array([weight, 1.0]))[1] for weight in (1.0, 9.0)
    )
    assert two.straight_length > 2 * one.straight_length


def test_limits_bound_the_search():
    limits = np.array([-0.8, -0.1]), np.array([0.8, 0.65])
    path, _ = searched("BiRRT", lower_limits=limits[0], upper_limits=limits[1])
    assert (path >= limits[0]).all()
    assert (path <= limits[1]).all()


def test_samples_and_starts_of_the_user_are_taken():
    walls = gap(0.3)
    env, robot = plane_of(*walls)
    rng = np.random.default_rng(0)
    given, starts = [], []

    def sample():
        given.append(rng.uniform(-0.5, 0.5, 2))
        return given[-1]

    def sample_initial():
        starts.append(rng.uniform((-0.9, -0.9), (-0.2, 0.9)))
        return starts[-1]

    parameters = problem(robot, (), GOAL, sample=sample, sample_initial=sample_initial)
    status, path, _ = plan(env, robot, parameters)
    assert status, status.description
    assert given
    assert any(np.array_equal(path[0], one) for one in starts)
    assert clearance(path, walls) > 0.0


def test_links_have_limits_of_their_own():
    robot = pyrave.load("scenes/minimal.env.xml").robots["planar3r"]
    robot.set_active_dofs(range(3))
    points = np.array([[-1.0, 0.2, 0.2], [1.0, 0.4, 0.2]])
    durations = {}
    for name in ("", "maxlinkspeed", "maxlinkaccel", "maxmanipspeed", "maxmanipaccel"):
        parameters = pyrave.PlannerParameters()
        parameters.set_robot_active_joints(robot)
        parameters.extra = {name: "0.2"} if name else {}
        made = robot.env.create("trajectory", "")
        made.init(parameters.specification)
        made.insert(0, points)
        planner = robot.env.create("planner", "ConstraintParabolicSmoother")
        status = planner.init_plan(robot, parameters) and planner.plan_path(made)
        assert status, status.description
        durations[name] = made.duration
    free = durations.pop("")
    assert all(seconds > 1.1 * free for seconds in durations.values()), durations


def test_a_path_that_is_not_free_is_refused_unless_nobody_asks():
    env, robot = plane_of(wall("post", (0.05, 0.05, 0.2), (0.0, 0.05, 0.0)))
    path = np.array([START, (0.0, 0.05), (0.0, -0.5), GOAL])
    found = {}
    for text in ("1", "0"):
        parameters = problem(robot, (), ())
        parameters.extra = {"verifyinitialpath": text}
        made = env.create("trajectory", "")
        made.init(parameters.specification)
        made.insert(0, path)
        planner = env.create("planner", "ParabolicSmoother")
        assert planner.init_plan(robot, parameters)
        found[text] = planner.plan_path(made)
    assert "the path is not free: " in found["1"].description
    assert "post" in found["1"].description
    assert found["0"], found["0"].description


def test_limits_of_time_scale_motions():
    _, robot = plane_of()
    rows = np.array([START, GOAL])
    durations = []
    for part in (1.0, 0.5):
        robot.dof_velocity_limits = np.full(2, part)
        robot.dof_acceleration_limits = np.full(2, 4.0 * part)
        durations.append(retime(robot, rows).duration)
    assert durations[1] > 1.4 * durations[0]
