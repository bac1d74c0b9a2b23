"""Acceptance of a loop's solutions by stage of the search and virtual joints.

A decomposition of a loop is a module that takes the place of `general`
(`KernelModule`'s `substitutes`). Each has the same two functions:

``prepare(packed) -> bool`` works out of the packed arm's loop what `solutions` needs,
False if the decomposition does not fit it.
``solutions(packed, screws, goal, out) -> int`` writes the rows (k, 7), column 6 zero,
and returns k if these are all, or -1 - k if not sure. Then `loop_solutions` decides:
that of `kernels.singular.perturbed_pose`, which takes long to compile, or, in its
place, that of `kernels.singular.no_singular_fallback`. Kernels that are large have
`kernels.any_loop` in the place of `general`: one serves all decompositions.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_ik.kernels.packed_arm import FRONT, POSITIVE, SURE, WHOLE

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

ROWS = 256
"""Most solutions of one loop that are kept; a loop of turning joints has up to 16, and
turns of continua come apart."""
SAME = 1e-6
ALONG_NORMAL = 1e-6
"""Length of the shadow of a unit direction below which it has no angle."""
LEVEL = 1e-9
"""Permitted height of a planar arm above or below its goal, metres."""

REGULAR = 0
"""Loops that seem to have no solutions are believed, if there are others."""
ALONE = 1
"""There is no other loop."""
RETRY = 2
"""No loop has a solution; now goals may be missed by the threshold."""

JIT_NO_ARRAYS = ("is_believed", "on_their_sides", "real_rows")


def is_believed(packed: F64, n: int, stage: int) -> bool:
    """Return True if n rows are all, although the decomposition is not sure."""
    return bool(n == 0 and stage == REGULAR and packed[SURE] == 0.0)


def on_their_sides(row: F64, virtual: F64) -> bool:
    """Return True if virtual joints have values that the task allows."""
    start = 6 - virtual.shape[0]
    for j in range(virtual.shape[0]):
        value = row[start + j]
        side = virtual[j, 7]
        if side == FRONT and math.cos(value) <= ALONG_NORMAL:
            return False
        if side == POSITIVE and value <= 0.0:
            return False
        if side == WHOLE and virtual[j, 6] != 0.0 and abs(value) > LEVEL:
            return False
        if (
            side == WHOLE
            and virtual[j, 6] == 0.0
            and (abs(math.sin(value)) > SAME or math.cos(value) < 0.0)
        ):
            return False
    return True


def real_rows(screws: F64, virtual: F64, n: int, out: F64) -> int:
    """Leave the rows whose virtual joints are on their sides, equal arms once."""
    real = 6 - virtual.shape[0]
    count = 0
    for k in range(n):
        if not on_their_sides(out[k], virtual):
            continue
        new = True
        for other in range(count):
            same = True
            for i in range(real):
                d = abs(out[k, i] - out[other, i])
                if screws[i, 6] == 0.0 and out[k, 6] == 0.0:
                    d = min(d, 2.0 * math.pi - d)
                if d > SAME:
                    same = False
                    break
            if same:
                new = False
                break
        if new:
            for i in range(7):
                out[count, i] = out[k, i]
            count += 1
    return count
