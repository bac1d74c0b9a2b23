"""BasicRRT, ExplorationRRT and shortcut_linear where the free space is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from planning_scenes import box_around, clearance, gap, plan, plane_of, problem

from pyrave import PlannerStatusCode as Code

START, GOAL = (-0.7, 0.3), (0.7, -0.2)


@pytest.mark.parametrize("seed", range(3))
def test_one_tree_finds_a_gap(seed):
    walls = gap(0.3)
    env, robot = plane_of(*walls)
    parameters = problem(robot, START, [(0.0, 0.9), GOAL], random_seed=seed)
    status, path, planner = plan(env, robot, parameters, "BasicRRT")
    assert status, status.description
    np.testing.assert_array_equal(path[[0, -1]], [START, GOAL])
    assert clearance(path, walls) > 0.0
    assert planner.send_command("GetGoalIndex") == "1"
    again = plan(env, robot, parameters, "BasicRRT")[1]
    np.testing.assert_array_equal(path, again)


def test_one_tree_in_python_keeps_constraints():
    env, robot = plane_of(*gap(0.6))
    parameters = problem(
        robot, START, GOAL, check_path_constraints=lambda _, q: bool(q[1] < 0.4)
    )
    status, path, planner = plan(env, robot, parameters, "BasicRRT")
    assert status, status.description
    assert not planner.statistics.compiled
    assert (path[:, 1] < 0.4).all()


def test_one_tree_gives_up():
    env, robot = plane_of(*box_around(0.7, -0.2, 0.2))
    parameters = problem(robot, START, GOAL, max_iterations=200)
    status, _, _ = plan(env, robot, parameters, "BasicRRT")
    assert status.code == Code.FAILED
    assert "200 samples" in status.description


@pytest.mark.parametrize("share", ["0", "0.5"])
def test_exploring_stays_in_the_box(share):
    walls = box_around(-0.7, 0.3, 0.25)
    env, robot = plane_of(*walls)
    extra = {"exploration_size": "80", "exploration_probability": share}
    parameters = problem(robot, START, (), extra=extra)
    status, rows, planner = plan(env, robot, parameters, "ExplorationRRT")
    assert status, status.description
    assert rows.shape == (80, 2)
    assert (np.abs(rows - START) < 0.2).all()
    assert np.ptp(rows, axis=0).min() > 0.15
    (tree,) = json.loads(planner.send_command("DumpTree"))
    np.testing.assert_array_equal(tree["configurations"], rows)
    parents = tree["parents"]
    assert parents[0] == -1
    assert all(0 <= parent < k for k, parent in enumerate(parents[1:], 1))


def test_exploring_has_no_goal():
    env, robot = plane_of()
    status, _, _ = plan(env, robot, problem(robot, START, GOAL), "ExplorationRRT")
    assert not status
    assert "no goal" in status.description


def given_path(env, robot, rows):
    trajectory = env.create("trajectory", "")
    trajectory.init(problem(robot, START, GOAL).specification)
    trajectory.insert(0, np.asarray(rows, float))
    return trajectory


DETOUR = [START, (-0.7, 0.9), (-0.2, 0.9), (-0.2, 0.0), (0.2, 0.0), (0.7, 0.9), GOAL]


def test_shortcuts_of_a_path():
    walls = gap(0.3)
    env, robot = plane_of(*walls)
    planner = env.create("planner", "shortcut_linear")
    assert planner.init_plan(robot, problem(robot, (), ()))
    trajectory = given_path(env, robot, DETOUR)
    status = planner.plan_path(trajectory)
    assert status, status.description
    path = trajectory.get_waypoints()
    np.testing.assert_array_equal(path[[0, -1]], [START, GOAL])
    assert clearance(path, walls) > 0.0
    found = planner.statistics
    # the shortest way passes the ends of the walls at the radius of the ball
    assert found.length < 1.1 * found.straight_length
    assert found.found_length > 2.0 * found.length


def test_shortcuts_need_a_free_path():
    env, robot = plane_of(*gap(0.3))
    planner = env.create("planner", "shortcut_linear")
    assert planner.init_plan(robot, problem(robot, (), ()))
    trajectory = given_path(env, robot, [START, (0.0, 0.9), GOAL])
    before = trajectory.get_waypoints()
    status = planner.plan_path(trajectory)
    assert not status
    assert "waypoints 0 and 1" in status.description
    np.testing.assert_array_equal(trajectory.get_waypoints(), before)
    empty = planner.plan_path(env.create("trajectory", ""))
    assert not empty
    assert "no waypoints" in empty.description
