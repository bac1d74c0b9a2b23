"""Limits of the joints of a curve: what parts of an arc are inside, and the nearest.

`spans` (7, 6) has a row for each joint of the chain, see `spans_of`. Values of turning
joints count modulo whole turns.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.packed_arm import (
    ARM,
    AXIS,
    FRONT,
    LIMITS,
    N_AXES,
    ONE_TURN,
    POSITIVE,
    bounds_at,
)
from pyrave_ik.kernels.redundancy.solution_curves import (
    TURN,
    N,
    along,
    at,
    cubic,
    turned_to,
    zeros,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = (
    "spans_of",
    "placed",
    "put_inside",
    "gap",
    "point",
    "is_lost",
    "box",
    "judged",
)
LOWER, UPPER, PERIOD, NEAR, WEIGHT, REACH = range(6)
"""Columns of `spans`: limits, one turn or 0, the wanted value, the weight of the
squared distance from it, and how far outside of limits a point may matter."""
OUT, PART, IN = range(3)
PARTS = 32
"""Most parts of an arc."""
EDGE = 1e-6
"""Permitted violation of limits at a point of a closed form."""


def spans_of(
    packed: F64,
    line: int,
    virtual: F64,
    near: F64,
    reach: F64,
    slack: float,
    spans: F64,
) -> int:
    """Write the spans of a chain's joints; return which joint the line is.

    Parameters
    ----------
    line
        Number of the held axis that moves; the others do not belong to the chain.
    near
        (d,) wanted values of the arm's joints.
    reach
        (7,) how far outside of limits a point of the chain may matter.
    slack
        How much wider the limits are taken.
    """
    for k in range(N):
        spans[k, REACH] = reach[k]
    n = 0
    used = 0
    here = 0
    for i in range(int(packed[N_AXES])):
        axis = ARM + AXIS * i
        if packed[axis + 10] != 0.0:
            used += 1
            if used - 1 != line:
                continue
            here = n
        joint = int(packed[axis + 9])
        f, c = packed[axis + 7], packed[axis + 8]
        limits = bounds_at(packed) + LIMITS * joint
        spans[n, PERIOD] = 0.0 if packed[axis + 6] != 0.0 else TURN
        spans[n, LOWER], spans[n, UPPER] = -math.inf, math.inf
        if packed[limits + 2] != ONE_TURN:
            a = f * (packed[limits] - slack) + c
            b = f * (packed[limits + 1] + slack) + c
            spans[n, LOWER], spans[n, UPPER] = min(a, b), max(a, b)
        spans[n, NEAR] = f * near[joint] + c
        spans[n, WEIGHT] = packed[axis + 11] * packed[axis + 11]
        n += 1
    for j in range(virtual.shape[0]):
        spans[n, PERIOD] = 0.0 if virtual[j, 6] != 0.0 else TURN
        spans[n, LOWER], spans[n, UPPER] = -math.inf, math.inf
        if virtual[j, 7] == FRONT:
            spans[n, LOWER], spans[n, UPPER] = -0.5 * math.pi, 0.5 * math.pi
        elif virtual[j, 7] == POSITIVE:
            spans[n, LOWER] = 0.0
        spans[n, NEAR] = 0.0
        spans[n, WEIGHT] = 0.0
        n += 1
    return here


def placed(spans: F64, k: int, low: float, high: float) -> tuple[int, float]:
    """Return the state of a range of values of a joint, and its violation of limits.

    OUT: no value is inside the limits, in any turn; IN: all are; PART: some may be.
    """
    a, b, period = spans[k, LOWER], spans[k, UPPER], spans[k, PERIOD]
    if period == 0.0:
        if high < a:
            return OUT, a - high
        if low > b:
            return OUT, low - b
        return (IN if a <= low and high <= b else PART), 0.0
    if b - a >= period:
        return IN, 0.0
    shift = period * math.floor((low - a) / period)
    low -= shift
    high -= shift
    if high <= b:
        return IN, 0.0
    if low > b and high < a + period:
        return OUT, min(low - b, a + period - high)
    return PART, 0.0


def put_inside(spans: F64, k: int, value: float) -> float:
    """Return a value, or the nearest limit of its joint if it is outside."""
    a, b, period = spans[k, LOWER], spans[k, UPPER], spans[k, PERIOD]
    if period == 0.0:
        return float(min(max(value, a), b))
    shift = period * math.floor((value - a) / period) if b - a < period else 0.0
    over = value - shift - b
    if b - a >= period or over <= 0.0:
        return value
    return float(shift + (b if over < 0.5 * (a + period - b) else a + period))


def gap(spans: F64, k: int, low: float, high: float) -> float:
    """Return the distance of a range of values that is not OUT from the wanted one."""
    a, b, period = spans[k, LOWER], spans[k, UPPER], spans[k, PERIOD]
    near = float(spans[k, NEAR])
    if period == 0.0 or b - a >= period:
        middle, half = 0.5 * (low + high), 0.5 * (high - low)
        return max(abs(turned_to(period, middle, near) - near) - half, 0.0)
    shift = period * math.floor((low - a) / period)
    low -= shift
    high -= shift
    way = math.inf
    if low <= b:
        way = max(low - near, near - min(high, b), 0.0)
    if high >= a + period:
        way = min(way, max(a - near, near - high + period, 0.0))
    return way


def moved_to(spans: F64, k: int, value: float) -> float:
    """Return a value inside the limits in the turn nearest to the wanted one."""
    a, b, period = spans[k, LOWER], spans[k, UPPER], spans[k, PERIOD]
    if period == 0.0:
        return value
    value = turned_to(period, value, float(spans[k, NEAR]))
    if value < a:
        value += period * math.ceil((a - value) / period)
    elif value > b:
        value -= period * math.ceil((value - b) / period)
    return value


def point(spans: F64, x: F64) -> float:
    """Return a lower bound of the squared distance of a point; infinite outside."""
    way = 0.0
    for k in range(N):
        if placed(spans, k, x[k] - EDGE, x[k] + EDGE)[0] == OUT:
            return math.inf
        if spans[k, WEIGHT] != 0.0:
            way += spans[k, WEIGHT] * gap(spans, k, x[k] - EDGE, x[k] + EDGE) ** 2
    return way


def is_lost(spans: F64, x: F64) -> bool:
    """Return True if a point is too far outside of limits to matter."""
    lost = False
    for k in range(N):
        lost = lost or placed(spans, k, x[k], x[k])[1] > spans[k, REACH]
    return lost


def box(curve: F64, k: int, margin: float) -> tuple[float, float]:
    """Return the least and the greatest value that a joint may have on an arc."""
    c0, c1, c2, c3 = curve[0, k], curve[1, k], curve[2, k], curve[3, k]
    return min(c0, c1, c2, c3) - margin, max(c0, c1, c2, c3) + margin


def judged(spans: F64, curve: F64, margin: float) -> tuple[float, float]:
    """Return an arc's violation of limits, and its least squared distance."""
    outside = 0.0
    way = 0.0
    for k in range(N):
        low, high = box(curve, k, margin)
        where, off = placed(spans, k, low, high)
        if where == OUT:
            outside = max(outside, off)
        elif outside == 0.0 and spans[k, WEIGHT] != 0.0:
            way += spans[k, WEIGHT] * gap(spans, k, low, high) ** 2
    return outside, way


def parts_of(spans: F64, curve: F64, parts: F64) -> int:
    """Write the parts s0..s1 of an arc (k, 2) that are inside of all limits."""
    ends = np.empty(2 * PARTS)
    cut = np.empty(N)
    ends[0] = 0.0
    count = 1
    for k in range(N):
        low, high = box(curve, k, 0.0)
        where, _ = placed(spans, k, low, high)
        cut[k] = 0.0
        if where == IN:
            continue
        if where == OUT:
            return 0
        cut[k] = 1.0
        a, b, period = spans[k, LOWER], spans[k, UPPER], spans[k, PERIOD]
        if period != 0.0:
            shift = period * math.floor((low - a) / period)
            a += shift + period
            b += shift
        for i in range(2):
            level = a if i == 0 else b
            if abs(level) < math.inf and count < 2 * PARTS - 4:
                count = zeros(
                    curve[0, k] - level,
                    curve[1, k] - level,
                    curve[2, k] - level,
                    curve[3, k] - level,
                    ends,
                    count,
                )
    for i in range(1, count):
        j = i
        while j > 0 and ends[j] < ends[j - 1]:
            s = ends[j]
            ends[j] = ends[j - 1]
            ends[j - 1] = s
            j -= 1
    ends[count] = 1.0
    n = 0
    for i in range(count):
        s = 0.5 * (ends[i] + ends[i + 1])
        inside = True
        for k in range(N):
            if cut[k] != 0.0:
                x = cubic(curve[0, k], curve[1, k], curve[2, k], curve[3, k], s)
                inside = inside and placed(spans, k, x, x)[0] != OUT
        if not inside:
            continue
        if n > 0 and parts[n - 1, 1] == ends[i]:
            parts[n - 1, 1] = ends[i + 1]
        elif n < PARTS:
            parts[n, 0], parts[n, 1] = ends[i], ends[i + 1]
            n += 1
    return n


def nearest_of(spans: F64, curve: F64, s0: float, s1: float) -> tuple[float, float]:
    """Return the point of an arc's part nearest to wanted values, and its distance.

    Gauss-Newton steps for the squared distance, from the least of five points.
    """
    x = np.empty(N)
    v = np.empty(N)
    shift = np.empty(N)
    at(curve, 0.5 * (s0 + s1), x)
    for k in range(N):
        shift[k] = moved_to(spans, k, x[k]) - x[k] - spans[k, NEAR]
    best, least = s0, math.inf
    for i in range(5):
        s = s0 + 0.25 * i * (s1 - s0)
        at(curve, s, x)
        way = 0.0
        for k in range(N):
            way += spans[k, WEIGHT] * (x[k] + shift[k]) ** 2
        if way < least:
            best, least = s, way
    s = best
    for _ in range(6):
        at(curve, s, x)
        along(curve, s, v)
        slope = 0.0
        bend = 0.0
        way = 0.0
        for k in range(N):
            off = x[k] + shift[k]
            way += spans[k, WEIGHT] * off * off
            slope += spans[k, WEIGHT] * off * v[k]
            bend += spans[k, WEIGHT] * v[k] * v[k]
        if way < least:
            best, least = s, way
        if bend == 0.0:
            break
        new = min(max(s - slope / bend, s0), s1)
        if abs(new - s) < 1e-6:
            break
        s = new
    return best, least
