"""Why a candidate is no solution, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array

__all__ = ["limit_reason"]

_SLACK = 1e-6
_WITHIN = 0.0


def limit_reason(values: Array, bounds: Array, names: Sequence[str]) -> str:
    """Return which joints are out of their limits and by how much; empty: none is.

    Parameters
    ----------
    values
        (n,) joint values.
    bounds
        (n, 5) as the kernels of `answers` take them.
    """
    said = []
    for value, row, name in zip(values, bounds, names, strict=True):
        lower, upper, mode, _, period = (float(x) for x in row)
        if mode != _WITHIN:
            continue
        turns = [float(value)]
        if period:
            first = np.floor((lower - value) / period)
            last = np.ceil((upper - value) / period)
            turns = [float(value + k * period) for k in np.arange(first, last + 1)]
        nearest = min(turns, key=lambda x: max(lower - x, x - upper, 0.0))
        over, under = nearest - upper, lower - nearest
        unit = "rad" if period else "m"
        if over > _SLACK:
            said.append(
                f"joint {name!r} would be at {nearest:.4g} {unit}, {over:.3g} above "
                f"its limit {upper:.4g}"
            )
        elif under > _SLACK:
            said.append(
                f"joint {name!r} would be at {nearest:.4g} {unit}, {under:.3g} below "
                f"its limit {lower:.4g}"
            )
    return "; ".join(said)
