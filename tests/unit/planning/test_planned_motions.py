"""Samples of planned motions: limits, collisions, constraints, ends."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import NotSupportedError
from pyrave.planning import (
    PlanFailureCode,
    TaskSpaceRegion,
    ToolDirection,
    verify,
    verify_together,
)
from pyrave.scene import body_from_boxes

TIMEOUT = 60.0


def box(env, name, centre, half):
    body = env.create_body(body_from_boxes(name, [(0, 0, 0, *half)]))
    body.transform = [1, 0, 0, 0, *centre]
    return body


@pytest.fixture
def arm():
    env = pyrave.load("robots/heron7.robot.xml")
    arm = env.robots[0].active_manipulator
    arm.arm_dof_values = [-0.8, 0.9, 0.0, 1.2, 0.0, 1.04, 0.0]
    return arm


def tool_poses(arm, trajectory):
    """Return the poses of the tool every millisecond."""
    times = np.arange(0.0, trajectory.duration, 1e-3)
    rows = np.tile(arm.robot.dof_values, (len(times), 1))
    rows[:, arm.arm_indices] = trajectory.sample_points(times)[:, :7]
    links = arm.robot.compute_link_transforms(rows)
    return links[:, arm.end_effector.index] @ arm.local_tool_transform


def test_a_way_around_a_post(arm):
    post = box(arm.robot.env, "post", (0.45, 0.0, 0.5), (0.03, 0.03, 0.6))
    results = [
        arm.plan({"joint1": 0.8}, timeout=TIMEOUT, seed=seed) for seed in (1, 1, 2, 3)
    ]
    for result in results:
        assert result, result.cause
        assert verify(arm.robot, result.trajectory) == ()
        assert len(result.path) > 2
        assert result.statistics.detour > 1.0
        assert result.statistics.iterations > 0
        first, last = result.trajectory.get_waypoint(0), result.path[-1]
        assert np.abs(first[:7] - arm.arm_dof_values).max() < 1e-9
        assert last[0] == pytest.approx(0.8, abs=1e-9)
    assert (results[0].path == results[1].path).all()
    assert (
        results[0].path.shape != results[2].path.shape
        or not (results[0].path == results[2].path).all()
    )
    distances = arm.robot.env.collision_checker.distances
    for row in results[0].path:
        values = arm.robot.dof_values
        values[:7] = row
        assert distances(arm.robot, values[None])[0] > 0.0
    assert post.transform[0, 3] == 0.45


def test_what_is_held_does_not_touch_either(arm):
    env, robot = arm.robot.env, arm.robot
    tool = arm.transform[:3, 3]
    pole = box(env, "pole", tool, (0.02, 0.02, 0.25))
    robot.grab(pole, arm.end_effector)
    box(env, "post", (0.62, 0.0, 0.1), (0.03, 0.03, 0.3))
    result = arm.plan({"joint1": 0.8}, timeout=TIMEOUT)
    assert result, result.cause
    assert verify(robot, result.trajectory) == ()
    assert robot.is_grabbing(pole)
    with robot.preserve_state():
        arm.arm_dof_values = result.path[-1]
        lower_end = pole.transform[:3, 3] - [0.0, 0.0, 0.22]
    box(env, "stone", lower_end, (0.02, 0.02, 0.02))
    cause = arm.plan({"joint1": 0.8}, timeout=TIMEOUT).failure
    assert cause.code is PlanFailureCode.GOAL_COLLISION
    assert "pole" in str(cause)
    assert "stone" in str(cause)


@pytest.mark.parametrize("blocked", [False, True])
def test_a_cup_stays_upright(arm, blocked):
    env = arm.robot.env
    up = arm.transform[:3, :3].T @ [0.0, 0.0, 1.0]
    goal = arm.transform
    turn = np.eye(4)
    turn[:3, :3] = pyrave.spatial.matrix_from_axis_angle([0.0, 0.0, 1.4])
    goal = turn @ goal
    if blocked:
        box(env, "post", (0.6, 0.0, 0.0), (0.03, 0.03, 0.3))
    upright = ToolDirection(up, angle=0.15)
    result = arm.plan(goal, constraints=upright, timeout=TIMEOUT, seed=1)
    assert result, result.cause
    assert verify(arm.robot, result.trajectory) == ()
    directions = tool_poses(arm, result.trajectory)[:, :3, :3] @ up
    assert np.arccos(np.clip(directions[:, 2], -1, 1)).max() < 0.153
    assert (result.statistics.iterations > 0) is blocked


def test_a_tool_stays_in_a_region(arm):
    frame = np.eye(4)
    frame[2, 3] = arm.transform[2, 3]
    bounds = [[-1, 1], [-1, 1], [-0.01, 0.01], [-9, 9], [-9, 9], [-9, 9]]
    region = TaskSpaceRegion(frame, bounds)
    goal = arm.transform
    goal[:2, 3] = 0.8 * goal[0, 3], 0.3
    result = arm.plan(goal, constraints=region, timeout=TIMEOUT)
    assert result, result.cause
    assert verify(arm.robot, result.trajectory) == ()
    moved = [region.displacement(pose) for pose in tool_poses(arm, result.trajectory)]
    assert np.abs(np.array(moved)[:, 2]).max() < 0.0125


@pytest.mark.parametrize("jerk", [None, 8.0])
def test_a_base_among_walls(jerk):
    env = pyrave.load("robots/rover.robot.xml")
    rover = env.robots[0]
    box(env, "first", (1.0, 0.6, 0.31), (0.05, 0.9, 0.3))
    box(env, "second", (2.0, -0.6, 0.31), (0.05, 0.9, 0.3))
    planar = pyrave.Affine.X | pyrave.Affine.Y
    rover.set_active_dofs([], planar | pyrave.Affine.ROTATION_AXIS)
    rover.active.set_affine_limits(
        planar, lower=(-1, -2, 0), upper=(4, 2, 0), resolution=0.05
    )
    rover.active.set_affine_limits(pyrave.Affine.ROTATION_AXIS, resolution=0.1)
    goal = [3.0, 0.0, 2.0 * np.pi + 0.5]
    result = rover.plan(goal, timeout=TIMEOUT, jerk_limits=jerk)
    assert result, result.cause
    assert result.path[-1].tolist() == pytest.approx([3.0, 0.0, 0.5])
    checker, spec = env.collision_checker, result.trajectory.spec
    times = np.linspace(0.0, result.trajectory.duration, 1000)
    rows = result.trajectory.sample_points(times)[:, :6]
    with rover.preserve_state():
        for row in rows[::10, :3]:
            rover.active.values = row
            assert not checker.check_collision(rover)
    rates = np.abs(np.diff(rows[:, :3], axis=0) / np.diff(times)[:, None])
    assert (rates <= rover.active.velocity_limits * (1 + 1e-6)).all()
    if jerk is not None:
        step = times[1]
        assert np.abs(np.diff(rows[:, :3], 3, axis=0)).max() <= jerk * step**3 + 1e-12
    assert spec.groups[0].kind == "affine_transform"
    outside = rover.plan([9.0, 0.0, 0.0])
    assert "'x' at 9 is 5 above its limit 4" in outside.cause


def test_verification_goes_with_the_base():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    box(env, "wall", (2.0, 0.0, 0.3), (0.05, 0.9, 0.3))
    robot.set_active_dofs([0], pyrave.Affine.X)
    spec = robot.active.configuration_specification("linear").add_delta_time_group()
    motion = env.create("trajectory", "")
    motion.init(spec)
    before = robot.transform
    for way, kinds in ((0.5, []), (3.0, ["collision"])):
        motion.clear_waypoints()
        motion.insert(0, [[0.0, 0.0, 0.0], [0.1, way, 30.0]])
        found = verify(robot, motion, step=0.1)
        assert [one.kind for one in found] == kinds
    assert "wall" in found[0].what
    # the wall is 1.95 m away, and the robot's base less than 0.3 m wide
    assert 1.5 < way * found[0].time / 30.0 < 1.95
    assert (robot.transform == before).all()
    with pytest.raises(NotSupportedError, match=r"moves the bases of 'heron7'"):
        verify_together([robot], motion)


def test_plans_need_no_contacts():
    class Boxes(pyrave.PairwiseChecker):
        contract = 2

        def check_pair(self, first, second):
            one, other = first.aabb, second.aabb
            return bool((np.abs(one[0] - other[0]) <= one[1] + other[1]).all())

    env = pyrave.load("robots/planar3r.robot.xml")
    env.register("collisionchecker", "Boxes", Boxes)
    env.collision_checker = "Boxes"
    robot = env.robots[0]
    result = robot.plan(robot.dof_values + 0.1, timeout=TIMEOUT)
    assert result, result.cause
    box(env, "near", robot.links[-1].transform[:3, 3], (0.05, 0.05, 0.05))
    (found,) = verify(robot, result.trajectory)
    assert (found.kind, found.amount) == ("collision", 0.0)
