"""BiRRT: two trees that grow towards each other."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import command, setting
from pyrave.planning.search.planner import SearchPlanner, SearchSettings
from pyrave.planning.search.samples import Samples
from pyrave.planning.search.simplifier import Simplifier
from pyrave.planning.search.trees import TreePair
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pyrave import Environment
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_RANGE = 0.2
_FIRST_BLOCK = 32
_LARGEST_BLOCK = 1024
_BLOCK_SECONDS = 0.01
_MAX_DIRECT = 16
_GOALS_AT_ONCE = 4
_SAMPLERS = ("sample_initial", "sample_goal")
Ends = tuple["NDArray[np.intp]", "NDArray[np.intp]"]


@dataclass(frozen=True, slots=True, eq=False)
class _Way:
    """A path (n, d), and the numbers of the configurations that it connects."""

    path: Array
    first: int
    last: int


@dataclass(frozen=True)
class BiRRTSettings(SearchSettings):
    """Settings of `BiRRT`."""

    minimum_goal_paths: int = setting(
        1, "paths to different goals of which the shortest is returned", least=1
    )


class BiRRT(SearchPlanner):
    """RRT-Connect: a tree from the start and one from the goal grow until they meet.

    Kuffner and LaValle, "RRT-Connect: An efficient approach to single-query path
    planning", ICRA 2000. Several initial and goal configurations are roots of the same
    trees. A motion that is free is the whole path.

    With the extra parameter ``minimum_goal_paths`` above 1 it looks for paths to that
    many goals, if there are so many, and returns the one that is shortest once it is
    made shorter. What grew from a goal that is reached goes with it. Time that is over
    ends the search with what there is.
    """

    contract = 2
    settings_type = BiRRTSettings

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self._trees: TreePair | None = None
        self._met = (-1, -1)

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem, or raise `Refused`."""
        super().take_problem(problem)
        self._wanted = int(self._own.minimum_goal_paths)

    @command(name="GetGoalIndex")
    def goal_index(self) -> int:
        """Return the index of the last path's goal; sampled ones come after others."""
        return self._met[1]

    @command(name="GetInitGoalIndices")
    def init_goal_indices(self) -> str:
        """Return the indices of the last path's start and goal."""
        return "{} {}".format(*self._met)

    @command(name="DumpTree")
    def dump_tree(self) -> str:
        """Return the trees of the last search as JSON: configurations and parents."""
        return json.dumps([] if self._trees is None else self._trees.as_data())

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        self._trees, self._met = None, (-1, -1)
        free = self.free_ends(problem, space)
        ways = self._direct(problem, space, *free)
        if len(ways) < self._wanted and (
            len(ways) < len(free[1]) or self._samples_roots(problem) or not ways
        ):
            self._connect(problem, space, free, ways)
        best = ways[0]
        if len(ways) > 1:
            lengths = [self._shortest(problem, space, way.path) for way in ways]
            best = ways[int(np.argmin(lengths))]
        self._met = best.first, best.last
        self.statistics = replace(self.statistics, goal_paths=len(ways))
        return best.path

    def _shortest(self, problem: Problem, space: Space, path: Array) -> float:
        """Return the length of a path as it is returned."""
        simplifier = Simplifier(space, problem.parameters.random_seed)
        return simplifier.length(
            simplifier.shortened(path, self._shortcuts, self.is_out_of_time)
        )

    def _connect(
        self, problem: Problem, space: Space, free: Ends, ways: list[_Way]
    ) -> None:
        """Grow trees until enough goals are connected; add the ways to them."""
        parameters = problem.parameters
        reach = self.reach_of(problem, space, _RANGE)
        trees = self._trees = TreePair(space, parameters.dof, reach)
        given = problem.starts, problem.goals
        for side, (numbers, roots) in enumerate(zip(free, given, strict=True)):
            for root in roots[numbers]:
                trees.add_root(side, root)
        for way in ways:
            trees.remove_root(1, int(np.flatnonzero(free[1] == way.last)[0]))
        samples, rows = Samples(problem), trees.unused
        most = self.most_iterations
        block, asked = _FIRST_BLOCK if space.compiled else 1, 0
        samples_roots = self._samples_roots(problem)
        while self.go_on(max(trees.iterations, asked), found=bool(ways)):
            if not len(rows) or 0 in trees.counts:
                asked += self._sample_roots(problem, space, trees)
            if 0 in trees.counts:
                if ways:
                    break
                continue
            count = min(block, max(1, most - trees.iterations))
            begin = time.perf_counter()
            met = trees.grow(rows if len(rows) else samples.take(count))
            rows = trees.unused
            if met:
                path, *met_at = trees.path()
                ways.append(_Way(path, *map(_number, met_at, free, given)))
                if len(ways) >= self._wanted:
                    break
                trees.remove_root(1, met_at[1])
            elif not samples_roots:
                spent = time.perf_counter() - begin
                wanted = count * _BLOCK_SECONDS / max(spent, 1e-6)
                block = int(np.clip(wanted, 1, min(2 * block, _LARGEST_BLOCK)))
        self.statistics = replace(
            self.statistics, iterations=trees.iterations, nodes=sum(trees.counts)
        )

    def _direct(
        self,
        problem: Problem,
        space: Space,
        starts: NDArray[np.intp],
        goals: NDArray[np.intp],
    ) -> list[_Way]:
        """Return straight motions that are free, to as many goals as are wanted."""
        found: dict[int, _Way] = {}
        pairs: Iterable[tuple[int, int]] = product(starts.tolist(), goals.tolist())
        for first, last in islice(pairs, _MAX_DIRECT):
            start, goal = problem.starts[first], problem.goals[last]
            if last not in found and space.is_free(start, goal):
                found[last] = _Way(np.stack((start, goal)), first, last)
                if len(found) == self._wanted:
                    break
        return list(found.values())

    @staticmethod
    def _samples_roots(problem: Problem) -> bool:
        parameters = problem.parameters
        return any(getattr(parameters, name) is not None for name in _SAMPLERS)

    @staticmethod
    def _sample_roots(problem: Problem, space: Space, trees: TreePair) -> int:
        """Ask the functions of the user for roots; return how often that was."""
        parameters, asked = problem.parameters, 0
        for side, name in enumerate(_SAMPLERS):
            function = getattr(parameters, name)
            for _ in range(_GOALS_AT_ONCE if function is not None else 0):
                asked += 1
                found = function()
                if found is None:
                    continue
                root = as_vector(found, parameters.dof, name)
                inside = (root >= parameters.lower_limits).all() and (
                    root <= parameters.upper_limits
                ).all()
                if inside and not space.hits(root[None])[0]:
                    trees.add_root(side, root)
        return asked


def _number(root: int, numbers: NDArray[np.intp], given: Array) -> int:
    """Return the number of a configuration that is a root; sampled ones come last."""
    if root < len(numbers):
        return int(numbers[root])
    return root - len(numbers) + len(given)
