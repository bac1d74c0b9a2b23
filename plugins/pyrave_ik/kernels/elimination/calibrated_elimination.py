"""Loops of nearly special geometry: elimination settles what a closed form leaves open.

Margins of the closed form are wide where axes are tilted, and most poses within them
are regular.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.elimination.calibrated import prepare as nominal_prepare
from pyrave_ik.kernels.elimination.calibrated import solutions as calibrated_solutions
from pyrave_ik.kernels.elimination.loop_cuts import sure_cut
from pyrave_ik.kernels.packed_arm import TOLERANCE, TURNS
from pyrave_ik.kernels.singular.singular_poses import judged
from pyrave_ik.kernels.six_joint_loop import keep

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

ROWS = 64
"""Most solutions of one loop that are kept."""


def prepare(packed: F64) -> bool:
    """Do what the closed form needs; False if the loop takes other equations."""
    return nominal_prepare(packed)


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of a loop; return k, or -1 - k if not sure."""
    n = calibrated_solutions(packed, screws, goal, out)
    if n >= 0:
        return n
    n = -1 - n
    found = np.empty((ROWS, 6))
    turns = packed[TURNS : TURNS + 3]
    k = sure_cut(screws, goal, 0, turns, packed[TOLERANCE], found)
    sure = k >= 0
    k = k if sure else -1 - k
    for r in range(k):
        if n < out.shape[0]:
            n = keep(screws, found[r], out, n)
    return judged(screws, n if sure and n == k else -1 - n, out)
