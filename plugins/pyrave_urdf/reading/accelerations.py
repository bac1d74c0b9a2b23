"""Limits of joints that URDF does not say: accelerations, and what MoveIt adds."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH118, PTH120

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.cards import counted
from pyrave.formats.joint_limits import (
    has_yaml,
    read_joint_limits,
    with_joint_limits,
)
from pyrave.scene import JointAxis

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave.formats.joint_limits import JointLimits
    from pyrave.scene import JointDescription, RobotDescription
    from pyrave_urdf.reading.load import UrdfReading

_MOST = 50.0
"""Radians per second squared: velocities of files that limit nothing mean no more."""
_FILE = "joint_limits.yaml"
_ANY = JointAxis((1.0, 0.0, 0.0))


def usual_acceleration(axis: JointAxis, seconds: float) -> float:
    """Return the acceleration that takes an axis to its velocity limit in a time."""
    turning, sliding = usual_accelerations(axis.velocity_limit, seconds)
    return sliding if axis.prismatic else turning


def usual_accelerations(velocity: float | None, seconds: float) -> tuple[float, float]:
    """Return accelerations (turning, sliding) that reach a velocity limit in time.

    Parameters
    ----------
    velocity
        None: what axes have by default.
    """
    if velocity is None:
        velocity = _ANY.velocity_limit
    if not 0.0 < velocity < math.inf:
        return _ANY.acceleration_limit, _ANY.acceleration_limit
    found = velocity / seconds
    return min(found, _MOST), found


def limits_beside(
    srdf: str, robot: RobotDescription, reading: UrdfReading
) -> JointLimits | None:
    """Return the limits in MoveIt's file next to an SRDF, None if there is none.

    Where no library reads it, that is a warning.
    """
    place = os.path.join(os.path.dirname(srdf), _FILE)
    path = reading.context.resolver.find(place) if os.path.isfile(place) else None
    if path is None:
        return None
    if not has_yaml():
        reading.warn(
            reading.document.root,
            "unread-joint-limits",
            f"{path} has limits of joints and is not read: it is YAML",
            "pip install 'pyrave[moveit]'",
        )
        return None
    limits = read_joint_limits(path)
    known = frozenset(joint.name for joint in robot.joints)
    reading.take_problems([*limits.problems, *limits.unknown(known)])
    return limits


def with_accelerations(
    robot: RobotDescription,
    silent: Collection[str],
    limits: JointLimits | None,
    seconds: float,
) -> tuple[RobotDescription, tuple[str, ...]]:
    """Return a robot whose joints have the limits given, and what is to be said.

    Parameters
    ----------
    silent
        Names of joints of which the file gives no acceleration; they have the usual
        one by their velocities.
    limits
        What goes before the file; its scaling factors are left to others.
    seconds
        In which these reach their velocity limits.
    """
    if limits is not None:
        robot = with_joint_limits(robot, replace(limits, factors={}))
        given = limits.joints.items()
        silent = {*silent} - {n for n, one in given if "acceleration" in one.values}
        robot = replace(
            robot,
            joints=tuple(
                _with_usual(joint, seconds) if joint.name in silent else joint
                for joint in robot.joints
            ),
        )
    moving = sum(joint.name in silent and joint.active for joint in robot.joints)
    if not moving:
        return robot, ()
    note = (
        f"{robot.name}: {counted(moving, 'joint')} without a limit of acceleration "
        f"{'takes' if moving == 1 else 'take'} {seconds:g} s to full speed; "
        "load(..., acceleration_time=) takes another time, joint_limits= MoveIt's "
        "joint_limits.yaml, robot.dof_acceleration_limits the limits"
    )
    return robot, (note,)


def _with_usual(joint: JointDescription, seconds: float) -> JointDescription:
    axes = tuple(
        replace(axis, acceleration_limit=usual_acceleration(axis, seconds))
        for axis in joint.axes
    )
    return replace(joint, axes=axes)
