"""Steps of a task as one trajectory, with what is grabbed and released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.trajectories import ConfigurationSpecification

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.bodies.robot import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.manipulation.stages import Step
    from pyrave.spatial import Array, Indices

STANDING = 0.1
"""Seconds that the robot stands still while it grabs or releases."""


def joined(robot: Robot, steps: Sequence[Step]) -> TrajectoryBase:
    """Return the trajectory of steps, from where a robot is, from rest to rest.

    Joint values are cubic between waypoints, with their velocities. A group
    ``grabbody BODY ROBOT LINK`` for each body that is grabbed is 1 while it is held: it
    changes amid a time in which the robot stands still.
    """
    motions = [step.motion for step in steps if step.motion is not None]
    used = [one.spec.extract_used_indices(robot)[0] for one in motions]
    indices = np.unique(np.concatenate(used)) if used else np.arange(robot.dof)
    for step in steps:
        if step.motion is not None:
            _check(robot, step, step.motion)
    names = " ".join(map(str, indices.tolist()))
    spec = ConfigurationSpecification().add_group(
        f"joint_values {robot.name} {names}", len(indices), "cubic"
    )
    spec = spec.add_derivative_groups(1)
    holds = _holds(robot, steps)
    for name in holds:
        spec = spec.add_group(name, 1, "next")
    spec = spec.add_delta_time_group()
    values = robot.dof_values[indices]
    held = [float(begin) for begin in holds.values()]
    blocks = [_rows(values, held, 0.0)]
    for step in steps:
        if step.motion is not None:
            there, rates, spans = _waypoints(robot, step.motion, indices, values)
            blocks.append(_rows(there, held, spans, rates))
            values = blocks[-1][-1, : len(indices)] if len(there) else values
        if step.grab is None and step.release is None:
            continue
        before = held
        held = [
            _holds_after(step, robot, name, value)
            for name, value in zip(holds, held, strict=True)
        ]
        blocks += [_rows(values, value, 0.5 * STANDING) for value in (before, held)]
    trajectory = robot.env.create("trajectory", "")
    trajectory.init(spec)
    trajectory.insert(0, np.concatenate(blocks))
    return trajectory


def _holds(robot: Robot, steps: Sequence[Step]) -> dict[str, bool]:
    """Return names of groups of what is held, and True if it is from the begin."""
    grabbed = {_group(robot, step) for step in steps if step.grab is not None}
    found = dict.fromkeys(sorted(grabbed), False)
    released = [step.release for step in steps if step.release is not None]
    for body in dict.fromkeys(released):
        link = robot.grabs.link_of(body)
        if link is not None:
            found[f"grabbody {body.name} {robot.name} {link.name}"] = True
    return found


def _holds_after(step: Step, robot: Robot, name: str, value: float) -> float:
    """Return 1 if a group's body is held after a step that grabs or releases, or 0."""
    if step.grab is not None and name == _group(robot, step):
        return 1.0
    is_released = step.release is not None and name.split()[1] == step.release.name
    return 0.0 if is_released else value


def _group(robot: Robot, step: Step) -> str:
    assert step.grab is not None  # noqa: S101 - asked of steps that grab
    link = step.link or robot.links[robot.default_grab_link()]
    return f"grabbody {step.grab.name} {robot.name} {link.name}"


def _check(robot: Robot, step: Step, motion: TrajectoryBase) -> None:
    values = motion.spec.find_compatible_group(f"joint_values {robot.name} 0")
    if values is not None and values.interpolation != "cubic":
        raise ArgumentError(
            f"the motion of step {step.name!r} is not cubic between its waypoints: "
            "steps with limits of jerk cannot be joined to one trajectory"
        )
    names = motion.spec.used_body_names()
    if names != (robot.name,) or any(
        not group.kind.startswith(("joint_values", "joint_velocities", "deltatime"))
        and group.kind != "iswaypoint"
        for group in motion.spec.groups
    ):
        raise ArgumentError(
            f"the motion of step {step.name!r} has the groups "
            + ", ".join(group.name for group in motion.spec.groups)
            + f"; expected joint values of {robot.name!r}, their velocities and times"
        )


def _waypoints(
    robot: Robot, motion: TrajectoryBase, indices: Indices, values: Array
) -> tuple[Array, Array, Array]:
    """Return values (n, k), velocities and times (n,) of all but the first waypoint."""
    own = np.sort(motion.spec.extract_used_indices(robot)[0])
    columns = np.searchsorted(indices, own)
    rows = motion.waypoints[1:]
    spans = motion.spec.extract_delta_time(rows)
    assert spans is not None  # noqa: S101 - motions of steps are timed
    there, rates = np.tile(values, (len(rows), 1)), np.zeros((len(rows), len(indices)))
    there[:, columns] = motion.spec.extract_joint_values(rows, robot, own)
    rates[:, columns] = motion.spec.extract_joint_values(rows, robot, own, 1)
    return there, rates, np.asarray(spans)


def _rows(
    values: Array, held: list[float], spans: Array | float, rates: Array | float = 0.0
) -> Array:
    """Return rows of a trajectory; what is one for all is repeated."""
    there = np.atleast_2d(values)
    n, k = there.shape
    return np.concatenate(
        (
            there,
            np.broadcast_to(rates, (n, k)),
            np.broadcast_to(held, (n, len(held))),
            np.broadcast_to(spans, n)[:, None],
        ),
        axis=1,
    )
