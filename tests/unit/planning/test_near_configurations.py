"""Free configurations near, goals by IK, and Denavit and Hartenberg's parameters."""

import numpy as np
import pytest

import pyrave
from pyrave.errors import ArgumentError
from pyrave.planning import (
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
    assert (free_values_near(robot) == present[robot.active_dof_indices]).all()


def test_values_next_to_a_post_are_found(robot):
    post = put_post(robot)
    state = robot.dof_values
    assert robot.env.check_collision(robot, post)
    found = free_values_near(robot, jitter=0.6, seed=2)
    assert (robot.dof_values == state).all()
    assert np.abs(found - state[robot.active_dof_indices]).max() <= 0.6
    again = free_values_near(robot, jitter=0.6, seed=2)
    assert (found == again).all()
    robot.set_dof_values(found, robot.active_dof_indices)
    assert not robot.env.check_collision(robot, post)
    assert not robot.check_self_collision()
    robot.dof_values = state
    assert free_values_near(robot, jitter=1e-4, tries=50) is None
    with pytest.raises(ArgumentError, match="jitter"):
        free_values_near(robot, jitter=0.0)
    robot.set_active_dofs([])
    with pytest.raises(ArgumentError, match="no active joints"):
        free_values_near(robot)


def test_poses_next_to_something_are_found(robot):
    post = put_post(robot)
    present = post.transform
    found = free_transform_near(post, jitter=0.3, seed=1)
    assert (post.transform == present).all()
    assert np.abs(found[:3, 3] - present[:3, 3]).max() <= 0.3
    assert found[:3, :3] @ found[:3, :3].T == pytest.approx(np.eye(3))
    post.transform = found
    assert not post.env.check_collision(post)
    assert (free_transform_near(post) == found).all()
    post.transform = present
    assert free_transform_near(post, jitter=1e-4, tries=20) is None


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
