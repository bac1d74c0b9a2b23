"""Planes of hulls, and hulls at a distance around them."""

import numpy as np
import pytest

from pyrave.errors import ArgumentError
from pyrave.geometry import (
    Mesh,
    convex_pieces,
    hull_faces,
    hull_planes,
    padded_hull,
    sphere_mesh,
)

_CUBE = np.array(np.meshgrid(*[(-1.0, 1.0)] * 3)).reshape(3, -1).T


def test_a_cube_has_six_planes_and_a_padded_cube_is_a_larger_one():
    planes = hull_planes(_CUBE, hull_faces(_CUBE))
    found = sorted(map(tuple, planes.round(12) + 0.0))
    expected = [(*(sign * axis), -1.0) for axis in np.eye(3) for sign in (1, -1)]
    assert found == sorted(map(tuple, np.array(expected) + 0.0))
    corners = padded_hull(_CUBE, 0.25)
    assert sorted(map(tuple, corners.round(12))) == sorted(map(tuple, 1.25 * _CUBE))
    assert sorted(map(tuple, padded_hull(_CUBE, 0.0))) == sorted(map(tuple, _CUBE))


def test_all_that_is_near_is_in_a_padded_hull_and_little_else():
    rng = np.random.default_rng(4)
    for case in range(30):
        points = rng.normal(size=(int(rng.integers(4, 40)), 3))
        points *= 10.0 ** rng.uniform(-2, 1, 3)  # needles and plates, too
        padding = 10.0 ** rng.uniform(-3, -0.5) * np.ptp(points, axis=0).max()
        corners = padded_hull(points, padding)
        planes = hull_planes(corners, hull_faces(corners))
        ways = rng.normal(size=(400, 3))
        ways /= np.linalg.norm(ways, axis=1, keepdims=True)
        # the support of the hull and a ball together is at most that of the padded hull
        least = (ways @ points.T).max(axis=1) + padding
        size = np.ptp(points, axis=0).max()
        assert ((ways @ corners.T).max(axis=1) >= least - 1e-7 * size).all(), case
        near = points[rng.integers(0, len(points), 400)] + padding * ways
        assert (near @ planes[:, :3].T + planes[:, 3] <= 1e-7 * size).all(), case
        # the distance of a corner is the most that it stands out along any direction
        aims = corners[:, None] - points[None]
        aims = (aims / np.linalg.norm(aims, axis=2, keepdims=True)).reshape(-1, 3)
        aims = np.concatenate((aims, ways, planes[:, :3]))
        out = corners @ aims.T - (points @ aims.T).max(axis=0)
        assert out.max(axis=1).max() <= 2.0 * padding * (1 + 1e-9), case


def test_a_ball_becomes_a_larger_ball():
    ball = sphere_mesh(0.5).vertices
    corners = padded_hull(np.unique(ball, axis=0), 0.1)
    radii = np.linalg.norm(corners, axis=1)
    assert radii.min() > 0.59
    assert radii.max() < 0.62


def test_points_in_a_plane_are_refused():
    with pytest.raises(ArgumentError, match="one plane"):
        padded_hull(_CUBE * (1, 1, 0), 0.1)


def test_wrong_input_is_refused():
    with pytest.raises(ArgumentError, match="padding is -1"):
        padded_hull(_CUBE, -1)
    with pytest.raises(ArgumentError, match="points"):
        padded_hull("a", 0.1)
    with pytest.raises(ArgumentError, match="mesh is 3, expected a"):
        convex_pieces(3)
    assert convex_pieces(Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))) == ()
