"""``<joint>`` elements from joints."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.schema import JOINT_DOFS
from pyrave.formats.openrave_xml.transforms import EYE, ZERO
from pyrave.formats.openrave_xml.write_tags import (
    Node,
    add,
    numbers,
    plain,
    set_attributes,
)
from pyrave.scene import (
    IDENTITY,
    JointAxis,
    JointDescription,
    Readable,
    XmlReadable,
)

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.writing import Writing

__all__ = ["joint_node", "written_dofs"]

_DEFAULT = JointAxis((0.0, 0.0, 1.0))
_AXIS_TAGS = {
    "weight": "weight",
    "initial": "initial",
    "velocity_limit": "maxvel",
    "hard_velocity_limit": "hardmaxvel",
    "acceleration_limit": "maxaccel",
    "torque_limit": "maxtorque",
    "inertia_limit": "maxinertia",
}


def joint_node(joint: JointDescription, writing: Writing) -> Node:
    """Return the ``<joint>`` of a joint, of the nearest type that OpenRAVE has."""
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
        _add_frame(element, kind, joint)
    _add_axis_values(element, kind, axes)
    if joint.actuator is not None:
        _add_actuator(element, joint.name, joint.actuator, writing)
    writing.readables(element, joint.readables, "joint")
    return Node(element)


def _add_actuator(
    element: Any, name: str, actuator: Readable, writing: Writing
) -> None:
    xml = actuator.to_xml()
    reason = "does not write itself"
    if xml is not None and xml.tag.lower() == "actuator":
        try:
            element.append(plain(xml))
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
    """Return whether the tags of two glued links say where the joint is."""
    return not joint.axes or (
        joint.T_child_joint == IDENTITY
        and all(
            not axis.circular
            and axis.lower == axis.upper == 0.0
            and axis.direction == _DEFAULT.direction
            for axis in joint.axes
        )
    )


def _add_frame(element: Any, kind: str, joint: JointDescription) -> None:
    frame = joint.T_parent_joint
    add(element, "offsetfrom", joint.parent)
    if frame.translation != ZERO and kind != "slider":
        add(element, "anchor", numbers(frame.translation))
    if kind == "spherical":
        return
    tags = ("axis",) if JOINT_DOFS[kind] == 1 else ("axis1", "axis2")
    for tag, axis in zip(tags, joint.axes, strict=False):
        plain_frame = frame.rotation == EYE
        way = axis.direction if plain_frame else frame.rotate(axis.direction)
        add(element, tag, numbers(way))


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
            resolution = _degrees(resolution)
        add(element, "resolution", numbers((resolution,)))


def _degrees(angle: float) -> float:
    """Return degrees that convert back to `angle` exactly, where there are such."""
    value = math.degrees(angle)
    around = (
        value,
        math.nextafter(value, math.inf),
        math.nextafter(value, -math.inf),
        float(f"{value:.12g}"),
    )
    return next((v for v in around if math.radians(v) == angle), value)
