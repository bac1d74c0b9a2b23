"""Callbacks that hold their objects weakly, for a server's threads."""

from __future__ import annotations

import logging
import weakref
from collections.abc import Callable
from typing import Any

from pyrave.errors import PluginGuard

_log = logging.getLogger("pyrave.viewer")
_failed: set[tuple[str, type]] = set()


def weakly(method: Callable[..., object], *first: Any) -> Callable[..., None]:
    """Return a function that calls a bound method as long as its object is there.

    What fails is logged, once a method and kind: whoever sends messages decides how
    often it is called.

    Parameters
    ----------
    first
        Arguments that come before those of the caller.
    """
    known = weakref.WeakMethod(method)
    name = method.__qualname__

    def call(*args: Any) -> None:
        found = known()
        if found is None:
            return
        with PluginGuard() as guard:
            found(*first, *args)
        if guard.error is not None and (name, type(guard.error)) not in _failed:
            _failed.add((name, type(guard.error)))
            _log.error("the viewer stumbled in %s", name, exc_info=guard.error)

    return call
