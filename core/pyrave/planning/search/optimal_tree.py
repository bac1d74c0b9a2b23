"""RRT*: paths that become shorter with more samples."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit.bundles import ArrayBundle
from pyrave.planning.search.kernels import optimal_search as k

if TYPE_CHECKING:
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_ROOM = 1024
_MAX_NEIGHBOURS = 256


class OptimalTree:
    """A tree from an initial configuration; see `kernels.optimal_search`.

    Parameters
    ----------
    space
        Where it grows.
    path
        (n, d) a free way from the root to a goal.
    goals
        (m, d), the goal of the path among them.
    goal
        Which of them that is.
    reach
        The longest step, as distances are measured.
    """

    def __init__(
        self, space: Space, path: Array, goals: Array, goal: int, reach: float
    ) -> None:
        self._space = space
        dof = path.shape[1]
        room = _ROOM
        while room < 2 * len(path):
            room *= 2
        self._nodes = np.empty((1, dof, room))
        self._parents, self._lengths = np.full(room, -1, np.int64), np.zeros(room)
        self._state = np.array((len(path), 0, 0, goal), np.int64)
        self._nodes[0, :, : len(path)] = path.T
        self._parents[1 : len(path)] = np.arange(len(path) - 1)
        for row in range(1, len(path)):
            self._lengths[row] = space.distance(path[row - 1], path[row])
        self._goals = np.array(goals, order="C")
        self._goal_nodes = np.full(len(goals), -1, np.int64)
        self._goal_nodes[goal] = len(path) - 1
        self._numbers = np.array((reach, self._lengths.sum()))
        self._points = np.empty((4, dof))

    @property
    def iterations(self) -> int:
        """Samples so far."""
        return int(self._state[k.ITERATIONS])

    @property
    def count(self) -> int:
        """Number of nodes."""
        return int(self._state[k.COUNT])

    @property
    def length(self) -> float:
        """Length of the best way."""
        return float(self._numbers[1])

    @property
    def goal(self) -> int:
        """Index of the goal to which the best path leads."""
        return int(self._state[k.BEST])

    def improve(self, samples: Array) -> None:
        """Grow towards samples (n, d)."""
        rows = np.array(samples, order="C")
        while len(rows):
            self._state[k.AT] = 0
            if self._space.improve(self._bundle(rows)) != k.FULL:
                break
            rows = rows[int(self._state[k.AT]) :]
            self._make_room()

    def _bundle(self, samples: Array) -> ArrayBundle:
        return ArrayBundle((
            self._nodes, self._parents, self._lengths, self._state, samples,
            self._goals, self._goal_nodes, np.empty(len(self._parents)),
            np.empty(_MAX_NEIGHBOURS, np.int64), np.empty((2, _MAX_NEIGHBOURS)),
            self._numbers, self._points,
        ))  # fmt: skip

    def _make_room(self) -> None:
        self._nodes = np.concatenate((self._nodes, self._nodes), axis=2)
        self._parents = np.concatenate((self._parents, self._parents))
        self._lengths = np.concatenate((self._lengths, self._lengths))

    def path(self) -> Array:
        """Return the best way (n, d)."""
        row, rows = int(self._goal_nodes[self.goal]), []
        while row >= 0:
            rows.append(row)
            row = int(self._parents[row])
        return np.ascontiguousarray(self._nodes[0][:, rows[::-1]].T)
