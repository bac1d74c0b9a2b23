"""Seconds and sizes of compiled kernels, for those who ask."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Compilation:
    """A kernel that was compiled.

    Parameters
    ----------
    name
        Its module and function.
    seconds
        Processor time.
    bytes
        Size of its machine code in the cache, 0 if it is not kept.
    """

    name: str
    seconds: float
    bytes: int


class _Depth(threading.local):
    """Kernels in the midst of which a thread is: those that one calls count with it."""

    value = 0


_depth = _Depth()
_lists: list[list[Compilation]] = []


@contextmanager
def compilations() -> Iterator[list[Compilation]]:
    """Yield a list of what is compiled in a block, by any thread of the process."""
    made: list[Compilation] = []
    _lists.append(made)
    try:
        yield made
    finally:
        _lists.remove(made)


@contextmanager
def measured(dispatcher: Any, place: Path | None) -> Iterator[None]:
    """Enter what a block compiles in the lists of `compilations`.

    Parameters
    ----------
    dispatcher
        numba's, which counts what it compiles and does not read.
    place
        The file of the machine code, None if it is not kept.
    """
    before = _count(dispatcher)
    begin = time.thread_time()
    _depth.value += 1
    try:
        yield
    finally:
        _depth.value -= 1
        if _lists and not _depth.value and _count(dispatcher) > before:
            seconds = time.thread_time() - begin
            function = dispatcher.py_func
            module = function.__module__.partition("__")[0]
            size = place.stat().st_size if place is not None and place.exists() else 0
            one = Compilation(f"{module}.{function.__name__}", seconds, size)
            for made in _lists:
                made.append(one)


def _count(dispatcher: Any) -> int:
    return sum(dispatcher.stats.cache_misses.values())
