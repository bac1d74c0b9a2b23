"""Loops that have the geometry of a closed form but for small tilts and offsets.

Calibrated arms, and arms from files of few digits. The closed form solves the loop
without its tilts, with margins that are as wide as these move solutions; Newton's
method takes each solution to the loop as it is. As joint angles are a compact set and
all solutions within the margins are regular, there are as many.

`prepare` and the closed form are those of `wrist`, or what takes its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.closed_forms.wrist import prepare as nominal_prepare
from pyrave_ik.kernels.closed_forms.wrist import solutions as nominal_solutions
from pyrave_ik.kernels.linear import factored, substituted
from pyrave_ik.kernels.singular.singular_poses import EXACT, extent, is_near, is_steep
from pyrave_ik.kernels.six_joint_loop import end, keep, polish, residual, twists

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

STEPS = 12
"""Newton steps; they converge quadratically or not at all."""
GOOD = 1e-13
"""Deviation at which steps end."""
CHORDS = 4
"""Steps with the first Jacobian, by which small tilts are made good."""
SLOW = 0.01
"""Part of a deviation that a step leaves at most."""


def prepare(packed: F64) -> bool:
    """Do what the closed form needs; False if the loop takes other equations."""
    return nominal_prepare(packed)


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of a loop; return k, or -1 - k if not sure."""
    n = nominal_solutions(packed, screws, goal, out)
    sure = n >= 0
    exact = EXACT * max(1.0, extent(screws, goal))
    x = np.empty(6)
    begun = np.empty(6)
    reached = np.empty((3, 4))
    matrix = np.empty((6, 6))
    exchanged = np.empty(6, np.int64)
    twist = np.empty(6)
    count = 0
    for r in range(n if sure else -1 - n):
        for i in range(6):
            begun[i] = x[i] = out[r, i]
        settled = chorded(screws, goal, x, exact, reached, matrix, exchanged, twist)
        if not settled:
            for i in range(6):
                x[i] = begun[i]
            if polish(screws, goal, x, STEPS, GOOD) > exact:
                sure = False
                continue
        before = count
        count = keep(screws, x, out, count)
        if count > before:
            out[before, 6] = 0.0
        sure = sure and count > before and (settled or not is_near(screws, x))
    return count if sure else -1 - count


def chorded(
    screws: F64,
    goal: F64,
    x: F64,
    exact: float,
    reached: F64,
    matrix: F64,
    exchanged: I64,
    twist: F64,
) -> bool:
    """Improve a regular `x` by steps with one Jacobian; False if it takes more.

    Steps with the Jacobian of the first point, the chord method (Kelley, Iterative
    Methods for Linear and Nonlinear Equations, section 5.4.1), take the deviation down
    by nearly the same factor each. So the last one is not verified: that before it has
    shown where it leads. The last four arguments are scratch.
    """
    twists(screws, x, reached, matrix)
    worst = residual(reached, goal, twist)
    if not factored(matrix, exchanged) or is_steep(matrix, exchanged):
        return False
    for _ in range(CHORDS):
        if worst < GOOD:
            return True
        substituted(matrix, exchanged, twist)
        for i in range(6):
            x[i] += twist[i]
        before = worst
        end(screws, x, reached)
        worst = residual(reached, goal, twist)
        if worst > SLOW * before:
            return worst < exact
        if worst * worst < GOOD * before:
            substituted(matrix, exchanged, twist)
            for i in range(6):
                x[i] += twist[i]
            return True
    return worst < exact
