"""Calibration: what differs between robots of one make, in a file of its own.

The file of a robot names it, ``<instance_calibration url="lab.calib.dae"/>`` in an
``<extra type="calibration">`` of its articulated system. It need not be there. It is a
COLLADA document; the extras of its articulated system stand for those of the robot.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyrave.scene import IDENTITY, Pose
from pyrave_collada.document.extras import extras_of
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.scene import BodyDescription, JointDescription
    from pyrave_collada.document.extras import Extras
    from pyrave_collada.reading.extensions.places import Places
    from pyrave_collada.reading.load import ColladaReading


def calibrations(systems: list[Any], reading: ColladaReading) -> Iterator[Any]:
    """Yield the elements with calibrations that articulated systems refer to."""
    for _, _, part in extras_of(systems, "calibration"):
        for one in children(part, "instance_calibration"):
            found = reading.optional_target(one)
            if found is not None and found.tag == "COLLADA":
                inner = found.find("library_articulated_systems/articulated_system")
                found = found if inner is None else inner
            if found is not None:
                yield found


def calibrated(
    description: BodyDescription,
    extras: Extras,
    places: Places,
    reading: ColladaReading,
) -> BodyDescription:
    """Return a body whose joints are where ``joint_calibration`` says.

    What the encoder shows as zero is `offset` off the joint's zero in the drawings, and
    the joint's frame may be moved.

    Parameters
    ----------
    extras
        Where the calibrations are.
    """
    moves: dict[str, Pose] = {}
    by_name = {joint.name: joint for joint in description.joints}
    for holder, extra, part in extras:
        name = places.joint_at(extra, holder, "name")
        if name is not None:
            moves[name] = _move(by_name[name], part, reading)
    if not moves:
        return description
    joints = tuple(
        replace(one, T_parent_joint=one.T_parent_joint @ moves[one.name])
        if one.name in moves
        else one
        for one in description.joints
    )
    poses = _poses(description, joints)
    links = tuple(replace(one, pose=poses[one.name]) for one in description.links)
    return replace(description, joints=joints, links=links)


def _move(joint: JointDescription, part: Any, reading: ColladaReading) -> Pose:
    """Return T_joint_calibrated: the frame's move, then the offset along the axis."""
    pose = reading.values.pose(part)
    element = child(part, "offset")
    offset = None if element is None else reading.values.number(element)
    if offset is None:
        return pose
    if len(joint.axes) != 1:
        reading.warn(
            element,
            "bad-calibration",
            f"<offset> is for joints with one axis, {joint.name!r} has "
            f"{len(joint.axes)}; it is ignored",
            "move its frame with <translate> and <rotate>",
        )
        return pose
    (axis,) = joint.axes
    if axis.prismatic:
        x, y, z = (offset * reading.unit(element) * part for part in axis.direction)
        return pose @ Pose.from_translation(x, y, z)
    return pose @ Pose.from_axis_angle(axis.direction, math.radians(offset))


def _poses(
    description: BodyDescription, joints: tuple[JointDescription, ...]
) -> dict[str, Pose]:
    """Return T_body_link by name, as joints carry the links from the base on."""
    before = {one.name: one.pose for one in description.links}
    below: dict[str, list[JointDescription]] = {}
    carried = set()
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
        carried.add(joint.child)
    base = description.links[0].name
    found = {base: IDENTITY}
    found |= {name: pose for name, pose in before.items() if name not in carried}
    waiting = list(found)
    while waiting:
        parent = waiting.pop()
        for joint in below.get(parent, ()):
            if joint.child not in found:
                inverse = joint.T_child_joint.inverse()
                found[joint.child] = found[parent] @ joint.T_parent_joint @ inverse
                waiting.append(joint.child)
    return {name: found.get(name, pose) for name, pose in before.items()}
