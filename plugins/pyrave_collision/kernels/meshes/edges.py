"""Edges of triangle meshes: tests for closed and for convex meshes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32

JIT_ENTRIES = ("pair_edges", "measure")
JIT_NO_ARRAYS = ("*",)

_FIRST, _SECOND, _SHIFT = 73856093, 19349663, 15


def pair_edges(faces: I32, slots: I32, partners: I32) -> bool:
    """Find the triangle behind each edge; return whether the mesh is closed.

    It is if each edge belongs to two triangles, which run along it in opposite ways.

    Parameters
    ----------
    faces
        (m, 3) vertices, three different ones each.
    slots
        (a power of 2 and at least 3 m / 2 + 1,) -1, scratch: a table of edges.
    partners
        (m, 3) output: for the edge from corner k to the next one, three times the
        triangle on its other side plus the corner where the edge begins there.
    """
    bits = len(slots) - 1
    n_edges = 0
    for f in range(len(faces)):
        for k in range(3):
            start, end = int(faces[f, k]), int(faces[f, (k + 1) % 3])
            key = min(start, end) * _FIRST + max(start, end) * _SECOND
            slot = (key ^ (key >> _SHIFT)) & bits
            while True:
                other = int(slots[slot])
                if other < 0:
                    if 2 * n_edges >= 3 * len(faces):
                        return False
                    n_edges += 1
                    slots[slot] = 3 * f + k
                    partners[f, k] = -1
                    break
                g, j = other // 3, other % 3
                there, back = int(faces[g, j]), int(faces[g, (j + 1) % 3])
                if there == end and back == start:
                    if partners[g, j] >= 0:
                        return False
                    partners[g, j] = 3 * f + k
                    partners[f, k] = other
                    break
                if there == start and back == end:
                    return False
                slot = (slot + 1) & bits
    return 2 * n_edges == 3 * len(faces)


def measure(points: F64, faces: I32, partners: I32) -> tuple[float, float, float]:
    """Return the volume and the area of a closed mesh, and how deep its edges are.

    Parameters
    ----------
    points
        (n, 3), best about the centre of the mesh.
    faces, partners
        As of `pair_edges`.

    Returns
    -------
    volume, area, depth
        Depth is 0 if all edges are convex. At any other edge it is the height of the
        narrower triangle's corner over the plane of the wider one, which rounding
        changes the least.
    """
    volume, area, depth = 0.0, 0.0, 0.0
    for f in range(len(faces)):
        a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
        ax, ay, az = points[a, 0], points[a, 1], points[a, 2]
        ux, uy, uz = points[b, 0] - ax, points[b, 1] - ay, points[b, 2] - az
        vx, vy, vz = points[c, 0] - ax, points[c, 1] - ay, points[c, 2] - az
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        twice = math.sqrt(nx * nx + ny * ny + nz * nz)
        # six times the signed tetrahedron to the origin, a.(u x v)
        volume += ax * nx + ay * ny + az * nz
        area += twice
        if twice == 0.0:
            continue
        for k in range(3):
            g, j = int(partners[f, k]) // 3, int(partners[f, k]) % 3
            d = faces[g, (j + 2) % 3]
            px, py, pz = points[d, 0] - ax, points[d, 1] - ay, points[d, 2] - az
            height = (nx * px + ny * py + nz * pz) / twice
            if height <= depth:
                continue
            # twice the area of the other triangle
            e, h = faces[g, j], faces[g, (j + 1) % 3]
            qx = points[h, 0] - points[e, 0]
            qy = points[h, 1] - points[e, 1]
            qz = points[h, 2] - points[e, 2]
            px = points[d, 0] - points[e, 0]
            py = points[d, 1] - points[e, 1]
            pz = points[d, 2] - points[e, 2]
            mx, my, mz = qy * pz - qz * py, qz * px - qx * pz, qx * py - qy * px
            if mx * mx + my * my + mz * mz <= twice * twice:
                depth = height
    return volume / 6.0, area / 2.0, depth
