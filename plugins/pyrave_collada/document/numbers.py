"""Lists of numbers in elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_collada.document.decimals import parse_decimals, parse_whole
from pyrave_collada.document.faults import ElementError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LONG = 3000  # letters that are worth a preparation


def parse_numbers(element: Any, dtype: type[np.generic]) -> NDArray[Any]:
    """Return the numbers (n,) of an element's text, int64 or float64.

    Raises
    ------
    ElementError
        A word is no such number.
    """
    text = element.text or ""
    try:
        if len(text) < _LONG or not text.isascii():
            return np.array(text.split(), dtype=dtype)
        return parse_whole(text) if dtype is np.int64 else parse_decimals(text)
    except (ValueError, OverflowError):
        kind = "whole number" if dtype is np.int64 else "number"
        raise ElementError(f"a word of <{element.tag}> is no {kind}", element) from None
