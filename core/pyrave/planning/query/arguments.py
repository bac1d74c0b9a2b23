"""What is given to a plan beside its goal, checked."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.robot import Robot
from pyrave.errors import ArgumentError, StateError, shown
from pyrave.interfaces import PlannerBase
from pyrave.spatial import as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array, IndicesLike

SEARCH_LIMITS: Mapping[str, type[int | float]] = {
    "max_iterations": int,
    "step_length": float,
}
"""Fields of `PlannerParameters` that are given by name, and what they hold."""
_SEEDS = 2**32
_MOST = 1e12
"""Jerks, per second cubed."""


def as_mover(
    mover: Robot | Manipulator,
    manipulator: Manipulator | str | None,
    dof_indices: IndicesLike | None,
) -> tuple[Robot, Manipulator | None]:
    """Return who moves, and whose tool is meant."""
    if isinstance(mover, Manipulator):
        robot = mover.robot
        arm: Manipulator | None = mover
        if dof_indices is not None:
            raise ArgumentError(
                f"{mover!r} plans for the joints of its arm; robot.plan(goal, "
                "dof_indices=...) plans for others"
            )
    elif isinstance(mover, Robot):
        robot = mover
        arm = robot.active_manipulator if robot.manipulators else None
    else:
        raise ArgumentError(
            f"planning is for robots and manipulators, found {shown(mover)}"
        )
    if robot.id < 0:
        raise StateError(f"{robot!r} is in no environment; env.add(robot) adds it")
    if isinstance(manipulator, str):
        arm = robot.manipulators[manipulator]
    elif manipulator is not None:
        if not isinstance(manipulator, Manipulator) or manipulator.robot is not robot:
            raise ArgumentError(f"{shown(manipulator)} is no manipulator of {robot!r}")
        arm = manipulator
    return robot, arm


def as_planner(robot: Robot, planner: str | PlannerBase) -> PlannerBase:
    """Return a planner of the robot's environment, given as such or by its id."""
    if isinstance(planner, str):
        planner = cast("PlannerBase", robot.env.create("planner", planner))
    if not isinstance(planner, PlannerBase) or planner.env is not robot.env:
        raise ArgumentError(
            f"planner is {shown(planner)}, expected the id of a planner or one made "
            f"for the environment of {robot!r}"
        )
    if planner.needs_path:
        raise ArgumentError(
            f"{planner!r} changes the path of a trajectory, expected a planner that "
            "finds one; pyrave.planning.retime_trajectory and smooth_trajectory call it"
        )
    return planner


def as_seed(seed: Any) -> int:
    """Return a seed of random numbers."""
    if (
        isinstance(seed, bool)
        or not isinstance(seed, Integral)
        or not 0 <= int(seed) < _SEEDS
    ):
        raise ArgumentError(
            f"seed is {shown(seed)}, expected a whole number from 0 to {_SEEDS - 1}"
        )
    return int(seed)


def as_texts(
    parameters: Mapping[str, Any] | None, planner: PlannerBase
) -> dict[str, str]:
    """Return parameters as a planner takes them; numbers may be given as such.

    `SEARCH_LIMITS` are fields that all planners have, the others their own.
    """
    if parameters is None:
        return {}
    given = parameters
    if not isinstance(given, Mapping) or not all(
        isinstance(name, str) and isinstance(value, str | Real)
        for name, value in given.items()
    ):
        raise ArgumentError(
            f"parameters is {shown(parameters)}, expected a mapping of names to texts"
        )
    planner.check_extra_parameters(given, also=SEARCH_LIMITS)
    texts = {name: str(value) for name, value in given.items()}
    for name in SEARCH_LIMITS.keys() & texts.keys():
        try:
            is_positive = SEARCH_LIMITS[name](texts[name]) > 0
        except (ValueError, OverflowError):
            is_positive = False
        if not is_positive:
            what = "whole number" if SEARCH_LIMITS[name] is int else "number"
            raise ArgumentError(
                f"parameter {name!r} is {shown(given[name])}, expected a {what} above 0"
            )
    return texts


def as_jerks(limits: ArrayLike | None, space: PlanningSpace) -> Array | None:
    """Return limits of jerk (n,), given as one number or one for each value."""
    if limits is None:
        return None
    jerks = as_numbers(limits, "jerk_limits")
    if (
        jerks.shape not in {(), (space.dof,)}
        or not ((jerks > 0) & (jerks < _MOST)).all()
    ):
        raise ArgumentError(
            f"jerk_limits is {shown(limits)}, expected one positive number or "
            f"{space.dof} of them ({', '.join(space.names)})"
        )
    return np.full(space.dof, jerks)


def as_start(start: ArrayLike, space: PlanningSpace) -> Array:
    """Return a configuration (n,) to start from; it may be beyond limits."""
    values = as_vector(start, space.dof, "start").astype(np.float64)
    if not np.isfinite(values).all():
        raise ArgumentError(f"start is {values}, expected finite numbers")
    return values
