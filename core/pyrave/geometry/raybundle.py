"""Rays as kernels take them, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.spatial import Array

__all__ = ["LONGEST_RANGE", "Bundle", "bundle"]

LONGEST_RANGE = 1e12
"""Largest coordinate and range of rays, metres."""

_BLOCK = 64
_TILE = 8
# Rays whose order is looked into: an image of this size or more gains by tiles.
_IMAGE_RAYS = 4096
_LONGEST_ROW = 8192


# not frozen, which would make it slow to make
@dataclass(slots=True, eq=False)
class Bundle:
    """n rays: C-contiguous float64 arrays that kernels read.

    Parameters
    ----------
    origins, directions
        (1, 3) or (n, 3), and (n, 3), world.
    least, most
        (1,) or (n,), metres.
    shape
        What the caller's arrays of n rays look like.
    width
        Length of the rows if the rays are an image's pixels, else 0.
    """

    origins: Array
    directions: Array
    least: Array
    most: Array
    shape: tuple[int, ...]
    width: int

    @property
    def count(self) -> int:
        """How many rays there are."""
        return len(self.directions)

    @property
    def blocks(self) -> int:
        """How many blocks of 64 rays, or tiles of 8 by 8, there are."""
        if self.width == 0:
            return -(-self.count // _BLOCK)
        height = self.count // self.width
        return -(-self.width // _TILE) * -(-height // _TILE)

    def explain(self, k: int) -> NoReturn:
        """Raise what is wrong with ray k."""
        where = f"{k}" if len(self.shape) == 1 else f"{np.unravel_index(k, self.shape)}"
        where = where.replace("np.int64(", "").replace("),", ",").replace("))", ")")
        direction = self.directions[k]
        length = float(np.sqrt(direction @ direction))
        if not 1e-150 < length < 1e150:
            raise ArgumentError(
                f"direction {where} is {direction.tolist()}: it has no direction"
            )
        origin = self.origins[min(k, len(self.origins) - 1)]
        if not (np.abs(origin) <= LONGEST_RANGE).all():
            raise ArgumentError(
                f"origins {where} is {origin.tolist()}, expected finite and within "
                f"{LONGEST_RANGE:g} metres"
            )
        for name, values in (("min_range", self.least), ("max_range", self.most)):
            value = values[min(k, len(values) - 1)]
            if not 0.0 <= value <= LONGEST_RANGE:
                raise ArgumentError(
                    f"{name} is {value} for ray {where}, expected 0 to "
                    f"{LONGEST_RANGE:g} metres, finite"
                )
        raise AssertionError(f"nothing is wrong with ray {where}")


def bundle(
    origins: ArrayLike, directions: ArrayLike, least: ArrayLike, most: ArrayLike
) -> Bundle:
    """Return rays as kernels take them; values are looked at by the kernels.

    Raises
    ------
    ArgumentError
        Something that is no numbers or has another shape than the rest.
    """
    d = _numbers(directions, "directions")
    if d.ndim < 2 or d.shape[-1] != 3:
        raise ArgumentError(
            f"directions have shape {d.shape}, expected (n, 3) or (height, width, 3)"
        )
    shape = d.shape[:-1]
    o = _numbers(origins, "origins")
    if o.shape not in {(3,), d.shape}:
        raise ArgumentError(
            f"origins have shape {o.shape}, expected {d.shape} as the directions, or "
            "(3,)"
        )
    d = d.reshape(-1, 3)
    n = len(d)
    o = o.reshape(-1, 3)
    width = 0
    if len(shape) == 2 and min(shape) >= _TILE:
        width = shape[1]
    elif len(shape) == 1 and len(o) == 1 and n >= _IMAGE_RAYS:
        width = _row_length(d)
    return Bundle(
        o, d, _range(least, shape, "min_range"), _range(most, shape, "max_range"),
        shape, width,
    )  # fmt: skip


def _numbers(value: ArrayLike, name: str) -> Array:
    """Return a writable C-contiguous array: kernels are compiled for nothing else."""
    if type(value) is np.ndarray and value.dtype == np.float64 and value.flags.carray:
        return value
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} are not numbers") from error
    if not array.flags.carray:
        array = np.array(array, order="C")
    return array


def _range(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    if type(value) is float and 0.0 <= value <= LONGEST_RANGE:
        return np.array([value])
    array = _numbers(value, name)
    if array.shape not in {(), shape}:
        raise ArgumentError(
            f"{name} has shape {array.shape}, expected () or {shape}, one per ray"
        )
    if array.shape == () and not 0.0 <= array <= LONGEST_RANGE:
        raise ArgumentError(
            f"{name} is {float(array)}, expected 0 to {LONGEST_RANGE:g} metres, finite"
        )
    return array.reshape(-1)


def _row_length(d: NDArray[np.float64]) -> int:
    """Return the length of the rows if directions look like an image's, else 0.

    They do if neighbours are close together up to the end of a row, and the next row
    begins close to where the first did.
    """
    part = d[: _LONGEST_ROW + 1]
    step = np.abs(np.diff(part, axis=0)).sum(axis=1)
    if not len(step) or not step[0] > 0.0:
        return 0
    jumps = np.flatnonzero(step > 8.0 * step[0])
    if not len(jumps):
        return 0
    width = int(jumps[0]) + 1
    n = len(d)
    if width < 2 * _TILE or n % width or n // width < _TILE:
        return 0
    below = float(np.abs(d[width] - d[0]).sum())
    return width if below <= 8.0 * step[0] else 0
