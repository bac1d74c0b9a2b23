"""A* over random neighbours, from initial configurations to goals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import Kernel, KernelModule
from pyrave.jit.bundles import ArrayBundle
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.search.kernels import random_astar as k
from pyrave.planning.search.samples import box_of

if TYPE_CHECKING:
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_ROOM = 4096
_MAX_OFFSETS = 100_000
"""Largest number of places drawn at once, unless one node needs more."""
_CELLS = 1 << 16
_MAX_AXES = 3
_kernels = "pyrave.planning.search.kernels."
_expand = Kernel(
    _kernels + "random_astar", "expand", "A* over neighbours", 6, whole=True
)
_interpreted = KernelModule(
    _kernels + "random_astar",
    substitutes={_kernels + "joint_space": _kernels + "user_space"},
)
KERNELS = {"random-astar": _expand}
"""Kernels that `pyrave warm` compiles."""


class RandomAStar:
    """A search over nodes of which each gets children at random places around it.

    Parameters
    ----------
    space
        Where they are.
    starts, goals
        (n, d) and (m, d) free configurations.
    radius
        Of the places around a node, as distances are measured.
    apart
        Nodes are not nearer to each other.
    factor
        Of the distance to the goal, in the estimate of a way: above 1 the search goes
        for the goal, and ways get longer.
    children, tries
        Most children of a node, and places that are tried for each of them.
    """

    def __init__(
        self,
        space: Space,
        problem: Problem,
        starts: Array,
        goals: Array,
        *,
        radius: float,
        apart: float,
        factor: float,
        children: int,
        tries: int,
    ) -> None:
        self._space = space
        dof = self._dof = starts.shape[1]
        given = problem.parameters.weights
        self._weights = np.array(given) if len(given) else np.ones(dof)
        self._radius = radius
        self._rng = np.random.default_rng(problem.parameters.random_seed)
        box, turning = np.stack(box_of(problem)), np.zeros(dof, np.bool_)
        if problem.robot is not None and problem.parameters.is_plain:
            active = problem.robot.active_dof_indices
            periods = problem.robot.model.circular_periods[active]
            turning[: len(active)] = np.isfinite(periods)
        box[:, turning] = [[-np.inf], [np.inf]]
        # a grid knows how far values are apart, not what functions of a user make of it
        spans = np.where(turning, 0.0, self._weights * (box[1] - box[0]))
        order = np.argsort(-spans, kind="stable")[:_MAX_AXES]
        axes = np.array([a for a in order.tolist() if spans[a] > 2.0 * apart], np.int64)
        if not space.compiled:
            axes = axes[:0]
        self._state = np.zeros(k.STATE_SIZE, np.int64)
        self._state[k.CHILDREN], self._state[k.TRIES] = children, tries
        room = _ROOM
        while room < 2 * len(starts):
            room *= 2
        self._nodes = np.empty((1, dof, room))
        self._rows = np.full((3, room), -1, np.int64)
        self._costs = np.empty((2, room))
        self._fixed = (
            np.array(goals, order="C"),
            np.array((radius, apart, factor)),
            np.ascontiguousarray(box),
            np.empty((4, dof)),
            np.full(_CELLS, -1, np.int64),
        )
        self._grid = axes, apart / self._weights[axes]
        self._plant(starts, goals)

    def _plant(self, starts: Array, goals: Array) -> None:
        factor = float(self._fixed[1][2])
        count = self._state[k.COUNT] = self._state[k.WAITING] = len(starts)
        self._nodes[0, :, :count] = starts.T
        self._costs[0, :count] = 0.0
        self._costs[1, :count] = [
            factor * min(self._space.distance(start, goal) for goal in goals)
            for start in starts
        ]
        self._rows[1, :count] = np.argsort(self._costs[1, :count], kind="stable")
        table = self._bundle(np.empty((0, starts.shape[1])))
        for row, start in enumerate(starts if len(self._grid[0]) else ()):
            cell = k.cell_of(table.table, start, 0)
            self._rows[2, row] = self._fixed[4][cell]
            self._fixed[4][cell] = row

    @property
    def expanded(self) -> int:
        """Nodes that were expanded so far."""
        return int(self._state[k.EXPANDED])

    @property
    def count(self) -> int:
        """Nodes so far."""
        return int(self._state[k.COUNT])

    @property
    def goal(self) -> int:
        """Index of the goal that was reached."""
        return int(self._state[k.GOAL])

    def expand(self, count: int) -> bool | None:
        """Expand so many nodes, fewer if these are tried often.

        Returns
        -------
        Whether a goal was reached; None: no node is left that could be expanded.
        """
        each, dof = int(self._state[k.CHILDREN] * self._state[k.TRIES]), self._dof
        n = each * min(count, max(1, _MAX_OFFSETS // each))
        ways = self._rng.normal(size=(n, dof))
        lengths = self._radius * self._rng.random(n) ** (1.0 / dof)
        ways *= (lengths / np.linalg.norm(ways, axis=1))[:, None]
        offsets = ways / self._weights
        self._state[k.AT] = 0
        while (result := self._called(self._bundle(offsets))) == k.FULL:
            self._make_room()
        return None if result == k.EMPTY else result == k.MET

    def _called(self, search: ArrayBundle) -> int:
        space = self._space
        if not isinstance(space, JointSpace):
            return int(_interpreted.python.expand(space, search.table))
        return int(space.run(_expand, search.table))

    def _bundle(self, offsets: Array) -> ArrayBundle:
        goals, numbers, box, points, cells = self._fixed
        return ArrayBundle((
            self._nodes, self._rows[0], self._costs, self._rows[1], self._state,
            offsets, goals, numbers, box, points, cells, self._rows[2], *self._grid,
            np.empty(self._nodes.shape[2]),
        ))  # fmt: skip

    def _make_room(self) -> None:
        self._nodes = np.concatenate((self._nodes, self._nodes), axis=2)
        self._rows = np.concatenate((self._rows, self._rows), axis=1)
        self._costs = np.concatenate((self._costs, self._costs), axis=1)

    def path(self) -> Array:
        """Return the way (n, d) to the goal that was reached."""
        row, rows = int(self._state[k.FOUND]), []
        while row >= 0:
            rows.append(row)
            row = int(self._rows[0, row])
        way = self._nodes[0][:, rows[::-1]].T
        return np.vstack((way, self._fixed[0][self.goal]))
