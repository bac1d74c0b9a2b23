"""Kernels that compare joint values with their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

# to let go of the interpreter takes a tenth of the call
JIT_OPTIONS = {"clip_to_limits": {"nogil": False}}

DONE = 0
WRONG_SHAPE = 1
OUTSIDE = 2


def clip_to_limits(values: F64, bounds: F64, out: F64) -> int:
    """Copy values (n,) to `out` if all are within `bounds`, (2, n): lower, upper.

    Otherwise nothing is written and it returns WRONG_SHAPE or OUTSIDE.
    """
    n = values.shape[0]
    if bounds.shape[0] != 2 or bounds.shape[1] != n or out.shape[0] != n:
        return WRONG_SHAPE
    for i in range(n):
        if not bounds[0, i] <= values[i] <= bounds[1, i]:
            return OUTSIDE
    for i in range(n):
        out[i] = values[i]
    return DONE
