"""Boxes and triangles against eight nodes, or eight triangles, of a mesh's tree.

Trees are those that rays use; see `pyrave.geometry.kernels.bvh` for their layout. Their
coordinates are float32 and relative to the mesh's centre. So are the tests here, with
an allowance for all rounding: what they call apart is apart.

A *pose* is (12,) float64, the first three rows of a matrix. A *query* is an oriented
box in the centred frame of a mesh, (23,) float32: its centre; half extents along the
axes of the mesh; rotation, row by row, from the box's axes to those of the mesh; half
extents along its own axes, twice as large; the allowance by which extents have grown;
and, for bounds of distances, a unit vector or 0 and how far the box reaches along it.

Loops over eight slots take their number from the array: where it is a constant, LLVM
unrolls the loop before it looks for vectors.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

INFINITY = np.float32(np.inf)
QUERY = 23
ALLOWANCE, WAY, REACH = 18, 19, 22
# Bound of what rounding to float32 adds up to, in units of the largest coordinate: some
# 60 units in the last place.
ROUNDING = 2.0**-18


def reversed_pose(pose: F64, result: F64) -> None:
    """Write the inverse of a pose."""
    for r in range(3):
        place = 0.0
        for c in range(3):
            result[4 * r + c] = pose[4 * c + r]
            place -= pose[4 * c + r] * pose[4 * c + 3]
        result[4 * r + 3] = place


def centred_pose(pose: F64, frame_a: F64, frame_b: F64, result: F64) -> None:
    """Write the pose of b in a between the centred frames of two meshes.

    Parameters
    ----------
    frame_a, frame_b
        (4,), of which the first three are the centre.
    """
    for r in range(3):
        place = pose[4 * r + 3] - frame_a[r]
        for c in range(3):
            result[4 * r + c] = pose[4 * r + c]
            place += pose[4 * r + c] * frame_b[c]
        result[4 * r + 3] = place


def moved(pose: F64, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return a point in the frame that a pose leads to."""
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[3],
        pose[4] * x + pose[5] * y + pose[6] * z + pose[7],
        pose[8] * x + pose[9] * y + pose[10] * z + pose[11],
    )


def moved_triangle(pose: F64, corners: F64, row: int, rows: F64, i: int) -> None:
    """Write a triangle to row i in the frame that a pose leads to."""
    for c in range(0, 9, 3):
        x, y, z = moved(pose, corners[row, c], corners[row, c + 1], corners[row, c + 2])
        rows[i, c], rows[i, c + 1], rows[i, c + 2] = x, y, z


def not_above(values: F32, limit: float) -> int:
    """Return as bits which of eight numbers are not more than a limit; nan is."""
    found = 0
    for k in range(WIDTH):
        found |= (1 << k) if values[k] <= limit else 0
    return found


def set_query(pose: F64, box: F64, margin: float, reach: float, query: F32) -> None:
    """Write the query of a box.

    Parameters
    ----------
    pose
        From the frame of the box to the centred one of the mesh.
    box
        (6,) centre and half extents.
    margin
        Metres by which extents grow.
    reach
        What no coordinate of the mesh exceeds, from its centre.
    query
        Output, (`QUERY`,), without a way.
    """
    scale = reach
    for r in range(3):
        at = pose[4 * r + 3]
        extent = margin
        for c in range(3):
            entry = pose[4 * r + c]
            query[6 + 3 * r + c] = entry
            at += entry * box[c]
            extent += abs(entry) * box[3 + c]
        query[r] = at
        query[3 + r] = extent
        scale = max(scale, abs(at), extent)
    allowance = ROUNDING * scale
    query[ALLOWANCE] = allowance
    for r in range(3):
        query[3 + r] += np.float32(allowance)
        query[15 + r] = 2.0 * (box[3 + r] + margin + allowance)


def set_way(query: F32, x: float, y: float, z: float) -> None:
    """Write the way to what is looked for: from the box to the mesh, of any length."""
    length = math.sqrt(x * x + y * y + z * z)
    scale = 1.0 / length if length > 0.0 else 0.0
    x, y, z = scale * x, scale * y, scale * z
    query[WAY], query[WAY + 1], query[WAY + 2] = x, y, z
    reach = 0.0
    for c in range(3):
        along = x * query[6 + c] + y * query[9 + c] + z * query[12 + c]
        reach += abs(along) * query[15 + c]
    query[REACH] = 0.5 * reach


def node_gaps(planes: F32, node: int, query: F32, gaps: F32) -> None:
    """Write the distance of a box from each of a node's children.

    Parameters
    ----------
    gaps
        Output, (8,): twice the largest gap along the axes of the mesh and of the box,
        which is not more than twice the distance; negative if there is none, inf for
        slots without a child.
    """
    cx, cy, cz = query[0], query[1], query[2]
    gx, gy, gz = query[3], query[4], query[5]
    a0, a1, a2 = query[6], query[7], query[8]
    b0, b1, b2 = query[9], query[10], query[11]
    c0, c1, c2 = query[12], query[13], query[14]
    h0, h1, h2 = query[15], query[16], query[17]
    for k in range(planes.shape[2]):
        x0, x1 = planes[node, 0, k] - cx, planes[node, 3, k] - cx
        y0, y1 = planes[node, 1, k] - cy, planes[node, 4, k] - cy
        z0, z1 = planes[node, 2, k] - cz, planes[node, 5, k] - cz
        gap = max(max(x0, -x1) - gx, max(y0, -y1) - gy, max(z0, -z1) - gz)
        gap += gap
        x, y, z = x0 + x1, y0 + y1, z0 + z1
        u, v, w = x1 - x0, y1 - y0, z1 - z0
        # nan, which is not larger, for slots without a child
        apart = abs(a0 * x + b0 * y + c0 * z) - (
            abs(a0) * u + abs(b0) * v + abs(c0) * w + h0
        )
        gap = max(gap, apart)
        apart = abs(a1 * x + b1 * y + c1 * z) - (
            abs(a1) * u + abs(b1) * v + abs(c1) * w + h1
        )
        gap = max(gap, apart)
        apart = abs(a2 * x + b2 * y + c2 * z) - (
            abs(a2) * u + abs(b2) * v + abs(c2) * w + h2
        )
        gaps[k] = max(gap, apart)


def leaf_against_box(groups: F32, leaf: int, query: F32, gaps: F32) -> None:
    """Find the triangles of a leaf that may touch a box.

    Axes are those of the mesh and of the box, and the triangles' normals.

    Parameters
    ----------
    gaps
        Output, (8,): positive for triangles that do not; nan in slots without one.
    """
    cx, cy, cz = query[0], query[1], query[2]
    gx, gy, gz = query[3], query[4], query[5]
    a0, a1, a2 = query[6], query[7], query[8]
    b0, b1, b2 = query[9], query[10], query[11]
    c0, c1, c2 = query[12], query[13], query[14]
    h0, h1, h2 = query[15], query[16], query[17]
    allowance = query[ALLOWANCE]
    none = gx - gx
    for k in range(groups.shape[2]):
        x, y, z = (
            groups[leaf, 0, k] - cx,
            groups[leaf, 1, k] - cy,
            groups[leaf, 2, k] - cz,
        )
        ex, ey, ez = groups[leaf, 3, k], groups[leaf, 4, k], groups[leaf, 5, k]
        fx, fy, fz = groups[leaf, 6, k], groups[leaf, 7, k], groups[leaf, 8, k]
        size = groups[leaf, 9, k]
        least, most = span(ex, fx, none)
        gap = max(x + least, -x - most) - gx
        least, most = span(ey, fy, none)
        gap = max(max(y + least, -y - most) - gy, gap)
        least, most = span(ez, fz, none)
        gap = max(max(z + least, -z - most) - gz, gap)
        at = a0 * x + b0 * y + c0 * z
        e, f = a0 * ex + b0 * ey + c0 * ez, a0 * fx + b0 * fy + c0 * fz
        least, most = span(e, f, none)
        apart = max(at + least, -at - most)
        gap = max(apart + apart - h0, gap)
        at = a1 * x + b1 * y + c1 * z
        e, f = a1 * ex + b1 * ey + c1 * ez, a1 * fx + b1 * fy + c1 * fz
        least, most = span(e, f, none)
        apart = max(at + least, -at - most)
        gap = max(apart + apart - h1, gap)
        at = a2 * x + b2 * y + c2 * z
        e, f = a2 * ex + b2 * ey + c2 * ez, a2 * fx + b2 * fy + c2 * fz
        least, most = span(e, f, none)
        apart = max(at + least, -at - most)
        gap = max(apart + apart - h2, gap)
        nx, ny, nz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
        at = abs(nx * x + ny * y + nz * z)
        reach = (
            h0 * abs(a0 * nx + b0 * ny + c0 * nz)
            + h1 * abs(a1 * nx + b1 * ny + c1 * nz)
            + h2 * abs(a2 * nx + b2 * ny + c2 * nz)
        )
        gaps[k] = max(at + at - reach - size * size * allowance, gap) + (size - size)


def leaf_against_triangle(
    groups: F32, leaf: int, corners: F32, allowance: np.float32, gaps: F32
) -> None:
    """Find the triangles of a leaf that may touch a triangle of another mesh.

    Axes are those of the leaf's mesh and the normals.

    Parameters
    ----------
    corners
        (9,), in the centred frame of the leaf's mesh.
    allowance
        Metres, for rounding of both, and what else is to be within reach.
    gaps
        Output, (8,): positive for triangles that do not; nan in slots without one.
    """
    ax, ay, az = corners[0], corners[1], corners[2]
    bx, by, bz = corners[3] - ax, corners[4] - ay, corners[5] - az
    cx, cy, cz = corners[6] - ax, corners[7] - ay, corners[8] - az
    none = ax - ax
    x0, x1 = span(bx, cx, none)
    y0, y1 = span(by, cy, none)
    z0, z1 = span(bz, cz, none)
    mx, my, mz = by * cz - bz * cy, bz * cx - bx * cz, bx * cy - by * cx
    own = x1 - x0 + (y1 - y0) + (z1 - z0)
    own_allowed = (own + own) * own * allowance
    for k in range(groups.shape[2]):
        x, y, z = (
            groups[leaf, 0, k] - ax,
            groups[leaf, 1, k] - ay,
            groups[leaf, 2, k] - az,
        )
        ex, ey, ez = groups[leaf, 3, k], groups[leaf, 4, k], groups[leaf, 5, k]
        fx, fy, fz = groups[leaf, 6, k], groups[leaf, 7, k], groups[leaf, 8, k]
        size = groups[leaf, 9, k]
        least, most = span(ex, fx, none)
        gap = max(x + least - x1, x0 - x - most)
        least, most = span(ey, fy, none)
        gap = max(y + least - y1, y0 - y - most, gap)
        least, most = span(ez, fz, none)
        gap = max(z + least - z1, z0 - z - most, gap) - allowance
        at = mx * x + my * y + mz * z
        e, f = mx * ex + my * ey + mz * ez, mx * fx + my * fy + mz * fz
        least, most = span(e, f, none)
        gap = max(max(at + least, -at - most) - own_allowed, gap)
        nx, ny, nz = ey * fz - ez * fy, ez * fx - ex * fz, ex * fy - ey * fx
        at = -(nx * x + ny * y + nz * z)
        e, f = nx * bx + ny * by + nz * bz, nx * cx + ny * cy + nz * cz
        least, most = span(e, f, none)
        apart = max(at + least, -at - most) - size * size * allowance
        gaps[k] = max(apart, gap) + (size - size)


def span(e: np.float32, f: np.float32, none: np.float32) -> tuple[Any, Any]:
    """Return the least and the most of two numbers and 0, of their own type."""
    return min(e, f, none), max(e, f, none)


def box_of_child(planes: F32, node: int, k: int, box: F64) -> None:
    """Write centre and half extents of child k of a node."""
    for a in range(3):
        low, high = np.float64(planes[node, a, k]), np.float64(planes[node, 3 + a, k])
        box[a], box[3 + a] = 0.5 * (low + high), 0.5 * (high - low)


def box_of_root(planes: F32, node: int, box: F64) -> None:
    """Write centre and half extents of a node, all of its children."""
    for a in range(3):
        low, high = INFINITY, -INFINITY
        for k in range(planes.shape[2]):
            low, high = min(low, planes[node, a, k]), max(high, planes[node, 3 + a, k])
        x, y = np.float64(low), np.float64(high)
        box[a], box[3 + a] = 0.5 * (x + y), 0.5 * (y - x)
