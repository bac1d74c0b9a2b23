"""Grow a convex polytope in any dimension, one point after the other.

Beneath-beyond with neighbours: facets that a new point sees are replaced by a fan
around it. A facet is a row: ``corners[f]`` its d points, ``across[f, k]`` the facet
behind the ridge without corner k, ``planes[f]`` unit outward normal and offset. Rows
that are gone are used again.

A facet's points are within `_FLAT` of its plane, and the inner point and what the
facet stands on are beneath it. So no facet is turned over, and a ball about the origin
that no plane cuts is inside, whatever rounding did before. Where the whole hull counts
each ridge is looked at, too: what is closed and convex at each ridge is convex.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pyrave.grasping.kernels.rounds import farthest, point_of

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3, I64

JIT_ENTRIES = ("ball_radius", "hull_volume")

DONE, STUCK, FULL, LOW = 0, 1, 2, 3
"""Ends: as asked; numbers too close; no room; points in fewer dimensions."""
_SIGHT = 1e-11
"""Height above a facet from which a point sees it; sizes are about 1."""
_FLAT = 1e-11
_BENT = 1e-10
_RANK = 1e-9
_N_ROWS, _N_SPARE, _STAMP = 0, 1, 2


class Polytope(NamedTuple):
    """Facets of a polytope of d dimensions, and room for work.

    Parameters
    ----------
    points
        (m, d).
    corners, across, planes
        (f, d), (f, d) and (f, d + 1), see above.
    state
        (f,) -1 for a row that is free, else the last visit.
    made
        (f, d) facets behind the ridges of facets that are seen.
    seen, fresh, spare
        (f,) lists of rows.
    counts
        Rows in use, spare ones, the last visit.
    inner
        (d,) a point inside.
    bent
        Height by which a neighbour's point may stand above a facet, infinite if that
        does not matter.
    """

    points: F64
    corners: I64
    across: I64
    planes: F64
    state: I64
    made: I64
    seen: I64
    fresh: I64
    spare: I64
    counts: I64
    inner: F64
    bent: float


def new_polytope(points: F64, room: int, bent: float) -> Polytope:
    """Return a polytope without facets, with room for some."""
    d = points.shape[1]
    return Polytope(
        points,
        np.empty((room, d), np.int64),
        np.empty((room, d), np.int64),
        np.empty((room, d + 1)),
        np.full(room, -1, np.int64),
        np.empty((room, d), np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        np.zeros(3, np.int64),
        np.zeros(d),
        bent,
    )


def set_normal(matrix: F64, plane: F64) -> None:
    """Write the unit vector (d,) across d - 1 rows, which are overwritten.

    Gaussian elimination with complete pivoting.
    """
    d = matrix.shape[1]
    order = np.arange(d)
    for k in range(d - 1):
        best, row, column = -1.0, k, k
        for i in range(k, d - 1):
            for j in range(k, d):
                size = abs(matrix[i, j])
                if size > best:
                    best, row, column = size, i, j
        if row != k:
            for j in range(d):
                matrix[k, j], matrix[row, j] = matrix[row, j], matrix[k, j]
        if column != k:
            for i in range(d - 1):
                matrix[i, k], matrix[i, column] = matrix[i, column], matrix[i, k]
            order[k], order[column] = order[column], order[k]
        pivot = matrix[k, k]
        if pivot == 0.0:
            break
        for i in range(k + 1, d - 1):
            part = matrix[i, k] / pivot
            if part != 0.0:
                for j in range(k + 1, d):
                    matrix[i, j] -= part * matrix[k, j]
    plane[order[d - 1]] = 1.0
    total = 1.0
    for k in range(d - 2, -1, -1):
        found = 0.0
        for j in range(k + 1, d):
            found -= matrix[k, j] * plane[order[j]]
        pivot = matrix[k, k]
        found = found / pivot if pivot != 0.0 else 0.0
        plane[order[k]] = found
        total += found * found
    scale = 1.0 / math.sqrt(total)
    for k in range(d):
        plane[k] *= scale


def height(shape: Polytope, f: int, p: int) -> float:
    """Return the height of a point above a facet."""
    total = -shape.planes[f, shape.points.shape[1]]
    for k in range(shape.points.shape[1]):
        total += shape.planes[f, k] * shape.points[p, k]
    return float(total)


def set_plane(shape: Polytope, f: int, matrix: F64) -> bool:
    """Write the plane of a facet; return False if it is not to be trusted."""
    points, corners, planes = shape.points, shape.corners, shape.planes
    d = points.shape[1]
    first = corners[f, 0]
    for i in range(d - 1):
        other = corners[f, i + 1]
        for j in range(d):
            matrix[i, j] = points[other, j] - points[first, j]
    set_normal(matrix, planes[f])
    low, high = math.inf, -math.inf
    for i in range(d):
        along = 0.0
        for j in range(d):
            along += planes[f, j] * points[corners[f, i], j]
        low, high = min(low, along), max(high, along)
    offset = 0.5 * (low + high)
    beneath = -offset
    for j in range(d):
        beneath += planes[f, j] * shape.inner[j]
    if beneath > 0.0:
        for j in range(d):
            planes[f, j] = -planes[f, j]
        offset = -offset
    planes[f, d] = offset
    return high - low <= _FLAT and abs(beneath) > _BENT


def first_corners(points: F64, found: I64) -> int:
    """Write the rows of d + 1 points that are far from each other; return the rank.

    Each is the farthest from the plane through those before it.
    """
    n, d = points.shape
    rest = np.empty((n, d))
    for p in range(n):
        for j in range(d):
            rest[p, j] = points[p, j] - points[0, j]
    best, chosen = -1.0, 0
    for p in range(n):  # the first point is one end of a long way
        size = 0.0
        for j in range(d):
            size += rest[p, j] ** 2
        if size > best:
            best, chosen = size, p
    found[0] = chosen
    for p in range(n):
        for j in range(d):
            rest[p, j] = points[p, j] - points[chosen, j]
    axis = np.empty(d)
    for k in range(d):
        best, chosen = -1.0, 0
        for p in range(n):
            size = 0.0
            for j in range(d):
                size += rest[p, j] ** 2
            if size > best:
                best, chosen = size, p
        if best <= _RANK * _RANK:
            return k
        found[k + 1] = chosen
        scale = 1.0 / math.sqrt(best)
        for j in range(d):
            axis[j] = rest[chosen, j] * scale
        for p in range(n):
            along = 0.0
            for j in range(d):
                along += rest[p, j] * axis[j]
            for j in range(d):
                rest[p, j] -= along * axis[j]
    return int(d)


def begin(shape: Polytope, first: I64) -> bool:
    """Make the facets of a simplex; return False if it is too flat."""
    points, counts = shape.points, shape.counts
    d = points.shape[1]
    matrix = np.empty((d, d))
    for j in range(d):
        total = 0.0
        for i in range(d + 1):
            total += points[first[i], j]
        shape.inner[j] = total / (d + 1)
    good = True
    for f in range(d + 1):
        k = 0
        for i in range(d + 1):
            if i != f:
                shape.corners[f, k] = first[i]
                shape.across[f, k] = i
                k += 1
        shape.state[f] = 0
        good = set_plane(shape, f, matrix) and good
    counts[_N_ROWS] = d + 1
    return good


def see(shape: Polytope, p: int, seed: int) -> int:
    """List the facets that a point sees, from one of them on; return their number."""
    across, state, seen, counts = shape.across, shape.state, shape.seen, shape.counts
    counts[_STAMP] += 1
    stamp = counts[_STAMP]
    seen[0], n, at = seed, 1, 0
    state[seed] = stamp
    while at < n:
        f = seen[at]
        at += 1
        for k in range(across.shape[1]):
            g = across[f, k]
            if state[g] != stamp and height(shape, g, p) > _SIGHT:
                state[g] = stamp
                seen[n] = g
                n += 1
    return int(n)


def insert(shape: Polytope, p: int, seed: int) -> int:
    """Add a point that sees a facet; return `DONE`, or why it could not be.

    Unless it is `DONE` the polytope is none afterwards.
    """
    points, corners, across = shape.points, shape.corners, shape.across
    state, made, counts = shape.state, shape.made, shape.counts
    d, room = points.shape[1], corners.shape[0]
    matrix = np.empty((d, d))
    n_seen = see(shape, p, seed)
    stamp = counts[_STAMP]
    n_fresh = 0
    for s in range(n_seen):
        f = shape.seen[s]
        for k in range(d):
            g = across[f, k]
            if state[g] == stamp:
                continue
            if counts[_N_SPARE] > 0:
                counts[_N_SPARE] -= 1
                new = shape.spare[counts[_N_SPARE]]
            elif counts[_N_ROWS] < room:
                new = counts[_N_ROWS]
                counts[_N_ROWS] += 1
            else:
                return FULL
            shape.fresh[n_fresh] = new
            n_fresh += 1
            state[new] = 0
            made[f, k] = new
            for i in range(d):
                corners[new, i] = corners[f, i]
            corners[new, k] = p
            across[new, k] = g
            back = slot_across(across, g, f)
            across[g, back] = new
            if not set_plane(shape, new, matrix):
                return STUCK
            if (
                height(shape, new, corners[f, k]) > _BENT  # what it stands on
                or height(shape, new, corners[g, back]) > shape.bent
            ):
                return STUCK
            # how to get from here to the facets beside it: the facet and its ridge
            made[new, 0], made[new, 1] = f, k
    for s in range(n_fresh):
        new = shape.fresh[s]
        f, k = made[new, 0], made[new, 1]
        for i in range(d):
            if i != k:
                other = beside(shape, f, k, corners[f, i], stamp)
                across[new, i] = other
    for s in range(n_fresh):
        new = shape.fresh[s]
        for i in range(d):
            other = across[new, i]
            if corners[new, i] != p:
                back = slot_across(across, other, new)
                if back < 0 or height(shape, new, corners[other, back]) > shape.bent:
                    return STUCK
    for s in range(n_seen):
        f = shape.seen[s]
        state[f] = -1
        shape.spare[counts[_N_SPARE]] = f
        counts[_N_SPARE] += 1
    return DONE


def slot_across(across: I64, f: int, other: int) -> int:
    """Return the corner of a facet whose ridge another one is behind, or -1."""
    for k in range(across.shape[1]):
        if across[f, k] == other:
            return k
    return -1


def beside(shape: Polytope, f: int, k: int, left_out: int, stamp: int) -> int:
    """Return the new facet that shares with another one all but one corner.

    The other one stands on the ridge of `f` without corner k. Facets that are seen are
    walked around what both share, from `f` to the edge of what is seen.
    """
    corners, across = shape.corners, shape.across
    d = corners.shape[1]
    stays = corners[f, k]
    while True:
        slot = 0
        for i in range(d):
            if corners[f, i] == left_out:
                slot = i
        g = across[f, slot]
        if shape.state[g] != stamp:
            return int(shape.made[f, slot])
        # the ridge that was crossed has `stays` now, which is the next to be left out
        back = slot_across(across, g, f)
        left_out, stays = stays, corners[g, back]
        f = g


def nearest(shape: Polytope) -> int:
    """Return the facet whose plane is nearest to the origin, or most behind it."""
    d = shape.points.shape[1]
    best, chosen = math.inf, 0
    for f in range(shape.counts[_N_ROWS]):
        if shape.state[f] >= 0 and shape.planes[f, d] < best:
            best, chosen = shape.planes[f, d], f
    return chosen


def ball_radius(
    normals: F64_2, tangents: F64_3, points: F64_2, n_points: int, room: int,
    gap: float, bounds: F64_1,
) -> int:  # fmt: skip
    """Find the largest ball about the origin in the hull of round cones' edges.

    The polytope grows at the facet nearest to the origin, which any ball inside must
    keep beneath (Y. Zheng, "An efficient algorithm for a grasp quality measure", IEEE
    Transactions on Robotics 29(2), 2013).

    Parameters
    ----------
    normals, tangents
        See `pyrave.grasping.kernels.rounds`.
    points
        (m, d) of which the first n are points of the hull to start with.
    room
        Facets that there is room for.
    gap
        Ends when the bounds are as close.
    bounds
        (2,) written: the radius is no less and no more; negative where the origin is
        outside.

    Returns
    -------
    `DONE`, or why bounds are not as close.
    """
    d = points.shape[1]
    first, choice = np.empty(d + 1, np.int64), np.empty(3)
    bounds[0], bounds[1] = -math.inf, math.inf
    if first_corners(points[:n_points], first) < d:
        bounds[0] = bounds[1] = 0.0
        return LOW
    shape = new_polytope(points, room, math.inf)
    if not begin(shape, first):
        return STUCK
    while True:
        f = nearest(shape)
        bounds[0] = shape.planes[f, d]
        if n_points == points.shape[0]:
            return FULL
        reach = farthest(normals, tangents, shape.planes[f, :d], choice)
        point_of(normals, tangents, choice, points[n_points])
        bounds[1] = min(bounds[1], reach)
        if reach - bounds[0] <= gap or bounds[1] < -gap:
            return DONE
        end = insert(shape, n_points, f)
        n_points += 1
        if end != DONE:
            return end


def hull_volume(points: F64_2, room: int, found: F64_1) -> int:
    """Find the volume of the hull of points (n, d), and its ball about the origin.

    Parameters
    ----------
    found
        (2,) written: the volume, and the least offset of a facet.
    """
    n, d = points.shape
    first = np.empty(d + 1, np.int64)
    found[0] = found[1] = 0.0
    if first_corners(points, first) < d:
        return LOW
    shape = new_polytope(points, room, _BENT)
    if not begin(shape, first):
        return STUCK
    for p in range(n):
        best, seed = _SIGHT, -1
        for f in range(shape.counts[_N_ROWS]):
            if shape.state[f] >= 0:
                above = height(shape, f, p)
                if above > best:
                    best, seed = above, f
        if seed >= 0:
            end = insert(shape, p, seed)
            if end != DONE:
                return end
    matrix = np.empty((d, d))
    total = 0.0
    for f in range(shape.counts[_N_ROWS]):
        if shape.state[f] >= 0:
            for i in range(d):
                for j in range(d):
                    matrix[i, j] = points[shape.corners[f, i], j] - shape.inner[j]
            total += abs(determinant(matrix))
    for k in range(2, d + 1):
        total /= k
    found[0] = total
    found[1] = shape.planes[nearest(shape), d]
    return DONE


def determinant(matrix: F64) -> float:
    """Return the determinant of a square matrix, which is overwritten."""
    d = matrix.shape[0]
    found = 1.0
    for k in range(d):
        row = k
        for i in range(k + 1, d):
            if abs(matrix[i, k]) > abs(matrix[row, k]):
                row = i
        if row != k:
            found = -found
            for j in range(k, d):
                matrix[k, j], matrix[row, j] = matrix[row, j], matrix[k, j]
        pivot = matrix[k, k]
        if pivot == 0.0:
            return 0.0
        found *= pivot
        for i in range(k + 1, d):
            part = matrix[i, k] / pivot
            for j in range(k + 1, d):
                matrix[i, j] -= part * matrix[k, j]
    return found
