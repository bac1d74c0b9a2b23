"""BiRRT: two trees that grow towards each other."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import command
from pyrave.planning.search.planner import SearchPlanner
from pyrave.planning.search.sampling import Samples
from pyrave.planning.search.trees import TreePair
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_RANGE = 0.2
_FIRST_BLOCK = 32
_LARGEST_BLOCK = 1024
_BLOCK_SECONDS = 0.01
_MOST_DIRECT = 16
_GOALS_AT_ONCE = 4
_SAMPLERS = ("sample_initial", "sample_goal")


class BiRRT(SearchPlanner):
    """RRT-Connect: a tree from the start and one from the goal grow until they meet.

    Kuffner and LaValle, "RRT-Connect: An efficient approach to single-query path
    planning", ICRA 2000. Several initial and goal configurations are roots of the same
    trees. A motion that is free is the whole path.
    """

    contract = 1

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        super().__init__(env, *args)
        self._trees: TreePair | None = None
        self._met = (-1, -1)

    @command(name="GetGoalIndex")
    def goal_index(self) -> int:
        """Return which goal the last path leads to; sampled ones come after others."""
        return self._met[1]

    @command(name="GetInitGoalIndices")
    def init_goal_indices(self) -> str:
        """Return which initial configuration and which goal the last path connects."""
        return "{} {}".format(*self._met)

    @command(name="DumpTree")
    def dump_tree(self) -> str:
        """Return the trees of the last search as JSON: configurations and parents."""
        return json.dumps([] if self._trees is None else self._trees.as_data())

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        parameters = problem.parameters
        self._trees, self._met = None, (-1, -1)
        free = self.free_ends(problem, space)
        direct = self._direct(problem, space, *free)
        if direct is not None:
            return direct
        reach = self.reach_of(problem, space, _RANGE)
        trees = self._trees = TreePair(space, parameters.dof, reach)
        given = problem.starts, problem.goals
        for side, (numbers, roots) in enumerate(zip(free, given, strict=True)):
            for root in roots[numbers]:
                trees.add_root(side, root)
        samples = Samples(problem)
        most = self.most_iterations
        block, asked = _FIRST_BLOCK if space.compiled else 1, 0
        while True:
            self.go_on(max(trees.iterations, asked))
            asked += self._sample_roots(problem, space, trees)
            if 0 in trees.counts:
                continue
            count = min(block, max(1, most - trees.iterations))
            begin = time.perf_counter()
            if trees.grow(samples.take(count)):
                break
            if not self._samples_roots(problem):
                spent = time.perf_counter() - begin
                wanted = count * _BLOCK_SECONDS / max(spent, 1e-6)
                block = int(np.clip(wanted, 1, min(2 * block, _LARGEST_BLOCK)))
        path, *met = trees.path()
        first, last = (
            int(numbers[root])
            if root < len(numbers)
            else root - len(numbers) + len(own)
            for root, numbers, own in zip(met, free, given, strict=True)
        )
        self._met = first, last
        self.statistics = replace(
            self.statistics, iterations=trees.iterations, nodes=sum(trees.counts)
        )
        return path

    def _direct(
        self,
        problem: Problem,
        space: Space,
        starts: NDArray[np.intp],
        goals: NDArray[np.intp],
    ) -> Array | None:
        """Return a straight motion that is free."""
        pairs = list(product(starts.tolist(), goals.tolist()))
        for first, last in pairs[:_MOST_DIRECT]:
            start, goal = problem.starts[first], problem.goals[last]
            if space.is_free(start, goal):
                self._met = first, last
                return np.stack((start, goal))
        return None

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
