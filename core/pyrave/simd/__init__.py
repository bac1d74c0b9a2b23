"""Operations on a few numbers at once, for kernels that say what is a vector.

Loops over arrays become vector operations if the compiler sees that they can; a walk
through a tree must not depend on that. In a kernel these functions, and the operators
``+ - * / < <= > >= & |`` between what they return, are one machine operation each.

Here they are numpy's, so that a kernel also runs in the interpreter. `pyrave.jit` puts
those of `pyrave.simd.compiled` in their place. What is arithmetic
takes numbers as well as vectors, so that a formula is written once for one ray and for
16.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

__all__ = [
    "absolute",
    "at",
    "count_bits",
    "fma",
    "largest",
    "load8",
    "load16",
    "lowest_bit",
    "maximum",
    "minimum",
    "movemask",
    "permuted",
    "prefetch",
    "reduce_add",
    "single",
    "smallest",
    "spread16",
    "sqrt",
    "store",
    "where",
]

_THREES = np.arange(0, 24, 3)


def at(array: Any, index: int) -> Any:
    """Return the number at a flat index, not negative, of a C-contiguous array."""
    return array.reshape(-1)[index]


def load8(array: Any, index: int) -> Any:
    """Return eight numbers of a C-contiguous array from a flat index on."""
    return array.reshape(-1)[index : index + 8].copy()


def load16(array: Any, index: int) -> Any:
    """Return 16 numbers of a C-contiguous array from a flat index on."""
    return array.reshape(-1)[index : index + 16].copy()


def spread16(value: Any) -> Any:
    """Return a vector of 16 equal numbers."""
    return np.full(16, value)


def store(array: Any, index: int, vector: Any) -> None:
    """Write a vector, or a number, to a C-contiguous array from a flat index on."""
    array.reshape(-1)[index : index + np.size(vector)] = vector


def prefetch(array: Any, index: int) -> None:
    """Begin to fetch what is at a flat index of a C-contiguous array; it may be far."""


def minimum(a: Any, b: Any) -> Any:
    """Return a where a < b, else b."""
    return where(a < b, a, b)


def maximum(a: Any, b: Any) -> Any:
    """Return a where a > b, else b."""
    return where(a > b, a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, else b; both are computed."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, a, b)
    return a if condition else b


def absolute(a: Any) -> Any:
    """Return the absolute value."""
    return abs(a)


def sqrt(a: Any) -> Any:
    """Return the square root; nan of what is negative."""
    if isinstance(a, np.ndarray):
        return np.sqrt(a)
    return math.sqrt(a) if a >= 0.0 else math.nan


def fma(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once or twice, as is quicker."""
    return a * b + c


def single(a: Any) -> Any:
    """Return float32 of float64."""
    return np.float32(a) if not isinstance(a, np.ndarray) else a.astype(np.float32)


def largest(vector: Any) -> Any:
    """Return the largest number of a vector without nan."""
    return vector.max()


def smallest(vector: Any) -> Any:
    """Return the smallest number of a vector without nan."""
    return vector.min()


def reduce_add(vector: Any) -> Any:
    """Return the sum of a vector's numbers, in any order."""
    return vector.sum()


def movemask(condition: Any) -> int:
    """Return the conditions of a vector as bits, the first one lowest."""
    return int(sum(1 << k for k, holds in enumerate(condition) if holds))


def count_bits(mask: int) -> int:
    """Return the number of bits that are set."""
    return int(mask).bit_count()


def permuted(vector: Any, places: int) -> Any:
    """Return the numbers of a vector of eight at eight places of it.

    Places are three bits each, the first one lowest.
    """
    return vector[(int(places) >> _THREES) & 7]


def lowest_bit(mask: int) -> int:
    """Return the number of the lowest bit that is set; there must be one."""
    return (int(mask) & -int(mask)).bit_length() - 1
