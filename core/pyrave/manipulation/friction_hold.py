"""Holding by friction: fingers that push, in place of bodies that are grabbed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.trajectory import as_trajectory
from pyrave.spatial import as_number
from pyrave.trajectories import convert_data, grab_rules

if TYPE_CHECKING:
    from pyrave.bodies.manipulator import Manipulator
    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces.trajectory import Motion, TrajectoryBase
    from pyrave.trajectories import ConfigurationSpecification


def hold_by_friction(
    robot: Robot, motion: TrajectoryBase | Motion, squeeze: float = 0.01
) -> TrajectoryBase:
    """Return a motion whose fingers squeeze what it grabs, and grab nothing.

    Where ``grabbody`` groups say that the end effector of a manipulator holds a body,
    its gripper joints are told to go further in their closing direction than they are
    in the motion, no further than their limits. In a physics engine they push what is
    between them, and carry it by friction: a `JointPIDController` with ``kp squeeze``,
    a `ComputedTorqueController` with the torque limits of the joints, which limit both.
    They begin and end while the robot stands still.

    Parameters
    ----------
    robot
        Whose hands.
    motion
        A trajectory, or the result of `solve` or `pick`.
    squeeze
        Radians or metres beyond the contact.

    Raises
    ------
    ArgumentError
        The motion grabs nothing with this robot, with a link that is no hand that
        closes, or by ``grab`` groups; or it does not move the gripper.
    StateError
        The robot grabs something already, which the motion would not let go.
    """
    if robot.grabbed:
        raise StateError(
            f"{robot!r} grabs {robot.grabbed[0].name!r} already, which a motion that "
            "grabs nothing does not let go; robot.release(...) does, and one "
            "solve(robot, Pick(...), Place(...)) plans both"
        )
    trajectory = as_trajectory(motion, "motion")
    beyond = as_number(squeeze, "squeeze", 0.0)
    spec, given = trajectory.spec, trajectory.waypoints
    rows = given.copy()
    rules = grab_rules(spec, robot)
    if not rules or any(rule.body is None for rule in rules):
        raise ArgumentError(
            f"the motion has no groups 'grabbody BODY {robot.name} LINK' alone, of "
            "what would be held: it has " + ", ".join(one.name for one in spec.groups)
        )
    lower, upper = robot.dof_limits
    for rule in rules:
        arm = _hand_of(robot, rule.link_of(robot))
        fingers, rates = arm.gripper_indices, arm.chucking_direction
        values = spec.extract_joint_values(given, robot, fingers)
        now = spec.extract_joint_values(rows, robot, fingers)
        if values is None or now is None:
            raise ArgumentError(f"the motion does not move the gripper of {arm!r}")
        told = np.clip(values + beyond * rates, lower[fingers], upper[fingers])
        held = given[:, rule.column : rule.column + 1] > 0.0
        spec.insert_joint_values(rows, np.where(held, told, now), robot, fingers)
    without = _without_grabs(spec, robot)
    squeezing = robot.env.create("trajectory", trajectory.interface_id)
    squeezing.init(without)
    squeezing.insert(0, convert_data(without, rows, spec))
    return squeezing


def _hand_of(robot: Robot, link: Link) -> Manipulator:
    """Return the manipulator with a gripper that closes, whose end effector it is."""
    for arm in robot.manipulators:
        if arm.end_effector is link and arm.chucking_direction.any():
            return arm
    raise ArgumentError(
        f"the motion grabs with {link!r}, which is the end effector of no manipulator "
        "with a gripper that closes; give the manipulator its gripper joints and a "
        "closing direction"
    )


def _without_grabs(
    spec: ConfigurationSpecification, robot: Robot
) -> ConfigurationSpecification:
    """Return a specification without groups of what the robot grabs."""
    for group in spec.groups:
        if group.kind == "grabbody" and group.arguments[1:2] in {(), (robot.name,)}:
            spec = spec.remove_groups(group.name)
    return spec
