"""BasicRRT, ExplorationRRT and shortcut_linear where the free space is known."""

from __future__ import annotations

import json

import numpy as np
import pytest
from loops import each
from planning_scenes import (
    RADIUS,
    box_around,
    clearance,
    gap,
    plan,
    plane_of,
    problem,
    wall,
)

import pyrave
from pyrave import PlannerStatusCode as Code

START, GOAL = (-0.7, 0.3), (0.7, -0.2)


@each("seed", range(3))
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


def shortest(walls, start, goal):
    """Return the length of the shortest way of the ball around one post, closed form.

    Two tangents and an arc at the radius of the ball around a corner of the post.
    """
    (post,) = walls
    half = np.array(post.links[0].geometries[0].shape.half_extents)[:2]
    lengths = []
    for side in (-1.0, 1.0):
        total = 2.0 * half[0]
        for point, x, sense in ((start, -1.0, -side), (goal, 1.0, side)):
            corner = np.array([x * half[0], side * half[1]])
            touched, angle = tangent(np.array(point), corner, sense)
            total += np.hypot(*(touched - point))
            total += RADIUS * abs(angle - 0.5 * np.pi * side)
        lengths.append(total)
    return min(lengths)


def tangent(point, centre, sense):
    """Return where a tangent from a point touches the circle, and at which angle."""
    way = point - centre
    far = np.hypot(*way)
    angle = np.arctan2(way[1], way[0]) + sense * np.arccos(RADIUS / far)
    angle = np.arctan2(np.sin(angle), np.cos(angle))
    return centre + RADIUS * np.array([np.cos(angle), np.sin(angle)]), angle


def test_optimal_paths_tend_to_the_shortest_one():
    walls = [wall("post", (0.1, 0.4, 0.2), (0.0, 0.0, 0.0))]
    env, robot = plane_of(*walls)
    start, goal = (-0.6, -0.1), (0.6, -0.1)
    expected = shortest(walls, start, goal)
    lengths = []
    for samples in (200, 20_000):
        parameters = problem(robot, start, goal, max_iterations=samples)
        parameters.extra["shortcuts"] = "0"
        status, path, planner = plan(env, robot, parameters, "RRTstar")
        assert status, status.description
        assert clearance(path, walls) > 0.0
        lengths.append(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
        assert planner.statistics.iterations >= samples
        if samples == 200:
            again = plan(env, robot, parameters, "RRTstar")[1]
            np.testing.assert_array_equal(path, again)
    assert expected < lengths[1] < 1.01 * expected
    assert lengths[1] <= lengths[0]


def test_optimal_paths_take_the_time_that_there_is():
    env, robot = plane_of(wall("post", (0.1, 0.4, 0.2), (0.0, 0.0, 0.0)))
    parameters = problem(robot, START, GOAL, max_planning_time=0.5)
    plan(env, robot, parameters, "RRTstar")  # compiled now
    status, _, planner = plan(env, robot, parameters, "RRTstar")
    assert status, status.description
    assert status.seconds > 0.4
    assert planner.statistics.nodes > 100


def test_optimal_paths_keep_constraints():
    env, robot = plane_of(*gap(0.6))
    parameters = problem(
        robot,
        START,
        GOAL,
        check_path_constraints=lambda _, q: bool(q[1] > -0.25),
        max_iterations=60,
    )
    status, path, planner = plan(env, robot, parameters, "RRTstar")
    assert status, status.description
    assert not planner.statistics.compiled
    assert (path[:, 1] > -0.25).all()


def test_a_straight_way_is_not_the_shortest_one_where_a_goal_is_nearer():
    env, robot = plane_of(wall("post", (0.02, 0.15, 0.2), (-0.5, 0.0, 0.0)))
    near, far = (-0.3, 0.0), (-0.7, -0.9)
    parameters = problem(robot, (-0.7, 0.0), [far, near], max_iterations=3000)
    status, path, planner = plan(env, robot, parameters, "RRTstar")
    assert status, status.description
    np.testing.assert_array_equal(path[-1], near)
    assert planner.send_command("GetGoalIndex") == "1"


@pytest.mark.parametrize("keeps", [None, lambda _a, _b: True], ids=["kernel", "Python"])
def test_one_tree_asks_a_function_where_the_goal_is(keeps):
    walls = gap(0.4)
    env, robot = plane_of(*walls)
    parameters = problem(robot, START, (), check_path_constraints=keeps)
    parameters.goal = lambda q: max(0.0, 0.5 - q[0])
    status, path, planner = plan(env, robot, parameters, "BasicRRT")
    assert status, status.description
    assert path[-1, 0] >= 0.4999
    assert clearance(path, walls) > 0.0
    assert planner.statistics.compiled == (keeps is None)
    parameters.goal = lambda _: "near"
    with pytest.raises(pyrave.ArgumentError, match="goal of the planner's parameters"):
        plan(env, robot, parameters, "BasicRRT")


def test_exploring_asks_for_places_beside_a_node():
    env, robot = plane_of()
    asked = []

    def sample_neighbour(node, distance):
        asked.append(distance)
        return None if len(asked) % 3 == 0 else node + np.array([0.01, 0])

    parameters = problem(robot, START, (), sample_neighbour=sample_neighbour)
    parameters.extra = {"exploration_probability": "1", "exploration_size": "20"}
    status, path, _ = plan(env, robot, parameters, "ExplorationRRT")
    assert status, status.description
    assert len(path) == 20
    np.testing.assert_allclose(path[:, 1], START[1])
    assert len(asked) > 20
    assert min(asked) > 0.0


@pytest.mark.parametrize(
    ("planner", "fields", "said"),
    [
        ("BiRRT", {"goal": lambda _: 0.0}, "BiRRT does not ask parameters.goal"),
        ("RRTstar", {"cost": lambda _: 1.0}, "RRTstar does not ask parameters.cost"),
        ("RAStar", {"sample_neighbour": lambda _q, _d: None}, "sample_neighbour"),
        ("BiRRT", {"goal_velocities": np.ones(2)}, "begin and end at rest"),
        ("BasicRRT", {"initial_velocities": np.ones(2)}, "begin and end at rest"),
    ],
)
def test_what_a_planner_has_no_use_for_is_refused(planner, fields, said):
    env, robot = plane_of()
    parameters = problem(robot, START, GOAL)
    for name, value in fields.items():
        setattr(parameters, name, value)
    status, _, _ = plan(env, robot, parameters, planner)
    assert not status
    assert said in status.description


def test_velocities_of_zero_are_those_of_rest():
    env, robot = plane_of()
    parameters = problem(robot, START, GOAL, goal_velocities=np.zeros(2))
    assert plan(env, robot, parameters)[0]
