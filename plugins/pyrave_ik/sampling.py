"""Values at which free joints are held: a grid outward from where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

__all__ = ["MAX_SAMPLES", "as_parts", "axis_samples", "grid", "range_of"]

MAX_SAMPLES = 1_000_000
TURN_STEP = np.pi / 8
"""Default step of turning joints, radians; sliding ones take a tenth of their range."""
_SLIDE_PARTS = 10


def as_parts(free: ArrayLike, n: int) -> Array:
    """Return free parameters (n,), each 0..1 over its range, or refuse them."""
    parts = as_vector(free, n, "free")
    if (parts < 0.0).any() or (parts > 1.0).any():
        raise ArgumentError(f"free is {parts.tolist()}, expected 0..1 each")
    return parts


def range_of(bounds: Array, circular: bool) -> tuple[float, float]:
    """Return the range that a free parameter 0..1 covers.

    Parameters
    ----------
    bounds
        Lower and upper limit, mode, reference and period, as `bounds_of` writes them.
    circular
        Whether the joint turns without end: it covers one period.
    """
    if circular:
        return -0.5 * float(bounds[4]), 0.5 * float(bounds[4])
    return float(bounds[0]), float(bounds[1])


def axis_samples(
    start: float, lower: float, upper: float, step: float | None, period: float
) -> Array:
    """Return values outward from one: it, then alternating above and below.

    Parameters
    ----------
    period
        One turn, 0 for a sliding joint: there are no values a whole turn apart.
    """
    if period and upper - lower >= period:
        lower, upper = start - period / 2, start + period / 2
    start = min(max(start, lower), upper)
    if step is None:
        step = TURN_STEP if period else (upper - lower) / _SLIDE_PARTS
    if not step > 0.0:
        return np.array([start])
    above, below = (upper - start) / step, (start - lower) / step
    if not above + below < MAX_SAMPLES:
        raise ArgumentError(
            f"a free joint from {lower:g} to {upper:g} in steps of {step:g} takes too "
            "many values; give limits, a wider step, or free="
        )
    n_above, n_below = int(above + 1e-9), int(below + 1e-9)
    if period and (n_above + n_below) * step > period - 1e-9:
        n_below -= 1  # the ends are one turn apart
    numbers = np.arange(-n_below, n_above + 1)
    numbers = numbers[np.argsort(np.abs(numbers), kind="stable")]
    return np.asarray(start + step * numbers, dtype=np.float64)


def grid(columns: list[Array], start: Array) -> Array:
    """Return (m, f) combinations sorted by their distance from a start (f,).

    Raises
    ------
    ArgumentError
        There are more than a million.
    """
    count = 1
    for column in columns:
        count *= len(column)
    if count > MAX_SAMPLES:
        raise ArgumentError(
            f"{count} combinations of {len(columns)} free joints are too many; give "
            "wider steps or free="
        )
    if len(columns) == 1:
        rows = columns[0].reshape(-1, 1)
    else:
        mesh = np.meshgrid(*columns, indexing="ij")
        rows = np.stack([axis.ravel() for axis in mesh], axis=1)
    ways = ((rows - start) ** 2).sum(axis=1)
    return np.ascontiguousarray(rows[np.argsort(ways, kind="stable")])
