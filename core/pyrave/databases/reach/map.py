"""Poses that a tool reaches, as arrays in the base link, and questions about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.databases.reach.position_grid import PositionGrid
from pyrave.geometry import rotation_cells
from pyrave.spatial import Array, matrix_from_quat

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Indices

_BASE_ROTATIONS = 72


@dataclass(frozen=True, eq=False)
class ReachMap:
    """The poses of a grid that a tool reaches; poses are T_base_tool.

    Parameters
    ----------
    arrays
        Of a `Reachability`.
    spacing
        Metres between positions.
    """

    arrays: Mapping[str, NDArray[Any]]
    spacing: float

    @cached_property
    def grid(self) -> PositionGrid:
        """Positions that were asked for."""
        radius = float(self.arrays["radius"][0])
        return PositionGrid(self.arrays["origin"], self.spacing, radius)

    @cached_property
    def reached(self) -> NDArray[np.bool_]:
        """(k, n) True where the tool reaches position n with rotation k."""
        count = len(self.arrays["positions"])
        bits = np.unpackbits(self.arrays["reached"], axis=1, count=count)
        return bits.astype(np.bool_)

    @cached_property
    def densities(self) -> Array:
        """(n,) share of the rotations with which the tool reaches each position."""
        return np.asarray(self.reached.mean(axis=0))

    @cached_property
    def rotations(self) -> Array:
        """(k, 3, 3) the rotations as matrices."""
        return np.array([matrix_from_quat(one) for one in self.arrays["rotations"]])

    @cached_property
    def numbers_reached(self) -> Indices:
        """Numbers of the poses that are reached, see `poses`."""
        return np.flatnonzero(self.reached)

    @cached_property
    def _positions(self) -> Indices:
        """(cells,) number of the position of each cell, -1 for those without."""
        found = np.full(self.grid.inside.shape, -1)
        found[self.grid.cells] = np.arange(len(self.grid.cells))
        return found

    def poses(self, numbers: Indices) -> Array:
        """Return poses (m, 4, 4) by number: those of rotation 0 first, then 1 ..."""
        turns, positions = np.divmod(numbers, self.reached.shape[1])
        found = np.tile(np.eye(4), (len(turns), 1, 1))
        found[:, :3, :3] = self.rotations[turns]
        found[:, :3, 3] = self.arrays["positions"][positions]
        return found

    def numbers_of(self, poses: Array) -> Indices:
        """Return the numbers (m,) of the cells that poses are in, -1 for none."""
        positions = self._positions_at(poses[:, :3, 3])
        turns = np.zeros(len(poses), np.int64)
        if len(self.rotations) > 1:
            level = round(np.log2(len(self.rotations) / _BASE_ROTATIONS) / 3.0)
            turns = rotation_cells(poses[:, :3, :3], level)
        return np.where(positions >= 0, turns * self.reached.shape[1] + positions, -1)

    def _positions_at(self, points: Array) -> Indices:
        cells = self.grid.cells_at(points)
        return np.where(cells >= 0, self._positions[cells], -1)

    def contains(self, poses: Array) -> NDArray[np.bool_]:
        """Return for poses (m, 4, 4) whether those of their cells are reached, (m,)."""
        numbers = self.numbers_of(poses)
        return np.asarray((numbers >= 0) & self.reached.ravel()[numbers])

    def density(self, points: Array) -> Array:
        """Return the density at points (m, 3), linear between positions along axes."""
        grid, shares = self.grid, np.append(self.densities, 0.0)
        places = (points - grid.origin) / grid.spacing
        low = np.floor(places)
        part = places - low
        found = np.zeros(len(points))
        for corner in np.ndindex(2, 2, 2):
            weight = np.prod(np.where(corner, part, 1.0 - part), axis=1)
            at = grid.origin + (low + corner) * grid.spacing
            found += weight * shares[self._positions_at(at)]
        return found

    def neighbours(self, pose: Array, distance: float, angle: float) -> Array:
        """Return poses (m, 4, 4) that are reached, near a pose, the nearest first."""
        gaps = np.linalg.norm(self.arrays["positions"] - pose[:3, 3], axis=1)
        near = np.flatnonzero(gaps <= distance)
        near = near[np.argsort(gaps[near], kind="stable")]
        if len(self.rotations) == 1:
            turns = np.zeros(1, np.int64)
        else:
            traces = np.einsum("kij,ij->k", self.rotations, pose[:3, :3])
            angles = np.arccos(np.clip(0.5 * (traces - 1.0), -1.0, 1.0))
            turns = np.argsort(angles, kind="stable")
            turns = turns[angles[turns] <= angle]
        which, turn = np.nonzero(self.reached[np.ix_(turns, near)].T)
        return self.poses(turns[turn] * self.reached.shape[1] + near[which])

    def contour(self, density: float) -> Array:
        """Return the positions (m, 3) of a density or more that have others beside."""
        grid = self.grid
        mask = np.zeros(grid.inside.shape, np.bool_)
        mask[grid.cells[self.densities >= max(density, 1e-12)]] = True
        border = mask & (grid.neighbour_counts(mask) < len(grid.steps))
        return grid.points(np.flatnonzero(border))
