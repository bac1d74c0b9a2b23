"""RAStar: A* over random neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyrave.interfaces import PlannerStatusCode, command, setting
from pyrave.planning.search.planner import InterruptedSearch, SearchPlanner
from pyrave.planning.search.problem import Refused
from pyrave.planning.search.random_astar import RandomAStar

if TYPE_CHECKING:
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_BLOCK = 8


@dataclass(frozen=True)
class RAStarSettings:
    """Settings of `RAStar`."""

    shortcuts: int = setting(
        32,
        "how often a path is made shorter before it is returned",
        least=0,
        most=1e9,
    )
    radius: float = setting(
        0.1, "of the places around a node, as distances are measured", least=1e-6
    )
    dist_thresh: float = setting(0.03, "how far nodes are apart at least", least=1e-6)
    goal_coeff: float = setting(
        1.0, "factor of the distance to the goal; more is faster", least=0.0
    )
    max_children: int = setting(5, "of a node", least=1, most=1000)
    max_sample_tries: int = setting(10, "for each child", least=1, most=1000)


class RAStar(SearchPlanner):
    """Randomized A*: the most promising node gets children around it.

    Diankov and Kuffner, "Randomized statistical path planning", IROS 2007. For few
    degrees of freedom: in a plane ways are near the shortest ones, with many joints it
    looks at all that is nearer to the start than the goal is. Extra parameters:
    ``radius`` of the places around a node (0.1, as distances are measured),
    ``dist_thresh``, how far nodes are apart at least (0.03), ``goal_coeff``, the factor
    of the distance to the goal (1; more is faster, and ways get longer),
    ``max_children`` of a node (5) and ``max_sample_tries`` for each (10).
    """

    contract = 2
    settings_type = RAStarSettings

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem, or raise `Refused`."""
        own = self._own = self.settings_for(problem.parameters)
        self._reach, self._shortcuts = 0.0, own.shortcuts
        self._goal = -1
        self._radius, self._apart = own.radius, own.dist_thresh
        self._factor, self._children = own.goal_coeff, own.max_children
        self._tries = own.max_sample_tries
        failed = PlannerStatusCode.FAILED
        if self._apart >= self._radius:
            raise Refused(
                failed,
                f"the setting 'dist_thresh' is {self._apart:g}, expected less than "
                f"'radius', which is {self._radius:g}: no node could get children",
            )
        if problem.parameters.sample_initial or problem.parameters.sample_goal:
            raise Refused(
                failed, "RAStar does not sample initial configurations or goals"
            )

    @command(name="GetGoalIndex")
    def goal_index(self) -> int:
        """Return the index of the last path's goal."""
        return self._goal

    def search(self, problem: Problem, space: Space) -> Array:
        """Return a path (n, d)."""
        starts, free = self.free_ends(problem, space)
        search = RandomAStar(
            space,
            problem,
            problem.starts[starts],
            problem.goals[free],
            radius=self._radius,
            apart=self._apart,
            factor=self._factor,
            children=self._children,
            tries=self._tries,
        )
        # compiled, a block of nodes takes less time than one in Python
        block = _BLOCK if space.compiled else 1
        met: bool | None = False
        while met is False:
            self.go_on(search.expanded)
            left = self.most_iterations - search.expanded
            met = search.expand(min(block, max(1, left)))
        self.statistics = replace(
            self.statistics, iterations=search.expanded, nodes=search.count
        )
        if met is None:
            raise InterruptedSearch(
                PlannerStatusCode.FAILED,
                f"no node of {search.count} is left that could get children; more "
                "max_sample_tries, or a smaller dist_thresh, may lead further",
            )
        self._goal = int(free[search.goal])
        return search.path()
