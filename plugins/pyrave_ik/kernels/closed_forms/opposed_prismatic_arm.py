"""Loops with two sliding joints opposite each other, by an eigenvalue problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_ik.kernels.closed_forms.opposed_prismatic import solve_loop
from pyrave_ik.kernels.packed_arm import FIRST, TOLERANCE, TURNS
from pyrave_ik.kernels.singular.singular_poses import is_near

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    turns = packed[TURNS : TURNS + 3]
    n = solve_loop(screws, goal, int(packed[FIRST]), turns, packed[TOLERANCE], out)
    sure = n >= 0
    n = n if sure else -1 - n
    for r in range(n):
        out[r, 6] = 0.0
        sure = sure and not is_near(screws, out[r])
    return n if sure else -1 - n
