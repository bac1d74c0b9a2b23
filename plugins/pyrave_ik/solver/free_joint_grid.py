"""Values at which free joints are held: a grid outward from where they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike

    from pyrave.spatial import Array, Indices

MAX_SAMPLES = 1_000_000
TURN_STEP = np.pi / 8
"""Default step of turning joints, radians; sliding ones take a tenth of their range."""
_SLIDE_PARTS = 10
_BLOCK = 4096


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


def step_of(step: float | None, lower: float, upper: float, period: float) -> float:
    """Return the step of a joint, the default if there is none.

    Parameters
    ----------
    period
        One turn, 0 for a sliding joint.
    """
    if step is not None:
        return step
    return TURN_STEP if period else (upper - lower) / _SLIDE_PARTS


def axis_samples(
    start: float, lower: float, upper: float, step: float, period: float
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


def combinations_of(columns: Sequence[Array], start: Array) -> Iterator[Array]:
    """Yield all combinations of values in blocks (k, f), outward from a start (f,).

    The values of a column are those of one joint, the nearest first. A block has
    combinations of which the farthest value has the same rank, the nearest first; none
    holds more than some thousands of them.
    """
    sizes = [len(column) for column in columns]
    for rank in range(max(sizes, default=1)):
        pieces = []
        count = 0
        for ranks in _ranks(sizes, rank):
            rows = [column[i] for column, i in zip(columns, ranks.T, strict=True)]
            pieces.append(np.stack(rows, axis=1))
            count += len(ranks)
            if count >= _BLOCK:
                yield _sorted(np.concatenate(pieces), start)
                pieces, count = [], 0
        if pieces:
            yield _sorted(np.concatenate(pieces), start)


def _ranks(sizes: Sequence[int], rank: int) -> Iterator[Indices]:
    """Yield ranks (k, f) of values of which the greatest is a given one."""
    for k, size in enumerate(sizes):
        if rank >= size:
            continue
        # the first of that rank is that of column k
        shape = [min(rank, n) for n in sizes[:k]]
        shape += [1, *(min(rank + 1, n) for n in sizes[k + 1 :])]
        count = math.prod(shape)
        for first in range(0, count, _BLOCK):
            numbers = np.arange(first, min(first + _BLOCK, count))
            ranks = np.stack(np.unravel_index(numbers, shape), axis=1)
            ranks[:, k] = rank
            yield ranks


def _sorted(rows: Array, start: Array) -> Array:
    ways = ((rows - start) ** 2).sum(axis=1)
    return np.ascontiguousarray(rows[np.argsort(ways, kind="stable")])
