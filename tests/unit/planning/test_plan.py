"""Plans: goals of every kind, causes, and the environment as it was before."""

import dataclasses
from time import perf_counter

import numpy as np
import pytest
from moved_clock import MovedClock
from tests.support.straight_planner import StraightPlanner

import pyrave
from pyrave import PlannerAction, PlannerStatus, PlannerStatusCode
from pyrave.errors import (
    ArgumentError,
    InterfaceNotFoundError,
    NotFoundError,
    PluginError,
    SettingError,
    StateError,
)
from pyrave.planning import PlanFailureCode, PlanningSpace, verify
from pyrave.planning.query.obstruction import what_blocks
from pyrave.scene import body_from_boxes


@pytest.fixture
def env():
    env = pyrave.load("scenes/demo.env.xml")
    env.register("planner", "Straight", StraightPlanner)
    return env


@pytest.fixture
def robot(env):
    return env.robots["heron7"]


@pytest.fixture
def arm(robot):
    return robot.active_manipulator


def moved(arm, **by):
    """Return the present values with some joints moved."""
    values = arm.arm_dof_values
    for name, amount in by.items():
        values[int(name[-1]) - 1] += amount
    return values


def straight(arm, goal, **options):
    options = {"planner": "Straight", "timeout": 20.0, **options}
    if isinstance(goal, np.ndarray) and goal.shape[-1] != 4:
        return arm.plan(values=goal, **options)
    return arm.plan(goal, **options)


def near(arm, dx=0.1, dy=0.2):
    """Return a pose of the tool that is free to go to."""
    pose = arm.transform
    pose[:3, 3] += (dx, dy, 0.05)
    return pose


def block(env, name, centre, half):
    body = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
    body.transform = [1, 0, 0, 0, *centre]
    return body


def state_of(env):
    return [
        (
            body.dof_values.tobytes(),
            body.transform.tobytes(),
            body.dof_velocities.tobytes(),
        )
        for body in env.bodies
    ]


# -- goals -----------------------------------------------------------------------------


def test_values_are_reached_within_all_limits(robot, arm):
    goal = moved(arm, joint1=0.6, joint2=0.2, joint4=0.1, joint7=0.3)
    result = straight(arm, goal)
    assert result, result.cause
    assert result.cause == ""
    assert result.status.code & PlannerStatusCode.HAS_SOLUTION
    assert verify(robot, result.trajectory) == ()
    assert np.abs(result.trajectory.get_waypoint(-1)[:7] - goal).max() < 1e-9
    assert np.abs(result.path[0] - arm.arm_dof_values).max() == 0.0
    assert result.statistics.detour == pytest.approx(1.0)
    phases = {"goal", "search", "timing", "compiling", "total"}
    assert set(result.statistics.seconds) == phases
    assert "2 waypoints" in str(result)
    assert repr(result).startswith("<PlanResult: motion: 2 waypoints, ")


def test_a_pose_is_reached_by_one_of_its_solutions(robot, arm):
    pose = near(arm)
    result = straight(arm, pose)
    assert result, result.cause
    assert result.statistics.goals > 1
    with robot.preserve_state():
        arm.arm_dof_values = result.path[-1]
        assert np.abs(arm.transform - pose).max() < 1e-6


def test_nearest_solutions_come_first(arm):
    pose = near(arm, 0.02, 0.02)
    result = straight(arm, pose)
    every = arm.solve_ik(pose, all=True)
    chosen = np.abs(result.path[-1] - result.path[0]).max()
    assert chosen <= np.abs(every - result.path[0]).max(axis=1).mean()


@pytest.mark.parametrize("kind", ["Translation3D", "TranslationDirection5D"])
def test_goals_of_the_tool_of_other_kinds(robot, arm, kind):
    with robot.preserve_state():
        arm.arm_dof_values = moved(arm, joint1=0.5, joint2=0.1)
        goal = arm.ik_parameterization(kind)
    result = straight(arm, goal)
    assert result, result.cause
    with robot.preserve_state():
        arm.arm_dof_values = result.path[-1]
        assert goal.distance2(arm.ik_parameterization(kind)) < 1e-9


def test_a_named_configuration_is_a_goal(robot, arm):
    finger = robot.manipulators[0].description.gripper_joints[0]
    robot.configurations.add("turned", {"joint1": 0.4, finger: 0.01})
    robot.configurations.add("open", {finger: 0.02})
    result = straight(arm, "turned")
    assert result, result.cause
    np.testing.assert_allclose(result.path[-1], moved(arm, joint1=0.4))
    assert straight(arm, [near(arm, 9.0), "turned"])
    with pytest.raises(pyrave.NotFoundError, match="did you mean 'turned'"):
        arm.plan("turnd")
    with pytest.raises(pyrave.ArgumentError, match="'open' has no joint of these"):
        arm.plan("open")


def test_of_several_goals_one_is_reached(arm):
    far = near(arm, 9.0)
    values = moved(arm, joint1=0.2)
    result = straight(arm, [far, {"joint1": values[0]}, near(arm)])
    assert result
    rows = values + np.arange(3)[:, None] * [0.01, 0, 0, 0, 0, 0, 0]
    assert straight(arm, rows).statistics.goals == 3
    assert straight(arm, np.stack([near(arm), near(arm, 0.05)]))


def test_names_are_values_and_the_rest_stays(arm):
    result = straight(arm, {"joint1": 0.4})
    assert result.path[-1].tolist() == [0.4, *arm.arm_dof_values[1:]]
    with pytest.raises(NotFoundError, match="did you mean 'joint1'"):
        straight(arm, {"joint11": 0.4})


def test_functions_of_values(robot, arm):
    height = arm.transform[2, 3] - 0.1
    result = straight(arm, lambda _: abs(arm.transform[2, 3] - height))
    assert result, result.cause
    with robot.preserve_state():
        arm.arm_dof_values = result.path[-1]
        assert arm.transform[2, 3] == pytest.approx(height, abs=2e-6)
    assert straight(arm, lambda q: bool(q[0] > 0.1)).path[-1][0] > 0.1
    with pytest.raises(ArgumentError, match="returned 'far', expected True or False"):
        straight(arm, lambda _: "far")


def test_a_robot_plans_for_its_active_joints(robot):
    robot.set_active_dofs([1, 3])
    result = robot.plan([0.2, 1.0], planner="Straight")
    assert result, result.cause
    assert result.path.shape[1] == 2
    result = robot.plan([0.01], dof_indices=[7], planner="Straight")
    assert result, result.cause
    assert robot.active_dof_indices.tolist() == [1, 3]
    with pytest.raises(ArgumentError, match="not among those that are planned"):
        robot.plan(near(robot.active_manipulator), planner="Straight")


def test_half_the_speed_takes_twice_as_long(arm):
    whole, half = (
        straight(arm, {"joint1": 0.8}, speed=speed).trajectory.duration
        for speed in (1.0, 0.25)
    )
    assert 2.0 * whole < half < 4.001 * whole


def test_jerks_are_limited(env, robot, arm):
    block(env, "post", (0.1, 0.0, 1.3), (0.02, 0.02, 0.5))
    start = moved(arm, joint1=-1.2, joint2=0.9)
    limits = [60.0] * 7
    plain = arm.plan({"joint1": 1.2}, start=start, timeout=60.0)
    smooth = arm.plan({"joint1": 1.2}, start=start, timeout=60.0, jerk_limits=limits)
    assert smooth, smooth.cause
    assert len(smooth.path) > 2
    every = np.full(8, 60.0)
    assert verify(robot, smooth.trajectory, jerk_limits=every) == ()
    assert {one.kind for one in verify(robot, plain.trajectory, jerk_limits=every)} == {
        "jerk"
    }
    assert smooth.trajectory.duration > plain.trajectory.duration


def test_where_the_robot_is_already(robot, arm):
    result = arm.plan(values=arm.arm_dof_values)
    assert result, result.cause
    assert result.trajectory.duration == 0.0
    assert result.statistics.detour == 1.0
    assert robot.execute(result.trajectory)


def test_where_to_start(arm):
    start = moved(arm, joint1=0.3)
    result = straight(arm, {"joint1": 0.8}, start=start)
    assert result.path[0].tolist() == start.tolist()


def test_the_same_seed_gives_the_same_result(arm):
    def high(q):
        return bool(q[0] > 0.5)

    one, other, third = (straight(arm, high, seed=seed).path for seed in (1, 1, 2))
    assert (one == other).all()
    assert not (one == third).all()


# -- causes ----------------------------------------------------------------------------


def test_a_goal_beyond_limits_names_the_joints(arm):
    result = straight(arm, {"joint1": 9.0, "joint2": -3.0})
    assert not result
    assert result.failure.code is PlanFailureCode.GOAL_LIMITS
    one, other = result.failure.limits
    assert (one.name, other.name) == ("joint1", "joint2")
    assert one.amount == pytest.approx(9.0 - one.upper)
    assert other.amount == pytest.approx(other.lower + 3.0)
    assert "'joint1' at 9 is 6.03 above its limit" in result.cause
    code = result.status.code
    assert code & PlannerStatusCode.GOAL
    assert not result.status


def test_a_goal_in_collision_names_the_links_and_the_depth(env, arm):
    wall = block(env, "wall", (0.0, 0.45, 1.3), (0.4, 0.1, 0.5))
    result = straight(arm, {"joint1": -1.5, "joint2": 1.2})
    assert result.failure.code is PlanFailureCode.GOAL_COLLISION
    pairs = result.failure.pairs
    assert {side.body_name for pair in pairs for side in (pair.first, pair.second)} == {
        "heron7",
        wall.name,
    }
    assert max(one.depth for pair in pairs for one in pair.contacts) > 0.001
    assert "wall" in result.cause
    assert result.status.code & PlannerStatusCode.ENV_COLLISION


def test_a_pose_whose_solutions_collide(env, arm):
    pose = near(arm)
    block(env, "cover", pose[:3, 3], (0.1, 0.1, 0.1))
    result = straight(arm, pose)
    assert result.failure.code is PlanFailureCode.GOAL_COLLISION
    assert "configurations collide; the nearest" in result.cause
    assert "cover" in result.cause


def test_a_start_in_collision_and_beyond_limits(env, robot, arm):
    goal = {"joint1": 0.5}
    on_tool = block(env, "cover", arm.transform[:3, 3], (0.1, 0.1, 0.1))
    result = straight(arm, goal)
    assert result.failure.code is PlanFailureCode.START_COLLISION
    assert result.status.code & PlannerStatusCode.INITIAL
    assert "cover" in result.failure.text
    env.remove(on_tool)
    start = moved(arm, joint7=5.0)
    result = straight(arm, goal, start=start)
    assert result.failure.code is PlanFailureCode.START_LIMITS
    assert result.failure.limits[0].name == "joint7"


def test_self_collision_at_the_goal(robot, arm):
    values = np.zeros(7)
    values[[1, 3, 5]] = 2.0, 2.09, 2.09
    rng = np.random.default_rng(0)
    low, high = (limits[arm.arm_indices] for limits in robot.dof_limits)
    robot.env.remove("table")
    for name in [b.name for b in robot.env.bodies if b is not robot]:
        robot.env.remove(name)
    checker = robot.env.collision_checker
    rows = np.tile(robot.dof_values, (3000, 1))
    rows[:, arm.arm_indices] = rng.uniform(low, high, (3000, 7))
    hits = checker.check_configurations(robot, rows)
    assert hits.any()
    result = straight(arm, rows[np.argmax(hits), :7])
    assert result.failure.code is PlanFailureCode.GOAL_COLLISION
    assert result.status.code & PlannerStatusCode.SELF_COLLISION
    assert not result.status.code & PlannerStatusCode.ENV_COLLISION


def test_a_pose_out_of_reach_says_how_far_it_is(arm):
    result = straight(arm, near(arm, 5.0))
    assert result.failure.code is PlanFailureCode.GOAL_OUT_OF_REACH
    assert "the arm reaches" in result.failure.reasons[0]
    assert "comes within" in result.cause
    assert result.status.code & PlannerStatusCode.IK


def test_a_filter_that_refuses_all_solutions(arm):
    solver = arm.ik_solver
    with solver.register_custom_filter(0, lambda *_: pyrave.IkAction.REJECT):
        result = straight(arm, near(arm))
    assert result.failure.code is PlanFailureCode.GOAL_REFUSED


def test_a_function_that_nothing_meets(arm, monkeypatch):
    straight(arm, near(arm))  # imports what reads clocks
    clock = MovedClock(tick=1e-3)
    clock.show_to(monkeypatch, "pyrave.planning")
    result = straight(arm, lambda _: 1.0, timeout=0.5)
    assert clock.now < 1000.7
    assert result.failure.code is PlanFailureCode.GOAL_NOT_MET
    assert "the best gives 1" in result.cause


def test_the_causes_of_several_goals_are_all_told(env, arm):
    result = straight(arm, [near(arm, 5.0), {"joint1": 9.0}])
    assert result.failure.code is PlanFailureCode.GOAL_LIMITS
    assert "goal 0 of 2" in result.failure.text
    assert "goal 1 of 2" in result.failure.text


def test_many_goals_do_not_take_more_than_the_time(arm, monkeypatch):
    far = np.tile(arm.transform, (2000, 1, 1))
    far[:, 0, 3] += np.linspace(3.0, 4.0, 2000)
    straight(arm, far[0])  # compiles
    clock = MovedClock(tick=1e-3)
    with monkeypatch.context() as patch:
        clock.show_to(patch, "pyrave.planning")
        result = straight(arm, far, timeout=0.5)
    assert result.failure.code is PlanFailureCode.GOAL_OUT_OF_REACH
    assert "there was no time to try" in result.failure.text
    assert clock.now < 1001.0
    rows = np.tile(arm.arm_dof_values, (20_000, 1))
    assert straight(arm, rows)


def test_what_blocks_a_search(env, arm):
    block(env, "post", (0.1, 0.0, 1.3), (0.03, 0.03, 0.5))
    start = arm.arm_dof_values
    start[:2] = -1.2, 1.0
    arm.arm_dof_values = start
    result = straight(arm, {"joint1": 1.2})
    assert result.failure.code is PlanFailureCode.NO_PATH
    assert result.failure.obstacles[0].name == "post"
    assert result.failure.reasons == ("no straight way is free",)
    assert "the straight motion to the nearest goal collides after" in result.cause
    assert sum(one.share for one in result.failure.obstacles) == pytest.approx(1.0)


def test_links_of_the_robot_in_the_way_are_counted_by_pairs(env, robot, arm):
    for one in [one for one in env.bodies if one is not robot]:
        env.remove(one)
    robot.set_active_dofs(arm.arm_indices)
    space, rng = PlanningSpace(robot), np.random.default_rng(3)
    rows = space.samples(rng, 2000, space.values)
    folded = rows[space.hits(rows)][:1]
    found = what_blocks(space, space.values, folded, rng, perf_counter() + 20.0)
    names = [one.name for one in found.obstacles]
    assert names
    assert all(" x " in name and ":" not in name for name in names)
    assert len(set(names)) == len(names)


def test_joints_that_are_not_planned_may_be_beyond_their_limits(robot, arm):
    lower, upper = robot.dof_limits
    lower[6] = robot.dof_values[6] + 0.3
    robot.dof_limits = lower, upper
    assert robot.plan([0.4], dof_indices=[0], planner="Straight", timeout=20.0)
    cause = arm.plan({"joint1": 0.4}).failure
    assert cause.code is PlanFailureCode.START_LIMITS


def test_causes_are_values():
    for code in PlanFailureCode:
        assert isinstance(code.status, PlannerStatusCode)


# -- wrong input -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("goal", "said"),
    [
        ([1.0, 2.0], r"\[1.0, 2.0\] \(2 values\), expected 7 values \(joint1"),
        (np.full(7, np.nan), "nan.* for 'joint1', .*expected finite numbers"),
        (np.array([0, 0, 0, 0, 0, 0, np.inf]), "for 'joint7', expected finite"),
        ([], r"expected 7 values"),
        (3.0, "expected 7 values"),
        (None, "the plan has no goal, expected a goal or values="),
        ("home", "the goal is 'home', expected 7 values"),
        (2.0 * np.eye(4), "the goal is not a rigid transform"),
        (np.full((4, 4), np.nan), "the goal .*finite"),
        (np.zeros((2, 6)), "values 0 of 2 is"),
        ([{"joint1": 0.1}, "x"], "goal 1 of 2 is 'x'"),
        ([0.0] * 7, r"7 numbers, which may be.*plan\(values=...\).*wxyz_xyz\("),
    ],
)
def test_wrong_goals(arm, goal, said):
    with pytest.raises(ArgumentError, match=said):
        straight(arm, goal)


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"timeout": 0}, ArgumentError, "timeout is 0"),
        ({"timeout": float("nan")}, ArgumentError, "timeout is nan"),
        ({"timeout": "5"}, ArgumentError, "timeout is '5'"),
        ({"seed": -1}, ArgumentError, "seed is -1"),
        ({"seed": 1.5}, ArgumentError, "seed is 1.5"),
        ({"speed": 0.0}, ArgumentError, "speed is 0"),
        ({"speed": 1.5}, ArgumentError, "speed is 1.5"),
        (
            {"parameters": 3},
            SettingError,
            "Straight has no setting 'parameters'; settings: none",
        ),
        ({"jerk_limits": 0.0}, ArgumentError, "jerk_limits is 0"),
        ({"jerk_limits": [1.0, 2.0]}, ArgumentError, "or 7 of them"),
        ({"start": [1.0]}, ArgumentError, "start has shape"),
        ({"start": np.full(7, np.inf)}, ArgumentError, "start"),
        ({"constraints": 3}, ArgumentError, "constraints is 3"),
        ({"constraints": [3]}, ArgumentError, "a constraint is 3"),
        ({"progress": 3}, ArgumentError, "progress is 3"),
        ({"planner": "Stright"}, InterfaceNotFoundError, "did you mean 'Straight'"),
        ({"planner": 5}, ArgumentError, "planner is 5"),
        ({"planner": "shortcut_linear"}, ArgumentError, "expected a planner that find"),
        ({"planner": "CubicSmoother"}, ArgumentError, "changes the path of a traj"),
    ],
)
def test_wrong_options(env, arm, options, error, said):
    before = state_of(env)
    with pytest.raises(error, match=said):
        straight(arm, {"joint1": 0.3}, **options)
    assert state_of(env) == before


def test_robots_without_limits_or_resolutions(robot, arm):
    lower, upper = robot.dof_limits
    upper[2] = np.inf
    with robot.preserve_state():
        robot.dof_limits = lower, upper
        with pytest.raises(ArgumentError, match=r"'joint3' .* has no limits"):
            straight(arm, {"joint1": 0.3})
    with robot.preserve_state():
        robot.dof_resolutions = np.zeros(8)
        with pytest.raises(
            ArgumentError, match=r"'joint1', .*expected a positive step"
        ):
            straight(arm, {"joint1": 0.3})
    with robot.preserve_state():
        robot.dof_velocity_limits = np.zeros(8)
        with pytest.raises(ArgumentError, match="the velocity limit of 'joint1'"):
            straight(arm, {"joint1": 0.3})


def test_robots_that_are_not_there(env, robot, arm):
    with pytest.raises(ArgumentError, match="no active degrees of freedom"):
        robot.plan([], dof_indices=[], planner="Straight")
    with pytest.raises(ArgumentError, match="planning is for robots"):
        env.plan(env.bodies["table"], [0.0])
    env.remove(robot)
    with pytest.raises(StateError, match="is in no environment"):
        straight(arm, {"joint1": 0.3})


# -- planners that misbehave -----------------------------------------------------------


def raising(error):
    def call(*_):
        raise error

    return call


class Wrong(StraightPlanner):
    """Returns what no planner should."""

    rows = None
    answer = PlannerStatus(PlannerStatusCode.HAS_SOLUTION)

    def plan_path(self, trajectory, options=0):
        self.robot.set_dof_values(np.full(8, 0.3))
        if self.rows is not None:
            trajectory.init(self.parameters.specification)
            trajectory.insert(0, self.rows)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


@pytest.mark.parametrize(
    ("rows", "answer", "error", "said"),
    [
        (
            np.zeros((2, 7)),
            None,
            PluginError,
            "returned None, expected a PlannerStatus",
        ),
        (np.zeros((2, 7)), Wrong.answer, PluginError, "starts .* away from the start"),
        (
            np.full((2, 7), 9.0),
            Wrong.answer,
            PluginError,
            "beyond the limits of 'joint1",
        ),
        (np.full((2, 7), np.nan), Wrong.answer, PluginError, "not finite"),
        (None, ZeroDivisionError("oh"), PluginError, "raised ZeroDivisionError: oh"),
        (None, KeyboardInterrupt(), KeyboardInterrupt, None),
        (None, StateError("mine"), StateError, "mine"),
    ],
)
def test_the_environment_stays_as_it_was(env, arm, rows, answer, error, said):
    planner = Wrong(env)
    planner.rows, planner.answer = rows, answer
    before = state_of(env)
    options = env.collision_checker.get_collision_options()
    active = arm.robot.active_dof_indices.tolist()
    with pytest.raises(error, match=said):
        straight(arm, {"joint1": 0.3}, planner=planner)
    assert state_of(env) == before
    assert env.collision_checker.get_collision_options() == options
    assert arm.robot.active_dof_indices.tolist() == active


@pytest.mark.parametrize(
    ("rows", "answer"),
    [
        (None, ZeroDivisionError("oh")),
        (None, None),
        (np.zeros((2, 7)), Wrong.answer),
        (np.full((2, 7), 9.0), Wrong.answer),
        (np.full((2, 7), np.nan), Wrong.answer),
    ],
)
def test_the_plugin_of_a_planner_that_fails_is_named(env, arm, rows, answer):
    planner = Wrong(env)
    planner.rows, planner.answer = rows, answer
    planner._plugin = "acme"
    with pytest.raises(PluginError, match=r"Wrong.* of plugin 'acme'"):
        straight(arm, {"joint1": 0.3}, planner=planner)


def test_what_functions_of_users_raise_passes(env, arm):
    before = state_of(env)
    for options in (
        {"goal": raising(ZeroDivisionError("goal"))},
        {"constraints": [raising(ZeroDivisionError("constraint"))]},
        {"progress": raising(ZeroDivisionError("progress"))},
    ):
        goal = options.pop("goal", {"joint1": 0.3})
        with pytest.raises(ZeroDivisionError):
            straight(arm, goal, **options)
        assert state_of(env) == before


def test_functions_that_move_things_change_nothing(env, arm):
    def moving(q):
        env.bodies["mug"].transform = np.eye(4)
        return True

    before = state_of(env)
    assert straight(arm, {"joint1": 0.3}, constraints=moving)
    assert state_of(env) == before


def test_progress_interrupts(arm):
    seen = []

    def stop(progress):
        seen.append(progress.iteration)
        return PlannerAction.INTERRUPT

    result = straight(arm, {"joint1": 0.3}, progress=stop)
    assert seen == [1]
    assert result.failure.code is PlanFailureCode.INTERRUPTED
    assert result.statistics.iterations == 1


def test_a_planner_that_refuses(env, arm):
    class Refusing(StraightPlanner):
        def init_plan(self, robot, parameters):
            return PlannerStatus(PlannerStatusCode.FAILED, "odd numbers of joints")

    result = straight(arm, {"joint1": 0.3}, planner=Refusing(env))
    assert result.failure.code is PlanFailureCode.PLANNER_REFUSED
    assert "odd numbers of joints" in result.cause


def test_motions_between_path_checks_are_verified(env, robot, arm):
    """A planner that checks nothing, and a post in its way."""

    class Blind(StraightPlanner):
        def is_free(self, start, end):
            return True

    block(env, "post", (0.1, 0.0, 1.3), (0.02, 0.02, 0.5))
    start = arm.arm_dof_values
    start[:2] = -1.2, 1.0
    result = straight(arm, {"joint1": 1.2}, start=start, planner=Blind(env))
    assert result.failure.code is PlanFailureCode.NOT_VERIFIED
    assert "collide at" in result.cause


def test_results_are_frozen(arm):
    result = straight(arm, {"joint1": 0.3})
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.failure = None


def test_what_a_planner_does_not_know_is_named(env, robot, arm):
    goal = arm.arm_dof_values
    text = "BiRRT has no setting 'rnge', did you mean 'range'"
    with pytest.raises(SettingError, match=text):
        arm.plan(values=goal, rnge=0.1)
    with pytest.raises(SettingError, match="did you mean 'max_iterations'"):
        arm.plan(values=goal, max_iteration=5)
    with pytest.raises(SettingError, match=r"'foo' behind its id, expected no words"):
        arm.plan(values=goal, planner="BiRRT foo")
    assert arm.plan(values=goal, range=0.1)
    assert arm.plan(values=goal, planner="BiRRT range=0.1")
    made = env.create("planner", "BiRRT", range=0.1)
    assert arm.plan(values=goal, planner=made)
    with pytest.raises(SettingError, match="an object has its own, change_settings"):
        arm.plan(values=goal, planner=made, range=0.2)
    with pytest.raises(SettingError, match="Straight has no setting 'anything'"):
        straight(arm, goal, anything=1)
    trajectory = arm.plan(values=moved(arm, joint1=0.1)).trajectory
    with pytest.raises(ArgumentError, match=r"BiRRT> finds paths.*robot\.plan calls"):
        pyrave.planning.retime_trajectory(trajectory, robot, planner="BiRRT")
    with pytest.raises(SettingError, match="did you mean 'interpolation'"):
        pyrave.planning.smooth_trajectory(trajectory, robot, interpolaton="linear")


def test_a_planar_arm_is_planned_to_poses_that_it_meets():
    env = pyrave.load("robots/planar3r.robot.xml")
    robot = env.robots[0]
    arm = robot.active_manipulator
    pose = arm.transform
    pose[0, 3] -= 0.1
    result = arm.plan(pose)
    assert result
    robot.set_dof_values(result.path[-1], arm.arm_indices)
    np.testing.assert_allclose(arm.transform, pose, atol=1e-6)
    pose[2, 3] += 0.1  # out of its plane
    assert not arm.plan(pose)


def test_a_number_of_iterations_makes_optimal_planners_repeat_themselves(env, arm):
    block(env, "post", (0.0, 0.0, 1.4), (0.03, 0.03, 0.6))
    start = np.array([-1.2, 1.0, 0, 1.2, 0, 0.9, 0])
    options = {"start": start, "planner": "RRTstar", "timeout": 60.0}
    few, again, more = (
        arm.plan({"joint1": 1.2}, max_iterations=count, **options)
        for count in (300, 300, 3000)
    )
    assert few.statistics.iterations < 1000 < more.statistics.iterations
    np.testing.assert_array_equal(few.path, again.path)
    assert more.statistics.length <= few.statistics.length


def test_a_plan_has_one_goal(arm):
    with pytest.raises(ArgumentError, match="the plan has no goal, expected a goal or"):
        arm.plan()
    with pytest.raises(ArgumentError, match="the plan has two goals, expected a goal"):
        arm.plan({"joint1": 0.1}, values=[0.1] * 7)


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("max_iterations", 0, "max_iterations is 0, expected a whole number above 0"),
        ("max_iterations", "1.5", "max_iterations is '1.5', expected a whole"),
        ("max_iterations", float("inf"), "max_iterations is inf, expected a whole"),
        ("step_length", float("nan"), "step_length is nan, expected a"),
    ],
)
def test_limits_of_a_search_are_positive(arm, name, value, text):
    with pytest.raises(ArgumentError, match=text):
        arm.plan({"joint1": 0.1}, **{name: value})
