"""Callbacks that keep nothing alive: a server's threads hold them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any


def weakly(method: Callable[..., object], *first: Any) -> Callable[..., None]:
    """Return a function that calls a bound method as long as its object is there.

    Parameters
    ----------
    first
        Arguments that come before those of the caller.
    """
    known = weakref.WeakMethod(method)

    def call(*args: Any) -> None:
        found = known()
        if found is not None:
            found(*first, *args)

    return call
