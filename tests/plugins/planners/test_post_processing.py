"""Planners that take over the path of a search."""

from __future__ import annotations

import numpy as np
import pytest
from planning_scenes import clearance, gap, plan, plane_of, problem

from pyrave.planning import verify
from pyrave.planning.search.planner import SearchPlanner

START, GOAL = (-0.7, 0.6), (0.7, 0.5)
SMOOTHER = ("ParabolicSmoother", "<_nmaxiterations>30</_nmaxiterations>")


@pytest.mark.parametrize("planner", ["BiRRT", "BasicRRT"])
def test_a_smoother_makes_a_motion_of_the_path(planner):
    walls = gap(0.3)
    env, robot = plane_of(*walls)
    parameters = problem(robot, START, GOAL, post_processing=(SMOOTHER,))
    made = env.create("planner", planner)
    trajectory = env.create("trajectory", "")
    assert made.init_plan(robot, parameters)
    status = made.plan_path(trajectory)
    assert status, status.description
    assert trajectory.duration > 0.0
    assert verify(robot, trajectory) == ()
    values = parameters.specification
    rows = trajectory.sample_points(np.linspace(0, trajectory.duration, 500), values)
    assert clearance(rows, walls) > -1e-3
    assert np.allclose(rows[[0, -1]], [START, GOAL])


def test_a_chain_as_openraves_text_and_one_inside_the_other():
    env, robot = plane_of(*gap(0.3))
    inner = (
        '<_postprocessing planner="shortcut_linear">'
        "<_nmaxiterations>50</_nmaxiterations>"
        '<_postprocessing planner="LinearSmoother"></_postprocessing>'
        "</_postprocessing>"
    )
    parameters = problem(robot, START, GOAL, extra={"shortcuts": "0"})
    _, rough, _ = plan(env, robot, parameters, "BasicRRT")
    parameters.read_xml(f"<PlannerParameters>{inner}</PlannerParameters>")
    assert parameters.post_processing[0][0] == "shortcut_linear"
    trajectory = env.create("trajectory", "")
    made = env.create("planner", "BasicRRT")
    assert made.init_plan(robot, parameters)
    assert made.plan_path(trajectory)
    assert trajectory.duration > 0.0
    found = trajectory.get_waypoints(spec=parameters.specification)
    lengths = [
        np.linalg.norm(np.diff(one, axis=0), axis=1).sum() for one in (rough, found)
    ]
    assert lengths[1] < lengths[0]


def test_each_planner_of_a_chain_is_called_once():
    called = []

    class Counting(SearchPlanner):
        contract = 2
        needs_path = True

        def search(self, problem, space):
            called.append("search")
            return np.array([START, GOAL])

        def plan_path(self, trajectory, options=0):
            called.append("plan")
            return super().plan_path(trajectory, options)

    env, robot = plane_of()
    env.register("planner", "Counting", Counting)
    inner = '<_postprocessing planner="Counting"></_postprocessing>'
    parameters = problem(robot, START, GOAL, post_processing=(("BiRRT", inner),))
    trajectory = env.create("trajectory", "")
    made = env.create("planner", "BiRRT")
    assert made.init_plan(robot, parameters)
    assert made.plan_path(trajectory)
    assert called == ["plan", "search"]
    assert len(trajectory) == 2


@pytest.mark.parametrize(
    ("chain", "said"),
    [
        ((("NoSuch", ""),), "no installed plugin offers planner 'NoSuch'"),
        ((("LinearSmoother", "<_nmaxiterations>x</_nmaxiterations>"),), "'x'"),
        ((("LinearSmoother", "<broken"),), "LinearSmoother"),
        ((("BiRRT", "<range>wide</range>"),), "range of BiRRT is 'wide'"),
    ],
)
def test_what_fails_says_which_and_leaves_the_trajectory(chain, said):
    env, robot = plane_of(*gap(0.3))
    parameters = problem(robot, START, GOAL, post_processing=chain)
    trajectory = env.create("trajectory", "")
    made = env.create("planner", "BiRRT")
    assert made.init_plan(robot, parameters)
    status = made.plan_path(trajectory)
    assert not status
    assert f"post-processing by {chain[0][0]!r} failed" in status.description
    assert said in status.description
    assert len(trajectory) == 0
