"""BiRRT in scenes of which the free space is known."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from loops import each
from moved_clock import MovedClock
from planning_scenes import (
    RADIUS,
    box_around,
    clearance,
    dense,
    gap,
    plan,
    plane_of,
    problem,
    wall,
)

import pyrave
from pyrave import PlannerStatusCode as Code
from pyrave.planning.search import joint_space
from pyrave.planning.search.trees import TreePair

START, GOAL = (-0.7, 0.3), (0.7, -0.2)


def assert_solves(status, path, start=START, goal=GOAL):
    assert status, status.description
    np.testing.assert_array_equal(path[0], start)
    np.testing.assert_array_equal(path[-1], goal)


def test_a_free_motion_is_straight():
    env, robot = plane_of()
    status, path, planner = plan(env, robot, problem(robot, START, GOAL))
    assert_solves(status, path)
    assert len(path) == 2
    assert planner.statistics.iterations == 0
    assert planner.statistics.length == planner.statistics.straight_length


@pytest.mark.parametrize("width", [0.6, 2 * RADIUS + 0.02])
@each("seed", range(4))
def test_a_way_through_a_gap(width, seed):
    walls = gap(width)
    env, robot = plane_of(*walls)
    parameters = problem(robot, START, GOAL, random_seed=seed)
    status, path, planner = plan(env, robot, parameters)
    assert_solves(status, path)
    assert clearance(path, walls) > 0.0
    found = planner.statistics
    assert found.compiled
    assert found.straight_length <= found.length <= found.found_length
    assert found.length == pytest.approx(
        np.linalg.norm(robot.dof_weights * np.diff(path, axis=0), axis=1).sum()
    )


@pytest.mark.parametrize(
    "walls", [gap(2 * RADIUS - 0.002), box_around(0.7, -0.2, 0.2)], ids=["gap", "box"]
)
def test_no_way_ends_in_time(walls, monkeypatch):
    env, robot = plane_of(*walls)
    parameters = problem(robot, START, GOAL, max_planning_time=0.5)
    plan(env, robot, problem(robot, START, GOAL, max_iterations=1))  # compiled now
    clock = MovedClock(tick=0.05)
    clock.show_to(monkeypatch, "pyrave.planning", "pyrave_planners")
    status, path, _ = plan(env, robot, parameters)
    assert path is None
    assert status.code == Code.TIME_BASED
    assert "0.5 s" in status.description
    assert clock.now < 1001.0


def test_no_way_ends_after_so_many_samples():
    env, robot = plane_of(*box_around(0.7, -0.2, 0.2))
    parameters = problem(robot, START, GOAL, max_iterations=300)
    status, _, _ = plan(env, robot, parameters)
    assert status.code == Code.FAILED
    assert "300 samples" in status.description


@pytest.mark.parametrize(
    ("start", "goal", "bits"),
    [((0.0, 0.9), GOAL, Code.INITIAL), (START, (0.0, 0.9), Code.GOAL)],
)
def test_ends_in_collision_are_named(start, goal, bits):
    env, robot = plane_of(*gap(0.4))
    status, _, _ = plan(env, robot, problem(robot, start, goal))
    assert not status
    assert status.code == bits | Code.ENV_COLLISION
    assert "upper" in status.description
    assert "ball" in status.description


def test_several_ends():
    env, robot = plane_of(*gap(0.4))
    starts, goals = [(0.0, 0.9), START], [(0.0, -0.9), GOAL, (0.5, 0.5)]
    status, path, planner = plan(env, robot, problem(robot, starts, goals))
    assert_solves(status, path, goal=path[-1])
    assert path[-1].tolist() in [list(GOAL), [0.5, 0.5]]
    assert planner.send_command("GetGoalIndex") in {"1", "2"}
    assert planner.send_command("GetInitGoalIndices").split()[0] == "1"


def test_goals_are_sampled():
    env, robot = plane_of(*gap(0.4))
    rng = np.random.default_rng(3)
    asked = []

    def sample_goal():
        asked.append(np.array([rng.uniform(0.4, 0.9), rng.uniform(-0.9, 0.9)]))
        return asked[-1] if len(asked) % 2 else None

    parameters = problem(robot, START, (), sample_goal=sample_goal)
    status, path, planner = plan(env, robot, parameters)
    assert status, status.description
    assert any(np.array_equal(path[-1], one) for one in asked)
    assert planner.statistics.compiled


def test_a_function_that_samples_nonsense_is_an_error():
    env, robot = plane_of(*gap(0.4))
    parameters = problem(robot, START, (), sample_goal=lambda: np.zeros(3))
    with pytest.raises(pyrave.ArgumentError, match="sample_goal"):
        plan(env, robot, parameters)


def solve_alone(seed, found):
    env, robot = plane_of(*gap(0.12))
    _, found[seed], _ = plan(env, robot, problem(robot, START, GOAL, random_seed=seed))


def test_seeds_decide_on_any_number_of_threads():
    alone, together = {}, {}
    for seed in range(4):
        solve_alone(seed, alone)
    threads = [
        threading.Thread(target=solve_alone, args=(seed, together)) for seed in range(4)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    for seed in range(4):
        np.testing.assert_array_equal(alone[seed], together[seed])
    assert any(
        alone[seed].shape != alone[0].shape or (alone[seed] != alone[0]).any()
        for seed in range(1, 4)
    )


def test_interpreted_and_compiled_trees_are_the_same():
    _, robot = plane_of(*gap(0.12))
    samples = np.random.default_rng(1).uniform(-1.0, 1.0, (60, 2))
    found = []
    for form in ("now", "python"):
        space = joint_space.JointSpace(robot)
        trees = TreePair(space, 2, 0.3)
        trees.add_root(0, np.array(START))
        trees.add_root(1, np.array(GOAL))
        bundle = trees.bundle(samples)
        kernel = joint_space.KERNELS["tree-search"]
        grow = kernel.now() if form == "now" else kernel.python
        result = grow(space.table, bundle.table)
        counts = trees.counts
        found.append((result, counts, space.checks, *(
            bundle.arrays[0][side][:, : counts[side]].round(12).tolist()
            for side in (0, 1)
        )))  # fmt: skip
    assert found[0] == found[1]
    assert sum(found[0][1]) > 10


def test_constraints_of_the_user_are_asked():
    walls = gap(0.6)
    env, robot = plane_of(*walls)
    steps = []

    def below(one, other):
        steps.append(np.abs(other - one).max())
        return bool(other[1] < 0.35)

    parameters = problem(robot, START, GOAL, check_path_constraints=below)
    status, path, planner = plan(env, robot, parameters)
    assert_solves(status, path)
    assert not planner.statistics.compiled
    assert clearance(path, walls) > 0.0
    assert (dense(path)[:, 1] < 0.351).all()
    assert max(steps) <= 0.0100001


def test_ends_that_constraints_refuse_are_named():
    env, robot = plane_of(*gap(0.6))
    parameters = problem(
        robot, START, GOAL, check_path_constraints=lambda _, q: bool(q[1] > 0.0)
    )
    status, _, _ = plan(env, robot, parameters)
    assert status.code == Code.GOAL | Code.CUSTOM_FILTER
    assert "constraint" in status.description


def test_states_are_projected():
    """A neighbour function keeps the ball on a circle, around a wall in its middle."""
    walls = [wall("wall", (0.3, 0.02, 0.2), (-0.5, 0.0, 0.0))]
    env, robot = plane_of(*walls)

    def on_circle(q, dq):
        moved = q + dq
        size = np.linalg.norm(moved)
        return None if size < 1e-3 else 0.5 * moved / size

    start = 0.5 * np.array([np.cos(2.5), np.sin(2.5)])
    goal = 0.5 * np.array([np.cos(3.8), np.sin(3.8)])
    parameters = problem(robot, start, goal, neighbour_state=on_circle)
    status, path, _ = plan(env, robot, parameters)
    assert_solves(status, path, start, goal)
    np.testing.assert_allclose(np.linalg.norm(path, axis=1), 0.5, atol=1e-9)
    assert clearance(path, walls) > 0.0
    assert np.linalg.norm(np.diff(path, axis=0), axis=1).max() < 0.1
    assert np.abs(path[:, 0]).max() > 0.49  # the long way round


def test_without_a_robot_functions_say_all():
    env = pyrave.Environment()
    parameters = pyrave.PlannerParameters()
    parameters.specification = pyrave.ConfigurationSpecification().add_group(
        "outputs", 2, "linear"
    )
    state = [np.zeros(2)]

    def set_state(q):
        state[0] = np.array(q)
        return bool(np.linalg.norm(q) > 0.5)

    parameters.set_state, parameters.get_state = set_state, lambda: state[0]
    parameters.lower_limits, parameters.upper_limits = -np.ones(2), np.ones(2)
    parameters.resolutions = np.full(2, 0.01)
    parameters.initial_configuration = np.array([-0.8, 0.0])
    parameters.goal_configuration = np.array([0.8, 0.1])
    status, path, _ = plan(env, None, parameters)
    assert_solves(status, path, (-0.8, 0.0), (0.8, 0.1))
    assert np.linalg.norm(dense(path), axis=1).min() > 0.499
    assert not state[0].any()


def test_what_a_robot_holds_takes_part():
    walls = gap(0.3)
    env, robot = plane_of(*walls)
    status, _, _ = plan(env, robot, problem(robot, START, GOAL))
    assert status
    robot.dof_values = START
    env.create_body(wall("beam", (0.02, 0.2, 0.02), (*START, 0.0)))
    robot.grab(env.bodies["beam"], robot.links["ball"])
    parameters = problem(robot, START, GOAL, max_iterations=500)
    status, _, _ = plan(env, robot, parameters)
    assert not status
    assert "500 samples" in status.description


def test_links_that_stay_may_touch():
    """An arm stands on its pedestal: that is no collision of its motions."""
    env = pyrave.load("scenes/shelf.env.xml")
    robot = env.robots["heron7"]
    assert env.check_collision(robot)
    robot.set_active_dofs(robot.manipulators["arm"].arm_indices)
    start = robot.dof_values[robot.active_dof_indices]
    status, path, _ = plan(env, robot, problem(robot, start, start - 0.2))
    assert_solves(status, path, start, start - 0.2)


def test_circular_joints_go_the_short_way():
    env = pyrave.load_string(
        "<robot name='turn'><kinbody><body name='base'/>"
        "<body name='arm'><offsetfrom>base</offsetfrom><geom type='box'>"
        "<extents>0.3 0.02 0.02</extents><translation>0.3 0 0</translation></geom>"
        "</body><joint name='j' type='hinge' circular='true'><body>base</body>"
        "<body>arm</body><axis>0 0 1</axis></joint></kinbody></robot>"
    )
    robot = env.robots["turn"]
    status, path, _ = plan(env, robot, problem(robot, [3.0], [-3.0]))
    assert status, status.description
    np.testing.assert_allclose(path[:, 0], [3.0, 2 * np.pi - 3.0])
    env.create_body(wall("post", (0.05, 0.05, 0.2), (-0.5, 0.0, 0.0)))
    status, path, _ = plan(env, robot, problem(robot, [2.8], [-2.8]))
    assert status, status.description
    assert np.ptp(path) == pytest.approx(5.6)


def test_callbacks_interrupt():
    env, robot = plane_of(*box_around(0.7, -0.2, 0.2))
    seen = []

    def answer(progress):
        seen.append(progress.iteration)
        return pyrave.PlannerAction.INTERRUPT if progress.iteration > 100 else None

    planner = env.create("planner", "BiRRT")
    assert planner.init_plan(robot, problem(robot, START, GOAL))
    with planner.register_progress_callback(answer):
        status = planner.plan_path(env.create("trajectory", ""))
    assert status.code == Code.INTERRUPTED
    assert seen == sorted(seen)
    assert len(seen) > 2


def test_errors_of_functions_leave_all_as_it_was():
    env, robot = plane_of(*gap(0.4))
    robot.dof_values = (-0.3, 0.2)

    def fails(one, other):
        raise ZeroDivisionError("mine")

    parameters = problem(robot, START, GOAL, check_path_constraints=fails)
    before = env.collision_checker.get_collision_options()
    with pytest.raises(ZeroDivisionError, match="mine"):
        plan(env, robot, parameters)
    np.testing.assert_array_equal(robot.dof_values, (-0.3, 0.2))
    assert env.collision_checker.get_collision_options() == before


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"goal_configuration": [np.nan, 0.0]}, "finite"),
        ({"goal_configuration": [2.0, 0.0]}, "limits"),
        ({"goal_configuration": [0.0] * 3}, "3 values"),
        ({"goal_configuration": []}, "no goal"),
        ({"initial_configuration": []}, "no initial"),
        ({"resolutions": np.array([0.0, 1.0])}, "resolutions"),
        ({"resolutions": np.array([1e-12, 1.0])}, "steps"),
        ({"resolutions": np.ones(3)}, "resolutions"),
        ({"weights": np.array([-1.0, 1.0])}, "weights"),
        ({"lower_limits": np.array([-np.inf, 0.0])}, "lower_limits"),
        ({"upper_limits": np.array([-3.0, 1.0])}, "limits"),
        ({"max_iterations": -1}, "max_iterations"),
        ({"random_seed": -4}, "random_seed"),
        ({"extra": {"range": "far"}}, "range"),
        ({"extra": {"shortcuts": "-1"}}, "shortcuts"),
    ],
)
def test_wrong_parameters_end_in_words(fields, words):
    env, robot = plane_of()
    parameters = problem(robot, START, GOAL)
    for name, value in fields.items():
        setattr(parameters, name, value)
    planner = env.create("planner", "BiRRT")
    status = planner.init_plan(robot, parameters)
    assert not status
    assert words in status.description
    assert planner.get_parameters() is None
    again = planner.plan_path(env.create("trajectory", ""))
    assert not again
    assert "init_plan" in again.description


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("goal_configuration", "here", "expected numbers"),
        ("max_planning_time", np.nan, "max_planning_time"),
        ("step_length", "long", "step_length"),
        ("random_seed", 1.5, "random_seed"),
    ],
)
def test_values_without_meaning_are_refused_where_they_are_assigned(name, value, words):
    with pytest.raises(pyrave.ArgumentError, match=words):
        setattr(pyrave.PlannerParameters(), name, value)


def test_in_python_the_clock_is_asked_after_the_first_sample():
    env, robot = plane_of(*gap(0.3))
    parameters = problem(robot, (-0.7, 0.6), (0.7, 0.5), max_iterations=3)
    parameters.check_path_constraints = lambda first, last: True
    planner, seen = env.create("planner", "BiRRT"), []
    assert planner.init_plan(robot, parameters)
    with planner.register_progress_callback(lambda one: seen.append(one.iteration)):
        status = planner.plan_path(env.create("trajectory", ""))
    assert seen[:2] == [0, 1], status.description


def test_parameters_of_other_joints_are_refused():
    env, robot = plane_of()
    parameters = problem(robot, START, GOAL)
    robot.set_active_dofs([0])
    status, _, _ = plan(env, robot, parameters)
    assert "active" in status.description
    with pytest.raises(pyrave.Error):
        plan(env, robot, None)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"extra": None}, "parameters.extra is None"),
        ({"specification": None}, "parameters.specification is None"),
        ({"set_state": 3}, "parameters.set_state is 3, expected a function or None"),
        ({"distance_metric": lambda a, b: "far"}, "distance_metric .* gave 'far'"),
        ({"distance_metric": lambda a, b: -1.0}, "distance_metric .* gave -1.0"),
    ],
)
def test_parameters_of_other_kinds_are_errors(fields, words):
    env, robot = plane_of(*gap(0.3))
    with pytest.raises(pyrave.ArgumentError, match=words):
        plan(env, robot, problem(robot, START, GOAL, **fields))


def test_what_changes_between_taking_a_problem_and_planning_is_told():
    env, robot = plane_of()
    planner = env.create("planner", "BiRRT")
    assert planner.init_plan(robot, problem(robot, START, GOAL))
    with pytest.raises(pyrave.ArgumentError, match="expected a trajectory to fill"):
        planner.plan_path(None)
    robot.set_active_dofs([0])
    status = planner.plan_path(env.create("trajectory", ""))
    assert "1 active degrees of freedom" in status.description
    with pytest.raises(pyrave.ArgumentError, match="robot is 3"):
        planner.init_plan(3, problem(robot, START[:1], GOAL[:1]))


def test_links_that_stay_are_left_out_in_a_block_only():
    env, _ = plane_of()
    checker = env.collision_checker
    before = checker.get_collision_options()
    with checker.moving_links():
        assert checker.get_collision_options() & pyrave.CollisionOptions.ACTIVE_DOFS
    assert checker.get_collision_options() == before
