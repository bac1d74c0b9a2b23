"""Text files as lines and words, a whole file at a time.

Mesh files have millions of lines of a few kinds, so lines are distinguished and their
numbers are read by numpy: the time of a Python loop over lines would be many times
that of everything else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.formats import MeshSource
    from pyrave.spatial import Array

_NEWLINE, _BLANK = 10, 32
_MAX_INDENT = 256
_MAX_LINES = 30_000_000
_COMMENT = re.compile(rb"#[^\n]*")


class Lines:
    """The lines of a text, distinguished by their first word; numbered from 0.

    Parameters
    ----------
    source
        The file, for messages.
    text
        Its text, or what is left of it after changes that kept the lines.
    first
        Number that the first line of `text` has in the file.

    Raises
    ------
    SceneError
        There are too many lines.
    """

    def __init__(
        self, source: MeshSource, text: bytes | None = None, first: int = 0
    ) -> None:
        text = source.data if text is None else text
        if b"\n" not in text:
            text = text.replace(b"\r", b"\n")
        if text.count(b"\n") > _MAX_LINES:
            raise source.error(
                f"the file has more than {_MAX_LINES} lines", code="file-too-large"
            )
        self.source = source
        self.first = first
        self.text = text
        self._bytes = np.frombuffer(text + b"\n", np.uint8)
        ends = np.flatnonzero(self._bytes == _NEWLINE)
        self._starts = np.concatenate(([0], ends[:-1] + 1))
        self._lengths = ends + 1 - self._starts
        self._words = self._starts.copy()
        for _ in range(_MAX_INDENT):
            here = self._bytes[self._words]
            indented = (here <= _BLANK) & (here != _NEWLINE)
            if not indented.any():
                break
            self._words[indented] += 1

    def __len__(self) -> int:
        return len(self._starts)

    def line(self, index: int) -> bytes:
        """Return a line without the blanks around it."""
        start = int(self._starts[index])
        return self._bytes[start : start + int(self._lengths[index])].tobytes().strip()

    def number(self, index: int) -> int:
        """Return the number of a line in the file, counted from 1."""
        return self.first + int(index) + 1

    @property
    def filled(self) -> NDArray[np.bool_]:
        """(n,) whether each line has a word that is not a comment."""
        here = self._bytes[self._words]
        filled: NDArray[np.bool_] = (here > _BLANK) & (here != ord("#"))
        return filled

    def starting_with(self, word: bytes) -> NDArray[np.bool_]:
        """Return for each line whether its first word is `word`, in lower case."""
        last = len(self._bytes) - 1
        candidates = np.arange(len(self))
        for k, letter in enumerate((*word, None)):
            here = self._bytes[np.minimum(self._words[candidates] + k, last)]
            if letter is None:
                same = here <= _BLANK
            elif chr(letter).isalpha():
                # a set bit makes upper case letters lower case
                same = (here | 0x20) == letter
            else:
                same = here == letter
            candidates = candidates[same]
        found = np.zeros(len(self), np.bool_)
        found[candidates] = True
        return found

    def table(self, chosen: NDArray[Any], skip: int = 0) -> Table:
        """Return the words of the chosen lines.

        Parameters
        ----------
        chosen
            (n,) which lines.
        skip
            Letters of the first word, if it is not to be in the table.
        """
        rows = np.flatnonzero(chosen)
        text = self._bytes[np.repeat(chosen, self._lengths)]
        starts = np.cumsum(self._lengths[rows]) - self._lengths[rows]
        keyword = starts + (self._words - self._starts)[rows]
        for k in range(skip):
            text[keyword + k] = _BLANK
        if (text == ord("#")).any():
            blanked = _COMMENT.sub(lambda m: b" " * len(m[0]), text.tobytes())
            text = np.frombuffer(blanked, np.uint8)
        return Table(self, rows, text, starts)


@dataclass(frozen=True, eq=False)
class Table:
    """Words of some lines of a file.

    Parameters
    ----------
    rows
        (n,) the lines that they come from.
    text
        Their bytes, each line with its end.
    starts
        (n,) where each line starts in `text`.
    """

    lines: Lines
    rows: NDArray[np.intp]
    text: NDArray[np.uint8]
    starts: NDArray[np.intp]

    def with_text(self, text: NDArray[np.uint8]) -> Table:
        """Return the table with other bytes at the same places."""
        return Table(self.lines, self.rows, text, self.starts)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(n,) words of each line."""
        if len(self.rows) == 0:
            return np.zeros(0, np.int64)
        words = np.flatnonzero(_word_starts(self.text))
        before = np.searchsorted(words, np.append(self.starts, len(self.text)))
        return np.diff(before)

    def values(self, dtype: type[np.generic] = np.float64) -> NDArray[Any]:
        """Return all words as numbers, one after the other.

        Raises
        ------
        SceneError
            A word is no number; says which and in which line.
        """
        found = parse_numbers(self.text.tobytes(), dtype, int(self.counts.sum()))
        if found is None:
            raise self._wrong_word(dtype)
        return found

    def columns(self, least: int, what: str) -> Array:
        """Return the first `least` numbers of each line, (n, least) float64.

        Parameters
        ----------
        what
            What a line stands for, in messages.

        Raises
        ------
        SceneError
            A line has fewer numbers.
        """
        counts = self.counts
        short = counts < least
        if short.any():
            bad = int(np.argmax(short))
            raise self.error(bad, f"{what} has {counts[bad]} numbers, expected {least}")
        values = self.values()
        if len(counts) and (counts == counts[0]).all():
            return values.reshape(len(counts), -1)[:, :least]
        starts = np.cumsum(counts) - counts
        found: Array = values[starts[:, None] + np.arange(least)]
        return found

    def error(self, row: int, message: str) -> Exception:
        """Return an error about a line of the table."""
        index = int(self.rows[row])
        return self.lines.source.error(message, line=self.lines.number(index))

    def row_of_word(self, word: int) -> int:
        """Return the line of the table that has a word, given by its index."""
        return int(np.searchsorted(np.cumsum(self.counts), word, side="right"))

    def _wrong_word(self, dtype: type[np.generic]) -> Exception:
        number = int if issubclass(dtype, np.integer) else float
        kind = "a whole number" if number is int else "a number"
        for position, word in enumerate(self.text.tobytes().split()):
            try:
                plain = b"_" not in word
                number(word)
            except ValueError:
                plain = False
            if not plain:
                shown = word[:40].decode("ascii", "backslashreplace")
                return self.error(
                    self.row_of_word(position), f"{shown!r} is not {kind}"
                )
        return self.lines.source.error(f"a word is not {kind}")


def parse_numbers(
    text: bytes, dtype: type[np.generic] = np.float64, words: int | None = None
) -> NDArray[Any] | None:
    """Return the numbers of a text with blanks between them; None if there is more.

    Parameters
    ----------
    words
        How many words the text has, if that is known.
    """
    text = text.strip()
    if not text:
        return np.zeros(0, dtype)
    try:
        found = np.fromstring(text, dtype, sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    # an older numpy stops without an exception at a word that is no number
    if words is None:
        words = int(np.count_nonzero(_word_starts(np.frombuffer(text, np.uint8))))
    return found if len(found) == words else None


def _word_starts(text: NDArray[np.uint8]) -> NDArray[np.bool_]:
    blank = text <= _BLANK
    starts = ~blank
    starts[1:] &= blank[:-1]
    return starts
