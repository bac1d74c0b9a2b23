"""A cubic grid of positions in a ball."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array, Indices

if TYPE_CHECKING:
    from numpy.typing import NDArray

NEIGHBOURS = np.array(
    sorted(
        (step for step in itertools.product((-1, 0, 1), repeat=3) if any(step)),
        key=lambda step: (sum(map(abs, step)), step),
    )
)
"""(26, 3) steps to the neighbours of a cell, the nearest ones first."""
_MOST_HALF = 1e9
"""Cells from the middle to the border that are counted."""


@dataclass(frozen=True, eq=False)
class PositionGrid:
    """Cells around the points of a cubic lattice, as far as they are in a ball.

    All arrays over cells are of the cube around the ball, row by row, with a border of
    a cell that nothing is in.

    Parameters
    ----------
    origin
        (3,) middle of the ball, a point of the lattice, metres.
    spacing
        Metres between points.
    radius
        Metres: points farther away are not of the grid.
    """

    origin: Array
    spacing: float
    radius: float

    @property
    def half(self) -> int:
        """Number of points from the middle to the border along an axis."""
        return int(self.radius / self.spacing + 1e-9)

    @property
    def side(self) -> int:
        """Number of cells of the cube along an axis, with the border."""
        return 2 * self.half + 3

    @staticmethod
    def cells_of(radius: float, spacing: float) -> float:
        """Return the number of cells of such a cube; it need not fit into memory."""
        half = math.floor(min(radius / spacing + 1e-9, _MOST_HALF))
        return (2.0 * half + 3.0) ** 3

    @cached_property
    def inside(self) -> NDArray[np.bool_]:
        """(cells,) True for cells whose point is in the ball."""
        axis = np.arange(-self.half - 1, self.half + 2) * self.spacing
        x, y, z = np.meshgrid(axis, axis, axis, indexing="ij", sparse=True)
        squares = x * x + y * y + z * z
        near: NDArray[np.bool_] = np.less_equal(squares, self.radius**2 * (1.0 + 1e-12))
        border = [0, -1]
        near[border] = near[:, border] = near[:, :, border] = False
        return np.asarray(near.ravel())

    @cached_property
    def cells(self) -> Indices:
        """(n,) numbers of the cells that are in the ball."""
        return np.flatnonzero(self.inside)

    @cached_property
    def strides(self) -> Indices:
        """(3,) by how much the number of a cell grows along an axis."""
        return np.array((self.side**2, self.side, 1))

    @cached_property
    def steps(self) -> Indices:
        """(26,) from the number of a cell to those of its neighbours."""
        return NEIGHBOURS @ self.strides

    def points(self, cells: Indices) -> Array:
        """Return the points (m, 3) of cells."""
        places = np.stack(np.unravel_index(cells, (self.side,) * 3), axis=-1)
        return np.asarray(self.origin + (places - (self.half + 1)) * self.spacing)

    def cells_at(self, points: Array) -> Indices:
        """Return the cells (m,) that points (m, 3) are in, -1 outside of the ball."""
        places = np.rint((points - self.origin) / self.spacing)
        near: NDArray[np.bool_] = np.all(np.abs(places) <= self.half, axis=-1)
        places = np.where(near[..., None], places, 0).astype(np.int64)
        cells = (places + (self.half + 1)) @ self.strides
        return np.where(near & self.inside[cells], cells, -1)

    def neighbour_counts(self, mask: NDArray[np.bool_]) -> NDArray[np.uint8]:
        """Return for each cell how many of its 26 neighbours are in a mask (cells,)."""
        found = np.zeros(mask.shape, np.uint8)
        cells = np.flatnonzero(mask)
        for step in self.steps:
            found[cells + step] += 1
        return found
