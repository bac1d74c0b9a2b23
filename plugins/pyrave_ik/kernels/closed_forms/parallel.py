"""Loops with three parallel axes and quadratic equations: the two behind them meet.

See `kernels.closed_forms.dh_frames`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.closed_forms.dh_frames import (
    CANCELS,
    CLEAR,
    EDGE,
    GOOD,
    LINKED,
    SLIM,
    behind,
    closing,
    crossing,
    links,
    margin,
)
from pyrave_ik.kernels.packed_arm import LINKS
from pyrave_ik.kernels.simd_angles import (
    CLOSED,
    COS,
    LANES,
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


def prepare(packed: F64) -> bool:
    """Work out the links; False if the loop takes other equations."""
    if not links(packed, True):
        return False
    least = min(
        abs(packed[LINKS + 3]), abs(packed[LINKS + 15]), abs(packed[LINKS + 19])
    )
    return bool(least > max(SLIM, 2.0 * margin(packed)) and packed[LINKS + 16] == 0.0)


def solutions(packed: F64, _screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of a loop; return k, or -1 if not sure."""
    work = np.empty(SIZE)
    m = work[CLOSED:]
    closing(packed, goal, m)
    px, py, pz = m[9], m[10], m[11]
    a1, a2 = packed[LINKS + 4], packed[LINKS + 8]
    size = px * px + py * py + pz * pz + a1 * a1 + a2 * a2
    # the height along the three axes holds joint 0
    height = (
        packed[LINKS + 2] * pz
        - packed[LINKS + 13]
        - packed[LINKS + 14] * packed[LINKS + 17]
    )
    sine = packed[LINKS + 3]
    k, u, v = crossing(height, -sine * py, sine * px, size, margin(packed))
    if k <= 0:
        return k
    legs(packed, work, u, v, size)
    angles(work)
    return gathered(packed, work, LANES, GOOD * GOOD, out)


def legs(packed: F64, work: F64, u: float, v: float, size: float) -> None:
    """Write the angles: two of joint 0 for each of joint 4, and two of joint 2."""
    a0, ca0, sa0 = packed[LINKS], packed[LINKS + 2], packed[LINKS + 3]
    a1, a2, a3 = packed[LINKS + 4], packed[LINKS + 8], packed[LINKS + 12]
    ca, sa = packed[LINKS + 14], packed[LINKS + 15]
    d4, cb, sb = packed[LINKS + 17], packed[LINKS + 18], packed[LINKS + 19]
    px, py, pz = work[CLOSED + 9], work[CLOSED + 10], work[CLOSED + 11]
    m00, m01, m02 = work[CLOSED], work[CLOSED + 1], work[CLOSED + 2]
    m10, m11, m12 = work[CLOSED + 3], work[CLOSED + 4], work[CLOSED + 5]
    m20, m21, m22 = work[CLOSED + 6], work[CLOSED + 7], work[CLOSED + 8]
    off_by = margin(packed)
    edge, clear = EDGE + off_by, CLEAR + off_by
    inv4 = 1.0 / (sa * sb)
    inv2 = 0.5 / (a1 * a2)
    wide = 1.0 / abs(sa)
    scale = 1.0 / max(1.0, size)
    y = -sa * d4
    for b in range(LANES):
        w = -v if b & 4 else v
        c0, s0 = sa0 * (py * u - px * w), -sa0 * (px * u + py * w)
        h = c0 * py - s0 * px
        wx, wy = c0 * px + s0 * py - a0, ca0 * h + sa0 * pz
        # K = (Z0 Rx0)' M
        k00, k10, k20 = behind(c0, s0, ca0, sa0, m00, m10, m20)
        k01, k11, k21 = behind(c0, s0, ca0, sa0, m01, m11, m21)
        k02, k12, k22 = behind(c0, s0, ca0, sa0, m02, m12, m22)
        c4 = (ca * cb - k22) * inv4
        t2 = k20 * k20 + k21 * k21
        f = sa * c4 * cb + ca * sb
        rest4 = t2 - f * f
        linked = (rest4 < LINKED + off_by + CANCELS * f * f) | (t2 < LINKED + off_by)
        s4 = math.sqrt(max(rest4, 0.0)) * wide
        s4 = -s4 if b & 2 else s4
        it = 1.0 / max(t2, TINY)
        e = sa * s4
        c5, s5 = (e * k20 + f * k21) * it, (f * k20 - e * k21) * it
        # two rows of Rx(a) Z4 Rx(b) Z5, which the three joints turn about z
        p2, q2 = s4 * sb, -ca * c4 * sb - sa * cb
        g1, g2, g3 = s4 * cb, ca * s4, ca * c4 * cb - sa * sb
        p0, p1 = c4 * c5 - g1 * s5, -c4 * s5 - g1 * c5
        q0, q1 = g2 * c5 + g3 * s5, g3 * c5 - g2 * s5
        c = 0.5 * (p0 * k00 + p1 * k01 + p2 * k02 + q0 * k10 + q1 * k11 + q2 * k12)
        s = 0.5 * (p0 * k10 + p1 * k11 + p2 * k12 - q0 * k00 - q1 * k01 - q2 * k02)
        off = (c * p0 - s * q0 - k00) ** 2 + (s * p0 + c * q0 - k10) ** 2
        off += (c * p1 - s * q1 - k01) ** 2 + (s * p1 + c * q1 - k11) ** 2
        off += (c * p2 - s * q2 - k02) ** 2 + (s * p2 + c * q2 - k12) ** 2
        off += (e * c5 + f * s5 - k20) ** 2 + (f * c5 - e * s5 - k21) ** 2
        off += (c4 * c4 + s4 * s4 - 1.0) ** 2
        turned = off < GOOD * GOOD
        # two links reach the point z of the third axis: the law of cosines,
        # |z|^2 = a1^2 + a2^2 + 2 a1 a2 cos x2
        zx, zy = wx - c * a3 + s * y, wy - s * a3 - c * y
        n2 = zx * zx + zy * zy
        c2 = (n2 - a1 * a1 - a2 * a2) * inv2
        rest2 = 1.0 - c2 * c2
        s2 = math.sqrt(max(rest2, 0.0))
        s2 = -s2 if b & 1 else s2
        folded = (rest2 < edge) | (n2 < edge * size)
        inv = 1.0 / max(n2, TINY)
        fx, fy = a1 + a2 * c2, a2 * s2
        c1, s1 = (fx * zx + fy * zy) * inv, (fx * zy - fy * zx) * inv
        ex, ey = c1 * fx - s1 * fy - zx, s1 * fx + c1 * fy - zy
        off += (ex * ex + ey * ey) * scale + (c1 * c1 + s1 * s1 - 1.0) ** 2
        # joint 2 is asked only where joint 4 has an answer
        out4 = NONE if rest4 < -clear else math.inf
        out2 = NONE if (rest2 < -clear) & turned else math.inf
        work[STATE + b] = out4 if linked else (out2 if folded else off)
        c12, s12 = c1 * c2 - s1 * s2, s1 * c2 + c1 * s2
        work[COS + b] = c0
        work[SIN + b] = s0
        work[COS + LANES + b] = c1
        work[SIN + LANES + b] = s1
        work[COS + 2 * LANES + b] = c2
        work[SIN + 2 * LANES + b] = s2
        work[COS + 3 * LANES + b] = c * c12 + s * s12
        work[SIN + 3 * LANES + b] = s * c12 - c * s12
        work[COS + 4 * LANES + b] = c4
        work[SIN + 4 * LANES + b] = s4
        work[COS + 5 * LANES + b] = c5
        work[SIN + 5 * LANES + b] = s5
