"""What COLLADA has no place for: extras of the profile ``pyrave``.

Such a technique stands in an ``<extra type="pyrave">`` next to what it is about: in the
outer articulated system of a body, in ``<scene>`` for what belongs to no body, in a
geometry (`pyrave_collada.reading.shapes.geometries`). Its one element ``<exact>``, in a
namespace of its own, holds

``<set name="field">JSON</set>``
    a field of the description, for which the other elements give another value;
``<link name="..">``, ``<joint>``, ``<manipulator>``, ``<sensor>``, ``<body>``
    the same for the object of that name, ``<axis>`` and ``<geometry>`` for those of
    their parent in order;
``<new in="field" type="..">``
    an object that is nowhere else;
``<order name="field">2 0 1</order>``
    the order of objects, where that of the file is another;
``<readable key="..">``
    data of custom readers.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import to_xml_element
from pyrave.formats.field_values import decode, field_types, from_json, with_files
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    GeometryDescription,
    InterfaceDescription,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MeshReference,
    NoShape,
    Readable,
    RenderMesh,
    RobotDescription,
    TriMesh,
    XmlReadable,
)
from pyrave.scene.checks import coerced_field
from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.readables import read_custom

if TYPE_CHECKING:
    from pyrave_collada.reading.load import Reading

Described = TypeVar("Described")

PROFILE = "pyrave"
NAMED = {
    "bodies": "body",
    "links": "link",
    "joints": "joint",
    "manipulators": "manipulator",
    "attached_sensors": "sensor",
}
"""Collections whose objects have names, and the tags of these."""
_BY_TAG = {tag: field for field, tag in NAMED.items()}
_ELEMENTS = frozenset(
    {
        "geometries",
        "interfaces",
        "location",
        "problems",
        "readables",
    }
)
_FIELDS = _BY_TAG | {
    "axis": "axes",
    "geometry": "geometries",
    "readable": "readables",
    "readables": "readables",
}
"""What each tag speaks of, but for those that name a field."""
_BLANK: dict[str, Any] = {
    "AttachedSensorDescription": AttachedSensorDescription("", ""),
    "BodyDescription": BodyDescription(""),
    "GeometryDescription": GeometryDescription(NoShape()),
    "InterfaceDescription": InterfaceDescription("", ""),
    "JointDescription": JointDescription("", "fixed", "", ""),
    "LinkDescription": LinkDescription(""),
    "ManipulatorDescription": ManipulatorDescription("", "", ""),
    "RobotDescription": RobotDescription(""),
}
_READERS = (
    (RobotDescription, "robot"),
    (BodyDescription, "kinbody"),
    (LinkDescription, "link"),
    (JointDescription, "joint"),
    (GeometryDescription, "geometry"),
    (AttachedSensorDescription, "sensor"),
)
_NEW = {
    "attached_sensors": ("AttachedSensorDescription",),
    "bodies": ("BodyDescription", "RobotDescription"),
    "interfaces": ("InterfaceDescription",),
    "joints": ("JointDescription",),
    "links": ("LinkDescription",),
    "manipulators": ("ManipulatorDescription",),
}
"""Types of the objects that may be new in a field."""


def blank(kind: str) -> Any:
    """Return the object that a ``<new>`` of a type starts from."""
    return _BLANK[kind]


def is_collection(item: Any, field: str) -> bool:
    """Return whether a field holds objects that have elements of their own."""
    # controllers name their joints
    return field in NAMED and not isinstance(item, InterfaceDescription)


def exact_part(element: Any) -> Any:
    """Return the ``<exact>`` in an element's extras of profile pyrave, or None."""
    for extra in () if element is None else children(element, "extra"):
        for technique in children(extra, "technique"):
            if technique.get("profile") == PROFILE:
                return child(technique, "exact")
    return None


def exact(item: Described, part: Any, reading: Reading) -> Described:
    """Return a description with what a technique of profile pyrave says of it."""
    return item if part is None else _Overrides(reading).apply(item, part)


def exact_elsewhere(
    item: BodyDescription, part: Any, reading: Reading
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
    return tuple(
        value
        for joint in given.joints
        if joint.active
        for value in values.get(joint.name, [0.0] * len(joint.axes))
    )


def _has(item: Any, field: str) -> bool:
    """Return whether an object has a field that an element may speak of."""
    if field in NAMED and not is_collection(item, field):
        return False
    return any(one.name == field for one in dataclasses.fields(item))


def _readers_of(item: Any) -> str | None:
    """Return for what kind of objects the custom readers are that read its data."""
    if isinstance(item, InterfaceDescription):
        return item.type
    return next((name for kind, name in _READERS if isinstance(item, kind)), None)


class _Overrides:
    """Applies techniques to what the rest of a file gives."""

    def __init__(self, reading: Reading) -> None:
        self.reading = reading

    def apply(self, item: Any, part: Any) -> Any:
        """Return an object with what an element says of it."""
        changed: dict[str, Any] = {}
        for one in children(part, "set"):
            self._set(item, one, changed)
        item = dataclasses.replace(item, **changed) if changed else item
        changed = {}
        said = self._by_field(item, part)
        readables = said.pop("readables", None)
        if readables:
            changed["readables"] = tuple(self._readables(item, readables))
        for field in NAMED:
            if field in said:
                self._named(item, field, said[field], changed)
        if "axes" in said:
            self._axes(item, said["axes"], changed)
        if "geometries" in said and not self.reading.context.skip_geometry:
            self._geometries(item, said["geometries"], changed)
        for one in children(part, "new"):
            self._new(item, one, changed)
        for one in children(part, "order"):
            self._order(item, one, changed)
        return dataclasses.replace(item, **changed) if changed else item

    def _by_field(self, item: Any, part: Any) -> dict[str, list[Any]]:
        """Return the elements that speak of fields by these; others are refused."""
        found: dict[str, list[Any]] = {}
        for one in children(part, *_FIELDS):
            field = _FIELDS[one.tag]
            if _has(item, field):
                found.setdefault(field, []).append(one)
            else:
                text = f"{type(item).__name__} has no {field} for <{one.tag}>"
                self.reading.error("bad-pyrave", text, one)
        return found

    # -- fields ----------------------------------------------------------------------

    def _set(self, item: Any, element: Any, changed: dict[str, Any]) -> None:
        name, kinds = element.get("name") or "", field_types(type(item))
        known = {one.name for one in dataclasses.fields(item) if one.compare}
        if name not in known - _ELEMENTS or is_collection(item, name):
            text = f"{type(item).__name__} has no field {name!r} that can be set"
            self.reading.error("bad-pyrave", text, element)
            return
        try:
            data = from_json(element.text or "")
            value = with_files(decode(data, kinds[name]), self._find(element))
            value, faults = coerced_field(type(item), name, value)
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            text = f"<set name={name!r}>: {error}"
            self.reading.error("bad-pyrave", text, element)
            return
        for fault in faults:
            self.reading.error("bad-pyrave", str(fault), element)
        changed[name] = value

    def _find(self, element: Any) -> Any:
        folder = self.reading.library.document(element).folder

        def find(name: str) -> str | None:
            try:
                return self.reading.context.resolver.resolve(name, folder)
            except (ResourceError, SceneError):
                return None

        return find

    def _readables(self, item: Any, elements: list[Any]) -> list[tuple[str, Readable]]:
        found: list[tuple[str, Readable]] = []
        for element in elements:
            for one in children(element):
                key = element.get("key") or one.tag
                made: Readable | None = None
                kind = _readers_of(item)
                if kind is not None and element.get("plain") != "true":
                    made = read_custom(kind, key, one, self.reading)
                    if made is None:
                        made = read_custom(kind, one.tag, one, self.reading)
                found.append((key, made or XmlReadable(to_xml_element(one))))
        return found

    # -- objects ---------------------------------------------------------------------

    def _named(
        self, item: Any, field: str, elements: list[Any], changed: dict[str, Any]
    ) -> None:
        objects = list(changed.get(field, getattr(item, field)))
        places = {one.name: index for index, one in enumerate(objects)}
        for element in elements:
            index = places.get(element.get("name") or "")
            if index is None:
                self._stale(element, f"there is no {element.tag} of that name")
            else:
                objects[index] = self.apply(objects[index], element)
        changed[field] = tuple(objects)

    def _axes(self, item: Any, elements: list[Any], changed: dict[str, Any]) -> None:
        axes = list(item.axes)
        if len(axes) != len(elements):
            self._stale(elements[0], f"{len(elements)} axes are described", len(axes))
            return
        pairs = zip(axes, elements, strict=True)
        changed["axes"] = tuple(self.apply(axis, element) for axis, element in pairs)

    def _geometries(
        self, item: Any, elements: list[Any], changed: dict[str, Any]
    ) -> None:
        given = list(item.geometries)
        counts = [_count(element) for element in elements]
        if sum(counts) != len(given):
            self._stale(elements[0], f"{sum(counts)} geometries are meant", len(given))
            return
        found: list[GeometryDescription] = []
        for element, count in zip(elements, counts, strict=True):
            own, given = given[:count], given[count:]
            made = self.apply(own[0] if own else blank("GeometryDescription"), element)
            shown = made.render if isinstance(made.shape, NoShape) else made.shape
            if own and self._misses(shown, element):
                found += own
            else:
                found.append(made)
        changed["geometries"] = tuple(found)

    def _misses(self, shape: Any, element: Any) -> bool:
        """Return whether a mesh is not there: the triangles written stand for it."""
        mesh = shape.mesh if isinstance(shape, (TriMesh, RenderMesh)) else None
        if not isinstance(mesh, MeshReference) or mesh.found:
            return False
        self.reading.warn(
            "missing-file",
            f"the mesh {mesh.uri!r} is not found; the triangles in this file stand for "
            "it",
            element,
        )
        return True

    def _new(self, item: Any, element: Any, changed: dict[str, Any]) -> None:
        field, kind = element.get("in") or "", element.get("type") or ""
        if kind not in _NEW.get(field, ()) or not _has(item, field):
            text = f"<new in={field!r} type={kind!r}> has no meaning here"
            self.reading.error("bad-pyrave", text, element)
            return
        made = blank(kind)
        if element.get("name"):
            made = dataclasses.replace(made, name=element.get("name"))
        objects = changed.get(field, getattr(item, field))
        changed[field] = (*objects, self.apply(made, element))

    def _order(self, item: Any, element: Any, changed: dict[str, Any]) -> None:
        field, words = element.get("name") or "", (element.text or "").split()
        if field not in (*NAMED, "geometries") or not _has(item, field):
            text = f"<order name={field!r}> has no meaning here"
            self.reading.error("bad-pyrave", text, element)
            return
        if field == "geometries" and field not in changed:
            return  # they are not those that the order is for
        objects = changed.get(field, getattr(item, field))
        if sorted(words) != sorted(map(str, range(len(objects)))):
            self._stale(element, f"an order of {len(words)} {field}", len(objects))
            return
        changed[field] = tuple(objects[int(word)] for word in words)

    def _stale(self, element: Any, text: str, count: int | None = None) -> None:
        known = "" if count is None else f", the file has {count}"
        self.reading.warn(
            "stale-pyrave",
            f"<{element.tag} name={element.get('name')!r}>: {text}{known}; it is "
            "ignored",
            element,
            "delete it: the file was changed since it was written",
        )


def _count(element: Any) -> int:
    text = element.get("takes") or "1"
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 1
