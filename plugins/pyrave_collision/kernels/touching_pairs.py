"""The pairs of solids that a selection lets touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit.addresses import returns_bool
from pyrave.jit.bundles import i64_1
from pyrave_collision.kernels.layout import IS_DEEPER, PAIRS_THAT_TOUCH

if TYPE_CHECKING:
    from pyrave.jit.arrays import I64

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def code_of(a: int, b: int) -> int:
    """Return the number of a pair of rows, whichever comes first."""
    return int((np.int64(min(a, b)) << 32) | np.int64(max(a, b)))


def place_of(codes: I64, a: int, b: int) -> int:
    """Return the index of a pair in sorted codes, -1 if it is not there."""
    code, low, high = code_of(a, b), 0, codes.shape[0]
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low if low < codes.shape[0] and codes[low] == code else -1


def is_allowed(world: I64, selection: I64, a: int, b: int, way: float) -> bool:
    """Return True if two solids that touch may do so, as deep as they are.

    Depths are measured by a function at an address: few selections need it.

    Parameters
    ----------
    way
        By how much they may come nearer to each other, metres.
    """
    codes = i64_1(selection, PAIRS_THAT_TOUCH)
    if codes.shape[0] == 0 or place_of(codes, a, b) < 0:
        return False
    address = i64_1(selection, IS_DEEPER)[0]
    # of the types that the function is compiled for
    return not returns_bool(
        address, world, selection, np.int64(a), np.int64(b), np.float64(way)
    )
