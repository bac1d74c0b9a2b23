"""Solutions of singular poses, from those of their neighbours.

At a singular pose closed forms and elimination lose solutions: equations vanish, roots
merge, solutions form a continuum. A pose a small displacement away is regular; its
solutions lead to those of the singular one. Two displacements in opposite directions
reach both sides of a fold.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.linear import factored, substituted
from pyrave_ik.kernels.singular.continua import (
    NULLITY,
    ON_IT,
    add_curve,
    add_flat,
    lies_on,
    size_of,
    unit,
)
from pyrave_ik.kernels.singular.singular_newton import (
    DONE,
    deviation,
    land,
    null_directions,
    returned,
    twin,
)
from pyrave_ik.kernels.six_joint_loop import (
    displacement,
    polish,
    times,
    twists,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

ATTEMPTS = 128
FIRST = 2
ENOUGH = 4
MANY = 16
"""Displacements that are tried: at most, with care, at least, and so near an edge."""
STARTS = 24
"""Values of joints from which a loop is closed that reaches none of its neighbours."""
ABOUT = 0.2
"""Difference of joints below which neighbours' solutions lead to the same one."""
EXACT = 1e-11
"""Greatest deviation of an entry of the displacement."""
BLURRED = 1e-9
"""The same where nothing comes nearer: where singularities coincide."""
ROUGH = 1e-6
"""Accuracy of quantities that depend on singular solutions."""
CLOSE = 1e4
"""Joint rates of a unit twist above which a solution is near a singularity."""
ALIKE = 1e-13
"""Deviation halfway between two singular solutions below which they are one."""
STEP = 0.05
"""Step along a null direction in the search for a continuum."""
NEARBY = 1e-2
"""Singular solutions that are nearer than this may be one."""

SAME = 1e-6
"""Rows that differ by less, radians or metres, are duplicates."""
UNKNOWN = 0.0
ISOLATED = -1.0
REGULAR = -2.0
"""Column 6 of rows until `sorted_out`."""


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


def spread(screws: F64, goal: F64, length: float, out: F64) -> int:
    """Write values (k, 6) that are brought near the goal from all over; return k."""
    for r in range(STARTS):
        part = 1.0
        for i in range(6):
            # the generalised golden ratio: g ** 7 = g + 1
            part /= 1.112775684278706
            value = (r + 0.5) * part
            value = 2.0 * (value - math.floor(value)) - 1.0
            out[r, i] = value * (math.pi if screws[i, 6] == 0.0 else length)
        returned(screws, goal, out[r, :6], 20)
    return STARTS


def goes_on(attempt: int, before: int, n: int, least: int = 0, most: int = 0) -> bool:
    """Return True if another displacement is worth a try, after n solutions.

    Where displacements have different numbers of solutions, `least` and `most`, these
    end at an edge, and few displacements reach what lies on it.
    """
    if n == 0:
        # far from where the arm reaches no displacement has a solution
        return most > 0 or attempt < 4 * MANY
    enough = MANY if least != most else ENOUGH
    return attempt < enough or attempt % 2 == 0 or n > before


def is_near(screws: F64, x: F64) -> bool:
    """Return True if solutions may be lost so near to a singularity."""
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    exchanged = np.empty(6, np.int64)
    twists(screws, x, reached, jacobian)
    return not factored(jacobian, exchanged) or is_steep(jacobian, exchanged)


def judged(screws: F64, n: int, out: F64) -> int:
    """Clear column 6 of rows (k, 7); return k, or -1 - k if not sure of these.

    Parameters
    ----------
    n
        k, or -1 - k if not sure already. Nor are rows that are nearly singular.
    """
    sure = n >= 0
    n = n if sure else -1 - n
    for r in range(n):
        out[r, 6] = 0.0
        sure = sure and not is_near(screws, out[r])
    return n if sure else -1 - n


def is_steep(factors: F64, exchanged: I64) -> bool:
    """Return True if joints move fast for some twist, by the Jacobian's factors."""
    rates = np.empty(6)
    # in a regular matrix rows are not combinations of others by far
    for i in range(6):
        rates[i] = 1.0 / (1.0 + i)
    substituted(factors, exchanged, rates)
    most = 0.0
    for i in range(6):
        most = max(most, abs(rates[i]))
    return most > CLOSE


def difference(screws: F64, x: F64, y: F64, k: int) -> float:
    """Return the displacement of joint k from `y` to `x`, wrapped."""
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


def in_line(screws: F64, goal: F64, x: F64, null: F64, n: int, out: F64) -> int:
    """Write directions (k, 6) in which two joints of the same axis turn; return k.

    None is a combination of others.
    """
    y = np.empty(6)
    exact = EXACT * max(1.0, extent(screws, goal))
    joined = np.arange(6)
    count = 0
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
            if most < 1.0 - ROUGH or abs(b) < 1e-3 or joined[i] == joined[j]:
                continue
            sign = 1.0 if b > 0.0 else -1.0
            for k in range(6):
                y[k] = x[k]
            y[i] += STEP
            y[j] += STEP * sign
            if deviation(screws, goal, y) < exact or (
                n > 1 and lands_beside(screws, goal, y, exact)
            ):
                for k in range(6):
                    out[count, k] = 0.0
                out[count, i] = 1.0
                out[count, j] = sign
                count += 1
                before = joined[j]
                for k in range(6):
                    if joined[k] == before:
                        joined[k] = joined[i]
    return count


def lands_beside(screws: F64, goal: F64, y: F64, exact: float) -> bool:
    """Return True if a solution is so near that it counts as `y`.

    Where other joints are singular, too, a solution is known less exactly than it meets
    the goal, and two axes are in line but for that.
    """
    if deviation(screws, goal, y) > ROUGH:
        return False
    z = y.copy()
    return land(screws, goal, z) < exact and distance(screws, z, y) < 0.01 * STEP


def explored(screws: F64, goal: F64, x: F64, null: F64, n: int, store: F64) -> bool:
    """Add the continua through `x` to the store; return whether there are any.

    A null direction is one of a continuum if a finite step along it can be brought back
    to the goal without going back to `x`. Of several null directions mixtures are
    taken, those first that lead least away.
    """
    exact = EXACT * max(1.0, extent(screws, goal))
    lines = np.empty((5, 6))
    k = in_line(screws, goal, x, null, n, lines)
    if k > 0:
        add_flat(screws, x, lines, k, n, store)
    if k >= n:
        return True
    count = 2 if n == 1 else 12 * (n - 1)
    ahead = np.empty((count, 6))
    off = np.empty(count)
    y = np.empty(6)
    for j in range(count):
        size = 0.0
        for i in range(6):
            ahead[j, i] = 0.0
            for m in range(n):
                f = 1.0 if j % 2 == 0 else -1.0
                if n == 2:
                    f = math.cos(0.2 + math.pi * (2.0 * j / count - 0.5 * m))
                elif n > 2:
                    f = math.cos(1.3 + 2.4 * j * (m + 1) + m)
                ahead[j, i] += f * null[m, i]
            size = max(size, abs(ahead[j, i]))
        for i in range(6):
            ahead[j, i] *= STEP / size
            y[i] = x[i] + ahead[j, i]
        off[j] = 0.0
        if n > 1:
            returned(screws, goal, y, 2)
            off[j] = deviation(screws, goal, y)
    found = k > 0
    for _ in range(2 if n == 1 else 6):
        j = 0
        for i in range(count):
            if off[i] < off[j]:
                j = i
        off[j] = math.inf
        for i in range(6):
            y[i] = x[i] + ahead[j, i]
        if land(screws, goal, y) > exact:
            continue
        far = distance(screws, y, x)
        if far < 0.3 * STEP or far > 3.0 * STEP:
            continue
        found = True
        if lies_on(screws, goal, store, y, ON_IT) >= 0:
            continue
        for i in range(6):
            ahead[j, i] = y[i] - x[i]
        unit(ahead[j])
        if add_curve(screws, goal, exact, y, ahead[j], store):
            store[size_of(store) - 1, 0, NULLITY] = n
        if n == 1:
            break
    return found


def alike(screws: F64, goal: F64, x: F64, y: F64) -> bool:
    """Return True if two solutions are one, as far as numbers tell."""
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
    """Return True if one of n rows is near to `x`."""
    r = 0
    while r < n and distance(screws, x, out[r]) >= near:
        r += 1
    return r < n


def added(screws: F64, goal: F64, x: F64, store: F64, out: F64, n: int) -> int:
    """Add a solution to n rows, or its continua to the store, unless it is known."""
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
        c = lies_on(screws, goal, store, x, ON_IT)
        if c >= 0 and store[c, 0, NULLITY] >= k:
            return n
        found = explored(screws, goal, x, null, k, store)
        if c >= 0:
            store[c, 0, NULLITY] = k
        if found or c >= 0:
            return n
        mark = ISOLATED
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
    store: F64,
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
            land(screws, goal, x)
        elif polish(screws, goal, x, 8, DONE) > 10.0 * DONE or is_near(screws, x):
            for i in range(6):
                x[i] = begun[i]
            if not first and (
                familiar(screws, x, out, n, ABOUT)
                or lies_on(screws, goal, store, x, ABOUT) >= 0
            ):
                continue
            if land(screws, goal, x) > exact:
                continue
        for _ in range(2):
            before = n
            n = added(screws, goal, x, store, out, n)
            if r < known or n == before or n >= out.shape[0] - 1:
                break
            if not twin(screws, goal, x, other):
                break
            for i in range(6):
                x[i] = other[i]
    return n


def sorted_out(screws: F64, out: F64, n: int) -> int:
    """Leave each of n rows once; column 6 is 0."""
    kept: Any = np.int64(0)
    for r in range(n):
        if not familiar(screws, out[r], out, kept, SAME):
            for i in range(6):
                out[kept, i] = out[r, i]
            out[kept, 6] = 0.0
            kept += 1
    return int(kept)
