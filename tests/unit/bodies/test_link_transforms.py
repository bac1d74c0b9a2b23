"""Link poses that are set from outside."""

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError
from pyrave.scene import (
    BodyDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
)

Z = JointAxis((0.0, 0.0, 1.0), lower=-3.0, upper=3.0)
SLIDE = JointAxis((1.0, 0.0, 0.0), prismatic=True, lower=-1.0, upper=1.0)


@pytest.fixture
def body():
    env = pyrave.Environment()
    links = tuple(LinkDescription(name) for name in ("base", "arm", "slider"))
    place = Pose(translation=(0.5, 0.0, 0.1))
    joints = (
        JointDescription("turn", "hinge", "base", "arm", axes=(Z,)),
        JointDescription(
            "push", "slider", "arm", "slider", axes=(SLIDE,), T_parent_joint=place
        ),
    )
    return env.create_body(BodyDescription("b", links=links, joints=joints))


def test_joint_values_are_those_that_the_poses_mean(body):
    body.dof_values = (0.4, -0.3)
    body.transform = (1, 0, 0, 0, 1.0, 2.0, 3.0)
    poses = body.link_transforms
    body.dof_values = (0.0, 0.0)
    body.transform = np.eye(4)
    before = body.pose_stamp
    body.set_link_transforms(poses)
    assert body.pose_stamp > before
    np.testing.assert_allclose(body.dof_values, (0.4, -0.3), atol=1e-12)
    np.testing.assert_array_equal(body.link_transforms, poses)
    np.testing.assert_array_equal(body.transform, poses[0])


def test_poses_that_contradict_a_joint_stay_until_the_body_is_moved(body):
    poses = body.link_transforms
    poses[2, :3, 3] += (0.2, 0.0, 0.05)  # a slider does not move along z
    body.set_link_transforms(poses)
    poses[2, 2, 3] += 1.0  # the body has a copy
    assert body.dof_values[1] == pytest.approx(0.2)
    assert body.links["slider"].transform[2, 3] == pytest.approx(0.15)
    world = body.env.world
    rows = world.links_of(body.id)
    assert world.tables.links.poses[rows][2, 2, 3] == pytest.approx(0.15)
    with body.preserve_state():
        body.dof_values = (0.0, 0.2)
        assert body.links["slider"].transform[2, 3] == pytest.approx(0.1)
    assert body.links["slider"].transform[2, 3] == pytest.approx(0.15)
    twin = body.env.clone().bodies["b"]
    np.testing.assert_array_equal(twin.link_transforms, body.link_transforms)


def test_what_is_held_follows(body):
    held = body.env.create_body(BodyDescription("h", links=(LinkDescription("l"),)))
    body.grab(held, "slider")
    poses = body.link_transforms
    poses[2, 0, 3] += 0.2
    body.set_link_transforms(poses)
    assert held.transform[0, 3] == pytest.approx(0.2)


def test_wrong_poses_are_refused(body):
    before = body.link_transforms
    with pytest.raises(ArgumentError, match="transforms"):
        body.set_link_transforms(before[:2])
    bent = before.copy()
    bent[1, 0, 0] = 2.0
    with pytest.raises(ArgumentError, match=r"transforms\[1\] is not a rigid"):
        body.set_link_transforms(bent)
    np.testing.assert_array_equal(body.link_transforms, before)
