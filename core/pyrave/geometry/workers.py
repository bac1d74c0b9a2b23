"""Threads for kernels that hold no lock: the work of a call is dealt to all cores."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

_lock = threading.Lock()
_pools: dict[int, ThreadPoolExecutor] = {}


def core_count() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def deal(
    work: Callable[[int, int], int], count: int, threads: int, size: int | None = None
) -> list[int]:
    """Call ``work(first, last)`` for parts of 0..count, by several threads at once.

    The calling thread is one of them. Which thread does a part is left to chance, so
    `work` must do the same whoever calls it. Ctrl-C is heard between parts; then the
    parts that others do are waited for, and no more are begun.

    Parameters
    ----------
    size
        Of a part; None: so that each thread does eight.

    Returns
    -------
    list of int
        What the calls returned, in the order of the parts.
    """
    if threads == 1 or count == 0:
        return [work(0, count)]
    # parts are small enough that threads end at much the same time
    size = size or max(-(-count // (threads * 8)), 1)
    parts = range(0, count, size)
    results = [0] * len(parts)
    numbers = itertools.count()

    def run() -> None:
        for k in numbers:
            if k >= len(parts):
                return
            begin = parts[k]
            results[k] = work(begin, min(begin + size, count))

    others = [_pool().submit(run) for _ in range(min(threads, len(parts)) - 1)]
    try:
        run()
    finally:
        # after Ctrl-C nobody begins another part
        for _ in parts:
            next(numbers)
        for other in others:
            other.result()
    return results


def _pool() -> ThreadPoolExecutor:
    """Return this process's threads; a forked process has its own."""
    me = os.getpid()
    with _lock:
        if me not in _pools:
            _pools.clear()
            _pools[me] = ThreadPoolExecutor(
                max(core_count() - 1, 1), thread_name_prefix="pyrave"
            )
        return _pools[me]
