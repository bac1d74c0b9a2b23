"""Execution of trajectories: a robot's controller follows them in simulated time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, StateError, shown
from pyrave.interfaces.trajectory import TrajectoryBase
from pyrave.spatial import as_number, rotation_vector

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
        (k,) how far the joints of the trajectory are from its end, radians or metres;
        behind them distance and angle of the base, if the trajectory moves it.
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
    first, last = (_Place.of(robot, trajectory, indices, row) for row in (0, -1))
    env, controller = robot.env, robot.controller
    with env.lock():
        errors = first.errors()
        if not (errors <= slack).all():
            raise StateError(
                f"{robot!r} is not where the trajectory starts: "
                f"{first.named(errors, slack)}; plan from where it is, or move it there"
            )
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
            errors = last.errors()
            seconds = (env.simulation_time - begin) * 1e-6
            arrived = done and bool((errors <= slack).all())
            if arrived or controller.disabled or seconds >= end:
                break
            env.step(step)
            if progress is not None:
                progress(min(seconds + step, trajectory.duration))
    reason = "" if arrived else _reason(controller, last.named(errors, slack), done)
    return Execution(seconds, errors, reason)


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Where a waypoint of a trajectory has a robot."""

    robot: Robot
    indices: Indices
    values: Array | None
    base: Array | None

    @classmethod
    def of(
        cls, robot: Robot, trajectory: TrajectoryBase, indices: Indices, row: int
    ) -> _Place:
        spec, data = trajectory.spec, trajectory.get_waypoint(row)
        base = None
        if spec.find_compatible_group(f"affine_transform {robot.name} 39") is not None:
            base = spec.extract_transform(data, robot, robot.transform)
        values = None
        if len(indices):
            values = spec.extract_joint_values(data, robot, indices)
        return cls(robot, indices, values, base)

    def errors(self) -> Array:
        """Return how far the robot is from there, joints and base."""
        parts, robot, which = [np.empty(0)], self.robot, self.indices
        if self.values is not None:
            there = robot.dof_values[which]
            parts.append(np.abs(robot.subtract_dof_values(there, self.values, which)))
        if self.base is not None:
            now = robot.transform
            turn = rotation_vector(now[:3, :3].T @ self.base[:3, :3])
            away = np.linalg.norm(now[:3, 3] - self.base[:3, 3])
            parts.append(np.array((away, np.linalg.norm(turn))))
        return np.concatenate(parts)

    def named(self, errors: Array, slack: float) -> str:
        """Return what is off most, and by how much."""
        names = [f"{self.robot.dof_names[k]!r}" for k in self.indices.tolist()]
        names += ["the base", "the base's direction"]
        order = [k for k in np.argsort(-errors).tolist() if errors[k] > slack]
        said = [f"{names[k]} is off by {errors[k]:.3g}" for k in order]
        return ", ".join(said[:_MOST_NAMED]) or "nothing is off by more than tolerance"


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


def _reason(controller: ControllerBase, off: str, done: bool) -> str:
    if controller.disabled:
        return f"{controller!r} was disabled after it raised; env.problems says what"
    state = "is done" if done else "is not done"
    return f"{controller!r} {state}, but the robot did not arrive: {off}"
