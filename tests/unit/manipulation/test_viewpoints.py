"""Poses of cameras around a point, in cones, and apart from each other."""

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.grasping import sphere_points
from pyrave.manipulation import are_in_cones, camera_poses, prune_poses


def test_cameras_look_at_the_point_from_where_they_should_be():
    ways, far, centre = 2.0 * sphere_points(30), [0.2, 0.5], (0.3, -0.1, 0.2)
    axis = np.array((0.1, -0.2, 1.0))
    poses = camera_poses(ways, far, 6, centre=centre, axis=axis)
    assert poses.shape == (30 * 2 * 6, 4, 4)
    turns = poses[:, :3, :3]
    eye = np.broadcast_to(np.eye(3), turns.shape)
    np.testing.assert_allclose(turns @ turns.transpose(0, 2, 1), eye, atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0)
    table = poses.reshape(30, 2, 6, 4, 4)
    np.testing.assert_allclose(
        table[..., :3, 2], np.broadcast_to(-ways[:, None, None] / 2, (30, 2, 6, 3))
    )
    for k, distance in enumerate(far):
        seen = table[:, k, :, :3, :3] @ (distance * axis) + table[:, k, :, :3, 3]
        np.testing.assert_allclose(
            seen, np.broadcast_to(centre, seen.shape), atol=1e-12
        )
    # rolls turn about the line of sight by equal steps
    step = table[:, :, :-1, :3, :3].swapaxes(-1, -2) @ table[:, :, 1:, :3, :3]
    np.testing.assert_allclose(step[..., 0, 0], np.cos(2 * np.pi / 6))


def test_up_is_the_y_axis_or_z_along_it():
    (pose,) = camera_poses([(0, 0, 1)], 0.5, 1)
    np.testing.assert_allclose(pose[:3, 1], (0, 1, 0), atol=1e-12)
    np.testing.assert_allclose(pose[:3, 3], (0, 0, 0.5), atol=1e-12)
    (pose,) = camera_poses([(0, 1, 0)], 0.5, 1)
    np.testing.assert_allclose(pose[:3, 1], (0, 0, 1), atol=1e-12)


def test_cones_keep_one_side():
    poses = camera_poses(sphere_points(500), 0.3, 2, centre=(0, 0, 1))
    out = poses[:, :3, 3] - (0, 0, 1)
    cones = 0.4 * np.array(((0.0, 0.6, 0.8), (1.0, 0.0, 0.0)))
    angles = np.arccos(np.clip(out / 0.3 @ cones.T / 0.4, -1, 1))
    found = are_in_cones(poses, cones, (0, 0, 1))
    assert (found == (angles <= 0.4).any(axis=1)).all()
    assert 0 < found.sum() < len(poses) / 5
    assert (are_in_cones(poses, cones[0], (0, 0, 1)) == (angles[:, 0] <= 0.4)).all()


def test_pruned_poses_are_apart_and_none_is_far_from_them():
    rng = np.random.default_rng(5)
    poses = camera_poses(rng.normal(size=(60, 3)), [0.1, 0.15], 4)
    near, turn = 0.06, 0.7
    kept = prune_poses(poses, near, turn)

    def are_near(one, other):
        angle = np.arccos(
            np.clip((np.trace(one[:3, :3].T @ other[:3, :3]) - 1) / 2, -1, 1)
        )
        return np.linalg.norm(one[:3, 3] - other[:3, 3]) < near and angle < turn

    expected = []
    for k, pose in enumerate(poses):
        if not any(are_near(pose, poses[one]) for one in expected):
            expected.append(k)
    assert kept.tolist() == expected
    assert 10 < len(kept) < len(poses)
    assert prune_poses(poses, near, turn, most=7).tolist() == expected[:7]
    assert len(prune_poses(poses, 0.0)) == len(poses)
    assert len(prune_poses(np.empty((0, 4, 4)))) == 0


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: camera_poses([(0, 0, 0)], 1.0), "without a direction"),
        (lambda: camera_poses([(0, 0, 1)], [0.1, 0.0]), "expected positive metres"),
        (lambda: camera_poses([(0, 0, np.nan)], 1.0), "directions"),
        (lambda: camera_poses([(0, 0, 1)], 1.0, 0), "rolls|count"),
        (lambda: camera_poses([(0, 0, 1)], 1.0, axis=(0, 0, -1)), "in front of"),
        (lambda: camera_poses(np.ones((600, 3)), np.ones(600), 8), "2,880,000 poses"),
        (lambda: are_in_cones(np.eye(4)[None], (0, 0, 4.0)), "half of the opening"),
        (lambda: are_in_cones(np.eye(4)[None], (0, 0, 0.0)), "half of the opening"),
        (lambda: prune_poses(np.eye(4)[None], -1.0), "distance"),
        (lambda: prune_poses(np.eye(4)[None], 0.1, 4.0), "angle"),
    ],
)
def test_wrong_input_is_told(call, text):
    with pytest.raises(ArgumentError, match=text):
        call()
