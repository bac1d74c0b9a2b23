"""Arcs of curves of solutions: which points of neighbouring values belong together.

A search takes one joint through values. At each the loop of the others has solutions,
points of curves (`solution_curves`) with their tangents.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from pyrave_ik.kernels.redundancy.arc_limits import judged
from pyrave_ik.kernels.redundancy.solution_curves import TURN, N, arc

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = (
    "go_ahead",
    "squared_distance",
    "joined",
    "turned_back",
    "ends_of",
    "are_clear",
)

MOST = 16
"""Solutions of one value."""
CLEAR = 0.12
"""Deviation of an arc's chord from its tangents above which it is doubtful."""
MEETING = 0.25
"""Squared distance of two tangents half way above which points are not joined."""
_ALONE = 0.3
"""Reach of a curve through a point that is joined with no other."""


class Chain(NamedTuple):
    """Seven joints, six of a loop and the line, with a goal.

    Parameters
    ----------
    packed, loop
        A copy, in which the loop is closed for each value, and the loop's screws.
    virtual, goal
        (k, 8) virtual joints, and (3, 4) T_base_goal.
    held
        (f,) values of the held axes.
    line, here
        Number of the line among the held axes, and among the chain's.
    screws, closing
        (7, 7) and (3, 4), see `solution_curves`.
    spans
        (7, 6), see `arc_limits`.
    near
        (d,) wanted joint values.
    seeks
        Whether intervals are sought, and not the nearest configuration.
    gain
        By how much a squared distance must be less at least.
    first, last
        Ends of the line's range where intervals are sought, which are not given.
    """

    packed: F64
    loop: F64
    virtual: F64
    goal: F64
    held: F64
    line: int
    here: int
    screws: F64
    closing: F64
    spans: F64
    near: F64
    seeks: bool
    gain: float
    first: float
    last: float


class Points(NamedTuple):
    """Points of curves at some values, and room for what is worked out of them.

    Parameters
    ----------
    values, counts
        (s,) values of the line, and how many points there are.
    xs, us
        (s, 16, 7) points and their tangents, which lead to greater values.
    rows, pose, end, jacobian, x
        (64, 7), (3, 4), (3, 4), (6, 7) and (3, 7), scratch.
    way, ahead
        (16, 16) and (2, 16, 7), scratch.
    pairs, verdicts
        (64, 2) which points are joined, and what is known of the arc.
    todo
        (s, 3) gaps: numbers of two values, and how often it was halved.
    stack, curve, parts
        (32, 4, 7), (4, 7) and (32, 2) pieces of an arc, one of them, and its parts.
    """

    values: F64
    counts: I64
    xs: F64
    us: F64
    rows: F64
    pose: F64
    end: F64
    jacobian: F64
    x: F64
    way: F64
    ahead: F64
    pairs: I64
    verdicts: F64
    todo: I64
    stack: F64
    curve: F64
    parts: F64


def go_ahead(points: Points, a: int, here: int, half: float, out: F64) -> None:
    """Write the points that lie half a step farther along the tangents."""
    for i in range(points.counts[a]):
        f = half / max(points.us[a, i, here], 0.1)
        for k in range(N):
            out[i, k] = points.xs[a, i, k] + f * points.us[a, i, k]


def squared_distance(screws: F64, a: F64, i: int, b: F64, j: int, most: float) -> float:
    """Return the squared distance of two rows, infinite if it is above a bound."""
    total = 0.0
    for k in range(N):
        d = b[j, k] - a[i, k]
        if screws[k, 6] == 0.0:
            d -= TURN * math.floor(d / TURN + 0.5)
        total += d * d
        if total > most:
            return math.inf
    return total


def joined(chain: Chain, points: Points, a: int, b: int) -> int:
    """Find the points of two neighbouring values that a curve joins.

    Rows of pairs are the number of a point of a, or -1 - that of one of b, twice.
    Those of the two values are joined whose tangents meet half way; others of one value
    by a curve that turns back. Points left over are joined with themselves. Returns the
    count of pairs.
    """
    pairs, way = points.pairs, points.way
    ya, yb = points.ahead[0], points.ahead[1]
    na, nb = points.counts[a], points.counts[b]
    half = 0.5 * (points.values[b] - points.values[a])
    go_ahead(points, a, chain.here, half, ya)
    go_ahead(points, b, chain.here, -half, yb)
    for i in range(na):
        for j in range(nb):
            way[i, j] = squared_distance(chain.screws, ya, i, yb, j, MEETING)
    left = (1 << na) - 1
    right = (1 << nb) - 1
    n = 0
    before = -1
    while n > before and nb > 0:
        before = n
        for i in range(na):
            q = 0
            for j in range(nb):
                if way[i, j] < way[i, q]:
                    q = j
            if way[i, q] == math.inf:
                continue
            mutual = True
            for p in range(na):
                mutual = mutual and way[i, q] <= way[p, q]
            if mutual:
                left -= 1 << i
                right -= 1 << q
                pairs[n, 0], pairs[n, 1] = i, -1 - q
                n += 1
                for p in range(na):
                    way[p, q] = math.inf
                for j in range(nb):
                    way[i, j] = math.inf
    n = turned_back(chain.screws, points.xs[a], left, 1, pairs, n)
    return turned_back(chain.screws, points.xs[b], right, -1, pairs, n)


def turned_back(screws: F64, xs: F64, rest: int, side: int, pairs: I64, n: int) -> int:
    """Add pairs of points of one value, the nearest first; then those left over.

    Parameters
    ----------
    rest
        The bits of the points.
    side
        1 if they are those of the first value, -1: of the second.
    """
    while rest != 0:
        best, p, q = 1.0, -1, -1
        last = 0
        for i in range(MOST):
            if rest >> i & 1:
                last = i
                for j in range(i):
                    if rest >> j & 1:
                        d = squared_distance(screws, xs, i, xs, j, best)
                        if d < best:
                            best, p, q = d, i, j
        if p < 0:
            p = last
            q = last
        rest &= ~((1 << p) | (1 << q))
        pairs[n, 0] = p if side > 0 else -1 - p
        pairs[n, 1] = q if side > 0 else -1 - q
        n += 1
    return n


def ends_of(points: Points, a: int, b: int, pair: int, ends: F64) -> None:
    """Write two points that are joined, (4, 7): each with the curve's direction."""
    for i in range(2):
        number = points.pairs[pair, i]
        place = a if number >= 0 else b
        # a curve leaves a for greater values, and b for less
        sign = 1.0 if (number >= 0) == (i == 0) else -1.0
        if number < 0:
            number = -1 - number
        for k in range(N):
            ends[2 * i, k] = points.xs[place, number, k]
            ends[2 * i + 1, k] = sign * points.us[place, number, k]


def are_clear(
    chain: Chain, points: Points, a: int, b: int, n: int, best: float
) -> bool:
    """Return True if each of n arcs that may matter is known well enough.

    Writes of each how far it is outside of limits, and its least squared distance.
    """
    ends, curve = points.stack[0], points.stack[1]
    clear = True
    for p in range(n):
        ends_of(points, a, b, p, ends)
        if points.pairs[p, 0] == points.pairs[p, 1]:
            off = math.inf
            for k in range(N):
                for i in range(4):
                    curve[i, k] = ends[0, k]
            outside, way = judged(chain.spans, curve, _ALONE)
        else:
            length, off = arc(ends, chain.screws, curve)
            outside, way = judged(chain.spans, curve, off * length)
        points.verdicts[p, 0], points.verdicts[p, 1] = outside, way
        clear = clear and (off < CLEAR or outside > 0.0 or way >= best)
    return clear
