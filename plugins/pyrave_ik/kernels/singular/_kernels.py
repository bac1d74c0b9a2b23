"""Solutions of singular poses, from those of their neighbours.

At a singular pose closed forms and elimination lose solutions: equations vanish, roots
merge, solutions form a continuum. A pose a small displacement away is regular; its
solutions lead to those of the singular one. Two displacements in opposite directions
reach both sides of a fold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.landing._kernels import (
    DONE,
    deviation,
    land,
    null_directions,
    returned,
    twin,
)
from pyrave_ik.kernels.loops._kernels import (
    displacement,
    gauss_step,
    polish,
    times,
    twists,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

ATTEMPTS = 128
FIRST = 2
ENOUGH = 4
MANY = 16
"""Displacements that are tried: at most, with care, at least, and so near an edge."""
ABOUT = 0.2
"""Difference of joints below which neighbours' solutions lead to the same one."""
EXACT = 1e-11
"""Greatest deviation of an entry of the displacement."""
BLURRED = 1e-9
"""The same where nothing comes nearer: where singularities coincide."""
ROUGH = 1e-6
"""How well what depends on singular solutions is known."""
CLOSE = 1e4
"""Joint rates of a unit twist above which a solution is near a singularity."""
ALIKE = 1e-13
"""Deviation halfway between two singular solutions below which they are one."""
STEP = 0.05
"""How far along a null direction a continuum is looked for."""
STRIDE = 0.25
"""Steps along a continuum."""
NEARBY = 1e-2
"""Singular solutions that are nearer than this may be one."""

SAME = 1e-6
"""Rows that differ by less, radians or metres, are told once."""
UNKNOWN = 0.0
ISOLATED = -1.0
REGULAR = -2.0
"""Column 6 of rows until `sorted_out`, where there are no bits of free joints."""


def extent(screws: F64, goal: F64) -> float:
    """Return the size of a loop, with which translations are compared."""
    most = 1e-3
    for k in range(6):
        for i in range(3):
            if screws[k, 6] == 0.0:
                most = max(most, abs(screws[k, 3 + i] - screws[0, 3 + i]))
    for i in range(3):
        most = max(most, abs(goal[i, 3]))
    return most


def nudged(pose: F64, length: float, attempt: int, out: F64) -> None:
    """Write a displacement of a pose (3 or 4, 4), another for each attempt.

    Odd attempts are opposite to those before them.
    """
    pair = attempt // 2
    size = (0.0015, 0.0002, 0.004, 0.013, 0.00003, 0.03)[pair % 6]
    if attempt % 2 == 1:
        size = -size
    # directions that fill two spheres evenly, in no special position
    axis = np.zeros(7)
    shift = np.zeros(7)
    _direction(0.155 + 0.7548776662 * pair, 0.111 + 0.5698402910 * pair, axis)
    _direction(0.477 + 0.8191725134 * pair, 0.327 + 0.6710436067 * pair, shift)
    d = np.empty((3, 4))
    displacement(axis, size, d)
    times(d, pose, out)
    for i in range(3):
        out[i, 3] += size * length * shift[i]


def _direction(a: float, b: float, out: F64) -> None:
    """Write the unit vector of two numbers, taken modulo 1, evenly on the sphere."""
    h = 2.0 * (b - math.floor(b)) - 1.0
    r = math.sqrt(1.0 - h * h)
    out[0] = r * math.cos(2.0 * math.pi * a)
    out[1] = h
    out[2] = r * math.sin(2.0 * math.pi * a)


def goes_on(attempt: int, before: int, n: int, least: int = 0, most: int = 0) -> bool:
    """Return whether another displacement is worth a try, after n solutions.

    Where displacements have different numbers of solutions, `least` and `most`, these
    end at an edge, and few displacements reach what lies on it.
    """
    if n == 0:
        # far from where the arm reaches no displacement has a solution
        return most > 0 or attempt < 4 * MANY
    enough = MANY if least != most else ENOUGH
    return attempt < enough or attempt % 2 == 0 or n > before


def is_near(screws: F64, x: F64) -> bool:
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


def difference(screws: F64, x: F64, y: F64, k: int) -> float:
    """Return how far joint k is from `y` to `x`, the short way round."""
    d = x[k] - y[k]
    if screws[k, 6] == 0.0:
        d -= 2.0 * math.pi * math.floor((d + math.pi) / (2.0 * math.pi))
    return float(d)


def distance(screws: F64, x: F64, y: F64) -> float:
    """Return the greatest difference of a joint."""
    far = 0.0
    for i in range(6):
        far = max(far, abs(difference(screws, x, y, i)))
    return far


def in_line(screws: F64, goal: F64, x: F64, null: F64, n: int) -> int:
    """Return bits of joints of which two have the same axis, as all such may turn."""
    y = np.empty(6)
    exact = EXACT * max(1.0, extent(screws, goal))
    mask = 0
    for i in range(5):
        for j in range(i + 1, 6):
            # a null direction of these two alone: a block of the projector has the
            # eigenvalue 1
            a, b, c = 0.0, 0.0, 0.0
            for k in range(n):
                a += null[k, i] * null[k, i]
                b += null[k, i] * null[k, j]
                c += null[k, j] * null[k, j]
            most = 0.5 * (a + c) + math.sqrt(0.25 * (a - c) * (a - c) + b * b)
            if most < 1.0 - ROUGH or abs(b) < 1e-3:
                continue
            size = max(abs(b), abs(most - a))
            for k in range(6):
                y[k] = x[k]
            y[i] += STEP * b / size
            y[j] += STEP * (most - a) / size
            if deviation(screws, goal, y) < exact or (
                n > 1 and lands_beside(screws, goal, y, exact)
            ):
                mask |= 1 << i | 1 << j
    return mask


def lands_beside(screws: F64, goal: F64, y: F64, exact: float) -> bool:
    """Return whether a solution is so near that it counts as `y`.

    Where other joints are singular, too, a solution is known less exactly than it meets
    the goal, and two axes are in line but for that.
    """
    if deviation(screws, goal, y) > ROUGH:
        return False
    z = y.copy()
    return land(screws, goal, z, 20) < exact and distance(screws, z, y) < 0.01 * STEP


def freedom(screws: F64, goal: F64, x: F64, null: F64, n: int) -> int:
    """Return bits of the joints that move on the continuum through `x`, 0 if none.

    A null direction is one of a continuum if a finite step along it can be brought back
    to the goal without going back to `x`. Of several null directions the mixtures are
    taken that lead least away, besides those of axes in line.
    """
    mask = in_line(screws, goal, x, null, n)
    if mask > 0 and n == 1:
        return mask
    count = 2 if n == 1 else 12 * (n - 1)
    ahead = np.empty((count, 6))
    off = np.empty(count)
    y = np.empty(6)
    exact = EXACT * max(1.0, extent(screws, goal))
    for j in range(count):
        size = 0.0
        for i in range(6):
            ahead[j, i] = 0.0
            for k in range(n):
                f = 1.0 if j % 2 == 0 else -1.0
                if n == 2:
                    f = math.cos(0.2 + math.pi * (2.0 * j / count - 0.5 * k))
                elif n > 2:
                    f = math.cos(1.3 + 2.4 * j * (k + 1) + k)
                ahead[j, i] += f * null[k, i]
            size = max(size, abs(ahead[j, i]))
        for i in range(6):
            ahead[j, i] *= STEP / size
            y[i] = x[i] + ahead[j, i]
        off[j] = 0.0
        if n > 1:
            returned(screws, goal, y, 2)
            off[j] = deviation(screws, goal, y)
    for _ in range(2 if n == 1 else 4):
        j = 0
        for i in range(count):
            if off[i] < off[j]:
                j = i
        off[j] = math.inf
        for i in range(6):
            y[i] = x[i] + ahead[j, i]
        if land(screws, goal, y, 20) > exact:
            continue
        far = distance(screws, y, x)
        if far < 0.3 * STEP or far > 3.0 * STEP:
            continue
        for i in range(6):
            if abs(y[i] - x[i]) > 1e-3 * STEP:
                mask |= 1 << i
        if n == 1:
            break
    return mask


def connected(screws: F64, goal: F64, a: F64, b: F64) -> bool:
    """Return whether a walk on a continuum leads from one solution to another.

    Straight towards it while that brings nearer, or else all along a curve.
    """
    null = np.empty((6, 6))
    move = np.empty(6)
    ahead = np.empty(6)
    base = a.copy()
    y = a.copy()
    straight = True
    walked = 0
    before = math.inf
    for _ in range(200):
        far = distance(screws, b, y)
        if far < 1e-4:
            return True
        if straight and far > before - 1e-2 * min(far, STRIDE):
            straight = False
            for i in range(6):
                y[i] = base[i]
        before = far
        n = null_directions(screws, y, null)
        if n == 0 or (n > 1 and not straight):
            return False
        for i in range(6):
            move[i] = 0.0
        size = 1e-300
        for j in range(n):
            along = 1.0 if walked == 0 and not straight else 0.0
            for i in range(6):
                if straight:
                    along += null[j, i] * difference(screws, b, y, i)
                elif walked > 0:
                    along += null[j, i] * ahead[i]
            for i in range(6):
                move[i] += along * null[j, i]
        for i in range(6):
            size = max(size, abs(move[i]))
        f = min(1.0, STRIDE / far) if straight else STRIDE / size
        for i in range(6):
            ahead[i] = f * move[i] if not straight else ahead[i]
            y[i] += f * move[i]
        lost = land(screws, goal, y, 6) > 1e-9
        if straight:
            if lost:
                before = -math.inf
            continue
        walked += 1
        if lost or (walked > 3 and distance(screws, a, y) < 0.6 * STRIDE):
            # all the way round
            return False
        if distance(screws, b, y) < STRIDE:
            straight = True
            before = math.inf
            for i in range(6):
                base[i] = y[i]
    return False


def alike(screws: F64, goal: F64, x: F64, y: F64) -> bool:
    """Return whether two solutions are one, as far as numbers tell."""
    far = distance(screws, x, y)
    if far < 1e-6:
        return True
    if far > NEARBY:
        return False
    middle = np.empty(6)
    for i in range(6):
        middle[i] = y[i] + 0.5 * difference(screws, x, y, i)
    returned(screws, goal, middle, 2)
    if distance(screws, middle, y) > far:
        return False
    off = max(deviation(screws, goal, x), deviation(screws, goal, y))
    return deviation(screws, goal, middle) < max(ALIKE, 2.0 * off)


def familiar(screws: F64, x: F64, out: F64, n: int, near: float) -> bool:
    """Return whether what is not free of one of n rows is near to `x`."""
    for r in range(n):
        mask = int(max(out[r, 6], 0.0))
        far = 0.0
        for i in range(6):
            if not mask >> i & 1:
                far = max(far, abs(difference(screws, x, out[r], i)))
        if far < near:
            return True
    return False


def are_two(mask: float) -> bool:
    """Return whether two joints are free: what has the same others is one with it."""
    bits = int(mask)
    count = 0
    for i in range(6):
        count += bits >> i & 1
    return count == 2


def added(screws: F64, goal: F64, x: F64, walks: bool, out: F64, n: int) -> int:
    """Add a solution to n rows unless it is one of them or on a continuum of one.

    A continuum is walked, or is taken to be all that has the same other joints.
    """
    for k in range(6):
        if screws[k, 6] == 0.0:
            x[k] -= 2.0 * math.pi * math.floor((x[k] + math.pi) / (2.0 * math.pi))
    for r in range(n):
        if alike(screws, goal, out[r], x):
            if deviation(screws, goal, x) < 0.1 * deviation(screws, goal, out[r]):
                for i in range(6):
                    out[r, i] = x[i]
            return n
    null = np.empty((6, 6))
    k = null_directions(screws, x, null)
    mark = REGULAR
    if k > 0:
        for r in range(n):
            if out[r, 6] <= 0.0 or not familiar(screws, x, out[r : r + 1], 1, 1e-4):
                continue
            if not walks or are_two(out[r, 6]) or connected(screws, goal, out[r], x):
                return n
        mask = freedom(screws, goal, x, null, k)
        mark = float(mask) if mask > 0 else ISOLATED
    for i in range(6):
        out[n, i] = x[i]
    out[n, 6] = mark
    return n + 1


def gathered(
    screws: F64,
    goal: F64,
    found: F64,
    k: int,
    exact: float,
    attempt: int,
    out: F64,
    n: int,
) -> int:
    """Lead k solutions of a neighbour to this goal and add what is new to n rows.

    Rows of which nothing is known are looked at first. After the first attempts, what
    begins near a known row and is not led to a regular one is not followed.
    """
    x = np.empty(6)
    other = np.empty(6)
    first = attempt < FIRST
    known = n if n > 0 and out[0, 6] == UNKNOWN else 0
    if known > 0:
        n = 0
    for r in range(known + k):
        if n >= out.shape[0] - 1:
            break
        begun = out[r] if r < known else found[r - known]
        for i in range(6):
            x[i] = begun[i]
        if r < known:
            land(screws, goal, x, 12)
        elif polish(screws, goal, x, 8, DONE) > 10.0 * DONE or is_near(screws, x):
            for i in range(6):
                x[i] = begun[i]
            if not first and familiar(screws, x, out, n, ABOUT):
                continue
            if land(screws, goal, x, 40) > exact:
                continue
        for _ in range(2):
            before = n
            n = added(screws, goal, x, first, out, n)
            if r < known or n == before or n >= out.shape[0] - 1:
                break
            if not twin(screws, goal, x, other):
                break
            for i in range(6):
                x[i] = other[i]
    return n


def sorted_out(screws: F64, goal: F64, out: F64, n: int) -> int:
    """Look at rows that are unknown, and end: column 6 has bits of free joints or 0."""
    n = gathered(screws, goal, out, 0, 0.0, 0, out, n)
    kept = 0
    for r in range(n):
        new = True
        for k in range(kept):
            if distance(screws, out[k], out[r]) < SAME:
                new = False
                break
        if new:
            for i in range(6):
                out[kept, i] = out[r, i]
            out[kept, 6] = max(out[r, 6], 0.0)
            kept += 1
    return kept
