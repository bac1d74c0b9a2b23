"""All solutions of a loop with two sliding joints opposite each other.

Begun at a slider, the loop is ``P R R P R R``: seen from the second slider, the base is
displaced by joints 2 and 1 on one side and by joints 4 and 5 on the other. The
rotations of both sides are the same, which are nine equations. So is the moment along
the second slider of a line in the first slider's direction: sliding moves nothing of
it. These ten equations are linear in (1, cos, sin) x (1, cos, sin) of either pair of
angles and have no slider in them.

Elimination of one pair's eight products leaves two equations that are quadratic in the
half-tangent of each angle of the other pair: up to 2 * 2 + 2 * 2 = 8 solutions, from
Sylvester's matrix, an eigenvalue problem of size eight. The eliminated angles follow
from the rotation, the sliders from what is left of the position, linearly.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.linear import cross, eigenvalues, hessenberg, solve_many
from pyrave_ik.kernels.packed_arm import FIRST, TOLERANCE, TURNS
from pyrave_ik.kernels.singular.singular_poses import judged
from pyrave_ik.kernels.six_joint_loop import (
    arranged,
    inverted,
    keep,
    polish,
    span,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

SINGULAR = 1e-11
"""Least pivot over the first below which rounding alone keeps a matrix regular."""
REAL = 1e-4
"""Imaginary part of roots that are tried: a double root comes as a pair."""
APART = 1e-2
"""Sine of the angle of two lines below which their meeting point is not sure."""
ELSEWHERE = 1.1
"""Step of the angles that half-tangents are counted from."""
PARALLEL = 1e-7
"""Sine of the angle of two axes below which they are parallel."""


def sine(a: F64, b: F64) -> float:
    """Return the sine of the angle between two unit vectors."""
    n = np.empty(3)
    cross(a, b, n)
    return math.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])


def angle(w: F64, a: F64, b: F64) -> float:
    """Return the angle about unit `w` that takes `a` nearest to `b`."""
    n = np.empty(3)
    cross(a, b, n)
    s = w[0] * n[0] + w[1] * n[1] + w[2] * n[2]
    wa = w[0] * a[0] + w[1] * a[1] + w[2] * a[2]
    wb = w[0] * b[0] + w[1] * b[1] + w[2] * b[2]
    return math.atan2(s, a[0] * b[0] + a[1] * b[1] + a[2] * b[2] - wa * wb)


def turned(screw: F64, sign: float, line: F64, out: F64) -> None:
    """Write a line's coefficients (3, 6) of 1, cos, sin of the joint that turns it.

    A line is a direction and a moment; for negative `sign` it is turned back.
    """
    w = screw[0:3]
    p = screw[3:6]
    here = np.empty(6)
    cross(p, line, here[3:6])
    for i in range(3):
        here[i] = line[i]
        here[3 + i] = line[3 + i] - here[3 + i]
    for part in range(0, 6, 3):
        a = here[part : part + 3]
        along = w[0] * a[0] + w[1] * a[1] + w[2] * a[2]
        cross(w, a, out[2, part : part + 3])
        for i in range(3):
            out[0, part + i] = along * w[i]
            out[1, part + i] = a[i] - along * w[i]
            out[2, part + i] *= sign
    shift = np.empty(3)
    for k in range(3):
        cross(p, out[k], shift)
        for i in range(3):
            out[k, 3 + i] += shift[i]


def side(near: F64, far: F64, sign: float, lines: F64, along: F64, out: F64) -> None:
    """Write the coefficients (10, 9) of one side's equations.

    Column 3 i + j belongs to term i of joint `near` the second slider and term j of
    joint `far`. `lines` is (4, 6): three whose directions count, and one whose
    moment `along` a direction does.
    """
    one = np.empty((3, 6))
    two = np.empty((3, 6))
    for k in range(4):
        turned(far, sign, lines[k], one)
        for j in range(3):
            turned(near, sign, one[j], two)
            for i in range(3):
                if k < 3:
                    for c in range(3):
                        out[3 * k + c, 3 * i + j] = two[i, c]
                else:
                    out[9, 3 * i + j] = (
                        along[0] * two[i, 3]
                        + along[1] * two[i, 4]
                        + along[2] * two[i, 5]
                    )


def equations(s: F64, goal: F64, swapped: bool, f: F64) -> bool:
    """Write two equations (2, 9) in joints 2 and 1; `swapped`: in joints 4 and 5.

    Returns False if the other pair of joints cannot be eliminated.
    """
    lines = np.zeros((4, 6))
    for i in range(3):
        lines[i, i] = 1.0
        lines[3, i] = s[0, i]
    back = np.empty((3, 4))
    inverted(goal, back)
    seen = np.zeros((4, 6))
    for k in range(4):
        for i in range(3):
            for j in range(3):
                seen[k, i] += back[i, j] * lines[k, j]
        cross(back[:, 3].copy(), seen[k], seen[k, 3:6])
    kept = np.empty((10, 9))
    gone = np.empty((10, 9))
    along = s[3, 0:3].copy()
    side(s[2], s[1], -1.0, lines, along, gone if swapped else kept)
    side(s[4], s[5], 1.0, seen, along, kept if swapped else gone)
    size = 0.0
    for j in range(9):
        size = max(size, abs(kept[9, j]), abs(gone[9, j]))
    if size > 0.0:
        for j in range(9):
            kept[9, j] /= size
            gone[9, j] /= size
    # known terms are the last nine columns; column 0 of both is the constant
    a = np.empty((10, 17))
    for i in range(10):
        for j in range(8):
            a[i, j] = gone[i, j + 1]
            a[i, 8 + j] = kept[i, j]
        a[i, 16] = kept[i, 8]
        a[i, 8] -= gone[i, 0]
    if not eliminated(a):
        return False
    for k in range(2):
        size = 0.0
        for j in range(9):
            size = max(size, abs(a[8 + k, 8 + j]))
        if size < 1e-13:
            return False
        for j in range(9):
            f[k, j] = a[8 + k, 8 + j] / size
    return True


def eliminated(a: F64) -> bool:
    """Bring zeros into the first eight columns of rows 8 and 9, with all pivots."""
    n, m = a.shape
    first = 0.0
    for c in range(8):
        row = c
        column = c
        for i in range(c, n):
            for j in range(c, 8):
                if abs(a[i, j]) > abs(a[row, column]):
                    row = i
                    column = j
        size = abs(a[row, column])
        first = max(first, size)
        if size <= PARALLEL * first:
            return False
        for j in range(m):
            t = a[c, j]
            a[c, j] = a[row, j]
            a[row, j] = t
        for i in range(n):
            t = a[i, c]
            a[i, c] = a[i, column]
            a[i, column] = t
        for i in range(c + 1, n):
            t = a[i, c] / a[c, c]
            for j in range(c, m):
                a[i, j] -= t * a[c, j]
    return True


def half_tangents(u: F64, shift: float) -> None:
    """Turn coefficients of 1, cos, sin into those of 1, x, x^2.

    x is the tangent of the half of the angle less `shift`.
    """
    c = math.cos(shift)
    s = math.sin(shift)
    one = u[0]
    turned_ = u[1] * c + u[2] * s
    across = u[2] * c - u[1] * s
    u[0] = one + turned_
    u[1] = 2.0 * across
    u[2] = one - turned_


def roots(f: F64, hidden: bool, shift: float, other: float, re: F64, im: F64) -> bool:
    """Write the eight half-tangents of one joint; `hidden`: of the near one.

    Returns False if every value is one.
    """
    m = np.zeros((3, 4, 4))
    g = np.empty((3, 3))
    for k in range(2):
        for i in range(3):
            for j in range(3):
                v = f[k, 3 * i + j]
                if hidden:
                    g[i, j] = v
                else:
                    g[j, i] = v
        for i in range(3):
            half_tangents(g[i], other)
        for j in range(3):
            half_tangents(g[:, j], shift)
        for i in range(3):
            for j in range(3):
                m[i, 2 * k, j] = g[i, j]
                m[i, 2 * k + 1, j + 1] = g[i, j]
    lead = m[2].copy()
    rest = np.empty((4, 8))
    for i in range(4):
        for j in range(4):
            rest[i, j] = -m[0, i, j]
            rest[i, 4 + j] = -m[1, i, j]
    if solve_many(lead, rest) < SINGULAR:
        return False
    h = np.zeros((8, 8))
    for i in range(4):
        h[i, 4 + i] = 1.0
        for j in range(8):
            h[4 + i, j] = rest[i, j]
    hessenberg(h)
    return eigenvalues(h, re, im)


def partners(f: F64, hidden: bool, value: float, out: F64) -> int:
    """Write angles that meet both equations where the hidden one has a value.

    Where the equations' lines in the plane of cos and sin are nearly the same, both
    points of one on the unit circle are tried, too.
    """
    c = math.cos(value)
    s = math.sin(value)
    g = np.empty((2, 3))
    size = np.empty(2)
    for k in range(2):
        for i in range(3):
            if hidden:
                g[k, i] = f[k, i] + c * f[k, 3 + i] + s * f[k, 6 + i]
            else:
                g[k, i] = f[k, 3 * i] + c * f[k, 3 * i + 1] + s * f[k, 3 * i + 2]
        size[k] = math.sqrt(g[k, 1] * g[k, 1] + g[k, 2] * g[k, 2])
    n = 0
    apart = g[0, 1] * g[1, 2] - g[0, 2] * g[1, 1]
    if apart != 0.0:
        x = (g[0, 2] * g[1, 0] - g[0, 0] * g[1, 2]) / apart
        y = (g[0, 0] * g[1, 1] - g[0, 1] * g[1, 0]) / apart
        out[n] = math.atan2(y, x)
        n += 1
    if abs(apart) > APART * size[0] * size[1] and abs(apart) > APART * APART:
        return n
    k = 0 if size[0] > size[1] else 1
    if size[k] > 0.0:
        middle = math.atan2(g[k, 2], g[k, 1])
        wide = math.acos(min(max(-g[k, 0] / size[k], -1.0), 1.0))
        out[n] = middle + wide
        out[n + 1] = middle - wide
        n += 2
    return n


def last_two(s: F64, goal: F64, swapped: bool, y: F64) -> None:
    """Write the eliminated angles, from the rotation that both joints make."""
    d = np.empty((3, 4))
    back = np.empty((3, 4))
    r = np.zeros((3, 3))
    a = 1 if swapped else 4
    b = a + 1
    # swapped: R1 R2 = G (R4 R5)', else R4 R5 = (R1 R2)' G
    if swapped:
        span(s, y, 4, 6, d)
    else:
        span(s, y, 1, 3, d)
    inverted(d, back)
    for i in range(3):
        for j in range(3):
            for k in range(3):
                if swapped:
                    r[i, j] += goal[i, k] * back[k, j]
                else:
                    r[i, j] += back[i, k] * goal[k, j]
    forth = np.zeros(3)
    home = np.zeros(3)
    for i in range(3):
        for j in range(3):
            forth[i] += r[i, j] * s[b, j]
            home[i] += r[j, i] * s[a, j]
    y[a] = angle(s[a, 0:3], s[b, 0:3], forth)
    y[b] = angle(s[b, 0:3], home, s[a, 0:3])


def sliders(s: F64, goal: F64, y: F64) -> None:
    """Write the values of joints 0 and 3, by least squares in the position."""
    d = np.empty((3, 4))
    y[0] = 0.0
    y[3] = 0.0
    span(s, y, 1, 3, d)
    u = np.zeros(3)
    for i in range(3):
        for j in range(3):
            u[i] += d[i, j] * s[3, j]
    span(s, y, 0, 6, d)
    wu = 0.0
    we = 0.0
    ue = 0.0
    for i in range(3):
        e = goal[i, 3] - d[i, 3]
        wu += s[0, i] * u[i]
        we += s[0, i] * e
        ue += u[i] * e
    gap = max(1.0 - wu * wu, 1e-12)
    y[0] = (we - wu * ue) / gap
    y[3] = (ue - wu * we) / gap


def solve_cut(
    screws: F64,
    goal: F64,
    first: int,
    swapped: bool,
    hidden: bool,
    turns: F64,
    tolerance: float,
    out: F64,
    n: int,
) -> int:
    """Add solutions to the `n` rows of `out`; return their number.

    Returns -1 if this way has no answer, -2 - n where a root led to no solution, so
    that some may be lost. See `solve_loop`.

    Parameters
    ----------
    swapped
        Whether the joints before the second slider are eliminated, not those behind.
    hidden
        Whether the roots are those of the joint that is next to the second slider.
    """
    s = np.empty((6, 7))
    target = np.empty((3, 4))
    arranged(screws, goal, first, False, s, target)
    f = np.empty((2, 9))
    if not equations(s, target, swapped, f):
        return -1
    re = np.empty(8)
    im = np.empty(8)
    if not roots(f, hidden, turns[0], turns[1], re, im):
        return -1
    near = 4 if swapped else 2
    far = 5 if swapped else 1
    y = np.empty(6)
    x = np.empty(6)
    both = np.empty(3)
    lost = False
    for k in range(8):
        if im[k] < 0.0 or im[k] > REAL * (1.0 + abs(re[k])):
            continue
        value = 2.0 * math.atan(re[k]) + turns[0]
        led = False
        for i in range(partners(f, hidden, value, both)):
            y[near if hidden else far] = value
            y[far if hidden else near] = both[i]
            last_two(s, target, swapped, y)
            sliders(s, target, y)
            for j in range(6):
                x[(first + j) % 6] = y[j]
            if polish(screws, goal, x, 20, 1e-14) > tolerance:
                continue
            led = True
            if n < out.shape[0]:
                n = keep(screws, x, out, n)
        lost = lost or not led
    return -2 - n if lost else n


def solve_loop(
    screws: F64,
    goal: F64,
    first: int,
    turns: F64,
    tolerance: float,
    out: F64,
) -> int:
    """Write all solutions (k, 6) of a loop; return k, or -1 - k if not sure.

    Parameters
    ----------
    screws
        (6, 7), of which joints `first` and ``first + 3`` slide, no other.
    goal
        (3, 4).
    turns
        (3,) angles that half-tangents are counted from, so that no solution has one at
        infinity.
    tolerance
        Greatest deviation of an entry of the displacement. Every row is verified.
    """
    before = sine(screws[(first + 1) % 6, 0:3], screws[(first + 2) % 6, 0:3])
    behind = sine(screws[(first + 4) % 6, 0:3], screws[(first + 5) % 6, 0:3])
    # parallelism of neighbouring axes does not depend on the frame of the goal
    other = np.empty(3)
    n = 0
    answers = 0
    sure = False
    for k in range(8):
        for i in range(3):
            other[i] = turns[i] + ELSEWHERE * (k // 2) * (1 + i)
        swapped = (before > behind) != (k >= 4)
        m = solve_cut(
            screws, goal, first, swapped, k % 2 == 1, other, tolerance, out, n
        )
        if m == -1:
            continue
        answers += 1
        sure = m >= 0
        n = m if sure else -2 - m
        if sure or answers == 4:
            break
    return n if sure else -1 - n


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    turns = packed[TURNS : TURNS + 3]
    n = solve_loop(screws, goal, int(packed[FIRST]), turns, packed[TOLERANCE], out)
    return judged(screws, n, out)
