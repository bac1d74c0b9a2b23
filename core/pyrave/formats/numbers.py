"""Numbers in texts of files, as C writes them whatever the locale is."""

from __future__ import annotations

import re
from collections.abc import Iterable

_BEGIN = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)


def is_plain(text: str) -> bool:
    """Return True if a text has nothing that only Python takes for parts of numbers.

    Those are digits of other scripts, and underscores between digits.
    """
    return "_" not in text and text.isascii()


def plain_float(text: str) -> float:
    """Return the number that a text is.

    Raises
    ------
    ValueError
        It is none.
    """
    if not is_plain(text):
        raise ValueError(text)
    return float(text)


def plain_floats(text: str) -> tuple[float, ...]:
    """Return the numbers of a text, separated by blanks.

    Raises
    ------
    ValueError
        A word is none.
    """
    if not is_plain(text):
        raise ValueError(text)
    return tuple(map(float, text.split()))


def leading_numbers(words: Iterable[str]) -> list[str] | None:
    """Return the number that each word begins with; None if one begins with none.

    So streams of C++ read what has a unit or a second point behind it.
    """
    begins = [_BEGIN.match(word) for word in words]
    found = [one[0] for one in begins if one is not None]
    return found if len(found) == len(begins) else None
