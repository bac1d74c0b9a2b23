"""Files as Python 2 opened them: text and bytes are one there."""

from __future__ import annotations

import builtins
import io
from collections.abc import Iterable, Iterator
from typing import Any

__all__ = ["AS_TEXT", "open_file", "text_lines"]

AS_TEXT: dict[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape"}
"""The coding of bytes as text, which keeps those that are none."""


class _TextFile(io.TextIOWrapper):
    """A file opened as text, which takes bytes, too."""

    mode = "r"

    def write(self, text: Any) -> int:
        if isinstance(text, str):
            return super().write(text)
        self.flush()
        self.buffer.write(text)
        return len(text)


class _Writer(io.BufferedWriter):
    """A file opened to write bytes, which takes text, too."""

    def write(self, data: Any) -> int:
        return super().write(_as_bytes(data))


class _Random(io.BufferedRandom):
    """A file opened to read and write bytes, which takes text, too."""

    def write(self, data: Any) -> int:
        return super().write(_as_bytes(data))


_open: Any = builtins.open
_TAKES_TEXT: dict[type, Any] = {
    io.BufferedWriter: _Writer,
    io.BufferedRandom: _Random,
}


def open_file(name: Any, mode: str = "r", buffering: int = -1, **named: Any) -> Any:
    """Open a file as Python 2's ``open`` does.

    Parameters
    ----------
    name
        A path, or the number of an open file.
    mode
        As in Python 3, or with ``U``, which takes all ends of lines for one.
    buffering
        As in Python 2.
    **named
        More arguments of Python 3's ``open``, which is called if there are any.
    """
    if named:
        return _open(name, mode, buffering, **named)
    kind = "".join(letter for letter in mode if letter not in "Ubt") or "r"
    at_once = buffering in (0, 1)
    opened = _open(name, f"{kind}b", -1 if at_once else buffering)
    if "b" in mode:
        fitting = _TAKES_TEXT.get(type(opened))
        return opened if fitting is None else fitting(opened.detach())
    ends = None if "U" in mode else "\n"
    made = _TextFile(opened, **AS_TEXT, newline=ends, line_buffering=at_once)
    made.mode = mode
    return made


def text_lines(lines: Iterable[str | bytes]) -> Iterator[str]:
    """Yield lines as text, those of a file that was opened as bytes, too."""
    for line in lines:
        yield line if isinstance(line, str) else line.decode(**AS_TEXT)


def _as_bytes(data: Any) -> Any:
    return data.encode(**AS_TEXT) if isinstance(data, str) else data
