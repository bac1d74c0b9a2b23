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

from pyrave_ik.kernels.linear._kernels import (
    eigenvalues,
    hessenberg,
    null_rows,
    null_vector,
    solve_many,
)
from pyrave_ik.kernels.loops._kernels import displacement, keep, polish

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

THIRD = 2.0 * math.pi / 3.0
COS = math.cos(0.7)
SIN = math.sin(0.7)


def features(p: Floats, q: Floats, out: Floats) -> None:
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


def act(d: Floats, f: Floats, out: Floats) -> None:
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


def spread(screw: Floats, sign: float, f: Floats, out: Floats) -> None:
    """Write the (3, 15) coefficients of 1, cos, sin (or 1, d, d^2) of moved features.

    From the features at three values, which is exact as they depend linearly on these.
    """
    d = np.empty((3, 4))
    a = np.empty(15)
    b = np.empty(15)
    if screw[6] != 0.0:
        displacement(screw, sign, d)
        act(d, f, a)
        displacement(screw, -sign, d)
        act(d, f, b)
        for i in range(15):
            out[0, i] = f[i]
            out[1, i] = 0.5 * (a[i] - b[i])
            out[2, i] = 0.5 * (a[i] + b[i]) - f[i]
        return
    displacement(screw, sign * THIRD, d)
    act(d, f, a)
    displacement(screw, -sign * THIRD, d)
    act(d, f, b)
    root = 1.0 / math.sqrt(3.0)
    for i in range(15):
        out[0, i] = (f[i] + a[i] + b[i]) / 3.0
        out[1, i] = f[i] - out[0, i]
        out[2, i] = (a[i] - b[i]) * root


def to_half_angle(a: Floats) -> None:
    """Turn (3, n) coefficients of 1, c, s into those of 1, x, x^2, x = tan(angle/2)."""
    for i in range(a.shape[1]):
        one, c, s = a[0, i], a[1, i], a[2, i]
        a[0, i] = one + c
        a[1, i] = 2.0 * s
        a[2, i] = one - c


def turned(a: Floats, angle: float) -> None:
    """Turn coefficients of 1, cos, sin of x into those of x - `angle`."""
    c = math.cos(angle)
    s = math.sin(angle)
    for i in range(a.shape[1]):
        u, v = a[1, i], a[2, i]
        a[1, i] = u * c + v * s
        a[2, i] = v * c - u * s


def sides(
    screws: Floats, goal: Floats, first: int, left: Floats, right: Floats
) -> None:
    """Write the features' coefficients, (3, 3, 3, 15) of joints 2, 3, 4 and (3, 3, 15).

    Joints are counted from `first`, around the loop; the last must turn. `right` is
    that of joints 1 and 0. `goal` is (3, 4).
    """
    back = np.empty((3, 4))
    for i in range(3):
        for j in range(3):
            back[i, j] = goal[j, i]
        back[i, 3] = -(
            goal[0, i] * goal[0, 3] + goal[1, i] * goal[1, 3] + goal[2, i] * goal[2, 3]
        )
    gap = 5 - first
    j0, j1, j2 = first % 6, (first + 1) % 6, (first + 2) % 6
    j3, j4, j5 = (first + 3) % 6, (first + 4) % 6, (first + 5) % 6
    start = np.empty(15)
    moved = np.empty(15)
    features(screws[j5, 3:6], screws[j5, 0:3], start)
    one = np.empty((3, 15))
    two = np.empty((3, 15))
    if gap == 4:
        act(back, start, moved)
    else:
        moved[:] = start
    spread(screws[j4], 1.0, moved, one)
    for c in range(3):
        if gap == 3:
            act(back, one[c], moved)
        else:
            moved[:] = one[c]
        spread(screws[j3], 1.0, moved, two)
        for b in range(3):
            if gap == 2:
                act(back, two[b], moved)
            else:
                moved[:] = two[b]
            spread(screws[j2], 1.0, moved, left[:, b, c])
    if gap == 5:
        act(goal, start, moved)
    else:
        moved[:] = start
    spread(screws[j0], -1.0, moved, one)
    for c in range(3):
        if gap == 0:
            act(goal, one[c], moved)
        else:
            moved[:] = one[c]
        spread(screws[j1], -1.0, moved, two)
        for b in range(3):
            if gap == 1:
                act(goal, two[b], right[b, c])
            else:
                right[b, c] = two[b]


def ratio(z: Floats, across: bool) -> float:
    """Return the half-tangent from monomials z[i, j] of degree i and j."""
    best = -1.0
    bi, bj = 0, 0
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            if abs(z[i, j]) > best:
                best = abs(z[i, j])
                bi, bj = i, j
    if across:
        found = z[bi, bj] / z[bi, bj - 1] if bj > 0 else z[bi, bj + 1] / z[bi, bj]
    else:
        found = z[bi, bj] / z[bi - 1, bj] if bi > 0 else z[bi + 1, bj] / z[bi, bj]
    return float(found)


def solve(
    screws: Floats,
    goal: Floats,
    first: int,
    turns: Floats,
    tolerance: float,
    out: Floats,
) -> int:
    """Write all solutions (k, 6) of a loop; return k, or -1 if this cut has no answer.

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
    left = np.empty((3, 3, 3, 15))
    right = np.empty((3, 3, 15))
    sides(screws, goal, first, left, right)
    q = np.empty((14, 8))
    for b in range(3):
        for c in range(3):
            if b + c > 0:
                for i in range(14):
                    q[i, 3 * b + c - 1] = right[b, c, i]
    for i in range(14):
        left[0, 0, 0, i] -= right[0, 0, i]
    work = q.copy()
    rows = np.empty((6, 14))
    null_rows(work, rows)
    e = np.empty((3, 3, 3, 6))
    for a in range(3):
        for b in range(3):
            for c in range(3):
                for r in range(6):
                    total = 0.0
                    for i in range(14):
                        total += rows[r, i] * left[a, b, c, i]
                    e[a, b, c, r] = total
    j2 = (first + 2) % 6
    line = np.empty((3, 6))
    for k in range(3):
        joint = (first + 2 + k) % 6
        if screws[joint, 6] != 0.0:
            continue
        for u in range(3):
            for v in range(3):
                for w in range(3):
                    for r in range(6):
                        if k == 0:
                            line[w, r] = e[w, u, v, r]
                        elif k == 1:
                            line[w, r] = e[u, w, v, r]
                        else:
                            line[w, r] = e[u, v, w, r]
                turned(line, turns[k])
                to_half_angle(line)
                for w in range(3):
                    for r in range(6):
                        if k == 0:
                            e[w, u, v, r] = line[w, r]
                        elif k == 1:
                            e[u, w, v, r] = line[w, r]
                        else:
                            e[u, v, w, r] = line[w, r]
    m = np.zeros((3, 12, 12))
    for a in range(3):
        for r in range(6):
            for b in range(3):
                for c in range(3):
                    m[a, r, 3 * b + c] = e[a, b, c, r]
                    m[a, 6 + r, 3 + 3 * b + c] = e[a, b, c, r]
    # a slider's coefficients may be singular at infinity: x = (c y + s) / (c - s y)
    slides = screws[j2, 6] != 0.0
    if slides:
        for i in range(12):
            for j in range(12):
                m0, m1, m2 = m[0, i, j], m[1, i, j], m[2, i, j]
                m[0, i, j] = COS * COS * m0 + SIN * COS * m1 + SIN * SIN * m2
                m[1, i, j] = 2.0 * SIN * COS * (m2 - m0) + (COS * COS - SIN * SIN) * m1
                m[2, i, j] = SIN * SIN * m0 - SIN * COS * m1 + COS * COS * m2
    lead = m[2].copy()
    rest = np.empty((12, 24))
    for i in range(12):
        for j in range(12):
            rest[i, j] = -m[0, i, j]
            rest[i, 12 + j] = -m[1, i, j]
    if solve_many(lead, rest) < 1e-13:
        return -1
    h = np.zeros((24, 24))
    for i in range(12):
        h[i, 12 + i] = 1.0
        for j in range(24):
            h[12 + i, j] = rest[i, j]
    hessenberg(h)
    re = np.empty(24)
    im = np.empty(24)
    if not eigenvalues(h, re, im):
        return -1
    # joints 0 and 1 from their monomials, by normal equations
    gram = np.empty((8, 8))
    for i in range(8):
        for j in range(8):
            total = 0.0
            for k in range(14):
                total += q[k, i] * q[k, j]
            gram[i, j] = total
    n = 0
    z = np.empty(12)
    at = np.empty((12, 12))
    x = np.empty(6)
    value = np.empty(3)
    mono = np.empty((3, 3))
    for k in range(24):
        if abs(im[k]) > 1e-4 * (1.0 + abs(re[k])):
            continue
        if im[k] < 0.0:
            continue
        t = re[k]
        for i in range(12):
            for j in range(12):
                at[i, j] = m[0, i, j] + t * (m[1, i, j] + t * m[2, i, j])
        null_vector(at, z)
        grid = z.reshape(4, 3)
        value[0] = (COS * t + SIN) / (COS - SIN * t) if slides else t
        value[1] = ratio(grid, False)
        value[2] = ratio(grid, True)
        for i in range(3):
            joint = (first + 2 + i) % 6
            mono[i, 0] = 1.0
            if screws[joint, 6] != 0.0:
                mono[i, 1] = value[i]
                mono[i, 2] = value[i] * value[i]
                x[joint] = value[i]
            else:
                x[joint] = 2.0 * math.atan(value[i]) + turns[i]
                mono[i, 1] = math.cos(x[joint])
                mono[i, 2] = math.sin(x[joint])
        rhs = np.zeros((8, 1))
        for i in range(14):
            total = 0.0
            for a in range(3):
                for b in range(3):
                    for c in range(3):
                        total += mono[0, a] * mono[1, b] * mono[2, c] * left[a, b, c, i]
            for j in range(8):
                rhs[j, 0] += q[i, j] * total
        g = gram.copy()
        for j in range(8):
            g[j, j] += 1e-14
        solve_many(g, rhs)
        j0, j1, j5 = first % 6, (first + 1) % 6, (first + 5) % 6
        if screws[j1, 6] != 0.0:
            x[j1] = rhs[2, 0]
        else:
            x[j1] = math.atan2(rhs[5, 0], rhs[2, 0])
        if screws[j0, 6] != 0.0:
            x[j0] = rhs[0, 0]
        else:
            x[j0] = math.atan2(rhs[1, 0], rhs[0, 0])
        x[j5] = last_angle(screws, goal, first, x)
        if polish(screws, goal, x, 20, 1e-14) > tolerance:
            continue
        n = keep(screws, x, out, n)
        if n == out.shape[0]:
            break
    return n


def last_angle(screws: Floats, goal: Floats, first: int, x: Floats) -> float:
    """Return the angle of the loop's last joint given the others."""
    step = np.empty((3, 4))
    now = np.zeros((3, 4))
    new = np.empty((3, 4))
    for i in range(3):
        now[i, i] = 1.0
    last = (first + 5) % 6
    # G^-1 E_0 ... E_(last-1) undone, then E_5^-1 ... E_(last+1)^-1: what is left turns
    for k in range(last):
        displacement(screws[k], x[k], step)
        for i in range(3):
            for j in range(4):
                new[i, j] = (
                    now[i, 0] * step[0, j]
                    + now[i, 1] * step[1, j]
                    + now[i, 2] * step[2, j]
                )
            new[i, 3] += now[i, 3]
        now[:] = new
    after = np.zeros((3, 4))
    for i in range(3):
        after[i, i] = 1.0
    for k in range(last + 1, 6):
        displacement(screws[k], x[k], step)
        for i in range(3):
            for j in range(4):
                new[i, j] = (
                    after[i, 0] * step[0, j]
                    + after[i, 1] * step[1, j]
                    + after[i, 2] * step[2, j]
                )
            new[i, 3] += after[i, 3]
        after[:] = new
    # rotation of E_last = now^T G after^T
    c = np.empty((3, 3))
    d = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            c[i, j] = (
                now[0, i] * goal[0, j] + now[1, i] * goal[1, j] + now[2, i] * goal[2, j]
            )
    for i in range(3):
        for j in range(3):
            d[i, j] = (
                c[i, 0] * after[j, 0] + c[i, 1] * after[j, 1] + c[i, 2] * after[j, 2]
            )
    s = screws[last]
    sine = (
        s[0] * (d[2, 1] - d[1, 2])
        + s[1] * (d[0, 2] - d[2, 0])
        + s[2] * (d[1, 0] - d[0, 1])
    )
    return math.atan2(sine, d[0, 0] + d[1, 1] + d[2, 2] - 1.0)
