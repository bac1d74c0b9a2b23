"""The broad phase of a world: a list of few solids, or a tree and a list of movers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.mesh_bvh import BoxTree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.jit.arrays import I32, U8
    from pyrave.spatial import Array

FEW = 256
"""Largest number of solids that are listed instead of put into a tree."""
_PART = 8
"""A tree is fitted again once one of so many leaves has moved."""


class BroadPhase:
    """Broad phase that finds near solids; see `pyrave_collision.kernels.candidates`.

    What moves once is listed from then on, so that moving it again costs nothing.

    Parameters
    ----------
    rows
        (n,) rows of the solids that collide.
    bounds
        (G, 6) boxes of all rows.
    """

    def __init__(self, rows: NDArray[np.intp], bounds: Array) -> None:
        self._rows = rows.astype(np.int32)
        self.stale: U8 = np.zeros(len(bounds), np.uint8)
        """(G,) 1 for leaves that are listed."""
        self._tree: BoxTree | None = None
        self._buffer: I32 = self._rows
        self._count = len(rows)
        if len(rows) > FEW:
            self._tree = BoxTree(bounds[rows])
            self._count = 0
            self._buffer = np.empty(len(rows), np.int32)
            self._leaf_of = np.full(len(bounds), -1, np.int64)
            self._leaf_of[rows] = np.arange(len(rows))

    @property
    def is_tree(self) -> bool:
        """True if solids are in a tree, which must be told of moves."""
        return self._tree is not None

    @property
    def listed(self) -> I32:
        """(n,) rows that are looked at one by one."""
        return self._buffer[: self._count]

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """Fields of `pyrave_collision.kernels.layout.Tree`, in its order."""
        none = np.empty(0, np.int32)
        if self._tree is None:
            planes = np.empty((0, 8, 8), np.float32)
            return (self.listed, self.stale, planes, none, np.zeros(4), none)
        tree = self._tree
        return (
            self.listed, self.stale, tree.planes, tree.links, tree.frame, self._rows,
        )  # fmt: skip

    def move(self, rows: slice, bounds: Array) -> bool:
        """Take over that solids moved; return whether `arrays` are others now.

        Parameters
        ----------
        rows
            Of the solids that moved.
        bounds
            (G, 6) boxes of all rows.
        """
        assert self._tree is not None  # noqa: S101 - callers look
        if self.stale[rows].all():
            return False
        numbers = np.arange(rows.start, rows.stop)
        fresh = numbers[(self.stale[rows] == 0) & (self._leaf_of[rows] >= 0)]
        self.stale[rows] = 1
        end = self._count + len(fresh)
        self._buffer[self._count : end] = fresh
        self._count = end
        if end > max(FEW, len(self._rows) // _PART):
            self._tree.move(self._leaf_of[self.listed], bounds[self._rows])
            self.stale[:] = 0
            self._count = 0
        return True
