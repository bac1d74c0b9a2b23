"""Loops with a spherical wrist and quadratic equations: the three last axes meet.

Neighbours among the first three are parallel or meet (Pieper, 1968). See
`kernels.direct`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.direct._kernels import (
    CANCELS,
    EDGE,
    FLAT,
    GOOD,
    STRAIGHT,
    angle,
    closing,
    crossing,
    links,
    opposite,
    turned_round,
    value,
)
from pyrave_ik.kernels.plan._kernels import LINKS, MODE, SHIFT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def prepare(plan: Floats) -> bool:
    """Work out links and mode; False if the loop takes other equations.

    Mode 0 and 1: an equation of heights or of distances holds joint 0 alone; 2 and 3:
    joint 2 alone. Shift is where on axis 1 distances are measured from.
    """
    if not links(plan, False):
        return False
    a0, s0 = plan[LINKS], plan[LINKS + 3]
    a1, s1 = plan[LINKS + 4], plan[LINKS + 7]
    if min(abs(plan[LINKS + 15]), abs(plan[LINKS + 19])) < FLAT:
        return False
    plan[SHIFT] = 0.0
    if abs(s1) < FLAT:
        plan[MODE] = 0.0
        return bool(abs(s0) > FLAT)
    if a1 == 0.0:
        plan[MODE] = 1.0
        plan[SHIFT] = plan[LINKS + 5]
        plan[LINKS + 5] = 0.0
        return bool(abs(a0) > FLAT or abs(s0) > FLAT)
    if a0 == 0.0:
        plan[MODE] = 3.0
        return True
    plan[MODE] = 2.0
    return bool(abs(s0) < FLAT)


def solutions(plan: Floats, _screws: Floats, goal: Floats, out: Floats) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 if not sure."""
    n = wrist(plan, goal, out)
    if n > 0:
        turned_round(plan, n, out)
    return n


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
    # no literal, of which numba would compile a form of its own
    count: Any = np.int64(0)
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
        theta = math.atan2(sf, cf)
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
                other = math.atan2(sg, cg)
                x0 = value(plan, 0, theta if zero_first else other)
                x1 = angle(plan, 1, c1, s1)
                x2 = value(plan, 2, other if zero_first else theta)
                for r in range(count, count + 2):
                    out[r, 0] = x0
                    out[r, 1] = x1
                    out[r, 2] = x2
                    out[r, 6] = 0.0
            count += n
    return int(count)


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
    # where axes are at right angles the other solution is known from the first
    right = ca == 0.0 and cb == 0.0
    theta3 = theta5 = 0.0
    theta4 = math.atan2(s4, c4)
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
        if k == 0 or not right:
            theta3, theta5 = math.atan2(s3, c3), math.atan2(s5, c5)
        else:
            theta3, theta5 = opposite(theta3), opposite(theta5)
        out[row + k, 3] = value(plan, 3, theta3)
        out[row + k, 4] = value(plan, 4, theta4)
        out[row + k, 5] = value(plan, 5, theta5)
        s4 = -s4
        theta4 = -theta4
    return 2
