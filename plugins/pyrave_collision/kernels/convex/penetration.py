"""Penetration depth of two convex solids by the expanding polytope algorithm.

G. van den Bergen, "Proximity queries and penetration depth computation on 3D game
objects", GDC 2001. A polytope inside the difference of the solids (see `gjk`) grows
at the side that is nearest to the origin until the difference ends there. The depth is
too large by at most `TOLERANCE` of the sizes, unless `CORNERS` do not suffice for that:
where very many directions are nearly as good, as for cones around one axis, it is too
large by up to 1e-6 of the sizes.

Sides know their neighbours, and many wait in a heap, least offset first, so that
thousands of corners are a matter of milliseconds. Removed sides keep their place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_collision.kernels.convex.gjk import SIMPLEX, corner
from pyrave_collision.kernels.convex.simplices import (
    STRIDE,
    kept,
    on_triangle,
    witness,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32

    Vector = tuple[float, float, float]
    Depth = tuple[float, float, float, float, float, float, float]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

TOLERANCE = 1e-8
"""Error of the depth that is allowed, as a part of the size of both solids."""
CORNERS = 4096
"""Most corners of the polytope."""
SIDES = 10 * CORNERS
"""Most sides that it had at any time; some six are made for each corner."""
FEW = 256
"""Sides up to which all are looked at for the nearest one; then they are in a heap."""
OFFSET, THIN, SIDE = 3, 4, 5
"""Numbers of a side: its normal, offset, and how thin it is."""
BESIDE, REMOVED, LINKS = 3, 6, 8
"""Links of a side: its three corners, the sides beyond its edges from each corner to
the next, and 1 if it is removed."""
AT_SIDES = STRIDE * CORNERS + SIMPLEX
"""Offset of the sides in the scratch, behind the corners and one simplex."""
AT_LINKS = AT_SIDES + SIDE * SIDES
"""Offset of their links, four bytes each, as all that follows."""
AT_HOLE = LINKS * SIDES
"""Offset in the links of the list of sides that a corner removes."""
AT_RIM = AT_HOLE + 2 * CORNERS
"""Offset of the edges around a hole: a removed side, and the number of its edge."""
AT_WAITING = AT_RIM + 2 * 3 * CORNERS
"""Offset of the heap of sides."""
AT_BEGIN = AT_WAITING + SIDES
"""Offset of a table with the new side that begins at each corner."""
POLYTOPE = AT_LINKS + (AT_BEGIN + CORNERS) // 2
"""Numbers of scratch. What is not needed is never touched, and takes no memory."""
_FLAT = 1e-9
_NOISE = 1e-14
_IN_LINE = 1e-14
_SLIVER = 1e4
"""Ratio of length to height of a side above which its plane is inexact."""
_BESIDE = 1e-9
"""Part of its depth by which a point may be beside the plane of a side."""


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
    links = polytope[AT_LINKS:].view(np.int32)
    write_first_sides(polytope, links)
    sides, heaped, waiting, best, lowest = 4, 0, 0, math.inf, -math.inf
    nearest, nx, ny, nz = 0, 0.0, 0.0, 1.0
    while True:
        side = nearest_side(polytope, links, sides) if heaped == 0 else -1
        while side < 0 and waiting > 0:
            side = int(links[AT_WAITING])
            waiting = popped(polytope, links, waiting)
            if links[LINKS * side + REMOVED]:
                side = -1
        if side < 0:
            break
        s = AT_SIDES + SIDE * side
        offset = polytope[s + OFFSET]
        if offset > best or offset < lowest - TOLERANCE * size or n == CORNERS:
            # nothing is nearer, or rounding has bent the polytope, or it is full
            break
        lowest = max(lowest, offset)
        ex, ey, ez = polytope[s], polytope[s + 1], polytope[s + 2]
        hint_a, hint_b = corner(
            kind_a, a0, a1, a2, vertices_a, begin_a, end_a, hint_a,
            kind_b, b0, b1, b2, vertices_b, begin_b, end_b, hint_b,
            starts, neighbours, pose, ex, ey, ez, polytope, n,
        )  # fmt: skip
        # least offset of all sides <= depth <= e w, the furthest corner along e
        w = STRIDE * n
        depth = ex * polytope[w] + ey * polytope[w + 1] + ez * polytope[w + 2]
        ends = depth - offset <= TOLERANCE * size
        if ends or depth < best:
            # no way out is shorter than the least offset
            nearest, nx, ny, nz, best = side, ex, ey, ez, depth
        if ends:
            break
        rim = opened(polytope, links, side, n, _NOISE * size)
        if sides + rim > SIDES:
            break
        closed(polytope, links, sides, rim, n)
        sides += rim
        n += 1
        if sides > FEW:
            for made in range(heaped, sides):
                if polytope[AT_SIDES + SIDE * made + OFFSET] <= best:
                    waiting = pushed(polytope, links, made, waiting)
            heaped = sides
    if best == math.inf:
        nx, ny, nz = flat_normal(polytope, min(n, 3))
        return 0.0, nx, ny, nz, x, y, z
    x, y, z = deepest(polytope, links, sides, nearest, best * nx, best * ny, best * nz)
    return best, nx, ny, nz, x, y, z


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
    """Return the distance of corner n from the point, line or plane of those before."""
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


def write_side(s: F64, t: I32, side: int, i: int, j: int, k: int) -> None:
    """Write a side of corners i, j, k, counter-clockwise from outside.

    One without area is at infinity, so that nothing grows from it.

    Parameters
    ----------
    s, t
        (`POLYTOPE`,) of all numbers, and its links.
    """
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ax, ay, az = s[a], s[a + 1], s[a + 2]
    ux, uy, uz = s[b] - ax, s[b + 1] - ay, s[b + 2] - az
    vx, vy, vz = s[c] - ax, s[c + 1] - ay, s[c + 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    offset, thin = math.inf, 1.0
    if length > 0.0:
        inverse = 1.0 / length
        nx, ny, nz = nx * inverse, ny * inverse, nz * inverse
        offset = nx * ax + ny * ay + nz * az
        uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
        thin = math.sqrt(uu * vv) * inverse
    at = AT_SIDES + SIDE * side
    s[at], s[at + 1], s[at + 2] = nx, ny, nz
    s[at + OFFSET], s[at + THIN] = offset, thin
    at = LINKS * side
    t[at], t[at + 1], t[at + 2], t[at + REMOVED] = i, j, k, 0


def write_first_sides(s: F64, t: I32) -> None:
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
            write_side(s, t, side, i, j, k)
        else:
            write_side(s, t, side, i, k, j)
    for at in range(0, 4 * LINKS, LINKS):
        # beyond an edge is the side without the third corner
        t[at + BESIDE], t[at + BESIDE + 1], t[at + BESIDE + 2] = (
            t[at + 2],
            t[at],
            t[at + 1],
        )


def nearest_side(s: F64, t: I32, sides: int) -> int:
    """Return the side of the least offset that is not removed, -1 for none."""
    least, found = math.inf, -1
    for side in range(sides):
        offset = s[AT_SIDES + SIDE * side + OFFSET]
        if offset < least and not t[LINKS * side + REMOVED]:
            least, found = offset, side
    return found


def is_before(s: F64, t: I32, one: int, other: int) -> bool:
    """Return True if the side at one place of the heap is nearer than another."""
    a, b = SIDE * t[AT_WAITING + one], SIDE * t[AT_WAITING + other]
    return bool(s[AT_SIDES + OFFSET + a] < s[AT_SIDES + OFFSET + b])


def pushed(s: F64, t: I32, side: int, waiting: int) -> int:
    """Put a side into the heap; return how many are in it."""
    t[AT_WAITING + waiting] = side
    at = waiting
    while at > 0:
        up = (at - 1) >> 1
        if not is_before(s, t, at, up):
            break
        i, k = AT_WAITING + at, AT_WAITING + up
        t[i], t[k] = t[k], t[i]
        at = up
    return waiting + 1


def popped(s: F64, t: I32, waiting: int) -> int:
    """Take the nearest side out of the heap; return how many are left."""
    waiting -= 1
    t[AT_WAITING] = t[AT_WAITING + waiting]
    at = 0
    while 2 * at + 1 < waiting:
        down = 2 * at + 1
        if down + 1 < waiting and is_before(s, t, down + 1, down):
            down += 1
        if not is_before(s, t, down, at):
            break
        i, k = AT_WAITING + at, AT_WAITING + down
        t[i], t[k] = t[k], t[i]
        at = down
    return waiting


def opened(s: F64, t: I32, first: int, n: int, eps: float) -> int:
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
    The number of edges.
    """
    w = STRIDE * n
    x, y, z = s[w], s[w + 1], s[w + 2]
    t[AT_HOLE] = first
    t[LINKS * first + REMOVED] = 1
    holes, seen, rim = 1, 0, 0
    while seen < holes:
        this = LINKS * t[AT_HOLE + seen]
        seen += 1
        for k in range(3):
            side = int(t[this + BESIDE + k])
            if t[LINKS * side + REMOVED]:
                continue
            height = height_over(s, side, x, y, z)
            noise = eps * s[AT_SIDES + SIDE * side + THIN]
            if height > noise or (
                height >= -noise
                and are_in_line(s, int(t[this + k]), int(t[this + (k + 1) % 3]), n)
            ):
                t[LINKS * side + REMOVED] = 1
                t[AT_HOLE + holes] = side
                holes += 1
    for hole in range(holes):
        side = int(t[AT_HOLE + hole])
        for k in range(3):
            if not t[LINKS * t[LINKS * side + BESIDE + k] + REMOVED]:
                t[AT_RIM + 2 * rim], t[AT_RIM + 2 * rim + 1] = side, k
                rim += 1
    return rim


def closed(s: F64, t: I32, sides: int, rim: int, n: int) -> None:
    """Close a hole with sides from its edges to corner n.

    Parameters
    ----------
    sides
        The first number that is free; the side of edge e is ``sides + e``.
    rim
        Edges around the hole.
    """
    for e in range(rim):
        at, k = LINKS * t[AT_RIM + 2 * e], t[AT_RIM + 2 * e + 1]
        start, end = int(t[at + k]), int(t[at + following(k)])
        beyond = t[at + BESIDE + k]
        write_side(s, t, sides + e, start, end, n)
        t[LINKS * (sides + e) + BESIDE] = beyond
        at = LINKS * beyond
        t[at + BESIDE + edge_from(t, at, end)] = sides + e
        t[AT_BEGIN + start] = sides + e
    pinched = False
    for made in range(sides, sides + rim):
        at = LINKS * made
        pinched |= t[AT_BEGIN + t[at]] != made
        after = t[AT_BEGIN + t[at + 1]]
        t[at + BESIDE + 1] = after
        t[LINKS * after + BESIDE + 2] = made
    if pinched:
        # a corner begins two edges: the hole touches itself there
        for e in range(rim):
            after = next_side(t, e)
            t[LINKS * (sides + e) + BESIDE + 1] = after
            t[LINKS * after + BESIDE + 2] = sides + e


def next_side(t: I32, e: int) -> int:
    """Return the new side after that of an edge around a hole.

    It is found around the end of the edge, over what is removed.
    """
    at, k = LINKS * t[AT_RIM + 2 * e], following(t[AT_RIM + 2 * e + 1])
    end = int(t[at + k])
    beyond = LINKS * t[at + BESIDE + k]
    while t[beyond + REMOVED]:
        at, k = beyond, edge_from(t, beyond, end)
        beyond = LINKS * t[at + BESIDE + k]
    last = int(t[at + following(k)])
    return int(t[beyond + BESIDE + edge_from(t, beyond, last)])


def following(k: int) -> int:
    """Return the number of the next of three; quicker than a remainder."""
    return k + 1 if k < 2 else 0


def edge_from(t: I32, at: int, start: int) -> int:
    """Return the edge of the side with links at a place that begins at a corner."""
    if t[at] == start:
        return 0
    return 1 if t[at + 1] == start else 2


def are_in_line(s: F64, i: int, j: int, k: int) -> bool:
    """Return True if three corners are in one line, almost."""
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ux, uy, uz = s[b] - s[a], s[b + 1] - s[a + 1], s[b + 2] - s[a + 2]
    vx, vy, vz = s[c] - s[a], s[c + 1] - s[a + 1], s[c + 2] - s[a + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    return bool(nx * nx + ny * ny + nz * nz <= _IN_LINE * uu * vv)


def deepest(
    s: F64, t: I32, sides: int, best: int, x: float, y: float, z: float
) -> Vector:
    """Return the point of the first solid that a point of the polytope comes from.

    Parameters
    ----------
    best
        A side whose plane the point is in. Where several sides are in one plane it may
        be in another of them.
    x, y, z
        The point that is nearest to the origin.
    """
    flat = _BESIDE * _BESIDE * (x * x + y * y + z * z)
    for other in range(-1, sides):
        side = best if other < 0 else other
        at = LINKS * side
        i, j, k = int(t[at]), int(t[at + 1]), int(t[at + 2])
        if (
            height_over(s, side, x, y, z) ** 2 <= flat
            and s[AT_SIDES + SIDE * side + THIN] < _SLIVER
            and (other < 0 or not t[at + REMOVED])
        ):
            p, q, r = parts(s, i, j, k, x, y, z)
            if p >= 0.0 and q >= 0.0 and r >= 0.0:
                return mixed(s, i, j, k, p, q, r)
    # beside all of them, by rounding or since the polytope is full
    simplex = s[AT_SIDES - SIMPLEX : AT_SIDES]
    at = LINKS * best
    i, j, k = int(t[at]), int(t[at + 1]), int(t[at + 2])
    nearest, mask = gap_of_side(s, i, j, k, x, y, z, simplex)
    for side in range(sides):
        at = LINKS * side
        # no point of a side is nearer than its plane
        if not t[at + REMOVED] and height_over(s, side, x, y, z) ** 2 < nearest:
            u, v, w = int(t[at]), int(t[at + 1]), int(t[at + 2])
            square, mask = gap_of_side(s, u, v, w, x, y, z, simplex)
            if square < nearest:
                nearest, i, j, k = square, u, v, w
    square, mask = gap_of_side(s, i, j, k, x, y, z, simplex)
    n = kept(simplex, 3, mask)
    return witness(simplex, n, 0, min(1, n - 1), min(2, n - 1))


def height_over(s: F64, side: int, x: float, y: float, z: float) -> float:
    """Return the height of a point above the plane of a side, metres."""
    at = AT_SIDES + SIDE * side
    return float(s[at] * x + s[at + 1] * y + s[at + 2] * z - s[at + OFFSET])


def parts(
    s: F64, i: int, j: int, k: int, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return the parts that three corners have in a point of their plane."""
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ax, ay, az = s[a] - x, s[a + 1] - y, s[a + 2] - z
    ux, uy, uz = s[b] - s[a], s[b + 1] - s[a + 1], s[b + 2] - s[a + 2]
    vx, vy, vz = s[c] - s[a], s[c + 1] - s[a + 1], s[c + 2] - s[a + 2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    r = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz) + nz * (ax * uy - ay * ux)
    q = nx * (az * vy - ay * vz) + ny * (ax * vz - az * vx) + nz * (ay * vx - ax * vy)
    return 1.0 - (q + r) / nn, q / nn, r / nn


def mixed(s: F64, i: int, j: int, k: int, p: float, q: float, r: float) -> Vector:
    """Return the weighted sum of the first solid's points at three corners."""
    a, b, c = STRIDE * i + 3, STRIDE * j + 3, STRIDE * k + 3
    return (
        p * s[a] + q * s[b] + r * s[c],
        p * s[a + 1] + q * s[b + 1] + r * s[c + 1],
        p * s[a + 2] + q * s[b + 2] + r * s[c + 2],
    )


def gap_of_side(
    s: F64, i: int, j: int, k: int, x: float, y: float, z: float, simplex: F64
) -> tuple[float, int]:
    """Return the squared distance of a point from three corners, and their mask.

    Parameters
    ----------
    simplex
        (18 or more,) output: the corners, seen from the point.
    """
    for row in range(3):
        at, to = STRIDE * (i if row == 0 else j if row == 1 else k), STRIDE * row
        for number in range(STRIDE):
            simplex[to + number] = s[at + number]
        simplex[to] -= x
        simplex[to + 1] -= y
        simplex[to + 2] -= z
    px, py, pz, mask = on_triangle(simplex, 0, 1, 2)
    return px * px + py * py + pz * pz, mask
