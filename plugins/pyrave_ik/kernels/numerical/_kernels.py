"""Damped least squares with joint limits and many starts.

A start runs Levenberg-Marquardt steps whose damping falls with the residual, which
needs no line search (Sugihara, "Solvability-unconcerned inverse kinematics by the
Levenberg-Marquardt method", IEEE T-RO 2011). Joints at a limit that the step would
cross are held, and steps end at the limits: the projected method of Kanzow, Yamashita
and Fukushima (J. Comp. Appl. Math. 2004), which keeps its quadratic convergence.
Where a task is not to be met but only approached, damping follows the gain instead
(Nielsen 1999), so that each step reduces the weighted sum of squares.

The arrays of a problem are those of `residuals`. The starts of a solve are, in order:
given configurations, then those of a table whose tools come nearest to the targets,
then random ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.residuals._kernels import forward, stacked, task_rows

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}

LONGEST = 1.0
"""Most that one joint moves in a step: linear models reach no further."""
STALE = 0.6
"""A start ends that has not brought the residual below this part in four steps."""


def normal_equations(jacobian: F64, e: F64, r: int, a: F64, g: F64) -> float:
    """Write ``J'J`` (its lower triangle) and ``J'e``; return ``e'e``."""
    n = g.shape[0]
    for i in range(n):
        for j in range(i + 1):
            a[i, j] = 0.0
        g[i] = 0.0
    total = 0.0
    for k in range(r):
        row = jacobian[k]
        ek = e[k]
        total += ek * ek
        for i in range(n):
            x = row[i]
            g[i] += x * ek
            for j in range(i + 1):
                a[i, j] += x * row[j]
    return total


def damped(
    a: F64,
    g: F64,
    damping: float,
    held: F64,
    factor: F64,
    out: F64,
) -> None:
    """Write ``(A + damping I)^-1 g`` for joints that are not held, by Cholesky."""
    n = g.shape[0]
    for i in range(n):
        if held[i] != 0.0:
            for j in range(i):
                factor[i, j] = 0.0
            factor[i, i] = 1.0
            out[i] = 0.0
            continue
        total = g[i]
        for j in range(i + 1):
            v = a[i, j]
            if held[j] != 0.0:
                v = 0.0
            if i == j:
                v += damping
            for k in range(j):
                v -= factor[i, k] * factor[j, k]
            if i == j:
                # the inverse of the diagonal
                factor[i, i] = 1.0 / math.sqrt(max(v, 1e-30))
            else:
                v *= factor[j, j]
                factor[i, j] = v
                total -= v * out[j]
        out[i] = total * factor[i, i]
    for i in range(n - 1, -1, -1):
        if held[i] != 0.0:
            continue
        total = out[i]
        for k in range(i + 1, n):
            total -= factor[k, i] * out[k]
        out[i] = total * factor[i, i]


def wrapped(q: F64, turns: F64) -> None:
    """Bring joints with a period into minus half of it to half."""
    for j in range(q.shape[0]):
        if turns[j] != 0.0:
            q[j] -= turns[j] * math.floor(q[j] / turns[j] + 0.5)


def stepped(q: F64, change: F64, lower: F64, upper: F64, out: F64) -> float:
    """Write the configuration after a step, not too long and within limits.

    Returns how far it went.
    """
    n = q.shape[0]
    longest = 0.0
    for j in range(n):
        longest = max(longest, abs(change[j]))
    f = LONGEST / longest if longest > LONGEST else 1.0
    moved = 0.0
    for j in range(n):
        x = min(max(q[j] + f * change[j], lower[j]), upper[j])
        moved = max(moved, abs(x - q[j]))
        out[j] = x
    return moved


def hold(q: F64, g: F64, lower: F64, upper: F64, held: F64) -> None:
    """Mark the joints that are at a limit and would be driven beyond it."""
    for j in range(q.shape[0]):
        beyond = (q[j] >= upper[j] and g[j] > 0.0) or (q[j] <= lower[j] and g[j] < 0.0)
        held[j] = 1.0 if beyond else 0.0


def attempt(
    frames: F64,
    axes: F64,
    dofs: I64,
    starts: I64,
    kinds: I64,
    targets: F64,
    tools: F64,
    weights: F64,
    lower: F64,
    upper: F64,
    tolerance: F64,
    steps: int,
    q: F64,
    miss: F64,
    scratch: F64,
) -> tuple[int, float]:
    """Descend from `q` in place; return steps taken (negative: failed) and e'e."""
    n = q.shape[0]
    m = axes.shape[0]
    most = 6 * kinds.shape[0]
    at = 0
    lines = scratch[at : at + 6 * m].reshape(m, 6)
    at += 6 * m
    rows = scratch[at : at + 48].reshape(8, 6)
    at += 48
    jacobian = scratch[at : at + most * n].reshape(most, n)
    at += most * n
    e = scratch[at : at + most]
    at += most
    a = scratch[at : at + n * n].reshape(n, n)
    at += n * n
    factor = scratch[at : at + n * n].reshape(n, n)
    at += n * n
    g = scratch[at : at + n]
    at += n
    change = scratch[at : at + n]
    at += n
    held = scratch[at : at + n]
    mark = math.inf
    least = math.inf
    for step in range(steps):
        r = stacked(
            frames,
            axes,
            dofs,
            starts,
            kinds,
            targets,
            tools,
            weights,
            q,
            lines,
            rows,
            e,
            jacobian,
            miss,
        )
        if miss[0] <= tolerance[0] and miss[1] <= tolerance[1]:
            return step, 0.0
        least = normal_equations(jacobian, e, r, a, g)
        if step % 4 == 3:
            if least > STALE * mark:
                break
            mark = least
        hold(q, g, lower, upper, held)
        damped(a, g, 5e-3 * min(least, 1.0) + 1e-12, held, factor, change)
        if stepped(q, change, lower, upper, q) < 1e-14:
            break
    return -steps, least


def approach(
    frames: F64,
    axes: F64,
    dofs: I64,
    starts: I64,
    kinds: I64,
    targets: F64,
    tools: F64,
    weights: F64,
    lower: F64,
    upper: F64,
    steps: int,
    q: F64,
    miss: F64,
) -> float:
    """Bring the weighted sum of squares to a minimum from `q`, in place; return it."""
    n = q.shape[0]
    most = 6 * kinds.shape[0]
    lines = np.empty((axes.shape[0], 6))
    rows = np.empty((8, 6))
    jacobian = np.empty((most, n))
    e = np.empty(most)
    a = np.empty((n, n))
    factor = np.empty((n, n))
    g = np.empty(n)
    change = np.empty(n)
    held = np.empty(n)
    x = np.empty(n)
    damping = 1e-3
    growth = 2.0
    least = math.inf
    fresh = True
    for j in range(n):
        x[j] = q[j]
    for _ in range(steps):
        r = stacked(
            frames,
            axes,
            dofs,
            starts,
            kinds,
            targets,
            tools,
            weights,
            x,
            lines,
            rows,
            e,
            jacobian,
            miss,
        )
        total = 0.0
        for i in range(r):
            total += e[i] * e[i]
        if fresh or total < least:
            gained = least - total
            moved = 0.0
            for j in range(n):
                moved = max(moved, abs(x[j] - q[j]))
                q[j] = x[j]
            least = normal_equations(jacobian, e, r, a, g)
            if not fresh:
                damping = max(damping * 0.2, 1e-15)
                growth = 2.0
                if moved < 1e-12 or (gained < 1e-16 * least and moved < 1e-9):
                    break
            fresh = False
            hold(q, g, lower, upper, held)
        else:
            damping *= growth
            growth *= 2.0
            if damping > 1e12:
                break
        damped(a, g, damping, held, factor, change)
        if stepped(q, change, lower, upper, x) < 1e-15:
            break
    stacked(
        frames,
        axes,
        dofs,
        starts,
        kinds,
        targets,
        tools,
        weights,
        q,
        lines,
        rows,
        e,
        jacobian,
        miss,
    )
    return least


def far(q: F64, wanted: F64) -> float:
    """Return the squared distance of two configurations."""
    total = 0.0
    for j in range(q.shape[0]):
        total += (wanted[j] - q[j]) ** 2
    return total


def settle(
    frames: F64,
    axes: F64,
    dofs: I64,
    starts: I64,
    kinds: I64,
    targets: F64,
    tools: F64,
    weights: F64,
    lower: F64,
    upper: F64,
    tolerance: F64,
    wanted: F64,
    steps: int,
    q: F64,
) -> int:
    """Move `q`, which meets the tasks, along them to where `wanted` is nearest.

    The step ``(J'J + d I)^-1 (J'e + d (wanted - q))`` is, for small d, the projection
    of the way to `wanted` on the motions that leave the tasks met; a few steps back
    to the tasks follow. It is halved until the distance shrinks.
    """
    n = q.shape[0]
    most = 6 * kinds.shape[0]
    lines = np.empty((axes.shape[0], 6))
    rows = np.empty((8, 6))
    jacobian = np.empty((most, n))
    e = np.empty(most)
    a = np.empty((n, n))
    factor = np.empty((n, n))
    g = np.empty(n)
    change = np.empty(n)
    held = np.empty(n)
    x = np.empty(n)
    miss = np.empty(2)
    scratch = np.empty(6 * axes.shape[0] + 48 + most * (n + 1) + 3 * n * n + 8 * n)
    now = far(q, wanted)
    for step in range(steps):
        r = stacked(
            frames,
            axes,
            dofs,
            starts,
            kinds,
            targets,
            tools,
            weights,
            q,
            lines,
            rows,
            e,
            jacobian,
            miss,
        )
        normal_equations(jacobian, e, r, a, g)
        damping = 1e-12
        for j in range(n):
            damping += 1e-9 * a[j, j]
        for j in range(n):
            held[j] = 0.0
            g[j] = damping * (wanted[j] - q[j])
        for _ in range(n):
            damped(a, g, damping, held, factor, change)
            more = False
            for j in range(n):
                out = (q[j] >= upper[j] and change[j] > 0.0) or (
                    q[j] <= lower[j] and change[j] < 0.0
                )
                if out and held[j] == 0.0:
                    held[j] = 1.0
                    more = True
            if not more:
                break
        length = 0.0
        for j in range(n):
            length = max(length, abs(change[j]))
        if length < 1e-7:
            return step
        part = 1.0
        gain = 0.0
        while True:
            for j in range(n):
                change[j] *= part
            stepped(q, change, lower, upper, x)
            used, _ = attempt(
                frames,
                axes,
                dofs,
                starts,
                kinds,
                targets,
                tools,
                weights,
                lower,
                upper,
                tolerance,
                8,
                x,
                miss,
                scratch,
            )
            there = far(x, wanted)
            if used >= 0 and there < now:
                gain = now - there
                now = there
                for j in range(n):
                    q[j] = x[j]
                break
            length *= 0.5
            if length < 1e-6:
                return step
            part = 0.5
        if gain < 1e-12:
            return step
    return steps


def ranked(
    kinds: I64,
    targets: F64,
    tools: F64,
    weights: F64,
    table_tips: F64,
    out: F64,
) -> None:
    """Write how far the tools of each configuration of the table are from the goal."""
    count, t = table_tips.shape[0], table_tips.shape[1]
    e = np.empty(6)
    rows = np.empty((8, 6))
    for k in range(count):
        total = 0.0
        for i in range(t):
            tip = table_tips[k, i]
            target = targets[i]
            fl = weights[i, 0] * weights[i, 0]
            fa = weights[i, 1] * weights[i, 1]
            if kinds[i] == 0:
                x = target[3] - tip[3]
                y = target[7] - tip[7]
                z = target[11] - tip[11]
                trace = 3.0
                for c in range(3):
                    trace -= (
                        target[c] * tip[c]
                        + target[4 + c] * tip[4 + c]
                        + target[8 + c] * tip[8 + c]
                    )
                total += fl * (x * x + y * y + z * z) + fa * trace
            else:
                n = 6
                for c in range(6):
                    e[c] = 0.0
                task_rows(kinds[i], target, tools[i], tip, e, rows)
                for c in range(n):
                    total += fl * e[c] * e[c]
        out[k] = total


def tips_of(frames: F64, axes: F64, dofs: I64, starts: I64, qs: F64, out: F64) -> None:
    """Write the tools (k, t, 12) at configurations (k, n)."""
    lines = np.empty((axes.shape[0], 6))
    for k in range(qs.shape[0]):
        for t in range(starts.shape[0] - 1):
            start = starts[t]
            count = starts[t + 1] - start
            forward(
                frames, axes, dofs, start, count, start + t, qs[k], lines, out[k, t]
            )


def solve(
    frames: F64,
    axes: F64,
    dofs: I64,
    starts: I64,
    kinds: I64,
    targets: F64,
    tools: F64,
    weights: F64,
    lower: F64,
    upper: F64,
    turns: F64,
    given: F64,
    table: F64,
    table_tips: F64,
    tolerance: F64,
    steps: int,
    attempts: int,
    q: F64,
    report: F64,
) -> int:
    """Write a configuration (n,) that meets all tasks; return 1, or 0 with the best.

    Parameters
    ----------
    turns
        (n,) periods of joints that can go all the way round, 0 for the others.
    given
        (k, n) configurations to begin with, k may be 0.
    table, table_tips
        (k, n) and (k, t, 12): configurations with their tools.
    tolerance
        (2,) length and angle that may be missed.
    report
        (4,): distance and angle missed, starts used, steps used.
    """
    n = q.shape[0]
    x = np.empty(n)
    miss = np.empty(2)
    scratch = np.empty(
        6 * axes.shape[0] + 48 + 6 * kinds.shape[0] * (n + 1) + 3 * n * n + 8 * n
    )
    distance = np.empty(table.shape[0])
    state = np.uint64(88172645463325252)
    least = math.inf
    total = 0
    for k in range(attempts):
        if k < given.shape[0]:
            for j in range(n):
                x[j] = min(max(given[k, j], lower[j]), upper[j])
        elif k < given.shape[0] + table.shape[0]:
            if k == given.shape[0]:
                ranked(kinds, targets, tools, weights, table_tips, distance)
            best = 0
            for j in range(1, table.shape[0]):
                if distance[j] < distance[best]:
                    best = j
            distance[best] = math.inf
            for j in range(n):
                x[j] = table[best, j]
        else:
            for j in range(n):
                state ^= state << np.uint64(13)
                state ^= state >> np.uint64(7)
                state ^= state << np.uint64(17)
                f = (state >> np.uint64(11)) * (1.0 / 9007199254740992.0)
                low, high = max(lower[j], -1e3), min(upper[j], 1e3)
                if turns[j] != 0.0:
                    low, high = -0.5 * turns[j], 0.5 * turns[j]
                x[j] = low + f * (high - low)
        # near a singular pose the last steps shorten slowly
        patience = steps * min(1 + k // 8, 5)
        used, left = attempt(
            frames,
            axes,
            dofs,
            starts,
            kinds,
            targets,
            tools,
            weights,
            lower,
            upper,
            tolerance,
            patience,
            x,
            miss,
            scratch,
        )
        total += abs(used)
        report[2] = k + 1
        report[3] = total
        if left < least:
            least = left
            report[0] = miss[0]
            report[1] = miss[1]
            q[:] = x
        if used >= 0:
            wrapped(q, turns)
            return 1
    wrapped(q, turns)
    return 0
