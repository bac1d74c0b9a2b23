"""All solutions of any loop of six turning and sliding joints, by elimination.

A point p with a direction l has 14 *features* p, p.p, l, p x l, p.l and
(p.p) l - 2 (p.l) p on which a displacement acts linearly: they belong to two linear
representations of the conformal group. So the features of joint 5's axis, moved by
joints 2, 3, 4 on one side and by 0, 1 and the goal on the other, give 14 equations that
are linear in (1, cos, sin) of each turning and (1, d, d^2) of each sliding joint. For
six turning joints they are those of Raghavan and Roth (1993); here joints may slide.

Joints 0 and 1 are eliminated by the left null space of their 14 x 8 coefficients; the
six equations that remain and their multiples by the half-tangent of joint 3 make 12
equations whose unknowns are the monomials of joints 3 and 4 and whose coefficients
are quadratic in joint 2: an eigenvalue problem of size 24 (Manocha and Canny, 1994).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.linear import (
    eigenvalues,
    hessenberg,
    null_rows,
    null_vector,
    solve_many,
)
from pyrave_ik.kernels.six_joint_loop import (
    displacement,
    inverted,
    keep,
    polish,
    span,
    times,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2

THIRD = 2.0 * math.pi / 3.0
COS = math.cos(0.7)
SIN = math.sin(0.7)
ROOT = 1.0 / math.sqrt(3.0)

SINGULAR = 1e-10
"""Least pivot over the first below which rounding alone keeps a matrix regular."""
ROUGH = 5e-7
"""The same below which roots may be off by as much as they are apart."""
FAR = 1e-4
"""Reciprocal of the value of a slider that is infinite but for rounding."""
REAL = 1e-4
"""Imaginary part of roots that are real but for rounding: a double one is a pair."""
ABOUT = 0.3
"""Difference of values of a solution and of the root that led to it."""
MERGED = 5e-2
"""The same of roots that an ill-conditioned pencil may have made of two real ones."""


def features(p: F64, q: F64, out: F64) -> None:
    """Write the 14 features and a 1 of point `p` and direction `q`."""
    pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    pq = p[0] * q[0] + p[1] * q[1] + p[2] * q[2]
    for i in range(3):
        out[i] = p[i]
        out[4 + i] = q[i]
        out[11 + i] = pp * q[i] - 2.0 * pq * p[i]
    out[3] = pp
    out[7] = p[1] * q[2] - p[2] * q[1]
    out[8] = p[2] * q[0] - p[0] * q[2]
    out[9] = p[0] * q[1] - p[1] * q[0]
    out[10] = pq
    out[14] = 1.0


def act(d: F64, f: F64, out: F64) -> None:
    """Write the features after a (3, 4) displacement, without recovering p and l."""
    t0, t1, t2 = d[0, 3], d[1, 3], d[2, 3]
    one = f[14]
    for i in range(3):
        out[i] = d[i, 0] * f[0] + d[i, 1] * f[1] + d[i, 2] * f[2]
        out[4 + i] = d[i, 0] * f[4] + d[i, 1] * f[5] + d[i, 2] * f[6]
        out[7 + i] = d[i, 0] * f[7] + d[i, 1] * f[8] + d[i, 2] * f[9]
        out[11 + i] = d[i, 0] * f[11] + d[i, 1] * f[12] + d[i, 2] * f[13]
    tt = t0 * t0 + t1 * t1 + t2 * t2
    out[3] = f[3] + 2.0 * (t0 * out[0] + t1 * out[1] + t2 * out[2]) + tt * one
    out[0] += t0 * one
    out[1] += t1 * one
    out[2] += t2 * one
    l0, l1, l2 = out[4], out[5], out[6]
    m0, m1, m2 = out[7], out[8], out[9]
    tl = t0 * l0 + t1 * l1 + t2 * l2
    s = f[10]
    out[11] += tt * l0 - 2.0 * (s + tl) * t0 - 2.0 * (t1 * m2 - t2 * m1)
    out[12] += tt * l1 - 2.0 * (s + tl) * t1 - 2.0 * (t2 * m0 - t0 * m2)
    out[13] += tt * l2 - 2.0 * (s + tl) * t2 - 2.0 * (t0 * m1 - t1 * m0)
    out[10] = s + tl
    out[7] = m0 + t1 * l2 - t2 * l1
    out[8] = m1 + t2 * l0 - t0 * l2
    out[9] = m2 + t0 * l1 - t1 * l0
    out[14] = one


def spread(screw: F64, sign: float, f: F64, out: F64, row: int, stride: int) -> None:
    """Write coefficients of 1, cos, sin (or 1, d, d^2) of moved features to three rows.

    From the features at three values, which is exact as they depend linearly on these.
    """
    d = np.empty((3, 4))
    a = np.empty(15)
    b = np.empty(15)
    slides = screw[6] != 0.0
    step = 1.0 if slides else THIRD
    displacement(screw, sign * step, d)
    act(d, f, a)
    displacement(screw, -sign * step, d)
    act(d, f, b)
    for i in range(15):
        if slides:
            out[row, i] = f[i]
            out[row + stride, i] = 0.5 * (a[i] - b[i])
            out[row + 2 * stride, i] = 0.5 * (a[i] + b[i]) - f[i]
        else:
            mean = (f[i] + a[i] + b[i]) / 3.0
            out[row, i] = mean
            out[row + stride, i] = f[i] - mean
            out[row + 2 * stride, i] = (a[i] - b[i]) * ROOT


def half_tangents(a: F64, stride: int, angle: float) -> None:
    """Turn coefficients of 1, cos, sin into those of 1, x, x^2, x = tan of the half.

    `a` is (27, 6), a joint's coefficients are `stride` rows apart; the half is that of
    the joint's angle less `angle`.
    """
    c = math.cos(angle)
    s = math.sin(angle)
    for row in range(27):
        if (row // stride) % 3 != 0:
            continue
        for i in range(6):
            one = a[row, i]
            u, v = a[row + stride, i], a[row + 2 * stride, i]
            turned = u * c + v * s
            a[row, i] = one + turned
            a[row + stride, i] = 2.0 * (v * c - u * s)
            a[row + 2 * stride, i] = one - turned


def passed(d: F64, here: bool, f: F64, out: F64) -> None:
    """Write features, displaced if the goal is here, between two joints."""
    if here:
        act(d, f, out)
    else:
        for i in range(15):
            out[i] = f[i]


def sides(screws: F64, goal: F64, first: int, left: F64, right: F64) -> None:
    """Write the features' coefficients of both sides of the equations.

    ``E_2 E_3 E_4 f = E_1' E_0' G f`` for the features f of joint 5's axis, on which E_5
    does nothing.

    Joints are counted from `first`, around the loop; the last must turn. `left` is
    (27, 15), row 9 a + 3 b + c for the terms a, b, c of joints 2, 3, 4; `right` is
    (9, 15), row 3 b + c for joints 1 and 0. `goal` is (3, 4).
    """
    back = np.empty((3, 4))
    inverted(goal, back)
    gap = 5 - first
    start = np.empty(15)
    moved = np.empty(15)
    last = screws[(first + 5) % 6]
    features(last[3:6], last[0:3], start)
    one = np.empty((3, 15))
    two = np.empty((3, 15))
    passed(back, gap == 4, start, moved)
    spread(screws[(first + 4) % 6], 1.0, moved, one, 0, 1)
    for c in range(3):
        passed(back, gap == 3, one[c], moved)
        spread(screws[(first + 3) % 6], 1.0, moved, two, 0, 1)
        for b in range(3):
            passed(back, gap == 2, two[b], moved)
            spread(screws[(first + 2) % 6], 1.0, moved, left, 3 * b + c, 9)
    passed(goal, gap == 5, start, moved)
    spread(screws[first % 6], -1.0, moved, one, 0, 1)
    for c in range(3):
        passed(goal, gap == 0, one[c], moved)
        spread(screws[(first + 1) % 6], -1.0, moved, two, 0, 1)
        for b in range(3):
            passed(goal, gap == 1, two[b], right[3 * b + c])


def equations(
    screws: F64,
    goal: F64,
    first: int,
    turns: F64,
    left: F64,
    q: F64,
    e: F64,
) -> float:
    """Write the six equations (27, 6) in joints 2, 3, 4, and where they come from.

    Returns how well joints 0 and 1 are eliminated, see `null_rows`.

    `left` is (27, 15), see `sides`, less the constants of the right; `q` is (14, 8),
    the coefficients of joints 0 and 1.
    """
    right = np.empty((9, 15))
    sides(screws, goal, first, left, right)
    work = np.empty((14, 8))
    for i in range(14):
        left[0, i] -= right[0, i]
        for j in range(8):
            q[i, j] = right[j + 1, i]
            work[i, j] = q[i, j]
    rows = np.empty((6, 14))
    least = null_rows(work, rows)
    for k in range(27):
        for r in range(6):
            total = 0.0
            for i in range(14):
                total += rows[r, i] * left[k, i]
            e[k, r] = total
    stride = 9
    for k in range(3):
        if screws[(first + 2 + k) % 6, 6] == 0.0:
            half_tangents(e, stride, turns[k])
        stride //= 3
    return least


def pencil(e: F64, slides: bool, m: F64) -> None:
    """Write (12, 36): three matrices, of 1, x, x^2 of joint 2, side by side.

    ``(A + B x + C x^2) v = 0`` where v are the monomials ``y^i z^j``, i < 4 and j < 3,
    of joints 3 and 4: six equations, and these times y.

    A slider's may be singular at infinity: there x = (c y + s) / (c - s y).
    """
    for i in range(12):
        for j in range(36):
            m[i, j] = 0.0
    for a in range(3):
        for r in range(6):
            for k in range(9):
                m[r, 12 * a + k] = e[9 * a + k, r]
                m[6 + r, 12 * a + 3 + k] = e[9 * a + k, r]
    if slides:
        for i in range(12):
            for j in range(12):
                m0, m1, m2 = m[i, j], m[i, 12 + j], m[i, 24 + j]
                m[i, j] = COS * COS * m0 + SIN * COS * m1 + SIN * SIN * m2
                m[i, 12 + j] = (
                    2.0 * SIN * COS * (m2 - m0) + (COS * COS - SIN * SIN) * m1
                )
                m[i, 24 + j] = SIN * SIN * m0 - SIN * COS * m1 + COS * COS * m2


def roots(m: F64, re: F64, im: F64) -> float:
    """Write the 24 values where the `pencil` is singular.

    They are the eigenvalues of ``[0 I; -C^-1 A, -C^-1 B]``, whose vectors are (v, x v)
    (Manocha and Canny).

    Returns the least pivot over the first of its leading matrix, -1 if it is singular
    everywhere or has no values.
    """
    lead = np.empty((12, 12))
    rest = np.empty((12, 24))
    h = np.empty((24, 24))
    for i in range(12):
        for j in range(12):
            lead[i, j] = m[i, 24 + j]
            rest[i, j] = -m[i, j]
            rest[i, 12 + j] = -m[i, 12 + j]
    least = solve_many(lead, rest)
    if least < SINGULAR:
        return -1.0
    for i in range(12):
        for j in range(24):
            h[i, j] = 1.0 if j == 12 + i else 0.0
            h[12 + i, j] = rest[i, j]
    hessenberg(h)
    return least if eigenvalues(h, re, im) else -1.0


def ratio(z: F64, across: bool) -> float:
    """Return joint 3's or joint 4's value from monomials z[3 i + j] of their powers."""
    best = 0
    for i in range(12):
        if abs(z[i]) > abs(z[best]):
            best = i
    step = 1 if across else 3
    if best >= step and (not across or best % 3 > 0):
        return float(z[best] / z[best - step])
    return float(z[best + step] / z[best])


def monomials(slides: bool, value: float, out: F64, row: int) -> None:
    """Write (1, cos, sin) of an angle or (1, d, d^2)."""
    out[row, 0] = 1.0
    out[row, 1] = value if slides else math.cos(value)
    out[row, 2] = value * value if slides else math.sin(value)


def first_two(screws: F64, first: int, q: F64, left: F64, mono: F64, x: F64) -> None:
    """Write joints 0 and 1 of the cut loop, from their monomials by least squares."""
    gram = np.empty((8, 8))
    rhs = np.empty((8, 1))
    known = np.empty(14)
    for i in range(14):
        total = 0.0
        for k in range(27):
            f = mono[0, k // 9] * mono[1, k // 3 % 3] * mono[2, k % 3]
            total += f * left[k, i]
        known[i] = total
    for i in range(8):
        total = 0.0
        for k in range(14):
            total += q[k, i] * known[k]
        rhs[i, 0] = total
        for j in range(8):
            total = 1e-14 if i == j else 0.0
            for k in range(14):
                total += q[k, i] * q[k, j]
            gram[i, j] = total
    solve_many(gram, rhs)
    slides = screws[(first + 1) % 6, 6] != 0.0
    x[(first + 1) % 6] = rhs[2, 0] if slides else math.atan2(rhs[5, 0], rhs[2, 0])
    slides = screws[first % 6, 6] != 0.0
    x[first % 6] = rhs[0, 0] if slides else math.atan2(rhs[1, 0], rhs[0, 0])


def solve(
    screws: F64,
    goal: F64,
    first: int,
    turns: F64,
    tolerance: float,
    out: F64,
) -> int:
    """Write all solutions (k, 6) of a loop; return k, or -1 if this cut has no answer.

    Returns -2 - k where some may be lost: a real root led to no solution, or two to the
    same, or is double but for rounding, the number is odd, or the cut is nearly one
    without an answer.

    Parameters
    ----------
    first
        Where to cut: the joint counted as number 0; number 5 must turn.
    turns
        (3,) angles by which joints 2, 3, 4 are counted from elsewhere, so that no
        solution has a half-tangent at infinity.
    tolerance
        Deviation of an entry of the displacement that a solution may have.
    """
    if screws[(first + 5) % 6, 6] != 0.0:
        return -1
    left = np.empty((27, 15))
    q = np.empty((14, 8))
    e = np.empty((27, 6))
    lost = equations(screws, goal, first, turns, left, q, e) < ROUGH
    m = np.empty((12, 36))
    slides = screws[(first + 2) % 6, 6] != 0.0
    pencil(e, slides, m)
    re = np.empty(24)
    im = np.empty(24)
    least = roots(m, re, im)
    if least < 0.0:
        return -1
    n = 0
    lost = lost or least < ROUGH
    z = np.empty(12)
    at = np.empty((12, 12))
    x = np.empty(6)
    begun = np.empty(6)
    mono = np.empty((3, 3))
    for k in range(24):
        if im[k] < 0.0 or im[k] > MERGED * (1.0 + abs(re[k])):
            continue
        real = im[k] <= REAL * (1.0 + abs(re[k]))
        t = re[k]
        if slides and abs(COS - SIN * t) < FAR:
            continue
        # one root here may be two that merged
        lost = lost or (real and im[k] > 0.0)
        for i in range(12):
            for j in range(12):
                at[i, j] = m[i, j] + t * (m[i, 12 + j] + t * m[i, 24 + j])
        null_vector(at, z)
        for i in range(3):
            if i > 0:
                value = ratio(z, i == 2)
            else:
                value = (COS * t + SIN) / (COS - SIN * t) if slides else t
            joint = (first + 2 + i) % 6
            moves = screws[joint, 6] != 0.0
            if not moves:
                value = 2.0 * math.atan(value) + turns[i]
            x[joint] = value
            monomials(moves, value, mono, i)
        first_two(screws, first, q, left, mono, x)
        x[(first + 5) % 6] = last_angle(screws, goal, first, x)
        if not real:
            for i in range(6):
                begun[i] = x[i]
        if polish(screws, goal, x, 20, 1e-14) > tolerance:
            lost = lost or real
            continue
        before = n
        n = keep(screws, x, out, n)
        # a double root may stand for two solutions; these come in pairs
        if real:
            lost = lost or n == before
        else:
            lost = lost or n > before or farthest(begun, x) < ABOUT
        if n == out.shape[0]:
            break
    return -2 - n if lost or n % 2 == 1 else n


def farthest(x: F64, y: F64) -> float:
    """Return the greatest difference of a value."""
    most = 0.0
    for i in range(6):
        most = max(most, abs(x[i] - y[i]))
    return most


def last_angle(screws: F64, goal: F64, first: int, x: F64) -> float:
    """Return the angle of the cut loop's last joint given the others."""
    last = (first + 5) % 6
    before = np.empty((3, 4))
    after = np.empty((3, 4))
    span(screws, x, 0, last, before)
    span(screws, x, last + 1, 6, after)
    # rotation of E_last = before' G after'
    d = np.empty((3, 4))
    e = np.empty((3, 4))
    inverted(before, d)
    times(d, goal, e)
    inverted(after, d)
    times(e, d, before)
    s = screws[last]
    sine = (
        s[0] * (before[2, 1] - before[1, 2])
        + s[1] * (before[0, 2] - before[2, 0])
        + s[2] * (before[1, 0] - before[0, 1])
    )
    return math.atan2(sine, before[0, 0] + before[1, 1] + before[2, 2] - 1.0)


def solve_cut(screws: F64_2, goal: F64_2, setting: F64_1, out: F64_2) -> int:
    """Do `solve` for settings (5,): its `first`, `turns` and `tolerance`."""
    return solve(screws, goal, int(setting[0]), setting[1:4], setting[4], out)
