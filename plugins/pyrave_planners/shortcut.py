"""shortcut_linear: shortening of a given path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import PlannerStatus, PlannerStatusCode
from pyrave.planning.search.planner import RangeSettings, SearchPlanner
from pyrave.planning.search.problem import Refused

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning.search.problem import Problem
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_TRIES = 256
_SECONDS = 1.0


class ShortcutLinear(SearchPlanner):
    """Shortcuts between points of a path; see `search.kernels.shortcuts`.

    ``plan_path`` takes a trajectory whose waypoints are a free path, and replaces it by
    a shorter one without times. `max_iterations` is how many shortcuts are tried (256),
    `max_planning_time` how long (1 s). Initial and goal configurations are those of the
    trajectory.
    """

    contract = 2
    settings_type = RangeSettings
    needs_start = False
    needs_goal = False
    needs_path = True
    default_seconds = _SECONDS

    def plan_path(self, trajectory: TrajectoryBase, options: int = 0) -> PlannerStatus:
        """Make the path of a trajectory shorter."""
        self._given = np.empty((0, 0))
        if self._problem is not None:
            wanted = self._problem.parameters.specification
            if not trajectory.get_num_waypoints():
                return PlannerStatus(
                    PlannerStatusCode.FAILED,
                    "the trajectory has no waypoints; shortcut_linear shortens a path "
                    "that is there",
                )
            rows = trajectory.get_waypoints(spec=wanted)
            self._given = np.asarray(rows, float).reshape(-1, wanted.dof)
        return super().plan_path(trajectory, options)

    def take_problem(self, problem: Problem) -> None:
        """Take the settings for a problem."""
        super().take_problem(problem)
        self._shortcuts = int(problem.parameters.max_iterations) or _TRIES

    def ends(self, problem: Problem) -> tuple[Array, Array]:
        """Return those of the path."""
        return self._given[:1], self._given[-1:]

    def search(self, problem: Problem, space: Space) -> Array:
        """Return the path that is there, if it is free."""
        path = self._given
        blocked = 0 if space.hits(path[:1])[0] else space.first_blocked(path)
        if blocked >= 0:
            raise Refused(
                PlannerStatusCode.FAILED,
                f"the path collides between waypoints {blocked} and {blocked + 1}: it "
                "has to be free before it is made shorter",
            )
        return path
