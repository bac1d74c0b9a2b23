"""Execution of trajectories: a robot's controller follows them in simulated time."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError, StateError, shown
from pyrave.interfaces.base import InterfaceBase, author_code
from pyrave.interfaces.trajectory import MotionResult, as_trajectory
from pyrave.messages import ProgressLine
from pyrave.spatial import (
    as_number,
    invert_pose,
    rotation_vector,
    wxyz_xyz_from_pose,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyrave.bodies.robot import Robot
    from pyrave.environment import Environment
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave.spatial import Array, Indices

_MAX_NAMED = 4
_ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Execution:
    """Result of executing a trajectory; true if the robot arrived.

    Parameters
    ----------
    seconds
        Simulated time that it took.
    errors
        (k,) how far the joints of the trajectory are from its end, radians or metres;
        behind them distance and angle of the base, if the trajectory moves it.
    cause
        Why the robot did not arrive; empty if it did.
    """

    seconds: float
    errors: Array
    cause: str = ""

    def __bool__(self) -> bool:
        return not self.cause

    def __repr__(self) -> str:
        how = f"not arrived: {self.cause}" if self.cause else "arrived"
        return f"<Execution: {how}, {self.seconds:.3f} s>"


class ExecuteOptions(TypedDict, total=False):
    """Keywords of `Robot.execute` and `Environment.execute`."""

    dt: float
    """Simulated seconds of a step, 0.01 by default."""
    tolerance: float
    """Permitted distance of joints from the last waypoint, rad or m; default 1e-3."""
    start_tolerance: float
    """Permitted distance of joints from the first waypoint, rad or m; default 0.02."""
    base_tolerance: float
    """Permitted motion of a base without commands, rad and m; default 0.01."""
    body_tolerance: float | None
    """Permitted distance of bodies from where a task has them at its begin, m and rad;
    2e-3 by default, None for any."""
    patience: float
    """Simulated seconds that the robots may take after the end, 2 by default."""
    progress: Callable[[float], object] | None
    """Called after each step with the time along the trajectory, seconds."""


def execute(
    robots: Sequence[Robot],
    motion: TrajectoryBase | Motion,
    *,
    dt: float = 0.01,
    tolerance: float = 1e-3,
    start_tolerance: float = 0.02,
    base_tolerance: float = 0.01,
    body_tolerance: float | None = 2e-3,
    patience: float = 2.0,
    progress: Callable[[float], object] | None = None,
) -> Execution:
    """Let the controllers of robots follow a trajectory; see `Robot.execute`."""
    trajectory = as_trajectory(motion)
    step = as_number(dt, "dt", 1e-6)
    slack = as_number(tolerance, "tolerance", 0.0)
    begin_slack = as_number(start_tolerance, "start_tolerance", 0.0)
    base_slack = as_number(base_tolerance, "base_tolerance", 0.0)
    if body_tolerance is not None:
        body_tolerance = as_number(body_tolerance, "body_tolerance", 0.0)
    wait = as_number(patience, "patience", 0.0)
    if progress is not None and not callable(progress):
        raise ArgumentError(f"progress is {shown(progress)}, expected a function")
    moved = [(robot, _joints_of(robot, trajectory)) for robot in robots]
    firsts, lasts = (
        [_Place.of(robot, trajectory, indices, row) for robot, indices in moved]
        for row in (0, -1)
    )
    env = robots[0].env
    with ExitStack() as stack, env.lock():
        for place in firsts:
            errors = place.errors()
            if not (errors <= begin_slack).all():
                raise StateError(
                    f"{place.robot!r} is not where the trajectory starts: "
                    f"{place.named(errors, begin_slack)}; plan from where it is, or "
                    "move it there"
                )
        if body_tolerance is not None and isinstance(motion, MotionResult):
            for name, (pose, values) in motion.assumed.items():
                _require_at(env, name, pose, values, body_tolerance)
        _hand_over(moved, trajectory)
        engine, bases = env.physics_engine, [one.robot.transform for one in lasts]
        moves = engine.applies_efforts and not engine.disabled
        begin = env.simulation_time
        end = trajectory.duration + wait
        line = stack.enter_context(
            ProgressLine("executing", float(trajectory.duration), "s simulated")
        )
        while True:
            arrived = all(place.is_reached(slack) for place in lasts)
            # the clock counts microseconds
            seconds = round(env.simulation_time - begin, 6)
            disabled = any(robot.controller.disabled for robot in robots)
            disabled = disabled or (moves and engine.disabled)
            gone = [robot for robot in robots if robot.id < 0 and not arrived]
            if arrived or disabled or gone or seconds >= end:
                break
            line.done = min(seconds, trajectory.duration)
            env.step(step)
            if progress is not None:
                progress(min(seconds + step, trajectory.duration))
        errors = np.concatenate([place.errors() for place in lasts])
        off = [place for place in lasts if not place.is_reached(slack)]
        reasons = [_disabled(engine)] if moves and engine.disabled else []
        reasons += [f"{robot!r} was removed from its environment" for robot in gone]
        reasons += [_reason(place, slack) for place in off]
        if moves:
            falls = zip(lasts, bases, strict=True)
            reasons += [_fall(place, base, base_slack) for place, base in falls]
        cause = "; ".join(filter(None, reasons))
    return Execution(seconds, errors, cause)


def robots_of(env: Environment, motion: TrajectoryBase | Motion) -> list[Robot]:
    """Return the robots of an environment that a trajectory moves.

    Raises
    ------
    ArgumentError
        It is no trajectory, or moves something that is no robot of the environment.
    """
    spec = as_trajectory(motion).spec
    for group in spec.groups:
        if group.kind == "grabbody":  # what a robot grabs does not move by itself
            spec = spec.remove_groups(group.name)
    names = spec.used_body_names()
    strange = [name for name in names if name not in env.robots]
    if strange or not names:
        raise ArgumentError(
            "the trajectory moves "
            + (", ".join(map(repr, strange)) or "nothing")
            + "; the robots of the environment are "
            + (", ".join(repr(robot.name) for robot in env.robots) or "none")
        )
    return [env.robots[name] for name in names]


def _require_at(
    env: Environment, name: str, pose: Array, values: Array, slack: float
) -> None:
    """Refuse a motion that assumes a body elsewhere than it is."""
    body = env.bodies.get(name)
    hint = "plan from where it is, or body_tolerance= says how far it may be"
    if body is None:
        raise StateError(
            f"body {name!r} was there when the motion was planned, and is not in "
            f"{env!r}; add it, or plan anew"
        )
    off = invert_pose(pose) @ body.transform
    away = float(np.linalg.norm(off[:3, 3]))
    turned = float(np.linalg.norm(rotation_vector(off[:3, :3])))
    if max(away, turned) > slack:
        then, now = (_shown_pose(one) for one in (pose, body.transform))
        raise StateError(
            f"{body!r} has moved since the motion was planned, by {away:.3g} m and "
            f"{turned:.3g} rad: it was at {then}, and is at {now}; {hint}"
        )
    present = body.dof_values
    if len(present) != len(values) or (np.abs(present - values) > slack).any():
        raise StateError(
            f"the joints of {body!r} have moved since the motion was planned: they "
            f"were at {_shown_row(values)}, and are at {_shown_row(present)}; {hint}"
        )


def _shown_pose(pose: Array) -> str:
    return f"({_shown_row(wxyz_xyz_from_pose(pose))})"


def _shown_row(values: Array) -> str:
    return " ".join(f"{value:.4g}" for value in values.tolist())


def _hand_over(
    moved: Sequence[tuple[Robot, Indices]], trajectory: TrajectoryBase
) -> None:
    """Give the trajectory to all controllers, or to none."""
    with ExitStack() as others:
        for robot, indices in moved:
            controller = robot.controller
            taken = False
            with author_code(controller, "set_path"):
                taken = bool(controller.set_path(trajectory))
            if not taken:
                base, hint = "", ""
                if _moves_base(trajectory, robot):
                    base = " and the base"
                    if not controller.is_control_transformation():
                        hint = "; a controller with control_transform=True drives bases"
                raise StateError(
                    f"{controller!r} refuses the trajectory: it drives the joints "
                    f"{controller.get_control_dof_indices().tolist()} of {robot!r}, "
                    f"the trajectory moves {indices.tolist()}{base}{hint}"
                )
            others.callback(controller.reset)
        others.pop_all()


def _moves_base(trajectory: TrajectoryBase, robot: Robot) -> bool:
    group = f"affine_transform {robot.name} 39"
    return trajectory.spec.find_compatible_group(group) is not None


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """Pose and joint values of a robot at a waypoint of a trajectory."""

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
        if _moves_base(trajectory, robot):
            base = spec.extract_transform(data, robot, robot.transform)
        values = None
        if len(indices):
            values = spec.extract_joint_values(data, robot, indices)
        return cls(robot, indices, values, base)

    def errors(self) -> Array:
        """Return the distances of the robot from the place: joints and base."""
        parts, robot, which = [np.empty(0)], self.robot, self.indices
        if self.values is not None:
            there = robot.dof_values[which]
            parts.append(np.abs(robot.subtract_dof_values(there, self.values, which)))
        if self.base is not None:
            parts.append(np.array(_distances(robot.transform, self.base)))
        return np.concatenate(parts)

    def is_reached(self, slack: float) -> bool:
        """Return True if the controller is done and the robot is there."""
        done, controller = False, self.robot.controller
        with author_code(controller, "is_done"):
            done = bool(controller.is_done())
        return done and bool((self.errors() <= slack).all())

    def named(self, errors: Array, slack: float) -> str:
        """Return a text on the largest deviations, with efforts at their limits."""
        names = [f"{self.robot.dof_names[k]!r}" for k in self.indices.tolist()]
        names += ["the base", "the base's direction"]
        limits = self._limits_met()
        order = [k for k in np.argsort(-errors).tolist() if errors[k] > slack]
        said = [f"{names[k]} is off by {errors[k]:.3g}{limits[k]}" for k in order]
        return ", ".join(said[:_MAX_NAMED]) or "nothing is off by more than tolerance"

    def _limits_met(self) -> list[str]:
        """Return for joints and base which torque limit holds them up, mostly ''."""
        robot, controller = self.robot, self.robot.controller
        limits, given = robot.dof_torque_limits, np.zeros(robot.dof)
        with suppress(NotSupportedError), author_code(controller, "get_torque"):
            given[controller.get_control_dof_indices()] = controller.get_torque()
        return [
            f" and pushed with its torque limit of {limits[k]:g}"
            if 0.0 < limits[k] <= abs(given[k]) * (1.0 + _ROUNDING)
            else ""
            for k in self.indices.tolist()
        ] + ["", ""]


def _distances(pose: Array, other: Array) -> tuple[float, float]:
    """Return the distance of two poses (4, 4), metres and radians."""
    turn = rotation_vector(pose[:3, :3].T @ other[:3, :3])
    away = np.linalg.norm(pose[:3, 3] - other[:3, 3])
    return float(away), float(np.linalg.norm(turn))


def _fall(place: _Place, base: Array, slack: float) -> str:
    """Return a text on the motion of a base that the trajectory does not move."""
    robot, root = place.robot, place.robot.links[0]
    if place.base is not None:
        return ""
    carried = any(body.is_grabbing(robot) for body in robot.env.bodies)
    away, turned = _distances(robot.transform, base)
    if root.static or root.kinematic or carried or max(away, turned) <= slack:
        return ""
    return (
        f"the base of {robot!r} moved by {away:.3g} m and {turned:.3g} rad, which the "
        "trajectory does not command: nothing holds it; robot.links[0].static = True "
        "does, and base_tolerance= lets it move"
    )


def _joints_of(robot: Robot, trajectory: TrajectoryBase) -> Indices:
    """Return the joints of a robot that a trajectory moves, or refuse it."""
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


def _reason(place: _Place, slack: float) -> str:
    """Return the reason for which a robot has not arrived."""
    controller = place.robot.controller
    if controller.disabled:
        return _disabled(controller)
    state = "is done" if controller.is_done() else "is not done"
    off = place.named(place.errors(), slack)
    return f"{controller!r} {state}, but the robot did not arrive: {off}"


def _disabled(one: InterfaceBase) -> str:
    return f"{one!r} was disabled after it raised; env.problems says what"
