"""Substitute for `kernels.singular.perturbed_pose` where singular poses are rare.

Kernels bound to it compile in a fraction of the time, and report the goals that need
the full kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_ik.kernels.elimination.general import solutions
from pyrave_ik.kernels.loop_solutions import is_believed

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def loop_solutions(
    packed: F64,
    screws: F64,
    goal: F64,
    _virtual: F64,
    _near: F64,
    stage: int,
    out: F64,
) -> int:
    """Write the rows (k, 7) of a loop; return k, or -1 if it may be singular."""
    n = solutions(packed, screws, goal, out)
    if n < 0:
        n = 0 if is_believed(packed, -1 - n, stage) else -1
    return n


def kept_on_limits(
    _packed: F64, _screws: F64, _goal: F64, _y: F64, _off: float, _q: F64
) -> bool:
    """Return False: joints make up for others at singular poses."""
    return False
