"""Waypoints that come into timed trajectories without timing the rest again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.objects import as_native
from pyrave_openravepy.api.motion.timed_trajectories import RETIMER, TimedSpace

__all__ = [
    "ExtendActiveDOFWaypoint",
    "ExtendWaypoint",
    "InsertActiveDOFWaypointWithRetiming",
    "InsertWaypointWithSmoothing",
]

Array = NDArray[np.float64]
_PLANNERS = {
    "linear": "LinearTrajectoryRetimer",
    "cubic": "CubicTrajectoryRetimer2",
    "quintic": "QuinticTrajectoryRetimer",
}


@guarded
def ExtendWaypoint(
    index: int, dofvalues: Any, dofvelocities: Any, trajectory: Any, planner: Any
) -> int:
    """Lead to values after the end of a trajectory, or from them to its beginning."""
    native = as_native(trajectory)
    space = TimedSpace.of_trajectory(trajectory, 1.0, 1.0)
    name = planner if isinstance(planner, str) else planner.GetXMLId()
    return _extended(native, space, int(index), (dofvalues, dofvelocities), name)


@guarded
def ExtendActiveDOFWaypoint(
    index: int,
    dofvalues: Any,
    dofvelocities: Any,
    trajectory: Any,
    robot: Any,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
) -> int:
    """Lead to a robot's active values after the end, or from them to the beginning."""
    space = TimedSpace.of_robot(robot, maxvelmult, maxaccelmult)
    both = dofvalues, dofvelocities
    return _extended(as_native(trajectory), space, int(index), both, plannername)


@guarded
def InsertActiveDOFWaypointWithRetiming(
    index: int,
    dofvalues: Any,
    dofvelocities: Any,
    trajectory: Any,
    robot: Any,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
    plannerparameters: str = "",
) -> int:
    """Insert active values of a robot before a waypoint; returns where they are."""
    space = TimedSpace.of_robot(robot, maxvelmult, maxaccelmult)
    both, native = (dofvalues, dofvelocities), as_native(trajectory)
    return _inserted(native, space, int(index), both, plannername, plannerparameters)


@guarded
def InsertWaypointWithSmoothing(
    index: int,
    dofvalues: Any,
    dofvelocities: Any,
    trajectory: Any,
    maxvelmult: float = 1.0,
    maxaccelmult: float = 1.0,
    plannername: str = "",
) -> int:
    """Insert values before a waypoint, passed at velocities; returns where they are."""
    space = TimedSpace.of_trajectory(trajectory, maxvelmult, maxaccelmult)
    # a smoother would not keep the velocities
    name = "" if "smoother" in plannername.lower() else plannername
    both = dofvalues, dofvelocities
    return _inserted(as_native(trajectory), space, int(index), both, name)


def _extended(
    trajectory: Any, space: TimedSpace, index: int, given: Any, planner: str
) -> int:
    count = len(trajectory)
    if index not in {0, count}:
        raise openrave_exception(
            f"index is {index}, expected 0 or {count}, the number of waypoints",
            ErrorCode.InvalidArguments,
        )
    return _inserted(trajectory, space, index, given, planner)


def _inserted(
    trajectory: Any,
    space: TimedSpace,
    index: int,
    given: tuple[Any, Any],
    planner: str,
    text: str = "",
) -> int:
    """Insert values before a waypoint; only the pieces beside them get new times."""
    count, spec = len(trajectory), trajectory.spec
    place = index + count if index < 0 else index
    if not 0 <= place <= count or not count:
        raise openrave_exception(
            f"index is {index}, expected 0 to {count}, the number of waypoints of the "
            "trajectory",
            ErrorCode.InvalidArguments,
        )
    rows = trajectory.get_waypoints()
    if spec.find_compatible_group("deltatime") is None:
        raise openrave_exception(
            "the trajectory has no times; RetimeTrajectory gives it some",
            ErrorCode.InvalidState,
        )
    first, last = max(place - 1, 0), min(place + 1, count)
    piece, new = _piece(trajectory, space, (first, place, last), given)
    own = _only(spec, space.spec)
    name = planner or _PLANNERS.get(own.interpolation, RETIMER)
    status = space.timed(piece, name, text, has_velocities=True)
    if not status:
        raise openrave_exception(
            f"no way through the waypoint: {status.description}", ErrorCode.Failed
        )
    values = piece.get_waypoints(spec=space.spec)
    between = piece.get_waypoints(spec=spec)
    # what holds up to a waypoint, other bodies for example, is that of the next one
    spec.insert_delta_time(between, piece.spec.extract_delta_time(piece.waypoints))
    if place > 0:
        between[0] = rows[first]
    found = first + int(np.argmin(np.abs(values - new).max(axis=1)))
    joined = np.concatenate((rows[:first], between, rows[last:]))
    trajectory.init(spec)
    trajectory.insert(0, joined)
    return found


def _piece(
    trajectory: Any, space: TimedSpace, around: tuple[int, int, int], given: Any
) -> tuple[Any, Array]:
    """Return a trajectory of the values and those beside them, and the values."""
    first, place, last = around
    wanted = space.spec.add_derivative_groups(1)
    dof = space.spec.dof
    values, velocities = (np.array(one, dtype=np.float64).ravel() for one in given)
    if not velocities.size:
        velocities = np.zeros(dof)
    if values.shape != (dof,) or velocities.shape != (dof,):
        raise openrave_exception(
            f"there are {values.size} values and {velocities.size} velocities, "
            f"expected {dof} of each",
            ErrorCode.InvalidArguments,
        )
    near = trajectory.get_waypoints(first, last, wanted)
    row = np.zeros(wanted.dof)
    row[:dof], row[dof:] = values, velocities
    made = trajectory.env.create("trajectory", "")
    made.init(wanted)
    made.insert(0, np.insert(near, place - first, row, axis=0))
    return made, values


def _only(spec: Any, space: Any) -> Any:
    """Return the group of a trajectory that has the values of a space."""
    found = spec.find_compatible_group(space.groups[0])
    if found is None:
        raise openrave_exception(
            f"the trajectory has no group {space.groups[0].name!r}",
            ErrorCode.InvalidArguments,
        )
    return found
