"""Ctrl-C ends the command, without a traceback, wherever it comes.

Python raises `KeyboardInterrupt` wherever the main thread is. Where that is a callback
of the garbage collector, the machinery of imports or a library that catches everything,
it is printed or dropped there and the program goes on.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from types import FrameType
from typing import Any

from pyrave._ctrl_c import EXIT_CODE, end

_AGAIN = 0.5
_PATIENCE = 5.0
"""Seconds after which it ends at once: something holds the main thread."""


class _Interrupt:
    """State of an interrupt: Ctrl-C was pressed, the command has ended."""

    def __init__(self) -> None:
        self.pressed = False
        self.ended = False

    def handle(self, _number: int, _frame: FrameType | None) -> None:
        """Raise, and see to it that something comes of it."""
        if self.ended:
            os._exit(EXIT_CODE)
        if not self.pressed:
            self.pressed = True
            # `threading` takes locks that the main thread may hold just now
            _thread.start_new_thread(self._insist, ())
        raise KeyboardInterrupt

    def _insist(self) -> None:
        until = time.monotonic() + _PATIENCE
        while not self.ended and time.monotonic() < until:
            time.sleep(_AGAIN)
            if not self.ended:
                _thread.interrupt_main()
        if not self.ended:
            os._exit(EXIT_CODE)


def interruptible(command: Callable[[], int]) -> int:
    """Return the result of a function that is the process's whole work.

    If Ctrl-C is pressed meanwhile it is `EXIT_CODE`; later the process ends with that
    at once. Nothing is changed in other threads than the main one, nor where a shell
    has Ctrl-C ignored.
    """
    interrupt, code = _Interrupt(), EXIT_CODE
    try:
        if signal.getsignal(signal.SIGINT) in (signal.default_int_handler, end):
            with suppress(ValueError):  # this is another thread
                signal.signal(signal.SIGINT, interrupt.handle)
                sys.unraisablehook = partial(_show_others, sys.unraisablehook)
        code = command()
    except BaseException as error:
        # some libraries make an error of their own of it
        if not (interrupt.pressed or isinstance(error, KeyboardInterrupt)):
            raise
    finally:
        interrupt.ended = True
    return EXIT_CODE if interrupt.pressed else code


def _show_others(show: Callable[[Any], object], unraisable: Any) -> None:
    """Show what is dropped but Ctrl-C, which is raised again."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        show(unraisable)
