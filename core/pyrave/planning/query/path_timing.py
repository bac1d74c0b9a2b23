"""Timing and verification of planned paths."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.timing.between_samples import first_touch
from pyrave.planning.timing.parametrization import time_optimal
from pyrave.planning.timing.retiming import retime
from pyrave.planning.timing.timed_trajectories import write_timed
from pyrave.planning.timing.verification import (
    course_of,
    limit_violations,
    verification,
)
from pyrave.world.body_state import StateParts

if TYPE_CHECKING:
    from pyrave.interfaces import TrajectoryBase
    from pyrave.planning.query.constraints import PathConstraints
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

_ROUNDINGS = (8.0, 2.0, 0.0)
"""Roundings of corners in resolutions, tried until nothing is in the way."""
_SAMPLE = 1e-3
_CONSTRAINED = 5e-3
"""Seconds between the samples at which constraints are asked."""
_SLACK = 1e-6
_CURVED = 2.0
"""Tolerances that a constraint may be missed by between waypoints that meet it."""


@dataclass(frozen=True, slots=True, eq=False)
class MotionScale:
    """Scale of a motion: the part of the limits that is used, and limits of jerk.

    Parameters
    ----------
    speed
        Part of the velocity and acceleration limits that is used.
    jerk_limits
        (n,) of the planned values, per second cubed; None: jerks are not limited.
    """

    speed: float = 1.0
    jerk_limits: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TimedMotion:
    """Result of timing a path.

    Parameters
    ----------
    trajectory
        None if each that was made violates something.
    violations
        What the last one violates.
    gap
        Metres, as in `Verification`.
    """

    trajectory: TrajectoryBase | None
    violations: tuple[str, ...]
    gap: float


def timed(
    space: PlanningSpace,
    path: Array,
    motion_scale: MotionScale,
    constraints: PathConstraints,
) -> TimedMotion:
    """Return the fastest motion along a path (k, n) that passes verification."""
    violations: tuple[str, ...] = ()
    for rounding in _ROUNDINGS if len(path) > 2 else (0.0,):
        trajectory = _along(space, path, motion_scale, rounding * space.resolutions)
        violations, gap = _violations(space, trajectory, motion_scale, constraints)
        if not violations:
            return TimedMotion(trajectory, (), gap)
    return TimedMotion(None, violations, np.inf)


def _along(
    space: PlanningSpace, path: Array, motion_scale: MotionScale, deviation: Array
) -> TrajectoryBase:
    robot, speed, jerks = space.robot, motion_scale.speed, motion_scale.jerk_limits
    if not space.affine:
        return retime(
            robot,
            path,
            space.indices,
            deviation=deviation,
            jerk_limits=jerks,
            velocity_scale=speed,
            acceleration_scale=speed,
        )
    steps = space.difference(path[1:], path[:-1])
    motion = time_optimal(
        np.cumsum(np.vstack((path[:1], steps)), axis=0),
        speed * robot.active.velocity_limits,
        speed * robot.active.acceleration_limits,
        deviation=deviation,
        jerk_limits=jerks,
    )
    trajectory = robot.env.create("trajectory", "")
    values = robot.active.configuration_specification()
    interpolation = "cubic" if motion.accelerations is None else "quintic"
    write_timed(trajectory, values, motion, interpolation=interpolation)
    return trajectory


def _violations(
    space: PlanningSpace,
    trajectory: TrajectoryBase,
    motion_scale: MotionScale,
    constraints: PathConstraints,
) -> tuple[tuple[str, ...], float]:
    """Return the violations of a trajectory, and the gap."""
    if space.affine:
        found, gap = _of_base(space, trajectory, motion_scale)
    elif space.compiled is not None and _is_clean(space, trajectory, motion_scale):
        found, gap = [], space.compiled.gap
    else:
        found, gap = _of_joints(space, trajectory, motion_scale)
    if constraints:
        times, rows = _samples(space, trajectory, _CONSTRAINED)
        for time, row in zip(times.tolist(), rows, strict=True):
            if not constraints.are_met(row, _CURVED):
                found.append(f"{constraints.text(row)} at {time:.3f} s")
                break
    return tuple(found), gap


def _is_clean(
    space: PlanningSpace, trajectory: TrajectoryBase, motion_scale: MotionScale
) -> bool:
    """Return True if compiled loops find nothing that `verify` would."""
    compiled = space.compiled
    if compiled is None:
        return False
    times, rows = _samples(space, trajectory, _SAMPLE)
    return compiled.first_hit(rows) < 0 and not limit_violations(
        space.robot,
        times,
        np.ascontiguousarray(rows.T),
        space.indices.tolist(),
        _SLACK,
        motion_scale.jerk_limits,
    )


def _of_joints(
    space: PlanningSpace, trajectory: TrajectoryBase, motion_scale: MotionScale
) -> tuple[list[str], float]:
    """Return violations of a trajectory that moves joints, and the gap."""
    jerks = None
    if motion_scale.jerk_limits is not None:
        jerks = space.robot.limits.jerk
        jerks[space.indices] = motion_scale.jerk_limits
    # what may touch does so already
    found = verification(
        space.robot, trajectory, step=_SAMPLE, jerk_limits=jerks, touching=None
    )
    return [str(one) for one in found.violations], found.gap


def _of_base(
    space: PlanningSpace, trajectory: TrajectoryBase, motion_scale: MotionScale
) -> tuple[list[str], float]:
    """Return violations of a trajectory that moves the base, and the gap."""
    robot = space.robot
    spec = robot.active.configuration_specification()
    times, rows = _samples(space, trajectory, _SAMPLE)
    steps = space.difference(rows[1:], rows[:-1])  # without whole turns
    rows = np.cumsum(np.vstack((rows[:1], steps)), axis=0)
    found = []
    spans = np.diff(times)[:, None]
    rates = np.diff(rows, axis=0) / spans
    changes = np.diff(rates, axis=0) / spans[1:]
    asked = [
        ("velocity", rates, robot.active.velocity_limits),
        ("acceleration", changes, robot.active.acceleration_limits),
    ]
    if motion_scale.jerk_limits is not None:
        # third differences have the rounding of positions over the cube of a step
        rounding = 4.0 * np.finfo(float).eps * np.abs(rows).max(initial=1.0)
        jerks = np.diff(changes, axis=0) / spans[2:]
        asked.append(
            ("jerk", jerks, motion_scale.jerk_limits + rounding / spans.min() ** 3)
        )
    for what, values, limits in asked:
        beyond = np.abs(values).max(axis=0, initial=0.0) > (1.0 + _SLACK) * limits
        if beyond.any():
            found.append(f"{space.named(beyond)} passes its {what} limit")
    outside = np.asarray(space.beyond(rows).any(axis=0))
    if outside.any():
        found.append(f"{space.named(outside)} passes its limits")
    if space.compiled is not None and space.compiled.first_hit(rows) < 0:
        return found, space.compiled.gap
    course = course_of(
        robot, trajectory, times, robot.dof_values, space.indices.tolist()
    )
    with robot.preserve_state(StateParts.PLANNED):
        first, gap = first_touch(robot.env.collision_checker, course)
    if first < np.inf:
        row = trajectory.sample_points(np.array([first]), spec)[0]
        pairs = ", ".join(map(str, space.report(row).pairs))
        found.append(f"{pairs} collide at {first:.3f} s")
    return found, gap


def _samples(
    space: PlanningSpace, trajectory: TrajectoryBase, step: float
) -> tuple[Array, Array]:
    """Return times (m,) and configurations (m, n) of a trajectory."""
    duration = trajectory.duration
    times = np.linspace(0.0, duration, int(np.ceil(duration / step)) + 1)
    spec = space.robot.active.configuration_specification()
    return times, trajectory.sample_points(times, spec)
