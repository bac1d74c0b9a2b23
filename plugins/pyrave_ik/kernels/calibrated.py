"""Loops that have the geometry of a closed form but for small tilts and offsets.

Calibrated arms, and arms from files of few digits. The closed form solves the loop
without its tilts, with margins that are as wide as these move solutions; Newton's
method takes each solution to the loop as it is. As joint angles are a compact set and
all solutions within the margins are regular, there are as many.

`prepare` and the closed form are those of `kernels.wrist`, or what takes its place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.loops import keep, polish
from pyrave_ik.kernels.singular.singular_poses import EXACT, extent, is_near
from pyrave_ik.kernels.wrist import prepare as nominal_prepare
from pyrave_ik.kernels.wrist import solutions as nominal_solutions

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

STEPS = 12
"""Newton steps; they converge quadratically or not at all."""
GOOD = 1e-13
"""Deviation at which steps end."""


def prepare(packed: F64) -> bool:
    """Do what the closed form needs; False if the loop takes other equations."""
    return nominal_prepare(packed)


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of a loop; return k, or -1 - k if not sure."""
    n = nominal_solutions(packed, screws, goal, out)
    sure = n >= 0
    exact = EXACT * max(1.0, extent(screws, goal))
    x = np.empty(6)
    count = 0
    for r in range(n if sure else -1 - n):
        for i in range(6):
            x[i] = out[r, i]
        if polish(screws, goal, x, STEPS, GOOD) > exact:
            sure = False
            continue
        before = count
        count = keep(screws, x, out, count)
        if count > before:
            out[before, 6] = 0.0
        sure = sure and count > before and not is_near(screws, x)
    return count if sure else -1 - count
