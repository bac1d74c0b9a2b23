"""Checks of motions against torque limits, and of segments against all limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.trajectory import as_trajectory
from pyrave.planning.timing.parametrization import positive_limits
from pyrave.planning.timing.verification import Violation, sampled, verify
from pyrave.spatial import as_number, as_vector
from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.interfaces import TrajectoryBase
    from pyrave.interfaces.trajectory import Motion
    from pyrave.spatial import Array, IndicesLike

_MIN_STEPS = 4
"""Least number of steps of a segment."""


def verify_torques(
    body: KinBody,
    trajectory: TrajectoryBase | Motion,
    torque_limits: ArrayLike,
    *,
    step: float = 1e-3,
    tolerance: float = 1e-6,
) -> tuple[Violation, ...]:
    """Return the torques of a body's trajectory that exceed limits.

    Torques are those of inverse dynamics, with gravity and friction of motors, at
    samples of the trajectory; velocities and accelerations are differences of
    positions. Joints that are not in the trajectory keep still, and their torques count
    as well. The body stays where it is.

    Parameters
    ----------
    torque_limits
        (dof,) of all joints, such as ``robot.dof_torque_limits``, or one number; newton
        metres or newtons.
    step
        Seconds between samples.
    tolerance
        Parts of a limit by which it may be passed.

    Returns
    -------
    One for each joint, where it is worst; empty if there is nothing.

    Raises
    ------
    StateError, ArgumentError
        As `verify`, or limits that are not positive.
    """
    most = positive_limits(torque_limits, body.dof, "torque_limits")
    slack = as_number(tolerance, "tolerance", 0.0)
    trajectory = as_trajectory(trajectory)
    times, values, _ = sampled(body, trajectory, as_number(step, "step", 1e-9))
    rates = changes = np.zeros_like(values)
    if len(times) > 2:
        span = times[1]
        rates = np.gradient(values, span, axis=0)
        changes = np.empty_like(values)
        changes[1:-1] = np.diff(values, 2, axis=0) / span**2
        changes[0], changes[-1] = changes[1], changes[-2]
        if len(times) > 3:  # accelerations of cubic pieces go on evenly
            changes[0] += changes[1] - changes[2]
            changes[-1] += changes[-2] - changes[-3]
    found = (
        np.abs(body.dynamics.compute_inverse_dynamics(values, rates, changes)) - most
    )
    rows = np.argmax(found, axis=0)
    return tuple(
        Violation(
            "torque",
            float(times[row]),
            f"joint {body.dof_names[k]!r}",
            float(found[row, k]),
        )
        for k, row in enumerate(rows.tolist())
        if found[row, k] > slack * most[k]
    )


def verify_segment(
    body: KinBody,
    start: ArrayLike,
    end: ArrayLike,
    duration: float,
    *,
    start_velocity: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    dof_indices: IndicesLike | None = None,
    torque_limits: ArrayLike | None = None,
    step: float = 1e-3,
    collisions: bool = True,
) -> tuple[Violation, ...]:
    """Return the violations of the cubic motion between two states of a body.

    Limits of values, velocities and accelerations, torques if their limits are given,
    and collisions: what OpenRAVE's ``DynamicsCollisionConstraint`` checks.

    Parameters
    ----------
    start, end
        (k,) values of `dof_indices`.
    duration
        Seconds.
    start_velocity, end_velocity
        (k,); at rest if left out.
    dof_indices
        Which degrees of freedom move; all if left out.
    torque_limits
        As for `verify_torques`; None does not ask for them.
    step, collisions
        As for `verify`; steps are shorter in segments of less than four.

    Raises
    ------
    ArgumentError, StateError
        Wrong shapes, a duration that is not positive, or what `verify` raises.
    """
    which = np.arange(body.dof)
    if dof_indices is not None:
        which = body.model.dof_numbers(dof_indices, body.name)
    if len(which) == 0:
        raise ArgumentError(f"no degrees of freedom of {body!r} move")
    seconds = as_number(duration, "duration", 1e-9)
    # accelerations are differences of three samples
    step = min(as_number(step, "step", 1e-9), seconds / _MIN_STEPS)
    rows = [
        _state(values, rates, len(which), what)
        for values, rates, what in (
            (start, start_velocity, "start"),
            (end, end_velocity, "end"),
        )
    ]
    names = " ".join(map(str, which.tolist()))
    spec = (
        ConfigurationSpecification()
        .add_group(f"joint_values {body.name} {names}", len(which), "cubic")
        .add_derivative_groups(1)
        .add_delta_time_group()
    )
    trajectory = body.env.create("trajectory", "")
    trajectory.init(spec)
    times = np.array([[0.0], [seconds]])
    trajectory.insert(0, np.hstack((np.array(rows), times)))
    found = verify(body, trajectory, step=step, collisions=collisions)
    if torque_limits is not None:
        found += verify_torques(body, trajectory, torque_limits, step=step)
    return found


def _state(values: ArrayLike, rates: ArrayLike | None, count: int, what: str) -> Array:
    given = as_vector(values, count, what)
    moving = np.zeros(count)
    if rates is not None:
        moving = as_vector(rates, count, f"{what}_velocity")
    return np.concatenate((given, moving))
