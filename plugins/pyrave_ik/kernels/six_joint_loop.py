"""Kernels of a closed loop of six joints: motion, twists, Newton steps, verification.

A loop is ``E_0(x_0) E_1(x_1) ... E_5(x_5) = G``, a product of exponentials (Lynch and
Park, Modern Robotics, 2017, eq. 4.14). `screws` is (6, 7) float64: unit axis
(3), a point on it (3), and 1 for a sliding joint. `goal` is G, (4, 4).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.linear import factored, substituted

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

PI = math.pi

JIT_NO_ARRAYS = ("displacement", "copied", "identity", "times", "inverted", "carried")


def displacement(screw: F64, value: float, out: F64) -> None:
    """Write the (3, 4) displacement of one joint at a value (Rodrigues' formula).

    ``R = I + sin(x) [w] + (1 - cos(x)) [w]^2`` (Lynch and Park, eq. 3.51), and
    ``p = q - R q`` for an axis w through q.
    """
    x, y, z = screw[0], screw[1], screw[2]
    if screw[6] != 0.0:
        identity(out)
        out[0, 3] = x * value
        out[1, 3] = y * value
        out[2, 3] = z * value
        return
    h = math.sin(0.5 * value)
    v = 2.0 * h * h
    c = 1.0 - v
    s = 2.0 * h * math.cos(0.5 * value)
    out[0, 0] = c + x * x * v
    out[0, 1] = x * y * v - z * s
    out[0, 2] = x * z * v + y * s
    out[1, 0] = x * y * v + z * s
    out[1, 1] = c + y * y * v
    out[1, 2] = y * z * v - x * s
    out[2, 0] = x * z * v - y * s
    out[2, 1] = y * z * v + x * s
    out[2, 2] = c + z * z * v
    for i in range(3):
        out[i, 3] = screw[3 + i] - (
            out[i, 0] * screw[3] + out[i, 1] * screw[4] + out[i, 2] * screw[5]
        )


def copied(a: F64, out: F64) -> None:
    """Write the entries of a (3, 4) displacement; compiles faster than a slice."""
    for i in range(3):
        for j in range(4):
            out[i, j] = a[i, j]


def identity(out: F64) -> None:
    """Write the (3, 4) identity."""
    for i in range(3):
        for j in range(4):
            out[i, j] = 1.0 if i == j else 0.0


def times(a: F64, b: F64, out: F64) -> None:
    """Write the product of two (3, 4) displacements; `out` may not be an input."""
    for i in range(3):
        a0, a1, a2 = a[i, 0], a[i, 1], a[i, 2]
        for j in range(4):
            out[i, j] = a0 * b[0, j] + a1 * b[1, j] + a2 * b[2, j]
        out[i, 3] += a[i, 3]


def span(screws: F64, x: F64, start: int, stop: int, out: F64) -> None:
    """Write the (3, 4) product of the displacements of joints start to stop - 1."""
    step = np.empty((3, 4))
    now = np.empty((3, 4))
    identity(out)
    for k in range(start, stop):
        displacement(screws[k], x[k], step)
        copied(out, now)
        times(now, step, out)


def end(screws: F64, x: F64, out: F64) -> None:
    """Write the (3, 4) product of all six displacements."""
    span(screws, x, 0, 6, out)


def residual(reached: F64, goal: F64, out: F64) -> float:
    """Write the twist (angular, then linear at the base origin) to first order.

    Returns the greatest deviation of an entry of the displacement. The twist is that
    of ``goal inv(reached)``.
    """
    worst = 0.0
    total = 0.0
    for i in range(3):
        for j in range(4):
            off = abs(goal[i, j] - reached[i, j])
            worst = max(worst, off)
            total += off
    if not total < math.inf:
        # a comparison with NaN is false
        worst = math.inf
    d = np.empty((3, 3))
    for i in range(3):
        for j in range(3):
            d[i, j] = (
                goal[i, 0] * reached[j, 0]
                + goal[i, 1] * reached[j, 1]
                + goal[i, 2] * reached[j, 2]
            )
    # the skew part of G R' is sin(x) [w], and v = p_G - p - w x p
    out[0] = 0.5 * (d[2, 1] - d[1, 2])
    out[1] = 0.5 * (d[0, 2] - d[2, 0])
    out[2] = 0.5 * (d[1, 0] - d[0, 1])
    p0, p1, p2 = reached[0, 3], reached[1, 3], reached[2, 3]
    out[3] = goal[0, 3] - p0 - (out[1] * p2 - out[2] * p1)
    out[4] = goal[1, 3] - p1 - (out[2] * p0 - out[0] * p2)
    out[5] = goal[2, 3] - p2 - (out[0] * p1 - out[1] * p0)
    return worst


def twists(screws: F64, x: F64, reached: F64, jacobian: F64) -> None:
    """Write the end displacement and the (6, 6) space Jacobian, angular rows first.

    Column k is the screw of joint k where those before it have carried it,
    ``Ad(E_0 ... E_k-1) S_k`` with ``S = (w, q x w)`` (Lynch and Park, eq. 5.11).
    """
    step = np.empty((3, 4))
    now = np.empty((3, 4))
    identity(now)
    for k in range(6):
        s = screws[k]
        # w = R w_k
        w0 = now[0, 0] * s[0] + now[0, 1] * s[1] + now[0, 2] * s[2]
        w1 = now[1, 0] * s[0] + now[1, 1] * s[1] + now[1, 2] * s[2]
        w2 = now[2, 0] * s[0] + now[2, 1] * s[1] + now[2, 2] * s[2]
        if s[6] != 0.0:
            jacobian[0, k] = 0.0
            jacobian[1, k] = 0.0
            jacobian[2, k] = 0.0
            jacobian[3, k] = w0
            jacobian[4, k] = w1
            jacobian[5, k] = w2
        else:
            q0 = now[0, 0] * s[3] + now[0, 1] * s[4] + now[0, 2] * s[5] + now[0, 3]
            q1 = now[1, 0] * s[3] + now[1, 1] * s[4] + now[1, 2] * s[5] + now[1, 3]
            q2 = now[2, 0] * s[3] + now[2, 1] * s[4] + now[2, 2] * s[5] + now[2, 3]
            jacobian[0, k] = w0
            jacobian[1, k] = w1
            jacobian[2, k] = w2
            # v = q x w for a point q of the axis
            jacobian[3, k] = q1 * w2 - q2 * w1
            jacobian[4, k] = q2 * w0 - q0 * w2
            jacobian[5, k] = q0 * w1 - q1 * w0
        displacement(s, x[k], step)
        times(now, step, reached)
        copied(reached, now)


def damped_step(jacobian: F64, twist: F64, damping: float, out: F64) -> None:
    """Write ``(J'J + damping I)^-1 J' e`` by Cholesky; damping is over the trace."""
    a = np.empty((6, 6))
    trace = 0.0
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(6):
                total += jacobian[k, i] * jacobian[k, j]
            a[i, j] = total
        trace += a[i, i]
        total = 0.0
        for k in range(6):
            total += jacobian[k, i] * twist[k]
        out[i] = total
    for i in range(6):
        a[i, i] += damping * trace
    for i in range(6):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= a[i, k] * a[j, k]
            if i == j:
                a[i, i] = math.sqrt(max(total, 1e-300))
            else:
                a[i, j] = total / a[j, j]
    for i in range(6):
        total = out[i]
        for k in range(i):
            total -= a[i, k] * out[k]
        out[i] = total / a[i, i]
    for i in range(5, -1, -1):
        total = out[i]
        for k in range(i + 1, 6):
            total -= a[k, i] * out[k]
        out[i] = total / a[i, i]


def gauss_step(jacobian: F64, twist: F64, out: F64) -> bool:
    """Write ``J^-1 e`` by elimination with row exchange; False where J is singular."""
    factors = jacobian.copy()
    exchanged = np.empty(6, np.int64)
    if not factored(factors, exchanged):
        return False
    for i in range(6):
        out[i] = twist[i]
    substituted(factors, exchanged, out)
    return True


def polish(screws: F64, goal: F64, x: F64, steps: int, good: float) -> float:
    """Improve `x` by Newton steps, damped where singular; return the deviation."""
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    twist = np.empty(6)
    change = np.empty(6)
    best = np.empty(6)
    least = math.inf
    for _ in range(steps):
        twists(screws, x, reached, jacobian)
        worst = residual(reached, goal, twist)
        if worst < least:
            least = worst
            for k in range(6):
                best[k] = x[k]
        if worst < good or worst > 4.0 * least + 1.0 or worst == math.inf:
            break
        if not gauss_step(jacobian, twist, change):
            damped_step(jacobian, twist, 1e-12 + 1e-2 * min(worst * worst, 1.0), change)
        length = 0.0
        for k in range(6):
            length = max(length, abs(change[k]))
        f = 0.5 / length if length > 0.5 else 1.0
        for k in range(6):
            x[k] += f * change[k]
    for k in range(6):
        x[k] = best[k]
    return least


def inverted(d: F64, out: F64) -> None:
    """Write the inverse of a (3, 4) displacement."""
    for i in range(3):
        for j in range(3):
            out[i, j] = d[j, i]
    for i in range(3):
        out[i, 3] = -(out[i, 0] * d[0, 3] + out[i, 1] * d[1, 3] + out[i, 2] * d[2, 3])


def carried(d: F64, screw: F64, out: F64) -> None:
    """Write a screw after a (3, 4) displacement."""
    for i in range(3):
        out[i] = d[i, 0] * screw[0] + d[i, 1] * screw[1] + d[i, 2] * screw[2]
        out[3 + i] = (
            d[i, 0] * screw[3] + d[i, 1] * screw[4] + d[i, 2] * screw[5] + d[i, 3]
        )
    out[6] = screw[6]


def arranged(
    screws: F64,
    goal: F64,
    first: int,
    backward: bool,
    out: F64,
    goal_out: F64,
) -> None:
    """Write the same loop, begun at joint `first` and run backward if asked.

    ``E_f ... E_5 (G' E_0 G) ... = G`` forward, and then
    ``E_5' ... E_0' = G'`` backward, where ``E(x)'`` turns about the opposite axis.
    The values of the joints stay the same.
    """
    n = screws.shape[0]
    back = np.empty((3, 4))
    inverted(goal, back)
    for k in range(n):
        j = (first + k) % n
        to = n - 1 - k if backward else k
        if j < first:
            carried(back, screws[j], out[to])
        else:
            for i in range(7):
                out[to, i] = screws[j, i]
        if backward:
            for i in range(3):
                out[to, i] = -out[to, i]
    copied(back if backward else goal, goal_out)


def closest(a: F64, b: F64, out: F64) -> float:
    """Write the point of axis `a` that is nearest to axis `b`; return their distance.

    Parallel axes: the point that the screw names.
    """
    dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    gap = 1.0 - dot * dot
    r0, r1, r2 = b[3] - a[3], b[4] - a[4], b[5] - a[5]
    ra = r0 * a[0] + r1 * a[1] + r2 * a[2]
    rb = r0 * b[0] + r1 * b[1] + r2 * b[2]
    t = 0.0
    u = 0.0
    if gap > 1e-12:
        t = (ra - dot * rb) / gap
        u = (dot * ra - rb) / gap
    else:
        u = -rb
    total = 0.0
    for i in range(3):
        out[i] = a[3 + i] + t * a[i]
        d = b[3 + i] + u * b[i] - out[i]
        if gap <= 1e-12:
            d = b[3 + i] - a[3 + i] - ra * a[i]
        total += d * d
    return math.sqrt(total)


def keep(screws: F64, x: F64, out: F64, n: int) -> int:
    """Add `x`, its angles in -pi..pi, unless it is there already; return the count."""
    for k in range(6):
        if screws[k, 6] == 0.0:
            x[k] -= 2.0 * math.pi * math.floor((x[k] + math.pi) / (2.0 * math.pi))
    for i in range(n):
        same = True
        for k in range(6):
            d = abs(x[k] - out[i, k])
            if screws[k, 6] == 0.0:
                d = min(d, 2.0 * math.pi - d)
            if d > 1e-6:
                same = False
                break
        if same:
            return n
    for k in range(6):
        out[n, k] = x[k]
    return n + 1
