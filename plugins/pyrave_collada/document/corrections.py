"""Corrections of numbers that rounding has moved, in units in the last place.

A double is its bits as an integer; neighbouring doubles are neighbouring integers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

__all__ = ["corrected", "corrections_text"]

_LOWEST = np.int64(np.iinfo(np.int64).min)


def corrections_text(wanted: Array, found: Array) -> str:
    """Return by how many doubles each number is off: small whole numbers."""
    return " ".join(map(str, (_places(wanted) - _places(found)).reshape(-1).tolist()))


def corrected(found: Array, steps: NDArray[np.int64]) -> Array:
    """Return the numbers that are so many doubles away; the same shape."""
    places = _places(found) + steps.reshape(found.shape)
    bits = np.where(places < 0, _LOWEST - places, places)
    return bits.view(np.float64)


def _places(values: Array) -> NDArray[np.int64]:
    """Return the place of each double among all of them; both zeros have place 0."""
    bits = np.ascontiguousarray(values, np.float64).view(np.int64)
    return np.asarray(np.where(bits < 0, _LOWEST - bits, bits))
