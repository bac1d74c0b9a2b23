"""Garbage collection while numba loads and compiles: both make many objects."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_OBJECTS = 50_000
"""New objects after which garbage is looked for while a kernel is compiled."""


@contextmanager
def paused_collections() -> Iterator[None]:
    """Keep the garbage collector out while numba loads.

    It makes some 100 000 objects that live for ever; looking through them again and
    again takes a quarter of that time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for garbage seldom: most that numba makes is alive until a kernel is done.

    Else a tenth of the time goes there; without looking at all it takes 200 MB more.
    """
    usual = gc.get_threshold()
    gc.set_threshold(max(usual[0], _OBJECTS) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
