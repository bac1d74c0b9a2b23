"""Poses of Denavit-Hartenberg joints, and what values of joints do."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.scene import IDENTITY, Pose
from pyrave_workcell.workcell.document import JOINT_AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

_EYE = IDENTITY.rotation
_AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def about(axis: int, angle: float) -> Pose:
    """Return the turn about x, y or z (0, 1, 2), radians."""
    c, s = math.cos(angle), math.sin(angle)
    if axis == 0:
        return Pose((1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c))
    if axis == 1:
        return Pose((c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c))
    return Pose((c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0))


def craig(alpha: float, a: float, theta: float, d: float) -> Pose:
    """Return Rx(alpha) Tx(a) Rz(theta) Tz(d): modified parameters.

    J. J. Craig, Introduction to Robotics, 3rd ed., section 3.4.
    """
    first = about(0, alpha) @ Pose(_EYE, (a, 0.0, 0.0))
    return first @ about(2, theta) @ Pose(_EYE, (0.0, 0.0, d))


def schilling(alpha: float, a: float, theta: float, d: float) -> Pose:
    """Return Rz(theta) Tz(d) Tx(a) Rx(alpha): standard parameters.

    R. J. Schilling, Fundamentals of Robotics, section 2-4.
    """
    return about(2, theta) @ Pose(_EYE, (a, 0.0, d)) @ about(0, alpha)


def hayati(alpha: float, a: float, beta: float, b: float) -> Pose:
    """Return the pose of an axis nearly parallel to the one before.

    Hayati, Gupta and Paul's parameters: Ry(beta) Rx(alpha) at (a cos(beta), b,
    -a sin(beta)).
    """
    rotation = (about(1, beta) @ about(0, alpha)).rotation
    return Pose(rotation, (a * math.cos(beta), b, -a * math.sin(beta)))


def motion(kind: str, values: Sequence[float]) -> Pose:
    """Return the motion of a joint at its values, in its frame; radians or metres."""
    pose = IDENTITY
    for (axis, slides), value in zip(JOINT_AXES[kind], values, strict=True):
        if slides:
            x, y, z = (value * one for one in _AXES[axis])
            pose = pose @ Pose(_EYE, (x, y, z))
        else:
            pose = pose @ about(axis, value)
    return pose
