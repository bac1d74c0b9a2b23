"""Trajectories of bodies along paths, and whether they keep what limits them."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np

from pyrave.bodies.kinbody import KinBody
from pyrave.bodies.manipulator import Manipulator
from pyrave.errors import ArgumentError, NotSupportedError, StateError
from pyrave.ik import IkPath
from pyrave.interfaces import CollisionOptions, PlannerParameters, TrajectoryBase
from pyrave.kinematics.limits import LimitCheck
from pyrave.planning.search.joint_space import JointSpace
from pyrave.planning.timing.bounded_paths import Bounds, fastest_within
from pyrave.planning.timing.parametrization import time_optimal
from pyrave.planning.timing.timed_trajectories import write_timed
from pyrave.planning.timing.tool_bounds import ToolBounds
from pyrave.planning.timing.torque_bounds import TorqueBounds
from pyrave.spatial import as_number, as_numbers
from pyrave.trajectories import ConfigurationSpecification
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import CollisionCheckerBase, EnvironmentProtocol
    from pyrave.spatial import Array, Indices, IndicesLike

_MOST_SAMPLES = 10_000_000


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
        As `time_optimal` takes them, such as ``robot.dof_jerk_limits``.
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
                f"the path is not complete: {waypoints.reason}; path.values are the "
                "values up to there"
            )
        path, waypoints = path or "spline", waypoints.values
    path = path or "lines"
    env = _env_of(body)
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
    fastest = slower * _limits(body, which, body.dof_velocity_limits, "velocity")
    hardest = softer * _limits(
        body, which, body.dof_acceleration_limits, "acceleration"
    )
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
    names = " ".join(map(str, which.tolist()))
    values = ConfigurationSpecification().add_group(
        f"joint_values {body.name} {names}", len(which)
    )
    trajectory = cast("TrajectoryBase", env.create("trajectory", ""))
    is_cubic = timed.accelerations is None
    interpolation = "cubic" if is_cubic else "quintic"
    write_timed(trajectory, values, timed, interpolation=interpolation)
    return trajectory


@dataclass(frozen=True, slots=True)
class Violation:
    """What a trajectory does that it should not, where it is worst.

    Parameters
    ----------
    kind
        ``"position"``, ``"velocity"``, ``"acceleration"``, ``"jerk"``, ``"torque"`` or
        ``"collision"``.
    time
        Seconds; of a collision, the first time.
    what
        The joint, or the links that collide.
    amount
        By how much a limit is passed, in its unit; depth of a collision, metres.
    """

    kind: Literal["position", "velocity", "acceleration", "jerk", "torque", "collision"]
    time: float
    what: str
    amount: float

    def __str__(self) -> str:
        if self.kind == "collision":
            return f"{self.what} collide at {self.time:.3f} s"
        return (
            f"{self.what} passes its {self.kind} limit by {self.amount:.3g} at "
            f"{self.time:.3f} s"
        )


def verify(
    body: KinBody,
    trajectory: TrajectoryBase,
    *,
    step: float = 1e-3,
    tolerance: float = 1e-6,
    jerk_limits: ArrayLike | None = None,
    collisions: bool = True,
) -> tuple[Violation, ...]:
    """Return which limits a trajectory of a body passes, and whether the body collides.

    The trajectory is sampled, and velocities and accelerations are taken from what it
    does: differences of positions from sample to sample, not what its waypoints say.
    The body stays where it is. Limits are those of the joints in the trajectory.

    Parameters
    ----------
    step
        Seconds between samples.
    tolerance
        Parts of a limit by which it may be passed.
    jerk_limits
        (dof,) of all joints, or one number; None does not ask for jerks.
    collisions
        Ask the environment's checker about each sample, too.

    Returns
    -------
    One for each joint and kind of limit, and one for the first collision of what moves;
    empty if there is nothing.

    Raises
    ------
    StateError
        The body is in no environment, or the trajectory has no times.
    ArgumentError
        The trajectory has no values of the body's joints, or too many samples.
    """
    env = _env_of(body)
    times, values, moving = sampled(body, trajectory, as_number(step, "step", 1e-9))
    slack = as_number(tolerance, "tolerance", 0.0)
    jerks = None if jerk_limits is None else as_numbers(jerk_limits, "jerk_limits")
    if jerks is not None and jerks.shape not in {(), (body.dof,)}:
        raise ArgumentError(
            f"jerk_limits have the shape {jerks.shape}, expected ({body.dof},)"
        )
    if jerks is not None:
        jerks = np.broadcast_to(jerks, body.dof)[moving]
    found = _limit_violations(body, times, values[:, moving], moving, slack, jerks)
    if collisions:
        found += _first_collision(env.collision_checker, body, times, values)
    return tuple(found)


def _limit_violations(
    body: KinBody,
    times: Array,
    values: Array,
    which: list[int],
    slack: float,
    jerks: Array | None,
) -> list[Violation]:
    """Return which limits the values (m, k) of joints pass."""
    lower, upper = (limits[which] for limits in body.dof_limits)
    step = times[1] if len(times) > 1 else 1.0
    rates = np.diff(values, axis=0) / step
    changes = np.diff(rates, axis=0) / step
    fastest = body.dof_velocity_limits[which]
    hardest = body.dof_acceleration_limits[which]
    passed: dict[
        Literal["position", "velocity", "acceleration", "jerk"], tuple[Array, Array]
    ]
    passed = {
        "position": (np.maximum(values - upper, lower - values), upper - lower),
        "velocity": (np.abs(rates) - fastest, fastest),
        "acceleration": (np.abs(changes) - hardest, hardest),
    }
    if jerks is not None:
        # what rounding of positions makes of third differences
        rounding = 4.0 * np.finfo(float).eps * np.abs(values).max(initial=1.0)
        thirds = np.abs(np.diff(changes, axis=0) / step) - rounding / step**3
        passed["jerk"] = thirds - jerks, jerks
    found = []
    for kind, (beyond, limits) in passed.items():
        rows = np.argmax(beyond, axis=0) if len(beyond) else ()
        for k, row in enumerate(rows):
            amount = float(beyond[row, k])
            if amount > slack * limits[k]:
                name = f"joint {body.dof_names[which[k]]!r}"
                found.append(Violation(kind, float(times[row]), name, amount))
    return found


def _first_hit(checker: CollisionCheckerBase, body: KinBody, values: Array) -> int:
    """Return the first row of joint values (n, dof) that collides, or -1."""
    robot = cast("Robot", body) if body.is_robot else None
    if robot is not None and len(robot.active_dof_indices):
        if not np.array_equal(values[0], robot.dof_values):
            robot.set_dof_values(values[0], limits=LimitCheck.NONE)
        parameters = PlannerParameters()
        parameters.set_robot_active_joints(robot)
        try:
            space = JointSpace(robot, parameters)
        except NotSupportedError:
            pass  # the general way is as good, and slower
        else:
            return space.first_hit(values[:, robot.active_dof_indices])
    hits = checker.check_configurations(body, values)
    return int(np.argmax(hits)) if hits.any() else -1


def _first_collision(
    checker: CollisionCheckerBase, body: KinBody, times: Array, values: Array
) -> list[Violation]:
    """Return the first collision of what moves, if there is one."""
    options = checker.get_collision_options() | CollisionOptions.CONTACTS
    parts = StateParts.TRANSFORMS | StateParts.ACTIVE_DOFS
    with ExitStack() as stack:
        stack.enter_context(body.preserve_state(parts))
        stack.enter_context(checker.options(options))
        if body.is_robot:
            robot = cast("Robot", body)
            robot.set_active_dofs(np.flatnonzero(np.ptp(values, axis=0)))
            stack.enter_context(checker.moving_links())
        row = _first_hit(checker, body, values)
        if row < 0:
            return []
        (report,) = checker.check_configurations(
            body, values[row : row + 1], report=True
        )
    links = ", ".join(f"{one.first} x {one.second}" for one in report.pairs)
    depths = [contact.depth for one in report.pairs for contact in one.contacts]
    worst = max(depths, default=0.0)
    return [Violation("collision", float(times[row]), links, worst)]


def sampled(
    body: KinBody, trajectory: TrajectoryBase, step: float
) -> tuple[Array, Array, list[int]]:
    """Return times (m,), all joint values (m, dof) and which joints are in them."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(f"expected a trajectory, got {trajectory!r}")
    own = trajectory.get_configuration_specification()
    columns: dict[int, int] = {}
    for group in own.groups:
        if group.kind == "joint_values" and group.body_name == body.name:
            for k, index in enumerate(group.joint_indices.tolist()):
                columns.setdefault(index, group.offset + k)
    if not columns:
        raise ArgumentError(
            f"the trajectory has no joint values of body {body.name!r}; its groups are "
            + ", ".join(group.name for group in own.groups)
        )
    if not len(trajectory):
        raise StateError("the trajectory has no waypoints, expected one at least")
    count = int(np.ceil(trajectory.duration / step - 1e-9)) + 1
    if count > _MOST_SAMPLES:
        raise ArgumentError(
            f"{trajectory.duration:g} s in steps of {step:g} s are {count} samples, "
            f"expected {_MOST_SAMPLES} at most; take a longer step"
        )
    times = np.linspace(0.0, trajectory.duration, count)
    values = np.tile(body.dof_values, (count, 1))
    moving = list(columns)
    values[:, moving] = trajectory.sample_points(times)[:, [*columns.values()]]
    return times, values, moving


def _env_of(body: KinBody) -> EnvironmentProtocol:
    if not isinstance(body, KinBody):
        raise ArgumentError(f"expected a body or robot, got {body!r}")
    if body.id < 0:
        raise StateError(f"{body!r} is in no environment; env.add(body) adds it")
    return body.env


def _indices(body: KinBody, dof_indices: IndicesLike | None) -> Indices:
    if dof_indices is None:
        return np.arange(body.dof)
    which = body.model.dof_numbers(dof_indices, body.name)
    if len(np.unique(which)) < len(which):
        raise ArgumentError(f"dof indices {which.tolist()} of {body.name!r} repeat")
    return which


def _check_limits(body: KinBody, points: Array, which: Indices) -> None:
    lower, upper = (limits[which] for limits in body.dof_limits)
    outside = ~((points >= lower - 1e-9) & (points <= upper + 1e-9))
    if outside.any():
        row, column = np.argwhere(outside)[0].tolist()
        raise ArgumentError(
            f"waypoint {row} has {points[row, column]:g} for joint "
            f"{body.dof_names[which[column]]!r} of {body.name!r}, expected "
            f"{lower[column]:g} to {upper[column]:g}"
        )


def _limits(body: KinBody, which: Indices, limits: Array, what: str) -> Array:
    own = limits[which]
    lacks = [body.dof_names[k] for k in which[~(own > 0.0)]]
    if lacks:
        raise ArgumentError(
            f"the {what} limit of {', '.join(map(repr, lacks))} of {body.name!r} is "
            f"not positive; assign body.dof_{what}_limits"
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
