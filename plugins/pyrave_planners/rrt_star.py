"""RRTstar: paths that become shorter as long as there is time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import PlannerAction, PlannerProgress
from pyrave.planning.search.optimal_tree import OptimalTree
from pyrave.planning.search.samples import Ellipsoid, Samples
from pyrave.planning.search.simplifier import Simplifier
from pyrave_planners.birrt import BiRRT

if TYPE_CHECKING:
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_BLOCK = 64
_RANGE = 0.2
_SAME = 1e-9


class RRTstar(BiRRT):
    """Informed RRT*, from a path that BiRRT finds and shortcuts make shorter.

    Karaman and Frazzoli, "Sampling-based algorithms for optimal motion planning", 2011;
    Gammell, Srinivasa and Barfoot, "Informed RRT*", 2014. It uses all of
    `max_planning_time` (2 s if there is none) or of `max_iterations`, which makes
    results repeatable; the length tends to the shortest one. Samples are those from
    which a way could be shorter than the best one.
    """

    contract = 2
    default_seconds = 2.0

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        path = super().search(problem, space)
        goals = problem.goals[self.free_ends(problem, space)[1]]
        least = min((space.distance(path[0], one) for one in goals), default=0.0)
        is_shortest = len(path) == 2 and space.length(path) <= least + _SAME
        if is_shortest or space.first_blocked(path, searched=True) >= 0:
            return path
        path = Simplifier(space, problem.parameters.random_seed).shortened(
            path, self._shortcuts, self.is_out_of_time
        )
        first, goal = self._met
        distances = [space.distance(path[-1], one) for one in goals]
        chosen = int(np.argmin(distances)) if distances else -1
        if chosen < 0 or distances[chosen] > 0.0:
            goals, chosen = path[-1:], 0
        tree = OptimalTree(
            space, path, goals, chosen, self.reach_of(problem, space, _RANGE)
        )
        spent = self.statistics.iterations
        samples = Samples(problem)
        shape = None
        if not space.is_winding and len(goals) == 1:
            shape = Ellipsoid(problem, path[0], path[-1])
        while not self._is_over(spent + tree.iterations):
            rows = samples.take(_BLOCK)
            if shape is not None:
                rows = shape.take(rows, tree.length)
            tree.improve(rows)
        self._met = (first, goal if len(goals) == 1 else self._number(problem, tree))
        self.statistics = replace(
            self.statistics,
            iterations=spent + tree.iterations,
            nodes=self.statistics.nodes + tree.count,
        )
        return tree.path()

    def _number(self, problem: Problem, tree: OptimalTree) -> int:
        end = tree.path()[-1]
        same = np.abs(problem.goals - end).max(axis=1)
        return int(np.argmin(same))

    def _is_over(self, iterations: int) -> bool:
        """Return True if to stop: out of time or samples, or a callback says so."""
        if self._progress:
            action = self.call_progress(PlannerProgress(iterations))
            if action is not PlannerAction.CONTINUE:
                return True
        return self.is_out_of_time() or iterations >= self.most_iterations
