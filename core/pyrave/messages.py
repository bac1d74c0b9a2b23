"""Warnings, notes and progress for programs that have no handler for the log.

Everything is logged below ``pyrave``. Programs that configure logging decide with their
handlers and levels what is shown. For all others there are Python's warnings, for
problems of scenes, and standard error.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import CodeType, FrameType
from typing import Any, ClassVar, Self, TextIO

from pyrave.errors import ArgumentError, did_you_mean
from pyrave.texts import printable

LOGGER = "pyrave"
WARNED: dict[str, Any] = {"warned": True}
"""The `extra` of log records whose text `warn` shows, too."""
_VARIABLE = "PYRAVE_MESSAGES"
_CHOICES = ("auto", "warnings", "none")
_MAX_KEPT = 1000
_SECONDS_SHOWN = 0.5
"""Time that a line of progress stays before it is written anew."""
_chosen: list[str] = []


class SceneWarning(UserWarning):
    """A scene was loaded with problems, or a value was clamped to a joint's limits."""


def set_messages(which: str) -> None:
    """Choose what is shown if the program has no handler for the log ``pyrave``.

    It counts before the environment variable ``PYRAVE_MESSAGES``, which takes the same
    words. Handlers of the program are never concerned, nor the command ``pyrave``.

    Parameters
    ----------
    which
        ``"auto"``: warnings, and what takes long: what is being compiled, a line that
        counts down in a terminal, a session of Python or a notebook, and one plain line
        elsewhere; models that are built; and, only where somebody watches, how far
        loads, plans, executions and batches are that take more than two seconds.
        ``"warnings"``: without that. ``"none"``: nothing at all.

    Raises
    ------
    ArgumentError
        It is another word.
    """
    _chosen[:] = [_checked(which, "which")]


def _checked(word: object, what: str) -> str:
    if not isinstance(word, str) or word not in _CHOICES:
        near = did_you_mean(word, _CHOICES) if isinstance(word, str) else ""
        raise ArgumentError(
            f"{what} is {word!r}{near}; expected one of {', '.join(_CHOICES)}"
        )
    return word


def messages_chosen() -> str:
    """Return the choice of `set_messages` or the environment variable, else ``"auto"``.

    A variable that has no meaning is warned of once.
    """
    if not _chosen:
        try:
            _chosen.append(_checked(os.environ.get(_VARIABLE) or "auto", _VARIABLE))
        except ArgumentError as error:
            _chosen.append("auto")
            logging.getLogger(LOGGER).warning("%s", error)
    return _chosen[0]


def is_heard(level: int, name: str = LOGGER) -> bool:
    """Return True if a handler of the program gets records of a logger and level."""
    logger: logging.Logger | None = logging.getLogger(name)
    if logger is None or not logger.isEnabledFor(level):
        return False
    while logger is not None:
        if any(_shows(one) and one.level <= level for one in logger.handlers):
            return True
        logger = logger.parent if logger.propagate else None
    return False


def _shows(handler: logging.Handler) -> bool:
    """Return True if somebody put a handler there to read it.

    pytest's always record, and show it where a test fails.
    """
    return not (
        isinstance(handler, (logging.NullHandler, StandardErrorHandler))
        or type(handler).__module__.startswith("_pytest.")
    )


class StandardErrorHandler(logging.Handler):
    """Writes warnings to standard error if no handler of the program gets them.

    What is logged again and again is written once.
    """

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._written: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record that is shown in no other way."""
        if hasattr(record, "warned") or is_heard(record.levelno, record.name):
            return
        stream = sys.stderr
        if stream is not None and messages_chosen() != "none":
            try:
                level = record.levelname.lower()
                text = self.format(record).removeprefix(f"{level}: ")
                if text in self._written:
                    return
                if len(self._written) < _MAX_KEPT:
                    self._written.add(text)
                stream.write(printable(f"pyrave: {level}: {text}\n"))
            except Exception:  # noqa: BLE001 - as every handler of the log does
                self.handleError(record)


def warn(text: str) -> None:
    """Warn with a `SceneWarning` at the user's line, if no handler gets the log.

    The level of the log ``pyrave`` counts here, too.
    """
    is_wanted = logging.getLogger(LOGGER).isEnabledFor(logging.WARNING)
    if is_wanted and not is_heard(logging.WARNING) and messages_chosen() != "none":
        warnings.warn(printable(text), SceneWarning, stacklevel=1 + user_frame()[0])


def user_place() -> tuple[CodeType, int]:
    """Return the code and line of the innermost call that is not pyrave's own."""
    _, frame = user_frame()
    return frame.f_code, frame.f_lineno


def user_frame() -> tuple[int, FrameType]:
    """Return the innermost frame that is not pyrave's, behind its distance.

    It is the number of calls from there to the caller of this function. Frames of
    Python's library count as ours where pyrave called it, as cached properties do, and
    where it makes a record that replaces another one.
    """
    frame = outermost = sys._getframe(1)  # noqa: SLF001 - `inspect` takes long to import
    depth = 0
    while _is_ours(frame) or _is_between(frame):
        if frame.f_back is None:
            return 1, outermost
        frame, depth = frame.f_back, depth + 1
    return depth, frame


def _is_ours(frame: FrameType) -> bool:
    name = str(frame.f_globals.get("__name__"))
    return name.startswith(("pyrave.", "pyrave_")) or name == "pyrave"


def _is_between(frame: FrameType) -> bool:
    """Return True if a frame is a cached property of ours, or replaces a record."""
    above = frame.f_back
    name = frame.f_globals.get("__name__")
    if name == "functools":
        return above is not None and _is_ours(above)
    return name in {"dataclasses", "copy"}


def waiting_stream() -> TextIO | None:
    """Return standard error if it is to be said there what is waited for."""
    return None if messages_chosen() in {"warnings", "none"} else sys.stderr


@contextmanager
def said_if_slow(text: str, after: float = 0.5) -> Iterator[None]:
    """Report a block that takes long: on standard error, and in the log.

    Parameters
    ----------
    text
        What is being done, as in ``"mujoco: building the model"``.
    after
        Seconds.
    """

    def say() -> None:
        logging.getLogger(LOGGER).info("%s", text)
        stream = None if is_heard(logging.INFO) else waiting_stream()
        if stream is not None and not is_watched(stream):
            write_now(stream, f"pyrave: {text} ...\n")

    timer = threading.Timer(after, say)
    timer.daemon = True
    timer.start()
    try:
        with ProgressLine(text, after=after):
            yield
    finally:
        timer.cancel()


def is_watched(stream: TextIO) -> bool:
    """Return True if a stream ends at a person: a terminal, a session or a notebook."""
    if getattr(stream, "closed", False):
        return False
    in_notebook = type(stream).__module__.startswith("ipykernel.")
    is_terminal = getattr(stream, "isatty", bool)()  # what takes its place may lack it
    return is_terminal or in_notebook or hasattr(sys, "ps1")


def write_now(stream: TextIO, text: str) -> None:
    """Write text that is seen at once, to a stream that may be closed meanwhile."""
    try:
        stream.write(printable(text, keep="\r\n\t"))
        stream.flush()
    except (OSError, ValueError) as error:  # whoever read it is gone
        logging.getLogger(LOGGER).debug("standard error cannot be written: %s", error)


class Line:
    """A line of a terminal that is written over what it was before.

    Parameters
    ----------
    stream
        Where it is.
    """

    free = threading.Lock()
    """Lock of the one progress line; nested blocks show none."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._width = 0

    def show(self, text: str, end: str = "") -> None:
        """Write over the line; it ends where the terminal does."""
        with suppress(OSError, ValueError):  # no terminal, or it is gone
            columns = os.get_terminal_size(self._stream.fileno()).columns
            text = text[: columns - 1] if columns else text
        self._width = max(self._width, len(text))
        write_now(self._stream, f"\r{text:<{self._width}}{end}")

    def clear(self) -> None:
        """Leave nothing of the line."""
        self.show("", "\r")


class ProgressLine:
    """A line that says how far a call is, in a terminal and while it takes long.

    ::

        with ProgressLine("solving", len(poses), "poses") as progress:
            for i, pose in enumerate(poses):
                progress.done = i
                ...

    says ``pyrave: solving: 12 000 of 100 000 poses, 8 s left`` after two seconds, and
    nothing is left of it at the end. Where nobody watches, and in processes that work
    for others, nothing is written.

    Parameters
    ----------
    what
        What is done.
    total
        How much of it there is: a whole number, or a float of seconds; 0: nobody knows.
    unit
        What is counted; empty: what passes are seconds, up to the total.
    after
        Seconds until the line is shown; 0: those of the class.
    """

    after: ClassVar[float] = 2.0

    def __init__(
        self,
        what: str,
        total: float = 0,
        unit: str = "",
        *,
        after: float = 0.0,
    ) -> None:
        self._what, self._unit, self._wait = what, unit, after or self.after
        self.total = total
        self.done: float = 0
        """Amount that is done so far, of the total."""
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        stream = waiting_stream()
        if stream is not None and not _is_worker() and is_watched(stream):
            self._start(stream)
        return self

    def _start(self, stream: TextIO, *, is_mine: bool = False) -> None:
        """Renew the line in a thread; `Line.free` is held already if it is mine."""
        self._line, self._begin = Line(stream), time.monotonic()
        self._end.clear()
        if is_mine:
            self._write()
        self._thread = threading.Thread(target=self._show, args=(is_mine,), daemon=True)
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        if self._thread is not None:
            self._end.set()
            self._thread.join()

    def _show(self, is_mine: bool) -> None:
        wait = self._wait
        while not self._end.wait(wait):
            wait = _SECONDS_SHOWN
            is_mine = is_mine or Line.free.acquire(blocking=False)
            if is_mine:
                self._write()
        if is_mine:
            self._finish()
            Line.free.release()

    def _write(self, end: str = "") -> None:
        self._line.show(f"pyrave: {self._what}: {self._state()}", end)

    def _finish(self) -> None:
        """Leave of the line what stays of it at the end: nothing."""
        self._line.clear()

    def _passed(self) -> float:
        return time.monotonic() - self._begin

    def _state(self) -> str:
        spent, done, total = self._passed(), self.done, self.total
        if not self._unit:
            return f"{spent:.0f}{f' of at most {total:.0f}' if total else ''} s"
        digits = 0 if isinstance(total, int) else 1
        first, last = (f"{n:,.{digits}f}".replace(",", " ") for n in (done, total))
        left = f", {spent * (total - done) / done:.0f} s left" if done else ""
        return f"{first} of {last} {self._unit}{left}"


def _is_worker() -> bool:
    """Return True if this process works for another one."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


logging.getLogger(LOGGER).addHandler(StandardErrorHandler())
