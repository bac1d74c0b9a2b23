"""Log messages about kernel compilation."""

from __future__ import annotations

import functools
import logging
from typing import Any

from pyrave.jit.progress import Waiting

_log = logging.getLogger("pyrave.jit")


@functools.cache
def say_when_compiling() -> None:
    """Say so, from now on, when numba begins to compile an entry that takes long.

    A numba that does not tell of its beginnings compiles silently.
    """
    import numba

    try:
        from numba.core import event
    except ImportError as error:
        _log.info("numba %s compiles kernels silently: %s", numba.__version__, error)
        return

    class Listener(event.Listener):
        def __init__(self) -> None:
            # entries compile others, and several threads may
            self._begun: dict[int, Waiting] = {}

        def on_start(self, event: Any) -> None:
            dispatcher = event.data["dispatcher"]
            function = dispatcher.py_func
            entries = function.__globals__.get("JIT_ENTRIES")
            known = None if entries is None else entries.get(function.__name__)
            if known is not None and id(dispatcher) not in self._begun:
                self._begun[id(dispatcher)] = Waiting(*known).__enter__()

        def on_end(self, event: Any) -> None:
            waiting = self._begun.pop(id(event.data["dispatcher"]), None)
            if waiting is not None:
                waiting.__exit__()

    register: Any = event.register
    register("numba:compile", Listener())


def say_failed(what: str, error: str) -> None:
    """Say that another process failed to compile a kernel, which is compiled here."""
    _log.warning(
        "%s: a kernel was not compiled in the background (%s); compiling it here",
        what,
        (error.strip().splitlines() or ["unknown error"])[0],
    )


def say_slower(what: str, error: Exception) -> None:
    """Log the reason for which a kernel is not compiled, so that a simpler one is."""
    import numba

    lines = str(error).strip().splitlines()
    _log.warning(
        "%s are slower than they could be: a kernel was not compiled by numba %s (%s)",
        what,
        numba.__version__,
        lines[0] if lines else type(error).__name__,
    )
