"""Many arrays as one argument of a kernel.

numba takes an array to pieces at each call, which costs as much as a hundred
operations. A kernel that works on thirty arrays takes a *bundle* instead: one table of
their addresses and shapes, made when the arrays are others and not at each call. In
the kernel ``f64_2(bundle, 3)`` is array 3 again, here as numpy's, compiled as numba's
(`pyrave.jit.numba_internals`); nothing is copied. Who calls keeps the `ArrayBundle`
alive.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.jit.arrays import F32, F64, I32, I64, U8

__all__ = [
    "ArrayBundle",
    "f32_1",
    "f32_3",
    "f64_1",
    "f64_2",
    "f64_3",
    "i32_1",
    "i32_2",
    "i64_1",
    "i64_2",
    "u8_1",
]

COLUMNS = 4
"""Columns of the table: the address and up to three lengths."""


class ArrayBundle:
    """Arrays, and the table by which a kernel finds them.

    Parameters
    ----------
    arrays
        C-contiguous, of at most three dimensions; kernels may write to them.
    """

    __slots__ = ("arrays", "table")

    def __init__(self, arrays: Iterable[NDArray[Any]]) -> None:
        self.arrays = tuple(arrays)
        """The objects that the table refers to."""
        rows = []
        for array in self.arrays:
            if not array.flags.c_contiguous or array.ndim >= COLUMNS:
                raise ValueError("a bundle takes C-contiguous arrays, 3-D at most")
            address = array.__array_interface__["data"][0]
            rows.append((address, *array.shape, 0, 0, 0)[:COLUMNS])
        self.table: I64 = np.array(rows, np.int64).reshape(-1, COLUMNS)
        """(n, 4) int64."""


def f32_1(table: I64, k: int) -> F32:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.float32, 1)


def i64_1(table: I64, k: int) -> I64:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.int64, 1)


def i64_2(table: I64, k: int) -> I64:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.int64, 2)


def f64_1(table: I64, k: int) -> F64:
    """Return array k, which has the type and the dimensions that the name says."""
    return _view(table, k, np.float64, 1)


def f64_2(table: I64, k: int) -> F64:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.float64, 2)


def f64_3(table: I64, k: int) -> F64:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.float64, 3)


def f32_3(table: I64, k: int) -> F32:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.float32, 3)


def i32_1(table: I64, k: int) -> I32:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.int32, 1)


def i32_2(table: I64, k: int) -> I32:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.int32, 2)


def u8_1(table: I64, k: int) -> U8:
    """Return array k; see `f64_1`."""
    return _view(table, k, np.uint8, 1)


_T = TypeVar("_T", bound=np.generic)


def _view(table: I64, k: int, kind: type[_T], rank: int) -> NDArray[_T]:
    shape = table[k, 1 : 1 + rank].tolist()
    size = int(np.prod(shape)) * np.dtype(kind).itemsize
    if not size:
        return np.empty(shape, kind)
    memory = (ctypes.c_char * size).from_address(int(table[k, 0]))
    found: NDArray[_T] = np.frombuffer(memoryview(memory), kind).reshape(shape)
    return found
