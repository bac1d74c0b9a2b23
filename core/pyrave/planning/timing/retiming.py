"""Trajectories of bodies along paths."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError
from pyrave.ik import IkPath
from pyrave.planning.timing.bounded_paths import Bounds, fastest_within
from pyrave.planning.timing.parametrization import time_optimal
from pyrave.planning.timing.timed_trajectories import write_timed
from pyrave.planning.timing.tool_bounds import ToolBounds
from pyrave.planning.timing.torque_bounds import TorqueBounds
from pyrave.planning.timing.verification import env_of
from pyrave.spatial import as_number, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array, Indices, IndicesLike


def retime(
    body: KinBody | Manipulator,
    waypoints: ArrayLike | IkPath,
    dof_indices: IndicesLike | None = None,
    *,
    path: Literal["lines", "spline"] | None = None,
    deviation: ArrayLike = 0.0,
    jerk_limits: ArrayLike | None = None,
    torque_limits: ArrayLike | None = None,
    tool: Manipulator | None = None,
    tool_speed: float | None = None,
    tool_acceleration: float | None = None,
    steps: int | None = None,
    velocity_scale: float = 1.0,
    acceleration_scale: float = 1.0,
) -> TrajectoryBase:
    """Return the fastest trajectory of a body along a path, from rest to rest.

    It is within the velocity and acceleration limits of the joints everywhere, not
    only at its waypoints; see `time_optimal` for the method. The body stays where it
    is. A controller follows it: ``robot.controller.set_path(trajectory)``. Whether
    anything is in the way is not asked, `verify` does.

    Parameters
    ----------
    body
        In an environment. A manipulator stands for its arm's joints, and is the tool.
    waypoints
        (k, dof) values of `dof_indices`. Circular joints go the short way round.
        Or what `Manipulator.straight_line` and `follow` return, which must be complete.
    dof_indices
        Which degrees of freedom move; all if left out.
    path, deviation, steps
        As `time_optimal` takes them: straight lines whose corners are rounded by
        `deviation` (a joint value) or stopped at, or a spline. Left out, it is a spline
        for what `straight_line` and `follow` return, and lines for values.
    jerk_limits
        As `time_optimal` takes them, such as ``robot.limits.jerk``.
    torque_limits
        (k,) of `dof_indices`, or one number, such as ``robot.dof_torque_limits``: what
        moves the joints, with gravity and friction of motors. The other joints keep
        still. Not together with `jerk_limits`.
    tool, tool_speed, tool_acceleration
        How fast the origin of a tool moves in the world at most, m/s and m/s2; not
        together with `jerk_limits`.
    velocity_scale, acceleration_scale
        Parts of the limits, above 0 and up to 1.

    Returns
    -------
    A trajectory of joint values, their velocities and times. Values are cubic, or
    quintic, with accelerations, where the jerk of a smooth path is limited.

    Raises
    ------
    StateError
        The body is in no environment.
    ArgumentError
        Wrong shapes, waypoints beyond joint limits, joints without limits of velocity
        or acceleration, which are named, or a path of an arm that is not complete.
    """
    if isinstance(body, Manipulator):
        if dof_indices is None:
            dof_indices = body.arm_indices
        if tool is None and (tool_speed, tool_acceleration) != (None, None):
            tool = body
        body = body.robot
    if isinstance(waypoints, IkPath):
        if not waypoints:
            raise ArgumentError(
                f"the path is not complete: {waypoints.cause}; path.values are the "
                "values up to there"
            )
        path, waypoints = path or "spline", waypoints.values
    path = path or "lines"
    env = env_of(body)
    which = _indices(body, dof_indices)
    points = as_numbers(waypoints, "waypoints")
    if points.ndim != 2 or points.shape[1:] != which.shape:
        raise ArgumentError(
            f"waypoints have the shape {points.shape}, expected (k, {len(which)}): one "
            "value for each degree of freedom"
        )
    _check_limits(body, points, which)
    slower = as_number(velocity_scale, "velocity_scale", 1e-6, 1.0)
    softer = as_number(acceleration_scale, "acceleration_scale", 1e-6, 1.0)
    moves = _unwound(body, points, which)
    fastest = slower * _limits(body, which, "velocity")
    hardest = softer * _limits(body, which, "acceleration")
    bounds: list[Bounds] = []
    if torque_limits is not None:
        bounds.append(TorqueBounds(body, which, torque_limits))
    if tool is not None:
        if tool.robot is not body:
            raise ArgumentError(f"{tool!r} is not a tool of {body!r}")
        bounds.append(ToolBounds(tool, which, tool_speed, tool_acceleration))
    elif tool_speed is not None or tool_acceleration is not None:
        raise ArgumentError("tool_speed and tool_acceleration need a tool=")
    if not bounds:
        timed = time_optimal(
            moves,
            fastest,
            hardest,
            path=path,
            deviation=deviation,
            jerk_limits=jerk_limits,
            steps=steps,
        )
    elif jerk_limits is not None:
        raise ArgumentError("jerk_limits are not kept together with torques or tools")
    else:
        timed = fastest_within(
            moves,
            fastest,
            hardest,
            bounds,
            path=path,
            deviation=deviation,
            steps=steps,
        )
    values = body.specification_of(which)
    trajectory = env.create("trajectory", "")
    is_cubic = timed.accelerations is None
    interpolation = "cubic" if is_cubic else "quintic"
    write_timed(trajectory, values, timed, interpolation=interpolation)
    return trajectory


def _indices(body: KinBody, dof_indices: IndicesLike | None) -> Indices:
    if dof_indices is None:
        return np.arange(body.dof)
    which = body.model.dof_numbers(dof_indices, body.name)
    if len(set(which.tolist())) < len(which):
        raise ArgumentError(f"dof indices {which.tolist()} of {body.name!r} repeat")
    return which


def _check_limits(body: KinBody, points: Array, which: Indices) -> None:
    lower, upper = (limits[which] for limits in body.limit_store.bounds)
    outside = ~((points >= lower - 1e-9) & (points <= upper + 1e-9))
    if outside.any():
        row, column = np.argwhere(outside)[0].tolist()
        raise ArgumentError(
            f"waypoint {row} has {points[row, column]:g} for joint "
            f"{body.dof_names[which[column]]!r} of {body.name!r}, expected "
            f"{lower[column]:g} to {upper[column]:g}"
        )


def _limits(body: KinBody, which: Indices, what: str) -> Array:
    own = body.limit_store.view(f"{what}_limits")[which]
    lacks = [body.dof_names[k] for k in which[~(own > 0.0)]]
    if lacks:
        raise ArgumentError(
            f"the {what} limit of {', '.join(map(repr, lacks))} of {body.name!r} is "
            f"not positive; assign body.limits.{what}"
        )
    return np.asarray(own)


def _unwound(body: KinBody, points: Array, which: Indices) -> Array:
    """Return waypoints between which circular joints go the short way round."""
    if not body.model.circular[which].any():
        return points
    moves = [
        body.subtract_dof_values(points[k + 1], points[k], which)
        for k in range(len(points) - 1)
    ]
    return np.cumsum(np.vstack((points[:1], *moves)), axis=0)
