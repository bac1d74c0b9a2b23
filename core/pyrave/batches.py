"""Long batches in chunks, between which Ctrl-C can interrupt."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import nullcontext
from time import perf_counter
from typing import TypeVar

from pyrave.messages import ProgressLine

Item = TypeVar("Item")
_SECONDS = 0.05
"""Seconds of one piece: compiled functions cannot be interrupted meanwhile."""
FIRST = 1024
"""Rows of the first piece, which shows how long others take."""
_GROWTH = 8
_LONG = 1.0
"""Seconds of a batch that is worth a `ProgressLine`."""


def pieces(
    count: int,
    most: int = 1 << 62,
    what: str = "computing",
    unit: str = "configurations",
) -> Iterator[slice]:
    """Yield slices of `count` rows; those after the first take about 50 ms each.

    The time that passes between two slices is that of the rows of the one before.

    Parameters
    ----------
    most
        Rows of a slice.
    what, unit
        What is done, and with what, as `ProgressLine` says it.
    """
    if not count:
        return
    size = min(FIRST, most)
    began = perf_counter()
    yield slice(0, min(size, count))
    spent, first = perf_counter() - began, size
    long = spent * count > _LONG * size
    progress = ProgressLine(what, count, unit)
    with progress if long else nullcontext():
        while first < count:
            wanted = size * _SECONDS / max(spent, 1e-9)
            size = max(1, min(int(wanted), _GROWTH * size, most))
            progress.done = first
            began = perf_counter()
            yield slice(first, min(first + size, count))
            spent = perf_counter() - began
            first += size


def each(items: Sequence[Item], what: str, unit: str) -> Generator[Item, None, None]:
    """Yield items one by one, and tell by a `ProgressLine` how many are done.

    Who may keep a traceback closes it (`contextlib.closing`): the line ends with it.
    """
    with ProgressLine(what, len(items), unit) as progress:
        for i, item in enumerate(items):
            progress.done = i
            yield item
