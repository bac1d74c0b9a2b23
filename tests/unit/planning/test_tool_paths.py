"""Rounded corners of tool paths: on the lines, tangent to them, within the radius."""

from itertools import pairwise

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.planning import blended_poses
from pyrave.scene import Pose
from pyrave.spatial import rotation_vector

RADIUS = 0.1


def poses(*rows):
    """Return poses of places and turns about an axis that is no coordinate's."""
    made = np.tile(np.eye(4), (len(rows), 1, 1))
    for pose, (x, y, z, angle) in zip(made, rows, strict=True):
        pose[:] = Pose.from_axis_angle((1, 2, -1), angle, (x, y, z)).matrix
    return made


CORNERS = poses((0, 0, 0, 0), (1, 0, 0, 0.6), (1, 0.5, 0, 0.1), (0.2, 0.5, 0.7, -0.9))


def rates(path):
    """Return velocities per step (k, 6): of the origin, and turns in world axes."""
    turns = [rotation_vector(b[:3, :3] @ a[:3, :3].T) for a, b in pairwise(path)]
    return np.hstack((np.diff(path[:, :3, 3], axis=0), turns))


def test_a_rounded_path_stays_near_its_lines_and_has_no_corner():
    path = blended_poses(CORNERS, RADIUS, step=0.002, angle_step=0.01)
    assert (path[0] == CORNERS[0]).all()
    assert (path[-1] == CORNERS[-1]).all()
    places = path[:, :3, 3]
    for corner in CORNERS[1:-1, :3, 3]:
        near = np.linalg.norm(places - corner, axis=1).min()
        assert 0.1 * RADIUS < near <= 0.5 * RADIUS
    steps = rates(path)
    sizes = np.linalg.norm(steps[:, :3], axis=1)
    assert sizes.max() <= 0.002 + 1e-12
    assert np.linalg.norm(steps[:, 3:], axis=1).max() <= 0.0101
    along = steps[:, :3] / sizes[:, None]
    bends = np.arccos(np.clip((along[1:] * along[:-1]).sum(axis=1), -1.0, 1.0))
    assert bends.max() < 0.05
    # the turn of the tool by its way changes little from step to step, too
    turns = steps[:, 3:] / sizes[:, None]
    assert np.linalg.norm(np.diff(turns, axis=0), axis=1).max() < 0.2
    assert np.allclose(path[:, :3, :3] @ path[:, :3, :3].transpose(0, 2, 1), np.eye(3))


def test_a_corner_is_a_parabola():
    path = blended_poses(poses((0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 0)), 0.2)
    x, y = path[:, 0, 3], path[:, 1, 3]
    inside = (x > 0.8) & (y < 0.2) & (y > 0.0)
    assert inside.sum() > 20
    # sqrt(1 - x) + sqrt(y) is constant on the parabola that touches both lines
    assert np.allclose(np.sqrt(1.0 - x[inside]) + np.sqrt(y[inside]), np.sqrt(0.2))
    assert (x[~inside] == 1.0).sum() + (y[~inside] == 0.0).sum() >= (~inside).sum()


def test_no_radius_and_short_lines():
    sharp = blended_poses(CORNERS, 0.0)
    for corner in CORNERS:
        assert np.abs(sharp - corner).max(axis=(1, 2)).min() < 1e-12
    path = blended_poses(poses((0, 0, 0, 0), (0.1, 0, 0, 0), (0.1, 0.1, 0, 0)), 5.0)
    # half of each line
    assert np.linalg.norm(path[:, :3, 3] - (0.05, 0.0, 0.0), axis=1).min() < 1e-3
    turn = poses((0, 0, 0, 0), (0.1, 0, 0, 0), (0.1, 0, 0, 1), (0.1, 0.1, 0, 1))
    path = blended_poses(turn, 0.02)
    for corner in turn:
        assert np.abs(path - corner).max(axis=(1, 2)).min() < 1e-12


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (CORNERS[:1], {"radius": 0.1}, "two at least"),
        (np.eye(3), {"radius": 0.1}, "poses"),
        (CORNERS, {"radius": -1.0}, "radius"),
        (CORNERS, {"radius": np.nan}, "radius"),
        (CORNERS, {"radius": 0.1, "step": 0.0}, "step"),
        (1e6 * CORNERS[:, :3, 3:] * 0 + 1, {"radius": 0.1}, "poses"),
    ],
)
def test_wrong_input_ends_in_words(given, options, said):
    with pytest.raises(ArgumentError, match=said):
        blended_poses(given, **options)


def test_a_path_of_too_many_steps_is_refused():
    far = poses((0, 0, 0, 0), (1e6, 0, 0, 0))
    with pytest.raises(ArgumentError, match="longer step"):
        blended_poses(far, 0.1)


def test_a_radius_of_nothing_rounds_nothing():
    straight = blended_poses(CORNERS, 0.0)
    for radius in (1e-12, 1e-9):
        path = blended_poses(CORNERS, radius)
        for corner in straight[:, :3, 3]:
            assert np.linalg.norm(path[:, :3, 3] - corner, axis=1).min() < 1e-6
