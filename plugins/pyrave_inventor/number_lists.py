"""Lists of numbers in texts, in bulk."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBER = rb"[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+"

_INTEGER = re.compile(rb"([+-]?+)(?:0[xX]([0-9a-fA-F]++)|(\d++))\Z")
_REAL = re.compile(NUMBER + rb"\Z")
_COMMENT = re.compile(rb"#[^\r\n]*+")
_TOKEN = re.compile(rb"#[^\r\n]*+|[^\s,#]++")
_GAP = re.compile(rb"\s")
_COMMAS = bytes.maketrans(b",", b" ")
_BLANKS = bytes.maketrans(b",\t\n\r", b"    ")
# lists are split in pieces, so that millions of words never exist at once
_PIECE = 1 << 20
_INT64 = 2**63
_LARGEST = float(np.finfo(np.float32).max)


class NotANumberError(ValueError):
    """A word is no number; `at` is its place in the bytes that were parsed."""

    def __init__(self, word: bytes, at: int) -> None:
        self.word = word
        self.at = at
        super().__init__(word, at)


def single(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return float64 values rounded to single precision, which the formats have."""
    with np.errstate(over="ignore"):
        return values.astype(np.float32).astype(np.float64)


def parse_floats(text: bytes) -> NDArray[np.float64]:
    """Return the numbers of a text without brackets, rounded to single precision.

    Raises
    ------
    NotANumberError
        A word is no finite decimal number.
    """
    if b"_" not in text:
        try:
            pieces = [np.array(words, np.float64) for words in _words(text)]
        except ValueError:
            pass  # the slow way finds the place
        else:
            found = single(np.concatenate([np.zeros(0), *pieces]))
            if np.isfinite(found).all():
                return found
    for match in _TOKEN.finditer(text):
        word = match.group()
        fine = word.startswith(b"#") or (
            _REAL.match(word) and abs(float(word)) <= _LARGEST
        )
        if not fine:
            raise NotANumberError(word, match.start())
    raise AssertionError("a list of good numbers was not read")


def parse_integers(text: bytes) -> NDArray[np.int64]:
    """Return the integers of a text without brackets, decimal or ``0x``.

    Raises
    ------
    NotANumberError
        A word is no integer of 64 bits.
    """
    plain = _plain_integers(text)
    if plain is not None:
        return plain
    if b"_" not in text:
        try:
            pieces = [np.array(words, np.int64) for words in _words(text)]
        except (ValueError, OverflowError):
            pass  # hexadecimal ones, or one that is wrong
        else:
            return np.concatenate([np.zeros(0, np.int64), *pieces])
    values = []
    for match in _TOKEN.finditer(text):
        word = match.group()
        if word.startswith(b"#"):
            continue
        parts = _INTEGER.match(word)
        if parts is None or len(word) > 20:
            raise NotANumberError(word, match.start())
        value = int(parts[2], 16) if parts[2] else int(parts[3])
        value = -value if parts[1] == b"-" else value
        if not -_INT64 <= value < _INT64:
            raise NotANumberError(word, match.start())
        values.append(value)
    return np.array(values, np.int64)


def _plain_integers(text: bytes) -> NDArray[np.int64] | None:
    """Return decimal integers without plus signs; None for all other texts.

    Nearly all lists of indices are so, and numpy reads them several times faster
    whole than as words. It would take ``1-2`` as two numbers and stop at words.
    """
    text = text.translate(_BLANKS).strip()
    signs = text.count(b" -") + text.startswith(b"-")
    if (
        not text
        or text.translate(None, b"0123456789- ")
        or text.count(b"-") != signs
        or text.endswith(b"-")
        or b"- " in text
    ):
        return None
    values = np.fromstring(text, np.int64, sep=" ")
    # what is larger than 64 bits became the largest
    fits = values.max() < _INT64 - 1 and values.min() > -_INT64
    return values if fits else None


def _words(text: bytes) -> Iterator[list[bytes]]:
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    text = text.translate(_COMMAS)
    begin = 0
    while begin < len(text):
        gap = _GAP.search(text, begin + _PIECE)
        end = gap.start() if gap else len(text)
        yield text[begin:end].split()
        begin = end
