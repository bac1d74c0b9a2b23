"""How far joint values are from others, where whole turns do not count."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array

__all__ = ["separation"]


def separation(some: Array, others: Array, turns: Array) -> Array:
    """Return the greatest difference (...) of a value between rows (..., n).

    What is no number is infinitely far from everything.

    Parameters
    ----------
    turns
        (n,) values that differ by so much are the same; 0 where none are.
    """
    round_ = turns > 0.0
    whole = np.where(round_, turns, 1.0)
    off = np.abs(some - others)
    with np.errstate(invalid="ignore"):
        off = np.where(round_, np.abs(off - whole * np.rint(off / whole)), off)
    return np.asarray(np.nan_to_num(off.max(axis=-1), nan=np.inf))
