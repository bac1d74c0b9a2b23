"""Joints that glue two links together, in OpenRAVE's files disabled hinges."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TypeVar

from pyrave.scene.body import BodyDescription, JointAxis, JointDescription
from pyrave.scene.pose import Pose

_Body = TypeVar("_Body", bound=BodyDescription)


def with_glue_fixed(
    body: _Body, *, passive: bool = False
) -> tuple[_Body, tuple[str, ...]]:
    """Return a body whose joints that only glue links together are fixed ones.

    They are no degrees of freedom, follow no other joint and lead none, and have equal
    limits. In a body with closed loops all joints stay, and so do those along paths.

    Parameters
    ----------
    passive
        Take those with room to move as well, for formats that know no passive joints.

    Returns
    -------
    body : BodyDescription
    names : tuple of str
        The joints that became fixed.
    """
    if any(joint.closes_loop for joint in body.joints):
        return body, ()
    formulas = [
        axis.mimic.position
        for joint in body.joints
        for axis in joint.axes
        if axis.mimic is not None
    ]
    glued = [
        joint
        for joint in body.joints
        if _glues(joint, passive=passive)
        and not any(_named_in(joint.name, text) for text in formulas)
    ]
    if not glued:
        return body, ()
    joints = tuple(_fixed(joint) if joint in glued else joint for joint in body.joints)
    return replace(body, joints=joints), tuple(joint.name for joint in glued)


def _named_in(name: str, formula: str) -> bool:
    """Return True if a joint may lead another; ``J_1`` is axis 1 of joint J."""
    word = rf"(?<!\w){re.escape(name)}(?=_\d+(?!\w)|(?!\w))"
    return re.search(word, formula) is not None


def _glues(joint: JointDescription, *, passive: bool) -> bool:
    if joint.active or not joint.axes or joint.type == "trajectory":
        return False
    return all(
        axis.mimic is None and (passive or axis.lower == axis.upper)
        for axis in joint.axes
    )


def _fixed(joint: JointDescription) -> JointDescription:
    pose = joint.T_parent_joint
    if joint.type == "spherical":
        turn = [axis.initial for axis in joint.axes]
        angle = math.hypot(*turn)
        if angle > 0.0:
            x, y, z = (value / angle for value in turn)
            pose = pose @ Pose.from_axis_angle((x, y, z), angle)
    else:
        for axis in joint.axes:
            pose = pose @ _motion(axis)
    return replace(joint, type="fixed", axes=(), active=True, T_parent_joint=pose)


def _motion(axis: JointAxis) -> Pose:
    """Return the displacement of an axis in the configuration that the file shows."""
    value = axis.initial
    if axis.prismatic:
        x, y, z = (value * one for one in axis.direction)
        return Pose.from_translation(x, y, z)
    return Pose.from_axis_angle(axis.direction, value)
