"""Solutions of loops four of whose axes have become parallel.

A loop with three parallel axes is singular where a fourth is parallel to them, too: the
four move as a planar linkage, or are stretched so that they cannot. Closed forms fail
there, and few neighbours of such a goal have solutions near to a stretched one.

So is one with four neighbouring axes that are always parallel, as values of held joints
may make them. They move as a linkage at all goals that the loop reaches, which are
few: no neighbour of such a goal has a solution.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.closed_forms.pieper import (
    moved,
    normals,
    rotated,
    swung,
    swung_square,
    turn_between,
    unrotated,
)
from pyrave_ik.kernels.closed_forms.subproblems import ROUNDING, line_and_circle
from pyrave_ik.kernels.linear import dot
from pyrave_ik.kernels.six_joint_loop import (
    arranged,
    displacement,
    inverted,
    span,
    times,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

PARALLEL = 1e-9
ALMOST = 3e-2
"""Sine of an angle and part of the loop's size within which the four are parallel."""
THIRD = 2.0 * math.pi / 3.0
ROOT = 1.0 / math.sqrt(3.0)


def linkages(screws: F64, goal: F64, out: F64) -> int:
    """Write rows (k, 6) that nearly close the loop (at most 32); return k.

    Of each linkage the middle and the ends of what it can move, and where it is nearly
    one, the place at which the fourth axis leans as the goal wants it.
    """
    mine = np.empty((6, 7))
    target = np.empty((3, 4))
    x = np.empty(6)
    n: Any = np.int64(0)
    for k in range(6):
        if screws[k, 6] != 0.0:
            return 0
    for first in range(6):
        if not three_parallel(screws, goal, first):
            continue
        arranged(screws, goal, first, False, mine, target)
        neighbour = 1.0 - abs(dot(mine[1, 0:3], mine[4, 0:3])) < PARALLEL
        for side in range(2):
            before = n
            if neighbour:
                if always_fourth(mine, target, 1.0 - 2.0 * side, x):
                    n = linkage(mine, target, x, 4, out, n)
            elif fourth(mine, target, 1.0 - 2.0 * side, x):
                n = linkage(mine, target, x, 5, out, n)
            for r in range(before, n):
                for i in range(6):
                    x[(first + i) % 6] = out[r, i]
                for i in range(6):
                    out[r, i] = x[i]
    return int(n)


def three_parallel(screws: F64, goal: F64, first: int) -> bool:
    """Return True if joints 1, 2, 3 of the loop begun at `first` are parallel."""
    a = np.empty(3)
    b = np.empty(3)
    for k in range(3):
        j = first + 1 + k
        w = screws[j % 6]
        if j >= 6:
            unrotated(goal, w[0:3], b)
        else:
            for i in range(3):
                b[i] = w[i]
        if k == 0:
            for i in range(3):
                a[i] = b[i]
        elif 1.0 - abs(dot(a, b)) > PARALLEL:
            return False
    return True


def fourth(screws: F64, goal: F64, sign: float, x: F64) -> bool:
    """Write joints 0 and 4 that make axis 5 parallel to the three; False if none do."""
    h = np.empty(3)
    gw = np.empty(3)
    a = np.empty(3)
    b = np.empty(3)
    d = np.empty((3, 4))
    e = np.empty((3, 4))
    size = 1e-3
    for i in range(3):
        h[i] = sign * screws[1, i]
        for k in range(6):
            size = max(size, abs(screws[k, 3 + i] - screws[0, 3 + i]))
    rotated(goal, screws[5, 0:3], gw)
    x[4] = turn_between(screws[4, 0:3], screws[5, 0:3], h)
    x[0] = turn_between(screws[0, 0:3], h, gw)
    displacement(screws[4], x[4], d)
    rotated(d, screws[5, 0:3], a)
    displacement(screws[0], -x[0], e)
    rotated(e, gw, b)
    for i in range(3):
        if max(abs(a[i] - h[i]), abs(b[i] - h[i])) > ALMOST:
            return False
    # the same height: h . E4 p5 = h . E0' G p5
    moved(d, screws[5, 3:6], a)
    moved(goal, screws[5, 3:6], gw)
    moved(e, gw, b)
    return abs(dot(h, a) - dot(h, b)) < ALMOST * size


def always_fourth(screws: F64, goal: F64, sign: float, x: F64) -> bool:
    """Write joints 0 and 5 that turn the three axes into each other; False if none do.

    Axis 4 is parallel to them: ``R0 h = G R5' h``, and heights along h agree or not.
    """
    h = screws[1, 0:3]
    gw = np.empty(3)
    a = np.empty(3)
    b = np.empty(3)
    d = np.empty((3, 4))
    line = np.empty((1, 3))
    turned = np.zeros(7)
    points = np.empty((2, 2))
    rotated(goal, screws[5, 0:3], gw)
    size = 1e-3
    for i in range(3):
        turned[i] = screws[0, i]
        for k in range(6):
            size = max(size, abs(screws[k, 3 + i] - screws[0, 3 + i]))
    swung(turned, 1.0, h, gw, line, 0)
    along = dot(screws[5, 0:3], h)
    n = line_and_circle(line[0, 0] - along, line[0, 1], line[0, 2], ROUNDING, points)
    n = n if n >= 0 else -1 - n
    k = 0 if sign > 0.0 else 1
    if k >= n:
        return False
    x[0] = math.atan2(points[k, 1], points[k, 0])
    x[4] = 0.0
    # R5 (G' R0 h) = h
    displacement(screws[0], x[0], d)
    rotated(d, h, a)
    unrotated(goal, a, b)
    x[5] = turn_between(screws[5, 0:3], b, h)
    # the same height: h . E4 p5 = h . E0' G p5, which joint 4 does not change
    moved(goal, screws[5, 3:6], gw)
    displacement(screws[0], -x[0], d)
    moved(d, gw, b)
    return abs(dot(h, screws[5, 3:6]) - dot(h, b)) < ALMOST * size


def rest(screws: F64, goal: F64, x: F64, out: F64) -> None:
    """Write the displacement of joints 1 to 3: ``E0' G E5' E4'``."""
    a = np.empty((3, 4))
    b = np.empty((3, 4))
    span(screws, x, 4, 6, a)
    inverted(a, b)
    times(goal, b, a)
    displacement(screws[0], -x[0], b)
    times(b, a, out)


def reach(screws: F64, goal: F64, x: F64, to: F64) -> float:
    """Write the way in the plane from axis 1 to 3; return its square."""
    h = screws[1, 0:3]
    a = np.empty((3, 4))
    rest(screws, goal, x, a)
    moved(a, screws[3, 3:6], to)
    for i in range(3):
        to[i] -= screws[1, 3 + i]
    lift = dot(h, to)
    for i in range(3):
        to[i] -= lift * h[i]
    return dot(to, to)


def tilted(screws: F64, goal: F64, x: F64, at: F64) -> float:
    """Return by how much joint 4 tilts axis 5 to close the loop; joint 5 goes first."""
    w4 = screws[4, 0:3]
    w5 = screws[5, 0:3]
    d = np.empty((3, 4))
    a = np.empty(3)
    b = np.empty(3)
    displacement(screws[0], x[0], d)
    rotated(d, screws[1, 0:3], a)
    unrotated(goal, a, b)
    along = dot(b, w5)
    size = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        a[i] = w4[j] * w5[k] - w4[k] * w5[j]
        b[i] = b[i] if along > 0.0 else -b[i]
        size += (b[i] - abs(along) * w5[i]) ** 2
    at[0] = turn_between(w5, b, a)
    return math.sqrt(size / dot(a, a))


def linkage(screws: F64, goal: F64, x: F64, crank: int, out: F64, n: int) -> int:
    """Add rows of the linkage of joints 1 to 3 and `crank`, 4 or 5.

    The two other joints are as they are in `x`.
    """
    h = screws[1, 0:3]
    knee = np.empty((1, 3))
    start = np.empty(3)
    to = np.empty(3)
    a = np.empty(3)
    b = np.empty(3)
    d = np.empty((3, 4))
    swung_square(screws[2], 1.0, screws[3, 3:6], screws[1, 3:6], knee, 0)
    for i in range(3):
        start[i] = screws[3, 3 + i] - screws[1, 3 + i]
    lift = dot(h, start)
    middle = knee[0, 0] - lift * lift
    spread = math.sqrt(knee[0, 1] ** 2 + knee[0, 2] ** 2)
    if spread == 0.0:
        return n
    # the square of the way as mean + cosine and sine of the crank
    values = np.empty(3)
    for k in range(3):
        x[crank] = THIRD * k
        values[k] = reach(screws, goal, x, to)
    mean = (values[0] + values[1] + values[2]) / 3.0
    c = values[0] - mean
    s = (values[1] - values[2]) * ROOT
    swing = math.sqrt(c * c + s * s)
    low, high = -1.0, 1.0
    if swing > 1e-12 * (abs(mean) + abs(middle)):
        slack = ALMOST * (abs(middle) + spread) / swing
        low = (middle - spread - mean) / swing
        high = (middle + spread - mean) / swing
        if low > 1.0 + slack or high < -1.0 - slack:
            return n
        low = min(max(low, -1.0), 1.0)
        high = min(max(high, -1.0), 1.0)
    elif abs(mean - middle) > (1.0 + ALMOST) * spread:
        return n
    turn = math.atan2(s, c)
    aligned = x[4]
    lean = 0.0
    lean_at = 0.0
    if crank == 5:
        lean = tilted(screws, goal, x, start)
        lean_at = start[0]
    for place in range(crank - 1):
        way = math.acos((0.5 * (low + high), low, high, 0.0)[place])
        for side in range(2):
            x[crank] = turn + way - 2.0 * side * way
            if place == 3:
                x[5] = lean_at + math.pi * side
                x[4] = aligned - lean + 2.0 * side * lean
            cosine = (reach(screws, goal, x, to) - middle) / spread
            bend = math.acos(min(max(cosine, -1.0), 1.0))
            for knees in range(2):
                x[2] = math.atan2(knee[0, 2], knee[0, 1]) + bend - 2.0 * knees * bend
                displacement(screws[2], x[2], d)
                moved(d, screws[3, 3:6], a)
                for i in range(3):
                    a[i] -= screws[1, 3 + i]
                x[1] = turn_between(h, a, to)
                # the sum of the angles from a direction normal to h
                rest(screws, goal, x, d)
                normals(h, a, b)
                rotated(d, a, b)
                turned = turn_between(h, a, b) - x[1]
                turned -= x[2] if dot(h, screws[2, 0:3]) > 0.0 else -x[2]
                x[3] = turned if dot(h, screws[3, 0:3]) > 0.0 else -turned
                if n < out.shape[0]:
                    for i in range(6):
                        out[n, i] = x[i]
                    n += 1
    return n
