"""Overlap test of two convex solids.

Solids are rows as in `shapes`; `gjk` decides where there is no closed form. The test of
boxes is that of S. Gottschalk, M. Lin, D. Manocha, "OBBTree: a hierarchical structure
for rapid interference detection", SIGGRAPH 1996.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import BOX, CAPSULE, CYLINDER, PLANE, SPHERE
from pyrave_collision.kernels.convex.gjk import SIMPLEX, overlaps
from pyrave_collision.kernels.convex.parallel_axes import PARALLEL
from pyrave_collision.kernels.convex.support import radius_around, support
from pyrave_collision.kernels.shapes import (
    BEGIN,
    END,
    HALF,
    KIND,
    RADIUS,
    SIZES,
    boxes_apart,
    centres_apart,
    relative,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ("convex_overlap",)
JIT_NO_ARRAYS = ("*",)

POSE = 12
"""Numbers of scratch that hold a pose; a simplex follows them."""
OVERLAP_SCRATCH = POSE + SIMPLEX
"""Numbers of scratch that `convex_overlap` needs."""
TOUCHING = 1e-12
"""Gap of solids that still touch, as a part of their sizes."""


def convex_overlap(
    a: F64, pose_a: F64, b: F64, pose_b: F64,
    vertices: F64, starts: I32, neighbours: I32, margin: float, scratch: F64,
) -> bool:  # fmt: skip
    """Return True if two convex solids are within a margin of each other.

    Solids that touch are, up to `TOUCHING`. Planes are surfaces of two sides.

    Parameters
    ----------
    a, b
        (`shapes.SHAPE`,) rows of the solids.
    pose_a, pose_b
        (12 or more,) their poses in one frame, without the last row.
    vertices, starts, neighbours
        (3 n,) vertices of all hulls, each in the frame of its solid, and their edges;
        see `pyrave_collision.convexity.HullPool`.
    margin
        Metres, at least 0.
    scratch
        (`OVERLAP_SCRATCH` or more,).
    """
    kind_a, kind_b = int(a[KIND]), int(b[KIND])
    pose, simplex = scratch[:POSE], scratch[POSE:OVERLAP_SCRATCH]
    if kind_a == PLANE:
        relative(pose_b, pose_a, pose)
        return plane_overlap(b, pose, vertices, starts, neighbours, margin)
    relative(pose_a, pose_b, pose)
    if kind_b == PLANE:
        return plane_overlap(a, pose, vertices, starts, neighbours, margin)
    size = a[RADIUS] + b[RADIUS]
    limit = margin + TOUCHING * size
    dx, dy, dz = centres_apart(pose, a, b)
    if dx * dx + dy * dy + dz * dz > (size + limit) * (size + limit):
        return False
    if kind_a == SPHERE and kind_b == SPHERE:
        return True
    gap = boxes_apart(pose, a, b, dx, dy, dz)
    if gap > limit:
        return False
    radius_a = radius_around(kind_a, a[SIZES])
    radius_b = radius_around(kind_b, b[SIZES])
    limit += radius_a + radius_b
    if radius_a > 0.0 and radius_b > 0.0:
        return bool(segments_squared(a, b, pose) <= limit * limit)
    if kind_a == BOX and kind_b == BOX:
        gap = max(gap, edges_apart(pose, a, b, dx, dy, dz))
        if gap > limit or gap <= TOUCHING * size:
            return bool(gap <= limit)
    elif kind_a == SPHERE and kind_b in (BOX, CYLINDER):
        return bool(point_squared(b, dx, dy, dz) <= limit * limit)
    elif kind_b == SPHERE and kind_a in (BOX, CYLINDER):
        x = pose[0] * dx + pose[4] * dy + pose[8] * dz
        y = pose[1] * dx + pose[5] * dy + pose[9] * dz
        z = pose[2] * dx + pose[6] * dy + pose[10] * dz
        return bool(point_squared(a, x, y, z) <= limit * limit)
    return overlaps(
        kind_a, a[SIZES], a[SIZES + 1], a[SIZES + 2],
        vertices, int(a[BEGIN]), int(a[END]),
        kind_b, b[SIZES], b[SIZES + 1], b[SIZES + 2],
        vertices, int(b[BEGIN]), int(b[END]),
        starts, neighbours, pose, dx, dy, dz, limit, simplex,
    )  # fmt: skip


def point_squared(solid: F64, x: float, y: float, z: float) -> float:
    """Return the squared distance of a box or cylinder and a point, 0 inside."""
    z = max(abs(z) - solid[HALF + 2], 0.0)
    if int(solid[KIND]) == CYLINDER:
        r = max(math.sqrt(x * x + y * y) - solid[SIZES], 0.0)
        return float(r * r + z * z)
    x = max(abs(x) - solid[HALF], 0.0)
    y = max(abs(y) - solid[HALF + 1], 0.0)
    return float(x * x + y * y + z * z)


def segments_squared(a: F64, b: F64, pose: F64) -> float:
    """Return the squared distance of the cores of spheres and capsules.

    The nearest points of the lines, and then of the segment and the point that is left
    where one of these is beyond an end (C. Ericson, "Real-time collision detection",
    2005, section 5.1.9).
    """
    half_a = a[SIZES + 1] if int(a[KIND]) == CAPSULE else 0.0
    half_b = b[SIZES + 1] if int(b[KIND]) == CAPSULE else 0.0
    ux, uy, uz = pose[2], pose[6], pose[10]
    x, y, z = pose[3], pose[7], pose[11]
    # points x + s u and t e_z; `cross` is the squared sine of their angle, and
    # s = (u_z z - u x) / |u x e_z|^2, t = z + s u_z, before they are clamped
    along = ux * x + uy * y + uz * z
    cross = ux * ux + uy * uy
    s = 0.0
    if cross > PARALLEL:
        s = min(max((uz * z - along) / cross, -half_a), half_a)
    t = min(max(z + s * uz, -half_b), half_b)
    s = min(max(t * uz - along, -half_a), half_a)
    x, y, z = x + s * ux, y + s * uy, z + s * uz
    t = min(max(z, -half_b), half_b)
    z -= t
    return float(x * x + y * y + z * z)


def edges_apart(
    pose: F64, a: F64, b: F64, dx: float, dy: float, dz: float
) -> float:  # fmt: skip
    """Return the largest gap of two boxes along an axis across edges of both.

    With axes u_k and e_k, half extents a and b, and d between the centres it is, for
    l = u_i x e_j ("OBBTree", section 5),

        (|l d| - sum_k a_k |l u_k| - sum_k b_k |l e_k|) / |l|
    """
    gap = -math.inf
    for i in range(3):
        ux, uy, uz = pose[i], pose[4 + i], pose[8 + i]
        for j in range(3):
            # the axis is u x ej
            if j == 0:
                x, y, z = 0.0, uz, -uy
            elif j == 1:
                x, y, z = -uz, 0.0, ux
            else:
                x, y, z = uy, -ux, 0.0
            square = x * x + y * y + z * z
            if square <= PARALLEL:
                continue
            reach = abs(x) * b[HALF] + abs(y) * b[HALF + 1] + abs(z) * b[HALF + 2]
            for k in range(3):
                along = x * pose[k] + y * pose[4 + k] + z * pose[8 + k]
                reach += abs(along) * a[HALF + k]
            apart = abs(x * dx + y * dy + z * dz) - reach
            gap = max(gap, apart / math.sqrt(square))
    return gap


def plane_overlap(
    a: F64, pose: F64, vertices: F64, starts: I32, neighbours: I32, margin: float
) -> bool:
    """Return True if a solid, or a plane, is within a margin of the plane z = 0."""
    if int(a[KIND]) == PLANE:
        tilted = pose[2] * pose[2] + pose[6] * pose[6] > PARALLEL
        return bool(tilted or abs(pose[11]) <= margin)
    gap, _, _, _, _ = plane_side(a, pose, vertices, starts, neighbours)
    return bool(gap <= margin + TOUCHING * a[RADIUS])


def plane_end(
    a: F64, pose: F64, vertices: F64, starts: I32, neighbours: I32, side: float
) -> tuple[float, float, float]:  # fmt: skip
    """Return the point of a solid that is furthest along z (side 1) or -z (side -1).

    Parameters
    ----------
    a, pose
        The solid, and (12,) its pose in the frame of the plane, which the point is in
        too.
    """
    kind = int(a[KIND])
    x, y, z, _ = support(
        kind, a[SIZES], a[SIZES + 1], a[SIZES + 2],
        vertices, int(a[BEGIN]), int(a[END]), starts, neighbours, int(a[END]),
        side * pose[8], side * pose[9], side * pose[10],
    )  # fmt: skip
    return (
        pose[0] * x + pose[1] * y + pose[2] * z + pose[3],
        pose[4] * x + pose[5] * y + pose[6] * z + pose[7],
        pose[8] * x + pose[9] * y + pose[10] * z + pose[11]
        + side * radius_around(kind, a[SIZES]),
    )  # fmt: skip


def plane_side(
    a: F64, pose: F64, vertices: F64, starts: I32, neighbours: I32
) -> tuple[float, float, float, float, float]:
    """Return the distance of a solid from the plane z = 0, and its nearest point.

    Returns
    -------
    gap
        Negative if the plane cuts it: minus the shortest way out.
    x, y, z
        The solid's point nearest to the plane, or deepest in it.
    side
        Where the solid is, or the side that it is pushed to: 1 or -1.
    """
    tx, ty, top = plane_end(a, pose, vertices, starts, neighbours, 1.0)
    x, y, bottom = plane_end(a, pose, vertices, starts, neighbours, -1.0)
    if top + bottom >= 0.0:
        return bottom, x, y, bottom, 1.0
    return -top, tx, ty, top, -1.0
