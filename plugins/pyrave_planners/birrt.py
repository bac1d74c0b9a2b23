"""BiRRT: two trees that grow towards each other."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.trees import TreePair
from pyrave_planners.search_planner import SearchPlanner, box_of

if TYPE_CHECKING:
    from pyrave.planning.trees import Space
    from pyrave.spatial import Array
    from pyrave_planners.problem import Problem

_RANGE = 0.2
_MOST_ITERATIONS = 100_000
_FIRST_BLOCK = 32
_LARGEST_BLOCK = 1024
_BLOCK_SECONDS = 0.01
_MOST_DIRECT = 16
_GOALS_AT_ONCE = 4


class BiRRT(SearchPlanner):
    """RRT-Connect: a tree from the start and one from the goal grow until they meet.

    Kuffner and LaValle, "RRT-Connect: An efficient approach to single-query path
    planning", ICRA 2000. Several initial and goal configurations are roots of the same
    trees. A motion that is free is the whole path.
    """

    contract = 1

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        parameters = problem.parameters
        starts, goals = self.free_ends(problem, space)
        direct = self._direct(space, starts, goals)
        if direct is not None:
            return direct
        trees = TreePair(space, parameters.dof, self.reach_of(problem, space, _RANGE))
        for side, roots in enumerate((starts, goals)):
            for root in roots:
                trees.add_root(side, root)
        rng = np.random.default_rng(parameters.random_seed)
        lower, upper = box_of(problem)
        most = int(parameters.max_iterations) or _MOST_ITERATIONS
        block, asked = _FIRST_BLOCK, 0
        while True:
            self.go_on(max(trees.iterations, asked), most)
            asked += self._sample_roots(problem, space, trees)
            if 0 in trees.counts:
                continue
            count = min(block, max(1, most - trees.iterations))
            begin = time.perf_counter()
            if trees.grow(self._samples(problem, rng, lower, upper, count)):
                break
            if not self._samples_roots(problem):
                spent = time.perf_counter() - begin
                wanted = count * _BLOCK_SECONDS / max(spent, 1e-6)
                block = int(np.clip(wanted, 1, min(2 * block, _LARGEST_BLOCK)))
        path, _, _ = trees.path()
        self.statistics = replace(
            self.statistics, iterations=trees.iterations, nodes=sum(trees.counts)
        )
        return path

    @staticmethod
    def _direct(space: Space, starts: Array, goals: Array) -> Array | None:
        """Return a straight motion that is free."""
        pairs = [(start, goal) for start in starts for goal in goals]
        for start, goal in pairs[:_MOST_DIRECT]:
            if space.is_free(start, goal):
                return np.stack((start, goal))
        return None

    @staticmethod
    def _samples_roots(problem: Problem) -> bool:
        parameters = problem.parameters
        functions = parameters.sample_goal, parameters.sample_initial
        return any(function is not None for function in functions)

    @staticmethod
    def _sample_roots(problem: Problem, space: Space, trees: TreePair) -> int:
        """Ask the functions of the user for roots; return how often that was."""
        parameters, asked = problem.parameters, 0
        for side, function in enumerate(
            (parameters.sample_initial, parameters.sample_goal)
        ):
            for _ in range(_GOALS_AT_ONCE if function is not None else 0):
                asked += 1
                found = function() if function is not None else None
                if found is None:
                    continue
                root = np.asarray(found, float).reshape(-1)
                inside = (
                    root.shape == (parameters.dof,)
                    and (root >= parameters.lower_limits).all()
                    and (root <= parameters.upper_limits).all()
                )
                if inside and not space.hits(root[None])[0]:
                    trees.add_root(side, root)
        return asked

    @staticmethod
    def _samples(
        problem: Problem,
        rng: np.random.Generator,
        lower: Array,
        upper: Array,
        count: int,
    ) -> Array:
        """Return configurations (count, d) that the trees grow towards."""
        function = problem.parameters.sample
        if function is None:
            return np.asarray(lower + rng.random((count, len(lower))) * (upper - lower))
        found = (function() for _ in range(count))
        rows = [np.asarray(one, float) for one in found if one is not None]
        return np.array(rows).reshape(-1, len(lower))
