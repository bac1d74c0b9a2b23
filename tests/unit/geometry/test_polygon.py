"""Faces of meshes cut into triangles: areas, directions, what cannot be cut."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrave.errors import ArgumentError
from pyrave.geometry import polygon as module
from pyrave.geometry import triangulate_faces
from pyrave.spatial import matrix_from_axis_angle


def normals(vertices, triangles):
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    return 0.5 * np.cross(b - a, c - a)


def star(radii):
    angles = 2 * math.pi * np.arange(len(radii)) / len(radii)
    xy = np.stack((np.cos(angles), np.sin(angles)), axis=1) * np.array(radii)[:, None]
    return np.column_stack((xy, np.zeros(len(radii))))


@given(
    st.lists(st.floats(0.05, 1.0), min_size=4, max_size=24),
    st.tuples(*[st.floats(-3, 3)] * 3),
    st.integers(0, 100),
    st.booleans(),
)
def test_any_star_shaped_face_keeps_its_area_and_direction(radii, turn, roll, back):
    points = np.roll(star(radii), roll, axis=0) @ matrix_from_axis_angle(turn).T
    if back:
        points = points[::-1]
    n = len(points)
    triangles, owners = triangulate_faces(points, np.arange(n), np.array([n]))
    assert triangles.shape == (n - 2, 3)
    assert not owners.any()
    parts = normals(points, triangles)
    edges = points[1:] - points[0]
    whole = 0.5 * np.cross(edges[:-1], edges[1:]).sum(axis=0)
    np.testing.assert_allclose(parts.sum(axis=0), whole, atol=1e-12)
    # nothing folds over: the areas add up to the area of the whole
    assert np.linalg.norm(parts, axis=1).sum() == pytest.approx(
        np.linalg.norm(whole), rel=1e-6
    )


def test_faces_of_many_sizes_keep_their_order():
    points = np.concatenate((star([1.0] * 6), star([1.0, 0.2, 1.0, 0.2])))
    corners = np.array([0, 1, 2, 0, 1, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 3, 4, 5])
    counts = np.array([3, 2, 4, 6, 3])
    triangles, owners = triangulate_faces(points, corners, counts)
    assert owners.tolist() == [0, 2, 2, 3, 3, 3, 3, 4]
    assert triangles[0].tolist() == [0, 1, 2]
    assert triangles[-1].tolist() == [3, 4, 5]
    assert (normals(points, triangles)[:, 2] > 0).all()


def test_a_face_that_crosses_itself_is_cut_in_some_way():
    bow = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 1.5, 0]], float)
    triangles, _ = triangulate_faces(bow, np.arange(4), np.array([4]))
    assert triangles.shape == (2, 3)
    assert set(triangles.ravel().tolist()) == {0, 1, 2, 3}


def test_faces_without_area_are_cut_all_the_same():
    line = np.array([[k, 0, 0] for k in range(5)], float)
    triangles, _ = triangulate_faces(line, np.arange(5), np.array([5]))
    assert len(triangles) == 3
    empty, owners = triangulate_faces(line, np.array([0, 1]), np.array([2]))
    assert empty.shape == (0, 3)
    assert owners.shape == (0,)


@pytest.mark.parametrize("corner", [-1, 3])
def test_indices_out_of_range_are_refused(corner):
    with pytest.raises(ArgumentError, match=f"vertex {corner}, but there are 3"):
        triangulate_faces(np.eye(3), np.array([0, 1, corner]), np.array([3]))


def test_the_work_on_concave_faces_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "_MAX_WORK", 1000)
    points = star([1.0, 0.3] * 200)
    with pytest.raises(ArgumentError, match="too many corners"):
        triangulate_faces(points, np.arange(400), np.array([400]))
