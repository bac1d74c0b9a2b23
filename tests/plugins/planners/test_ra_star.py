"""RAStar where the free space and the shortest way are known."""

from __future__ import annotations

import heapq

import numpy as np
import pytest
from loops import each
from planning_scenes import box_around, clearance, gap, plan, plane_of, problem

from pyrave import PlannerStatusCode as Code
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.search.kernels import random_astar as kernel
from pyrave.planning.search.problem import Problem
from pyrave.planning.search.random_astar import RandomAStar

START, GOAL = (-0.7, 0.3), (0.7, -0.2)
FINE = {"radius": "0.15", "dist_thresh": "0.04", "shortcuts": "0"}


@each("seed", range(3))
def test_the_way_through_a_gap_is_nearly_the_shortest(seed):
    walls = gap(0.3)
    env, robot = plane_of(*walls)
    parameters = problem(robot, START, GOAL, random_seed=seed, extra=FINE)
    status, path, planner = plan(env, robot, parameters, "RAStar")
    assert status, status.description
    assert planner.statistics.compiled
    np.testing.assert_array_equal(path[[0, -1]], [START, GOAL])
    assert clearance(path, walls) > 0.0
    found = planner.statistics.found_length
    shortest = plan(
        env, robot, problem(robot, START, GOAL, max_planning_time=1.0), "RRTstar"
    )[2].statistics.length
    assert found < 1.15 * shortest
    again = plan(env, robot, parameters, "RAStar")[1]
    np.testing.assert_array_equal(path, again)


def test_a_greater_factor_goes_for_the_goal():
    env, robot = plane_of(*gap(0.3))
    nodes = []
    for factor in ("1", "3"):
        extra = {**FINE, "goal_coeff": factor}
        status, _, planner = plan(
            env, robot, problem(robot, START, GOAL, extra=extra), "RA*"
        )
        assert status, status.description
        nodes.append(planner.statistics.nodes)
    assert nodes[1] < nodes[0]


def test_several_goals_and_functions_of_the_user():
    env, robot = plane_of(*gap(0.6))
    parameters = problem(
        robot,
        START,
        [(0.9, 0.9), GOAL],
        check_path_constraints=lambda _, q: bool(q[1] < 0.4),
        extra={**FINE, "goal_coeff": "2"},
    )
    status, path, planner = plan(env, robot, parameters, "RAStar")
    assert status, status.description
    assert not planner.statistics.compiled
    assert (path[:, 1] < 0.4).all()
    assert planner.send_command("GetGoalIndex") == "1"


def test_in_python_the_clock_is_asked_after_each_node():
    env, robot = plane_of(*gap(0.3))
    parameters = problem(robot, START, GOAL, extra=FINE, max_iterations=5)
    parameters.check_path_constraints = lambda first, last: True
    planner, seen = env.create("planner", "RAStar"), []
    assert planner.init_plan(robot, parameters)
    with planner.register_progress_callback(lambda one: seen.append(one.iteration)):
        planner.plan_path(env.create("trajectory", ""))
    assert seen == [0, 1, 2, 3, 4, 5]


def test_it_ends_where_nothing_is_left():
    env, robot = plane_of(*box_around(-0.7, 0.3, 0.2))
    parameters = problem(robot, START, GOAL, extra=FINE)
    status, _, _ = plan(env, robot, parameters, "RAStar")
    assert status.code == Code.FAILED
    assert "is left that could get children" in status.description
    parameters = problem(robot, START, GOAL, extra=FINE, max_iterations=3)
    status, _, _ = plan(env, robot, parameters, "RAStar")
    assert "max_iterations allows more" in status.description


@pytest.mark.parametrize(
    ("extra", "said"),
    [
        ({"radius": "0.02"}, "less than 'radius'"),
        ({"radius": "wide"}, "radius of RAStar is 'wide'"),
        ({"goal_coeff": "-1"}, "goal_coeff of RAStar is -1"),
        ({"max_children": "0"}, "max_children of RAStar is 0"),
        ({"max_sample_tries": "1e5"}, "from 1 to 1000"),
    ],
)
def test_parameters_without_meaning_are_refused(extra, said):
    env, robot = plane_of()
    status, _, _ = plan(env, robot, problem(robot, START, GOAL, extra=extra), "RAStar")
    assert not status
    assert said in status.description


def test_a_way_begins_at_the_best_of_many_starts():
    env, robot = plane_of()
    parameters = problem(robot, START, GOAL, extra=FINE)
    rows = np.linspace((-0.9, -0.9), (0.9, -0.9), 5000)
    parameters.initial_configuration = rows.ravel()
    status, path, _ = plan(env, robot, parameters, "RAStar")
    assert status, status.description
    assert path[0, 1] == -0.9
    np.testing.assert_array_equal(path[-1], GOAL)


def test_openraves_text_says_the_same():
    env, robot = plane_of(*gap(0.3))
    by_name = problem(robot, START, GOAL, extra={**FINE, "goal_coeff": "2"})
    by_text = problem(robot, START, GOAL, extra={"shortcuts": "0"})
    by_text.read_xml(
        "<PlannerParameters><radius>0.15</radius><distthresh>0.04</distthresh>"
        "<goalcoeff>2</goalcoeff></PlannerParameters>"
    )
    paths = [plan(env, robot, one, "RAStar")[1] for one in (by_name, by_text)]
    np.testing.assert_array_equal(*paths)


def test_nodes_keep_apart_and_the_heap_gives_the_best():
    _, robot = plane_of()
    parameters = problem(robot, START, GOAL)
    space = JointSpace(robot)
    made = RandomAStar(
        space,
        Problem.from_parameters(robot, parameters),
        np.array([START]),
        # out of reach of so few steps
        np.array([(0.95, -0.95)]),
        radius=0.08,
        apart=0.05,
        factor=1.0,
        children=4,
        tries=10,
    )
    for _ in range(3):
        assert made.expand(30) is False
    count, waiting = made.count, int(made._state[kernel.WAITING])
    nodes = made._nodes[0, :, :count].T
    gaps = np.linalg.norm(nodes[:, None] - nodes, axis=2)
    assert gaps[~np.eye(count, dtype=bool)].min() >= 0.05
    costs, parents, heap = made._costs, made._rows[0], made._rows[1, :waiting]
    assert waiting == count - made.expanded
    keys = [(float(costs[1, row]), int(row)) for row in heap]
    assert keys[0] == min(keys)
    assert all(keys[(k - 1) // 2] <= keys[k] for k in range(1, waiting))
    heapq.heapify(keys)
    for row in range(1, count):
        way = np.linalg.norm(nodes[row] - nodes[parents[row]])
        assert 0.05 <= way <= 0.08 + 1e-12
        assert np.isclose(costs[0, row], costs[0, parents[row]] + way)
        rest = np.linalg.norm(nodes[row] - (0.95, -0.95))
        assert np.isclose(costs[1, row], costs[0, row] + rest)
