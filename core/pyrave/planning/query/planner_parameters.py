"""Parameters of a planner for a query."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.query.arguments import SearchLimits
from pyrave.planning.search.problem import PreparedParameters

if TYPE_CHECKING:
    from pyrave.planning.query.constraints import PathConstraints
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

_NO_LIMITS = SearchLimits()
_STEPS = 6.0
"""Resolutions between configurations that are projected."""


def make_parameters(
    space: PlanningSpace,
    start: Array,
    goals: Array,
    constraints: PathConstraints,
    *,
    seed: int,
    seconds: float,
    finer: float = 1.0,
    limits: SearchLimits = _NO_LIMITS,
) -> PreparedParameters:
    """Return the parameters of a planner.

    With constraints the parameters hold functions of their own: neighbours are
    projected, and motions keep the constraints. Collisions are the planner's to check.

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
    limits
        Of the search.
    """
    parameters = PreparedParameters.of(
        space.robot, space.compiled if finer <= 1.0 else None
    )
    parameters.initial_configuration = start.copy()
    parameters.goal_configuration = goals.ravel().copy()
    if finer > 1.0:
        parameters.resolutions = space.resolutions / finer
    end = perf_counter() + seconds
    if space.loops is not None or (space.affine and space.compiled is None):
        parameters.set_state = _until(space, end)
    if space.affine:
        # a search that knows of no turns looks for angles within one
        turning = space.circular
        parameters.lower_limits = np.where(turning, start - np.pi, space.lower)
        parameters.upper_limits = np.where(turning, start + np.pi, space.upper)
    parameters.max_planning_time = seconds
    parameters.random_seed = seed
    if constraints:
        parameters.step_length = _STEPS * float(
            (space.weights * space.resolutions).min()
        )
        parameters.neighbour_state = _neighbours(constraints, end)
        parameters.check_path_constraints = _checks(space, constraints)
    if limits.max_iterations is not None:
        parameters.max_iterations = limits.max_iterations
    if limits.step_length is not None:
        parameters.step_length = limits.step_length
    return parameters


# A search in Python may take long until it looks at the clock: when time is over
# nothing is free and no step is possible.


def _until(space: PlanningSpace, end: float) -> Callable[[Array], bool]:
    def set_state(values: Array) -> bool:
        if perf_counter() > end:
            return False
        return space.placed(values)

    return set_state


def _neighbours(
    constraints: PathConstraints, end: float
) -> Callable[[Array, Array], Array | None]:
    def neighbour_state(q: Array, dq: Array) -> Array | None:
        found = None if perf_counter() > end else constraints.projected(q + dq)
        # a projection that leads far away is no step in the direction asked for
        if found is None or np.abs(found - q).max() > 2.0 * np.abs(dq).max() + 1e-6:
            return None
        return found

    return neighbour_state


def _checks(
    space: PlanningSpace, constraints: PathConstraints
) -> Callable[[Array, Array], bool]:
    def check_path_constraints(a: Array, b: Array) -> bool:
        way = space.difference(b, a)
        steps = np.abs(way / space.resolutions).max(initial=0.0)
        count = max(1, int(np.ceil(steps - 1e-6)))
        times = np.arange(1, count + 1) / count
        return all(constraints.are_met(a + time * way) for time in times[::-1])

    return check_path_constraints
