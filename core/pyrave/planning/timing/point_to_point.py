"""The fastest motion between two states within limits of jerk."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.planning.timing.parametrization import positive_limits
from pyrave.planning.timing.timed_path import TimedPath
from pyrave.spatial import as_number, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

_SAME = 1e-12
_BESIDE = 1e-9
"""Of velocities and accelerations: so much of them may be beside a line."""
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
        (dof,) positions.
    velocity_limits, acceleration_limits, jerk_limits
        (dof,) or one number, positive.
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
    asked = library.InputParameter(dof)
    ends = {
        "current_position": (start, "start"),
        "target_position": (goal, "goal"),
        "current_velocity": (start_velocity, "start_velocity"),
        "target_velocity": (goal_velocity, "goal_velocity"),
        "current_acceleration": (start_acceleration, "start_acceleration"),
        "target_acceleration": (goal_acceleration, "goal_acceleration"),
    }
    for name, (values, said) in ends.items():
        setattr(asked, name, _row(values, dof, said).tolist())
    limits = {
        "max_velocity": (velocity_limits, "velocity_limits"),
        "max_acceleration": (acceleration_limits, "acceleration_limits"),
        "max_jerk": (jerk_limits, "jerk_limits"),
    }
    for name, (values, said) in limits.items():
        setattr(asked, name, positive_limits(values, dof, said).tolist())
    if straight and asked.current_position != asked.target_position:
        return _along_line(asked, as_number(duration, "duration", 0.0))
    if duration:
        asked.minimum_duration = as_number(duration, "duration", 0.0)
    found = library.Trajectory(dof)
    try:
        asked.validate(True, True)
        library.Ruckig(dof).calculate(asked, found)
    except library.RuckigError as error:
        reason = str(error).strip().removeprefix("[ruckig] ")
        raise ArgumentError(
            f"there is no motion from start to goal: {reason}"
        ) from error
    return _pieces(found, dof)


def _along_line(asked: Any, duration: float) -> TimedPath:
    """Return the motion along the line from start to goal.

    One joint leads: what it does is scaled to all others.
    """
    start, goal = np.array(asked.current_position), np.array(asked.target_position)
    way = goal - start
    leader = int(np.argmax(np.abs(way)))
    parts = way / way[leader]
    ends = {}
    for name in ("velocity", "acceleration"):
        for end, said in (("current", "start"), ("target", "goal")):
            rates = np.array(getattr(asked, f"{end}_{name}"))
            ends[f"{said}_{name}"] = rates[leader]
            beside = np.abs(rates - parts * rates[leader]).max()
            if beside > _BESIDE * max(1.0, float(np.abs(rates).max())):
                raise ArgumentError(
                    f"{said}_{name} is {rates}, expected a part of the way {way}: "
                    "no straight motion has it"
                )
    with np.errstate(divide="ignore"):
        limits = [
            np.min(np.array(getattr(asked, f"max_{name}")) / np.abs(parts))
            for name in ("velocity", "acceleration", "jerk")
        ]
    one = point_to_point(
        start[[leader]], goal[[leader]], *limits, **ends, duration=duration
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
