"""Continua of solutions of a loop: flat ones of axes in line, and curves.

Where axes are in line, joints turn against each other: the solutions fill a line, or a
plane for three axes. All others are curves. A curve is followed by steps along the null
space of the Jacobian and corrections of least norm (E. Allgower, K. Georg, Numerical
Continuation Methods, 1990, chapter 3).

Continua are kept in `store` (c, 2 + p, 6). Row 0 of each is a head; a flat one has a
point of its own and its directions behind it, a curve points in order. The last point
of a closed curve is the first one, whole turns away.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.six_joint_loop import residual, twists

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

KIND, COUNT, MASK, NULLITY = 0, 1, 2, 3
"""Columns of a head: `FLAT`, `CURVE` or 0 if there is none; number of directions or
points; bits of the joints that move; greatest number of null directions of a point from
which continua were looked for."""
FLAT = 1.0
CURVE = 2.0
CONTINUA = 24
POINTS = 160
PIVOT = 1e-6
"""Pivots below this are zero."""
FIRST_STEP = 0.05
LONGEST_STEP = 0.5
SHORTEST_STEP = 1e-4
"""Along a curve, radians and metres."""
BEND = 0.15
"""Part of a step by which a curve may leave its tangent."""
SAGITTA = 0.05
"""Largest distance of a curve from a chord, as a part of the chord."""
ROUGH = 0.1
"""Distances above this are no exact ones."""
MOVES = 1e-6
"""A joint moves on a continuum if its values differ by more."""
ON_LIMIT = 1e-9
ON_IT = 1e-4
"""Distance from a continuum below which a solution lies on it."""


def empty_store() -> F64:
    """Return a store without continua."""
    store = np.empty((CONTINUA, POINTS + 1, 6))
    for c in range(CONTINUA):
        store[c, 0, KIND] = 0.0
    return store


def size_of(store: F64) -> int:
    """Return the number of continua."""
    n = 0
    while n < store.shape[0] and store[n, 0, KIND] != 0.0:
        n += 1
    return n


def wrapped(value: float, period: float) -> float:
    """Return a difference the short way round; a period of 0 has no way round."""
    if period > 0.0:
        value -= period * math.floor(value / period + 0.5)
    return value


def null_space(jacobian: F64, twist: F64, least: int, null: F64, step: F64) -> int:
    """Write the null space (k, 6) and the step of least norm to a twist; return k.

    By Gauss-Jordan elimination with complete pivoting.

    Parameters
    ----------
    least
        How many null directions there are at least.
    """
    a = np.empty((6, 7))
    order = np.arange(6)
    for i in range(6):
        for j in range(6):
            a[i, j] = jacobian[i, j]
        a[i, 6] = twist[i]
    rank = 0
    while rank < 6 - least:
        best, p, q = PIVOT, -1, -1
        for i in range(rank, 6):
            for j in range(rank, 6):
                if abs(a[i, j]) > best:
                    best, p, q = abs(a[i, j]), i, j
        if p < 0:
            break
        for j in range(7):
            a[rank, j], a[p, j] = a[p, j], a[rank, j]
        for i in range(6):
            a[i, rank], a[i, q] = a[i, q], a[i, rank]
        order[rank], order[q] = order[q], order[rank]
        pivot = a[rank, rank]
        for j in range(rank, 7):
            a[rank, j] /= pivot
        for i in range(6):
            if i != rank:
                f = a[i, rank]
                for j in range(rank, 7):
                    a[i, j] -= f * a[rank, j]
        rank += 1
    for i in range(6):
        step[order[i]] = a[i, 6] if i < rank else 0.0
    for k in range(6 - rank):
        for i in range(6):
            null[k, order[i]] = -a[i, rank + k] if i < rank else 0.0
        null[k, order[rank + k]] = 1.0
        for j in range(k):
            without(null[k], null[j])
        unit(null[k])
        without(step, null[k])
    return 6 - rank


def without(x: F64, direction: F64) -> None:
    """Take the part along a unit direction out of `x`."""
    along = 0.0
    for i in range(6):
        along += x[i] * direction[i]
    for i in range(6):
        x[i] -= along * direction[i]


def unit(x: F64) -> float:
    """Make `x` a unit vector; return how long it was."""
    size = 0.0
    for i in range(6):
        size += x[i] * x[i]
    size = math.sqrt(size)
    for i in range(6):
        x[i] /= max(size, 1e-300)
    return size


def corrected(screws: F64, goal: F64, exact: float, x: F64, ahead: F64) -> float:
    """Bring `x` to the curve nearby, and `ahead` to its direction there.

    Returns the deviation that is left.
    """
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    twist = np.empty(6)
    null = np.empty((6, 6))
    step = np.empty(6)
    old = ahead.copy()
    off = math.inf
    for turn in range(6):
        twists(screws, x, reached, jacobian)
        off = residual(reached, goal, twist)
        k = null_space(jacobian, twist, 1, null, step)
        most = 0.0
        for i in range(6):
            most = max(most, abs(step[i]))
        if off < 0.02 * exact or turn == 5 or not most < LONGEST_STEP:
            for i in range(6):
                ahead[i] = 0.0
            for j in range(k):
                along = 0.0
                for i in range(6):
                    along += old[i] * null[j, i]
                for i in range(6):
                    ahead[i] += along * null[j, i]
            unit(ahead)
            break
        for i in range(6):
            x[i] += step[i]
    return off


def violation(limits: F64, x: F64) -> float:
    """Return the largest violation of a joint's limits."""
    most = 0.0
    for i in range(6):
        most = max(most, x[i] - limits[i, 1], limits[i, 0] - x[i])
    return most


def followed(
    screws: F64,
    goal: F64,
    exact: float,
    limits: F64,
    periods: F64,
    ahead: F64,
    points: F64,
    n: int,
) -> int:
    """Follow a curve from the last of n points; return how many there are then.

    It ends where the curve closes, which gives minus that number, at the first point
    outside of limits, and where `points` are full or the curve cannot be followed.

    Parameters
    ----------
    limits
        (6, 2) lower and upper.
    periods
        (6,) of joints that close a curve whole turns away, else 0.
    ahead
        (6,) the direction to begin in.
    """
    y = np.empty(6)
    turned = np.empty(6)
    to = np.empty(6)
    size = FIRST_STEP
    first = n
    while n < points.shape[0]:
        x = points[n - 1]
        for i in range(6):
            y[i] = x[i] + size * ahead[i]
            turned[i] = ahead[i]
        off = corrected(screws, goal, exact, y, turned)
        bend, straight, along, square, gap = 0.0, 0.0, 0.0, 0.0, 0.0
        for i in range(6):
            bend = max(bend, abs(y[i] - x[i] - size * ahead[i]))
            straight += turned[i] * ahead[i]
            to[i] = wrapped(points[0, i] - x[i], periods[i])
            along += to[i] * (y[i] - x[i])
            square += (y[i] - x[i]) ** 2
        if off > exact or bend > BEND * size or straight < 0.9:
            size *= 0.5
            if size < SHORTEST_STEP:
                break
            continue
        if n > first + 1 and 0.0 < along <= 1.001 * square:
            for i in range(6):
                gap = max(gap, abs(to[i] - along / square * (y[i] - x[i])))
            if gap < 0.1 * size:
                for i in range(6):
                    points[n, i] = x[i] + to[i]
                return -(n + 1)
        for i in range(6):
            points[n, i] = y[i]
            ahead[i] = turned[i]
        n += 1
        if violation(limits, y) > ON_LIMIT:
            break
        if bend < 0.2 * BEND * size:
            size = min(2.0 * size, LONGEST_STEP)
    return n


def add_curve(
    screws: F64, goal: F64, exact: float, x: F64, ahead: F64, store: F64
) -> bool:
    """Follow the curve through `x` both ways and add it; False if there is no room."""
    c = size_of(store)
    if c == store.shape[0]:
        return False
    limits = np.empty((6, 2))
    periods = np.empty(6)
    back = np.empty(6)
    points = store[c, 1:]
    for i in range(6):
        limits[i, 0], limits[i, 1] = -math.inf, math.inf
        periods[i] = 2.0 * math.pi if screws[i, 6] == 0.0 else 0.0
        points[0, i] = x[i]
        back[i] = -ahead[i]
    n: Any = np.int64(1)  # no literal, of which numba would compile a form of its own
    for way in range(2):
        n = followed(screws, goal, exact, limits, periods, ahead, points, n)
        if n < 0 or way == 1:
            break
        for j in range(n // 2):
            for i in range(6):
                y = points[j, i]
                points[j, i] = points[n - 1 - j, i]
                points[n - 1 - j, i] = y
        for i in range(6):
            ahead[i] = back[i]
    n = abs(n)
    mask = 0
    for i in range(6):
        low, high = math.inf, -math.inf
        for j in range(n):
            low, high = min(low, points[j, i]), max(high, points[j, i])
        if high - low > MOVES:
            mask |= 1 << i
    store[c, 0, KIND] = CURVE
    store[c, 0, COUNT] = n
    store[c, 0, MASK] = mask
    store[c, 0, NULLITY] = 1.0
    return True


def add_flat(screws: F64, x: F64, lines: F64, k: int, nullity: int, store: F64) -> None:
    """Add the flat continuum through `x`, unless one that is stored contains it.

    Those that are parts of it give way: where more joints are singular, more axes may
    be in line than at the point that a part was found from.

    Parameters
    ----------
    lines
        (k, 6) its directions.
    nullity
        How many null directions there are at `x`.
    """
    mask = 0
    for i in range(6):
        for j in range(k):
            if lines[j, i] != 0.0:
                mask |= 1 << i
    c = 0
    while c < size_of(store):
        known = int(store[c, 0, MASK])
        count = int(store[c, 0, COUNT])
        union = mask | known
        meets = store[c, 0, KIND] == FLAT and union in (mask, known)
        if meets and largest_difference(screws, x, store[c, 1], union) < ON_IT:
            if union == known and count >= k:
                store[c, 0, NULLITY] = max(store[c, 0, NULLITY], nullity)
                return
            removed(store, c)
        else:
            c += 1
    if c < store.shape[0]:
        for i in range(6):
            store[c, 1, i] = x[i]
            for j in range(k):
                store[c, 2 + j, i] = lines[j, i]
        store[c, 0, KIND], store[c, 0, COUNT], store[c, 0, MASK] = FLAT, k, mask
        store[c, 0, NULLITY] = nullity


def removed(store: F64, c: int) -> None:
    """Take a continuum out of the store; the last one takes its place."""
    last = size_of(store) - 1
    for j in range(store.shape[1]):
        for i in range(6):
            store[c, j, i] = store[last, j, i]
    store[last, 0, KIND] = 0.0


def largest_difference(screws: F64, x: F64, y: F64, mask: int) -> float:
    """Return the largest difference of joints without a bit in `mask`, wrapped."""
    far = 0.0
    for i in range(6):
        if not mask >> i & 1:
            period = 2.0 * math.pi if screws[i, 6] == 0.0 else 0.0
            far = max(far, abs(wrapped(x[i] - y[i], period)))
    return far


def lies_on(screws: F64, goal: F64, store: F64, x: F64, near: float) -> int:
    """Return the continuum that is within a distance of `x`, -1 if there is none.

    A flat one is taken to hold all that has its other joints. For a great distance
    chords stand for curves.
    """
    y = np.empty(6)
    ahead = np.empty(6)
    for c in range(size_of(store)):
        mask = int(store[c, 0, MASK])
        points = store[c, 1:]
        if store[c, 0, KIND] == FLAT:
            if largest_difference(screws, x, points[0], mask) < near:
                return c
            continue
        for j in range(int(store[c, 0, COUNT]) - 1):
            if not near_chord(screws, points[j], points[j + 1], x, near, y, ahead):
                continue
            if near > ROUGH:
                return c
            for _ in range(4):
                along = 0.0
                for i in range(6):
                    along += ahead[i] * (x[i] - y[i])
                for i in range(6):
                    y[i] += along * ahead[i]
                corrected(screws, goal, 0.0, y, ahead)
            far = 0.0
            for i in range(6):
                far = max(far, abs(x[i] - y[i]))
            if far < near:
                return c
    return -1


def near_chord(
    screws: F64, p: F64, q: F64, x: F64, near: float, at: F64, ahead: F64
) -> bool:
    """Return True if the arc of a chord may be within a distance of `x`.

    The nearest point of the chord is written, in the turn of `x`, and its direction.
    """
    along, square, far = 0.0, 1e-300, 0.0
    for i in range(6):
        period = 2.0 * math.pi if screws[i, 6] == 0.0 else 0.0
        at[i] = wrapped(x[i] - p[i], period)
        ahead[i] = q[i] - p[i]
        along += at[i] * ahead[i]
        square += ahead[i] * ahead[i]
    u = min(max(along / square, 0.0), 1.0)
    for i in range(6):
        far = max(far, abs(at[i] - u * ahead[i]))
        at[i] = x[i] - at[i] + u * ahead[i]
    unit(ahead)
    return far < near + SAGITTA * math.sqrt(square)
