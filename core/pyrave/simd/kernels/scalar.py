"""Operations of `pyrave.simd` for single numbers, in plain arithmetic.

A kernel that is written for vectors as well as for numbers takes these functions in
place of those if it is to be compiled for numbers alone.
"""

from __future__ import annotations

import math

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {"*": {"forceinline": True}}


def minimum(a: float, b: float) -> float:
    """Return a where a < b, else b."""
    return a if a < b else b  # noqa: FURB136 - numba has to compile that


def maximum(a: float, b: float) -> float:
    """Return a where a > b, else b."""
    return a if a > b else b  # noqa: FURB136 - and that


def where(condition: bool, a: float, b: float) -> float:
    """Return a where the condition holds, else b; both are computed."""
    return a if condition else b


def absolute(a: float) -> float:
    """Return the absolute value."""
    return abs(a)


def sqrt(a: float) -> float:
    """Return the square root; nan of what is negative."""
    return math.sqrt(a) if a >= 0.0 else math.nan
