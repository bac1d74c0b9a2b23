"""The fastest motion between two states within limits of jerk."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.planning.timing.own_units import OwnUnits
from pyrave.planning.timing.parametrization import positive_limits
from pyrave.planning.timing.timed_path import TimedPath
from pyrave.spatial import as_number, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

_SAME = 1e-12
_BESIDE = 1e-9
"""Part of velocities and accelerations that may be off a straight line."""
_STATES = ("position", "velocity", "acceleration")


def point_to_point(
    start: ArrayLike,
    goal: ArrayLike,
    velocity_limits: ArrayLike,
    acceleration_limits: ArrayLike,
    jerk_limits: ArrayLike,
    *,
    start_velocity: ArrayLike = 0.0,
    start_acceleration: ArrayLike = 0.0,
    goal_velocity: ArrayLike = 0.0,
    goal_acceleration: ArrayLike = 0.0,
    straight: bool = False,
    duration: float = 0.0,
) -> TimedPath:
    """Return the fastest motion between two states; all joints arrive together.

    By the library ruckig (Berscheid and Kröger, "Jerk-limited Real-time Trajectory
    Generation with Arbitrary Target States", Robotics: Science and Systems 2021). The
    slowest joint takes the least time that there is, the others as long.

    Parameters
    ----------
    start, goal
        (dof,) positions, radians or metres.
    velocity_limits, acceleration_limits, jerk_limits
        (dof,) or one number, positive; rad/s, rad/s2, rad/s3, or m/s ...
    start_velocity, start_acceleration, goal_velocity, goal_acceleration
        (dof,) or one number.
    straight
        Keep the values on the line from start to goal; velocities and accelerations
        have to point along it. Otherwise each joint goes its own way.
    duration
        Seconds that the motion takes at least.

    Returns
    -------
    Cubic pieces: jerks are constant between their ends. Before and after, the motion
    does not rest if it has velocities there.

    Raises
    ------
    NotSupportedError
        ruckig is not installed.
    ArgumentError
        Wrong shapes, limits that are not positive, velocities or accelerations beyond
        their limits, or beside the line of a straight motion.
    """
    library = _ruckig()
    first = as_numbers(start, "start")
    if first.ndim != 1 or not first.size:
        raise ArgumentError(f"start has the shape {first.shape}, expected (dof,)")
    dof = len(first)
    limits = [
        positive_limits(values, dof, f"{said}_limits")
        for values, said in (
            (velocity_limits, "velocity"),
            (acceleration_limits, "acceleration"),
            (jerk_limits, "jerk"),
        )
    ]
    rows = [
        (_row(start, dof, "start"), _row(goal, dof, "goal")),
        (
            _row(start_velocity, dof, "start_velocity"),
            _row(goal_velocity, dof, "goal_velocity"),
        ),
        (
            _row(start_acceleration, dof, "start_acceleration"),
            _row(goal_acceleration, dof, "goal_acceleration"),
        ),
    ]
    least = as_number(duration, "duration", 0.0)
    if straight and (rows[0][0] != rows[0][1]).any():
        return _along_line(rows, limits, least)
    units = OwnUnits.from_limits(limits[0], limits[1])
    asked = library.InputParameter(dof)
    asked.current_position = [0.0] * dof
    asked.target_position = units.positions(rows[0][1] - rows[0][0]).tolist()
    for order, name in enumerate(_STATES[1:], 1):
        current, target = (units.derivatives(row, order) for row in rows[order])
        setattr(asked, f"current_{name}", current.tolist())
        setattr(asked, f"target_{name}", target.tolist())
    for order, name in enumerate((*_STATES[1:], "jerk"), 1):
        most = units.derivatives(limits[order - 1], order)
        setattr(asked, f"max_{name}", most.tolist())
    if least:
        asked.minimum_duration = least / units.second
    found = library.Trajectory(dof)
    try:
        asked.validate(True, True)
        library.Ruckig(dof).calculate(asked, found)
    except library.RuckigError as error:
        reason = str(error).strip().removeprefix("[ruckig] ")
        raise ArgumentError(
            f"there is no motion from start to goal: {reason}"
        ) from error
    motion = _pieces(found, dof)
    times = units.second * motion.times
    times[-1] = max(times[-1], least)  # rounding
    positions = rows[0][0] + units.usual(motion.positions)
    positions[-1] = rows[0][1]
    return TimedPath(times, positions, units.usual(motion.velocities, 1))


def _along_line(
    rows: list[tuple[Array, Array]], limits: list[Array], duration: float
) -> TimedPath:
    """Return the motion along the line from start to goal.

    One joint leads: what it does is scaled to all others.

    Parameters
    ----------
    rows
        Positions, velocities and accelerations at the start and at the goal.
    limits
        Of velocities, accelerations and jerks.
    """
    start, goal = rows[0]
    way = goal - start
    leader = int(np.argmax(np.abs(way)))
    parts = way / way[leader]
    ends = {}
    for name, both in zip(_STATES[1:], rows[1:], strict=True):
        for said, rates in zip(("start", "goal"), both, strict=True):
            ends[f"{said}_{name}"] = rates[leader]
            beside = np.abs(rates - parts * rates[leader]).max()
            if beside > _BESIDE * max(1.0, float(np.abs(rates).max())):
                raise ArgumentError(
                    f"{said}_{name} is {rates}, expected a part of the way {way}: "
                    "no straight motion has it"
                )
    with np.errstate(divide="ignore"):
        least = [np.min(one / np.abs(parts)) for one in limits]
    one = point_to_point(
        start[[leader]], goal[[leader]], *least, **ends, duration=duration
    )
    positions = start + parts * (one.positions - start[leader])
    positions[-1] = goal
    return TimedPath(one.times, positions, parts * one.velocities)


def _pieces(found: Any, dof: int) -> TimedPath:
    """Return the motion between all times at which the jerk of a joint changes."""
    marks = [0.0, found.duration]
    for profile in found.profiles[0][:dof]:
        before = [profile.brake.duration] if profile.brake.duration > 0.0 else []
        marks += np.cumsum([*before, *profile.t]).tolist()
        marks += np.cumsum(profile.brake.t).tolist()
    times = np.unique(np.clip(marks, 0.0, found.duration))
    kept = np.concatenate(([True], np.diff(times) > _SAME * max(1.0, found.duration)))
    times = times[kept]
    times[-1] = found.duration
    rows = np.array([found.at_time(float(time))[:2] for time in times])
    positions, velocities = rows.reshape(len(times), 2, dof).transpose(1, 0, 2).copy()
    return TimedPath(times, positions, velocities)


def _row(values: ArrayLike, dof: int, name: str) -> Array:
    array = as_numbers(values, name)
    row = np.full(dof, array) if array.ndim == 0 else as_vector(array, dof, name)
    if not np.isfinite(row).all():
        raise ArgumentError(f"{name} is {row}, expected finite numbers")
    return row


def _ruckig() -> Any:
    try:
        return importlib.import_module("ruckig")
    except ImportError as error:
        raise NotSupportedError(
            "motions from point to point need the library ruckig, which cannot be "
            f"imported ({error}); pip install 'pyrave[planning]'"
        ) from error
