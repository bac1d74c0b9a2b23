"""Plans of one robot whose goal has a pose for each of several arms."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, IkParameterization, NotFoundError
from pyrave.planning import verify
from pyrave.planning.several.joined_robot import joined
from pyrave.scene import body_from_boxes

PUMA = "robots/arms/puma560.robot.xml"


@pytest.fixture
def robot():
    """Two arms of six joints on one robot, a post between them."""
    env = pyrave.Environment()
    for name, y in (("left", 0.45), ("right", -0.45)):
        env.load(PUMA, name=name)
        env.robots[name].transform = [1, 0, 0, 0, 0, y, 0]
    made = joined(list(env.robots))
    for one in env.robots:
        arm = one.active_manipulator
        base, tip = (f"{one.name}/{end.name}" for end in (arm.base, arm.end_effector))
        made.add_manipulator(one.name, base=base, tip=tip)
    made.env.create_body(body_from_boxes("post", [(0.6, 0, 0.3, 0.05, 0.05, 0.3)]))
    return made


def goals_of(robot, seed=0):
    """Return poses that both arms have at random values."""
    rng = np.random.default_rng(seed)
    before = robot.dof_values
    robot.dof_values = before + rng.uniform(-0.8, 0.8, robot.dof)
    poses = {arm: arm.transform for arm in robot.manipulators}
    robot.dof_values = before
    return poses


def test_each_arm_reaches_its_pose_at_once(robot):
    goals = goals_of(robot)
    result = robot.plan(goals)
    assert result, result.cause
    assert result.path.shape[1] == robot.dof
    assert verify(robot, result.trajectory) == ()
    robot.active.values = result.path[-1]
    for arm, pose in goals.items():
        np.testing.assert_allclose(arm.transform, pose, atol=1e-7)


def test_arms_go_by_name_and_env_plans_the_same(robot):
    goals = goals_of(robot, 1)
    named = {arm.name: IkParameterization.transform_6d(T) for arm, T in goals.items()}
    first, second = robot.plan(named, seed=3), robot.env.plan(goals, seed=3)
    assert first, first.cause
    np.testing.assert_array_equal(first.path, second.path)


def test_the_nearest_combination_comes_first(robot):
    goals = goals_of(robot, 2)
    result = robot.plan(goals)
    alone = [arm.solve_ik(pose) for arm, pose in goals.items()]
    np.testing.assert_allclose(result.path[-1], np.concatenate(alone), atol=1e-6)


def test_one_of_several_goals_is_reached(robot):
    far = {arm: np.array(arm.transform) for arm in robot.manipulators}
    for pose in far.values():
        pose[:3, 3] += 10.0
    near = goals_of(robot, 3)
    assert robot.plan([far, near])
    refused = robot.plan(far)
    assert not refused
    assert "left" in refused.cause


def test_wrong_arms_are_named(robot):
    left, _ = robot.manipulators
    pose = left.transform
    with pytest.raises(NotFoundError, match=r"'lefd', did you mean 'left'"):
        robot.plan({"right": pose, "lefd": pose})
    other = pyrave.load(PUMA).robots[0].active_manipulator
    with pytest.raises(ArgumentError, match="is no manipulator of"):
        robot.plan({other: pose})
    again = robot.add_manipulator("again", base=left.base.name, tip=left.end_effector)
    with pytest.raises(ArgumentError, match=r"share .*give joint values"):
        robot.plan({left: pose, again: pose})


def test_options_by_arm_are_for_arms_of_several_robots(robot):
    goals = goals_of(robot)
    left, _ = robot.manipulators
    with pytest.raises(ArgumentError, match="start is by arm, and all arms are of"):
        robot.env.plan(goals, start={left: left.arm_dof_values})
