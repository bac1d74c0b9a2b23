"""Lines of clients as words, and numbers as words of answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from pyrave.errors import CommandError

_WORD = re.compile(r"\S+")
_MAX_SHOWN = 60
_LARGEST = 2**31


class Words:
    """The words of a command, taken one after the other.

    Parameters
    ----------
    text
        What stands behind the command's name.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = 0

    def __bool__(self) -> bool:
        return _WORD.search(self._text, self._next) is not None

    @property
    def rest(self) -> str:
        """The rest, as it was sent."""
        return self._text[self._next :].strip()

    def word(self, what: str) -> str:
        """Take a word; CommandError if none is left."""
        found = _WORD.search(self._text, self._next)
        if found is None:
            raise CommandError(f"{what} is missing")
        self._next = found.end()
        return found[0]

    def number(self, what: str) -> float:
        """Take a finite number."""
        word = self.word(what)
        try:
            number = float(word)
        except ValueError:
            number = math.nan
        if not math.isfinite(number):
            raise CommandError(f"{what} is {_short(word)}, expected a number")
        return number

    def whole(self, what: str, least: int = 0) -> int:
        """Take a whole number, which may be written as 2.000."""
        number = self.number(what)
        if number != int(number) or not least <= number <= _LARGEST:
            raise CommandError(
                f"{what} is {number:g}, expected a whole number of {least} or more"
            )
        return int(number)

    def truth(self, what: str) -> bool:
        """Take 0 or 1."""
        return self.whole(what) != 0

    def row(self, count: int, what: str) -> Any:
        """Take so many numbers, as an array (count,)."""
        words = self._text[self._next :].split(maxsplit=count)
        if len(words) < count:
            raise CommandError(f"{len(words)} of {count} {what} are given")
        taken = Words(" ".join(words[:count]))
        self._text, self._next = (words[count] if len(words) > count else ""), 0
        return taken.numbers(what)

    def numbers(self, what: str) -> Any:
        """Take all that is left, as an array of numbers."""
        words = self.rest.split()
        try:
            found = np.array(words, dtype=np.float64)
        except ValueError:
            found = np.array([math.nan])
        if not np.isfinite(found).all():
            raise CommandError(f"{what} are {_short(self.rest)}, expected numbers")
        self._next = len(self._text)
        return found

    def indices(self, count: int, what: str) -> list[int]:
        """Take all that is left, as indices below `count`."""
        found = self.numbers(what)
        if (found != np.floor(found)).any() or ((found < 0) | (found >= count)).any():
            raise CommandError(
                f"{what} are {_short(str(found.tolist()))}, expected 0 to {count - 1}"
            )
        return [int(one) for one in found]


def number_words(values: Iterable[Any]) -> str:
    """Return numbers as words; those of arrays row by row, exactly."""
    return " ".join(repr(number) for one in values for number in np.ravel(one).tolist())


def columns(pose: Any) -> str:
    """Return the 12 numbers of a pose (4, 4) as Octave has matrices: by columns."""
    return number_words([pose[:3].T])


def _short(text: str) -> str:
    return repr(text[:_MAX_SHOWN])
