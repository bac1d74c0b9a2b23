"""Long batches, taken in pieces between which Ctrl-C is heard."""

from __future__ import annotations

from collections.abc import Iterator
from time import perf_counter

_SECONDS = 0.05
"""Seconds of one piece: compiled functions cannot be interrupted meanwhile."""
FIRST = 1024
"""Rows of the first piece, which shows how long others take."""
_GROWTH = 8


def pieces(count: int, most: int = 1 << 62) -> Iterator[slice]:
    """Yield slices of `count` rows; those after the first take about 50 ms each.

    The time that passes between two slices is that of the rows of the one before.

    Parameters
    ----------
    most
        Rows of a slice.
    """
    first, size = 0, min(FIRST, most)
    while first < count:
        began = perf_counter()
        yield slice(first, min(first + size, count))
        first += size
        wanted = size * _SECONDS / max(perf_counter() - began, 1e-9)
        size = max(1, min(int(wanted), _GROWTH * size, most))
