"""The log of pyrave on the terminal: warnings of loads look like a compiler's."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyrave.messages import messages_chosen, set_messages

_PROBLEM = re.compile(
    r"(?P<place>[^\n]*?)(?P<severity>warning|error): (?P<rest>.*)", re.DOTALL
)
_LEVELS = (
    logging.CRITICAL,
    logging.ERROR,
    logging.WARNING,
    logging.INFO,
    logging.DEBUG,
)
_before: list[str] = []
"""The choice of `set_messages` before the command."""
_STYLES = {"warning": "bold magenta", "error": "bold red"}


class _TerminalHandler(logging.Handler):
    """Writes records to standard error; tracebacks only when everything is shown."""

    def __init__(self, *, trace: bool) -> None:
        super().__init__()
        self._trace = trace
        self.muted = False
        """True if records are dropped; a level would have others write them."""

    def emit(self, record: logging.LogRecord) -> None:
        from rich.text import Text

        from pyrave.cli.output import error_console

        if self.muted:
            return
        message = self.format(record)
        if not self._trace:
            message = message.partition("\n")[0].removesuffix(":")
        found = _PROBLEM.fullmatch(message)
        if found is None:
            level = record.levelname.lower()
            place, rest = f"{record.name}: ", message
        else:
            level = found["severity"]
            place, rest = found["place"], found["rest"]
        text = Text(place, style="bold")
        text.append(f"{level}: ", style=_STYLES.get(level, "dim"))
        text.append(rest, style="default")
        error_console().print(text, soft_wrap=True)


def configure_logging(verbosity: int) -> None:
    """Show the ``pyrave`` log on standard error.

    Parameters
    ----------
    verbosity
        0: warnings; 1: information; 2: everything, with tracebacks; -1: errors; -2:
        nothing.
    """
    release_logging()
    logger = logging.getLogger("pyrave")
    logger.addHandler(_TerminalHandler(trace=verbosity >= 2))
    logger.setLevel(_LEVELS[min(max(verbosity + 2, 0), len(_LEVELS) - 1)])
    if verbosity < 0:
        # the handler has the rest
        _before.append(messages_chosen())
        set_messages("none")


def release_logging() -> None:
    """Leave the log as a program that calls the command finds it."""
    logger = logging.getLogger("pyrave")
    for handler in list(logger.handlers):
        if isinstance(handler, _TerminalHandler):
            logger.removeHandler(handler)
            logger.setLevel(logging.NOTSET)
    while _before:
        set_messages(_before.pop())


@contextmanager
def silent() -> Iterator[None]:
    """Keep the log off the terminal for a block that reports problems itself."""
    handlers = [
        h
        for h in logging.getLogger("pyrave").handlers
        if isinstance(h, _TerminalHandler)
    ]
    muted = [handler.muted for handler in handlers]
    for handler in handlers:
        handler.muted = True
    try:
        yield
    finally:
        for handler, before in zip(handlers, muted, strict=True):
            handler.muted = before
