"""Convex hulls against closed forms, their definition, and scipy if it is there."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from loops import each

from pyrave.errors import ArgumentError
from pyrave.geometry import Mesh, box_mesh, convexhull, prism_mesh, sphere_mesh
from pyrave.scene import Material
from pyrave.spatial import matrix_from_axis_angle

ELL = ((0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3))


@pytest.fixture(params=["plain", "compiled"])
def mode(request, monkeypatch):
    """Run the kernel as Python and as machine code."""
    if request.param == "plain":
        monkeypatch.setattr(
            convexhull._kernels, "auto", lambda cost: convexhull._kernels.python
        )
    else:
        monkeypatch.setattr(
            convexhull._kernels, "auto", lambda cost: convexhull._kernels.jit
        )
    return request.param


def cloud(points):
    """Return a mesh of a chain of triangles over points."""
    k = np.arange(len(points) - 2)
    return Mesh(points, np.stack((k, k + 1, k + 2), axis=1))


def check(points):
    """Check the definition: closed, convex, of these points, around all of them."""
    found = cloud(points).convex_hull()
    assert found.is_watertight
    size = np.ptp(points, axis=0).max()
    normals = found.face_normals
    offsets = np.einsum("ij,ij->i", normals, found.triangles()[:, 0])
    assert (points @ normals.T - offsets).max() <= 1e-9 * size
    rows = {tuple(point) for point in points.tolist()}
    assert all(tuple(vertex) in rows for vertex in found.vertices.tolist())
    assert found.volume > 0
    # Euler's formula
    assert len(found.faces) == 2 * len(found.vertices) - 4
    return found


def test_a_box_with_points_inside_and_on_its_sides(mode):
    grid = np.stack(np.meshgrid(*[np.linspace(-1, 1, 5)] * 3), axis=-1).reshape(-1, 3)
    found = check(grid * (1, 2, 3))
    assert found.volume == pytest.approx(48)
    assert found.area == pytest.approx(8 * (2 + 3 + 6))


def test_a_concave_prism(mode):
    found = prism_mesh(ELL, 0.5).convex_hull()
    assert found.volume == pytest.approx(0.5 * (6 - 1))
    assert len(found.vertices) == 10
    assert found.is_convex


def test_a_sphere_is_its_own_hull(mode):
    mesh = sphere_mesh(0.3, 24)
    found = mesh.convex_hull()
    assert found.volume == pytest.approx(mesh.volume, rel=1e-12)
    assert len(found.vertices) == len(mesh.vertices)


def test_many_points_with_the_compiled_kernel():
    rng = np.random.default_rng(5)
    points = rng.normal(size=(20_000, 3))
    found = check(points)
    assert 50 < len(found.vertices) < 500
    on_sphere = points / np.linalg.norm(points, axis=1)[:, None]
    assert len(check(on_sphere[:1000]).vertices) == 1000
    found = cloud(on_sphere).convex_hull()
    assert found.is_watertight
    assert len(found.vertices) == len(points)
    assert found.volume == pytest.approx(4 / 3 * math.pi, rel=1e-3)


@settings(max_examples=100)
@given(
    st.integers(0, 2**31),
    st.integers(6, 60),
    st.sampled_from(["normal", "grid", "thin", "sphere", "line and a point"]),
    st.floats(-6, 6),
)
def test_any_points_have_a_hull_around_them(seed, n, kind, exponent):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    if kind == "grid":
        points = rng.integers(0, 4, size=(n, 3)).astype(float)
    elif kind == "thin":
        points[:, 2] *= 1e-6
    elif kind == "sphere":
        points /= np.linalg.norm(points, axis=1)[:, None]
    elif kind == "line and a point":
        points[2:] = points[0] + rng.uniform(size=(n - 2, 1)) * (points[1] - points[0])
        points[2:] += 1e-4 * rng.normal(size=(n - 2, 3))
    points = 10.0**exponent * points @ matrix_from_axis_angle(rng.normal(size=3)).T
    points = points + 10.0**exponent * rng.normal(size=3)
    try:
        found = cloud(points).convex_hull()
    except ArgumentError as error:
        _is_flat(points, error)
        return
    size = np.ptp(points, axis=0).max()
    assert found.is_watertight
    normals = found.face_normals
    offsets = np.einsum("ij,ij->i", normals, found.triangles()[:, 0])
    assert (points @ normals.T - offsets).max() <= 1e-7 * size


def _is_flat(points, error):
    assert "in one plane" in str(error)
    centred = points - points.mean(axis=0)
    assert np.linalg.svd(centred)[1][2] < 1e-6 * np.abs(centred).max()


@each("seed", range(5))
def test_volumes_are_those_of_qhull(seed):
    spatial = pytest.importorskip("scipy.spatial")
    points = np.random.default_rng(seed).normal(size=(300, 3)) * (1, 5, 0.01)
    other = spatial.ConvexHull(points)
    found = check(points)
    assert found.volume == pytest.approx(other.volume, rel=1e-9)
    assert found.area == pytest.approx(other.area, rel=1e-9)
    assert len(found.vertices) == len(other.vertices)


def test_flat_points_and_few_points_are_refused():
    flat = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
    with pytest.raises(ArgumentError, match="in one plane"):
        flat.convex_hull()
    with pytest.raises(ArgumentError, match="needs 4 points, found 0"):
        Mesh.empty().convex_hull()
    line = Mesh([[k, k, k] for k in range(5)], [[0, 1, 2], [2, 3, 4]])
    with pytest.raises(ArgumentError, match="in one plane"):
        line.convex_hull()


def test_a_hull_has_the_first_material_and_no_unused_vertex():
    box = box_mesh((1, 1, 1))
    red = Material((1.0, 0.0, 0.0))
    mesh = Mesh([*box.vertices, [9, 9, 9]], box.faces, (red,))
    found = mesh.convex_hull()
    assert found.volume == pytest.approx(8)
    assert found.material == red
