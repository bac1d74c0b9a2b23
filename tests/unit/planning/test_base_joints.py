"""Motions of a base in compiled searches."""

from __future__ import annotations

import numpy as np
import pytest

import pyrave
from pyrave import Affine
from pyrave.planning import PlanFailureCode, verify
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.search.kernels.joint_space import LINK_POSES
from pyrave.scene import body_from_boxes

MOTIONS = (
    Affine.X,
    Affine.ROTATION_AXIS,
    Affine.X | Affine.Y | Affine.ROTATION_AXIS,
    Affine.Y | Affine.Z,
    Affine.X | Affine.Y | Affine.Z | Affine.ROTATION_AXIS,
)
AXES = ([0.0, 0.0, 1.0], [1.0, -2.0, 0.5])


@pytest.fixture
def robot():
    env = pyrave.load("scenes/demo.env.xml")
    robot = env.robots["heron7"]
    robot.transform = [0.8, 0.36, -0.48, 0.0, 0.3, -0.4, 0.1]
    return robot


def space_of(robot, motions, axis, rng, count):
    """Return the compiled space, and configurations (count, n) around the robot."""
    arm = robot.active_manipulator
    robot.set_active_dofs(arm.arm_indices[::2], motions, axis)
    robot.active.values = robot.active.values  # what turning leaves of the base
    lower, upper = (np.clip(one, -2.0, 2.0) for one in robot.active.limits)
    rows = rng.uniform(lower, upper, (count, len(lower)))
    return JointSpace(robot), rows


@pytest.mark.parametrize("motions", MOTIONS)
@pytest.mark.parametrize("axis", AXES)
def test_poses_and_collisions_are_those_of_the_robot(robot, motions, axis):
    rng = np.random.default_rng(int(motions))
    with robot.env.collision_checker.moving_links():
        space, rows = space_of(robot, motions, axis, rng, 40)
        hits = space.hits(rows)
        count = len(robot.links)
        for row, hit in zip(rows, hits, strict=True):
            robot.active.values = row
            assert hit == (
                robot.env.check_collision(robot) or robot.check_self_collision()
            )
            space.hits(row[None])
            poses = space._bundle.arrays[LINK_POSES][:count]
            np.testing.assert_allclose(poses, robot.transforms_view, atol=1e-12)


def test_a_motion_that_is_called_free_is_free_in_between(robot):
    rng = np.random.default_rng(3)
    motions = Affine.X | Affine.Y | Affine.ROTATION_AXIS
    with robot.env.collision_checker.moving_links():
        space, rows = space_of(robot, motions, AXES[0], rng, 80)
        rows = rows[~space.hits(rows)]
        ends = rows[1:] + 0.6 * (rows[:-1] - rows[1:])
        free = [space.is_free(*pair) for pair in zip(rows[1:], ends, strict=True)]
        assert 0.1 < np.mean(free) < 0.9
        times = np.linspace(0.0, 1.0, 300)[:, None]
        for start, end, is_free in zip(rows[1:], ends, free, strict=True):
            if is_free:
                assert not space.hits(start + times * (end - start)).any()


def test_a_rover_drives_around_a_wall():
    env = pyrave.load("rover")
    env.create_body(body_from_boxes("wall", [(1.0, 0.0, 0.3, 0.05, 1.2, 0.3)]))
    robot = env.robots[0]
    robot.set_active_dofs([], Affine.X | Affine.Y | Affine.ROTATION_AXIS)
    for motion in (Affine.X, Affine.Y):
        robot.active.set_affine_limits(motion, lower=-3.0, upper=3.0)
    goal = [2.0, 0.0, 3.0]
    result = robot.plan(values=goal, seed=2)
    assert result, result.cause
    assert result.statistics.checks < 5000
    assert verify(robot, result.trajectory) == ()
    # the short way round, and no shorter than a wall of 1.2 m to either side lets it
    assert np.abs(np.diff(result.path[:, 2])).sum() < 2.0 * np.pi
    assert np.linalg.norm(np.diff(result.path[:, :2], axis=0), axis=1).sum() > 3.0
    with env.preserve_state():
        for row in result.path:
            robot.active.values = row
            assert not env.check_collision(robot)


def test_what_is_in_the_way_of_a_base_is_named():
    env = pyrave.load("rover")
    env.create_body(body_from_boxes("wall", [(2.0, 0.0, 0.3, 0.5, 1.2, 0.3)]))
    robot = env.robots[0]
    robot.set_active_dofs([], Affine.X | Affine.Y | Affine.ROTATION_AXIS)
    before = robot.transform
    result = robot.plan(values=[2.0, 0.0, 0.0])
    assert not result
    assert "wall" in result.cause
    np.testing.assert_array_equal(robot.transform, before)


@pytest.mark.parametrize("checker", ["Native", "coal"])
@pytest.mark.parametrize(
    ("limits", "start", "goal", "angles"),
    [
        ((-3.0, 3.0), 2.5, -2.5, (2.5, -2.5)),
        # a pose does not say how often the base has turned
        ((0.5, 5.5), -2.0, 1.0, (2 * np.pi - 2.0, 1.0)),
        ((0.5, 5.5), 1.0, -1.5, (1.0, 2 * np.pi - 1.5)),
    ],
)
def test_a_base_turns_within_its_limits(checker, limits, start, goal, angles):
    if checker == "coal":
        pytest.importorskip("coal")
    env = pyrave.load("robots/rover.robot.xml")
    env.collision_checker = checker
    robot = env.robots[0]
    robot.set_active_dofs([], Affine.X | Affine.ROTATION_AXIS)
    lower, upper = limits
    robot.active.set_affine_limits(Affine.ROTATION_AXIS, lower=lower, upper=upper)
    robot.active.values = [0.0, start]
    result = robot.plan(values=[0.0, goal])
    assert result, result.cause
    np.testing.assert_allclose(result.path[[0, -1], 1], angles, atol=1e-9)
    assert (result.path[:, 1] >= lower).all()
    assert (result.path[:, 1] <= upper).all()
    times = np.linspace(0.0, result.trajectory.duration, 50)
    spec = robot.active.configuration_specification()
    turned = result.trajectory.sample_points(times, spec)[:, 1]
    assert (turned >= lower - 1e-6).all()
    assert (turned <= upper + 1e-6).all()


def test_a_base_does_not_turn_to_what_is_beyond_its_limits():
    robot = pyrave.load("robots/rover.robot.xml").robots[0]
    robot.set_active_dofs([], Affine.ROTATION_AXIS)
    robot.active.set_affine_limits(Affine.ROTATION_AXIS, lower=-1.0, upper=1.0)
    result = robot.plan(values=[2.0])
    assert result.failure.code is PlanFailureCode.GOAL_LIMITS
    assert "angle" in result.cause
