"""Putting back the files that a body was composed of.

A body has up to two forms besides its expanded one: its element as it was written, and
an element that names the file whose root the body is. Whether a form still gives what
is described is seen by reading it; see `pyrave.formats.openrave_xml.write.writer`.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.elements.geom import MESH_TAGS, mesh_file_and_scale
from pyrave.formats.openrave_xml.transforms import is_identity
from pyrave.formats.openrave_xml.values import leading_floats, scale_factors
from pyrave.formats.openrave_xml.write.body import manipulator_node, sensor_node
from pyrave.formats.openrave_xml.write.tags import (
    WrittenElement,
    add,
    add_pose,
    set_attributes,
)
from pyrave.formats.output.numbers import numbers
from pyrave.formats.xml import from_xml_element, local_name
from pyrave.scene import (
    IDENTITY,
    BodyDescription,
    Composition,
    InterfaceDescription,
    Pose,
    RobotDescription,
)

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing
    from pyrave.scene.readable import ReadableItems

_REORDERED = ("manipulators", "attached_sensors")
# Said again by whoever writes, or said by the scene.
_OWN = frozenset({"controller", "jointvalues", "pyrave"})
_TRANSFORMS = frozenset({"translation", "rotationaxis", "quat", "rotationmat"})
_BODIES = frozenset({"kinbody", "robot"})
_NEAR = 1e-9


@dataclass(frozen=True, slots=True)
class Form:
    """One way to say a body by the files that it came from.

    Parameters
    ----------
    whole
        Name the file whose root the body is, instead of the element as written.
    added
        Names of manipulators and attached sensors that the files do not give.
    readables
        Places of the body's readables that they do not give.
    stale
        Tags of readables that they give and the body does not have any more.
    """

    whole: bool = False
    added: frozenset[str] = frozenset()
    readables: tuple[int, ...] = ()
    stale: frozenset[str] = frozenset()

    @property
    def is_first(self) -> bool:
        """True if nothing was added to it yet."""
        return not (self.added or self.readables or self.stale)


def forms_of(body: BodyDescription, *, is_root: bool) -> list[Form]:
    """Return the forms of a body, the best first.

    Parameters
    ----------
    is_root
        The written file holds the body alone: it does not name the file it came from.
    """
    known = body.composition
    if known is None:
        return []
    forms = [Form(whole=True)] if known.whole is not None and not is_root else []
    return forms + ([Form()] if known.source is not None else [])


def given_controllers(body: BodyDescription, form: Form) -> list[InterfaceDescription]:
    """Return the controllers that a form gives a robot; they name no robot."""
    known = body.composition
    if known is None:
        return []
    given = known.whole_controllers if form.whole else known.controllers
    return [replace(one, robot="") for one in given]


def composed_node(
    body: BodyDescription, form: Form, writing: Writing
) -> WrittenElement:
    """Return the element of a body in a form."""
    known = body.composition
    assert known is not None  # noqa: S101 - it has this form
    if form.whole:
        element = _whole_element(known, writing)
        stood, base = IDENTITY, known.frame @ known.base
    else:
        element = _source_element(known, writing)
        stood, base = known.frame, known.base
    _strip(element, form.stale)
    _rename(element, body.name)
    if _composed(stood, base) != body.pose:
        for child in [c for c in element if local_name(c) in _TRANSFORMS]:
            element.remove(child)
        frame = body.pose if is_identity(base) else body.pose @ base.inverse()
        add_pose(element, _unscaled(frame, element))
    if isinstance(body, RobotDescription):
        for manipulator in body.manipulators:
            if manipulator.name in form.added:
                element.append(manipulator_node(manipulator, writing).element)
        for sensor in body.attached_sensors:
            if sensor.name in form.added:
                element.append(sensor_node(sensor, writing).element)
    if body.dof_values is not None:
        add(element, "jointvalues", numbers(body.dof_values))
    told = [body.readables[index] for index in form.readables]
    writing.readables(element, told, local_name(element))
    return WrittenElement(element, reordered=_REORDERED)


def is_faithful(wanted: BodyDescription, read: BodyDescription) -> bool:
    """Return True if a form was read as the body that is described.

    The pose may be off by rounding, and the order of what hangs on a robot is free:
    both are put right afterwards.
    """
    if type(wanted) is not type(read) or not _is_near(wanted.pose, read.pose):
        return False
    for field in dataclasses.fields(wanted):
        mine, other = getattr(wanted, field.name), getattr(read, field.name)
        if field.name == "readables":
            if any(_differences(mine, other)):
                return False
        elif field.name in _REORDERED:
            if sorted(mine, key=_name) != sorted(other, key=_name):
                return False
        elif field.compare and field.name != "pose" and mine != other:
            return False
    return True


def completed(form: Form, wanted: BodyDescription, read: BodyDescription) -> Form:
    """Return a form with what it does not give, as far as that can be added."""
    added = frozenset(
        item.name
        for name in _REORDERED
        for item in getattr(wanted, name, ())
        if all(item.name != other.name for other in getattr(read, name, ()))
    )
    lacking, stale = _differences(wanted.readables, read.readables)
    keys = frozenset(key.lower() for key in stale)
    # those of the same tag go out with the stale ones
    again = (i for i, (key, _) in enumerate(wanted.readables) if key.lower() in keys)
    places = tuple(sorted({*lacking, *again}))
    return replace(form, added=added, readables=places, stale=keys)


def _differences(
    wanted: ReadableItems, read: ReadableItems
) -> tuple[list[int], list[str]]:
    """Return the places of what was not read, and the keys of what else was."""
    rest = list(read)
    lacking = []
    for index, one in enumerate(wanted):
        if one in rest:
            rest.remove(one)
        else:
            lacking.append(index)
    return lacking, [key for key, _ in rest]


def _name(item: Any) -> str:
    return str(item.name)


def _composed(frame: Pose, base: Pose) -> Pose:
    """Return the pose of a body as the reader composes it."""
    return frame if is_identity(base) else frame @ base


def _whole_element(known: Composition, writing: Writing) -> Any:
    part = known.whole
    assert part is not None  # noqa: S101 - the form says so
    element = etree.Element(part.kind)
    set_attributes(
        element,
        file=writing.names.name_of(part.uri),
        prefix=part.prefix,
        scalegeometry="" if part.scale == (1.0, 1.0, 1.0) else numbers(part.scale),
        skipgeometry="true" if part.skip_geometry else "",
    )
    return element


def _source_element(known: Composition, writing: Writing) -> Any:
    assert known.source is not None  # noqa: S101 - the form says so
    element = from_xml_element(known.source)
    element.tail = None
    _strip(element, _OWN)
    paths = dict(known.names)
    for node in element.iter(etree.Element):
        _point(node, paths, writing)
    return element


def _strip(element: Any, tags: frozenset[str]) -> None:
    for child in list(element):
        tag = local_name(child)
        if tag in tags:
            element.remove(child)
        elif tag == "modelsdir":
            element.remove(child)  # names are relative to the written file
        elif tag in _BODIES:
            _strip(child, frozenset({"controller"}))


def _point(element: Any, paths: dict[str, str], writing: Writing) -> None:
    """Let an element name the same file from the written file's folder."""
    for key, value in element.items():
        if key.lower() == "file" and value.strip() in paths:
            name = value.strip()
            element.set(key, writing.names.name_of(paths[name], name))
    if local_name(element) in MESH_TAGS and element.text:
        name, scale = mesh_file_and_scale(element.text.strip())
        if name in paths:
            named = writing.names.name_of(paths[name], name)
            if any(letter.isspace() for letter in named):
                element.text = None
                set_attributes(element, file=named, scale=scale.strip())
            else:
                element.text = named + scale


def _unscaled(pose: Pose, element: Any) -> Pose:
    """Return a pose whose translation an element's ``scalegeometry`` will multiply."""
    text = next((v for k, v in element.items() if k.lower() == "scalegeometry"), "1")
    scale = scale_factors(leading_floats(text))
    x, y, z = (t / s for t, s in zip(pose.translation, scale, strict=True))
    return Pose(pose.rotation, (x, y, z))


def _rename(element: Any, name: str) -> None:
    keys = [key for key in element.attrib if key.lower() == "name"]
    element.set(keys[0] if keys else "name", name)


def _is_near(one: Pose, two: Pose) -> bool:
    pairs = zip(
        (*one.rotation, *one.translation),
        (*two.rotation, *two.translation),
        strict=True,
    )
    return all(math.isclose(a, b, rel_tol=_NEAR, abs_tol=_NEAR) for a, b in pairs)
