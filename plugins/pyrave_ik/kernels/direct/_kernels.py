"""All solutions of common arms at regular poses, verified with the numbers at hand.

The loop in the frames of its axes is a chain of turns about z with a fixed link after
each (Denavit and Hartenberg): ``Z0 A0 Z1 A1 ... A4 Z5 = M``, A = Tz(d) Tx(a) Rx(twist).
Two families of arms need nothing but quadratic equations: three last axes that meet
with parallel or meeting neighbours among the first three (Pieper, 1968), and three
parallel axes whose last two neighbours meet. Cosines and sines are carried, the angles
come at the end, and the product of all joints is compared with M for each solution.

Where anything is near a singularity, a double solution or the edge of the workspace,
or does not verify, these kernels give up and return -1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.delivery._kernels import (
    BACKWARD,
    LEFT,
    LINKS,
    MODE,
    RIGHT,
    SHIFT,
    SIGN,
    ZERO,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

PI = math.pi
EDGE = 1e-10
"""Squared sines below which solutions are about to merge."""
STRAIGHT = 1e-24
"""Squared sines below which two axes of a wrist are one."""
CANCELS = 1e-9
"""Part of a difference of squares below which rounding rules."""
FLAT = 1e-9
GOOD = 1e-11
"""Greatest deviation of an entry of the displacement."""


def closing(plan: Floats, pose: Floats, out: Floats) -> None:
    """Write M as 12 numbers: rotation row by row, then translation."""
    for i in range(3):
        if plan[BACKWARD] != 0.0:
            r0, r1, r2 = pose[0, i], pose[1, i], pose[2, i]
            t = -(r0 * pose[0, 3] + r1 * pose[1, 3] + r2 * pose[2, 3])
        else:
            r0, r1, r2, t = pose[i, 0], pose[i, 1], pose[i, 2], pose[i, 3]
        for j in range(3):
            out[12 + 3 * i + j] = (
                r0 * plan[RIGHT + j]
                + r1 * plan[RIGHT + 4 + j]
                + r2 * plan[RIGHT + 8 + j]
            )
        out[21 + i] = (
            r0 * plan[RIGHT + 3] + r1 * plan[RIGHT + 7] + r2 * plan[RIGHT + 11] + t
        )
    for i in range(3):
        a, b, c = plan[LEFT + 4 * i], plan[LEFT + 4 * i + 1], plan[LEFT + 4 * i + 2]
        for j in range(3):
            out[3 * i + j] = a * out[12 + j] + b * out[15 + j] + c * out[18 + j]
        out[9 + i] = a * out[21] + b * out[22] + c * out[23] + plan[LEFT + 4 * i + 3]


def crossing(a: float, b: float, d: float, size: float) -> tuple[int, float, float]:
    """Return how ``a + b c + d s = 0`` meets the unit circle: -1, 0, 2; and u, v.

    The solutions are ``(-b u - d v, -d u + b v)`` and the same with -v. -1: too near to
    a tangent to tell, or no condition at all.
    """
    r2 = b * b + d * d
    if r2 < FLAT * size:
        return -1, 0.0, 0.0
    inv = 1.0 / r2
    u = a * inv
    rest = 1.0 - a * u
    if rest < EDGE:
        return (0 if rest < -EDGE else -1), 0.0, 0.0
    return 2, u, math.sqrt(rest * inv)


def angle(plan: Floats, i: int, c: float, s: float) -> float:
    """Return the value of axis i in -pi..pi from its cosine and sine in the chain."""
    x = float(plan[SIGN + i] * (math.atan2(s, c) - plan[ZERO + i]))
    if x >= PI:
        return x - 2.0 * PI
    if x < -PI:
        return x + 2.0 * PI
    return x


def wrist(plan: Floats, pose: Floats, out: Floats) -> int:
    """Write the rows (6,) of a loop whose last three axes meet; -1 if not regular."""
    m = np.empty(24)
    closing(plan, pose, m)
    px, py, pz = m[9], m[10], m[11]
    a0, ca0, sa0 = plan[LINKS], plan[LINKS + 2], plan[LINKS + 3]
    a1, d1 = plan[LINKS + 4], plan[LINKS + 5]
    ca1, sa1 = plan[LINKS + 6], plan[LINKS + 7]
    a2, d2 = plan[LINKS + 8], plan[LINKS + 9]
    ca2, sa2 = plan[LINKS + 10], plan[LINKS + 11]
    d3, ca3, sa3 = plan[LINKS + 13], plan[LINKS + 14], plan[LINKS + 15]
    ca4, sa4 = plan[LINKS + 18], plan[LINKS + 19]
    shift = plan[SHIFT]
    # the centre seen from axis 2, then the two equations in joints 2 and 0
    cx, cy, cz = a2, -sa2 * d3, ca2 * d3 + d2
    pp = px * px + py * py + pz * pz
    size = pp + cx * cx + cy * cy + a0 * a0 + a1 * a1
    good = GOOD * max(1.0, math.sqrt(size))
    lz0, lz1, lz2 = ca1 * cz + d1, sa1 * cy, sa1 * cx
    lq0 = cx * cx + cy * cy + cz * cz + a1 * a1 + d1 * d1 + 2.0 * d1 * ca1 * cz
    lq1 = 2.0 * (a1 * cx + d1 * lz1)
    lq2 = 2.0 * (d1 * lz2 - a1 * cy)
    rz0, rz1, rz2 = ca0 * pz - shift, -sa0 * py, sa0 * px
    rq0 = pp + a0 * a0 + shift * (shift - 2.0 * ca0 * pz)
    rq1 = -2.0 * (a0 * px + shift * rz1)
    rq2 = -2.0 * (a0 * py + shift * rz2)
    mode = int(plan[MODE])
    if mode & 1:
        lz0, lq0, lz1, lq1, lz2, lq2 = lq0, lz0, lq1, lz1, lq2, lz2
        rz0, rq0, rz1, rq1, rz2, rq2 = rq0, rz0, rq1, rz1, rq2, rz2
    # the first row has but one unknown: joint 0 or joint 2
    zero_first = mode & 2 == 0
    if zero_first:
        f1, f2, g1, g2 = rz1, rz2, lq1, lq2
        k, u, v = crossing(rz0 - lz0, f1, f2, size)
    else:
        f1, f2, g1, g2 = lz1, lz2, rq1, rq2
        k, u, v = crossing(lz0 - rz0, f1, f2, size)
    if k <= 0:
        return k
    count = 0
    for _ in range(2):
        cf, sf = -f1 * u - f2 * v, -f2 * u + f1 * v
        v = -v
        if zero_first:
            k, y, z = crossing(lq0 - rq0 - rq1 * cf - rq2 * sf, g1, g2, size)
        else:
            k, y, z = crossing(rq0 - lq0 - lq1 * cf - lq2 * sf, g1, g2, size)
        if k < 0:
            return -1
        if k == 0:
            continue
        for _side in range(2):
            cg, sg = -g1 * y - g2 * z, -g2 * y + g1 * z
            z = -z
            if zero_first:
                c0, s0, c2, s2 = cf, sf, cg, sg
            else:
                c0, s0, c2, s2 = cg, sg, cf, sf
            # joint 1 turns f to w
            gx, gy = c2 * cx - s2 * cy, s2 * cx + c2 * cy
            fx, fy, fz = gx + a1, ca1 * gy - sa1 * cz, sa1 * gy + ca1 * cz + d1
            h = c0 * py - s0 * px
            wx, wy, wz = (
                c0 * px + s0 * py - a0,
                ca0 * h + sa0 * pz,
                ca0 * pz - sa0 * h - shift,
            )
            n2 = (fx * fx + fy * fy) * (wx * wx + wy * wy)
            if n2 < EDGE * EDGE * size * size:
                return -1
            inv = 1.0 / math.sqrt(n2)
            c1 = (fx * wx + fy * wy) * inv
            s1 = (fx * wy - fy * wx) * inv
            off = abs(wz - fz)
            off = max(off, abs(c1 * fx - s1 * fy - wx), abs(s1 * fx + c1 * fy - wy))
            if not off < good:
                return -1
            # what is left for the wrist: N = (Z0 Rx0 Z1 Rx1 Z2 Rx2)' M
            for col in range(3):
                b0, b1, b2 = m[col], m[3 + col], m[6 + col]
                e0, e1 = c0 * b0 + s0 * b1, c0 * b1 - s0 * b0
                b1, b2 = ca0 * e1 + sa0 * b2, ca0 * b2 - sa0 * e1
                b0, b1 = c1 * e0 + s1 * b1, c1 * b1 - s1 * e0
                e1, b2 = ca1 * b1 + sa1 * b2, ca1 * b2 - sa1 * b1
                b0, b1 = c2 * b0 + s2 * e1, c2 * e1 - s2 * b0
                m[12 + col] = b0
                m[15 + col] = ca2 * b1 + sa2 * b2
                m[18 + col] = ca2 * b2 - sa2 * b1
            n = hand(plan, m, ca3, sa3, ca4, sa4, out, count)
            if n < 0:
                return -1
            if n > 0:
                x0 = angle(plan, 0, c0, s0)
                x1 = angle(plan, 1, c1, s1)
                x2 = angle(plan, 2, c2, s2)
                for r in range(count, count + 2):
                    out[r, 0] = x0
                    out[r, 1] = x1
                    out[r, 2] = x2
                    out[r, 6] = 0.0
            count += n
    return count


def hand(
    plan: Floats,
    m: Floats,
    ca: float,
    sa: float,
    cb: float,
    sb: float,
    out: Floats,
    row: int,
) -> int:
    """Write angles 3, 4, 5 of ``Z3 Rx(a) Z4 Rx(b) Z5 = N``, two rows; -1, 0 or 2."""
    n00, n01, n02 = m[12], m[13], m[14]
    n10, n11, n12 = m[15], m[16], m[17]
    n20, n21, n22 = m[18], m[19], m[20]
    inv = 1.0 / (sa * sb)
    c4 = (ca * cb - n22) * inv
    q2 = n02 * n02 + n12 * n12
    b = -ca * c4 * sb - sa * cb
    ss = q2 - b * b
    if ss < STRAIGHT + CANCELS * b * b or q2 < STRAIGHT:
        return 0 if ss < -EDGE else -1
    s4 = math.sqrt(ss) / abs(sb)
    if not abs(c4 * c4 + s4 * s4 - 1.0) < GOOD:
        return -1
    iq = 1.0 / q2
    f = sa * c4 * cb + ca * sb
    for k in range(2):
        a = s4 * sb
        c3, s3 = (a * n02 + b * n12) * iq, (a * n12 - b * n02) * iq
        # Rx(a) Z4 Rx(b), which Z5 turns to Z3' N: both, as angles 3 and 5 may be known
        # far worse than their sum
        g1, g2, g3 = -s4 * cb, ca * s4, ca * c4 * cb - sa * sb
        e = sa * s4
        p0, p1 = c3 * n00 + s3 * n10, c3 * n01 + s3 * n11
        q0, q1 = c3 * n10 - s3 * n00, c3 * n11 - s3 * n01
        c5 = 0.5 * (c4 * p0 + g1 * p1 + g2 * q0 + g3 * q1 + e * n20 + f * n21)
        s5 = 0.5 * (g1 * p0 - c4 * p1 + g3 * q0 - g2 * q1 + f * n20 - e * n21)
        off = max(abs(c4 * c5 + g1 * s5 - p0), abs(g1 * c5 - c4 * s5 - p1))
        off = max(off, abs(g2 * c5 + g3 * s5 - q0), abs(g3 * c5 - g2 * s5 - q1))
        off = max(off, abs(e * c5 + f * s5 - n20), abs(f * c5 - e * s5 - n21))
        off = max(off, abs(c3 * a - s3 * b - n02), abs(s3 * a + c3 * b - n12))
        if not max(off, abs(c5 * c5 + s5 * s5 - 1.0)) < GOOD:
            return -1
        out[row + k, 3] = angle(plan, 3, c3, s3)
        out[row + k, 4] = angle(plan, 4, c4, s4)
        out[row + k, 5] = angle(plan, 5, c5, s5)
        s4 = -s4
    return 2


def parallel(plan: Floats, pose: Floats, out: Floats) -> int:
    """Write the rows of a loop whose axes 1, 2, 3 are parallel; -1 if not regular."""
    m = np.empty(24)
    closing(plan, pose, m)
    px, py, pz = m[9], m[10], m[11]
    a0, ca0, sa0 = plan[LINKS], plan[LINKS + 2], plan[LINKS + 3]
    a1, a2, a3 = plan[LINKS + 4], plan[LINKS + 8], plan[LINKS + 12]
    d3, ca, sa = plan[LINKS + 13], plan[LINKS + 14], plan[LINKS + 15]
    d4, cb, sb = plan[LINKS + 17], plan[LINKS + 18], plan[LINKS + 19]
    size = px * px + py * py + pz * pz + a1 * a1 + a2 * a2
    good = GOOD * max(1.0, math.sqrt(size))
    # the height along the three axes holds joint 0
    k, u, v = crossing(ca0 * pz - d3 - ca * d4, -sa0 * py, sa0 * px, size)
    if k <= 0:
        return k
    inv4 = 1.0 / (sa * sb)
    inv2 = 0.5 / (a1 * a2)
    count = 0
    for _ in range(2):
        c0, s0 = sa0 * (py * u - px * v), -sa0 * (px * u + py * v)
        v = -v
        h = c0 * py - s0 * px
        wx, wy = c0 * px + s0 * py - a0, ca0 * h + sa0 * pz
        # K = (Z0 Rx0)' M
        for col in range(3):
            b0, b1, b2 = m[col], m[3 + col], m[6 + col]
            e = c0 * b1 - s0 * b0
            m[12 + col] = c0 * b0 + s0 * b1
            m[15 + col] = ca0 * e + sa0 * b2
            m[18 + col] = ca0 * b2 - sa0 * e
        k20, k21 = m[18], m[19]
        c4 = (ca * cb - m[20]) * inv4
        t2 = k20 * k20 + k21 * k21
        f = sa * c4 * cb + ca * sb
        ss = t2 - f * f
        if ss < STRAIGHT + CANCELS * f * f or t2 < STRAIGHT:
            if ss < -EDGE:
                continue
            return -1
        s4 = math.sqrt(ss) / abs(sa)
        if not abs(c4 * c4 + s4 * s4 - 1.0) < GOOD:
            return -1
        it = 1.0 / t2
        x0 = angle(plan, 0, c0, s0)
        for _side in range(2):
            e = sa * s4
            c5, s5 = (e * k20 + f * k21) * it, (f * k20 - e * k21) * it
            # two rows of Rx(a) Z4 Rx(b) Z5, which the three joints turn about z
            p2, q2 = s4 * sb, -ca * c4 * sb - sa * cb
            g1, g2, g3 = s4 * cb, ca * s4, ca * c4 * cb - sa * sb
            p0, p1 = c4 * c5 - g1 * s5, -c4 * s5 - g1 * c5
            q0, q1 = g2 * c5 + g3 * s5, g3 * c5 - g2 * s5
            c = p0 * m[12] + p1 * m[13] + p2 * m[14]
            c = 0.5 * (c + q0 * m[15] + q1 * m[16] + q2 * m[17])
            s = p0 * m[15] + p1 * m[16] + p2 * m[17]
            s = 0.5 * (s - q0 * m[12] - q1 * m[13] - q2 * m[14])
            off = max(abs(c * p0 - s * q0 - m[12]), abs(s * p0 + c * q0 - m[15]))
            off = max(off, abs(c * p1 - s * q1 - m[13]), abs(s * p1 + c * q1 - m[16]))
            off = max(off, abs(c * p2 - s * q2 - m[14]), abs(s * p2 + c * q2 - m[17]))
            off = max(off, abs(e * c5 + f * s5 - k20), abs(f * c5 - e * s5 - k21))
            if not off < GOOD:
                return -1
            # two links reach the point of the third axis
            y = -sa * d4
            zx, zy = wx - c * a3 + s * y, wy - s * a3 - c * y
            n2 = zx * zx + zy * zy
            c2 = (n2 - a1 * a1 - a2 * a2) * inv2
            ss = 1.0 - c2 * c2
            if ss < EDGE or n2 < EDGE * size:
                if ss < -EDGE:
                    s4 = -s4
                    continue
                return -1
            s2 = math.sqrt(ss)
            inv = 1.0 / n2
            x4 = angle(plan, 4, c4, s4)
            x5 = angle(plan, 5, c5, s5)
            for _knee in range(2):
                fx, fy = a1 + a2 * c2, a2 * s2
                c1, s1 = (fx * zx + fy * zy) * inv, (fx * zy - fy * zx) * inv
                off = max(abs(c1 * fx - s1 * fy - zx), abs(s1 * fx + c1 * fy - zy))
                if not max(off, abs(c1 * c1 + s1 * s1 - 1.0)) < good:
                    return -1
                c12, s12 = c1 * c2 - s1 * s2, s1 * c2 + c1 * s2
                out[count, 0] = x0
                out[count, 1] = angle(plan, 1, c1, s1)
                out[count, 2] = angle(plan, 2, c2, s2)
                out[count, 3] = angle(plan, 3, c * c12 + s * s12, s * c12 - c * s12)
                out[count, 4] = x4
                out[count, 5] = x5
                out[count, 6] = 0.0
                count += 1
                s2 = -s2
            s4 = -s4
    return count
