"""From values of a loop's axes to values of an arm's joints, inside their limits.

`plan` is what `pyrave_ik.packing` wrote; the constants below are its layout.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FORM = 0
"""1 where `direct` kernels apply, 0 elsewhere."""
FIRST = 1
BACKWARD = 2
TOLERANCE = 3
TURNS = 4
SCREWS = 7
HOME = 49
"""(3, 4) inverse of the home pose."""
ORDER = 61
SCALE = 67
OFFSET = 73
LOWER = 79
UPPER = 85
COPIES = 91
LEFT = 92
"""(3, 4): the loop in the frames of its axes is ``left pose right``."""
RIGHT = 104
SIGN = 116
ZERO = 122
LINKS = 128
"""(5, 4): length, offset along the axis, cosine and sine of the twist."""
MODE = 148
SHIFT = 149
KIND = 150
SIZE = 151

SLACK = 1e-10
"""How far outside a limit rounding may put a value that is then set to the limit."""
TURN = 2.0 * math.pi


def target(plan: Floats, pose: Floats, out: Floats) -> None:
    """Write the (3, 4) goal of the loop, ``pose inv(home)``."""
    for i in range(3):
        for j in range(4):
            out[i, j] = (
                pose[i, 0] * plan[HOME + j]
                + pose[i, 1] * plan[HOME + 4 + j]
                + pose[i, 2] * plan[HOME + 8 + j]
            )
        out[i, 3] += pose[i, 3]


def turned_round(plan: Floats, n: int, out: Floats) -> None:
    """Reverse the order of axes of n rows if the loop is run backward."""
    if plan[BACKWARD] == 0.0:
        return
    for r in range(n):
        for i in range(3):
            v = out[r, i]
            out[r, i] = out[r, 5 - i]
            out[r, 5 - i] = v


def deliver(plan: Floats, n: int, out: Floats) -> int:
    """Turn n rows (7,) of axes' values into joint values, in place; return how many.

    Angles are in -pi..pi before. What is inside no limits is dropped; with copies,
    all values that differ by whole turns follow. Column 6 holds a bit for each joint
    that is free on a continuum. The last row of `out` is scratch.
    """
    kept = 0
    v = out[out.shape[0] - 1]
    for r in range(n):
        inside = True
        for i in range(6):
            q = (out[r, i] - plan[OFFSET + i]) / plan[SCALE + i]
            low = plan[LOWER + i]
            high = plan[UPPER + i]
            if q < low or q > high or plan[COPIES] != 0.0:
                q = _inside(q, plan, i, low, high)
                if not q < math.inf:
                    inside = False
                    break
            v[int(plan[ORDER + i])] = q
        if inside:
            mask = int(out[r, 6])
            free = 0
            for i in range(6):
                out[kept, i] = v[i]
                free |= (mask >> i & 1) << int(plan[ORDER + i])
            out[kept, 6] = free
            kept += 1
    if plan[COPIES] != 0.0:
        kept = _copied(plan, kept, out)
    return kept


def _inside(q: float, plan: Floats, i: int, low: float, high: float) -> float:
    """Return the value inside limits that is whole turns from `q`, or infinity.

    The nearest, and the least if all copies are wanted.
    """
    if plan[SCREWS + 7 * i + 6] == 0.0 and low > -1e3:
        period = TURN / abs(plan[SCALE + i])
        if q < low - SLACK or plan[COPIES] != 0.0:
            q += period * math.ceil((low - SLACK - q) / period)
        elif high < 1e3:
            q -= period * math.ceil((q - high - SLACK) / period)
    if q < low - SLACK or q > high + SLACK:
        return math.inf
    return min(max(q, low), high)


def _copied(plan: Floats, n: int, out: Floats) -> int:
    """Add the copies of n rows at whole turns; return how many rows there are."""
    last = out.shape[0] - 1
    for i in range(6):
        high = plan[UPPER + i]
        if plan[SCREWS + 7 * i + 6] != 0.0 or high > 1e3 or plan[LOWER + i] < -1e3:
            continue
        j = int(plan[ORDER + i])
        period = TURN / abs(plan[SCALE + i])
        for r in range(n):
            q = out[r, j] + period
            while q <= high + SLACK and n < last:
                for k in range(7):
                    out[n, k] = out[r, k]
                out[n, j] = min(q, high)
                n += 1
                q += period
    return n
