"""Newton's method with second derivatives for goals on the boundary of the reach.

There solutions merge, and the Jacobian has lost rank at them. The part of the residual
that it does not see is a quadratic form of the ways in its null space. Gauss-Newton
steps, which have no second derivatives, zigzag where the form has eigenvalues of very
different size, as with an elbow nearly straight and another joint that hardly matters.

A step has two parts. Newton's method for half the sum of squares gives a direction. For
a form that is zero at the solution it goes a third of the way, whatever the
eigenvalues, as the sum of squares is of degree four. So three times that is tried first
(as for multiple roots: Decker, Keller and Kelley, "Convergence rates for Newton's
method at singular points", SIAM J. Numer. Anal. 1983). Damped least squares then bring
the residual that the Jacobian does see back to zero, and hardly move along its null
space.

The arrays are those of `damped_least_squares`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.iteration.damped_least_squares import damped_step, hold, move
from pyrave_ik.kernels.iteration.residuals import (
    CHANGE,
    COLUMNS,
    DISTANCE,
    ERROR,
    N_CHAINS,
    N_JOINTS,
    OFF,
    ROWS,
    linearise,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract", "reassoc", "arcp"}}}
JIT_ENTRIES = ()

NEARLY = 1e-8
"""Sum of squares below which a goal that is missed may be one of the boundary."""
STEPS = 20
WIDTH = 3e-4
"""Radians or metres between the gradients that are compared."""
LEAST_SHIFT = 1e-14
"""Rounding error of a zero eigenvalue, as a part of the diagonal."""
CORRECTIONS = 2
STIFF = 1e-5
"""Damping of corrections: far below all squared singular values but the lost one."""
LONGEST = 0.3
"""Most that one joint moves in a step."""


def gradient(problem: F64, goals: F64, q: F64, out: F64, work: F64) -> None:
    """Write minus the gradient (n,) of half the sum of squares."""
    n, r = int(problem[N_JOINTS]), ROWS * int(problem[N_CHAINS])
    linearise(problem, goals, q, work)
    columns, e = int(problem[COLUMNS]), int(problem[ERROR])
    for j in range(n):
        total = 0.0
        for i in range(r):
            total += work[columns + r * j + i] * work[e + i]
        out[j] = total


def hessian(problem: F64, goals: F64, q: F64, out: F64, work: F64) -> None:
    """Write the Hessian (n, n) of half the sum of squares.

    By differences of gradients of fourth order. Rounding errors of residuals are
    multiplied by the Jacobian, so that they are small where the Hessian is.
    """
    n = q.shape[0]
    x, g = q.copy(), np.empty(n)
    for j in range(n):
        for i in range(n):
            out[j, i] = 0.0
        for k in range(4):
            steps = (1.0, -1.0, 2.0, -2.0)[k]
            weight = (-8.0, 8.0, 1.0, -1.0)[k] / (12.0 * WIDTH)
            x[j] = q[j] + steps * WIDTH
            gradient(problem, goals, x, g, work)
            for i in range(n):
                out[j, i] += weight * g[i]
        x[j] = q[j]
    for j in range(n):
        for i in range(j):
            out[j, i] = out[i, j] = 0.5 * (out[j, i] + out[i, j])


def shifted_solution(matrix: F64, shift: float, x: F64, lower: F64) -> bool:
    """Solve ``(matrix + shift I) y = x`` in place; False if not positive definite.

    Parameters
    ----------
    matrix
        (n, n), symmetric.
    x
        (n,) gets y.
    lower
        (n, n) scratch, for Cholesky's factor.
    """
    n = x.shape[0]
    for j in range(n):
        for i in range(j + 1):
            total = matrix[j, i]
            if i == j:
                total += shift
            for k in range(i):
                total -= lower[j, k] * lower[i, k]
            if i < j:
                lower[j, i] = total / lower[i, i]
            elif total > 0.0:
                lower[j, j] = math.sqrt(total)
            else:
                return False
    for j in range(n):
        for k in range(j):
            x[j] -= lower[j, k] * x[k]
        x[j] /= lower[j, j]
    for j in range(n - 1, -1, -1):
        for k in range(j + 1, n):
            x[j] -= lower[k, j] * x[k]
        x[j] /= lower[j, j]
    return True


def newton_step(problem: F64, goals: F64, q: F64, out: F64, work: F64) -> None:
    """Write the step (n,) of Newton's method; joints stay at limits that it crosses."""
    n, r = q.shape[0], ROWS * int(problem[N_CHAINS])
    columns = int(problem[COLUMNS])
    matrix, lower = np.empty((n, n)), np.empty((n, n))
    down = np.empty(n)
    hessian(problem, goals, q, matrix, work)
    gradient(problem, goals, q, down, work)
    hold(problem, q, work)
    for j in range(n):
        held = True
        for i in range(columns + r * j, columns + r * (j + 1)):
            held = held and work[i] == 0.0
        if held:
            down[j] = 0.0
            for i in range(n):
                matrix[j, i] = matrix[i, j] = 0.0
            matrix[j, j] = 1.0
    shift = LEAST_SHIFT
    while True:
        for j in range(n):
            out[j] = down[j]
        if shifted_solution(matrix, shift, out, lower) or shift > 1.0:
            return
        shift *= 10.0


def corrected(problem: F64, goals: F64, q: F64, work: F64) -> float:
    """Zero what the Jacobian sees of the residual; return the sum of squares."""
    for _ in range(CORRECTIONS):
        linearise(problem, goals, q, work)
        hold(problem, q, work)
        longest = damped_step(problem, STIFF, work)
        move(problem, q, 1.0, longest, q, work)
    return linearise(problem, goals, q, work)


def refine(
    problem: F64, goals: F64, tolerance: F64, q: F64, work: F64
) -> tuple[int, float]:
    """Descend from near a solution on the boundary; see `converge` for what returns.

    Steps end where the goals are met or no step comes nearer.

    Parameters
    ----------
    q
        (n,) joint values near a solution; gets the best that is found.
    """
    n, change = q.shape[0], int(problem[CHANGE])
    way, x = np.empty(n), np.empty(n)
    least = linearise(problem, goals, q, work)
    for step in range(STEPS + 1):
        if work[DISTANCE] <= tolerance[0] and work[OFF] <= tolerance[1]:
            return step, least
        if step == STEPS:
            break
        newton_step(problem, goals, q, way, work)
        longest = 0.0
        for j in range(n):
            longest = max(longest, abs(way[j]))
        there = least
        for k in range(5):
            part = (3.0, 1.0, 0.3, 0.1, 0.01)[k]
            part *= min(1.0, LONGEST / max(part * longest, 1e-30))
            for j in range(n):
                work[change + j] = way[j]
            move(problem, q, part, longest, x, work)
            there = corrected(problem, goals, x, work)
            if there < least:
                break
        if not there < least:
            break
        for j in range(n):
            q[j] = x[j]
        least = there
    linearise(problem, goals, q, work)
    return -1 - STEPS, least
