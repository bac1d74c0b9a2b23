"""Equality of descriptions up to rounding."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np


def same(a: Any, b: Any, tolerance: float = 1e-12) -> bool:
    """Return True if two descriptions, or fields of them, are equal but for rounding.

    What goes through another format and back meets this; ``==`` compares exactly.

    Parameters
    ----------
    tolerance
        By how much numbers may differ, in their own unit; of numbers above 1, by what
        fraction of them.
    a
        One.
    b
        The other.
    """
    if a is b:
        return True
    if isinstance(a, float) and isinstance(b, float):
        scale = max(1.0, abs(a), abs(b))
        return a == b or abs(a - b) <= tolerance * scale < math.inf
    if type(a) is not type(b):
        return bool(a == b)
    if isinstance(a, np.ndarray):
        return a.shape == b.shape and _same_arrays(a, b, tolerance)
    if isinstance(a, tuple):
        return len(a) == len(b) and all(
            same(one, other, tolerance) for one, other in zip(a, b, strict=True)
        )
    if dataclasses.is_dataclass(a):
        return all(
            same(getattr(a, field.name), getattr(b, field.name), tolerance)
            for field in dataclasses.fields(a)
            if field.compare
        )
    return bool(a == b)


def _same_arrays(a: Any, b: Any, tolerance: float) -> bool:
    if not np.issubdtype(a.dtype, np.floating):
        return bool(np.array_equal(a, b))
    scale = np.maximum(1.0, np.maximum(np.abs(a), np.abs(b)))
    return bool(np.all((a == b) | (np.abs(a - b) <= tolerance * scale)))
