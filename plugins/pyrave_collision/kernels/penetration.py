"""How deep two convex solids are in each other, by the expanding polytope algorithm.

G. van den Bergen, "Proximity queries and penetration depth computation on 3D game
objects", GDC 2001. A polytope inside the difference of the solids (see `gjk`) grows
at the side that is nearest to the origin until the difference ends there. The depth is
too large by at most `TOLERANCE` of the sizes, unless `CORNERS` do not suffice for that:
where very many directions are nearly as good, as for cones around one axis, it is too
large by up to 1e-3 of the sizes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_collision.kernels.gjk import corner
from pyrave_collision.kernels.simplices import STRIDE, witness

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32

    Vector = tuple[float, float, float]
    Depth = tuple[float, float, float, float, float, float, float]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}
JIT_NO_ARRAYS = (
    "penetration",
    "away",
    "extent",
    "flat_normal",
    "write_side",
    "write_first_sides",
    "nearest_side",
    "opened",
    "rim_edge",
    "is_behind",
    "are_in_line",
    "removed",
)

TOLERANCE = 1e-8
"""Error of the depth that is allowed, as a part of the size of both solids."""
CORNERS = 160
"""Most corners of the polytope."""
SIDE = 8
"""Numbers of a side: its three corners, normal, offset, and how thin it is."""
AT_SIDES = STRIDE * CORNERS
"""Where the sides begin in the scratch; the corners are before them."""
AT_RIM = AT_SIDES + SIDE * 2 * CORNERS
"""Where the edges around a hole begin in the scratch."""
POLYTOPE = AT_RIM + 2 * 6 * CORNERS
"""Numbers of scratch."""
_FLAT = 1e-9
_NOISE = 1e-14
_IN_LINE = 1e-14


def penetration(
    kind_a: int, a0: float, a1: float, a2: float,
    vertices_a: F64, begin_a: int, end_a: int,
    kind_b: int, b0: float, b1: float, b2: float,
    vertices_b: F64, begin_b: int, end_b: int,
    starts: I32, neighbours: I32, pose: F64,
    dx: float, dy: float, dz: float, n: int, size: float, polytope: F64,
) -> Depth:  # fmt: skip
    """Return the depth of the cores of two solids that overlap or touch.

    Parameters
    ----------
    kind_a, ..., pose
        As of `gjk`.
    dx, dy, dz
        Roughly from the second solid to the first; of two normals the one against it
        is taken.
    n
        Corners that `gjk` left at the front of `polytope`: 1 to 4.
    size
        Of both solids, metres: the sum of their radii.
    polytope
        (`POLYTOPE`,) scratch.

    Returns
    -------
    depth
        Metres; at least 0 but for rounding. Moved so far, the solids do not overlap.
    nx, ny, nz
        Unit normal, frame of the second solid: where that one has to go to get out.
    x, y, z
        Point of the first solid that is deepest in the second, in the frame of that
        one. That of the second is ``depth * n`` before it.
    """
    last = n - 1
    x, y, z = witness(polytope, min(n, 3), min(0, last), min(1, last), min(2, last))
    hint_a, hint_b = end_a, end_b
    while n < 4:
        found = False
        for trial in range(6):
            ex, ey, ez = away(polytope, n, trial)
            hint_a, hint_b = corner(
                kind_a, a0, a1, a2, vertices_a, begin_a, end_a, hint_a,
                kind_b, b0, b1, b2, vertices_b, begin_b, end_b, hint_b,
                starts, neighbours, pose, ex, ey, ez, polytope, n,
            )  # fmt: skip
            if extent(polytope, n) > _FLAT * size:
                found = True
                break
        if not found:
            nx, ny, nz = flat_normal(polytope, n)
            sign = 1.0 if nx * dx + ny * dy + nz * dz <= 0.0 else -1.0
            return 0.0, sign * nx, sign * ny, sign * nz, x, y, z
        n += 1
    write_first_sides(polytope)
    sides, lowest = n, -math.inf
    i, j, k = 0, 1, 2
    nx, ny, nz, depth = 0.0, 0.0, 1.0, 0.0
    while True:
        side = nearest_side(polytope, sides)
        s = AT_SIDES + SIDE * side
        offset = polytope[s + 6]
        if offset < lowest - TOLERANCE * size:
            # rounding has bent the polytope; keep the previous result
            break
        lowest = max(lowest, offset)
        i, j, k = int(polytope[s]), int(polytope[s + 1]), int(polytope[s + 2])
        nx, ny, nz = polytope[s + 3], polytope[s + 4], polytope[s + 5]
        hint_a, hint_b = corner(
            kind_a, a0, a1, a2, vertices_a, begin_a, end_a, hint_a,
            kind_b, b0, b1, b2, vertices_b, begin_b, end_b, hint_b,
            starts, neighbours, pose, nx, ny, nz, polytope, n,
        )  # fmt: skip
        w = STRIDE * n
        depth = nx * polytope[w] + ny * polytope[w + 1] + nz * polytope[w + 2]
        if depth - offset <= TOLERANCE * size or n == CORNERS - 1:
            break
        sides, rim = opened(polytope, sides, side, n, _NOISE * size)
        if sides + rim > 2 * CORNERS:
            break
        for e in range(rim):
            at = AT_RIM + 2 * e
            write_side(polytope, sides, int(polytope[at]), int(polytope[at + 1]), n)
            sides += 1
        n += 1
    x, y, z = witness(polytope, min(n, 3), i, j, k)
    return depth, nx, ny, nz, x, y, z


def away(s: F64, n: int, trial: int) -> Vector:
    """Return one of six directions that lead away from a simplex of 1 to 3 corners."""
    sign = 1.0 - 2.0 * (trial % 2)
    axis = trial // 2
    x = sign if axis == 0 else 0.0
    y = sign if axis == 1 else 0.0
    z = sign if axis == 2 else 0.0
    if n == 1:
        return x, y, z
    ux, uy, uz = s[6] - s[0], s[7] - s[1], s[8] - s[2]
    if n == 3:
        x, y, z = sign * (s[12] - s[0]), sign * (s[13] - s[1]), sign * (s[14] - s[2])
    return uy * z - uz * y, uz * x - ux * z, ux * y - uy * x


def extent(s: F64, n: int) -> float:
    """Return how far corner n is from the point, line or plane of those before it."""
    k = STRIDE * n
    x, y, z = s[k] - s[0], s[k + 1] - s[1], s[k + 2] - s[2]
    if n == 1:
        return math.sqrt(x * x + y * y + z * z)
    ux, uy, uz = s[6] - s[0], s[7] - s[1], s[8] - s[2]
    if n == 2:
        x, y, z = uy * z - uz * y, uz * x - ux * z, ux * y - uy * x
        square = ux * ux + uy * uy + uz * uz
        return math.sqrt((x * x + y * y + z * z) / square)
    vx, vy, vz = s[12] - s[0], s[13] - s[1], s[14] - s[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    return float(abs(nx * x + ny * y + nz * z) / length)


def flat_normal(s: F64, n: int) -> Vector:
    """Return a unit vector across a simplex of 1 to 3 corners."""
    if n == 1:
        return 0.0, 0.0, 1.0
    best, nx, ny, nz = 0.0, 0.0, 0.0, 1.0
    for axis in range(3):
        x, y, z = away(s, n, 2 * axis)
        length = math.sqrt(x * x + y * y + z * z)
        if length > best:
            best, nx, ny, nz = length, x / length, y / length, z / length
    return nx, ny, nz


def write_side(s: F64, side: int, i: int, j: int, k: int) -> None:
    """Write a side of corners i, j, k, counter-clockwise from outside.

    One without area is at infinity, so that nothing grows from it.
    """
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ax, ay, az = s[a], s[a + 1], s[a + 2]
    ux, uy, uz = s[b] - ax, s[b + 1] - ay, s[b + 2] - az
    vx, vy, vz = s[c] - ax, s[c + 1] - ay, s[c + 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    offset, thin = math.inf, 1.0
    if length > 0.0:
        nx, ny, nz = nx / length, ny / length, nz / length
        offset = nx * ax + ny * ay + nz * az
        uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
        thin = math.sqrt(uu * vv) / length
    at = AT_SIDES + SIDE * side
    s[at], s[at + 1], s[at + 2] = i, j, k
    s[at + 3], s[at + 4], s[at + 5] = nx, ny, nz
    s[at + 6], s[at + 7] = offset, thin


def write_first_sides(s: F64) -> None:
    """Write the sides of the tetrahedron of corners 0 to 3."""
    ux, uy, uz = s[6] - s[0], s[7] - s[1], s[8] - s[2]
    vx, vy, vz = s[12] - s[0], s[13] - s[1], s[14] - s[2]
    wx, wy, wz = s[18] - s[0], s[19] - s[1], s[20] - s[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    positive = nx * wx + ny * wy + nz * wz > 0.0
    for side in range(4):
        # without one corner each
        i, j, k = (side + 1) % 4, (side + 2) % 4, (side + 3) % 4
        if positive == (side % 2 == 0):
            write_side(s, side, i, j, k)
        else:
            write_side(s, side, i, k, j)


def nearest_side(s: F64, sides: int) -> int:
    """Return the side of the smallest offset."""
    best, found = math.inf, 0
    for side in range(sides):
        offset = s[AT_SIDES + SIDE * side + 6]
        if offset < best:
            best, found = offset, side
    return found


def opened(s: F64, sides: int, first: int, n: int, eps: float) -> tuple[int, int]:
    """Remove the sides that corner n is outside of; write the edges around the hole.

    These are one side and those connected with it. A side whose plane the corner is
    in goes too if the corner is in line with the edge between them, which would make a
    side without area.

    Parameters
    ----------
    first
        A side that the corner is outside of.
    eps
        Error of the height over a side that is as broad as long.

    Returns
    -------
    The number of sides that are left, and of edges.
    """
    w = STRIDE * n
    x, y, z = s[w], s[w + 1], s[w + 2]
    rim = removed(s, first, sides, min(n, 0))
    sides -= 1
    grows = True
    while grows:
        grows = False
        side = 0
        while side < sides:
            at = AT_SIDES + SIDE * side
            height = s[at + 3] * x + s[at + 4] * y + s[at + 5] * z - s[at + 6]
            noise = eps * s[at + 7]
            if height >= -noise and is_behind(s, side, rim, n, height > noise):
                rim = removed(s, side, sides, rim)
                sides -= 1
                grows = True
            else:
                side += 1
    return sides, rim


def rim_edge(s: F64, start: float, end: float, rim: int) -> int:
    """Return which edge around the hole is the one from start to end; rim if none."""
    for edge in range(rim):
        at = AT_RIM + 2 * edge
        if s[at] == start and s[at + 1] == end:
            return edge
    return rim


def is_behind(s: F64, side: int, rim: int, n: int, outside: bool) -> bool:
    """Return whether a side is behind an edge of the hole.

    Unless corner n is outside of it, only edges count that the corner is in line with.
    """
    at = AT_SIDES + SIDE * side
    found = False
    for k in range(3):
        start, end = s[at + k], s[at + (k + 1) % 3]
        if rim_edge(s, end, start, rim) < rim:
            found = found or outside or are_in_line(s, int(start), int(end), n)
    return found


def are_in_line(s: F64, i: int, j: int, k: int) -> bool:
    """Return whether three corners are in one line, almost."""
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ux, uy, uz = s[b] - s[a], s[b + 1] - s[a + 1], s[b + 2] - s[a + 2]
    vx, vy, vz = s[c] - s[a], s[c + 1] - s[a + 1], s[c + 2] - s[a + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    return bool(nx * nx + ny * ny + nz * nz <= _IN_LINE * uu * vv)


def removed(s: F64, side: int, sides: int, rim: int) -> int:
    """Remove a side, and widen the hole by it; return how many edges are around."""
    at = AT_SIDES + SIDE * side
    for k in range(3):
        start, end = s[at + k], s[at + (k + 1) % 3]
        # the hole is seen in the direction of its sides
        edge = rim_edge(s, end, start, rim)
        e = AT_RIM + 2 * edge
        if edge < rim:
            rim -= 1
            s[e], s[e + 1] = s[AT_RIM + 2 * rim], s[AT_RIM + 2 * rim + 1]
        else:
            s[e], s[e + 1] = start, end
            rim += 1
    last = AT_SIDES + SIDE * (sides - 1)
    for k in range(SIDE):
        s[at + k] = s[last + k]
    return rim
