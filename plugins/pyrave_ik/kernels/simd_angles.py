"""The angles of eight solutions side by side, in loops that become vector operations.

A closed form has up to eight solutions: three equations with two roots each. They are
worked out together, each in its lane, with the same operations and without a branch;
which lanes have none is looked up in the end. `work` is one array with `LANES` numbers
in a row for each quantity.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_ik.kernels.packed_arm import BACKWARD, SIGN, ZERO

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

LANES = 8
COS = 0
"""Six rows: cosines of the angles in the chain, in the end values of the axes."""
SIN = 6 * LANES
STATE = 12 * LANES
"""One row: squared deviation from the goal; `NONE`: no solution; infinite: not sure."""
MORE = 13 * LANES
"""Nine rows for what a closed form needs."""
CLOSED = 22 * LANES
"""24 numbers: what the loop closes to, see `closing` in `dh_frames`."""
SIZE = CLOSED + 24
NONE = -1.0
TINY = 1e-30
"""Smallest denominator; lanes below it do not count."""
PI = math.pi
TAN_EIGHTH = math.tan(PI / 8.0)

JIT_OPTIONS = {
    # not for sums of several products: which one is rounded with the sum is anyone's
    # guess, and at singular poses solutions would depend on who asks
    "arctangent": {"fastmath": {"contract"}, "forceinline": True},
}


def arctangent(s: float, c: float) -> float:
    """Return the angle of a cosine and a sine, not both zero, to two units of its end.

    No calls and no branches: loops over it become vector operations.
    """
    a, b = abs(c), abs(s)
    upright = b > a
    low = a if upright else b
    high = b if upright else a
    steep = low > TAN_EIGHTH * high
    t = (low - high if steep else low) / (low + high if steep else high)
    q = t * t
    # atan(t) / t to 1.3e-18 up to tan(pi / 8), coefficients by Remez's algorithm
    p = -0.01792227300705354
    p = p * q + 0.03807831382717572
    p = p * q - 0.05039845169839472
    p = p * q + 0.058480088252724084
    p = p * q - 0.06663120369012408
    p = p * q + 0.07692061635562958
    p = p * q - 0.09090897836345363
    p = p * q + 0.11111110786133553
    p = p * q - 0.14285714280248407
    p = p * q + 0.1999999999995408
    p = p * q - 0.333333333333332
    t += t * q * p
    t = 0.25 * PI + t if steep else t
    t = 0.5 * PI - t if upright else t
    t = PI - t if c < 0.0 else t
    return -t if s < 0.0 else t


def angles(work: F64) -> None:
    """Write the angles in the place of their cosines."""
    for k in range(6 * LANES):
        work[COS + k] = arctangent(work[SIN + k], work[COS + k])


def gathered(packed: F64, work: F64, lanes: int, good: float, out: F64) -> int:
    """Write rows (k, 7) of the first lanes; return k, or -1 - k if not sure of all.

    Parameters
    ----------
    good
        Greatest squared deviation.
    """
    n = 0
    sure = True
    backward = packed[BACKWARD] != 0.0
    for b in range(lanes):
        off = work[STATE + b]
        if off == NONE:
            continue
        if not off < good:
            sure = False
            continue
        for i in range(6):
            x = packed[SIGN + i] * (work[COS + LANES * i + b] - packed[ZERO + i])
            x = x - 2.0 * PI if x >= PI else x
            x = x + 2.0 * PI if x < -PI else x
            out[n, 5 - i if backward else i] = x
        out[n, 6] = 0.0
        n += 1
    return n if sure else -1 - n
