"""Motions of fingers and other joints until they touch, for commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError, StateError
from pyrave.interfaces.collision.touching_links import TOUCHING
from pyrave.kinematics.limits import LimitCheck
from pyrave.manipulation.closing_motion import ClosingMotion
from pyrave.planning import retime
from pyrave.world.body_state import StateParts
from pyrave_manipulation.free_ends import FreeMotion

if TYPE_CHECKING:
    from pyrave.bodies import Robot
    from pyrave.interfaces import TrajectoryBase
    from pyrave.spatial import Array, Indices

_CONTACT = 1e-6
"""Metres at which links touch."""
_SAME = 1e-12


def motion_until_contact(robot: Robot, joints: Indices, rates: Array) -> FreeMotion:
    """Return a motion of joints along rates, each until a link that it moves touches.

    Parameters
    ----------
    joints
        (k,) degrees of freedom.
    rates
        (k,) changes of each, per unit of the way; joints of 0 stay.

    Raises
    ------
    ArgumentError
        Nothing moves, or a joint would go on without end.
    """
    moving = [int(k) for k in joints[rates != 0.0]]
    speeds = rates[rates != 0.0]
    if not moving:
        raise ArgumentError("movingdir is 0 for all joints, expected rates of some")
    with robot.env.lock(), robot.preserve_state(StateParts.TRANSFORMS):
        lower, upper = (bound[moving] for bound in robot.dof_limits)
        values = robot.dof_values[moving]
        spans = np.where(speeds > 0.0, upper - values, values - lower) / np.abs(speeds)
        if np.isinf(spans).any():
            k = moving[int(np.argmax(np.isinf(spans)))]
            raise ArgumentError(
                f"joint {robot.dof_names[k]!r} of {robot!r} has no limit in the "
                "direction in which it goes; robot.dof_limits = lower, upper sets one"
            )
        motion = ClosingMotion(
            robot, moving, speeds, np.maximum(spans, 0.0), _CONTACT, TOUCHING
        )
        motion.run()
    if motion.blocked is not None:
        pair = motion.blocked
        return FreeMotion(
            None,
            f"{pair.first} x {pair.second} collide at the start, deeper than "
            f"{TOUCHING:g} m",
        )
    return FreeMotion(timed_through(robot, np.array(motion.corners)[:, moving], moving))


def timed_through(
    robot: Robot, corners: Array, joints: list[int], speed: float = 1.0
) -> TrajectoryBase:
    """Return a motion of joints through corners (m, k), from rest to rest."""
    far = np.abs(np.diff(corners, axis=0)).max(axis=1, initial=0.0) > _SAME
    corners = corners[np.concatenate(([True], far))]
    if len(corners) == 1:
        corners = np.vstack((corners, corners))
    return retime(
        robot, corners, joints, velocity_scale=speed, acceleration_scale=speed
    )


def gone_on(
    robot: Robot, timed: TrajectoryBase, joints: Indices, more: Array
) -> TrajectoryBase:
    """Return a motion that ends further on, within limits.

    Parameters
    ----------
    more
        (k,) by which each joint goes further than the motion.
    """
    spec, order = timed.spec, np.sort(joints)
    rows = spec.extract_joint_values(timed.waypoints, robot, order)
    if rows is None:
        raise StateError("the motion has no joint values")
    rows = np.asarray(rows)[:, np.argsort(np.argsort(joints))]
    lower, upper = (bound[joints] for bound in robot.dof_limits)
    last = np.clip(rows[-1] + more, lower, upper)
    return timed_through(robot, np.vstack((rows, last)), list(joints.tolist()))


def place_at_end(robot: Robot, timed: TrajectoryBase) -> None:
    """Put a robot at the end of a motion of joints."""
    indices = np.sort(timed.spec.extract_used_indices(robot)[0])
    values = timed.spec.extract_joint_values(timed.get_waypoint(-1), robot, indices)
    if values is not None:
        robot.set_dof_values(values, indices, limits=LimitCheck.NONE)
