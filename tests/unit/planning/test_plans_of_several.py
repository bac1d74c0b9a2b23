"""Several robots in one plan: apart from each other, each to its goal."""

from dataclasses import replace

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError, InterfaceNotFoundError, NotSupportedError
from pyrave.planning import (
    FunctionConstraint,
    PlanFailureCode,
    ToolDirection,
    merge_trajectories,
    plan_together,
    retime,
    verify_together,
)
from pyrave.planning.several.joined_robot import joined
from pyrave.scene import (
    JointAxis,
    JointDescription,
    LinkDescription,
    MimicFormula,
    RobotDescription,
    body_from_boxes,
)

HERE = np.array((0.5, 0.7, 0.0, 1.3, 0.0, 1.1, 0.0))
THERE = np.array((-0.5, 0.7, 0.0, 1.3, 0.0, 1.1, 0.0))
AIM = {f"joint{k + 1}": value for k, value in enumerate(THERE)}


@pytest.fixture
def env():
    arm = pyrave.load("robots/heron7.robot.xml").robots[0].description
    env = pyrave.Environment()
    for name in ("left", "right"):
        env.create_body(replace(arm, name=name))
    env.robots["right"].transform = [0, 0, 0, 1, 1.1, 0.0, 0.0]
    table = env.create_body(body_from_boxes("table", [(0, 0, 0, 0.4, 0.6, 0.02)]))
    table.transform = [1, 0, 0, 0, 0.55, 0.0, -0.1]
    for robot in env.robots:
        robot.active_manipulator.arm_dof_values = HERE
    return env


@pytest.fixture
def arms(env):
    return [robot.active_manipulator for robot in env.robots]


def swapped(arms, **options):
    return arms[0].robot.env.plan(
        values=dict.fromkeys(arms, THERE), **{"timeout": 30.0, **options}
    )


def touching(env, trajectory, step=0.005):
    """Return at how many samples the two robots touch, as the environment says."""
    left, right = env.robots
    count = 0
    with env.preserve_state():
        for time in np.arange(0.0, trajectory.duration + step, step):
            row = trajectory.sample(min(time, trajectory.duration))
            for robot in (left, right):
                values = trajectory.spec.extract_joint_values(row, robot, range(7))
                robot.set_dof_values(values, range(7))
            count += env.check_collision(left, right)
    return count


def test_arms_that_swap_places_keep_apart(env, arms):
    before = [body.dof_values.tobytes() for body in env.bodies]
    straight = merge_trajectories(
        [retime(arm.robot, np.stack((HERE, THERE)), range(7)) for arm in arms]
    )
    assert touching(env, straight)
    result = swapped(arms)
    assert result, result.cause
    assert [body.dof_values.tobytes() for body in env.bodies] == before
    assert not touching(env, result.trajectory)
    assert verify_together(env.robots, result.trajectory) == ()
    assert (result.path[0] == np.tile(HERE, 2)).all()
    assert (result.path[-1] == np.tile(THERE, 2)).all()
    assert [group.name for group in result.trajectory.spec.groups[:2]] == [
        "joint_values left 0 1 2 3 4 5 6",
        "joint_values right 0 1 2 3 4 5 6",
    ]


def test_the_motion_is_executed_by_the_controllers_of_both(env, arms):
    result = swapped(arms)
    done = env.execute(result.trajectory)
    assert done, done.cause
    assert done.errors.shape == (14,)
    for arm in arms:
        assert np.allclose(arm.arm_dof_values, THERE, atol=1e-9)


def test_the_same_seed_gives_the_same_path(arms):
    one, other = swapped(arms, seed=3), swapped(arms, seed=3)
    assert (one.path == other.path).all()


def test_poses_are_goals_and_their_solutions_are_combined(env, arms):
    with env.preserve_state():
        for arm in arms:
            arm.arm_dof_values = THERE
        poses = [arm.transform for arm in arms]
    result = env.plan(dict(zip(arms, poses, strict=True)), timeout=30.0)
    assert result, result.cause
    assert result.statistics.goals > 1
    for k, (arm, pose) in enumerate(zip(arms, poses, strict=True)):
        arm.arm_dof_values = result.path[-1][7 * k : 7 * k + 7]
        assert np.allclose(arm.transform, pose, atol=1e-6)


def test_a_robot_and_an_arm_start_elsewhere(env, arms):
    left, right = env.robots
    right.set_active_dofs([0, 1])
    start = {left: HERE - 0.1}
    result = env.plan(
        {right: [1.2, 0.3]}, values={left.active_manipulator: THERE}, start=start
    )
    assert result, result.cause
    assert result.path.shape[1] == 9
    assert (result.path[0] == [*HERE[:2], *(HERE - 0.1)]).all()
    assert right.active_dof_indices.tolist() == [0, 1]


def test_many_robots_with_many_goals_each_take_the_nearest_ones():
    env = pyrave.Environment()
    links = (LinkDescription("base"), LinkDescription("arm"))
    axis = JointAxis((0.0, 0.0, 1.0), lower=-3.0, upper=3.0)
    joints = (JointDescription("j", "hinge", "base", "arm", axes=(axis,)),)
    for k in range(8):
        env.create_body(RobotDescription(f"r{k}", links, joints))
    goals = np.linspace(0.1, 2.4, 24)
    # 24 to the power of 8 combinations are more than any machine holds
    result = env.plan(dict.fromkeys(env.robots, goals[:, None]))
    assert result, result.cause
    assert result.statistics.goals == 24
    assert np.allclose(result.path[-1], goals[0])


# -- the robots as one -----------------------------------------------------------------


def test_the_joined_robot_collides_as_the_robots_do(env):
    rng = np.random.default_rng(5)
    left, right = env.robots
    ball = env.create_body(body_from_boxes("ball", [(0, 0, 0, 0.06, 0.06, 0.06)]))
    ball.transform = left.active_manipulator.transform
    left.grab(ball, left.active_manipulator.end_effector)
    right.links["link3"].enabled = False
    env.ignore_collisions(left.links["link2"], right.links["link5"])
    env.ignore_collisions(right, env.bodies["table"])
    one = joined([left, right])
    values = rng.uniform(-2.5, 2.5, (400, 16)) * np.tile([1] * 7 + [0.02], 2)
    values = np.clip(values, *one.dof_limits)
    wanted = []
    for row in values:
        left.set_dof_values(row[:8])
        right.set_dof_values(row[8:])
        wanted.append(
            any(
                env.check_collision(robot) or robot.check_self_collision()
                for robot in (left, right)
            )
        )
    found = one.env.collision_checker.check_configurations(one, values)
    assert found.tolist() == wanted
    assert 30 < sum(wanted) < 370
    one.set_dof_values(values[0])
    left.set_dof_values(values[0][:8])
    right.set_dof_values(values[0][8:])
    poses = np.concatenate([robot.link_transforms for robot in (left, right)])
    assert np.allclose(one.link_transforms[1:], poses, atol=1e-12)


def test_followers_keep_their_formulas(env):
    def axis(formula=None):
        mimic = None if formula is None else MimicFormula(formula)
        return JointAxis((0.0, 0.0, 1.0), mimic=mimic)

    links = tuple(LinkDescription(f"l{k}") for k in range(5))
    joints = (
        JointDescription("J", "hinge", "l0", "l1", axes=(axis(),)),
        JointDescription("J1", "hinge", "l1", "l2", axes=(axis(),)),
        JointDescription("odd-J", "hinge", "l2", "l3", axes=(axis(),)),
        JointDescription(
            "F", "hinge", "l3", "l4", axes=(axis("2*J+sin(J1)-odd-J"),), active=False
        ),
    )
    for k in range(2):
        env.create_body(RobotDescription(f"r{k}", links, joints))
    robots = [env.robots["r0"], env.robots["r1"]]
    values = [0.1, 0.2, 0.3, -0.3, 0.7, 0.4]
    for k, robot in enumerate(robots):
        robot.set_dof_values(values[3 * k : 3 * k + 3])
    one = joined(robots)
    poses = np.concatenate([robot.link_transforms for robot in robots])
    assert np.allclose(one.link_transforms[1:], poses, atol=1e-12)


# -- causes ----------------------------------------------------------------------------


def test_robots_that_touch_at_the_start_or_the_goal_are_named(env, arms):
    middle = {"joint1": 0.0, "joint2": 0.9}
    cause = env.plan(dict.fromkeys(arms, middle)).failure
    assert cause.code is PlanFailureCode.GOAL_COLLISION
    assert {pair.first.body_name for pair in cause.pairs} | {
        pair.second.body_name for pair in cause.pairs
    } == {"left", "right"}
    ends = [
        frozenset((pair.first.link_id, pair.second.link_id)) for pair in cause.pairs
    ]
    assert len(ends) == len(set(ends))
    for arm in arms:
        arm.arm_dof_values = [0.0, 0.9, 0.0, 1.3, 0.0, 1.1, 0.0]
    cause = swapped(arms).failure
    assert cause.code is PlanFailureCode.START_COLLISION
    assert "left/" in cause.text
    assert "right/" in cause.text


def test_a_goal_that_one_cannot_reach_names_it(env, arms):
    pose = np.eye(4)
    pose[0, 3] = 5.0
    cause = env.plan({arms[0]: AIM, arms[1]: pose}).failure
    assert cause.code is PlanFailureCode.GOAL_OUT_OF_REACH
    assert cause.text.startswith("right: the goal (pose at 5 0 0)")
    cause = env.plan({arms[0]: {"joint2": 9.0}, arms[1]: AIM}).failure
    assert cause.code is PlanFailureCode.GOAL_LIMITS
    assert cause.limits[0].name == "joint2"


def test_what_blocks_is_told_by_the_robots_names(env, arms):
    wall = env.create_body(body_from_boxes("wall", [(0, 0, 0, 0.3, 0.02, 2)]))
    wall.transform = [1, 0, 0, 0, 0.55, 0.0, 0.0]
    env.robots["left"].dof_limits = np.array(
        [[-1, 0.5, -1, 1.0, -1, 0, -1, 0], [1, 1, 1, 1.5, 1, 2, 1, 0.05]]
    )
    result = swapped(arms, timeout=1.0)
    assert result.failure.code is PlanFailureCode.NO_PATH
    assert "wall" in {one.name for one in result.failure.obstacles}
    assert all("robots" not in one.name for one in result.failure.obstacles)


# -- constraints -----------------------------------------------------------------------


def test_constraints_of_one_tool_and_of_all_values(env, arms):
    up = arms[0].transform[:3, :3].T @ [0, 0, 1]
    goals = {arms[0]: {"joint1": 0.3}, arms[1]: {"joint1": 0.3}}
    upright = ToolDirection(up, angle=0.2)
    result = env.plan(goals, constraints={arms[0]: upright}, timeout=60.0)
    assert result, result.cause
    for row in result.path:
        arms[0].arm_dof_values = row[:7]
        assert (arms[0].transform[:3, :3] @ up)[2] >= np.cos(0.202)

    def in_step(values):
        return [values[0] - values[7]]

    for arm in arms:
        arm.arm_dof_values = HERE
    result = env.plan(goals, constraints=in_step, timeout=60.0)
    assert result, result.cause
    assert np.allclose(result.path[:, 0], result.path[:, 7], atol=2e-3)
    with pytest.raises(ArgumentError, match="constraint of one tool"):
        env.plan(goals, constraints=[FunctionConstraint(in_step), upright])


def test_what_a_goal_function_raises_leaves_all_as_it_was(env, arms):
    def broken(values):
        raise KeyError("mine")

    before = [(body.dof_values.tobytes(), body.enabled) for body in env.bodies]
    with pytest.raises(KeyError, match="mine"):
        env.plan({arms[0]: AIM, arms[1]: broken})
    assert [(b.dof_values.tobytes(), b.enabled) for b in env.bodies] == before


# -- wrong input -----------------------------------------------------------------------


def test_wrong_input_ends_in_words(env, arms):
    left = env.robots[0]
    for goals, options, text in (
        ({}, {}, "expected a mapping"),
        ({arms[0]: AIM, left: THERE}, {}, "two goals"),
        ({arms[0]: AIM, "right": THERE}, {}, "found 'right'"),
        ({arms[0]: AIM, arms[1]: [1.0]}, {}, "expected 7 values"),
        ({arms[0]: AIM}, {"start": {arms[1]: THERE}}, "has no goal"),
        ({arms[0]: AIM}, {"start": THERE}, "start is"),
        ({arms[0]: AIM}, {"jerk_limits": -1.0}, "jerk_limits"),
        ({arms[0]: AIM}, {"planner": 3}, "expected the id of a planner"),
    ):
        with pytest.raises(ArgumentError, match=text):
            plan_together(goals, **options)
    with pytest.raises(InterfaceNotFoundError, match="BiRRT"):
        env.plan({arms[0]: AIM}, planner="BiRT")
    with pytest.raises(ArgumentError, match="beside a mapping"):
        env.plan({arms[0]: AIM}, THERE)


def test_what_is_not_possible_is_refused(env, arms):
    left, right = env.robots
    left.set_active_dofs([0], pyrave.Affine.X)
    with pytest.raises(NotSupportedError, match=r"base of .*'left'.* is active"):
        env.plan({left: [0.0, 0.0], arms[1]: AIM})
    with (
        env.on_collision(lambda report: None),
        pytest.raises(NotSupportedError, match="callbacks"),
    ):
        swapped(arms)
    alone = retime(left, np.stack((HERE, THERE)), range(7))
    env.bodies["table"].collision_filter = lambda own, other: False
    for call in (swapped, lambda arms: verify_together([left], alone)):
        with pytest.raises(NotSupportedError, match=r"'table'.* collision filter"):
            call(arms)
    env.bodies["table"].collision_filter = None
    env.bodies["table"].grab(right, env.bodies["table"].links[0])
    with pytest.raises(NotSupportedError, match="is held by"):
        swapped(arms)


# -- trajectories ----------------------------------------------------------------------


def test_verification_sees_that_robots_meet(env, arms):
    straight = merge_trajectories(
        [retime(arm.robot, np.stack((HERE, THERE)), range(7)) for arm in arms]
    )
    (found,) = verify_together(env.robots, straight)
    assert found.kind == "collision"
    assert "left/" in found.what
    assert "right/" in found.what
    with pytest.raises(ArgumentError, match="no values of 'right'"):
        verify_together(
            env.robots, retime(env.robots[0], np.stack((HERE, THERE)), range(7))
        )
    for wrong in (None, [], [env.robots[0]] * 2, [env.bodies["table"]]):
        with pytest.raises(ArgumentError, match="robots"):
            verify_together(wrong, straight)


def test_a_trajectory_is_executed_by_all_of_its_robots_or_by_none(env, arms):
    result = swapped(arms)
    arms[1].arm_dof_values = THERE
    with pytest.raises(pyrave.StateError, match=r"'right'.* is not where"):
        env.execute(result.trajectory)
    arms[1].arm_dof_values = HERE
    env.robots["right"].set_controller("IdealController", [7])
    with pytest.raises(pyrave.StateError, match="refuses"):
        env.execute(result.trajectory)
    assert env.robots["left"].controller.is_done()
    env.step(0.1)
    assert (arms[0].arm_dof_values == HERE).all()
    env.remove(env.robots["right"])
    with pytest.raises(ArgumentError, match="moves 'right'"):
        env.execute(result.trajectory)


def test_two_goals_of_one_robot_are_refused(arms):
    env = arms[0].robot.env
    robot = env.robots[0]
    with pytest.raises(ArgumentError, match="two are the same"):
        env.plan({robot.name: robot.dof_values, robot: robot.dof_values})
