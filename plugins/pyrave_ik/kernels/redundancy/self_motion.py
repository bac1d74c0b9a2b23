"""The solutions of an arm with one joint to spare: the nearest, and every interval.

The joint to spare takes values all over its range. At each the loop of the other six
joints has some solutions, which are points of curves (`solution_curves`). Points of
neighbouring values that lie on one curve are joined by arcs (`curve_arcs`): from
value to value, or back to the same one where a pair merges in between. Values are added
where it is not clear what belongs together. Limits cut arcs exactly (`arc_limits`),
so that feasible parts are found that lie between two values; on these the point nearest
to a configuration is sought, and Newton's method brings it back to the curve. Curves
that no value meets are not found.

Of a calibrated arm (`kernels.calibrated`) the loops are solved without its tilts. So
near to the curves are these rows that only those that serve are brought there.

`solutions` is that of a decomposition, as in `kernels.loop_solutions`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.elimination.general import prepare, solutions
from pyrave_ik.kernels.loop_solutions import on_their_sides
from pyrave_ik.kernels.packed_arm import (
    SCREWS,
    TILT,
    TOLERANCE,
    chained,
    close,
    relative,
)
from pyrave_ik.kernels.redundancy.arc_limits import (
    NEAR,
    PARTS,
    WEIGHT,
    gap,
    is_lost,
    judged,
    nearest_of,
    parts_of,
    point,
    put_inside,
    spans_of,
)
from pyrave_ik.kernels.redundancy.curve_arcs import (
    MOST,
    Chain,
    Points,
    are_clear,
    ends_of,
    joined,
)
from pyrave_ik.kernels.redundancy.solution_curves import (
    N,
    along,
    arc,
    at,
    jacobian_of,
    projected,
    tangent_of,
)
from pyrave_ik.kernels.six_joint_loop import polish
from pyrave_ik.kernels.within_limits import nearer

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2

JIT_ENTRIES = ("search",)
JIT_NO_ARRAYS = (
    "finished",
    "loop_at",
    "sampled",
    "begun",
    "explored",
    "between",
    "closed",
)

NEAREST = 0
INTERVALS = 1
"""Kinds of search: the configuration nearest to one; a value in each feasible interval
in which no given value is."""
LINE, WHAT, BEST, GAIN, STEP, FIRST, LAST = range(7)
"""Entries of `setting`: the number of the held joint that takes values; what is sought;
squared distance that is to be beaten; by how much at least; most between values; ends
of its range where intervals are sought, infinite where they are given values."""
SOLVED, UNSURE, ARCS, LEAST, ROWS, FINEST = range(6)
"""Entries of `report`: loops solved, those that the kernel was not sure of, arcs, least
squared distance, rows written, least step between values."""

SLOTS = 40
"""Room for the values of a gap, with those that are added."""
_SPLITS = 3
"""The first slot of these; before are the ends of what is done and the next value."""
DEPTH = 5
"""Largest number of times that a step is halved."""
EXACT = 1e-10
"""Permitted violation of limits by arcs; clamping to a limit then moves no tool."""
_STACK = 32
STEPS = 12
"""Newton steps from an untilted loop; they converge quadratically or not at all."""
GOOD = 1e-13
"""Deviation at which they end."""
_NUDGES = 3
_NUDGE = 1.7e-4
"""Increment of a value at which the kernel is not sure; the number of tries above."""


def finished(chain: Chain, points: Points, x: F64, best: float, q: F64) -> float:
    """Write joint values (d,) of a point if they are nearer than the best so far.

    Returns the squared distance, infinite if they are not, or outside of limits. The
    point may miss the curve by small tilts and offsets of axes.
    """
    closing, row = points.end, points.x[0]
    packed, held = chain.packed, chain.held
    value = put_inside(chain.spans, chain.here, x[chain.here])
    held[chain.line] = value
    close(packed, held, chain.virtual, chain.goal, closing)
    n = 0
    for k in range(N):
        if k != chain.here:
            row[n] = x[k]
            n += 1
    off = packed[TOLERANCE]
    # a held joint is put on its limit with the others in step
    is_rough = value != x[chain.here] or packed[TILT] != 0.0
    if is_rough and not polish(chain.loop, closing, row[:6], STEPS, GOOD) <= off:
        return math.inf
    row[6] = 0.0
    if not on_their_sides(row, chain.virtual):
        return math.inf
    loop, near = chain.loop, chain.near
    return nearer(packed, loop, closing, held, 0, row, near, best, off, True, q)


def loop_at(chain: Chain, points: Points, value: float, report: F64) -> int:
    """Write the rows of the loop at a value; return how many there are."""
    packed = chain.packed
    for i in range(_NUDGES):
        chain.held[chain.line] = value + _NUDGE * i
        close(packed, chain.held, chain.virtual, chain.goal, points.end)
        n = -1
        if prepare(packed):
            n = solutions(packed, chain.loop, points.end, points.rows)
        report[SOLVED] += 1.0
        if n != -1:
            return n if n >= 0 else -1 - n
    report[UNSURE] += 1.0
    return 0


def sampled(
    chain: Chain,
    points: Points,
    now: int,
    value: float,
    given: bool,
    out: F64,
    report: F64,
) -> None:
    """Write the points at a value of the line into a slot.

    Where the nearest configuration is sought those inside of limits are candidates,
    where intervals are sought the value itself unless it is given.
    """
    rows = points.rows
    n = loop_at(chain, points, value, report)
    value = chain.held[chain.line]
    points.values[now] = value
    xs, us = points.xs[now], points.us[now]
    count = 0
    serves = False
    for r in range(min(n, MOST)):
        j = 0
        x = xs[count]
        for k in range(N):
            if k == chain.here:
                x[k] = value
            else:
                x[k] = rows[r, j]
                j += 1
        if is_lost(chain.spans, x):
            continue
        way = point(chain.spans, x)
        serves = serves or way < math.inf
        if not chain.seeks and way < report[LEAST]:
            way = finished(chain, points, x, report[LEAST], out[0])
            if way < report[LEAST]:
                report[LEAST] = way
                report[ROWS] = 1.0
        tangent_of(chain.screws, x, chain.here, points.pose, points.jacobian, us[count])
        count += 1
    points.counts[now] = count
    if chain.seeks and serves and not given and report[ROWS] < out.shape[0]:
        out[int(report[ROWS]), 0] = value
        report[ROWS] += 1.0


def begun(chain: Chain, points: Points, out: F64, report: F64) -> bool:
    """Return True if the wanted values meet the goal as they are, and write them."""
    if chain.seeks or chain.virtual.shape[0] > 0:
        return False
    x = points.xs[0, 0]
    for k in range(N):
        x[k] = chain.spans[k, NEAR]
    jacobian_of(chain.screws, x, points.pose, points.jacobian)
    for i in range(3):
        for j in range(4):
            if abs(points.pose[i, j] - chain.closing[i, j]) > chain.packed[TOLERANCE]:
                return False
    way = finished(chain, points, x, math.inf, out[0])
    if way < report[LEAST]:
        report[LEAST] = way
        report[ROWS] = 1.0
    return bool(report[LEAST] <= chain.gain)


def is_end(chain: Chain, value: float) -> bool:
    """Return True if a value is an end of the line's range that is not given."""
    most = _NUDGE * _NUDGES
    return bool(value <= chain.first + most or value >= chain.last - most)


def explored(
    chain: Chain, points: Points, begins: bool, ends: bool, out: F64, report: F64
) -> None:
    """Search an arc, the first (4, 7) of the stack: two points with their tangents.

    Each point that is found divides it.

    Parameters
    ----------
    begins, ends
        Whether the first and the last point may belong to an interval that is sought.
    """
    stack, curve, parts = points.stack, points.curve, points.parts
    x, u = points.x[1], points.x[2]
    size = 1
    for _ in range(_STACK):
        n = int(report[ROWS])
        if size == 0 or (chain.seeks and n == out.shape[0]):
            break
        size -= 1
        one = stack[size]
        length, off = arc(one, chain.screws, curve)
        outside, way = judged(chain.spans, curve, off * length)
        best = math.inf if chain.seeks else report[LEAST]
        if length < 1e-7 or outside > 0.0 or way >= best:
            continue
        where = -1.0
        widest, least = 0.0, best - chain.gain
        for i in range(parts_of(chain.spans, curve, parts)):
            s0, s1 = parts[i, 0], parts[i, 1]
            if not chain.seeks:
                s, way = nearest_of(chain.spans, curve, s0, s1)
                if way < least:
                    where, least = s, way
            elif (s0 > 0.0 or begins) and (s1 < 1.0 or ends) and s1 - s0 > widest:
                where, widest = 0.5 * (s0 + s1), s1 - s0
        if where < 0.0:
            continue
        at(curve, where, x)
        along(curve, where, u)
        if projected(chain.screws, chain.closing, x, u, 6) > chain.packed[TOLERANCE]:
            continue
        way = finished(chain, points, x, best, out[n if chain.seeks else 0])
        if way < math.inf:
            report[ROWS] = n + 1 if chain.seeks else 1
            report[LEAST] = way
            if chain.seeks:
                out[n, 0] = chain.held[chain.line]
                continue
        if 1e-9 < where < 1.0 - 1e-9 and size + 2 <= _STACK:
            for k in range(N):
                stack[size + 1, 2, k], stack[size + 1, 3, k] = one[2, k], one[3, k]
                stack[size + 1, 0, k], stack[size + 1, 1, k] = x[k], u[k]
                one[2, k], one[3, k] = x[k], u[k]
            size += 2
            begins, ends = False, False


def between(
    chain: Chain, points: Points, first: int, last: int, out: F64, report: F64
) -> None:
    """Search the gap between two values, and add others where arcs are not clear."""
    todo = points.todo
    todo[0, 0], todo[0, 1], todo[0, 2] = first, last, 0
    size = 1
    used = _SPLITS
    while size > 0:
        size -= 1
        a, b, depth = int(todo[size, 0]), int(todo[size, 1]), todo[size, 2]
        n = joined(chain, points, a, b)
        best = math.inf if chain.seeks else report[LEAST]
        clear = are_clear(chain, points, a, b, n, best)
        if not clear and depth < DEPTH and used < SLOTS:
            value = 0.5 * (points.values[a] + points.values[b])
            sampled(chain, points, used, value, False, out, report)
            report[FINEST] = min(report[FINEST], value - points.values[a])
            todo[size, 1], todo[size, 2] = used, depth + 1
            todo[size + 1, 0], todo[size + 1, 1] = used, b
            todo[size + 1, 2] = depth + 1
            size += 2
            used += 1
            continue
        for p in range(n):
            if points.pairs[p, 0] == points.pairs[p, 1]:
                continue
            report[ARCS] += 1.0
            outside, way = points.verdicts[p, 0], points.verdicts[p, 1]
            if outside == 0.0 and (chain.seeks or way < report[LEAST]):
                ends_of(points, a, b, p, points.stack[0])
                i = a if points.pairs[p, 0] >= 0 else b
                j = a if points.pairs[p, 1] >= 0 else b
                begins = is_end(chain, points.values[i])
                ends = is_end(chain, points.values[j])
                explored(chain, points, begins, ends, out, report)


def search(
    packed: F64_1,
    base: F64_2,
    pose: F64_2,
    virtual: F64_2,
    held: F64_1,
    values: F64_1,
    near: F64_1,
    reach: F64_1,
    setting: F64_1,
    out: F64_2,
    report: F64_1,
) -> int:
    """Search the solutions of a goal over the values of one held joint.

    Parameters
    ----------
    held
        (f,) values of the held axes; that of the line is overwritten.
    values
        (m,) ascending values of the line's axis, the first and the last are the ends of
        its range. INTERVALS: those between are given, see also FIRST and LAST.
    near
        (d,) joint values from which distances are counted.
    reach
        (7,) how far outside of limits a point of the chain may matter.
    setting, report
        See the names of their entries.
    out
        (r, d). NEAREST: the first row gets the joint values. INTERVALS: column 0 gets
        values of the line's axis. The result counts the rows.
    """
    goal = np.empty((3, 4))
    closing = np.empty((3, 4))
    screws = np.empty((N, 7))
    spans = np.empty((N, 6))
    line = int(setting[LINE])
    relative(base, pose, goal)
    here = spans_of(packed, line, virtual, near, reach, EXACT, spans)
    chained(packed, held, line, virtual, goal, screws, closing)
    seeks = setting[WHAT] == INTERVALS
    work = packed.copy()
    chain = Chain(
        work,
        work[SCREWS : SCREWS + 42].reshape(6, 7),
        virtual,
        goal,
        held,
        line,
        here,
        screws,
        closing,
        spans,
        near,
        seeks,
        setting[GAIN],
        setting[FIRST],
        setting[LAST],
    )
    points = Points(
        np.empty(SLOTS),
        np.empty(SLOTS, np.int64),
        np.empty((SLOTS, MOST, N)),
        np.empty((SLOTS, MOST, N)),
        np.empty((64, 7)),
        np.empty((3, 4)),
        np.empty((3, 4)),
        np.empty((6, 7)),
        np.empty((3, N)),
        np.empty((MOST, MOST)),
        np.empty((2, MOST, N)),
        np.empty((4 * MOST, 2), np.int64),
        np.empty((4 * MOST, 2)),
        np.empty((SLOTS, 3), np.int64),
        np.empty((_STACK, 4, N)),
        np.empty((4, N)),
        np.empty((PARTS, 2)),
    )
    report[LEAST] = setting[BEST]
    if begun(chain, points, out, report):
        return 1
    m = values.shape[0]
    wanted = spans[here, NEAR]
    start = min(max(wanted, values[0]), values[m - 1])
    number = 0
    if seeks:
        # numbers of the values from the nearest on
        for i in range(1, m):
            if abs(values[i] - wanted) < abs(values[number] - wanted):
                number = i
        start = values[number]
        ups, downs = m - 1 - number, number
    else:
        step = setting[STEP]
        ups = math.ceil((values[1] - start) / step - 1e-9)
        downs = math.ceil((start - values[0]) / step - 1e-9)
    low, high, spare = 0, 0, 1
    third = 2
    up, down = 0, 0
    sampled(chain, points, 0, start, True, out, report)
    while up < ups or down < downs:
        # outward from the wanted value
        above, below = math.inf, -math.inf
        if up < ups:
            above = (
                values[number + up + 1]
                if seeks
                else start + (values[1] - start) * (up + 1) / ups
            )
        if down < downs:
            below = (
                values[number - down - 1]
                if seeks
                else start + (values[0] - start) * (down + 1) / downs
            )
        rises = above - wanted <= wanted - below
        done = high if rises else low
        edge = points.values[done]
        way = spans[here, WEIGHT] * gap(spans, here, edge, edge) ** 2
        if not seeks and way > report[LEAST]:
            break
        value = above if rises else below
        report[FINEST] = min(report[FINEST], abs(value - edge))
        sampled(chain, points, spare, value, True, out, report)
        if rises:
            between(chain, points, high, spare, out, report)
            up += 1
        else:
            between(chain, points, spare, low, out, report)
            down += 1
        # the slot of the end that moved is free, unless the other end is there, too
        free = third if low == high else done
        if rises:
            high = spare
        else:
            low = spare
        spare = free
    return int(report[ROWS])
