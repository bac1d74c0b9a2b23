"""Searches with two trees, in blocks of samples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pyrave.jit.bundles import ArrayBundle
from pyrave.planning.search.kernels import tree_search as k

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_ROOM = 512
_MAX_NODES = 2_000_000


class Space(Protocol):
    """Space of a search, a protocol that `JointSpace` and `UserSpace` implement."""

    compiled: bool
    compiling: float
    """Seconds that it took to compile kernels, which no search is to pay for."""
    is_winding: bool
    """True if values that differ by whole turns are the same configuration."""

    @property
    def checks(self) -> int:
        """Number of configurations that were checked so far."""

    def difference(self, end: Array, start: Array) -> Array:
        """Return the way (d,) from start to end."""

    def distance(self, start: Array, end: Array) -> float:
        """Return the distance of two configurations."""

    def length(self, path: Array) -> float:
        """Return the sum of the distances along a path (n, d)."""

    def hits(self, states: Array) -> NDArray[np.bool_]:
        """Return the mask of configurations (n, d) that collide."""

    def is_free(self, start: Array, end: Array) -> bool:
        """Return True if the motion between two configurations is free."""

    def first_blocked(self, path: Array, *, searched: bool = False) -> int:
        """Return the first piece of a path that is not sure to be free, or -1.

        Parameters
        ----------
        searched
            The search has checked it at the steps of the resolutions.
        """

    def refine(self) -> None:
        """Check motions at half the distances from now on."""

    def grow(self, trees: ArrayBundle) -> int:
        """Grow trees, see `pyrave.planning.search.kernels.tree_search.grow`."""

    def grow_one(self, trees: ArrayBundle, steps: int) -> int:
        """Grow a tree, see `pyrave.planning.search.kernels.tree_search.grow_one`."""

    def improve(self, tree: ArrayBundle) -> int:
        """Improve a tree, see `search.kernels.optimal_search.improve`."""

    def prune(self, path: Array, count: int) -> int:
        """Leave out waypoints; see `pyrave.planning.search.kernels.shortcuts.prune`."""

    def shorten(self, path: Array, count: int, places: Array) -> int:
        """Take shortcuts; see `pyrave.planning.search.kernels.shortcuts.shorten`."""


class TreePair:
    """A tree from initial configurations and one from goals, if there is one.

    Parameters
    ----------
    space
        Where they grow.
    dof
        Numbers of a configuration.
    reach
        The longest step, as distances are measured.
    """

    def __init__(self, space: Space, dof: int, reach: float) -> None:
        self._space = space
        self._reach = np.array([reach])
        self._state = np.zeros(k.STATE_SIZE, np.int64)
        self._nodes = np.empty((2, dof, _ROOM))
        self._parents = np.empty((2, _ROOM), np.int64)
        self._roots: tuple[list[int], list[int]] = ([], [])
        self._samples = np.empty((0, dof))
        self._points = np.empty((3, dof))
        self._targets = np.empty(0, np.int64)
        self._bundle: ArrayBundle | None = None
        self.unused = np.empty((0, dof))
        """(n, d) samples that are left because the trees met before."""

    @property
    def iterations(self) -> int:
        """Samples so far."""
        return int(self._state[k.ITERATIONS])

    @property
    def counts(self) -> tuple[int, int]:
        """Nodes of each tree."""
        first, second = self._state[k.COUNTS : k.COUNTS + 2].tolist()
        return first, second

    def add_root(self, side: int, configuration: Array) -> None:
        """Add a root to tree 0 (initial configurations) or 1 (goals)."""
        row = int(self._state[k.COUNTS + side])
        if row >= self._nodes.shape[2]:
            self._make_room()
        self._nodes[side, :, row] = configuration
        self._parents[side, row] = -1
        self._roots[side].append(row)
        self._state[k.COUNTS + side] += 1

    def remove_root(self, side: int, number: int) -> None:
        """Remove a root and what grew from it; the numbers of other roots stay."""
        count = self.counts[side]
        parents = self._parents[side, :count]
        goes = np.zeros(count, np.bool_)
        goes[self._roots[side][number]] = True
        for row in np.flatnonzero(parents >= 0).tolist():  # parents are there first
            goes[row] |= goes[parents[row]]
        kept = np.flatnonzero(~goes)
        moved = np.full(count + 1, -1)  # the last one is that of no row
        moved[kept] = np.arange(len(kept))
        self._parents[side, : len(kept)] = moved[parents[kept]]
        self._nodes[side, :, : len(kept)] = self._nodes[side][:, kept]
        self._roots[side][:] = moved[self._roots[side]].tolist()
        self._state[k.COUNTS + side] = len(kept)

    def grow(self, samples: Array) -> bool:
        """Grow towards samples (n, d); return whether the trees met."""
        while (result := self._space.grow(self.bundle(samples))) == k.FULL:
            samples = samples[int(self._state[k.AT]) :]
            self._make_room()
        self.unused = samples[int(self._state[k.AT]) :]
        return result == k.MET

    def grow_one(
        self, samples: Array, targets: NDArray[np.int64], steps: int
    ) -> tuple[Array, int] | None:
        """Grow tree 0 towards samples (n, d), by so many steps at most to each.

        Parameters
        ----------
        targets
            (n,) which goal a sample is, -1 if it is none.

        Returns
        -------
        The way (m, d) to a goal and its number, if it came to one.
        """
        while True:
            result = self._space.grow_one(self.bundle(samples, targets), steps)
            if result != k.FULL:
                break
            done = int(self._state[k.AT])
            samples, targets = samples[done:], targets[done:]
            self._make_room()
        if result != k.MET:
            return None
        return self._branch(0)[0][::-1], int(self._state[k.FOUND + 1])

    def way_to(self, node: int) -> Array:
        """Return the way (n, d) from a root of tree 0 to one of its nodes."""
        self._state[k.FOUND] = node
        return self._branch(0)[0][::-1]

    def configurations(self, side: int) -> Array:
        """Return the nodes (n, d) of a tree, in the order in which they were added."""
        return self._nodes[side, :, : self.counts[side]].T.copy()

    def bundle(
        self, samples: Array, targets: NDArray[np.int64] | None = None
    ) -> ArrayBundle:
        """Return the arrays as a kernel takes them, to grow towards samples (n, d)."""
        self._state[k.AT] = 0
        if len(samples) == len(self._samples) and self._bundle is not None:
            self._samples[:] = samples
        else:
            self._samples = np.array(samples, order="C")
            self._targets = np.full(len(samples), -1, np.int64)
            self._bundle = self._bundled()
        if targets is not None:
            self._targets[:] = targets
        return self._bundle

    def _bundled(self) -> ArrayBundle:
        room = self._nodes.shape[2]
        return ArrayBundle((
            self._nodes, self._parents, self._state, self._samples, np.empty(room),
            self._reach, self._points, self._targets,
        ))  # fmt: skip

    def _make_room(self) -> None:
        more = self._nodes.shape[2]
        if more > _MAX_NODES:
            raise MemoryError(f"trees have {more} nodes")
        self._nodes = np.concatenate((self._nodes, np.empty_like(self._nodes)), axis=2)
        self._parents = np.concatenate((self._parents, self._parents), axis=1)
        self._bundle = None

    def path(self) -> tuple[Array, int, int]:
        """Return the way (n, d) through where trees met, and the roots' numbers."""
        first, initial = self._branch(0)
        second, goal = self._branch(1)
        # both have the configuration at which they met
        return np.vstack((first[::-1], second[1:])), initial, goal

    def as_data(self) -> list[dict[str, Any]]:
        """Return both trees as plain data: configurations and parents, -1 for roots."""
        return [
            {
                "configurations": self._nodes[side, :, :count].T.tolist(),
                "parents": self._parents[side, :count].tolist(),
            }
            for side, count in enumerate(self.counts)
        ]

    def _branch(self, side: int) -> tuple[Array, int]:
        row, rows = int(self._state[k.FOUND + side]), []
        while row >= 0:
            rows.append(row)
            row = int(self._parents[side, row])
        return self._nodes[side][:, rows].T, self._roots[side].index(rows[-1])
