"""Poses rounded to a few digits are poses wherever the API takes them."""

import numpy as np
import pytest

from pyrave.spatial import pose_from_wxyz_xyz

ROUNDED = np.round(pose_from_wxyz_xyz((0.3, -0.4, 0.5, 0.707, 1.0, 2.0, 3.0)), 5)


@pytest.fixture
def robot(env, xml):
    env.load_string(xml.environment(xml.robot(), xml.body()), strict=True)
    return env.robots[0]


def test_a_rounded_pose_is_a_pose_from_then_on(robot):
    robot.transform = ROUNDED
    assert abs(robot.transform - ROUNDED).max() < 1e-5
    robot.dof_values = (0.3, 0.4)
    hits = robot.env.raycast((0, 0, 9), (0, 0, -1))
    assert hits.hit.shape == (1,)
    twin = robot.clone()
    np.testing.assert_array_equal(twin.transform, robot.transform)
    for link in robot.links:
        before = robot.transform
        link.transform = link.transform
        np.testing.assert_allclose(robot.transform, before, atol=1e-13)


def test_links_and_tools_take_rounded_poses(robot):
    robot.links["lower"].transform = ROUNDED
    tool = robot.manipulators[0]
    tool.local_tool_transform = ROUNDED
    for pose in (*robot.link_transforms, tool.transform):
        gram = pose[:3, :3] @ pose[:3, :3].T
        np.testing.assert_allclose(gram, np.eye(3), atol=1e-13)
