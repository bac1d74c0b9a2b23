"""Distance of convex solids, and whether it is within a limit, by GJK.

E. Gilbert, D. Johnson, S. Keerthi, "A fast procedure for computing the distance between
complex objects in three-dimensional space", IEEE J. Robotics and Automation 4(2), 1988;
ends as in G. van den Bergen, "A fast and robust GJK implementation for collision
detection of convex objects", JGT 4(2), 1999.

All is in the frame of the second solid. The difference of the solids is the set of a -
b for points a of the first and b of the second; v is its point nearest to the origin
so far, so it points from the second solid to the first.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_collision.kernels.convex.simplices import INSIDE, STRIDE, kept, nearest
from pyrave_collision.kernels.convex.support import support

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32

    Found = tuple[float, int, float, float, float]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

SIMPLEX = 4 * STRIDE
"""Numbers of scratch that hold a simplex."""
_STEPS = 100
_GAP = 1e-12
"""Part of the squared distance by which it may be too large."""
_ROUNDING = 4e-16
"""Error of a coordinate, as a part of the largest one."""


def corner(
    kind_a: int, a0: float, a1: float, a2: float,
    vertices_a: F64, begin_a: int, end_a: int, hint_a: int,
    kind_b: int, b0: float, b1: float, b2: float,
    vertices_b: F64, begin_b: int, end_b: int, hint_b: int,
    starts: I32, neighbours: I32, pose: F64,
    dx: float, dy: float, dz: float, corners: F64, row: int,
) -> tuple[int, int]:  # fmt: skip
    """Write the furthest point of the difference of two solids along d.

    Parameters
    ----------
    kind_a, ..., pose
        As of `gjk`, with the hints of `support`.
    dx, dy, dz
        Direction in the frame of the second solid, of any length but 0.
    corners, row
        Output: six numbers a corner, see `simplices`, and which one to write.

    Returns
    -------
    The next hints.
    """
    # s(d) = s_a(d) - s_b(-d), where s_a(d) = R s(R' d) + t
    x, y, z, hint_a = support(
        kind_a, a0, a1, a2, vertices_a, begin_a, end_a, starts, neighbours, hint_a,
        pose[0] * dx + pose[4] * dy + pose[8] * dz,
        pose[1] * dx + pose[5] * dy + pose[9] * dz,
        pose[2] * dx + pose[6] * dy + pose[10] * dz,
    )  # fmt: skip
    qx, qy, qz, hint_b = support(
        kind_b, b0, b1, b2, vertices_b, begin_b, end_b, starts, neighbours, hint_b,
        -dx, -dy, -dz,
    )  # fmt: skip
    px = pose[0] * x + pose[1] * y + pose[2] * z + pose[3]
    py = pose[4] * x + pose[5] * y + pose[6] * z + pose[7]
    pz = pose[8] * x + pose[9] * y + pose[10] * z + pose[11]
    k = STRIDE * row
    corners[k], corners[k + 1], corners[k + 2] = px - qx, py - qy, pz - qz
    corners[k + 3], corners[k + 4], corners[k + 5] = px, py, pz
    return hint_a, hint_b


def gjk(
    kind_a: int, a0: float, a1: float, a2: float,
    vertices_a: F64, begin_a: int, end_a: int,
    kind_b: int, b0: float, b1: float, b2: float,
    vertices_b: F64, begin_b: int, end_b: int,
    starts: I32, neighbours: I32, pose: F64,
    vx: float, vy: float, vz: float, limit: float, exact: bool,
    simplex: F64,
) -> Found:  # fmt: skip
    """Return the distance of the cores of two convex solids, at most up to a limit.

    Parameters
    ----------
    kind_a, a0, a1, a2, vertices_a, begin_a, end_a, ...
        The solids, as in `support`. Two arrays of vertices, so that one may be that of
        a mesh's triangles.
    starts, neighbours
        Of hulls of more than `CLIMBED` vertices, of either array.
    pose
        (12,) T_b_a without its last row.
    vx, vy, vz
        First direction, from the second solid to the first; may be 0.
    limit
        Distances beyond are of no interest: metres, at least 0. For cores with radii
        the sum of the radii is a part of it.
    exact
        Whether a distance within the limit is needed exactly. If not, any such
        distance is as good.
    simplex
        (24,) scratch and output: six numbers a corner, see `simplices`.

    Returns
    -------
    distance
        Within the limit: the distance, exact to about 1e-12 of itself, or no
        less than it if `exact` is false; 0 if the solids overlap. Beyond the limit: not
        more than the true distance.
    n
        Corners of the simplex in use: 1 to 3, or 4 if the origin is inside.
    vx, vy, vz
        From the nearest point of the second solid to that of the first, frame of the
        second; beyond the limit a direction that separates them, a good first one for
        solids that have moved little.
    """
    n, hint_a, hint_b, largest = 0, end_a, end_b, 0.0
    vv = vx * vx + vy * vy + vz * vz
    if vv == 0.0:
        vx = vv = 1.0
    for step in range(_STEPS):
        hint_a, hint_b = corner(
            kind_a, a0, a1, a2, vertices_a, begin_a, end_a, hint_a,
            kind_b, b0, b1, b2, vertices_b, begin_b, end_b, hint_b,
            starts, neighbours, pose, -vx, -vy, -vz, simplex, n,
        )  # fmt: skip
        k = STRIDE * n
        wx, wy, wz = simplex[k], simplex[k + 1], simplex[k + 2]
        # w is the corner furthest along -v, so v w / |v| <= distance <= |v|
        vw = vx * wx + vy * wy + vz * wz
        length = math.sqrt(vv)
        if vw > limit * length:
            return vw / length, n, vx, vy, vz
        largest = max(largest, wx * wx + wy * wy + wz * wz)
        noise = _ROUNDING * math.sqrt(largest) * length
        # |v|^2 - v w <= eps |v|^2: the bounds have met (van den Bergen 1999)
        if step > 0 and vv - vw <= _GAP * vv + noise:
            return length, n, vx, vy, vz
        x, y, z, mask = nearest(simplex, n + 1)
        if mask == INSIDE:
            # a plane separates the origin from the difference
            if vw > noise:
                return length, n, vx, vy, vz
            return 0.0, 4, vx, vy, vz
        xx = x * x + y * y + z * z
        if step > 0 and xx >= vv:
            # rounding: of corners nearly in one plane what was found before is better
            return length, n, vx, vy, vz
        n = kept(simplex, n + 1, mask)
        if xx <= _ROUNDING * _ROUNDING * largest:
            return 0.0, n, vx, vy, vz
        vx, vy, vz, vv = x, y, z, xx
        if not exact and vv <= limit * limit:
            break
    return math.sqrt(vv), n, vx, vy, vz


def overlaps(
    kind_a: int, a0: float, a1: float, a2: float,
    vertices_a: F64, begin_a: int, end_a: int,
    kind_b: int, b0: float, b1: float, b2: float,
    vertices_b: F64, begin_b: int, end_b: int,
    starts: I32, neighbours: I32, pose: F64,
    vx: float, vy: float, vz: float, margin: float,
    simplex: F64,
) -> bool:  # fmt: skip
    """Return True if the cores of two convex solids are within a margin.

    It ends at the first direction that separates them. Parameters as of `gjk`; the
    margin is the sum of the radii of round solids, and whatever else is to count.
    """
    found = gjk(
        kind_a, a0, a1, a2, vertices_a, begin_a, end_a,
        kind_b, b0, b1, b2, vertices_b, begin_b, end_b,
        starts, neighbours, pose, vx, vy, vz, margin, False, simplex,
    )  # fmt: skip
    return found[0] <= margin
