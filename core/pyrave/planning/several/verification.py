"""Verification of trajectories of several robots: limits, and mutual collisions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.bodies.robot import Robot
from pyrave.errors import ArgumentError, NotSupportedError, StateError, shown
from pyrave.interfaces import TrajectoryBase
from pyrave.interfaces.trajectory import Motion, as_trajectory
from pyrave.planning.several.joined_robot import joined
from pyrave.planning.timing.verification import verify
from pyrave.trajectories import ConfigurationSpecification
from pyrave.trajectories.groups import is_joint_kind

if TYPE_CHECKING:
    from pyrave.planning.timing.verification import Violation


def verify_together(
    robots: Iterable[Robot], trajectory: TrajectoryBase | Motion, **options: Any
) -> tuple[Violation, ...]:
    """Return limits that a trajectory of several robots violates, and collisions.

    As `verify`, whose options it takes, for robots that move at the same time: they
    are compared with each other where each of them is then. Names of joints and links
    begin with the robot's, as in ``"left/joint1"``.

    Parameters
    ----------
    **options
        As for `verify`.

    Raises
    ------
    StateError
        A robot is in no environment, or the trajectory has no times.
    ArgumentError
        A robot of which the trajectory says nothing, or robots of two environments.
    NotSupportedError
        As for `plan_together`, or bases move.
    """
    every = _robots(robots)
    trajectory = as_trajectory(trajectory)
    known = trajectory.spec.used_body_names()
    silent = [robot.name for robot in every if robot.name not in known]
    if silent:
        raise ArgumentError(
            f"the trajectory has no values of {', '.join(map(repr, silent))}; it moves "
            + (", ".join(map(repr, known)) or "nothing")
        )
    moved = [robot.name for robot in every if _moves_base(trajectory, robot)]
    if moved:
        raise NotSupportedError(
            f"the trajectory moves the bases of {', '.join(map(repr, moved))}; verify "
            "compares one such robot with all that stands still"
        )
    with every[0].env.lock():
        robot = joined(every)
        return verify(robot, _of_all(robot, every, trajectory), **options)


def _moves_base(trajectory: TrajectoryBase, robot: Robot) -> bool:
    group = f"affine_transform {robot.name} 39"
    return trajectory.spec.find_compatible_group(group) is not None


def _robots(given: Iterable[Robot]) -> list[Robot]:
    if not isinstance(given, Iterable):
        raise ArgumentError(f"robots is {shown(given)}, expected robots")
    robots = list(given)
    for robot in robots:
        if not isinstance(robot, Robot):
            raise ArgumentError(f"robots has {shown(robot)}, expected robots")
        if robot.id < 0:
            raise StateError(f"{robot!r} is in no environment; env.add(robot) adds it")
        if robot.env is not robots[0].env:
            raise ArgumentError(f"{robot!r} and {robots[0]!r} are in two environments")
    if len({robot.id for robot in robots}) != len(robots) or not robots:
        raise ArgumentError(f"robots is {robots}, expected each of them once")
    return robots


def _of_all(
    robot: Robot, robots: list[Robot], trajectory: TrajectoryBase
) -> TrajectoryBase:
    """Return a trajectory of robots as one of the joined robot."""
    firsts = np.cumsum([0, *(one.dof for one in robots)])
    first_of = dict(zip((one.name for one in robots), firsts.tolist(), strict=False))
    spec, columns = ConfigurationSpecification(), list[int]()
    for group in trajectory.spec.groups:
        name = group.name
        if is_joint_kind(group.kind):
            if group.body_name not in first_of:
                continue
            indices = (first_of[group.body_name] + group.joint_indices).tolist()
            name = f"{group.kind} {robot.name} {' '.join(map(str, indices))}"
        spec = spec.add_group(name, group.dof, group.interpolation)
        columns += range(group.offset, group.end)
    made = robot.env.create("trajectory", "")
    made.init(spec)
    made.insert(0, trajectory.get_waypoints()[:, columns])
    return made
