"""The ``pyrave`` command.

`main` is what the script of that name calls. The command-line parser and the rich
printer are imported when a command runs, never by ``import pyrave``.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    Parameters
    ----------
    arguments
        The words behind ``pyrave``; None takes those of the process, which Ctrl-C
        then ends with the exit code 130.

    Returns
    -------
    int
        0: all is well, 1: a file, scene or plugin is missing or wrong, 2: an argument
        is, 130: Ctrl-C was pressed.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words == ["--version"]:
        from pyrave import __version__

        sys.stdout.write(f"pyrave {__version__}\n")
        return 0
    if arguments is not None:
        return _run(words)
    from pyrave.cli.interrupts import interruptible

    return interruptible(partial(_run, words))


def _run(words: list[str]) -> int:
    from pyrave.cli.app import run

    return run(words)
