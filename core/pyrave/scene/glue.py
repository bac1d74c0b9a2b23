"""Joints that glue two links together, in OpenRAVE's files disabled hinges."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from typing import TypeVar

from pyrave.scene.body import BodyDescription, JointAxis, JointDescription
from pyrave.scene.pose import Pose

_Body = TypeVar("_Body", bound=BodyDescription)
_WORD = re.compile(r"\w+")


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
    leading = _LeadingNames(body)
    joints, glued = [], []
    for joint in body.joints:
        is_glue = _glues(joint, passive=passive) and joint.name not in leading
        joints.append(_fixed(joint) if is_glue else joint)
        if is_glue:
            glued.append(joint.name)
    if not glued:
        return body, ()
    return replace(body, joints=tuple(joints)), tuple(glued)


class _LeadingNames:
    """Names in the formulas of a body; ``J_1`` is axis 1 of joint J."""

    def __init__(self, body: BodyDescription) -> None:
        axes = (axis for joint in body.joints for axis in joint.axes)
        self._text = "\n".join(axis.mimic.position for axis in axes if axis.mimic)
        self._words = set(_WORD.findall(self._text))
        ends = [word.rpartition("_") for word in self._words]
        self._words |= {name for name, _, axis in ends if axis.isdecimal()}

    def __contains__(self, name: str) -> bool:
        if _WORD.fullmatch(name):
            return name in self._words
        word = rf"(?<!\w){re.escape(name)}(?=_\d+(?!\w)|(?!\w))"
        return name in self._text and re.search(word, self._text) is not None


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
