"""Numbers as texts of written files."""

from __future__ import annotations

import math
from collections.abc import Iterable

FAR = 1e10
"""Stands for infinity, which other readers refuse; a limit this far away is none."""
_ROUNDING = 3
"""Digits of a number that are those of rounding, if 15 digits spare more of them."""


def finite(value: float, most: float = math.inf) -> float:
    """Return a number that readers take: infinite and absurd ones become very large."""
    value = float(value)
    is_absurd = abs(value) > most or math.isinf(value)
    return math.copysign(FAR, value) if is_absurd else value


def numbers(values: Iterable[float], most: float = math.inf) -> str:
    """Return numbers that read back exactly, unless absurd, separated by blanks."""
    return " ".join(repr(finite(value, most)).removesuffix(".0") for value in values)


def rounded(value: float) -> float:
    """Return a number, without its last digits where these are of rounding.

    1.5707999999999998 was computed of 1.5708; pi/2 is left as it is.
    """
    short = float(f"{value:.15g}")
    return short if len(repr(short)) + _ROUNDING < len(repr(value)) else value
