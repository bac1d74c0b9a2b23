"""Free configurations near, goals by IK, and Denavit and Hartenberg's parameters."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import Affine
from pyrave.planning import (
    ToolDirection,
    dh_parameters,
    free_transform_near,
    free_values_near,
    ik_goal_sampler,
)
from pyrave.scene import body_from_boxes


@pytest.fixture
def robot():
    return pyrave.load("scenes/demo.env.xml").robots["heron7"]


def put_post(robot, way=0.0):
    place = robot.links["palm"].transform[:3, 3] + [way, 0, 0]
    boxes = [(*place, 0.02, 0.02, 0.02)]
    return robot.env.create_body(body_from_boxes("post", boxes))


def test_free_values_stay(robot):
    present = robot.dof_values
    near = free_values_near(robot)
    assert near
    assert (near.found == present[robot.active_dof_indices]).all()
    assert not near.cause


def test_values_next_to_a_post_are_found(robot):
    post = put_post(robot)
    state = robot.dof_values
    given = state[robot.active_dof_indices]
    assert robot.env.check_collision(robot, post)
    near = free_values_near(robot, jitter=0.6, seed=2)
    assert (robot.dof_values == state).all()
    assert np.abs(near.found - given).max() <= 0.6
    assert near == free_values_near(robot, jitter=0.6, seed=2)
    assert near != free_values_near(robot, jitter=0.6, seed=3)
    robot.set_dof_values(near.found, robot.active_dof_indices)
    assert not robot.env.check_collision(robot, post)
    assert not robot.check_self_collision()
    # the same from elsewhere: what is given counts, not where the robot is
    assert near == free_values_near(robot, given, jitter=0.6, seed=2)


def test_what_is_in_the_way_is_told(robot):
    put_post(robot)
    near = free_values_near(robot, jitter=1e-4, tries=50)
    assert not near
    assert near.found is None
    for said in (
        "'heron7' at [",
        "collides: heron7/link7 x post/base",
        "none of 50 configurations whose values are up to 0.0001 away is free",
        "A larger jitter, or more tries",
    ):
        assert said in near.cause


def test_near_values_are_within_limits_and_the_nearest_are_tried_first(robot):
    post = put_post(robot)
    which = robot.active_dof_indices
    lower, upper = robot.dof_limits
    given = robot.dof_values[which]
    lower[which] = given - 0.02
    robot.dof_limits = lower, upper
    far = given - 0.5
    for seed in range(5):
        near = free_values_near(robot, far, jitter=0.6, seed=seed)
        assert (near.found >= lower[which]).all()
        assert (near.found <= upper[which]).all()
        few = free_values_near(robot, given, jitter=0.6, tries=5, seed=seed)
        many = free_values_near(robot, given, jitter=0.6, tries=4000, seed=seed)
        if few:
            away = [np.abs(one.found - given).max() for one in (few, many)]
            assert away[1] < away[0]
    assert robot.env.check_collision(robot, post)


def test_near_values_of_an_arm_keep_constraints(robot):
    post = put_post(robot)
    arm = robot.manipulators[0]
    up = arm.transform[:3, :3].T @ [0, 0, 1]
    lean = ToolDirection(up, angle=0.05)
    active = robot.active_dof_indices
    leaning = 0
    for seed in range(4):
        near = free_values_near(arm, jitter=0.6, seed=seed, constraints=lean)
        loose = free_values_near(arm, jitter=0.6, seed=seed)
        angles = []
        for values in (near.found, loose.found):
            with robot.preserve_state():
                robot.set_dof_values(values, arm.arm_indices)
                assert not robot.env.check_collision(robot, post)
                assert not robot.check_self_collision()
                angles.append(np.arccos((arm.transform[:3, :3] @ up)[2]))
        assert angles[0] <= 0.051
        leaning += angles[1] > 0.051
    assert leaning
    assert (robot.active_dof_indices == active).all()
    upside_down = ToolDirection(-up, angle=0.05)
    near = free_values_near(arm, jitter=0.1, tries=20, constraints=upside_down)
    assert "tool direction within 0.05 rad of 0 0 1 is missed by 3.09" in near.cause
    assert "is free and keeps the constraints" in near.cause


def test_a_base_is_moved_away():
    env = pyrave.load("robots/heron7.robot.xml")
    robot = env.robots[0]
    robot.set_active_dofs([], affine=Affine.X | Affine.Y | Affine.ROTATION_AXIS)
    x, y = robot.transform[:2, 3]
    wall = [(x + 0.2, y, 0.3, 0.18, 0.5, 0.3)]
    env.create_body(body_from_boxes("wall", wall))
    assert env.check_collision(robot)
    near = free_values_near(robot, jitter=0.5, tries=500)
    assert np.abs(near.found - robot.active.values).max() <= 0.5
    robot.active.values = near.found
    assert not env.check_collision(robot)


def test_what_is_no_question_about_near_values_is_refused(robot):
    with pytest.raises(ArgumentError, match="jitter"):
        free_values_near(robot, jitter=0.0)
    with pytest.raises(ArgumentError, match="tries"):
        free_values_near(robot, tries=0)
    with pytest.raises(ArgumentError, match="seed"):
        free_values_near(robot, seed=-1)
    with pytest.raises(ArgumentError, match="values"):
        free_values_near(robot, [0.0])
    with pytest.raises(ArgumentError, match="values has values that are not finite"):
        free_values_near(robot, np.full(len(robot.active_dof_indices), np.nan))
    robot.set_active_dofs([])
    with pytest.raises(ArgumentError, match="no active degrees of freedom"):
        free_values_near(robot)


def test_poses_next_to_something_are_found(robot):
    post = put_post(robot)
    present = post.transform
    near = free_transform_near(post, jitter=0.3, seed=1)
    assert near
    assert (post.transform == present).all()
    assert np.abs(near.found[:3, 3] - present[:3, 3]).max() <= 0.3
    assert near.found[:3, :3] @ near.found[:3, :3].T == pytest.approx(np.eye(3))
    post.transform = near.found
    assert not post.env.check_collision(post)
    assert free_transform_near(post) == near
    post.transform = present
    none = free_transform_near(post, jitter=1e-4, tries=20)
    assert not none
    assert "'post' collides: post/base x heron7/" in none.cause
    assert "none of 20 poses that are up to 0.0001 away is free" in none.cause


def test_goals_are_solutions_of_all_targets(robot):
    arm = robot.manipulators[0]
    targets = []
    for shift in (0.0, 0.05):
        pose = arm.transform
        pose[2, 3] += shift
        targets.append(pose)
    sample = ik_goal_sampler(arm, targets, most_per_target=3, seed=1)
    reached = []
    while (row := sample()) is not None:
        with robot.preserve_state():
            robot.set_dof_values(row, arm.arm_indices)
            assert not robot.check_self_collision()
            near = [np.abs(arm.transform - one).max() < 1e-6 for one in targets]
        assert sum(near) == 1
        reached.append(near.index(True))
    assert set(reached) == {0, 1}
    assert max(reached.count(k) for k in (0, 1)) <= 3
    assert sample() is None
    with pytest.raises(ArgumentError, match="no targets"):
        ik_goal_sampler(arm, [])


@pytest.mark.parametrize(
    "path", ["robots/arms/iiwa14.robot.xml", "scenes/demo.env.xml"]
)
def test_frames_are_on_the_axes_of_joints(path):
    robot = pyrave.load(path).robots[0]
    found = dh_parameters(robot)
    assert len(found) == len(robot.joints)
    for one in found:
        before = (
            found[one.parent_index].transform if one.parent_index >= 0 else np.eye(4)
        )
        assert one.transform == pytest.approx(before @ one.pose, abs=1e-12)
        axis, origin = one.transform[:3, 2], one.transform[:3, 3]
        assert axis == pytest.approx(one.joint.axes[0], abs=1e-9)
        assert np.cross(one.joint.anchor - origin, axis) == pytest.approx(0, abs=1e-9)
        # x is at right angles to both axes
        assert one.transform[:3, 0] @ before[:3, 2] == pytest.approx(0, abs=1e-9)


def test_turning_a_joint_changes_its_theta():
    robot = pyrave.load("robots/arms/iiwa14.robot.xml").robots[0]
    robot.dof_values = np.linspace(0.2, 0.5, robot.dof)
    before = dh_parameters(robot)
    for k in range(robot.dof - 1):
        robot.set_dof_values([robot.dof_values[k] + 0.1], [k])
        after = dh_parameters(robot)
        for old, new in zip(before, after, strict=True):
            moved = old.parent_index == k
            assert new.theta - old.theta == pytest.approx(0.1 if moved else 0, abs=1e-9)
            assert (new.a, new.d, new.alpha) == pytest.approx(
                (old.a, old.d, old.alpha), abs=1e-9
            )
        before = after
