"""Tessellations and bounding boxes of the scene description's shapes."""

from __future__ import annotations

import numpy as np
import pytest
from loops import each

from pyrave.errors import ArgumentError
from pyrave.geometry import (
    Mesh,
    posed_aabb,
    shape_aabb,
    shape_boxes,
    shape_mesh,
    sphere_mesh,
)
from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    MeshData,
    MeshReference,
    NoShape,
    Pose,
    Prism,
    Sphere,
    TriMesh,
)
from pyrave.spatial import matrix_from_axis_angle

SHAPES = [
    Box((0.1, 0.2, 0.3)),
    Sphere(0.4),
    Cylinder(0.2, 0.9),
    Capsule(0.2, 0.9),
    Container((0.8, 0.6, 0.4), (0.7, 0.5, 0.35), (0.1, 0.05, 0.02), (0.9, 0.3, 0.1)),
    Cage(
        (0.5, 0.4, 0.05),
        ((Pose.from_axis_angle((0, 0, 1), 0.3, (0.5, 0, 0.1)), (0.02, 0.4, 0.3)),),
    ),
    Prism(((0, 0), (1, 0), (0.2, 0.2), (0, 1)), 0.6),
    TriMesh(MeshData(sphere_mesh(0.3, 8).vertices, sphere_mesh(0.3, 8).faces)),
]


def _pose(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_axis_angle(rng.normal(size=3))
    pose[:3, 3] = rng.normal(size=3)
    return pose


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.type)
@each("seed", range(3))
def test_posed_aabb_is_the_limit_of_the_tessellation(shape, seed) -> None:
    pose = _pose(seed)
    centre, half = posed_aabb(shape, pose)
    mesh = shape_mesh(shape, 256).transformed(pose)
    centre_mesh, half_mesh = mesh.aabb
    # the tessellation is inside of the shape, by at most the sagitta of its arcs
    curved = isinstance(shape, (Sphere, Cylinder, Capsule))
    tolerance = 4e-4 if curved else 1e-12
    np.testing.assert_allclose(half, half_mesh, atol=tolerance)
    np.testing.assert_allclose(centre, centre_mesh, atol=tolerance)
    lo, hi = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    assert (centre - half <= lo + 1e-12).all()
    assert (centre + half >= hi - 1e-12).all()


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.type)
def test_shape_aabb_is_the_box_at_the_identity(shape) -> None:
    expected = posed_aabb(shape, np.eye(4))
    for found, wanted in zip(shape_aabb(shape), expected, strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_container_parts_stand_on_the_bottom() -> None:
    outer, inner = (0.8, 0.6, 0.4), (0.7, 0.5, 0.35)
    plain = Container(outer, inner)
    assert len(shape_boxes(plain)) == 5
    centre, half = shape_aabb(plain)
    np.testing.assert_allclose(centre, (0, 0, 0.2), atol=1e-15)
    np.testing.assert_allclose(half, (0.4, 0.3, 0.2), atol=1e-15)
    # the solid is the outer box less the inner box
    expected = np.prod(outer) - np.prod(inner)
    assert shape_mesh(plain).volume == pytest.approx(expected, rel=1e-12)
    crossed = Container(outer, inner, (0.1, 0.05, 0.02))
    arms = (0.1 * 0.5 + 0.05 * 0.7 - 0.1 * 0.05) * 0.02
    assert shape_mesh(crossed).volume == pytest.approx(expected + arms, rel=1e-12)


def test_container_pad_lifts_the_rest_only_if_all_its_extents_are_positive() -> None:
    outer, inner = (0.8, 0.6, 0.4), (0.7, 0.5, 0.35)
    padded = shape_aabb(Container(outer, inner, bottom=(0.2, 0.2, 0.1)))
    np.testing.assert_allclose(padded[0], (0, 0, 0.25), atol=1e-15)
    np.testing.assert_allclose(padded[1], (0.4, 0.3, 0.25), atol=1e-15)
    flat = shape_aabb(Container(outer, inner, bottom=(0.2, 0.0, 0.1)))
    np.testing.assert_allclose(flat[0], (0, 0, 0.2), atol=1e-15)


def test_container_without_floor_has_four_walls() -> None:
    assert len(shape_boxes(Container((1, 1, 1), (0.9, 0.9, 1.0)))) == 4


def test_shape_without_extent() -> None:
    assert len(shape_mesh(NoShape()).faces) == 0
    centre, half = posed_aabb(NoShape(), _pose(0))
    np.testing.assert_array_equal(half, 0.0)
    np.testing.assert_array_equal(centre, _pose(0)[:3, 3])


def test_mesh_file_must_be_loaded_first() -> None:
    shape = TriMesh(MeshReference("arm.stl"))
    with pytest.raises(ArgumentError, match=r"arm\.stl"):
        shape_mesh(shape)
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 2, 0]], [[0, 1, 2]])
    centre, half = shape_aabb(shape, mesh)
    np.testing.assert_allclose(centre, (0.5, 1, 0))
    np.testing.assert_allclose(half, (0.5, 1, 0))


def test_sizes_must_not_be_negative() -> None:
    for shape in (Box((1, -1, 1)), Sphere(-1), Cylinder(1, -1), Capsule(1, -1)):
        with pytest.raises(ArgumentError, match="negative"):
            shape_mesh(shape)
    with pytest.raises(ArgumentError, match="3 segments"):
        shape_mesh(Sphere(1), 2)
