"""Bodies and devices of a Dynamic WorkCell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.scene import SuctionSpring
from pyrave_workcell.dynamics.document import (
    Body,
    Cup,
    Device,
    ForceLimit,
    Named,
)
from pyrave_workcell.dynamics.masses import read_mass
from pyrave_workcell.dynamics.values import DynamicsReading
from pyrave_workcell.vocabulary import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Collection

    from pyrave_workcell.dynamics.document import BodyKind, Property
    from pyrave_workcell.syntax import CellNode

_IDS = ("MaterialID", "ObjectID")
_BASES = ("FixedBase", "KinematicBase", "RefBase")
_CUP_VALUES = ("Radius", "Height", "SpringParamsOpen", "SpringParamsClosed", "Offset")
_SPRING_SIZE = 5
_KINDS: dict[str, BodyKind] = {
    "FixedBody": "fixed",
    "FixedBase": "fixed",
    "KinematicBody": "kinematic",
    "KinematicBase": "kinematic",
    "RigidBody": "rigid",
    "RigidBase": "rigid",
    "End": "rigid",
    "Link": "link",
    "KinematicJoint": "link",
    "RigidJoint": "link",
}
_OWNERS: dict[BodyKind, str] = {
    "fixed": "FixedBody",
    "kinematic": "KinematicBody",
    "rigid": "RigidBody",
    "link": "Link",
}
"""Names of kinds of bodies in the vocabulary."""


def read_body(element: CellNode, reading: DynamicsReading) -> Body:
    """Return a body, a base or a link."""
    kind = _KINDS[element.tag]
    attribute = "frame"
    if kind == "link":
        attribute = "joint" if element.tag == "RigidJoint" else "object"
    frame = reading.attribute(element, attribute)
    reading.check(element, _children(element.tag), (attribute,))
    properties = _properties(element, reading)
    if kind == "fixed":
        return Body(
            kind, frame, *_ids(element, reading), properties=properties, at=element
        )
    if kind == "kinematic":
        reading.child(element, "MaterialID")
        return Body(kind, frame, *_ids(element, reading), at=element)
    integrator = reading.text(element, "Integrator") if kind == "rigid" else ""
    return Body(
        kind,
        frame,
        *_ids(element, reading),
        read_mass(element, reading),
        integrator,
        tuple(
            Named(reading.attribute(one, "object"), at=one)
            for one in element
            if one.tag == "Associate"
        ),
        properties,
        at=element,
    )


def _children(tag: str) -> Collection[str]:
    """Return the tags that may stand in elements of a tag."""
    return ELEMENTS[tag if tag == "RigidJoint" else _OWNERS[_KINDS[tag]]]


def _ids(element: CellNode, reading: DynamicsReading) -> tuple[str | None, str | None]:
    found = [reading.child(element, tag, required=False) for tag in _IDS]
    material, object_type = (
        None if one is None else reading.name(one) for one in found
    )
    return material, object_type


def _properties(element: CellNode, reading: DynamicsReading) -> tuple[Property, ...]:
    """Return properties; of several with one name only the first counts."""
    if "Property" not in _children(element.tag):
        return ()
    return read_properties(element, reading)


def read_properties(
    element: CellNode, reading: DynamicsReading
) -> tuple[Property, ...]:
    """Return the ``<Property>`` of an element; of one name only the first counts."""
    found: dict[str, Property] = {}
    for child in element:
        if child.tag != "Property":
            continue
        made = reading.property(child)
        if made.name in found:
            text = f"property {made.name!r} is given again; the first value counts"
            reading.warn(child, "repeated-item", text, "delete one of them")
        else:
            found[made.name] = made
    return tuple(found.values())


def read_device(element: CellNode, reading: DynamicsReading) -> Device:
    """Return a ``<KinematicDevice>`` or ``<RigidDevice>``."""
    rigid = element.tag == "RigidDevice"
    tags = [*_BASES, "KinematicJoint", "Link"]
    if rigid:
        tags += ("RigidBase", "RigidJoint", "ForceLimit")
    reading.check(element, tags, ("device",), strict=True)
    device = reading.attribute(element, "device")
    base: Body | Named | None = None
    links: list[Body] = []
    limits: list[ForceLimit] = []
    limited: set[str] = set()
    for child in element:
        if child.tag not in tags:
            continue
        if child.tag == "ForceLimit":
            reading.check(child, (), ("joint",))
            joint = reading.attribute(child, "joint")
            if joint in limited:
                text = f"<ForceLimit> of {joint!r} is given again; the last one counts"
                reading.warn(child, "repeated-item", text, "delete the others")
            limited.add(joint)
            limits.append(ForceLimit(joint, reading.number(child), at=child))
        elif child.tag.endswith("Base"):
            if base is not None:
                text = f"device {device!r} has several bases; the last one counts"
                reading.warn(child, "repeated-item", text, "delete the others")
            base = _base(child, reading)
        else:
            links.append(read_body(child, reading))
    if base is None:
        reading.error(
            element,
            "missing-tag",
            f"device {device!r} has no base",
            f"write one of {', '.join(tags[:3])} into it",
        )
    return Device(device, rigid, base, tuple(links), tuple(limits), at=element)


def _base(element: CellNode, reading: DynamicsReading) -> Body | Named:
    if element.tag != "RefBase":
        return read_body(element, reading)
    reading.check(element, (), ("body",))
    return Named(reading.attribute(element, "body"), at=element)


def read_cup(element: CellNode, reading: DynamicsReading) -> Cup:
    """Return a ``<SuctionCup>``."""
    bases = ("FixedBase", "KinematicBase", "RigidBase")
    reading.check(element, (*_CUP_VALUES, *bases, "End"), ("name",))
    found = [one for one in element if one.tag in bases]
    if len(found) > 1:
        text = "<SuctionCup> has several bases; the first one counts"
        reading.warn(found[1], "repeated-item", text, "delete the others")
    base = found[0] if found else None
    end = reading.child(element, "End")
    if base is None:
        text = f"<SuctionCup> has no base, one of {', '.join(bases)}"
        reading.error(element, "missing-tag", text)
    offset = reading.child(element, "Offset", required=False)
    more = {} if offset is None else {"pose": reading.transform(offset)}
    return Cup(
        reading.attribute(element, "name"),
        None if base is None else read_body(base, reading),
        None if end is None else read_body(end, reading),
        reading.not_negative(element, "Radius"),
        reading.not_negative(element, "Height"),
        _cup_spring(element, "SpringParamsOpen", reading),
        _cup_spring(element, "SpringParamsClosed", reading),
        **more,
        at=element,
    )


def _cup_spring(element: CellNode, tag: str, reading: DynamicsReading) -> SuctionSpring:
    found = reading.child_numbers(element, tag, _SPRING_SIZE)
    if min(found) < 0.0:
        reading.error(element, "bad-number", f"<{tag}> has numbers below 0")
        found = (0.0,) * _SPRING_SIZE
    return SuctionSpring(*found)
