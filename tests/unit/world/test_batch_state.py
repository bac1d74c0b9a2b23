"""Many states of one packed world are what the world is in each of them."""

import numpy as np
import pytest

import pyrave
from pyrave import ArgumentError, StateError
from pyrave.kinematics import link_transforms_batch
from pyrave.scene import (
    BodyDescription,
    Box,
    Capsule,
    GeometryDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    Pose,
    body_from_boxes,
)
from pyrave.world import BatchState

Z = JointAxis((0.0, 0.0, 1.0), lower=-3.0, upper=3.0)


@pytest.fixture
def env():
    made = pyrave.Environment()
    made.create_body(body_from_boxes("wall", [(0.0, 3.0, 0.0, 1.0, 0.1, 1.0)]))
    shapes = (Box((0.2, 0.1, 0.1)), Capsule(0.1, 0.4), Box((0.3, 0.1, 0.2)))
    links = tuple(
        LinkDescription(f"l{k}", geometries=(GeometryDescription(shape),))
        for k, shape in enumerate(shapes)
    )
    place = Pose(translation=(0.5, 0.1, 0.2))
    joints = tuple(
        JointDescription(
            f"j{k}", "hinge", f"l{k}", f"l{k + 1}", axes=(Z,), T_parent_joint=place
        )
        for k in range(2)
    )
    made.create_body(BodyDescription("arm", links=links, joints=joints))
    return made


def test_each_state_is_as_the_world_would_be(env):
    arm, world = env.bodies["arm"], env.world
    values = np.random.default_rng(0).uniform(-2.0, 2.0, (7, 2))
    batch = BatchState.from_world(world, len(values))
    poses = link_transforms_batch(arm.model, arm.transform, values)
    batch.place(world, arm.id, poses)
    assert len(batch) == 7
    for k, q in enumerate(values):
        arm.dof_values = q
        tables = env.world.tables
        for ours, theirs in (
            (batch.link_poses[k], tables.links.poses),
            (batch.geometry_poses[k], tables.geometries.poses),
            (batch.bounds[k], tables.geometries.bounds),
        ):
            np.testing.assert_allclose(ours, theirs, atol=1e-14)


def test_a_batch_is_of_one_set_of_rows(env):
    arm, world = env.bodies["arm"], env.world
    batch = BatchState.from_world(world, 2)
    poses = np.repeat(arm.link_transforms[None], 2, axis=0)
    with pytest.raises(ArgumentError, match="link_poses"):
        batch.place(world, arm.id, poses[:1])
    env.bodies["wall"].enabled = False
    arm.dof_values = (0.5, 0.5)
    batch.place(env.world, arm.id, poses)
    env.remove("wall")
    with pytest.raises(StateError, match="came, went or were reshaped"):
        batch.place(env.world, arm.id, poses)
    with pytest.raises(ArgumentError, match="count is -1"):
        BatchState.from_world(world, -1)
