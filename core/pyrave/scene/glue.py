"""Joints that glue two links together, in OpenRAVE's files disabled hinges."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TypeVar

from pyrave.scene.body import BodyDescription, JointAxis, JointDescription
from pyrave.scene.pose import Pose

_Body = TypeVar("_Body", bound=BodyDescription)
_WORD = re.compile(r"[\w.:-]+")
_SINGLE = frozenset({"hinge", "slider"})


def with_glue_fixed(
    body: _Body, *, passive: bool = False
) -> tuple[_Body, tuple[str, ...]]:
    """Return a body whose joints that only glue links together are fixed ones.

    They are hinges and sliders that are no degree of freedom, follow no other joint and
    lead none, and have equal limits. In a body with closed loops all joints stay.

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
    leading = {
        word
        for joint in body.joints
        for axis in joint.axes
        if axis.mimic is not None
        for word in _WORD.findall(axis.mimic.position)
    }
    glued = [
        joint
        for joint in body.joints
        if joint.name not in leading and _glues(joint, passive=passive)
    ]
    if not glued:
        return body, ()
    joints = tuple(_fixed(joint) if joint in glued else joint for joint in body.joints)
    return replace(body, joints=joints), tuple(joint.name for joint in glued)


def _glues(joint: JointDescription, *, passive: bool) -> bool:
    if joint.active or joint.type not in _SINGLE or len(joint.axes) != 1:
        return False
    (axis,) = joint.axes
    return axis.mimic is None and (passive or axis.lower == axis.upper)


def _fixed(joint: JointDescription) -> JointDescription:
    (axis,) = joint.axes
    return replace(
        joint,
        type="fixed",
        axes=(),
        active=True,
        T_parent_joint=joint.T_parent_joint @ _motion(axis),
    )


def _motion(axis: JointAxis) -> Pose:
    """Return how far an axis has moved in the configuration that the file shows."""
    value = axis.initial
    if axis.prismatic:
        x, y, z = (value * one for one in axis.direction)
        return Pose.from_translation(x, y, z)
    return Pose.from_axis_angle(axis.direction, value)
