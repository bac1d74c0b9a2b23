"""Points that cover boxes evenly: cubic and body-centred lattices, and a sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.geometry.grids.sphere import sequence_numbers
from pyrave.spatial import Array, as_number, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

_MOST_POINTS = 50_000_000


def lattice_points(
    lower: ArrayLike,
    upper: ArrayLike,
    spacing: float,
    kind: Literal["cubic", "bcc"] = "cubic",
) -> Array:
    """Return the points (n, 3) of a lattice in a box, which has one in its middle.

    Parameters
    ----------
    lower, upper
        (3,) corners of the box, metres.
    spacing
        Metres between neighbours along the axes.
    kind
        ``"cubic"``. ``"bcc"``, body-centred cubic: two points for each cube of edge
        `spacing`. With as many points, no place is as far from the nearest one as with
        a cubic lattice; in space no lattice does better (Conway and Sloane, "Sphere
        packings, lattices and groups", 1999, chapter 2).

    Raises
    ------
    ArgumentError
        A box without a volume, no spacing above 0, another kind, or too many points.
    """
    low, high = as_vector(lower, 3, "lower"), as_vector(upper, 3, "upper")
    step = as_number(spacing, "spacing", 1e-9)
    if not isinstance(kind, str) or kind not in {"cubic", "bcc"}:
        raise ArgumentError(f"kind is {shown(kind)}, expected 'cubic' or 'bcc'")
    if (low > high).any():
        raise ArgumentError(
            f"lower is {low.tolist()} and upper {high.tolist()}, expected no value of "
            "lower above that of upper"
        )
    half = 0.5 * (high - low) / step
    counts = np.prod(2.0 * half + 1.0) * (2.0 if kind == "bcc" else 1.0)
    if counts > _MOST_POINTS:
        raise ArgumentError(
            f"spacing is {step:g} in a box of {np.round(high - low, 6).tolist()} m, "
            f"some {counts:.3g} points; expected at most {_MOST_POINTS}, take a larger "
            "spacing"
        )
    # rounding must not lose the points on the faces
    inside = half + 1e-9
    middle = 0.5 * (low + high)
    parts = [_grid(np.floor(inside), 0.0)]
    if kind == "bcc":
        parts.append(_grid(np.floor(inside - 0.5), 0.5))
    return np.asarray(middle + step * np.concatenate(parts))


def _grid(most: Array, offset: float) -> Array:
    """Return points (n, 3) with whole coordinates up to `most`, moved by an offset."""
    first = -most if offset == 0.0 else -most - 1.0
    axes = [np.arange(a, b + 1.0) for a, b in zip(first, most, strict=True)]
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.stack(mesh, axis=-1).reshape(-1, 3) + offset


def kronecker_sequence(first: int, count: int, dimension: int) -> Array:
    """Return points `first` to ``first + count`` of an endless even sequence, (n, d).

    Point n is ``(n + 1/2) a mod 1`` with ``a_k = g^-k``, where g is the root above 1 of
    ``g^(d + 1) = g + 1``: the golden ratio for d = 1, the plastic number for 2.
    Any number of successive points covers the unit cube evenly.

    Raises
    ------
    ArgumentError
        Numbers that are no whole ones from 0, or a dimension below 1.
    """
    if dimension < 1:
        raise ArgumentError(f"dimension is {dimension}, expected 1 or more")
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (dimension + 1))
    steps = root ** -np.arange(1.0, dimension + 1.0)
    numbers = sequence_numbers(first, count)[:, None] + 0.5
    return np.asarray(np.mod(numbers * steps, 1.0))
