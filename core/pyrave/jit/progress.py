"""A line on standard error while kernels are compiled, with the time left."""

from __future__ import annotations

import logging
import threading
import time
from typing import Self

from pyrave.messages import (
    Line,
    ProgressLine,
    is_heard,
    is_watched,
    waiting_stream,
    write_now,
)

_log = logging.getLogger("pyrave.jit")
_pace = [1.0]
"""Ratio of the last compile time to its estimate: machines and loads differ."""


class _Clock(threading.local):
    """Time that this thread has waited for machine code, and the depth of nesting."""

    seconds = 0.0
    depth = 0
    begin = 0.0


_clock = _Clock()


def seconds_compiled() -> float:
    """Return the seconds that this thread has waited for machine code so far."""
    return _clock.seconds


def announce(what: str, seconds: float, where: str = "") -> None:
    """Say once that something is compiled in the background."""
    text = _text(what, seconds, where)
    _log.info("%s", text)
    stream = None if is_heard(logging.INFO, _log.name) else waiting_stream()
    if stream is not None:
        write_now(stream, f"pyrave: {text}\n")


class Waiting(ProgressLine):
    """Says what is compiled while a block runs, and for how much longer.

    Where standard error is watched the line counts down, and says at the end how long
    it took; elsewhere it is written once.

    Parameters
    ----------
    what
        What is compiled, in words; nothing is said if it is empty.
    seconds
        Rough time that it takes where nothing else runs.
    """

    after = 1.0

    def __init__(self, what: str, seconds: float) -> None:
        super().__init__(f"compiling {what}, once per machine", seconds)
        self._said = _text(what, seconds) if what else ""
        self._usual = seconds
        self._is_held = False

    def __enter__(self) -> Self:
        _clock.depth += 1
        if _clock.depth == 1:
            _clock.begin = time.monotonic()
        if not self._said:
            return self
        _log.info("%s", self._said)
        stream = None if is_heard(logging.INFO, _log.name) else waiting_stream()
        if stream is None or not Line.free.acquire(blocking=False):
            return self
        self.total = self._usual * _pace[0]
        if is_watched(stream):
            self._start(stream, is_mine=True)
        else:
            self._is_held = True
            write_now(stream, f"pyrave: {self._said}\n")
        return self

    def __exit__(self, *error: object) -> None:
        _clock.depth -= 1
        if not _clock.depth:
            _clock.seconds += time.monotonic() - _clock.begin
        super().__exit__(*error)
        if self._is_held:
            Line.free.release()

    def _state(self) -> str:
        if self._thread is None:
            return f"about {self.total:.0f} s"
        passed = self._passed()
        if self._end.is_set():
            return f"{passed:.1f} s"
        left = self.total - passed
        return f"{left:.0f} s left" if left > 0.5 else f"{passed:.0f} s so far"

    def _finish(self) -> None:
        _pace[0] = max(self._passed() / max(self._usual, 0.1), 1.0)
        self._write("\n")


def _text(what: str, seconds: float, where: str = "") -> str:
    place = f" {where}" if where else ""
    return f"compiling {what}{place}, once per machine, about {seconds:.0f} s"


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
