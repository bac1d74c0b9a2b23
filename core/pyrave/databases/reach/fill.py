"""Cells of a grid that a tool reaches with one rotation, all of them.

Random configurations come first: where their tools are nearly in place a search in
joint space ends at the pose itself. Then each pose that is reached is where the search
for its neighbours starts, in waves. What is left at the edges is tried from the
configurations whose tools are nearest. A configuration is the proof for a cell; that
there is none for the others is measured, not proven.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pyrave.databases.reach.position_grid import PositionGrid
from pyrave.databases.reach.tool_chain import ToolChain

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array, Indices

_SAMPLES = 20_000, 400_000
"""Random configurations for each rotation, at least and at most."""
_SAMPLES_A_CELL = 50
_AT_ONCE = 20_000
_NEAR_TRACE = 1.0 + 2.0 * np.cos(np.pi / 4.0)
"""Trace of ``R' S`` above which tools are turned nearly as they should be."""
_MOST_SEEDS = 12_000
_DOUBTFUL = 9
"""A cell is tried again that as many of its 26 neighbours are reached, or more."""
_RETRIES = 8
_RETRY_STEPS = 60
_ROUNDS = 4
_CHUNK = 2_000_000

Accept = Callable[["Array"], "NDArray[np.bool_]"]


@dataclass(eq=False)
class ReachFill:
    """The search for one rotation.

    Parameters
    ----------
    chain
        The arm.
    grid
        Of positions of the tool, in the base link.
    rotation
        (3, 3) of the tool in the base link; None: any will do.
    accept
        Which of values (m, n) of the arm count; None: all do.
    """

    chain: ToolChain
    grid: PositionGrid
    rotation: Array | None
    accept: Accept | None = None
    reached: NDArray[np.bool_] = field(init=False)
    """(cells,) True where the tool comes with an accepted configuration."""
    values: Array = field(init=False)
    """(cells, n) float32: a configuration for each of these."""

    def __post_init__(self) -> None:
        self.reached = np.zeros(self.grid.inside.shape, np.bool_)
        self.values = np.zeros((len(self.reached), self.chain.n), np.float32)
        self._settled = np.zeros(self.reached.shape, np.bool_)
        turn = np.eye(3) if self.rotation is None else self.rotation
        self._turn = turn.ravel()

    @staticmethod
    def memory(cells: float, n: int) -> int:
        """Return about how many bytes a fill of so many cells takes."""
        return int(cells * (4 * n + 24)) + 200_000_000

    def fill(self, generator: np.random.Generator) -> NDArray[np.bool_]:
        """Search, and return the mask of cells that are reached, (cells,)."""
        seeds, places = self._seeds(generator)
        self._spread(self._start(seeds, places))
        for _ in range(_ROUNDS):
            new = self._retry(seeds, places)
            if not len(new):
                break
            self._spread(new)
        return self.reached

    def _seeds(self, generator: np.random.Generator) -> tuple[Array, Array]:
        """Return configurations (m, n) whose tools are nearly turned, and places."""
        values, tools = [], []
        wanted = np.clip(_SAMPLES_A_CELL * len(self.grid.cells), *_SAMPLES)
        for _ in range(0, int(wanted), _AT_ONCE):
            some = self.chain.stretched(generator.random((_AT_ONCE, self.chain.n)))
            found = self.chain.tools(some)
            if self.rotation is not None:
                near = self._traces(found) > _NEAR_TRACE
                some, found = some[near], found[near]
            values.append(some)
            tools.append(found)
        seeds, ends = np.concatenate(values), np.concatenate(tools)
        if self.rotation is not None:
            # those first that have the least way to go
            order = np.argsort(-self._traces(ends), kind="stable")
            seeds, ends = seeds[order], ends[order]
        return seeds, ends[:, 9:]

    def _traces(self, tools: Array) -> Array:
        """Return traces (m,) of how far tools (m, 12) are turned from the rotation."""
        # without libraries that sum in another order on other machines
        return np.asarray(np.einsum("ij,j->i", tools[:, :9], self._turn))

    def _start(self, seeds: Array, places: Array) -> Indices:
        """Return the cells that are reached from configurations in them."""
        cells = self.grid.cells_at(places)
        left = np.flatnonzero(cells >= 0)
        found = [np.empty(0, np.int64)]
        while len(left := left[~self.reached[cells[left]]]):
            _, first = np.unique(cells[left], return_index=True)
            found.append(self._attempt(cells[left[first]], seeds[left[first]]))
            left = np.delete(left, first)
        return np.concatenate(found)

    def _attempt(self, cells: Indices, starts: Array, steps: int = 40) -> Indices:
        """Return those of cells that are reached from starts (m, n), and keep how."""
        goals = np.empty((len(cells), 12))
        goals[:, :9], goals[:, 9:] = self._turn, self.grid.points(cells)
        turns = self.rotation is not None
        found, values = self.chain.approach(goals, starts, turns=turns, steps=steps)
        if self.accept is not None and found.any():
            found[found] = self.accept(values[found])
        cells = cells[found]
        self.reached[cells] = True
        self.values[cells] = values[found]
        return cells

    def _spread(self, new: Indices) -> None:
        """Reach the neighbours of new cells, theirs, and so on."""
        while len(new):
            found = []
            for step in self.grid.steps:
                wanted = new + step
                open_ = self.grid.inside[wanted] & ~self.reached[wanted]
                if open_.any():
                    starts = self.values[new[open_]].astype(np.float64)
                    starts = np.clip(starts, *self.chain.limits)
                    found.append(self._attempt(wanted[open_], starts))
            new = np.concatenate(found) if found else new[:0]

    def _retry(self, seeds: Array, places: Array) -> Indices:
        """Return cells that are reached from the configurations nearest to them."""
        counts = self.grid.neighbour_counts(self.reached)
        doubtful = self.grid.inside & ~self._settled & ~self.reached
        cells = np.flatnonzero(doubtful & (counts >= _DOUBTFUL))
        self._settled[cells] = True
        seeds, places = seeds[:_MOST_SEEDS], places[:_MOST_SEEDS]
        tries = min(_RETRIES, len(seeds))
        if not tries:
            return cells[:0]
        found = [cells[:0]]
        size = max(1, _CHUNK // len(seeds))
        for first in range(0, len(cells), size):
            some = cells[first : first + size]
            points = self.grid.points(some)
            # squared distances but for the points' own share
            products = np.einsum("ik,jk->ij", points, places)
            away = (places * places).sum(axis=1) - 2.0 * products
            nearest = np.argpartition(away, tries - 1, axis=1)[:, :tries]
            for which in nearest.T:
                left = ~self.reached[some]
                if left.any():
                    new = self._attempt(some[left], seeds[which[left]], _RETRY_STEPS)
                    found.append(new)
        return np.concatenate(found)
