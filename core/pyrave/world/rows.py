"""Tables that grow, and whose rows stay where they are."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.world.tables import Column

_LEAST = 16


class GrowingTable:
    """Columns of equal length; blocks of rows are taken and given back.

    Parameters
    ----------
    columns
        Of each column the shape of an entry, its type, and what rows hold that are not
        in use.
    """

    def __init__(self, columns: Mapping[str, Column]) -> None:
        self._columns = columns
        self._capacity = 0
        self._free: list[tuple[int, int]] = []
        self.count = 0
        """Rows in use, and those between them."""

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        # few of the worlds that are made are looked at
        return {
            name: np.full((0, *tail), fill, dtype)
            for name, (tail, dtype, fill) in self._columns.items()
        }

    def take(self, count: int) -> int:
        """Return the first of so many new rows, one after the other."""
        for k, (first, length) in enumerate(self._free):
            if length >= count:
                self._free[k : k + 1] = (
                    [(first + count, length - count)] if length > count else []
                )
                return first
        first = self.count
        self.count += count
        if self.count > self._capacity:
            self._grow()
        return first

    def give_back(self, first: int, count: int) -> None:
        """Forget rows; they may be taken again."""
        if not count:
            return
        for name, (_, _, fill) in self._columns.items():
            self._arrays[name][first : first + count] = fill
        free = self._free
        k = bisect(free, (first, count))
        if k < len(free) and first + count == free[k][0]:
            count += free.pop(k)[1]
        if k and sum(free[k - 1]) == first:
            k -= 1
            start, length = free.pop(k)
            first, count = start, length + count
        if first + count == self.count:
            self.count = first
        else:
            free.insert(k, (first, count))

    def columns(self) -> list[NDArray[Any]]:
        """Return all columns, without what they keep for later."""
        return [array[: self.count] for array in self._arrays.values()]

    def _grow(self) -> None:
        self._capacity = max(_LEAST, self.count, self._capacity + self._capacity // 2)
        for name, (tail, dtype, fill) in self._columns.items():
            old = self._arrays[name]
            new = np.full((self._capacity, *tail), fill, dtype)
            new[: len(old)] = old
            self._arrays[name] = new
