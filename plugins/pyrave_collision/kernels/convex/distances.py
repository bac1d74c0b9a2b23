"""Distance or penetration depth of two convex solids, with witness points.

Solids are rows as in `shapes`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import PLANE, SPHERE
from pyrave_collision.kernels.convex.gjk import gjk
from pyrave_collision.kernels.convex.overlap import POSE, plane_side
from pyrave_collision.kernels.convex.parallel_axes import (
    PARALLEL,
    depth_along_axes,
    have_parallel_axes,
)
from pyrave_collision.kernels.convex.penetration import POLYTOPE, penetration
from pyrave_collision.kernels.convex.simplices import witness
from pyrave_collision.kernels.convex.support import radius_around
from pyrave_collision.kernels.shapes import (
    BEGIN,
    END,
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
JIT_ENTRIES = ("convex_distance",)
JIT_NO_ARRAYS = ("*",)

DISTANCE_SCRATCH = POSE + POLYTOPE
"""Numbers of scratch that `convex_distance` needs."""
NEAREST = 9
"""Numbers of its output."""
_TOUCHING = 1e-10


def convex_distance(
    a: F64, pose_a: F64, b: F64, pose_b: F64,
    vertices: F64, starts: I32, neighbours: I32, limit: float, scratch: F64,
    out: F64,
) -> float:  # fmt: skip
    """Return the signed distance of two convex solids, and where they are nearest.

    Parameters
    ----------
    a, pose_a, b, pose_b, vertices, starts, neighbours
        As of `pairs.convex_overlap`.
    limit
        Distances beyond are of no interest: metres, may be infinite.
    scratch
        (`DISTANCE_SCRATCH` or more,).
    out
        (`NEAREST`,) output, in the frame of the poses: the nearest points of the first
        and of the second solid, and the unit normal out of the first one to the
        second. Second point - first point = distance * normal. Not written if the
        distance is beyond the limit.

    Returns
    -------
    Metres. Apart: the distance, as exact as `gjk` has it. Overlapping: minus the
    penetration depth, the shortest way that either must move until they just touch;
    see `penetration` for its tolerance. A plane is a surface, but the way out of it is
    known, and so its depth is given too. Beyond the limit: a number beyond it that the
    distance is not less than.
    """
    kind_a, kind_b = int(a[KIND]), int(b[KIND])
    pose, polytope = scratch[:POSE], scratch[POSE:DISTANCE_SCRATCH]
    if PLANE in (kind_a, kind_b):
        return plane_distance(
            a, pose_a, b, pose_b, vertices, starts, neighbours, pose, out
        )
    relative(pose_a, pose_b, pose)
    dx, dy, dz = centres_apart(pose, a, b)
    gap = boxes_apart(pose, a, b, dx, dy, dz)
    if gap > limit:
        return gap
    radius_a = radius_around(kind_a, a[SIZES])
    radius_b = radius_around(kind_b, b[SIZES])
    radii = radius_a + radius_b
    distance, n, x, y, z = gjk(
        kind_a, a[SIZES], a[SIZES + 1], a[SIZES + 2],
        vertices, int(a[BEGIN]), int(a[END]),
        kind_b, b[SIZES], b[SIZES + 1], b[SIZES + 2],
        vertices, int(b[BEGIN]), int(b[END]),
        starts, neighbours, pose, dx, dy, dz, limit + radii, True, polytope,
    )  # fmt: skip
    if distance > limit + radii:
        return distance - radii
    size = a[RADIUS] + b[RADIUS]
    if distance > _TOUCHING * size:
        nx, ny, nz = -x / distance, -y / distance, -z / distance
        last = n - 1
        x, y, z = witness(polytope, n, min(0, last), min(1, last), min(2, last))
    elif have_parallel_axes(kind_a, kind_b, pose):
        depth, nx, ny, nz, x, y, z = depth_along_axes(
            a[SIZES] - radius_a, a[SIZES + 1], b[SIZES] - radius_b, b[SIZES + 1],
            kind_b == SPHERE, pose,
        )  # fmt: skip
        distance = -depth
    else:
        depth, nx, ny, nz, x, y, z = penetration(
            kind_a, a[SIZES], a[SIZES + 1], a[SIZES + 2],
            vertices, int(a[BEGIN]), int(a[END]),
            kind_b, b[SIZES], b[SIZES + 1], b[SIZES + 2],
            vertices, int(b[BEGIN]), int(b[END]),
            starts, neighbours, pose, dx, dy, dz, n, size, polytope,
        )  # fmt: skip
        distance = -depth
    distance -= radii
    x, y, z = x + radius_a * nx, y + radius_a * ny, z + radius_a * nz
    write_nearest(pose_b, x, y, z, nx, ny, nz, distance, out)
    return float(distance)


def write_nearest(
    pose: F64, x: float, y: float, z: float, nx: float, ny: float, nz: float,
    distance: float, out: F64,
) -> None:  # fmt: skip
    """Write the point of the first solid, that of the second, and the normal.

    Parameters
    ----------
    pose
        (12,) of the frame that the first point and the normal are in.
    """
    for i in range(3):
        u, v, w = pose[4 * i], pose[4 * i + 1], pose[4 * i + 2]
        normal = u * nx + v * ny + w * nz
        out[6 + i] = normal
        out[i] = u * x + v * y + w * z + pose[4 * i + 3]
        out[3 + i] = out[i] + distance * normal


def plane_distance(
    a: F64, pose_a: F64, b: F64, pose_b: F64,
    vertices: F64, starts: I32, neighbours: I32, pose: F64, out: F64,
) -> float:  # fmt: skip
    """Do as `convex_distance` for a plane and a solid, or two planes.

    Parameters
    ----------
    pose
        (12,) scratch.
    """
    if int(a[KIND]) != PLANE:
        relative(pose_a, pose_b, pose)
        gap, x, y, z, side = plane_side(a, pose, vertices, starts, neighbours)
        write_nearest(pose_b, x, y, z, 0.0, 0.0, -side, gap, out)
        return float(gap)
    relative(pose_b, pose_a, pose)
    if int(b[KIND]) != PLANE:
        gap, x, y, z, side = plane_side(b, pose, vertices, starts, neighbours)
        write_nearest(pose_a, x, y, z - side * gap, 0.0, 0.0, side, gap, out)
        return float(gap)
    # the point of both planes that is nearest to the origin of the second
    x, y, z = pose[3], pose[7], pose[11]
    nx, ny, nz = pose[2], pose[6], pose[10]
    square = nx * nx + ny * ny
    if square > PARALLEL:
        x, y = x + nx * nz * z / square, y + ny * nz * z / square
        write_nearest(pose_a, x, y, 0.0, 0.0, 0.0, 1.0, 0.0, out)
        return 0.0
    side = math.copysign(1.0, z)
    write_nearest(pose_a, x, y, 0.0, 0.0, 0.0, side, abs(z), out)
    return float(abs(z))
