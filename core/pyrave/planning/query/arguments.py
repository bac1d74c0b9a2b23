"""Checks of the arguments of a plan beside its goal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.bodies.robot import Robot
from pyrave.errors import (
    ArgumentError,
    SettingError,
    StateError,
    did_you_mean,
    shown,
)
from pyrave.interfaces import PlannerBase
from pyrave.interfaces.settings.parts import as_part
from pyrave.spatial import as_number, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array, IndicesLike

_SEEDS = 2**32
_MOST = 1e12
"""Jerks, per second cubed."""


def as_mover(
    mover: Robot | Manipulator,
    manipulator: Manipulator | str | None,
    dof_indices: IndicesLike | None,
) -> tuple[Robot, Manipulator | None]:
    """Return the moving robot and the manipulator whose tool is meant."""
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


def as_planner(
    robot: Robot,
    planner: str | PlannerBase | None,
    settings: Mapping[str, Any] | None = None,
    options: Iterable[str] = (),
) -> PlannerBase:
    """Return a planner of the robot's environment that finds paths.

    Parameters
    ----------
    planner
        An object or an id; None for the default.
    settings
        Of the planner of an id.
    options
        What else the caller could mean by a keyword that is no setting.
    """
    chosen = "" if planner is None else planner
    try:
        made = as_part(robot.env, PlannerBase, chosen, settings, what="planner")
    except SettingError as error:
        near = did_you_mean(error.unknown, options) if error.unknown else ""
        if near:
            raise SettingError(f"{error}{near}", error.unknown) from None
        raise
    if made.needs_path:
        raise ArgumentError(
            f"{made!r} changes the path of a trajectory, expected a planner that "
            "finds one; pyrave.planning.retime_trajectory and smooth_trajectory call it"
        )
    found: PlannerBase = made
    return found


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


class SearchLimits(NamedTuple):
    """Limits of a search that are fields of `PlannerParameters`; None: its own."""

    max_iterations: int | None = None
    step_length: float | None = None


def as_limits(max_iterations: Any, step_length: Any) -> SearchLimits:
    """Return limits of a search, checked."""
    counts: Any = max_iterations
    if max_iterations is not None and (
        isinstance(max_iterations, bool)
        or not isinstance(counts, Integral)
        or counts < 1
    ):
        raise ArgumentError(
            f"max_iterations is {shown(max_iterations)}, expected a whole number above "
            "0"
        )
    if step_length is not None:
        step_length = as_number(step_length, "step_length", 1e-9)
    return SearchLimits(max_iterations, step_length)


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


def as_start(start: ArrayLike, space: PlanningSpace, name: str = "start") -> Array:
    """Return a configuration (n,) to start from; it may be beyond limits."""
    values = as_vector(start, space.dof, name).astype(np.float64)
    return space.between_limits(values)
