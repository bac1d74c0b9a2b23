"""``<joint>`` elements from joints."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.schema import JOINT_DOFS
from pyrave.formats.openrave_xml.transforms import EYE, ZERO
from pyrave.formats.openrave_xml.write.tags import WrittenElement, add, set_attributes
from pyrave.formats.output.numbers import numbers, rounded
from pyrave.formats.xml import add_xml
from pyrave.scene import (
    IDENTITY,
    JointAxis,
    JointDescription,
    Pose,
    Readable,
    XmlReadable,
)

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing

_DEFAULT = JointAxis((0.0, 0.0, 1.0))
_SAME_PLACE = 1e-12
_AXIS_TAGS = {
    "weight": "weight",
    "initial": "initial",
    "velocity_limit": "maxvel",
    "hard_velocity_limit": "hardmaxvel",
    "acceleration_limit": "maxaccel",
    "torque_limit": "maxtorque",
    "inertia_limit": "maxinertia",
}


def joint_node(
    joint: JointDescription, poses: Mapping[str, Pose], writing: Writing
) -> WrittenElement:
    """Return the ``<joint>`` of a joint, of the nearest type that OpenRAVE has.

    Parameters
    ----------
    poses
        T_body_link of the body's links by name.
    """
    element = etree.Element("joint")
    axes = joint.axes
    kind = _tag_type(joint)
    set_attributes(element, name=joint.name, type=kind)
    mimic = axes[0].mimic if axes else None
    if mimic is None and not (joint.active and axes):
        element.set("enable", "false")
    if axes and all(axis.circular for axis in axes):
        element.set("circular", "true")
    if mimic is not None:
        set_attributes(
            element,
            mimic_pos=mimic.position,
            mimic_vel=mimic.velocity,
            mimic_accel=mimic.acceleration,
        )
    add(element, "body", joint.parent)
    add(element, "body", joint.child)
    if not _is_glued(joint):
        _add_frame(element, kind, joint, poses)
    _add_axis_values(element, kind, axes)
    if joint.actuator is not None:
        _add_actuator(element, joint.name, joint.actuator, writing)
    writing.readables(element, joint.readables, "joint")
    return WrittenElement(element)


def _add_actuator(
    element: Any, name: str, actuator: Readable, writing: Writing
) -> None:
    xml = actuator.to_xml()
    reason = "does not write itself"
    if xml is not None and xml.tag.lower() == "actuator":
        try:
            add_xml(element, xml)
        except (ValueError, TypeError) as error:
            reason = f"is no XML: {error}"
        else:
            return
    if not isinstance(actuator, XmlReadable):  # which `<pyrave>` holds
        writing.lose(actuator, f"the actuator of {name!r} {reason}")


def written_dofs(joint: JointDescription) -> int:
    """Return the degrees of freedom that the written joint has by its tags alone."""
    if not joint.active or not joint.axes or joint.axes[0].mimic is not None:
        return 0
    return JOINT_DOFS[_tag_type(joint)]


def _tag_type(joint: JointDescription) -> str:
    if joint.type in JOINT_DOFS:
        return joint.type
    turns = [not axis.prismatic for axis in joint.axes]
    if turns == [True, True]:
        return "universal"
    return "hinge" if not turns or turns[0] else "slider"


def _is_glued(joint: JointDescription) -> bool:
    """Return True if the tags of two glued links say where the joint is."""
    return not joint.axes or (
        joint.T_child_joint == IDENTITY
        and all(
            not axis.circular
            and axis.lower == axis.upper == 0.0
            and axis.direction == _DEFAULT.direction
            for axis in joint.axes
        )
    )


def _add_frame(
    element: Any, kind: str, joint: JointDescription, poses: Mapping[str, Pose]
) -> None:
    frame = joint.T_parent_joint
    if kind == "slider":
        link = _slider_offset(joint, poses)
        frame = _in_link(joint, poses, link) @ frame
    else:
        link = joint.parent
    if link:
        add(element, "offsetfrom", link)
    if frame.translation != ZERO and kind != "slider":
        add(element, "anchor", numbers(frame.translation))
    if kind == "spherical":
        return
    tags = ("axis",) if JOINT_DOFS[kind] == 1 else ("axis1", "axis2")
    for tag, axis in zip(tags, joint.axes, strict=False):
        plain_frame = frame.rotation == EYE
        way = axis.direction if plain_frame else frame.rotate(axis.direction)
        add(element, tag, numbers(way))


def _slider_offset(joint: JointDescription, poses: Mapping[str, Pose]) -> str:
    """Return the link at whose origin a slider is, which has no anchor of its own.

    That is the parent if there is none, and empty where it is the body's origin.
    """
    places = {
        link: _in_link(joint, poses, link).apply(joint.T_parent_joint.translation)
        for link in (joint.parent, joint.child, "")
    }
    near = (link for link, at in places.items() if max(map(abs, at)) < _SAME_PLACE)
    return next(near, joint.parent)


def _in_link(joint: JointDescription, poses: Mapping[str, Pose], link: str) -> Pose:
    """Return T_link_parent of a link, of the body if `link` is empty."""
    if link == joint.parent:
        return IDENTITY
    parent = poses.get(joint.parent, IDENTITY)
    return poses[link].inverse() @ parent if link in poses else parent


def _add_axis_values(element: Any, kind: str, axes: Sequence[JointAxis]) -> None:
    dofs = JOINT_DOFS[kind]
    if not axes:
        add(element, "limits", numbers((0.0,) * (2 * dofs)))
        return
    ranges = [value for axis in axes for value in (axis.lower, axis.upper)]
    add(element, "limits", numbers(ranges[: 2 * dofs]))
    for name, tag in _AXIS_TAGS.items():
        values = [getattr(axis, name) for axis in axes[:dofs]]
        default = getattr(_DEFAULT, name)
        if any(value != default for value in values):
            add(element, tag, numbers(values))
    resolution = axes[0].resolution
    if resolution != _DEFAULT.resolution:
        if kind != "slider":
            resolution = rounded(math.degrees(resolution))
        add(element, "resolution", numbers((resolution,)))
