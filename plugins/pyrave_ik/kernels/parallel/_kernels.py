"""Loops with three parallel axes and quadratic equations: the two behind them meet.

See `kernels.direct`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.direct._kernels import (
    CANCELS,
    EDGE,
    FLAT,
    GOOD,
    LINKED,
    angle,
    closing,
    crossing,
    links,
    turned_round,
    value,
)
from pyrave_ik.kernels.plan._kernels import LINKS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def prepare(plan: Floats) -> bool:
    """Work out the links; False if the loop takes other equations."""
    if not links(plan, True):
        return False
    least = min(abs(plan[LINKS + 3]), abs(plan[LINKS + 15]), abs(plan[LINKS + 19]))
    return bool(least > FLAT and plan[LINKS + 16] == 0.0)


def solutions(plan: Floats, _screws: Floats, goal: Floats, out: Floats) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 if not sure."""
    n = parallel(plan, goal, out)
    if n > 0:
        turned_round(plan, n, out)
    return n


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
        if ss < LINKED + CANCELS * f * f or t2 < LINKED:
            if ss < -EDGE:
                continue
            return -1
        s4 = math.sqrt(ss) / abs(sa)
        if not abs(c4 * c4 + s4 * s4 - 1.0) < GOOD:
            return -1
        it = 1.0 / t2
        x0 = angle(plan, 0, c0, s0)
        theta4 = math.atan2(s4, c4)
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
                    theta4 = -theta4
                    continue
                return -1
            s2 = math.sqrt(ss)
            theta2 = math.atan2(s2, c2)
            inv = 1.0 / n2
            x4 = value(plan, 4, theta4)
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
                out[count, 2] = value(plan, 2, theta2)
                out[count, 3] = angle(plan, 3, c * c12 + s * s12, s * c12 - c * s12)
                out[count, 4] = x4
                out[count, 5] = x5
                out[count, 6] = 0.0
                count += 1
                s2 = -s2
                theta2 = -theta2
            s4 = -s4
            theta4 = -theta4
    return count
