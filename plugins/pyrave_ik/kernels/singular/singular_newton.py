"""Steps to solutions of a loop, wherever these are singular.

The singular values of the Jacobian decide about the steps. Directions of large ones are
corrected first; along those of small ones a solution is approached as a double root is,
or in steps with a correction after each.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.six_joint_loop import end, residual, twists

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

BLUNT = 1e-6
"""Singular values of the Jacobian below this: the solution is singular."""
SMALL = 1e-2
"""Singular values below this are small: their directions are corrected last."""
STEPS = 40
"""Most steps to a solution."""
DONE = 2e-15
"""Deviation that rounding leaves."""


def decompose(a: F64, v: F64, s: F64) -> None:
    """Write singular values (6,), descending, and right vectors of (6, 6) `a`.

    Columns of `a` become ``u s``, those of `v` the right vectors. One-sided turns
    (Hestenes, 1958) keep the digits of small singular values.
    """
    for i in range(6):
        for j in range(6):
            v[i, j] = 1.0 if i == j else 0.0
    for _ in range(20):
        turned = False
        for p in range(5):
            for q in range(p + 1, 6):
                pp, qq, pq = 0.0, 0.0, 0.0
                for k in range(6):
                    pp += a[k, p] * a[k, p]
                    qq += a[k, q] * a[k, q]
                    pq += a[k, p] * a[k, q]
                if pq * pq <= 1e-28 * pp * qq or pp + qq < 1e-300:
                    continue
                turned = True
                half = 0.5 * (qq - pp)
                t = pq / (abs(half) + math.sqrt(half * half + pq * pq))
                if half < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                z = t * c
                for k in range(6):
                    g, h = a[k, p], a[k, q]
                    a[k, p] = c * g - z * h
                    a[k, q] = z * g + c * h
                    g, h = v[k, p], v[k, q]
                    v[k, p] = c * g - z * h
                    v[k, q] = z * g + c * h
        if not turned:
            break
    for j in range(6):
        total = 0.0
        for k in range(6):
            total += a[k, j] * a[k, j]
        s[j] = math.sqrt(total)
    for i in range(5):
        best = i
        for j in range(i + 1, 6):
            if s[j] > s[best]:
                best = j
        if best != i:
            s[i], s[best] = s[best], s[i]
            for k in range(6):
                a[k, i], a[k, best] = a[k, best], a[k, i]
                v[k, i], v[k, best] = v[k, best], v[k, i]


def measured(screws: F64, goal: F64, x: F64, u: F64, v: F64, s: F64, c: F64) -> float:
    """Write singular values and vectors and the ways along these; return as above.

    Columns of `u` are left vectors times their singular values. ``sum c[i] v[:, i]`` is
    the step of Newton, infinite where it has no end.
    """
    reached = np.empty((3, 4))
    twist = np.empty(6)
    twists(screws, x, reached, u)
    worst = residual(reached, goal, twist)
    decompose(u, v, s)
    for i in range(6):
        total = 0.0
        for k in range(6):
            total += u[k, i] * twist[k]
        c[i] = total / (s[i] * s[i]) if s[i] > 1e-150 else math.inf
    return worst


def deviation(screws: F64, goal: F64, x: F64) -> float:
    """Return the greatest deviation of an entry of the displacement."""
    reached = np.empty((3, 4))
    end(screws, x, reached)
    worst = 0.0
    for i in range(3):
        for j in range(4):
            worst = max(worst, abs(goal[i, j] - reached[i, j]))
    return worst


def moved_along(
    x: F64, v: F64, c: F64, rank: int, first: int, cap: float, out: F64
) -> bool:
    """Write `x` moved along `rank` right vectors, twice as far from `first` on.

    The move is at most `cap` of a joint. False where it has no end.
    """
    move = np.empty(6)
    most = 0.0
    for k in range(6):
        move[k] = 0.0
        for i in range(rank):
            move[k] += v[k, i] * (c[i] if i < first else 2.0 * c[i])
        most = max(most, abs(move[k]))
    if not most < 1e6:
        return False
    f = cap / most if most > cap else 1.0
    for k in range(6):
        out[k] = x[k] + f * move[k]
    return True


def large(s: F64) -> int:
    """Return the number of singular values that are not small."""
    n = 0
    for i in range(6):
        n += s[i] > SMALL
    return n


def returned(screws: F64, goal: F64, x: F64, steps: int) -> None:
    """Correct `x` in the directions that are not small."""
    u = np.empty((6, 6))
    v = np.empty((6, 6))
    s = np.empty(6)
    c = np.empty(6)
    for _ in range(steps):
        measured(screws, goal, x, u, v, s, c)
        moved_along(x, v, c, large(s), 6, 0.4, x)


def bent(
    screws: F64,
    goal: F64,
    x: F64,
    u: F64,
    v: F64,
    s: F64,
    c: F64,
    single: bool,
    out: F64,
) -> float:
    """Write `x` after a step along small directions, corrected in the others.

    The rest of the twist to the goal along the small directions is modelled as a
    parabola over the length of Newton's step; `out` is at its root or vertex. With
    `single` the step is along the smallest direction, to the other root. Returns the
    length, 0 without a step.
    """
    first = 5 if single else large(s)
    rank = 6
    size = 1.0
    if not single:
        rank = 7
        size = math.inf
        while rank > first + 1 and not size < 1e6:
            rank -= 1
            size = 0.0
            for i in range(first, rank):
                size += c[i] * c[i]
            size = math.sqrt(size)
    if not 0.0 < size < 1e6:
        return 0.0
    now = 0.0
    rate = 0.0
    for i in range(first, rank):
        f = 1.0 if single else c[i]
        now += (s[i] * f) ** 2
        rate += s[i] * s[i] * f * f
    now = math.sqrt(now)
    if now < 1e-300:
        return 0.0
    rate /= now * size
    ahead = np.zeros(6)
    across = np.zeros(6)
    for k in range(6):
        for i in range(first, rank):
            f = 1.0 if single else c[i]
            ahead[k] += v[k, i] * f / size
            across[k] += u[k, i] * f / now
    if single:
        now = 0.0
    to = 1e-3 if single else min(size, 0.3)
    reached = np.empty((3, 4))
    twist = np.empty(6)
    for turn in range(2):
        for k in range(6):
            out[k] = x[k] + to * ahead[k]
        returned(screws, goal, out, 2)
        if turn == 1:
            break
        end(screws, out, reached)
        residual(reached, goal, twist)
        bend = now - rate * to
        for k in range(6):
            bend -= across[k] * twist[k]
        bend /= to * to
        rest = rate * rate + 4.0 * bend * now
        if not single and rest > 0.0:
            to = 2.0 * now / (rate + math.sqrt(rest))
        else:
            to = -(1.0 if single else 0.5) * rate / bend if bend != 0.0 else 0.0
        if not abs(to) < math.inf:
            return 0.0
        to = min(max(to, -0.4), 0.4)
    return to


def land(screws: F64, goal: F64, x: F64) -> float:
    """Bring `x` to a loop that closes, singular or not; return the deviation.

    Steps are Newton's along the fewest singular directions that bring it near; where
    these bring little, those of `bent`.
    """
    u = np.empty((6, 6))
    v = np.empty((6, 6))
    s = np.empty(6)
    c = np.empty(6)
    y = np.empty(6)
    best = np.empty(6)
    worst = measured(screws, goal, x, u, v, s, c)
    for step in range(STEPS):
        if worst < DONE or (step == 8 and worst > 1e-3):
            break
        least = worst
        full = large(s)
        for rank in range(max(full, 3), 8):
            if rank < 7:
                if not moved_along(x, v, c, rank, 6, 0.4, y):
                    continue
            elif full == 6 or bent(screws, goal, x, u, v, s, c, False, y) == 0.0:
                continue
            off = deviation(screws, goal, y)
            if off < least:
                least = off
                for k in range(6):
                    best[k] = y[k]
            if least < 0.05 * worst:
                break
        if least < worst:
            for k in range(6):
                x[k] = best[k]
        if not least < 0.9 * worst:
            worst = least
            break
        worst = measured(screws, goal, x, u, v, s, c)
    return worst


def twin(screws: F64, goal: F64, x: F64, out: F64) -> bool:
    """Write the other of two solutions that are about to merge, if `x` is one."""
    u = np.empty((6, 6))
    v = np.empty((6, 6))
    s = np.empty(6)
    c = np.empty(6)
    measured(screws, goal, x, u, v, s, c)
    if s[4] < SMALL or s[5] > 0.1 * SMALL or s[5] < 1e-12:
        return False
    to = bent(screws, goal, x, u, v, s, c, True, out)
    return abs(to) > 1e-7 and land(screws, goal, out) < 10.0 * DONE


def null_directions(screws: F64, x: F64, out: F64) -> int:
    """Write directions (k, 6) in which joints move without the tool to first order."""
    reached = np.empty((3, 4))
    a = np.empty((6, 6))
    v = np.empty((6, 6))
    s = np.empty(6)
    twists(screws, x, reached, a)
    decompose(a, v, s)
    n = 0
    for j in range(6):
        if s[j] < BLUNT:
            for i in range(6):
                out[n, i] = v[i, j]
            n += 1
    return n
