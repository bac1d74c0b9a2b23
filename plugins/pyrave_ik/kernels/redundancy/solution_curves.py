"""Chains of seven joints whose tool meets a goal: points, tangents and arcs of a curve.

The motions of a chain with one joint to spare that keep its goal are curves in the
space of its joints (Burdick, "On the inverse kinematics of redundant manipulators:
characterization of the self-motion manifolds", ICRA 1989). A point of one is a row x
(7,), and the unit vector that spans the null space of the Jacobian is its tangent.
Between two points with their tangents a curve is a cubic Bezier arc (4, 7).

`screws` is (7, 7) as those of `six_joint_loop`, `closing` (3, 4) what they close to.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.six_joint_loop import residual

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("jacobian_of", "solved", "tangent_of", "arc", "at", "along")
N = 7
"""Joints of a chain."""
TURN = 2.0 * math.pi
CLOSED = 1e-12
"""Deviation at which a point is good enough."""
_TINY = 1e-14


def jacobian_of(screws: F64, x: F64, pose: F64, out: F64) -> None:
    """Write the end displacement (3, 4) and the columns of the Jacobian (6, 7) at x.

    Angular rows are first.
    """
    for i in range(3):
        for j in range(4):
            pose[i, j] = 1.0 if i == j else 0.0
    for k in range(N):
        a0, a1, a2 = screws[k, 0], screws[k, 1], screws[k, 2]
        p0, p1, p2 = screws[k, 3], screws[k, 4], screws[k, 5]
        slides = screws[k, 6] != 0.0
        c, s, f = 1.0, 0.0, 0.0
        if not slides:
            c, s = math.cos(x[k]), math.sin(x[k])
            f = 1.0 - c
        for i in range(3):
            r0, r1, r2 = pose[i, 0], pose[i, 1], pose[i, 2]
            w = r0 * a0 + r1 * a1 + r2 * a2
            out[i, k] = w
            if slides:
                out[3 + i, k] = w
                pose[i, 3] += w * x[k]
                continue
            # the axis stays: q is a point of it
            q = r0 * p0 + r1 * p1 + r2 * p2 + pose[i, 3]
            out[3 + i, k] = q
            r0, r1, r2 = (
                c * r0 + s * (r1 * a2 - r2 * a1) + f * w * a0,
                c * r1 + s * (r2 * a0 - r0 * a2) + f * w * a1,
                c * r2 + s * (r0 * a1 - r1 * a0) + f * w * a2,
            )
            pose[i, 0], pose[i, 1], pose[i, 2] = r0, r1, r2
            pose[i, 3] = q - r0 * p0 - r1 * p1 - r2 * p2
        w0, w1, w2 = out[0, k], out[1, k], out[2, k]
        q0, q1, q2 = out[3, k], out[4, k], out[5, k]
        if slides:
            w0, w1, w2 = 0.0, 0.0, 0.0
            out[0, k], out[1, k], out[2, k] = w0, w1, w2
        else:
            out[3, k] = q1 * w2 - q2 * w1
            out[4, k] = q2 * w0 - q0 * w2
            out[5, k] = q0 * w1 - q1 * w0


def solved(a: F64, n: int) -> None:
    """Solve n equations a (n, m) for their right hand sides, columns from n on.

    Elimination with row exchange, in place; a pivot of zero is made a tiny one, so that
    the answer has the direction of the null space.
    """
    m = a.shape[1]
    for c in range(n):
        pivot = c
        for r in range(c + 1, n):
            if abs(a[r, c]) > abs(a[pivot, c]):
                pivot = r
        if pivot != c:
            for j in range(c, m):
                t = a[c, j]
                a[c, j] = a[pivot, j]
                a[pivot, j] = t
        if abs(a[c, c]) < _TINY:
            a[c, c] = _TINY
        inverse = 1.0 / a[c, c]
        for r in range(c + 1, n):
            f = a[r, c] * inverse
            for j in range(c + 1, m):
                a[r, j] -= f * a[c, j]
        a[c, c] = inverse
    for c in range(n - 1, -1, -1):
        for b in range(n, m):
            total = a[c, b]
            for k in range(c + 1, n):
                total -= a[c, k] * a[k, b]
            a[c, b] = total * a[c, c]


def tangent_of(screws: F64, x: F64, here: int, pose: F64, a: F64, out: F64) -> None:
    """Write the unit tangent (7,) at a point; it leads to greater values of one joint.

    Parameters
    ----------
    here
        That joint.
    pose, a
        (3, 4) and (6, 7), scratch.
    """
    jacobian_of(screws, x, pose, a)
    for i in range(6):
        column = a[i, here]
        a[i, here] = a[i, 6]
        a[i, 6] = -column
    solved(a, 6)
    size = 1.0
    for k in range(6):
        size += a[k, 6] * a[k, 6]
    size = 1.0 / math.sqrt(size)
    for k in range(6):
        out[k] = a[k, 6] * size
    out[6] = out[here]
    out[here] = size


def projected(screws: F64, closing: F64, x: F64, tangent: F64, steps: int) -> float:
    """Move x to the curve, square to a direction, and make that the tangent there.

    Newton's method for the goal and ``tangent . dx = 0``, which is regular at points
    where the curve turns back in a joint. Returns how far the goal is missed.
    """
    a = np.empty((N, N + 2))
    reached = np.empty((3, 4))
    twist = np.empty(6)
    worst = math.inf
    for step in range(steps + 1):
        jacobian_of(screws, x, reached, a)
        worst = residual(reached, closing, twist)
        if not worst < 1e3:
            return math.inf
        for i in range(6):
            a[i, 7] = twist[i]
            a[i, 8] = 0.0
        for k in range(N):
            a[6, k] = tangent[k]
        a[6, 7] = 0.0
        a[6, 8] = 1.0
        solved(a, N)
        size = 0.0
        for k in range(N):
            size += a[k, 8] * a[k, 8]
        size = 1.0 / math.sqrt(size)
        for k in range(N):
            tangent[k] = a[k, 8] * size
        if worst < CLOSED or step == steps:
            break
        longest = 0.0
        for k in range(N):
            longest = max(longest, abs(a[k, 7]))
        f = 0.5 / longest if longest > 0.5 else 1.0
        for k in range(N):
            x[k] += f * a[k, 7]
    return worst


def turned_to(period: float, x: float, near: float) -> float:
    """Return x moved by whole turns next to another value."""
    if period == 0.0:
        return x
    return x - period * math.floor((x - near) / period + 0.5)


def arc(ends: F64, screws: F64, out: F64) -> tuple[float, float]:
    """Write the arc (4, 7) between two points with unit tangents, ends (4, 7).

    Angles of the second point are those next to the first. Returns the chord's length,
    and by how much of it the chord is away from the mean of the tangents: 0 for a
    straight line, 1/8 of the squared angle between them for part of a circle.
    """
    length = 0.0
    for k in range(N):
        d = ends[2, k] - ends[0, k]
        if screws[k, 6] == 0.0:
            d -= TURN * math.floor(d / TURN + 0.5)
        out[3, k] = d
        length += d * d
    length = math.sqrt(length)
    off = 0.0
    for k in range(N):
        d = out[3, k]
        off += (d - 0.5 * length * (ends[1, k] + ends[3, k])) ** 2
        out[0, k] = ends[0, k]
        out[3, k] = ends[0, k] + d
        out[1, k] = ends[0, k] + length / 3.0 * ends[1, k]
        out[2, k] = out[3, k] - length / 3.0 * ends[3, k]
    return length, (math.sqrt(off) / length if length > 0.0 else 0.0)


def at(curve: F64, s: float, out: F64) -> None:
    """Write the point (7,) of an arc at 0 <= s <= 1."""
    r = 1.0 - s
    c0, c1, c2, c3 = r * r * r, 3.0 * r * r * s, 3.0 * r * s * s, s * s * s
    for k in range(N):
        out[k] = (
            c0 * curve[0, k] + c1 * curve[1, k] + c2 * curve[2, k] + c3 * curve[3, k]
        )


def along(curve: F64, s: float, out: F64) -> None:
    """Write the derivative (7,) of an arc by s."""
    r = 1.0 - s
    c0, c1, c2 = 3.0 * r * r, 6.0 * r * s, 3.0 * s * s
    for k in range(N):
        out[k] = (
            c0 * (curve[1, k] - curve[0, k])
            + c1 * (curve[2, k] - curve[1, k])
            + c2 * (curve[3, k] - curve[2, k])
        )


def cubic(b0: float, b1: float, b2: float, b3: float, s: float) -> float:
    """Return a cubic at s from its Bernstein coefficients."""
    r = 1.0 - s
    return r * r * (r * b0 + 3.0 * s * b1) + s * s * (3.0 * r * b2 + s * b3)


def zeros(b0: float, b1: float, b2: float, b3: float, out: F64, n: int) -> int:
    """Add the simple zeros of a cubic in 0..1 to n values; return how many there are.

    The extrema divide it into monotone pieces.
    """
    d0, d1, d2 = b1 - b0, b2 - b1, b3 - b2
    a = d0 - 2.0 * d1 + d2
    b = d1 - d0
    ends = np.empty(4)
    ends[0] = 0.0
    count = 1
    root = b * b - a * d0
    if root > 0.0:
        # the zero of the derivative that is not a difference first (Press et al. 5.6)
        q = -(b + math.copysign(math.sqrt(root), b))
        first = q / a if a != 0.0 else -1.0
        second = d0 / q if q != 0.0 else -1.0
        low, high = min(first, second), max(first, second)
        if 0.0 < low < 1.0:
            ends[count] = low
            count += 1
        if 0.0 < high < 1.0:
            ends[count] = high
            count += 1
    ends[count] = 1.0
    for i in range(count):
        low, high = ends[i], ends[i + 1]
        f = cubic(b0, b1, b2, b3, low)
        if (f < 0.0) == (cubic(b0, b1, b2, b3, high) < 0.0):
            continue
        s = 0.5 * (low + high)
        for _ in range(20):
            h = cubic(b0, b1, b2, b3, s)
            if (h < 0.0) == (f < 0.0):
                low = s
            else:
                high = s
            r = 1.0 - s
            slope = 3.0 * (r * r * d0 + 2.0 * r * s * d1 + s * s * d2)
            new = s - h / slope if slope != 0.0 else low
            if not low < new < high:
                new = 0.5 * (low + high)
            moved = abs(new - s)
            s = new
            if moved < 1e-12:
                break
        out[n] = s
        n += 1
    return n
