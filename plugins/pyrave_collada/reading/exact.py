"""Blocks in extras of the profile ``pyrave``, for data that COLLADA cannot hold.

Such a technique stands in an ``<extra type="pyrave">`` next to what it is about: in the
outer articulated system of a body, in ``<scene>`` for what belongs to no body, in a
geometry (`pyrave_collada.reading.shapes.geometries`). Its one element ``<exact>``, in a
namespace of its own, is a block as `pyrave.formats.leftovers` describes it.
"""

from __future__ import annotations

import dataclasses
from itertools import product
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import to_xml_element
from pyrave.formats.leftovers import LeftoversReader
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    GeometryDescription,
    InterfaceDescription,
    JointDescription,
    LinkDescription,
    Readable,
    RobotDescription,
    XmlReadable,
)
from pyrave_collada.document.parsed import children
from pyrave_collada.document.turns import vector_of
from pyrave_collada.reading.readables import read_custom

if TYPE_CHECKING:
    from pyrave_collada.reading.load import ColladaReading

Described = TypeVar("Described")

_READERS = (
    (BodyDescription, "kinbody"),
    (LinkDescription, "link"),
    (JointDescription, "joint"),
    (GeometryDescription, "geometry"),
    (AttachedSensorDescription, "sensor"),
)


def exact(item: Described, part: Any, reading: ColladaReading) -> Described:
    """Return a description with what a technique of profile pyrave says of it."""
    if part is None:
        return item

    def find(element: Any, name: str) -> str | None:
        try:
            return reading.resolve(name, element)
        except (ResourceError, SceneError):
            return None

    def readable(owner: Any, key: str, element: Any, holder: Any) -> Readable:
        made: Readable | None = None
        if holder.get("plain") != "true":
            for kind, name in product(_readers_of(owner), (key, element.tag)):
                made = made or read_custom(kind, name, element, reading)
        return made or XmlReadable(to_xml_element(element))

    return LeftoversReader(
        reading,
        find,
        readable,
        lambda element, name: reading.warn(
            element,
            "missing-mesh",
            f"the mesh {name!r} is not found",
            "put it next to this file or into a resource root",
        ),
        skip_geometry=reading.context.skip_geometry,
    ).apply(item, children(part))


def exact_elsewhere(
    item: BodyDescription, part: Any, reading: ColladaReading
) -> BodyDescription:
    """Return a body with what the technique of a document says that is referred to.

    Its name, place and values are those that the referring document gives.
    """
    given = exact(item, part, reading)
    if given is item:
        return item
    values = _values_of(item, given)
    return dataclasses.replace(given, name=item.name, pose=item.pose, dof_values=values)


def _values_of(
    item: BodyDescription, given: BodyDescription
) -> tuple[float, ...] | None:
    """Return the values of a body's joints in the order of another description."""
    if item.dof_values is None:
        return None
    rest = iter(item.dof_values)
    values = {
        joint.name: [next(rest, 0.0) for _ in joint.axes]
        for joint in item.joints
        if joint.active
    }
    for joint in given.joints:
        if joint.type == "spherical" and any(values.get(joint.name, ())):
            values[joint.name] = vector_of(values[joint.name])
    return tuple(
        value
        for joint in given.joints
        if joint.active
        for value in values.get(joint.name, [0.0] * len(joint.axes))
    )


def _readers_of(item: Any) -> tuple[str, ...]:
    """Return for what kinds of objects the custom readers are that read its data."""
    if isinstance(item, InterfaceDescription):
        return (item.type,)
    if isinstance(item, RobotDescription):
        return "robot", "kinbody"
    return tuple(name for kind, name in _READERS if isinstance(item, kind))[:1]
