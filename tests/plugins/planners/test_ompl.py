"""OMPL's planners in scenes of which the free space is known."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from planning_scenes import box_around, clearance, gap, plan, plane_of, problem, wall

import pyrave
from pyrave import PlannerStatusCode as Code
from pyrave_ompl import library
from pyrave_ompl.planners import FEASIBLE, OPTIMISING

START, GOAL = (-0.7, 0.3), (0.7, -0.2)
POST = [wall("post", (0.1, 0.4, 0.2), (0.0, 0.0, 0.0))]


def test_a_missing_library_is_named(monkeypatch):
    library.ompl.cache_clear()
    monkeypatch.setitem(sys.modules, "ompl.base", None)
    try:
        with pytest.raises(pyrave.InterfaceCreationError) as caught:
            pyrave.Environment().create("planner", "OMPL_RRT")
    finally:
        library.ompl.cache_clear()
    assert "pip install 'pyrave[planning]'" in str(caught.value)


@pytest.fixture
def _ompl():
    pytest.importorskip("ompl")


@pytest.mark.usefixtures("_ompl")
@pytest.mark.parametrize("name", [*FEASIBLE, *OPTIMISING])
def test_each_planner_goes_around_a_post(name):
    env, robot = plane_of(*POST)
    parameters = problem(robot, START, GOAL, max_iterations=3000)
    status, path, planner = plan(env, robot, parameters, f"OMPL_{name}")
    assert status, status.description
    np.testing.assert_array_equal(path[[0, -1]], [START, GOAL])
    assert clearance(path, POST) > 0.0
    assert planner.statistics.iterations > 1
    again = plan(env, robot, parameters, f"OMPL_{name}")[1]
    np.testing.assert_array_equal(path, again)


@pytest.mark.usefixtures("_ompl")
def test_another_seed_finds_another_path():
    env, robot = plane_of(*POST)
    paths = []
    for seed in (0, 1):
        parameters = problem(robot, START, GOAL, random_seed=seed)
        parameters.extra["shortcuts"] = "0"
        paths.append(plan(env, robot, parameters, "OMPL_RRT")[1])
    assert not np.array_equal(*paths)


@pytest.mark.usefixtures("_ompl")
def test_constraints_ends_and_errors_of_users():
    env, robot = plane_of(*gap(0.6))
    parameters = problem(robot, [(0.0, 0.9), START], [GOAL, (0.5, 0.5)])
    parameters.check_path_constraints = lambda _, q: bool(q[1] > -0.1)
    status, path, _ = plan(env, robot, parameters, "OMPL_RRTConnect")
    assert status, status.description
    assert path[0].tolist() == list(START)
    assert path[-1].tolist() == [0.5, 0.5]
    assert (path[:, 1] > -0.1).all()

    def fails(one, other):
        raise ZeroDivisionError("mine")

    parameters.check_path_constraints = fails
    with pytest.raises(ZeroDivisionError, match="mine"):
        plan(env, robot, parameters, "OMPL_RRTConnect")


@pytest.mark.usefixtures("_ompl")
def test_no_way_and_wrong_settings_end_in_words():
    env, robot = plane_of(*box_around(0.7, -0.2, 0.2))
    parameters = problem(robot, START, GOAL, max_planning_time=0.3)
    status, _, _ = plan(env, robot, parameters, "OMPL_RRTConnect")
    assert status.code == Code.TIME_BASED
    parameters = problem(robot, START, GOAL, extra={"range": "1"})
    status, _, _ = plan(env, robot, parameters, "OMPL_FMT")
    assert "no range" in status.description
    parameters = problem(robot, START, (), sample_goal=lambda: None)
    status, _, _ = plan(env, robot, parameters, "OMPL_RRTConnect")
    assert "BiRRT does" in status.description


@pytest.mark.usefixtures("_ompl")
def test_callbacks_interrupt():
    env, robot = plane_of(*box_around(0.7, -0.2, 0.2))
    planner = env.create("planner", "OMPL_RRTConnect")
    assert planner.init_plan(robot, problem(robot, START, GOAL))
    with planner.register_progress_callback(lambda _: pyrave.PlannerAction.INTERRUPT):
        status = planner.plan_path(env.create("trajectory", ""))
    assert status.code == Code.INTERRUPTED
