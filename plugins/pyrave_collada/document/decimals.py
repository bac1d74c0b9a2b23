"""Long lists of decimal numbers, each rounded correctly, as ``float`` does.

Most of what a file with meshes costs are these numbers. Whole numbers are read ten
times as fast as others, so that a number is read as the whole one of its digits, which
is divided by a power of ten then: one division, if both are exact (W. D. Clinger, "How
to read floating point numbers accurately", 1990); with more digits the rest of the
division is added (T. J. Dekker, "A floating-point technique for extending the
available precision", 1971). The few for which that may round wrongly go to ``float``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

    Whole = NDArray[np.int64]
    Truths = NDArray[np.bool_]

_BLANK, _PLUS, _MINUS, _DOT, _E = b" +-.e"
_LOWER = 0x20
_WHOLE_NUMBERS = b"0123456789+- \t\n\r"
_E_TO_BLANK = bytes.maketrans(b"eE", b"  ")
# powers of ten, and whole numbers, up to which all are floats
_POWER, _EXACT = 22, 1 << 53
_POWERS = np.array([10.0**i for i in range(_POWER + 1)])
_LARGEST = 1 << 62  # larger ones may stand for longer ones
_SPLITTER = 134217729.0  # 2**27 + 1
_NEARLY_HALF = 0.5 - 1e-6


def parse_whole(text: str) -> Whole:
    """Return the whole numbers (n,) of an ASCII text with blanks between them.

    Raises
    ------
    ValueError, OverflowError
        A word is no whole number of 64 bits.
    """
    if "-" not in text and "+" not in text:  # which may stand in words
        found = _integers(text.encode("ascii"))
        if found is not None and found.max(initial=0) < _LARGEST:
            return found
    return np.array(text.split(), dtype=np.int64)


def parse_decimals(text: str) -> Array:
    """Return the numbers (n,) of an ASCII text with blanks between them.

    Raises
    ------
    ValueError
        A word is no number.
    """
    data = f" {text} ".encode("ascii")
    words = _words(data)
    if words is not None:
        whole = _integers(data.translate(_E_TO_BLANK, b"."))
        if whole is not None and len(whole) == len(words.starts):
            return _joined(data, words, whole)
    return np.array(text.split(), dtype=np.float64)


class _Words(NamedTuple):
    """Runs of digits, perhaps with a sign and a dot: numbers, and their exponents.

    Parameters
    ----------
    starts, ends
        Where each one is in the text.
    decimals
        How many digits it has behind a dot.
    is_negative
        Whether its sign is a minus.
    exponents
        Which words are exponents of the words before them.
    """

    starts: Whole
    ends: Whole
    decimals: Whole
    is_negative: Truths
    exponents: Whole


def _words(data: bytes) -> _Words | None:
    """Return the words of a text between blanks; None if there are other words."""
    letters = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero((letters | _LOWER) == _E)
    is_end = letters <= _BLANK
    is_end[marks] = True
    is_dot = letters == _DOT
    events = np.flatnonzero(is_end | is_dot)
    dotted = is_dot[events]
    if (dotted[1:] & dotted[:-1]).any():
        return None
    at = np.flatnonzero(~dotted)
    bounds, before = events[at], at[1:] - 1
    starts, ends, has_dot = bounds[:-1] + 1, bounds[1:], dotted[before]
    decimals = (ends - events[before] - 1) * has_dot
    used = starts < ends
    if not used.all():
        starts, ends, has_dot, decimals = (
            one[used] for one in (starts, ends, has_dot, decimals)
        )
    if not len(starts):
        return None
    first = letters[starts]
    is_negative = first == _MINUS
    signs = is_negative | (first == _PLUS)
    n_signs = np.count_nonzero(letters == _PLUS) + np.count_nonzero(letters == _MINUS)
    exponents = np.searchsorted(starts, marks + 1)
    if (
        np.count_nonzero(signs) != n_signs
        or (ends - starts - has_dot - signs).min() < 1  # no digits
        or not _are_exponents(exponents, marks, starts, ends, has_dot)
    ):
        return None
    return _Words(starts, ends, decimals, is_negative, exponents)


def _are_exponents(
    exponents: Whole, marks: Whole, starts: Whole, ends: Whole, has_dot: Truths
) -> bool:
    """Return True if there is a number before each letter e, and an exponent behind."""
    if not len(marks):
        return True
    if exponents[0] == 0 or exponents[-1] == len(starts):
        return False
    return bool(
        (starts[exponents] == marks + 1).all()
        and (ends[exponents - 1] == marks).all()
        and not has_dot[exponents].any()
        and (np.diff(exponents) > 1).all()
    )


def _integers(data: bytes) -> Whole | None:
    """Return whole numbers, of those that are too long the largest or the least.

    Signs have to be known to stand where they may. None: something else is among them.
    """
    if data.isspace() or data.translate(None, _WHOLE_NUMBERS):
        return None
    return np.fromstring(data, np.int64, sep=" ")


def _joined(data: bytes, words: _Words, whole: Whole) -> Array:
    """Return the numbers of words, of whose digits the whole numbers are given."""
    starts, ends, decimals, is_negative, exponents = words
    if len(exponents):
        powers = np.clip(whole[exponents], -(1 << 20), 1 << 20)
        decimals[exponents - 1] -= powers
        ends[exponents - 1] = ends[exponents]
        is_number = np.ones(len(whole), bool)
        is_number[exponents] = False
        whole, starts, ends = whole[is_number], starts[is_number], ends[is_number]
        decimals, is_negative = decimals[is_number], is_negative[is_number]
    found, is_sure = _scaled(whole, decimals)
    found[is_negative & (whole == 0)] = -0.0
    for i in np.flatnonzero(~is_sure).tolist():
        found[i] = float(data[starts[i] : ends[i]])
    return found


def _scaled(whole: Whole, decimals: Whole) -> tuple[Array, Truths]:
    """Return whole numbers divided by powers of ten, and which are certainly right."""
    size = np.abs(decimals)
    power = _POWERS[np.minimum(size, _POWER)]
    close = whole.astype(np.float64)
    found = close / power
    is_sure = (size <= _POWER) & (whole > -_LARGEST) & (whole < _LARGEST)
    is_exact = (whole >= -_EXACT) & (whole <= _EXACT)
    upwards = np.flatnonzero(decimals < 0)
    if len(upwards):
        found[upwards] = close[upwards] * power[upwards]
        is_sure[upwards] &= is_exact[upwards]
    rest = np.flatnonzero(~is_exact & is_sure)
    if len(rest):
        missing = (whole[rest] - close[rest].astype(np.int64)).astype(np.float64)
        found[rest], is_sure[rest] = _divided(close[rest], missing, power[rest])
    return found, is_sure


def _divided(high: Array, low: Array, divisor: Array) -> tuple[Array, Truths]:
    """Return (high + low) / divisor, and which of them are certainly the nearest."""
    quotient = high / divisor
    product = quotient * divisor
    one, other = _halves(quotient), _halves(divisor)
    error = one[0] * other[0] - product
    error = error + one[0] * other[1] + one[1] * other[0] + one[1] * other[1]
    correction = (((high - product) - error) + low) / divisor
    found = quotient + correction
    beyond = np.abs(correction - (found - quotient))
    # the numbers below a power of two are half as far apart
    is_power = np.abs(np.frexp(found)[0]) == 0.5
    return found, (beyond < _NEARLY_HALF * np.spacing(np.abs(found))) & ~is_power


def _halves(values: Array) -> tuple[Array, Array]:
    """Return numbers as sums of two with half as many bits each."""
    scaled = _SPLITTER * values
    high = scaled - (scaled - values)
    return high, values - high
