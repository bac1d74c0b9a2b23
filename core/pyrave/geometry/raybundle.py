"""Rays as kernels take them, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pyrave.errors import ArgumentError
from pyrave.geometry.kernels.coherent import TILE
from pyrave.geometry.kernels.exact import LONGEST, SHORTEST
from pyrave.geometry.kernels.ray_block import BLOCK
from pyrave.spatial import Array

LONGEST_RANGE = 1e12
"""Largest coordinate and range of rays, metres."""

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
        """Number of rays."""
        return len(self.directions)

    @property
    def blocks(self) -> int:
        """Number of blocks of 64 rays, or of tiles of 8 by 8."""
        count = len(self.directions)
        if self.width == 0:
            return -(-count // BLOCK)
        height = count // self.width
        return -(-self.width // TILE) * -(-height // TILE)

    @property
    def from_one_point(self) -> bool:
        """True if all rays start at one point."""
        return len(self.origins) == 1

    def explain(self) -> NoReturn:
        """Raise which ray has no direction."""
        with np.errstate(all="ignore"):
            length = np.sqrt(np.square(self.directions).sum(axis=1))
            wrong = ~((length > SHORTEST) & (length < LONGEST))
        k = int(np.argmax(wrong))
        raise ArgumentError(
            f"direction {_place(k, self.shape)} is {self.directions[k].tolist()}: "
            "it has no direction"
        )


def bundle(
    origins: ArrayLike, directions: ArrayLike, least: ArrayLike, most: ArrayLike
) -> Bundle:
    """Return rays as kernels take them; directions are looked at by the kernels.

    Raises
    ------
    ArgumentError
        Something that is no numbers, has another shape than the rest or is too far.
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
    if len(o) > 1 and (o[0] == o[-1]).all() and (o == o[0]).all():
        o = o[:1].copy()
    width = 0
    if len(shape) == 2 and min(shape) >= TILE:
        width = shape[1]
    elif len(shape) == 1 and len(o) == 1 and n >= _IMAGE_RAYS:
        width = _row_length(d)
    _check_origins(o, shape)
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
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"{name} are not numbers") from error
    if not array.flags.carray:
        array = np.array(array, order="C")
    return array


def _check_origins(origins: Array, shape: tuple[int, ...]) -> None:
    far = LONGEST_RANGE
    if len(origins) == 1:
        # quicker than numpy for one
        x, y, z = origins[0].tolist()
        if -far <= x <= far and -far <= y <= far and -far <= z <= far:
            return
    elif _are_within(origins, -far):
        return
    k = int(np.argmax(~(np.abs(origins) <= far).all(axis=1)))
    raise ArgumentError(
        f"origins {_place(k, shape)} is {origins[k].tolist()}, expected finite and "
        f"within {far:g} metres"
    )


def _range(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return one range for all rays, or one per ray."""
    if type(value) is float and 0.0 <= value <= LONGEST_RANGE:
        return np.array([value])
    array = _numbers(value, name)
    if array.shape not in {(), shape}:
        raise ArgumentError(
            f"{name} has shape {array.shape}, expected () or {shape}, one per ray"
        )
    if not _are_within(array, 0.0):
        k = int(np.argmax(~((array >= 0.0) & (array <= LONGEST_RANGE))))
        place = f" for ray {_place(k, shape)}" if array.shape else ""
        raise ArgumentError(
            f"{name} is {array.flat[k]}{place}, expected 0 to {LONGEST_RANGE:g} "
            "metres, finite"
        )
    return array.reshape(-1)


def _are_within(values: Array, least: float) -> bool:
    """Return True if all values are from `least` to the limit; none is nan."""
    return not values.size or bool(
        values.min() >= least and values.max() <= LONGEST_RANGE
    )


def _place(k: int, shape: tuple[int, ...]) -> str:
    """Return the index of ray k in the caller's arrays."""
    if len(shape) == 1:
        return f"{k}"
    return f"{tuple(int(i) for i in np.unravel_index(k, shape))}"


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
    if width < 2 * TILE or n % width or n // width < TILE:
        return 0
    below = float(np.abs(d[width] - d[0]).sum())
    return width if below <= 8.0 * step[0] else 0
