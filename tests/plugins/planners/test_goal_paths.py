"""Paths to several goals, of which the shortest is returned."""

from __future__ import annotations

import numpy as np
import pytest
from loops import each
from moved_clock import MovedClock
from planning_scenes import box_around, clearance, gap, plan, plane_of, problem, wall

import pyrave
from pyrave import PlannerStatusCode as Code
from pyrave.planning.search import joint_space
from pyrave.planning.search.trees import TreePair

START, FAR, NEAR = (-0.7, 0.0), (-0.7, -0.9), (-0.3, 0.0)
POST = wall("post", (0.02, 0.15, 0.2), (-0.5, 0.0, 0.0))
SEALED = (0.7, -0.2)


def asked(robot, goals, paths, **fields):
    parameters = problem(robot, START, goals, **fields)
    parameters.extra = {"minimum_goal_paths": str(paths)}
    return parameters


def length(path):
    return np.linalg.norm(np.diff(path, axis=0), axis=1).sum()


@pytest.mark.parametrize("keeps", [None, lambda _a, _b: True], ids=["kernel", "Python"])
def test_a_goal_behind_a_post_is_nearer_than_one_in_sight(keeps):
    env, robot = plane_of(POST)
    fields = {"check_path_constraints": keeps}
    goals = [FAR, NEAR]
    status, path, planner = plan(env, robot, asked(robot, goals, 1, **fields))
    assert status, status.description
    assert planner.send_command("GetGoalIndex") == "0"
    assert length(path) == pytest.approx(0.9)
    status, path, planner = plan(env, robot, asked(robot, goals, 2, **fields))
    assert status, status.description
    assert planner.send_command("GetInitGoalIndices") == "0 1"
    np.testing.assert_array_equal(path[[0, -1]], [START, NEAR])
    assert length(path) < 0.75
    assert clearance(path, [POST]) > 0.0
    found = planner.statistics
    assert found.goal_paths == 2
    assert found.compiled == (keeps is None)


@each("seed", range(3))
def test_the_shortest_of_all_that_were_found_is_returned(seed):
    """Each goal alone has the path that it has among others, or a longer one."""
    env, robot = plane_of(*gap(0.3))
    goals = [(0.8, 0.8), (0.3, 0.6), (0.5, -0.7), (0.9, 0.0)]
    parameters = asked(robot, goals, 4, random_seed=seed)
    status, path, planner = plan(env, robot, parameters)
    assert status, status.description
    assert planner.statistics.goal_paths == 4
    one, first, _ = plan(env, robot, asked(robot, goals, 1, random_seed=seed))
    assert one
    assert length(path) <= length(first) + 1e-9
    again = plan(env, robot, parameters)[1]
    np.testing.assert_array_equal(path, again)


def test_more_paths_than_goals_end_with_the_goals():
    env, robot = plane_of(POST)
    status, _, planner = plan(env, robot, asked(robot, [FAR, NEAR], 9))
    assert status, status.description
    assert planner.statistics.goal_paths == 2


@pytest.mark.parametrize("limit", ["max_iterations", "max_planning_time", "callback"])
def test_a_goal_that_nothing_reaches_costs_no_more_than_there_is(limit, monkeypatch):
    env, robot = plane_of(*box_around(*SEALED, 0.2))
    fields = {"max_iterations": 300, "max_planning_time": 0.3}
    fields = {limit: fields[limit]} if limit in fields else {}
    parameters = asked(robot, [SEALED, FAR], 2, **fields)
    planner = env.create("planner", "BiRRT")
    assert planner.init_plan(robot, parameters)
    answer = pyrave.PlannerAction.RETURN_WITH_ANY_SOLUTION
    if limit == "callback":
        planner.register_progress_callback(lambda _: answer)
    path = env.create("trajectory", "")
    clock = MovedClock(tick=0.005)
    clock.show_to(monkeypatch, "pyrave.planning", "pyrave_planners")
    status = planner.plan_path(path)
    assert clock.now < 1015.0  # of 20 seconds
    assert status.code == Code.HAS_SOLUTION
    np.testing.assert_array_equal(path.get_waypoints()[-1], FAR)
    assert planner.statistics.goal_paths == 1


def test_any_solution_is_waited_for_and_an_interrupt_is_not():
    env, robot = plane_of(*gap(0.3))
    for answer, code in (
        (pyrave.PlannerAction.RETURN_WITH_ANY_SOLUTION, Code.HAS_SOLUTION),
        (pyrave.PlannerAction.INTERRUPT, Code.INTERRUPTED),
    ):
        planner = env.create("planner", "BiRRT")
        assert planner.init_plan(robot, problem(robot, START, (0.7, 0.6)))
        with planner.register_progress_callback(lambda _, answer=answer: answer):
            assert planner.plan_path(env.create("trajectory", "")).code == code


def test_goals_that_are_sampled_count():
    env, robot = plane_of(POST)
    rng = np.random.default_rng(3)
    given = []

    def sample_goal():
        given.append(rng.uniform((0.2, -0.9), (0.9, 0.9)))
        return given[-1]

    parameters = asked(robot, (), 3, sample_goal=sample_goal)
    status, path, planner = plan(env, robot, parameters)
    assert status, status.description
    assert planner.statistics.goal_paths == 3
    assert any(np.array_equal(path[-1], one) for one in given)


def test_the_tag_of_openrave_says_it_too():
    env, robot = plane_of(POST)
    parameters = problem(robot, START, [FAR, NEAR])
    text = "<minimumgoalpaths>2</minimumgoalpaths>"
    parameters.read_xml(f"<PlannerParameters>{text}</PlannerParameters>")
    _, path, _ = plan(env, robot, parameters)
    np.testing.assert_array_equal(path[-1], NEAR)


def test_no_path_is_not_enough():
    env, robot = plane_of(POST)
    status, _, _ = plan(env, robot, asked(robot, [FAR], 0))
    assert "minimum_goal_paths of BiRRT is 0, expected" in status.description


def test_solutions_of_a_pose_are_compared():
    env = pyrave.load("scenes/shelf.env.xml")
    arm = env.robots["heron7"].active_manipulator
    goals = [np.array([x, 0.4, 0.0, 1.2, 0.0, 0.5, 0.0]) for x in (1.4, -0.8, 0.3)]
    found = {
        paths: arm.plan(values=goals, minimum_goal_paths=paths, timeout=20)
        for paths in (1, 3)
    }
    assert all(found.values()), found
    assert found[3].statistics.length <= found[1].statistics.length + 1e-9


def test_what_grew_from_a_root_goes_with_it():
    _, robot = plane_of(*gap(0.09))
    space = joint_space.JointSpace(robot)
    trees = TreePair(space, 2, 0.3)
    trees.add_root(0, np.array(START))
    roots = [(0.5, -0.7), (0.9, 0.9), (0.5, 0.5)]
    for one in roots:
        trees.add_root(1, np.array(one))
    assert not trees.grow(np.random.default_rng(1).uniform(-1.0, 1.0, (60, 2)))
    before = trees.as_data()[1]

    def root_of(row):
        parents = before["parents"]
        while parents[row] >= 0:
            row = parents[row]
        return row

    kept = [row for row in range(trees.counts[1]) if root_of(row) != 1]
    assert 4 < len(kept) < trees.counts[1] - 2
    trees.remove_root(1, 1)
    after = trees.as_data()[1]
    assert after["configurations"] == [before["configurations"][row] for row in kept]
    assert [kept[parent] for parent in after["parents"] if parent >= 0] == [
        before["parents"][row] for row in kept if before["parents"][row] >= 0
    ]
    trees.remove_root(1, 2)
    trees.remove_root(1, 0)
    assert trees.counts[1] == 0
