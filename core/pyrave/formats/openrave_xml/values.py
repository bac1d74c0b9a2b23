"""Numbers and truth values as the format writes them; free of locales."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from struct import Struct

from pyrave.coercion import HUGE
from pyrave.formats.numbers import is_plain, leading_numbers, plain_float
from pyrave.scene.pose import Vec3

_FALSE = frozenset({"false", "0"})
_TRUE = frozenset({"true", "1"})
_BLANKS = re.compile(r"[ \t\n\v\f\r]+")
_MAX_SHOWN = 60
_MAX_SLIPS = 3
_MEMO_LENGTH = 80
_SINGLE = Struct("f")
_SINGLE_DIGITS = 9


class BadValueError(ValueError):
    """A text is not the value that its place needs; the text says why."""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class WrongCountError(BadValueError):
    """A text holds numbers, but not as many as expected; `values` has them."""

    def __init__(self, values: tuple[float, ...], expected: str, text: str) -> None:
        found = _shown(" ".join(text.split())) or "nothing"
        super().__init__(f"has {len(values)} numbers ({found}), expected {expected}")
        self.values = values


class SlipError(BadValueError):
    """Words of a text begin with a number and go on; `values` has what they begin with.

    So OpenRAVE reads such a number, by streams of C++.
    """

    def __init__(self, values: tuple[float, ...], slips: Sequence[str]) -> None:
        found = ", ".join(repr(_shown(word)) for word in slips[:_MAX_SLIPS])
        more = ", ..." if len(slips) > _MAX_SLIPS else ""
        super().__init__(f"has {found}{more}, no number as it should be")
        self.values = values


def parse_floats(
    text: str | None, count: int | None = None, *, infinite: bool = False
) -> tuple[float, ...]:
    """Return the numbers of a text separated by white space.

    Parameters
    ----------
    count
        How many there must be, or None for any number.
    infinite
        Allow infinite values (limits).

    Raises
    ------
    WrongCountError
        If all are valid numbers, but not `count`.
    SlipError
        If one has something behind it, such as a unit or a second point.
    BadValueError
        If one is not a number, NaN or infinite.
    """
    # scenes repeat the same sizes, colours and inertias thousands of times
    if text is not None and len(text) <= _MEMO_LENGTH:
        return _parse_short(text, count, infinite)
    return _parse(text, count, infinite)


def leading_floats(text: str) -> tuple[float, ...]:
    """Return the numbers of a text that was read before, slips or not."""
    try:
        return parse_floats(text)
    except SlipError as slip:
        return slip.values


def _parse(text: str | None, count: int | None, infinite: bool) -> tuple[float, ...]:
    words = text.split() if text else []
    try:
        values = tuple(map(float, words))
    except ValueError:
        raise _slip_or_none(words) from None
    # whatever is not finite or huge shows in the sum
    if not sum(map(abs, values)) <= HUGE:
        for word, value in zip(words, values, strict=True):
            if math.isnan(value) or (math.isinf(value) and not infinite):
                raise BadValueError(f"has the value {word}, which is not finite")
            if abs(value) > HUGE and not infinite:
                raise BadValueError(f"has the value {word}, which is absurdly large")
    if text is not None and not is_plain(text) and not all(map(is_plain, words)):
        raise _slip_or_none(words)
    if count is not None and len(values) != count:
        raise WrongCountError(values, str(count), text or "")
    return values


_parse_short = lru_cache(maxsize=4096)(_parse)


def scale_factors(values: Sequence[float], *, of_mesh: bool = False) -> Vec3:
    """Return the scale along x y z that numbers mean, whatever their count.

    One is for all axes. As in OpenRAVE, of more than three the first three count; two
    are x and y of a mesh, which has z like x, and of anything else the first counts.
    """
    if not values:
        return (1.0, 1.0, 1.0)
    x, y, z = (*values, values[0], values[0])[:3]
    return (x, x, x) if len(values) == 2 and not of_mesh else (x, y, z)


def split_words(text: str) -> list[str]:
    """Return the words between ASCII blanks, which alone part names in OpenRAVE."""
    return [word for word in _BLANKS.split(text) if word]


def single(value: float) -> float:
    """Return the nearest number of single precision.

    OpenRAVE keeps densities, total masses and colours so, and what it computes from
    them is off by up to 6e-8 of what the file says.
    """
    (rounded,) = _SINGLE.unpack(_SINGLE.pack(value))
    return float(rounded)


@lru_cache(maxsize=1024)
def singles(values: tuple[float, ...]) -> tuple[float, ...]:
    """Return each value in single precision, see `single`."""
    return tuple(map(single, values))


def single_text(value: float) -> str:
    """Return the shortest text that is `value` once it is read in single precision.

    A number that has more than that precision is written whole.
    """
    for digits in range(1, _SINGLE_DIGITS + 1):
        text = f"{value:.{digits}g}"
        if single(float(text)) == value:
            return text
    return repr(value).removesuffix(".0")


def parse_boolean(text: str, *, default: bool) -> tuple[bool, bool]:
    """Return (value, whether the word is a known one).

    An unknown word gives the opposite of what the attribute tests for, as in
    OpenRAVE: attributes that are true by default are false for ``false`` and ``0``
    only, the others true for ``true`` and ``1`` only.
    """
    word = text.strip().lower()
    if word in _FALSE:
        return False, True
    if word in _TRUE:
        return True, True
    return default, False


def _slip_or_none(words: list[str]) -> BadValueError:
    """Return a `SlipError` if all words begin with a usable number, else why not."""
    numbers = leading_numbers(words)
    if numbers is not None:
        values = tuple(map(float, numbers))
        if sum(map(abs, values)) <= HUGE:
            both = zip(words, numbers, strict=True)
            return SlipError(values, [word for word, number in both if word != number])
    return _not_a_number(words)


def _not_a_number(words: list[str]) -> BadValueError:
    for word in words:
        with suppress(ValueError):
            plain_float(word)
            continue
        if "," in word:
            hint = "numbers are separated by blanks and have a decimal point"
            return BadValueError(f"has {_shown(word)!r}, which is not a number", hint)
        return BadValueError(f"has {_shown(word)!r}, which is not a number")
    return BadValueError("has something that is not a number")


def _shown(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
