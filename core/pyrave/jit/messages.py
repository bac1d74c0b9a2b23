"""Log messages about kernel compilation."""

from __future__ import annotations

import functools
import logging
import sys
from typing import Any

_log = logging.getLogger("pyrave.jit")


def say(what: str, seconds: float, where: str = "") -> None:
    """Say that something is compiled which takes a while."""
    # the level is one that people see who wait, and logs do not mind
    seen = sys.stderr is not None and sys.stderr.isatty()
    _log.log(
        logging.WARNING if seen else logging.INFO,
        "compiling %s%s, once per machine, about %.0f s",
        what,
        f" {where}" if where else "",
        seconds,
    )


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
        def on_start(self, event: Any) -> None:
            function = event.data["dispatcher"].py_func
            entries = function.__globals__.get("JIT_ENTRIES")
            name = function.__name__
            if entries is not None and entries.get(name) is not None:
                say(*entries[name])

        def on_end(self, event: Any) -> None:
            """Nothing more is to be said."""

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
    """Say why a kernel is not compiled, so that a simpler one goes on."""
    import numba

    lines = str(error).strip().splitlines()
    _log.warning(
        "%s are slower than they could be: a kernel was not compiled by numba %s (%s)",
        what,
        numba.__version__,
        lines[0] if lines else type(error).__name__,
    )
