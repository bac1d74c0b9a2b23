"""Execution of trajectories: a robot's controller follows them in simulated time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, StateError, shown
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces.controller import ControllerBase
    from pyrave.spatial import Array, Indices

_MOST_NAMED = 4


@dataclass(frozen=True, slots=True, eq=False)
class Execution:
    """What came of executing a trajectory; true if the robot arrived.

    Parameters
    ----------
    seconds
        Simulated time that it took.
    errors
        (k,) how far the joints of the trajectory are from its end, radians or metres.
    reason
        Why the robot did not arrive; empty if it did.
    """

    seconds: float
    errors: Array
    reason: str = ""

    def __bool__(self) -> bool:
        return not self.reason


def execute(
    robot: Robot,
    trajectory: TrajectoryBase,
    *,
    dt: float = 0.01,
    tolerance: float = 0.02,
    patience: float = 1.0,
    progress: Callable[[float], object] | None = None,
) -> Execution:
    """Let a robot's controller follow a trajectory; see `Robot.execute`."""
    step = as_number(dt, "dt", 1e-6)
    slack = as_number(tolerance, "tolerance", 0.0)
    wait = as_number(patience, "patience", 0.0)
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress is {shown(progress)}, expected a function")
    indices = _joints_of(robot, trajectory)
    spec = trajectory.spec
    first, last = (
        spec.extract_joint_values(trajectory.get_waypoint(k), robot, indices)
        for k in (0, -1)
    )
    env, controller = robot.env, robot.controller
    with env.lock():
        _check_start(robot, indices, first, slack)
        if not controller.set_path(trajectory):
            raise StateError(
                f"{controller!r} refuses the trajectory: it drives the joints "
                f"{controller.get_control_dof_indices().tolist()} of {robot!r}, the "
                f"trajectory moves {indices.tolist()}"
            )
        begin = env.simulation_time
        end = trajectory.duration + wait
        while True:
            done = controller.is_done()
            errors = _errors(robot, indices, last)
            seconds = (env.simulation_time - begin) * 1e-6
            arrived = done and bool((errors <= slack).all())
            if arrived or controller.disabled or seconds >= end:
                break
            env.step(step)
            if progress is not None:
                progress(min(seconds + step, trajectory.duration))
    reason = "" if arrived else _reason(robot, controller, indices, errors, done)
    return Execution(seconds, errors, reason)


def _joints_of(robot: Robot, trajectory: TrajectoryBase) -> Indices:
    """Return the joints of a robot that a trajectory moves, or refuse it."""
    if not isinstance(trajectory, TrajectoryBase):
        raise ArgumentError(
            f"expected a trajectory, found {shown(trajectory)}; the result of a plan "
            "has one: result.trajectory"
        )
    if robot.id < 0:
        raise StateError(f"{robot!r} is in no environment; env.add(robot) adds it")
    if not len(trajectory):
        raise StateError("the trajectory has no waypoints, expected one at least")
    spec = trajectory.spec
    known = spec.used_body_names()
    if robot.name not in known:
        raise ArgumentError(
            f"the trajectory is not of {robot!r}: it moves "
            + (", ".join(map(repr, known)) or "nothing")
        )
    indices = np.sort(spec.extract_used_indices(robot)[0])
    if (indices >= robot.dof).any():
        raise ArgumentError(
            f"the trajectory moves joint {indices.max()} of {robot.name!r}, which has "
            f"{robot.dof} degrees of freedom: it is of another robot of that name"
        )
    return indices


def _check_start(
    robot: Robot, indices: Indices, first: Array | None, slack: float
) -> None:
    errors = _errors(robot, indices, first)
    if not (errors <= slack).all():
        raise StateError(
            f"{robot!r} is not where the trajectory starts: "
            f"{_named(robot, indices, errors, slack)}; plan from where it is, or "
            "move it there"
        )


def _errors(robot: Robot, indices: Indices, values: Array | None) -> Array:
    if values is None:
        return np.empty(0)
    return np.abs(robot.subtract_dof_values(robot.dof_values[indices], values, indices))


def _reason(
    robot: Robot,
    controller: ControllerBase,
    indices: Indices,
    errors: Array,
    done: bool,
) -> str:
    if controller.disabled:
        return f"{controller!r} was disabled after it raised; env.problems says what"
    state = "is done" if done else "is not done"
    off = _named(robot, indices, errors, 0.0)
    return f"{controller!r} {state}, but the robot did not arrive: {off}"


def _named(robot: Robot, indices: Indices, errors: Array, slack: float) -> str:
    """Return which joints are off most, and by how much."""
    order = [k for k in np.argsort(-errors).tolist() if errors[k] > slack]
    names = robot.dof_names
    said = [f"{names[indices[k]]!r} is off by {errors[k]:.3g}" for k in order]
    return ", ".join(said[:_MOST_NAMED]) or "no joint is off"
