"""The point of each continuum inside the limits that is nearest to a reference.

`box` (6, 5) has for each joint of the loop, in the loop's values: lower and upper
limit, the period of one turn (0 for a sliding joint), the reference value, and how much
the arm's joint moves for a unit of the loop's.

Limits may cut a continuum into parts and admit a joint in several turns: continua are
unrolled, and each joint that moves is tried in every turn that its range of values
overlaps.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.loop_solutions import ALONG_NORMAL
from pyrave_ik.kernels.packed_arm import (
    ARM,
    AXIS,
    FRONT,
    LIMITS,
    N_AXES,
    POSITIVE,
    WHOLE,
    WITHIN,
    bounds_at,
)
from pyrave_ik.kernels.singular.continua import (
    COUNT,
    FLAT,
    KIND,
    LONGEST_STEP,
    MASK,
    ON_LIMIT,
    SAGITTA,
    corrected,
    lies_on,
    size_of,
    unit,
    violation,
    without,
    wrapped,
)
from pyrave_ik.kernels.singular.singular_newton import deviation, land

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

LOW, HIGH, PERIOD, NEAR, SCALE = 0, 1, 2, 3, 4
OUTSIDE = 1e9
"""Ranks of points outside the limits begin here, see `better`."""
MOST_TURNS = 4096
"""Combinations of turns that are tried."""
SWEEPS = 100
VIRTUAL_SCALE = 1e-3
SAME = 1e-5
SLACK = 1e-6
BLUR = 100.0
"""Factor on the tolerance for points of continua near other singularities."""


def boxed(packed: F64, virtual: F64, near: F64, box: F64) -> None:
    """Write the box of the loop's joints.

    Parameters
    ----------
    near
        (d,) joint values; where it is empty, the middle between limits is near.
    """
    limits = bounds_at(packed)
    k = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] != 0.0:
            continue
        joint = int(packed[at + 9])
        f, c = packed[at + 7], packed[at + 8]
        bound = limits + LIMITS * joint
        low, high, value = -math.inf, math.inf, packed[bound + 3]
        if packed[bound + 2] == WITHIN:
            low, high = packed[bound], packed[bound + 1]
            value = 0.5 * (low + high)
        if near.shape[0] > 0:
            value = near[joint]
        box[k, LOW] = min(f * low, f * high) + c
        box[k, HIGH] = max(f * low, f * high) + c
        box[k, PERIOD] = packed[bound + 4] * abs(f)
        box[k, NEAR] = f * value + c
        box[k, SCALE] = abs(packed[at + 11])
        k += 1
    for j in range(virtual.shape[0]):
        side = virtual[j, 7]
        low, high = -math.inf, math.inf
        if side == FRONT:
            high = 0.5 * math.pi - 2.0 * ALONG_NORMAL
            low = -high
        elif side == POSITIVE:
            low = SLACK
        elif side == WHOLE:
            low, high = 0.0, 0.0
        box[k, LOW], box[k, HIGH] = low, high
        box[k, PERIOD] = 0.0 if virtual[j, 6] != 0.0 else 2.0 * math.pi
        box[k, NEAR], box[k, SCALE] = 0.0, VIRTUAL_SCALE
        k += 1


def placed(
    screws: F64, goal: F64, exact: float, box: F64, store: F64, out: F64, n: int
) -> int:
    """Add to n rows the nearest point of each continuum that is inside the limits.

    Column 6 of such rows has bits of the joints that move; these are in their final
    turns. A continuum outside the limits adds a row near to them. Continua that cross
    at their nearest points have one row, with the bits of both. The reference itself
    is the row of a continuum on which it lies.
    """
    limits = np.empty((6, 2))
    near = box[:, NEAR].copy()
    on, first = -1, n
    if deviation(screws, goal, near) < exact:
        on = lies_on(screws, goal, store, near, SAME)
    for c in range(size_of(store)):
        if n == out.shape[0]:
            break
        mask = int(store[c, 0, MASK])
        for i in range(6):
            bound = mask >> i & 1
            limits[i, 0] = box[i, LOW] if bound else -math.inf
            limits[i, 1] = box[i, HIGH] if bound else math.inf
            out[n, i] = near[i]
        rank = 0.0
        if c != on or violation(limits, near) > ON_LIMIT:
            if store[c, 0, KIND] == FLAT:
                rank = on_flat(screws, goal, exact, box, limits, store[c], out[n])
            else:
                rank = on_curve(screws, goal, exact, box, limits, store[c], out[n])
        if rank < math.inf:
            r = row_of_crossing(box, out, first, n)
            known = 0 if r == n else int(out[r, 6])
            for i in range(6):
                if mask & ~known & (1 << i):  # in its final turn in row n alone
                    out[r, i] = out[n, i]
            out[r, 6] = known | mask
            n += r == n
    return n


def row_of_crossing(box: F64, out: F64, first: int, n: int) -> int:
    """Return the row from `first` on that row n repeats, n if there is none.

    Continua cross where two of them have the same nearest point, in any turns.
    """
    for r in range(first, n):
        off = 0.0
        for i in range(6):
            off = max(off, abs(wrapped(out[r, i] - out[n, i], box[i, PERIOD])))
        if off < SAME:
            return r
    return n


def aimed(box: F64, x: F64, target: F64) -> float:
    """Write the reference in the turns nearest to `x`; return the squared distance.

    Joints without limits take the turn that is nearest.
    """
    far = 0.0
    for i in range(6):
        away = box[i, NEAR] - x[i]
        if box[i, LOW] == -math.inf and box[i, HIGH] == math.inf:
            away = wrapped(away, box[i, PERIOD])
        target[i] = x[i] + away
        far += (away * box[i, SCALE]) ** 2
    return far


def toward(
    limits: F64,
    scales: F64,
    x: F64,
    basis: F64,
    longest: float,
    target: F64,
    move: F64,
) -> None:
    """Write the move along directions that brings `x` nearest to a target.

    Inside limits, or as near to them as alternating projections lead (R. Dykstra, An
    Algorithm for Restricted Least Squares Regression, 1983).

    Parameters
    ----------
    scales
        (6,) of which distances are measured.
    basis
        (m, 6) directions, independent.
    longest
        What no joint moves more than.
    """
    m = basis.shape[0]
    b = np.empty((m, 6))
    a = np.zeros(m)
    low = np.empty(6)
    high = np.empty(6)
    size = np.zeros(6)
    off = np.zeros(6)
    for j in range(m):
        for i in range(6):
            b[j, i] = basis[j, i] * scales[i]
        for k in range(j):
            without(b[j], b[k])
        unit(b[j])
        for i in range(6):
            a[j] += b[j, i] * (target[i] - x[i]) * scales[i]
    for i in range(6):
        low[i] = min(max(limits[i, 0] - x[i], -longest), longest) * scales[i]
        high[i] = min(max(limits[i, 1] - x[i], -longest), longest) * scales[i]
        for j in range(m):
            size[i] += b[j, i] * b[j, i]
    for _ in range(SWEEPS):
        change = 0.0
        for i in range(6):
            if size[i] < 1e-12:
                continue
            value = off[i] * size[i]
            for j in range(m):
                value += a[j] * b[j, i]
            new = (value - min(max(value, low[i]), high[i])) / size[i]
            for j in range(m):
                a[j] += (off[i] - new) * b[j, i]
            change = max(change, abs(new - off[i]))
            off[i] = new
        if change < 1e-13:
            break
    for i in range(6):
        move[i] = 0.0
        for j in range(m):
            move[i] += a[j] * b[j, i] / scales[i]


def better(
    screws: F64,
    goal: F64,
    exact: float,
    limits: F64,
    x: F64,
    far: float,
    rank: float,
    out: F64,
) -> float:
    """Write `x` if it closes the loop and ranks before what was written; return ranks.

    Points inside the limits rank by the squared distance `far`, behind them the others
    by how far they are outside.
    """
    off = violation(limits, x)
    if off > ON_LIMIT:
        far = OUTSIDE + off
    if far < rank and closes(screws, goal, exact, x):
        for i in range(6):
            out[i] = x[i]
        return far
    return rank


def closes(screws: F64, goal: F64, exact: float, x: F64) -> bool:
    """Return True if `x` closes the loop; where it is not exact, it is corrected."""
    off = deviation(screws, goal, x)
    return bool(off < exact or land(screws, goal, x) < BLUR * exact)


def turns_inside(low: float, high: float, bounds: F64, period: float) -> int:
    """Return in how many turns some of the values from `low` to `high` are inside.

    `bounds` (3,): lower and upper limit; the first of these turns is written behind.
    """
    if not high - low < math.inf:
        bounds[2] = 0.0
        return 1
    bounds[2] = math.ceil((bounds[0] - SLACK - high) / period)
    return max(int(math.floor((bounds[1] + SLACK - low) / period) - bounds[2]) + 1, 0)


def turned(turns: F64, counts: F64, number: int, period: F64, out: F64) -> None:
    """Write the turns of a combination for each joint."""
    for i in range(6):
        some = int(counts[i])
        out[i] = (turns[i, 2] + number % some) * period[i]
        number //= some


def reduced(limits: F64, basis: F64, m: int, pivots: F64) -> None:
    """Bring the directions of a flat continuum to row echelon form.

    Each has a pivot joint that no other one moves; joints with limits are taken first.
    """
    for j in range(m):
        best = -1
        for i in range(6):
            limited = limits[i, 1] < math.inf and limits[best, 1] == math.inf
            if abs(basis[j, i]) > 0.5 and (best < 0 or limited):
                best = i
        pivots[j] = best
        for k in range(m):
            f = basis[k, best] / basis[j, best]
            for i in range(6):
                if k != j:
                    basis[k, i] -= f * basis[j, i]


def on_flat(
    screws: F64,
    goal: F64,
    exact: float,
    box: F64,
    limits: F64,
    flat: F64,
    out: F64,
) -> float:
    """Write the nearest point of a flat continuum; return its rank, see `better`.

    Its parts differ in the turns of joints that are no pivots: a pivot's turns are made
    up for by these.
    """
    m = int(flat[0, COUNT])
    basis = flat[2 : 2 + m].copy()
    pivots = np.empty(5)
    turns = np.zeros((6, 3))
    counts = np.ones(6)
    loose = np.zeros(6)
    x = np.empty(6)
    best = np.empty(6)
    move = np.empty(6)
    target = np.empty(6)
    periods = box[:, PERIOD].copy()
    scales = box[:, SCALE].copy()
    reduced(limits, basis, m, pivots)
    combinations, options = 1, 1
    rank = math.inf
    for i in range(6):
        low, high = flat[1, i], flat[1, i]
        moves, pivot = False, False
        for j in range(m):
            p = int(pivots[j])
            pivot = pivot or p == i
            if basis[j, i] != 0.0 and p != i:
                f = basis[j, i] / basis[j, p]
                a = f * (limits[p, 0] - flat[1, p])
                b = f * (limits[p, 1] - flat[1, p])
                low, high = low + min(a, b), high + max(a, b)
                moves = True
        if moves and not pivot and periods[i] > 0.0:
            turns[i, 0], turns[i, 1] = limits[i, 0], limits[i, 1]
            if limits[i, 1] < math.inf:
                counts[i] = turns_inside(low, high, turns[i], periods[i])
                combinations *= int(counts[i])
            else:
                loose[i] = periods[i]
                options *= 3
    for number in range(min(combinations, MOST_TURNS)):
        turned(turns, counts, number, periods, x)
        for i in range(6):
            x[i] += flat[1, i]
        least = math.inf
        for option in range(options):
            # the same part, the reference another turn away
            aimed(box, x, target)
            rest = option
            for i in range(6):
                if loose[i] > 0.0:
                    target[i] += (rest % 3 - 1) * loose[i]
                    rest //= 3
            toward(limits, scales, x, basis, math.inf, target, move)
            far = 0.0
            for i in range(6):
                far += ((target[i] - x[i] - move[i]) * scales[i]) ** 2
            if far < least:
                least = far
                for i in range(6):
                    best[i] = x[i] + move[i]
        rank = better(screws, goal, exact, limits, best, least, rank, out)
    return rank


def clipped(limits: F64, p: F64, q: F64, shift: F64, ends: F64) -> bool:
    """Write between which parts (2,) of a chord it is inside; False if nowhere.

    Limits are wider by the greatest distance of the curve from its chord.
    """
    square = 0.0
    for i in range(6):
        square += (q[i] - p[i]) ** 2
    slack = SLACK + SAGITTA * math.sqrt(square)
    ends[0], ends[1] = 0.0, 1.0
    for i in range(6):
        low = limits[i, 0] - slack - p[i] - shift[i]
        high = limits[i, 1] + slack - p[i] - shift[i]
        rate = q[i] - p[i]
        if abs(rate) < 1e-12:
            if low > 0.0 or high < 0.0:
                return False
            continue
        ends[0] = max(ends[0], min(low / rate, high / rate))
        ends[1] = min(ends[1], max(low / rate, high / rate))
    return bool(ends[0] <= ends[1])


def on_curve(
    screws: F64,
    goal: F64,
    exact: float,
    box: F64,
    limits: F64,
    curve: F64,
    out: F64,
) -> float:
    """Write the nearest point of a curve; return its rank, see `better`."""
    last = int(curve[0, COUNT]) - 1
    points = curve[1:]
    turns = np.zeros((6, 3))
    counts = np.ones(6)
    shift = np.empty(6)
    ends = np.empty(2)
    x = np.empty(6)
    ahead = np.empty(6)
    periods = box[:, PERIOD].copy()
    combinations = 1
    rank = math.inf
    for i in range(6):
        if limits[i, 1] < math.inf and periods[i] > 0.0:
            low, high = math.inf, -math.inf
            for j in range(last + 1):
                low, high = min(low, points[j, i]), max(high, points[j, i])
            slack = SAGITTA * LONGEST_STEP
            turns[i, 0], turns[i, 1] = limits[i, 0] - slack, limits[i, 1] + slack
            counts[i] = turns_inside(low, high, turns[i], periods[i])
            combinations *= int(counts[i])
    for number in range(min(combinations, MOST_TURNS)):
        turned(turns, counts, number, periods, shift)
        least = math.inf
        for j in range(last):
            # a part goes on to the chords that follow while their ends are inside
            ends[1] = 0.0
            if clipped(limits, points[j], points[j + 1], shift, ends):
                least = on_chord(box, points[j : j + 2], shift, ends, least, x, ahead)
            goes_on = ends[1] == 1.0 and within(limits, points[j + 1], shift)
            if least < math.inf and (j == last - 1 or not goes_on):
                far = slid(screws, goal, exact, box, limits, x, ahead)
                rank = better(screws, goal, exact, limits, x, far, rank, out)
                least = math.inf
    return rank


def within(limits: F64, point: F64, shift: F64) -> bool:
    """Return True if a point of a curve in another turn is inside limits."""
    for i in range(6):
        value = point[i] + shift[i]
        if value > limits[i, 1] + ON_LIMIT or value < limits[i, 0] - ON_LIMIT:
            return False
    return True


def on_chord(
    box: F64,
    chord: F64,
    shift: F64,
    ends: F64,
    least: float,
    x: F64,
    ahead: F64,
) -> float:
    """Write the nearest point of a chord (2, 6) between `ends` if it is nearer.

    Returns the least squared distance so far. The chord's direction is written, too.
    """
    p = np.empty(6)
    target = np.empty(6)
    for i in range(6):
        p[i] = chord[0, i] + shift[i]
    aimed(box, p, target)
    along, square, far = 0.0, 1e-300, 0.0
    for i in range(6):
        scaled = (chord[1, i] - chord[0, i]) * box[i, SCALE]
        along += scaled * (target[i] - p[i]) * box[i, SCALE]
        square += scaled * scaled
    u = min(max(along / square, ends[0]), ends[1])
    for i in range(6):
        p[i] += u * (chord[1, i] - chord[0, i])
        far += ((target[i] - p[i]) * box[i, SCALE]) ** 2
    if far < least:
        for i in range(6):
            x[i] = p[i]
            ahead[i] = chord[1, i] - chord[0, i]
        unit(ahead)
        least = far
    return least


def slid(
    screws: F64,
    goal: F64,
    exact: float,
    box: F64,
    limits: F64,
    x: F64,
    ahead: F64,
) -> float:
    """Slide `x` along a curve to the point nearest to the reference, inside limits.

    Returns the squared distance. Steps of a sequential quadratic program with one
    unknown, which are halved where they bring nothing.
    """
    y = np.empty(6)
    new = np.empty(6)
    move = np.empty(6)
    target = np.empty(6)
    basis = np.empty((1, 6))
    scales = box[:, SCALE].copy()
    corrected(screws, goal, exact, x, ahead)
    far = aimed(box, x, target)
    off = violation(limits, x)
    longest = 0.5 * LONGEST_STEP
    for _ in range(60):
        for i in range(6):
            basis[0, i] = ahead[i]
        toward(limits, scales, x, basis, longest, target, move)
        step = 0.0
        for i in range(6):
            step = max(step, abs(move[i]))
            y[i] = x[i] + move[i]
            new[i] = ahead[i]
        if step < 1e-11:
            break
        longest = 0.5 * step
        if corrected(screws, goal, exact, y, new) > exact:
            continue
        way = 0.0
        for i in range(6):
            way += ((target[i] - y[i]) * scales[i]) ** 2
        now = violation(limits, y)
        if now < 0.5 * off or (now < ON_LIMIT and way < far):
            far, off = way, now
            longest = 2.0 * step
            for i in range(6):
                x[i] = y[i]
                ahead[i] = new[i]
    return far
