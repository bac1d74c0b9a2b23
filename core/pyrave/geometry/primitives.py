"""Tessellations and exact bounding boxes of the primitive shapes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry.mesh import Mesh
from pyrave.geometry.polygon import triangulate
from pyrave.scene.geometry import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    MeshData,
    NoShape,
    Prism,
    Shape,
    Sphere,
    TriMesh,
)
from pyrave.spatial import Array, as_array, as_vector

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

_BOX_CORNERS = np.array(
    [(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)]
)
_BOX_FACES = np.array(
    (
        (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
        (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
    ),
    np.int32,
)  # fmt: skip
_IDENTITY = np.eye(4)
# a container's floor thinner than this is no floor (rounding of the file's numbers)
_THINNEST_FLOOR = 1e-6


def box_mesh(half_extents: ArrayLike) -> Mesh:
    """Return a centred box as 12 triangles; half extents (3,), metres."""
    half = as_vector(half_extents, 3, "half_extents")
    _not_negative(half, "half_extents")
    return Mesh(_BOX_CORNERS * half, _BOX_FACES)


def sphere_mesh(radius: float, segments: int = 32) -> Mesh:
    """Return a centred sphere with `segments` vertices around the equator."""
    return capsule_mesh(radius, 0.0, segments)


def cylinder_mesh(radius: float, height: float, segments: int = 32) -> Mesh:
    """Return a centred cylinder along z; full height, metres."""
    _not_negative(as_vector((radius, height), 2, "radius and height"), "radius, height")
    ring = _ring(segments) * radius
    half = 0.5 * height
    vertices = np.zeros((2 * segments + 2, 3))
    vertices[:segments, :2] = ring
    vertices[:segments, 2] = -half
    vertices[segments:-2, :2] = ring
    vertices[segments:-2, 2] = half
    vertices[-2, 2] = -half
    vertices[-1, 2] = half
    a = np.arange(segments)
    b = np.roll(a, -1)
    low, high = np.full(segments, 2 * segments), np.full(segments, 2 * segments + 1)
    faces = np.concatenate(
        (
            np.stack((a, b, b + segments), axis=1),
            np.stack((a, b + segments, a + segments), axis=1),
            np.stack((b, a, low), axis=1),
            np.stack((a + segments, b + segments, high), axis=1),
        )
    )
    return Mesh(vertices, faces)


def capsule_mesh(radius: float, height: float, segments: int = 32) -> Mesh:
    """Return a centred capsule along z; height of its cylindrical part, metres."""
    _not_negative(as_vector((radius, height), 2, "radius and height"), "radius, height")
    ring = _ring(segments)
    rows = max(segments // 4, 1)
    angles = 0.5 * math.pi * np.arange(1, rows + 1) / rows
    # latitudes from the south pole up; the equator is there twice if there is a tube
    south = [(math.sin(t), -math.cos(t), -0.5 * height) for t in angles]
    south[-1] = (1.0, 0.0, -0.5 * height)
    north = [(s, -c, -h) for s, c, h in reversed(south)]
    if height == 0:
        north = north[1:]
    latitudes = south + north
    count = len(latitudes)
    vertices = np.empty((count * segments + 2, 3))
    for k, (s, c, h) in enumerate(latitudes):
        row = slice(k * segments, (k + 1) * segments)
        vertices[row, :2] = ring * (radius * s)
        vertices[row, 2] = radius * c + h
    vertices[-2] = (0.0, 0.0, -0.5 * height - radius)
    vertices[-1] = (0.0, 0.0, 0.5 * height + radius)
    a = np.arange(segments)
    b = np.roll(a, -1)
    parts = []
    for k in range(count - 1):
        low, high = k * segments, (k + 1) * segments
        parts += [
            np.stack((low + a, low + b, high + b), axis=1),
            np.stack((low + a, high + b, high + a), axis=1),
        ]
    last = (count - 1) * segments
    pole = np.full(segments, count * segments)
    parts += [
        np.stack((b, a, pole), axis=1),
        np.stack((last + a, last + b, pole + 1), axis=1),
    ]
    return Mesh(vertices, np.concatenate(parts))


def prism_mesh(cross_section: Sequence[Sequence[float]], height: float) -> Mesh:
    """Return a polygon of the xy plane extruded along z and centred.

    Parameters
    ----------
    cross_section
        (n, 2) corners of a simple polygon in either direction, metres; it may be
        concave.
    height
        Full height, metres.

    Raises
    ------
    ArgumentError
        Fewer than 3 different corners, or a polygon that crosses itself.
    """
    points = np.asarray(cross_section, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not np.isfinite(points).all():
        raise ArgumentError(
            f"cross_section has shape {points.shape}, expected finite (n, 2)"
        )
    _not_negative(as_vector((height,), 1, "height"), "height")
    corners, caps = triangulate(points)
    n = len(corners)
    vertices = np.empty((2 * n, 3))
    vertices[:n, :2] = corners
    vertices[n:, :2] = corners
    vertices[:n, 2] = -0.5 * height
    vertices[n:, 2] = 0.5 * height
    a = np.arange(n)
    b = np.roll(a, -1)
    faces = np.concatenate(
        (
            caps[:, ::-1],
            caps + n,
            np.stack((a, b, b + n), axis=1),
            np.stack((a, b + n, a + n), axis=1),
        )
    )
    return Mesh(vertices, faces.astype(np.int32))


def shape_boxes(shape: Container | Cage) -> list[tuple[Array, Array]]:
    """Return the boxes that a container or cage consists of.

    Returns
    -------
    list of (T_shape_box, half_extents)
        (4, 4) and (3,), metres. Boxes touch but do not overlap in containers; the
        walls of a cage lie where the file puts them, each standing on its own frame.
    """
    if isinstance(shape, Cage):
        base = np.asarray(shape.half_extents, dtype=np.float64)
        walls = [
            (wall @ _shift(0.0, 0.0, half[2]), np.asarray(half, dtype=np.float64))
            for wall, half in ((pose.matrix, half) for pose, half in shape.walls)
        ]
        return [*walls, (_shift(0.0, 0.0, base[2]), base)]
    ox, oy, oz = shape.outer_extents
    ix, iy, iz = shape.inner_extents
    cx, cy, cz = shape.bottom_cross
    bx, by, bz = shape.bottom
    has_pad = bx > 0 and by > 0 and bz > 0
    base_z = bz if has_pad else 0.0
    floor = oz - iz
    # full extents and centres
    boxes = [
        (((ox - ix) / 2, oy, oz), (side * (ox + ix) / 4, 0.0, base_z + oz / 2))
        for side in (1, -1)
    ]
    boxes += [
        ((ix, (oy - iy) / 2, oz), (0.0, side * (oy + iy) / 4, base_z + oz / 2))
        for side in (1, -1)
    ]
    if floor >= _THINNEST_FLOOR:
        boxes.append(((ix, iy, floor), (0.0, 0.0, base_z + floor / 2)))
    if cz > 0:
        centre_z = base_z + floor + cz / 2
        if cx > 0:
            boxes.append(((cx, iy, cz), (0.0, 0.0, centre_z)))
        if cy > 0:
            arm = (ix - max(cx, 0.0)) / 2
            boxes += [
                ((arm, cy, cz), (side * (ix - arm) / 2, 0.0, centre_z))
                for side in (1, -1)
            ]
    if has_pad:
        boxes.append(((bx, by, bz), (0.0, 0.0, bz / 2)))
    return [
        (_shift(*centre), np.maximum(np.asarray(full) / 2, 0.0))
        for full, centre in boxes
    ]


def shape_mesh(shape: Shape, segments: int = 32) -> Mesh:
    """Return a shape as triangles, in the geometry frame.

    Parameters
    ----------
    segments
        Corners of the polygon that stands for a circle.

    Raises
    ------
    ArgumentError
        A mesh that is a reference to a file (mesh formats load those).
    """
    if isinstance(shape, TriMesh):
        if isinstance(shape.mesh, MeshData):
            return Mesh(shape.mesh.vertices, shape.mesh.faces)
        raise ArgumentError(
            f"the mesh is the file {shape.mesh.uri!r}, which is not loaded; "
            "load it with pyrave.formats first"
        )
    match shape:
        case NoShape():
            return Mesh.empty()
        case Box():
            return box_mesh(shape.half_extents)
        case Sphere():
            return sphere_mesh(shape.radius, segments)
        case Cylinder():
            return cylinder_mesh(shape.radius, shape.height, segments)
        case Capsule():
            return capsule_mesh(shape.radius, shape.height, segments)
        case Prism():
            return prism_mesh(shape.cross_section, shape.height)
        case Container() | Cage():
            return Mesh.merge(
                box_mesh(half).transformed(pose) for pose, half in shape_boxes(shape)
            )


def shape_aabb(shape: Shape, mesh: Mesh | None = None) -> tuple[Array, Array]:
    """Return the exact bounding box of a shape in the geometry frame.

    Parameters
    ----------
    mesh
        The loaded mesh of a `TriMesh` that refers to a file.

    Returns
    -------
    centre, half_extents
        (3,) each, metres; zeros for a shape without extent.
    """
    return posed_aabb(shape, _IDENTITY, mesh)


def posed_aabb(
    shape: Shape, matrix: ArrayLike, mesh: Mesh | None = None
) -> tuple[Array, Array]:
    """Return the exact axis-aligned bounding box of a shape at a pose.

    Parameters
    ----------
    matrix
        (4, 4) T_a_shape, rigid.
    mesh
        The loaded mesh of a `TriMesh` that refers to a file.

    Returns
    -------
    centre, half_extents
        (3,) each, in frame a, metres.
    """
    pose = as_array(matrix, (4, 4), "matrix")
    rotation, origin = pose[:3, :3], pose[:3, 3].copy()
    match shape:
        case NoShape():
            return origin, np.zeros(3)
        case Box():
            return origin, np.abs(rotation) @ np.asarray(shape.half_extents)
        case Sphere():
            return origin, np.full(3, float(shape.radius))
        case Cylinder():
            axis = rotation[:, 2]
            disk = np.sqrt(np.maximum(1.0 - axis * axis, 0.0))
            return origin, np.abs(axis) * (0.5 * shape.height) + shape.radius * disk
        case Capsule():
            return origin, np.abs(rotation[:, 2]) * (0.5 * shape.height) + shape.radius
        case Container() | Cage():
            centres = []
            halves = []
            for box_pose, half in shape_boxes(shape):
                placed = pose @ box_pose
                centres.append(placed[:3, 3])
                halves.append(np.abs(placed[:3, :3]) @ half)
            centre, extent = np.array(centres), np.array(halves)
            return _centre_half(
                (centre - extent).min(axis=0), (centre + extent).max(axis=0)
            )
        case Prism():
            points = np.zeros((2 * len(shape.cross_section), 3))
            points[::2, :2] = points[1::2, :2] = np.asarray(shape.cross_section)
            points[::2, 2], points[1::2, 2] = -0.5 * shape.height, 0.5 * shape.height
        case TriMesh():
            points = (mesh if mesh is not None else shape_mesh(shape)).vertices
    if len(points) == 0:
        return origin, np.zeros(3)
    placed = points @ rotation.T + origin
    return _centre_half(placed.min(axis=0), placed.max(axis=0))


def _centre_half(lo: Array, hi: Array) -> tuple[Array, Array]:
    return 0.5 * (lo + hi), 0.5 * (hi - lo)


def _shift(x: float, y: float, z: float) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = (x, y, z)
    return pose


def _ring(segments: int) -> Array:
    if segments < 3:
        raise ArgumentError(f"a circle needs at least 3 segments, not {segments}")
    angles = 2.0 * math.pi * np.arange(segments) / segments
    return np.stack((np.cos(angles), np.sin(angles)), axis=1)


def _not_negative(values: Array, name: str) -> None:
    if (values < 0).any():
        raise ArgumentError(f"{name} must not be negative: {values.tolist()}")
