"""Ctrl-C ends the ``pyrave`` command while the interpreter still imports it.

`pyrave` imports this before all else. Nothing happens in other programs: there Ctrl-C
is their author's. `pyrave.cli.interrupts` takes over when the command begins to work.
"""

from __future__ import annotations

import os
import sys

# what `signal` is made of, without its enumerations, which take milliseconds
from _signal import (  # type: ignore[import-not-found]
    SIGINT,
    default_int_handler,
    getsignal,
    signal,
)

EXIT_CODE = 130
"""Exit code of a program that Ctrl-C ended: 128 and the number of the signal."""


def end(_number: int, _frame: object) -> None:
    """End the process at once: it has done nothing yet."""
    os._exit(EXIT_CODE)


def _is_the_command() -> bool:
    first = next(iter(getattr(sys, "argv", ())), "")
    if first == "-m":  # the interpreter is looking for the module
        return not {"pyrave", "pyrave.__main__", "-mpyrave"}.isdisjoint(sys.orig_argv)
    return os.path.basename(first).removesuffix(".exe") == "pyrave"  # noqa: PTH119


def _take_over() -> None:
    if getsignal(SIGINT) is default_int_handler and _is_the_command():
        try:
            signal(SIGINT, end)
        except ValueError:
            return  # this is another thread than the main one


_take_over()
