"""Loops in closed form, whatever equations it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_ik.kernels.closed_forms.pieper import closed_loop
from pyrave_ik.kernels.packed_arm import BACKWARD, FIRST, KIND, TILT, TOLERANCE
from pyrave_ik.kernels.singular.singular_poses import is_near

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    n = closed_loop(
        int(packed[KIND]),
        int(packed[FIRST]),
        packed[BACKWARD] != 0.0,
        screws,
        goal,
        packed[TILT],
        packed[TOLERANCE],
        out,
    )
    sure = n >= 0
    n = n if sure else -1 - n
    for r in range(n):
        out[r, 6] = 0.0
        sure = sure and not is_near(screws, out[r])
    return n if sure else -1 - n
