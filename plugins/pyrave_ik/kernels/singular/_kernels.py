"""Solutions of singular poses, from those of their neighbours.

At a singular pose closed forms and elimination lose solutions: equations vanish, roots
merge, solutions form a continuum. A pose a small displacement away is regular; its
solutions lead to those of the singular one by damped Newton steps. Two displacements
in opposite directions reach both sides of a fold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.loops._kernels import (
    displacement,
    gauss_step,
    keep,
    polish,
    residual,
    times,
    twists,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

ATTEMPTS = 32
ENOUGH = 4
"""Displacements that are always tried; more while they bring new solutions or none."""
EXACT = 1e-11
"""Greatest deviation of an entry of the displacement."""
BLURRED = 1e-9
"""The same where nothing comes nearer: where singularities coincide."""
BLUNT = 1e-6
"""Singular values of the Jacobian below this: the solution is singular."""
CLOSE = 1e4
"""Joint rates of a unit twist above which a solution is near a singularity."""
STEP = 0.05
"""How far along a null direction a continuum is looked for."""
MERGED = 1e-5
"""Singular solutions that are nearer than this are one."""


def extent(screws: Floats, goal: Floats) -> float:
    """Return the size of a loop, with which translations are compared."""
    most = 1e-3
    for k in range(6):
        for i in range(3):
            if screws[k, 6] == 0.0:
                most = max(most, abs(screws[k, 3 + i] - screws[0, 3 + i]))
    for i in range(3):
        most = max(most, abs(goal[i, 3]))
    return most


def nudged(pose: Floats, length: float, attempt: int, out: Floats) -> None:
    """Write a displacement of a pose (3 or 4, 4), another for each attempt.

    Odd attempts are opposite to those before them.
    """
    pair = attempt // 2
    size = (0.0015, 0.0002, 0.004, 0.013, 0.00003, 0.03)[pair % 6]
    if attempt % 2 == 1:
        size = -size
    # directions in no special position, spread by the golden angle
    a = 0.7 + 2.399963 * pair
    h = 0.3 - 0.37 * (pair % 4)
    r = math.sqrt(1.0 - h * h)
    axis = np.zeros(7)
    axis[0], axis[1], axis[2] = r * math.cos(a), h, r * math.sin(a)
    d = np.empty((3, 4))
    displacement(axis, size, d)
    times(d, pose, out)
    a += 1.9
    out[0, 3] += size * length * r * math.sin(a)
    out[1, 3] += size * length * r * math.cos(a)
    out[2, 3] -= size * length * h


def gathered(
    screws: Floats,
    goal: Floats,
    found: Floats,
    k: int,
    exact: float,
    out: Floats,
    n: int,
) -> int:
    """Lead k solutions of a neighbour to this goal and add what is new to n rows."""
    x = np.empty(6)
    work = np.empty((6, 7))
    for r in range(k):
        # by Newton's steps, else by steps that never go away from the goal first
        for way in range(2):
            for i in range(6):
                x[i] = found[r, i]
            if way == 1:
                descend(screws, goal, x, 80, work)
            if n < out.shape[0] - 1 and polish(screws, goal, x, 60, 1e-15) <= exact:
                n = keep(screws, x, out, n)
                break
    return n


def goes_on(attempt: int, before: int, n: int) -> bool:
    """Return whether another displacement is worth a try, after n solutions."""
    if n == 0:
        return True
    return attempt < ENOUGH or attempt % 2 == 0 or n > before


def gram_axes(a: Floats, v: Floats) -> None:
    """Make symmetric (6, 6) `a` diagonal by Jacobi's turns; columns of `v` are axes."""
    for i in range(6):
        for j in range(6):
            v[i, j] = 1.0 if i == j else 0.0
    for _ in range(12):
        off = 0.0
        for p in range(5):
            for q in range(p + 1, 6):
                off = max(off, abs(a[p, q]))
                if abs(a[p, q]) < 1e-300:
                    continue
                theta = 0.5 * (a[q, q] - a[p, p]) / a[p, q]
                t = 1.0 / (abs(theta) + math.sqrt(theta * theta + 1.0))
                if theta < 0.0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(6):
                    g, h = a[k, p], a[k, q]
                    a[k, p] = c * g - s * h
                    a[k, q] = s * g + c * h
                for k in range(6):
                    g, h = a[p, k], a[q, k]
                    a[p, k] = c * g - s * h
                    a[q, k] = s * g + c * h
                    g, h = v[k, p], v[k, q]
                    v[k, p] = c * g - s * h
                    v[k, q] = s * g + c * h
        if off < 1e-18:
            break


def is_near(screws: Floats, x: Floats) -> bool:
    """Return whether solutions may be lost so near to a singularity."""
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    step = np.empty(6)
    twists(screws, x, reached, jacobian)
    # in a regular matrix rows are not combinations of others by far
    for i in range(6):
        step[i] = 1.0 / (1.0 + i)
    if not gauss_step(jacobian, step, step):
        return True
    most = 0.0
    for i in range(6):
        most = max(most, abs(step[i]))
    return most > CLOSE


def null_directions(screws: Floats, x: Floats, out: Floats) -> int:
    """Write directions (k, 6) in which joints move without the tool to first order."""
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    twists(screws, x, reached, jacobian)
    a = np.empty((6, 6))
    v = np.empty((6, 6))
    for i in range(6):
        for j in range(6):
            total = 0.0
            for k in range(6):
                total += jacobian[k, i] * jacobian[k, j]
            a[i, j] = total
    gram_axes(a, v)
    n = 0
    for j in range(6):
        # squares: rounding leaves 1e-16 where there is nothing
        if a[j, j] < BLUNT * BLUNT + 1e-15:
            for i in range(6):
                out[n, i] = v[i, j]
            n += 1
    return n


def descend(screws: Floats, goal: Floats, x: Floats, steps: int, work: Floats) -> None:
    """Bring `x` nearer to a loop that closes, damped as much as it takes (Levenberg).

    Where two singularities are near Newton's steps pass the solution and never return.
    """
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    twist = np.empty(6)
    best = np.empty(6)
    least = math.inf
    damping = 1e-6
    for _ in range(steps):
        twists(screws, x, reached, jacobian)
        worst = residual(reached, goal, twist)
        if worst < least:
            least = worst
            damping = max(0.1 * damping, 1e-16)
            for k in range(6):
                best[k] = x[k]
        else:
            damping *= 8.0
            for k in range(6):
                x[k] = best[k]
            twists(screws, x, reached, jacobian)
            residual(reached, goal, twist)
        if least < 1e-13 or damping > 1e3:
            break
        least_change(jacobian, twist, damping, work, x)
    for k in range(6):
        x[k] = best[k]


def least_change(
    jacobian: Floats, twist: Floats, damping: float, work: Floats, x: Floats
) -> None:
    """Add ``J' (J J' + damping)^-1 e`` to `x`."""
    for i in range(6):
        for j in range(6):
            total = damping if i == j else 0.0
            for k in range(6):
                total += jacobian[i, k] * jacobian[j, k]
            work[i, j] = total
        work[i, 6] = twist[i]
    solve_spd(work)
    for k in range(6):
        total = 0.0
        for i in range(6):
            total += jacobian[i, k] * work[i, 6]
        x[k] += total


def settle(screws: Floats, goal: Floats, x: Floats, steps: int, work: Floats) -> float:
    """Bring `x` to a loop that closes, by the least changes; return the deviation."""
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    twist = np.empty(6)
    worst = math.inf
    for step in range(steps + 1):
        twists(screws, x, reached, jacobian)
        worst = residual(reached, goal, twist)
        if worst < 1e-14 or step == steps:
            break
        # damped well above what rounding makes of zero
        least_change(jacobian, twist, 1e-9, work, x)
    return worst


def solve_spd(a: Floats) -> None:
    """Solve (6, 7) ``A y = b`` with positive A in place; y is the last column."""
    for c in range(6):
        inv = 1.0 / a[c, c]
        for r in range(c + 1, 6):
            f = a[r, c] * inv
            for j in range(c + 1, 7):
                a[r, j] -= f * a[c, j]
    for i in range(5, -1, -1):
        total = a[i, 6]
        for k in range(i + 1, 6):
            total -= a[i, k] * a[k, 6]
        a[i, 6] = total / a[i, i]


def difference(screws: Floats, x: Floats, y: Floats, k: int) -> float:
    """Return how far joint k is from `y` to `x`, the short way round."""
    d = x[k] - y[k]
    if screws[k, 6] == 0.0:
        d -= 2.0 * math.pi * math.floor((d + math.pi) / (2.0 * math.pi))
    return float(d)


def freedom(screws: Floats, goal: Floats, x: Floats, null: Floats, n: int) -> int:
    """Return bits of the joints that move on the continuum through `x`, 0 if none.

    A null direction is one of a continuum if a finite step along it can be brought back
    to the goal without going back to `x`.
    """
    y = np.empty(6)
    work = np.empty((6, 7))
    exact = EXACT * max(1.0, extent(screws, goal))
    mask = 0
    for j in range(n + 1 if n > 1 else n):
        for way in range(2):
            size = 0.0
            for i in range(6):
                y[i] = null[j, i] if j < n else 0.0
                if j == n:
                    for k in range(n):
                        y[i] += (1.0 + 0.3 * k) * null[k, i]
                size = max(size, abs(y[i]))
            for i in range(6):
                y[i] = x[i] + (STEP if way == 0 else -STEP) * y[i] / size
            if settle(screws, goal, y, 12, work) > exact:
                continue
            far = 0.0
            for i in range(6):
                far = max(far, abs(y[i] - x[i]))
            if far < 0.3 * STEP or far > 3.0 * STEP:
                continue
            for i in range(6):
                if abs(y[i] - x[i]) > 1e-3 * STEP:
                    mask |= 1 << i
            break
    return mask


def connected(screws: Floats, goal: Floats, a: Floats, b: Floats, mask: int) -> bool:
    """Return whether a walk on a continuum leads from one solution to another."""
    y = np.empty(6)
    work = np.empty((6, 7))
    for i in range(6):
        y[i] = a[i]
        if not mask >> i & 1 and abs(difference(screws, b, a, i)) > 1e-4:
            return False
    before = math.inf
    for _ in range(80):
        far = 0.0
        for i in range(6):
            far = max(far, abs(difference(screws, b, y, i)))
        if far < 1e-4:
            return True
        if far > before - 1e-3 * min(far, 1.0):
            return False
        before = far
        f = min(1.0, 0.25 / far)
        for i in range(6):
            y[i] += f * difference(screws, b, y, i)
        if settle(screws, goal, y, 12, work) > 1e-7:
            return False
    return False


def sorted_out(screws: Floats, goal: Floats, out: Floats, n: int) -> int:
    """Mark continua and leave one row of each; merge what is one; return how many."""
    null = np.empty((6, 6))
    for r in range(n):
        k = null_directions(screws, out[r], null)
        out[r, 6] = -1.0 if k > 0 else 0.0
        if k > 0:
            mask = freedom(screws, goal, out[r], null, k)
            if mask > 0:
                out[r, 6] = mask
    kept = 0
    for r in range(n):
        new = True
        for other in range(kept):
            if out[r, 6] == 0.0 or out[other, 6] == 0.0:
                continue
            far = 0.0
            for i in range(6):
                far = max(far, abs(difference(screws, out[r], out[other], i)))
            mask = int(max(out[r, 6], out[other, 6]))
            if far < MERGED or (
                out[r, 6] > 0.0
                and out[other, 6] > 0.0
                and connected(screws, goal, out[r], out[other], mask)
            ):
                new = False
                break
        if new:
            for i in range(7):
                out[kept, i] = out[r, i]
            kept += 1
    for r in range(kept):
        out[r, 6] = max(out[r, 6], 0.0)
    return kept
