"""Lists of numbers in elements."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_collada.document.faults import ElementError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONG = 500  # words that are worth a check
_LARGEST = 1 << 62  # larger whole numbers may stand for longer ones


def parse_numbers(element: Any, dtype: type[np.generic]) -> NDArray[Any]:
    """Return the numbers (n,) of an element's text, int64 or float64.

    Raises
    ------
    ElementError
        A word is no such number.
    """
    text = element.text or ""
    words = text.split()
    if len(words) > _LONG and text.isascii():
        found = _parsed(text, dtype)
        if found is not None and len(found) == len(words):
            return found
    try:
        return np.array(words, dtype=dtype)
    except (ValueError, OverflowError):
        kind = "whole number" if dtype is np.int64 else "number"
        raise ElementError(f"a word of <{element.tag}> is no {kind}", element) from None


def _parsed(text: str, dtype: type[np.generic]) -> NDArray[Any] | None:
    """Return what numpy reads, which takes ``5-3`` for two numbers; None if it stops.

    It is faster than words one by one: three to five times for whole numbers.
    """
    with warnings.catch_warnings():
        # numpy before 2.3 only warns where it stops
        warnings.simplefilter("error", DeprecationWarning)
        try:
            found = np.fromstring(text, dtype, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    if dtype is np.int64 and not _is_short(found):
        return None
    return found


def _is_short(whole: NDArray[Any]) -> bool:
    return not len(whole) or (whole.max() < _LARGEST and whole.min() > -_LARGEST)
