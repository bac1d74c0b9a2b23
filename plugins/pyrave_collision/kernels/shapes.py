"""Rows of numbers that describe solids, and tests that need no more than their boxes.

A row of `SHAPE` float64 numbers is the kind and the sizes of a solid as in
`pyrave.world.tables.GeometryTable`; centre and half extents of its box, in its own
frame; the radius of a sphere around that centre; and the range of a hull's vertices.
A pose is a row of at least 12 numbers, of which these are T_world_solid without its
last row; so a row of ``poses.reshape(-1, 16)`` is one.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    MESH,
    PLANE,
    SPHERE,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ("write_shape",)
JIT_NO_ARRAYS = ("*",)

KIND, SIZES, CENTRE, HALF, RADIUS, BEGIN, END = 0, 1, 4, 7, 10, 11, 12
"""Columns of a shape."""
SHAPE = 13
"""Numbers of a shape."""


def write_shape(
    kind: int, sizes: F64, centre: F64, vertices: F64, begin: int, end: int,
    shape: F64,
) -> None:  # fmt: skip
    """Write the row of a solid.

    Parameters
    ----------
    kind, sizes, centre
        As in `pyrave.world.tables.GeometryTable`; (3,) each.
    vertices, begin, end
        (3 n,) coordinates and the range of a hull; an empty one for other solids.
    shape
        Output, (`SHAPE`,).
    """
    x, y, z = sizes[0], sizes[1], sizes[2]
    shape[KIND] = kind
    for k in range(3):
        shape[SIZES + k] = sizes[k]
        shape[CENTRE + k] = centre[k] if kind == MESH else 0.0
    shape[BEGIN], shape[END] = begin, end
    if kind == SPHERE:
        y = z = x
    elif kind == CAPSULE:
        y, z = x, x + y
    elif kind == CYLINDER:
        y, z = x, y
    elif kind == CONE:
        x = y = max(x, y)
    elif kind == PLANE:
        x = y = math.inf
        z = 0.0
    shape[HALF], shape[HALF + 1], shape[HALF + 2] = x, y, z
    if kind == BOX:
        radius = math.sqrt(x * x + y * y + z * z)
    elif kind in (CYLINDER, CONE):
        radius = math.sqrt(x * x + z * z)
    elif kind == MESH:
        radius = 0.0
        for i in range(begin, end):
            dx = vertices[3 * i] - centre[0]
            dy = vertices[3 * i + 1] - centre[1]
            dz = vertices[3 * i + 2] - centre[2]
            radius = max(radius, math.sqrt(dx * dx + dy * dy + dz * dz))
    else:
        radius = max(x, z)
    shape[RADIUS] = radius


def relative(pose_a: F64, pose_b: F64, out: F64) -> None:
    """Write T_b_a (12,) from two poses in one frame.

    Positions are subtracted first, so that pairs far from the origin are as exact as
    their poses.
    """
    dx, dy, dz = pose_a[3] - pose_b[3], pose_a[7] - pose_b[7], pose_a[11] - pose_b[11]
    for i in range(3):
        x, y, z = pose_b[i], pose_b[4 + i], pose_b[8 + i]
        for j in range(3):
            out[4 * i + j] = x * pose_a[j] + y * pose_a[4 + j] + z * pose_a[8 + j]
        out[4 * i + 3] = x * dx + y * dy + z * dz


def centres_apart(pose: F64, a: F64, b: F64) -> tuple[float, float, float]:
    """Return the way from the centre of b's box to that of a's, in the frame of b.

    Parameters
    ----------
    pose
        (12,) T_b_a.
    a, b
        Shapes.
    """
    x, y, z = a[CENTRE], a[CENTRE + 1], a[CENTRE + 2]
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[3] - b[CENTRE],
        pose[4] * x + pose[5] * y + pose[6] * z + pose[7] - b[CENTRE + 1],
        pose[8] * x + pose[9] * y + pose[10] * z + pose[11] - b[CENTRE + 2],
    )


def boxes_apart(
    pose: F64, a: F64, b: F64, dx: float, dy: float, dz: float
) -> float:  # fmt: skip
    """Return the largest gap of two solids' boxes along an axis of either.

    Negative if the boxes overlap along all six. A lower bound of the solids' distance.

    Parameters
    ----------
    pose, a, b
        (12,) T_b_a and the shapes.
    dx, dy, dz
        From `centres_apart`.
    """
    ax, ay, az = a[HALF], a[HALF + 1], a[HALF + 2]
    bx, by, bz = b[HALF], b[HALF + 1], b[HALF + 2]
    x = abs(pose[0]) * ax + abs(pose[1]) * ay + abs(pose[2]) * az
    y = abs(pose[4]) * ax + abs(pose[5]) * ay + abs(pose[6]) * az
    z = abs(pose[8]) * ax + abs(pose[9]) * ay + abs(pose[10]) * az
    gap = max(abs(dx) - x - bx, abs(dy) - y - by, abs(dz) - z - bz)
    x = abs(pose[0]) * bx + abs(pose[4]) * by + abs(pose[8]) * bz
    y = abs(pose[1]) * bx + abs(pose[5]) * by + abs(pose[9]) * bz
    z = abs(pose[2]) * bx + abs(pose[6]) * by + abs(pose[10]) * bz
    u = abs(pose[0] * dx + pose[4] * dy + pose[8] * dz) - ax - x
    v = abs(pose[1] * dx + pose[5] * dy + pose[9] * dz) - ay - y
    w = abs(pose[2] * dx + pose[6] * dy + pose[10] * dz) - az - z
    return float(max(gap, u, v, w))
