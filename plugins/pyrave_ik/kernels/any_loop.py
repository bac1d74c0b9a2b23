"""Substitute for a method's loop, which is called by its address.

What is compiled with it serves all methods. It is for kernels that take long to compile
and spend long beside their loops.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.jit.addresses import returns_int
from pyrave_ik.kernels.packed_arm import LOOP

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def prepare(packed: F64) -> bool:
    """Do what the method needs; False if it does not fit the packed arm's loop."""
    none = packed[:0]
    screws, goal = none.reshape((0, 7)), none.reshape((0, 4))
    return returns_int(int(packed[LOOP]), packed, screws, goal, screws) != 0


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    return returns_int(int(packed[LOOP]), packed, screws, goal, out)
