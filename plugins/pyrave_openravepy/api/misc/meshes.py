"""Triangles of simple shapes: vertices (n, 3) and indices (m, 3)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.foundation.guard import guarded

__all__ = ["ComputeBoxMesh", "ComputeCylinderYMesh", "ComputeGeodesicSphereMesh"]

Mesh = tuple[NDArray[np.float64], NDArray[np.int64]]


@guarded
def ComputeGeodesicSphereMesh(radius: float = 1.0, level: int = 2) -> Mesh:
    """Return a sphere: an icosahedron, of which each level parts edges in two."""
    from pyrave.geometry import geodesic_sphere, hull_faces

    depth = int(level)
    if not 0 <= depth <= 7:
        raise ValueError(f"level is {level}, expected 0 to 7")
    points = geodesic_sphere(2**depth)
    faces = np.asarray(hull_faces(points), np.int64)
    return spatial.as_number(radius, "radius", 0.0) * points, faces


@guarded
def ComputeBoxMesh(extents: Any) -> Mesh:
    """Return a box by half its sides."""
    half = spatial.as_vector(extents, 3, "extents")
    signs = np.array(
        [[x, y, z] for x in (1.0, -1.0) for y in (1.0, -1.0) for z in (1.0, -1.0)]
    )
    # corner k has a minus in x for bit 2 of k, in y for bit 1, in z for bit 0
    sides = (
        (0, 2, 3, 1),
        (4, 5, 7, 6),
        (0, 1, 5, 4),
        (2, 6, 7, 3),
        (0, 4, 6, 2),
        (1, 3, 7, 5),
    )
    faces = [face for a, b, c, d in sides for face in ((a, b, c), (a, c, d))]
    return signs * half, np.array(faces, np.int64)


@guarded
def ComputeCylinderYMesh(radius: float, height: float, angledelta: float = 0.1) -> Mesh:
    """Return a cylinder about y, closed at both ends."""
    wide = spatial.as_number(radius, "radius", 0.0)
    half = 0.5 * spatial.as_number(height, "height", 0.0)
    step = spatial.as_number(angledelta, "angledelta", 1e-4)
    count = max(3, int(np.ceil(2.0 * np.pi / step)))
    turns = np.arange(count) * (2.0 * np.pi / count)
    ring = np.stack((wide * np.cos(turns), wide * np.sin(turns)), axis=1)
    level = np.full(count, half)
    top = np.stack((ring[:, 0], level, ring[:, 1]), axis=1)
    bottom = top * (1.0, -1.0, 1.0)
    vertices = np.vstack((top, bottom, [[0.0, half, 0.0], [0.0, -half, 0.0]]))
    one = np.arange(count)
    two = np.roll(one, -1)
    middle, under = np.full(count, 2 * count), np.full(count, 2 * count + 1)
    faces = np.vstack(
        (
            np.stack((one, two, one + count), axis=1),
            np.stack((two, two + count, one + count), axis=1),
            np.stack((two, one, middle), axis=1),
            np.stack((one + count, two + count, under), axis=1),
        )
    )
    return vertices, faces
