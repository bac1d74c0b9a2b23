"""Joint values from those of a loop, and the whole turns of joints inside limits.

Arrays as in `kernels.solve`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_ik.kernels.packed_arm import (
    ARM,
    AXIS,
    LIMITS,
    N_AXES,
    N_JOINTS,
    ONE_TURN,
    WITHIN,
    bounds_at,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

SLACK = 1e-6
"""Violation of a limit up to which a joint is put on it, if the tool stays."""
MANY = 2

JIT_NO_ARRAYS = (
    "joints",
    "all_joints",
    "moving_joints",
    "lowest",
    "settled",
    "outside",
)


def joints(packed: F64, held: F64, x: F64, q: F64) -> None:
    """Write the arm's joint values (d,) of a loop's values and the held ones."""
    kept = 0
    used = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] != 0.0:
            value = held[used]
            used += 1
        else:
            value = x[kept]
            kept += 1
        q[int(packed[at + 9])] = (value - packed[at + 8]) * packed[at + 11]


def all_joints(packed: F64, held: F64, rows: F64, k: int, out: F64, n: int) -> None:
    """Do what `joints` does for k rows of a loop, to rows of `out` from n on."""
    kept = 0
    used = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        joint = int(packed[at + 9])
        constant, inverse = packed[at + 8], packed[at + 11]
        if packed[at + 10] != 0.0:
            value = (held[used] - constant) * inverse
            used += 1
            for r in range(k):
                out[n + r, joint] = value
        else:
            for r in range(k):
                out[n + r, joint] = (rows[r, kept] - constant) * inverse
            kept += 1


def moving_joints(packed: F64, mask: int) -> int:
    """Return bits of the arm's joints from those of the loop's."""
    if mask == 0:
        return 0
    kept = 0
    moving = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] == 0.0:
            moving |= (mask >> kept & 1) << int(packed[at + 9])
            kept += 1
    return moving


def lowest(packed: F64, q: F64, count: F64) -> float:
    """Move joints by whole turns to their least values inside; return combinations.

    `count` gets how many values each joint has. Where one has none, `q` is anywhere.
    """
    at = bounds_at(packed)
    total = 1.0
    for i in range(q.shape[0]):
        value = q[i]
        mode = packed[at + 2]
        period = packed[at + 4]
        number = 1.0
        if mode == WITHIN:
            low = packed[at] - SLACK
            high = packed[at + 1] + SLACK
            if period == 0.0:
                number = 1.0 if low <= value <= high else 0.0
            else:
                if not low <= value < low + period:
                    value += period * math.ceil((low - value) / period)
                number = 0.0
                if value <= high:
                    number = 1.0
                    if value + period <= high:
                        number += math.floor((high - value) / period)
            if number == 0.0:
                return 0.0
        elif mode == ONE_TURN and period != 0.0:
            ahead = packed[at + 3] - value
            if abs(ahead) > 0.5 * period:
                value += period * math.floor(ahead / period + 0.5)
        q[i] = value
        count[i] = number
        total *= number
        at += LIMITS
    return total


def turns(packed: F64, held: F64, x: F64, q: F64, count: F64) -> float:
    """Write joint values of a row at their lowest turns; see `lowest`.

    Joints that move on a continuum have the values that they have.
    """
    joints(packed, held, x, q)
    moving = moving_joints(packed, int(x[6]))
    if moving == 0:
        return lowest(packed, q, count)
    values = q.copy()
    total = lowest(packed, q, count)
    at = bounds_at(packed)
    for i in range(q.shape[0]):
        if moving >> i & 1 and packed[at + 2] == WITHIN:
            if not packed[at] - SLACK <= values[i] <= packed[at + 1] + SLACK:
                return 0.0
            total /= max(count[i], 1.0)
            q[i] = values[i]
            count[i] = 1.0
        at += LIMITS
    return total


def settled(packed: F64, near: F64, every: bool, rows: F64, r: int) -> int:
    """Put joints inside their limits, whole turns away; return in how many ways.

    0 and 1 are exact. Else the joints are anywhere, and `all_turns` knows.

    Parameters
    ----------
    near
        (d,) joint values: of several turns the one nearest to them is taken.
    every
        Whether all turns are wanted.
    rows, r
        (k, d) joint values, and the number of the row. A view of it would cost as much
        as all else here.
    """
    limits = bounds_at(packed)
    calm = True
    at = limits
    for i in range(int(packed[N_JOINTS])):
        calm &= packed[at + 5] <= rows[r, i] <= packed[at + 6]
        at += LIMITS
    if calm:
        return 1
    number = 1
    for i in range(int(packed[N_JOINTS])):
        at = limits + LIMITS * i
        value = rows[r, i]
        if packed[at + 5] <= value <= packed[at + 6]:
            continue
        low, high = packed[at], packed[at + 1]
        period = packed[at + 4]
        if packed[at + 2] != WITHIN:
            number = MANY
        elif period == 0.0:
            if not low - SLACK <= value <= high + SLACK:
                return 0
            number = MANY
        else:
            least = value
            if not low - SLACK <= value < low - SLACK + period:
                least += period * math.ceil((low - SLACK - value) / period)
            if least > high + SLACK:
                return 0
            several = least + period <= high + SLACK
            new = least
            if several and not every:
                new += period * math.floor((near[i] - least) / period + 0.5)
                if new > high + SLACK:
                    new -= period * math.ceil((new - high - SLACK) / period)
                new = max(new, least)
            if low <= new <= high and not (several and every):
                rows[r, i] = new
            else:
                number = MANY
    return number


def outside(packed: F64, q: F64, out: F64) -> None:
    """Write the violation of limits by joints at their nearest turns."""
    at = bounds_at(packed)
    for i in range(q.shape[0]):
        out[i] = 0.0
        if packed[at + 2] == WITHIN:
            over = q[i] - packed[at + 1]
            under = packed[at] - q[i]
            period = packed[at + 4]
            if period != 0.0:
                over -= period * math.floor(over / period)
                under -= period * math.floor(under / period)
                # ways up from the upper and to the lower limit: what the range leaves
                # of a turn, or of two turns from inside
                if over + under > 1.5 * period - (packed[at + 1] - packed[at]):
                    over = under = 0.0
            if over > 0.0 and (under <= 0.0 or over <= under):
                out[i] = over
            elif under > 0.0:
                out[i] = -under
        at += LIMITS
