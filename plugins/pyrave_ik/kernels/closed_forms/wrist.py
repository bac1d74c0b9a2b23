"""Loops with a spherical wrist and quadratic equations: the three last axes meet.

Neighbours among the first three are parallel or meet (Pieper, 1968). See
`kernels.closed_forms.dh_frames`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.closed_forms.dh_frames import (
    CANCELS,
    CLEAR,
    EDGE,
    FLAT,
    GOOD,
    SLIM,
    STRAIGHT,
    behind,
    closing,
    crossing,
    links,
    margin,
)
from pyrave_ik.kernels.packed_arm import LINKS, MODE, SHIFT
from pyrave_ik.kernels.simd_angles import (
    CLOSED,
    COS,
    LANES,
    MORE,
    NONE,
    SIN,
    SIZE,
    STATE,
    TINY,
    angles,
    gathered,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

N = MORE
"""Rows of the rotation that is left for the wrist, column by column."""


def prepare(packed: F64) -> bool:
    """Work out links and mode; False if the loop takes other equations.

    Mode 0 and 1: an equation of heights or of distances holds joint 0 alone; 2 and 3:
    joint 2 alone. Shift is where on axis 1 distances are measured from.
    """
    if not links(packed, False):
        return False
    a0, s0 = packed[LINKS], packed[LINKS + 3]
    a1, s1 = packed[LINKS + 4], packed[LINKS + 7]
    least = min(abs(packed[LINKS + 15]), abs(packed[LINKS + 19]))
    if least < max(SLIM, 2.0 * margin(packed)):
        return False
    packed[SHIFT] = 0.0
    if abs(s1) < FLAT:
        packed[MODE] = 0.0
        return bool(abs(s0) > FLAT)
    if a1 == 0.0:
        packed[MODE] = 1.0
        packed[SHIFT] = packed[LINKS + 5]
        packed[LINKS + 5] = 0.0
        return bool(abs(a0) > FLAT or abs(s0) > FLAT)
    if a0 == 0.0:
        packed[MODE] = 3.0
        return True
    packed[MODE] = 2.0
    return bool(abs(s0) < FLAT)


def solutions(packed: F64, _screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of a loop; return k, or -1 if not sure."""
    work = np.empty(SIZE)
    m = work[CLOSED:]
    closing(packed, goal, m)
    px, py, pz = m[9], m[10], m[11]
    a0, ca0, sa0 = packed[LINKS], packed[LINKS + 2], packed[LINKS + 3]
    a1, d1 = packed[LINKS + 4], packed[LINKS + 5]
    ca1, sa1 = packed[LINKS + 6], packed[LINKS + 7]
    a2, d2 = packed[LINKS + 8], packed[LINKS + 9]
    ca2, sa2 = packed[LINKS + 10], packed[LINKS + 11]
    d3 = packed[LINKS + 13]
    shift = packed[SHIFT]
    # the centre seen from axis 2, then the two equations in joints 2 and 0: heights
    # along axis 1, lz . (1, c2, s2) = rz . (1, c0, s0), and squared distances from a
    # point of it, lq . (1, c2, s2) = rq . (1, c0, s0)
    cx, cy, cz = a2, -sa2 * d3, ca2 * d3 + d2
    pp = px * px + py * py + pz * pz
    size = pp + cx * cx + cy * cy + a0 * a0 + a1 * a1
    lz0, lz1, lz2 = ca1 * cz + d1, sa1 * cy, sa1 * cx
    lq0 = cx * cx + cy * cy + cz * cz + a1 * a1 + d1 * d1 + 2.0 * d1 * ca1 * cz
    lq1 = 2.0 * (a1 * cx + d1 * lz1)
    lq2 = 2.0 * (d1 * lz2 - a1 * cy)
    rz0, rz1, rz2 = ca0 * pz - shift, -sa0 * py, sa0 * px
    rq0 = pp + a0 * a0 + shift * (shift - 2.0 * ca0 * pz)
    rq1 = -2.0 * (a0 * px + shift * rz1)
    rq2 = -2.0 * (a0 * py + shift * rz2)
    mode = int(packed[MODE])
    if mode & 1:
        lz0, lq0, lz1, lq1, lz2, lq2 = lq0, lz0, lq1, lz1, lq2, lz2
        rz0, rq0, rz1, rq1, rz2, rq2 = rq0, rz0, rq1, rz1, rq2, rz2
    # the first row has but one unknown, joint 0 or joint 2; the second has the other
    first, second = 0, 2 * LANES
    f1, f2, g1, g2 = rz1, rz2, lq1, lq2
    f0, h0, h1, h2 = rz0 - lz0, lq0 - rq0, -rq1, -rq2
    if mode & 2:
        first, second = second, first
        f1, f2, g1, g2 = lz1, lz2, rq1, rq2
        f0, h0, h1, h2 = lz0 - rz0, rq0 - lq0, -lq1, -lq2
    # heights are lengths, distances are squares
    off_by = margin(packed)
    one, other = (size * size, size) if mode & 1 else (size, size * size)
    k, u, v = crossing(f0, f1, f2, one, off_by)
    if k <= 0:
        return k
    sure = True
    lanes = 0
    for _ in range(2):
        cf, sf = -f1 * u - f2 * v, -f2 * u + f1 * v
        v = -v
        k, y, z = crossing(h0 + h1 * cf + h2 * sf, g1, g2, other, off_by)
        sure = sure and k >= 0
        if k <= 0:
            continue
        # a second half overwrites that of the first one
        for b in range(lanes, LANES):
            w = -z if b & 2 else z
            work[first + COS + b] = cf
            work[first + SIN + b] = sf
            work[second + COS + b] = -g1 * y - g2 * w
            work[second + SIN + b] = -g2 * y + g1 * w
        lanes += LANES // 2
    if lanes == 0:
        return 0 if sure else -1
    shoulders(packed, work, size)
    hands(packed, work)
    angles(work)
    n = gathered(packed, work, lanes, GOOD * GOOD, out)
    return n if sure or n < 0 else -1 - n


def shoulders(packed: F64, work: F64, size: float) -> None:
    """Write joint 1, what is left for the wrist, and how far its centre is off.

    Parameters
    ----------
    size
        Squared length that deviations are compared with.
    """
    a0, ca0, sa0 = packed[LINKS], packed[LINKS + 2], packed[LINKS + 3]
    a1, d1 = packed[LINKS + 4], packed[LINKS + 5]
    ca1, sa1 = packed[LINKS + 6], packed[LINKS + 7]
    ca2, sa2 = packed[LINKS + 10], packed[LINKS + 11]
    shift, d3 = packed[SHIFT], packed[LINKS + 13]
    cx, cy, cz = packed[LINKS + 8], -sa2 * d3, ca2 * d3 + packed[LINKS + 9]
    px, py, pz = work[CLOSED + 9], work[CLOSED + 10], work[CLOSED + 11]
    edge = EDGE + margin(packed)
    least = edge * edge * size * size
    scale = 1.0 / max(1.0, size)
    m00, m01, m02 = work[CLOSED], work[CLOSED + 1], work[CLOSED + 2]
    m10, m11, m12 = work[CLOSED + 3], work[CLOSED + 4], work[CLOSED + 5]
    m20, m21, m22 = work[CLOSED + 6], work[CLOSED + 7], work[CLOSED + 8]
    for b in range(LANES):
        c0, s0 = work[COS + b], work[SIN + b]
        c2, s2 = work[COS + 2 * LANES + b], work[SIN + 2 * LANES + b]
        # joint 1 turns f to w: cos = f.w / |f||w|, sin = f x w / |f||w|
        gx, gy = c2 * cx - s2 * cy, s2 * cx + c2 * cy
        fx, fy, fz = gx + a1, ca1 * gy - sa1 * cz, sa1 * gy + ca1 * cz + d1
        h = c0 * py - s0 * px
        wx, wy = c0 * px + s0 * py - a0, ca0 * h + sa0 * pz
        wz = ca0 * pz - sa0 * h - shift
        n2 = (fx * fx + fy * fy) * (wx * wx + wy * wy)
        inv = 1.0 / math.sqrt(max(n2, TINY))
        c1, s1 = (fx * wx + fy * wy) * inv, (fx * wy - fy * wx) * inv
        ex, ey, ez = c1 * fx - s1 * fy - wx, s1 * fx + c1 * fy - wy, wz - fz
        off = (ex * ex + ey * ey + ez * ez) * scale
        work[STATE + b] = math.inf if n2 < least else off
        work[COS + LANES + b] = c1
        work[SIN + LANES + b] = s1
        # what is left for the wrist: N = (Z0 Rx0 Z1 Rx1 Z2 Rx2)' M, by columns
        x0, y0, z0 = behind(c0, s0, ca0, sa0, m00, m10, m20)
        x1, y1, z1 = behind(c0, s0, ca0, sa0, m01, m11, m21)
        x2, y2, z2 = behind(c0, s0, ca0, sa0, m02, m12, m22)
        x0, y0, z0 = behind(c1, s1, ca1, sa1, x0, y0, z0)
        x1, y1, z1 = behind(c1, s1, ca1, sa1, x1, y1, z1)
        x2, y2, z2 = behind(c1, s1, ca1, sa1, x2, y2, z2)
        x0, y0, z0 = behind(c2, s2, ca2, sa2, x0, y0, z0)
        x1, y1, z1 = behind(c2, s2, ca2, sa2, x1, y1, z1)
        x2, y2, z2 = behind(c2, s2, ca2, sa2, x2, y2, z2)
        work[N + b], work[N + LANES + b], work[N + 2 * LANES + b] = x0, x1, x2
        work[N + 3 * LANES + b] = y0
        work[N + 4 * LANES + b] = y1
        work[N + 5 * LANES + b] = y2
        work[N + 6 * LANES + b] = z0
        work[N + 7 * LANES + b] = z1
        work[N + 8 * LANES + b] = z2


def hands(packed: F64, work: F64) -> None:
    """Write the angles of ``Z3 Rx(a) Z4 Rx(b) Z5 = N``, two solutions in turn."""
    ca, sa = packed[LINKS + 14], packed[LINKS + 15]
    cb, sb = packed[LINKS + 18], packed[LINKS + 19]
    off_by = margin(packed)
    clear, bent = CLEAR + off_by, STRAIGHT + off_by
    inv = 1.0 / (sa * sb)
    wide = 1.0 / abs(sb)
    for b in range(LANES):
        n00, n01, n02 = work[N + b], work[N + LANES + b], work[N + 2 * LANES + b]
        n10 = work[N + 3 * LANES + b]
        n11 = work[N + 4 * LANES + b]
        n12 = work[N + 5 * LANES + b]
        n20 = work[N + 6 * LANES + b]
        n21 = work[N + 7 * LANES + b]
        n22 = work[N + 8 * LANES + b]
        # N22 = cos a cos b - sin a sin b cos x4
        c4 = (ca * cb - n22) * inv
        q2 = n02 * n02 + n12 * n12
        d = -ca * c4 * sb - sa * cb
        ss = q2 - d * d
        s4 = math.sqrt(max(ss, 0.0)) * wide
        s4 = -s4 if b & 1 else s4
        iq = 1.0 / max(q2, TINY)
        f = sa * c4 * cb + ca * sb
        a = s4 * sb
        c3, s3 = (a * n02 + d * n12) * iq, (a * n12 - d * n02) * iq
        # Rx(a) Z4 Rx(b), which Z5 turns to Z3' N: both, as angles 3 and 5 may be known
        # far worse than their sum
        g1, g2, g3 = -s4 * cb, ca * s4, ca * c4 * cb - sa * sb
        e = sa * s4
        p0, p1 = c3 * n00 + s3 * n10, c3 * n01 + s3 * n11
        q0, q1 = c3 * n10 - s3 * n00, c3 * n11 - s3 * n01
        c5 = 0.5 * (c4 * p0 + g1 * p1 + g2 * q0 + g3 * q1 + e * n20 + f * n21)
        s5 = 0.5 * (g1 * p0 - c4 * p1 + g3 * q0 - g2 * q1 + f * n20 - e * n21)
        off = work[STATE + b]
        off += (c4 * c5 + g1 * s5 - p0) ** 2 + (g1 * c5 - c4 * s5 - p1) ** 2
        off += (g2 * c5 + g3 * s5 - q0) ** 2 + (g3 * c5 - g2 * s5 - q1) ** 2
        off += (e * c5 + f * s5 - n20) ** 2 + (f * c5 - e * s5 - n21) ** 2
        off += (c3 * a - s3 * d - n02) ** 2 + (s3 * a + c3 * d - n12) ** 2
        off += (c5 * c5 + s5 * s5 - 1.0) ** 2 + (c4 * c4 + s4 * s4 - 1.0) ** 2
        straight = (ss < bent + CANCELS * d * d) | (q2 < bent)
        none = (ss < -clear) & (work[STATE + b] < GOOD * GOOD)
        work[STATE + b] = (NONE if none else math.inf) if straight else off
        work[COS + 3 * LANES + b] = c3
        work[SIN + 3 * LANES + b] = s3
        work[COS + 4 * LANES + b] = c4
        work[SIN + 4 * LANES + b] = s4
        work[COS + 5 * LANES + b] = c5
        work[SIN + 5 * LANES + b] = s5
