"""Ctrl-C in a script: its own matter, as with Python, until it comes on and on."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["EXIT_CODE", "script_interrupts"]

EXIT_CODE = 130
_PRESSES = 3
_WITHIN = 3.0
"""Seconds in which so many presses end a script that catches each of them."""


class _Presses:
    """Raises `KeyboardInterrupt`, and ends the process when it is pressed on and on."""

    def __init__(self) -> None:
        self._times: list[float] = []

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        self._times = [one for one in self._times if now - one < _WITHIN] + [now]
        if len(self._times) >= _PRESSES:
            os._exit(EXIT_CODE)
        raise KeyboardInterrupt


@contextmanager
def script_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise `KeyboardInterrupt` in a script, once, for a block.

    A handler that the script sets stays. Where Ctrl-C is ignored it stays ignored.
    """
    before = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not main or before in {signal.SIG_IGN, None}:
        yield
        return
    ours = _Presses()
    signal.signal(signal.SIGINT, ours)
    try:
        yield
    finally:
        if signal.getsignal(signal.SIGINT) is ours:
            signal.signal(signal.SIGINT, before)
