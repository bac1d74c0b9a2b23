"""All solutions of a loop at a singular pose: its neighbours' lead to them.

`solutions` is that of a decomposition, as in `kernels.rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import TakesLongError
from pyrave_ik.kernels.four_bar._kernels import linkages
from pyrave_ik.kernels.general._kernels import solutions
from pyrave_ik.kernels.plan._kernels import THRESHOLD
from pyrave_ik.kernels.singular._kernels import (
    ATTEMPTS,
    BLURRED,
    EXACT,
    extent,
    gathered,
    goes_on,
    nudged,
    sorted_out,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

INTERPRETED = True
ROWS = 64
"""Most solutions of one loop that are kept; a loop of turning joints has up to 16."""
FEW = 4
"""Displacements that are tried where many loops seem to have no solutions."""

REGULAR = 0
"""Loops that seem to have no solutions are believed, if there are others."""
ALONE = 1
"""There is no other loop."""
RETRY = 2
"""No loop has a solution; now goals may be missed by the threshold."""


def singular_rows(
    plan: F64, screws: F64, goal: F64, stage: int, out: F64, n: int
) -> int:
    """Add to n rows at a goal with singular solutions what its neighbours lead to."""
    if INTERPRETED:
        raise TakesLongError
    near = np.empty((3, 4))
    found = np.empty((ROWS, 7))
    length = max(1.0, extent(screws, goal))
    attempts = FEW if stage == RETRY else ATTEMPTS
    for level in range(3):
        exact = EXACT * length
        if level == 1:
            exact = BLURRED * length
        elif level == 2:
            exact = plan[THRESHOLD]
            if stage != RETRY or exact == 0.0:
                break
        k = linkages(screws, goal, found)
        n = gathered(screws, goal, found, k, exact, 0, out, n)
        least, most = ROWS, 0
        for attempt in range(attempts):
            before = n
            nudged(goal, length, attempt, near)
            k = solutions(plan, screws, near, found)
            if k < 0:
                k = -1 - k
            least, most = min(least, k), max(most, k)
            n = gathered(screws, goal, found, k, exact, attempt, out, n)
            if not goes_on(attempt, before, n, least, most):
                break
        if n > 0:
            break
    return sorted_out(screws, goal, out, n)
