"""Passive joints have values of their own: settable, saved, copied, followed."""

from __future__ import annotations

import dataclasses
import pickle

import numpy as np
import pytest
from scene_files import scene_beside

import pyrave
from pyrave import ArgumentError

SCENE = scene_beside(__file__, "passive_joints.env.xml")


@pytest.fixture
def robot():
    return pyrave.load_string(SCENE).robots["robot"]


def test_a_passive_joint_moves_its_links(robot):
    before = robot.link_transforms
    robot.passive_joints["spring"].values = (0.25,)
    assert robot.passive_joints["spring"].values.tolist() == [0.25]
    moved = robot.link_transforms
    np.testing.assert_allclose(moved[1:, 2, 3], before[1:, 2, 3] + 0.25)
    assert robot.dof_values.tolist() == [0.0]
    robot.dof_values = (0.5,)
    assert robot.passive_joints["spring"].values.tolist() == [0.25]
    assert robot.links["spring"].transform[2, 3] == pytest.approx(0.25)


def test_values_beyond_limits_are_taken_as_they_are(robot):
    robot.passive_joints["spring"].values = (3.0,)
    assert robot.links["tip"].transform[2, 3] == pytest.approx(3.0)


@pytest.mark.parametrize("batch", [False, True])
def test_jacobians_are_those_of_the_present_passive_values(robot, batch):
    robot.passive_joints["wrist"].values = (0.7,)
    robot.dof_values = (0.3,)
    point = robot.links["tip"].transform @ (0.5, 0.2, 0.1, 1.0)
    found = robot.jacobian("tip", point[:3])
    if batch:
        found = robot.compute_jacobians([[0.3]], "tip", (0.5, 0.2, 0.1))[0]
    step, ends = 1e-6, []
    for sign in (-1, 1):
        robot.dof_values = (0.3 + sign * step,)
        ends.append((robot.links["tip"].transform @ (0.5, 0.2, 0.1, 1.0))[:3])
    np.testing.assert_allclose(
        found[:3, 0], (ends[1] - ends[0]) / (2 * step), atol=1e-8
    )


def test_the_tool_jacobian_of_a_manipulator_follows_passive_joints(robot):
    arm = robot.manipulators["arm"]
    arm.local_tool_transform = (1, 0, 0, 0, 0.5, 0.25, 0.0)
    assert arm.jacobian().shape == (6, 1)
    robot.passive_joints["wrist"].values = (0.7,)
    robot.passive_joints["spring"].values = (0.2,)
    tool = arm.transform[:3, 3]
    np.testing.assert_allclose(arm.jacobian(), robot.jacobian("tip", tool), atol=1e-12)


def test_dynamics_are_those_of_the_present_passive_values(robot):
    robot.env.gravity = (0.0, 0.0, -9.81)
    rest = robot.inverse_dynamics()
    robot.passive_joints["wrist"].values = (np.pi,)
    com = robot.center_of_mass
    assert not np.allclose(robot.inverse_dynamics(), rest)
    links = robot.links
    weighted = sum(link.mass * link.global_com for link in links) / robot.mass
    np.testing.assert_allclose(com, weighted, atol=1e-12)


def test_link_poses_from_outside_move_passive_joints(robot):
    robot.passive_joints["spring"].values = (0.4,)
    robot.passive_joints["wrist"].values = (-0.3,)
    robot.dof_values = (0.6,)
    poses = robot.link_transforms
    other = pyrave.load_string(SCENE).robots["robot"]
    other.set_link_transforms(poses)
    np.testing.assert_allclose(other.joint_values, robot.joint_values, atol=1e-12)
    other.dof_values = robot.dof_values  # poses are computed again
    np.testing.assert_allclose(other.link_transforms, poses, atol=1e-12)


def test_states_and_clones_have_passive_values(robot):
    rest = robot.get_state()
    robot.passive_joints["spring"].values = (0.4,)
    moved = robot.link_transforms
    copy = robot.clone()
    np.testing.assert_array_equal(copy.link_transforms, moved)
    other = robot.env.clone().robots["robot"]
    np.testing.assert_array_equal(other.link_transforms, moved)
    with robot.preserve_state():
        robot.set_state(rest)
        assert robot.passive_joints["spring"].values.tolist() == [0.0]
    np.testing.assert_array_equal(robot.link_transforms, moved)


def test_a_state_means_the_same_in_copies(robot):
    rest = robot.get_state()
    robot.passive_joints["spring"].values = (0.4,)
    copies = (
        robot.clone(),
        robot.env.clone().robots["robot"],
        pickle.loads(pickle.dumps(robot.env)).robots["robot"],  # noqa: S301
    )
    for copy in copies:
        copy.set_state(rest)
        assert copy.passive_joints["spring"].values.tolist() == [0.0]
        described = {joint.name: joint for joint in copy.describe().joints}
        assert described["spring"].axes[0].initial == 0.0


@pytest.mark.parametrize(
    ("part", "array"),
    [
        ("passive_values", np.zeros(7)),
        ("link_transforms", np.zeros((7, 4, 4))),
        ("enabled", np.ones(7, bool)),
        ("dof_values", np.zeros(2)),
    ],
)
def test_states_of_other_sizes_are_refused_whole(robot, part, array):
    robot.passive_joints["spring"].values = (0.4,)
    before = robot.get_state()
    robot.dof_values = (0.2,)
    moved = robot.get_state()
    with pytest.raises(ArgumentError, match=f"the {part} of the state have shape"):
        robot.set_state(dataclasses.replace(before, **{part: array}))
    for name in ("dof_values", "passive_values", "base_pose"):
        assert np.array_equal(getattr(robot.get_state(), name), getattr(moved, name))


def test_an_equal_passive_state_keeps_the_model(robot):
    robot.passive_joints["spring"].values = (0.4,)
    known = robot.state_model
    with robot.preserve_state():
        robot.dof_values = (0.2,)
    assert robot.state_model is known


def test_poses_from_outside_survive_a_new_zero(robot):
    poses = robot.link_transforms
    poses[3, :3, 3] += (0.0, 0.0, 0.5)
    robot.set_link_transforms(poses)
    robot.set_zero_configuration()
    np.testing.assert_array_equal(robot.link_transforms, poses)


def test_a_saved_scene_has_passive_values(robot):
    robot.passive_joints["spring"].values = (0.4,)
    spring = next(j for j in robot.describe().joints if j.name == "spring")
    assert spring.axes[0].initial == 0.4


def test_passive_joints_count_from_a_new_zero_too(robot):
    robot.passive_joints["spring"].values = (0.4,)
    robot.dof_values = (0.3,)
    poses = robot.link_transforms
    robot.set_zero_configuration()
    np.testing.assert_allclose(robot.link_transforms, poses, atol=1e-12)
    np.testing.assert_array_equal(robot.joint_values, np.zeros(3))
    robot.passive_joints["spring"].values = (-0.4,)
    assert robot.links["spring"].transform[2, 3] == pytest.approx(0.0)


@pytest.mark.parametrize(
    ("values", "message"),
    [((0.1, 0.2), "shape"), (("x",), "passive values"), ((np.nan,), "finite")],
)
def test_wrong_values_are_refused(robot, values, message):
    with pytest.raises(ArgumentError, match=message):
        robot.passive_joints["spring"].values = values


def test_only_axes_of_passive_joints_are_set(robot):
    with pytest.raises(ArgumentError, match="'elbow' of 'robot' is not that of a pas"):
        robot.set_passive_values((0.1,), (0,))
    with pytest.raises(ArgumentError, match="'9' of 'robot'"):
        robot.set_passive_values((0.1,), (9,))
    with pytest.raises(ArgumentError, match="repeat"):
        robot.set_passive_values((0.1, 0.2), (1, 1))


def test_versions_count_changes_of_each_part(robot):
    before = robot.versions
    robot.dof_values = (0.1,)
    assert robot.versions.pose > before.pose
    assert robot.versions[1:] == before[1:]
    robot.links["tip"].enabled = False
    assert robot.versions.enabled > before.enabled
    robot.dof_weights = (2.0,)
    assert robot.versions.limits > before.limits
    assert robot.versions.grabs == before.grabs
