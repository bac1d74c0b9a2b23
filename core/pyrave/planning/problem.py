"""The problem that a planner gets."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import PlannerParameters

if TYPE_CHECKING:
    from pyrave.planning.constraints import PathConstraints
    from pyrave.planning.space import PlanningSpace
    from pyrave.spatial import Array


def make_parameters(
    space: PlanningSpace,
    start: Array,
    goals: Array,
    constraints: PathConstraints,
    *,
    seed: int,
    seconds: float,
    finer: float = 1.0,
    extra: Mapping[str, str] | None = None,
) -> PlannerParameters:
    """Return what a planner is to do.

    With constraints the parameters hold functions of their own: neighbours are
    projected, and motions are checked for constraints and collisions.

    Parameters
    ----------
    start
        (n,) where to begin.
    goals
        (k, n), any of which is to be reached.
    seconds
        That the search may take.
    finer
        By how much steps of path checks are shorter than the robot's resolutions.
    extra
        More parameters by their names, for planners that know them.
    """
    parameters = PlannerParameters()
    parameters.set_robot_active_joints(space.robot)
    parameters.initial_configuration = start.copy()
    parameters.goal_configuration = goals.ravel().copy()
    parameters.resolutions = space.resolutions / finer
    parameters.max_planning_time = seconds
    parameters.random_seed = seed
    parameters.extra.update(extra or {})
    if constraints:
        parameters.neighbour_state = _neighbours(constraints)
        parameters.check_path_constraints = _checks(space, constraints, finer)
    return parameters


def _neighbours(
    constraints: PathConstraints,
) -> Callable[[Array, Array], Array | None]:
    def neighbour_state(q: Array, dq: Array) -> Array | None:
        found = constraints.projected(q + dq)
        # a projection that leads far away is no step in the direction asked for
        if found is None or np.abs(found - q).max() > 2.0 * np.abs(dq).max() + 1e-6:
            return None
        return found

    return neighbour_state


def _checks(
    space: PlanningSpace, constraints: PathConstraints, finer: float
) -> Callable[[Array, Array], bool]:
    def check_path_constraints(a: Array, b: Array) -> bool:
        way = space.difference(b, a)
        steps = np.abs(way / space.resolutions).max(initial=0.0) * finer
        count = max(1, int(np.ceil(steps)))
        rows = a + np.linspace(0.0, 1.0, count + 1)[:, None] * way
        if not all(constraints.met(row) for row in rows):
            return False
        return not space.hits(rows).any()

    return check_path_constraints
