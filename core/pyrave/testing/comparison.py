"""Deep comparison of states, which are nested data with arrays in them."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np


def difference(
    a: Any, b: Any, path: str = "state", tolerance: float = 0.0
) -> str | None:
    """Return the first difference of two nested data structures, or None.

    Parameters
    ----------
    tolerance
        By which floating-point numbers may differ, absolutely and relatively.
    """
    if type(a) is not type(b):
        return f"{path}: {type(a).__name__} and {type(b).__name__}"
    if isinstance(a, np.ndarray):
        equal = a.shape == b.shape and a.dtype == b.dtype
        if equal and a.dtype != object:
            equal = np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
            if not equal and a.dtype.kind == "f":
                equal = np.allclose(a, b, tolerance, tolerance, equal_nan=True)
        return None if equal else f"{path}: {a!r} and {b!r}"
    if dataclasses.is_dataclass(a) and not isinstance(a, type):
        pairs = [
            (getattr(a, f.name), getattr(b, f.name), f"{path}.{f.name}")
            for f in dataclasses.fields(a)
            if f.compare
        ]
    elif isinstance(a, Mapping):
        if list(a) != list(b):
            return f"{path}: keys {list(a)} and {list(b)}"
        pairs = [(a[key], b[key], f"{path}[{key!r}]") for key in a]
    elif isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return f"{path}: {len(a)} and {len(b)} items"
        pairs = [
            (x, y, f"{path}[{i}]") for i, (x, y) in enumerate(zip(a, b, strict=True))
        ]
    elif (
        isinstance(a, (str, bytes, int, float, complex, bool, AbstractSet)) or a is None
    ):
        equal = a == b or (a != a and b != b)  # noqa: PLR0124 - NaN
        if not equal and isinstance(a, float):
            equal = math.isclose(a, b, rel_tol=tolerance, abs_tol=tolerance)
        return None if equal else f"{path}: {a!r} and {b!r}"
    elif getattr(type(a), "__eq__", None) is not object.__eq__:
        return None if bool(a == b) else f"{path}: {a!r} and {b!r}"
    elif hasattr(a, "__dict__"):
        return difference(vars(a), vars(b), path, tolerance)
    else:
        return None if a is b else f"{path}: {a!r} and {b!r}"
    for x, y, where in pairs:
        found = difference(x, y, where, tolerance)
        if found is not None:
            return found
    return None
