"""Why a candidate is no solution, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array

__all__ = ["limit_reason"]


def limit_reason(outside: Array, bounds: Array, names: Sequence[str]) -> str:
    """Return which joints are out of their limits and by how much.

    Parameters
    ----------
    outside
        (n,) how far joint values are above their limits, negative: below.
    bounds
        (n, 5) as `pack` takes them.
    """
    said = []
    for over, row, name in zip(outside.tolist(), bounds.tolist(), names, strict=True):
        if over == 0.0:
            continue
        limit = row[1] if over > 0.0 else row[0]
        side = "above" if over > 0.0 else "below"
        unit = "rad" if row[4] else "m"
        said.append(
            f"joint {name!r} would be at {limit + over:.4g} {unit}, {abs(over):.3g} "
            f"{side} its limit {limit:.4g}"
        )
    return "; ".join(said)
