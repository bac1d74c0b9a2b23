"""Garbage collection while modules load and kernels are compiled.

Both make many objects that stay, and Python looks through young ones again and again.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 50_000
"""New objects after which garbage is looked for while a kernel is compiled."""
_FROZEN_BY_PYTHON = 1000
"""Above what Python 3.12 freezes as it starts, far below all objects of a program."""
_has_frozen = threading.Event()
"""Set once the program has frozen objects: each count goes through all of them."""
_is_free = threading.Lock()
"""Held while thresholds are others: of several threads one changes them back."""


@contextmanager
def paused_collections() -> Iterator[None]:
    """Keep the garbage collector out while modules load.

    numba makes some 100 000 objects that live for ever; looking through them again and
    again takes a quarter of that time. They count as old from then on.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if not _has_frozen.is_set():
                if gc.get_freeze_count() >= _FROZEN_BY_PYTHON:
                    _has_frozen.set()
                else:
                    gc.freeze()  # all objects become old
                    gc.unfreeze()
            gc.enable()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage seldom: most that numba makes is alive until a kernel is done.

    Else a tenth of the time goes there; without looking at all it takes 200 MB more.
    """
    if not _is_free.acquire(blocking=False):
        yield
        return
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], _OBJECTS) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        _is_free.release()
