"""The loop of a method as a kernel of its own, which others call by its address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_ik.kernels.elimination.general import prepare, solutions

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64_1, F64_2

JIT_ENTRIES = ("loop",)


def loop(packed: F64_1, screws: F64_2, goal: F64_2, out: F64_2) -> int:
    """Do `solutions`, or `prepare` where `out` has no rows: 1 if it fits, else 0."""
    if out.shape[0] == 0:
        return int(prepare(packed))
    return solutions(packed, screws, goal, out)
