"""Any loop that has isolated solutions, by elimination."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_ik.kernels.elimination.loop_cuts import sure_cut
from pyrave_ik.kernels.packed_arm import FIRST, TOLERANCE, TURNS
from pyrave_ik.kernels.singular.singular_poses import judged

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    turns = packed[TURNS : TURNS + 3]
    n = sure_cut(screws, goal, int(packed[FIRST]), turns, packed[TOLERANCE], out)
    return judged(screws, n, out)
