"""pyrave's own blocks, for data that a format's elements cannot express.

A block is an element, ``<pyrave>`` in OpenRAVE XML and ``<exact>`` in COLLADA, about
the object that holds it. Its children are

``<set name="field">JSON</set>``
    a field of the description, for which the other elements give another value;
``<link name="..">``, ``<joint>``, ``<manipulator>``, ``<sensor>``, ``<body>``
    blocks of the objects of that name, ``<axis>`` and ``<geometry>`` of those of their
    parent in order;
``<new in="field" type="..">``
    the block of an object that no other element gives;
``<readables/>``
    the other elements give no readables;
``<readable key="..">XML</readable>``
    one more readable;
``<order name="field">2 0 1</order>``
    the order of objects, where that of the elements is another.

Writers compare a description with what is read back of its other elements.
"""

from __future__ import annotations

import dataclasses
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from lxml import etree

from pyrave.errors import SceneError
from pyrave.formats.field_values import (
    decode,
    encode,
    from_json,
    with_files,
)
from pyrave.formats.meshes.json_values import faces_alone, with_corners
from pyrave.formats.output.writable import fits_xml
from pyrave.formats.xml import add_xml, local_name, to_xml_element
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

if TYPE_CHECKING:
    from pyrave.formats.output.file_names import FileNames
    from pyrave.formats.readings import Reading

Described = TypeVar("Described")

NAMED = {
    "bodies": "body",
    "links": "link",
    "joints": "joint",
    "manipulators": "manipulator",
    "attached_sensors": "sensor",
}
"""Collections whose objects have names, and the tags of these."""
_BY_TAG = {tag: field for field, tag in NAMED.items()} | {
    "axis": "axes",
    "geometry": "geometries",
    "readable": "readables",
    "readables": "readables",
}
_COLLECTIONS = frozenset({*NAMED, "geometries", "interfaces"})
_ELEMENTS = frozenset({"geometries", "interfaces", "location", "problems", "readables"})
_ORDERED = _COLLECTIONS | {"readables"}
_BLANKS: dict[str, tuple[Any, ...]] = {
    "attached_sensors": (AttachedSensorDescription("", ""),),
    "bodies": (BodyDescription(""), RobotDescription("")),
    "interfaces": (InterfaceDescription("", ""),),
    "joints": (JointDescription("", "fixed", "", ""),),
    "links": (LinkDescription(""),),
    "manipulators": (ManipulatorDescription("", "", ""),),
}
"""Initial objects of a field where no element gives them."""
BLANK_GEOMETRY = GeometryDescription(NoShape())
_ROBOT = _BLANKS["bodies"][1]
_NAMED_TYPES = tuple(type(one) for field in NAMED for one in _BLANKS[field])
_MAX_DIGITS = 9
_OTHER_BOUND = {"lower": "upper", "upper": "lower"}


def blank(field: str, kind: str) -> Any:
    """Return the object that a ``<new>`` of a type starts from; None if it may not."""
    known = _BLANKS.get(field, ())
    return next((one for one in known if type(one).__name__ == kind), None)


def _is_collection(item: Any, field: str) -> bool:
    """Return True if a field holds objects that have names and blocks of their own."""
    # controllers name their joints
    return field in NAMED and not isinstance(item, InterfaceDescription)


def _has(item: Any, field: str) -> bool:
    """Return True if an object has a field that an element may speak of."""
    if field in NAMED and not _is_collection(item, field):
        return False
    return any(one.name == field for one in dataclasses.fields(item))


def _is_settable(item: Any, name: str, *, fixed_names: bool) -> bool:
    """Return True if a ``<set>`` can say a field of a description."""
    if name in _ELEMENTS or _is_collection(item, name):
        return False
    if fixed_names and name == "name" and isinstance(item, _NAMED_TYPES):
        return False
    return any(one.name == name and one.compare for one in dataclasses.fields(item))


def _plain_readable(_item: Any, _key: str, element: Any, _holder: Any) -> Readable:
    return XmlReadable(to_xml_element(element))


@dataclasses.dataclass(frozen=True, slots=True)
class LeftoversReader:
    """Applies blocks to what the other elements of a file give.

    Parameters
    ----------
    reading
        Where problems are reported.
    find
        ``(element, name) -> path`` of a mesh file, None if there is no such file.
    readable
        ``(description, key, element, holder) -> readable`` of an element in a
        ``<readable>``.
    missing
        Report (element, name) of a mesh file that is not found, where `find` does not.
    fixed_names
        Whether the names of objects are those of their elements.
    skip_geometry
        Whether the elements of geometries were passed over.
    """

    reading: Reading
    find: Callable[[Any, str], str | None]
    readable: Callable[[Any, str, Any, Any], Readable] = _plain_readable
    missing: Callable[[Any, str], None] = lambda _element, _name: None
    fixed_names: bool = False
    skip_geometry: bool = False

    def apply(self, item: Described, block: Iterable[Any]) -> Described:
        """Return a description with what a block, the elements in it, says of it."""
        made: Any = item
        by_tag: dict[str, list[Any]] = {}
        for one in block:
            by_tag.setdefault(local_name(one), []).append(one)
        changed: dict[str, Any] = {}
        for one in by_tag.get("set", ()):
            self._set(made, one, changed)
        made = dataclasses.replace(made, **changed) if changed else made
        changed = {}
        said = self._by_field(made, by_tag)
        if "readables" in said:
            changed["readables"] = self._readables(made, said["readables"])
        for field in NAMED:
            if field in said:
                self._named(made, field, said[field], changed)
        if "axes" in said:
            self._axes(made, said["axes"], changed)
        if "geometries" in said and not self.skip_geometry:
            self._geometries(made, said["geometries"], changed)
        for one in by_tag.get("new", ()):
            self._new(made, one, changed)
        for one in by_tag.get("order", ()):
            self._order(made, one, changed)
        result: Described = dataclasses.replace(made, **changed) if changed else made
        return result

    def _by_field(self, item: Any, by_tag: dict[str, list[Any]]) -> dict[str, Any]:
        """Return the elements that speak of fields by these; others are refused."""
        found: dict[str, list[Any]] = {}
        for tag, elements in by_tag.items():
            field = _BY_TAG.get(tag)
            if field is None:
                continue
            if _has(item, field):
                found.setdefault(field, []).extend(elements)
            else:
                text = f"{type(item).__name__} has no {field} for <{tag}>"
                self.reading.error(elements[0], "bad-pyrave", text)
        return found

    # -- fields ----------------------------------------------------------------------

    def _set(self, item: Any, element: Any, changed: dict[str, Any]) -> None:
        name = element.get("name") or ""
        if not _is_settable(item, name, fixed_names=self.fixed_names):
            text = f"{type(item).__name__} has no field {name!r} that can be set"
            self.reading.error(element, "bad-pyrave", text)
            return
        try:
            data = with_corners(from_json(element.text or ""), getattr(item, name))
            value, faults = coerced_field(type(item), name, decode(data))
        except (TypeError, ValueError, OverflowError, RecursionError) as error:
            self.reading.error(element, "bad-pyrave", f"<set name={name!r}>: {error}")
            return
        for fault in faults:
            self.reading.error(element, "bad-pyrave", str(fault))
        if not faults:
            changed[name] = with_files(value, lambda file: self.find(element, file))

    def _readables(
        self, item: Any, elements: list[Any]
    ) -> tuple[tuple[str, Readable], ...]:
        found = list(item.readables)
        for element in elements:
            if local_name(element) == "readables":
                found.clear()
            for one in element:
                key = element.get("key") or local_name(one)
                found.append((key, self.readable(item, key, one, element)))
        return tuple(found)

    # -- objects ---------------------------------------------------------------------

    def _named(
        self, item: Any, field: str, elements: list[Any], changed: dict[str, Any]
    ) -> None:
        objects = list(changed.get(field, getattr(item, field)))
        places = {one.name: index for index, one in enumerate(objects)}
        for element in elements:
            index = places.get(element.get("name") or "")
            if index is None:
                kind = local_name(element)
                self._stale(element, f"there is no {kind} of that name")
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
            made = self.apply(own[0] if own else BLANK_GEOMETRY, element)
            shown = made.render if isinstance(made.shape, NoShape) else made.shape
            if own and self._misses(shown, element):
                found += own
                continue
            found.append(made)
            for shape in (made.shape, made.render):
                mesh = _missing(shape)
                if mesh is not None:
                    self.missing(element, mesh.written or mesh.uri)
        changed["geometries"] = tuple(found)

    def _misses(self, shape: Any, element: Any) -> bool:
        """Return True if a mesh is missing: the triangles written stand for it."""
        mesh = _missing(shape)
        if mesh is None:
            return False
        self.reading.warn(
            element,
            "missing-file",
            f"the mesh {mesh.uri!r} is not found; the triangles in this file stand for "
            "it",
            "put the mesh next to this file or into a resource root",
        )
        return True

    def _new(self, item: Any, element: Any, changed: dict[str, Any]) -> None:
        field, kind = element.get("in") or "", element.get("type") or ""
        made = blank(field, kind)
        if made is None or not _has(item, field):
            text = f"<new in={field!r} type={kind!r}> has no meaning here"
            self.reading.error(element, "bad-pyrave", text)
            return
        made = dataclasses.replace(
            made,
            name=element.get("name") or made.name,
            location=self.reading.location(element),
        )
        objects = changed.get(field, getattr(item, field))
        changed[field] = (*objects, self.apply(made, element))

    def _order(self, item: Any, element: Any, changed: dict[str, Any]) -> None:
        field, words = element.get("name") or "", (element.text or "").split()
        # a robot may have been made a body
        kind = _ROBOT if isinstance(item, BodyDescription) else item
        if field not in _ORDERED or not _has(kind, field):
            text = f"<order name={field!r}> has no meaning here"
            self.reading.error(element, "bad-pyrave", text)
            return
        if field == "geometries" and field not in changed:
            return  # they are not those that the order is for
        objects = changed.get(field, getattr(item, field, ()))
        numbers = sorted(map(str, range(len(objects))))
        if not hasattr(item, field) or sorted(words) != numbers:
            self._stale(element, f"an order of {len(words)} {field}", len(objects))
            return
        changed[field] = tuple(objects[int(word)] for word in words)

    def _stale(self, element: Any, text: str, count: int | None = None) -> None:
        known = "" if count is None else f", the file has {count}"
        self.reading.warn(
            element,
            "stale-pyrave",
            f"<{local_name(element)} name={element.get('name')!r}>: {text}{known}; it "
            "is ignored",
            "delete it: the file was changed since it was written",
        )


def _missing(shape: Any) -> MeshReference | None:
    """Return the mesh file of a shape if it is not found."""
    mesh = shape.mesh if isinstance(shape, (TriMesh, RenderMesh)) else None
    return mesh if isinstance(mesh, MeshReference) and not mesh.found else None


def _count(element: Any) -> int:
    text = element.get("takes") or "1"
    is_count = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
    return int(text) if is_count else 1


# -- writing ---------------------------------------------------------------------------


def add(parent: Any, tag: str, text: str = "", /, **attributes: str) -> Any:
    """Append an element in the namespace of a block; empty attributes are left out."""
    namespace = etree.QName(parent).namespace
    child = etree.SubElement(parent, f"{{{namespace}}}{tag}" if namespace else tag)
    child.text = text or None
    for name, value in attributes.items():
        if value and fits_xml(value):
            child.set(name, value)
    return child


def add_readable(block: Any, key: str, readable: Readable, plain: str = "") -> str:
    """Append a readable to a block; return why that is impossible, or nothing."""
    xml = readable.to_xml()
    if xml is None:
        return "does not write itself"
    holder = add(block, "readable", key=key, plain=plain)
    try:
        add_xml(holder, xml)
    except (ValueError, TypeError) as error:  # no XML, or not even texts
        block.remove(holder)
        return f"is no XML: {error}"
    return ""


class LeftoversWriter(ABC):
    """Writes into blocks what of descriptions is read back differently.

    Formats derive from it: they know where blocks stand and what their losses are.

    Parameters
    ----------
    names
        Names of files.
    equal
        Whether two values are the same for the format.
    """

    fixed_names = False

    def __init__(self, names: FileNames, equal: Callable[[Any, Any], bool]) -> None:
        self._names = names
        self._equal = equal

    def fill(self, block: Any, wanted: Any, read: Any, holder: Any) -> None:
        """Append to a block what makes an object that is read the wanted one.

        Parameters
        ----------
        holder
            What the format knows the object by.

        Raises
        ------
        SceneError
            If no element can say it.
        """
        for field in dataclasses.fields(wanted):
            if not field.compare:
                continue
            name = field.name
            if not self._is_read(name, wanted, read):
                self.note(name, holder)
                self.add_field(block, name, wanted, read, holder)

    def _is_read(self, name: str, wanted: Any, read: Any) -> bool:
        """Return True if a field is read as wanted."""
        mine, other = getattr(wanted, name), getattr(read, name)
        bound = _OTHER_BOUND.get(name)
        if bound is None or mine == other or not hasattr(wanted, bound):
            return self._equal(mine, other)
        # a bound that is off by rounding may be on the wrong side of a new one
        return self._equal(mine, other) and self._equal(
            getattr(wanted, bound), getattr(read, bound)
        )

    def add_field(
        self, block: Any, name: str, wanted: Any, read: Any, holder: Any
    ) -> None:
        """Append a field that is read back differently."""
        mine, other = getattr(wanted, name), getattr(read, name)
        if name == "readables":
            self.add_readables(block, wanted, other, holder)
        elif name in _COLLECTIONS and not isinstance(wanted, InterfaceDescription):
            self.add_objects(block, name, mine, other, holder)
        elif name == "axes" and len(mine) == len(other):
            for axis, found in zip(mine, other, strict=True):
                self.fill(add(block, "axis"), axis, found, wanted.name)
        elif isinstance(mine, Readable) and not isinstance(mine, XmlReadable):
            self.note_unread(name, mine, other)
        elif _is_settable(wanted, name, fixed_names=self.fixed_names):
            self.add_value(block, name, mine, other)
        else:
            raise SceneError(
                f"cannot be written: {name} {mine!r} would be read back as {other!r}"
            )

    def add_value(self, block: Any, name: str, value: Any, read: Any) -> None:
        """Append the value of a field."""
        data = faces_alone(value, read) if name == "shape" else None
        add(block, "set", json.dumps(data or encode(value, self._names)), name=name)

    def add_order(self, block: Any, name: str, order: Sequence[int]) -> None:
        """Append the order of a field's objects, unless it is that of the elements."""
        if list(order) != sorted(order):
            add(block, "order", " ".join(map(str, order)), name=name)

    # -- for formats -----------------------------------------------------------------

    def note(self, name: str, holder: Any) -> None:
        """Note a field that differs, for the losses."""

    def note_unread(self, name: str, value: Readable, read: Any) -> None:
        """Note data of a plugin, which only its reader can read."""

    @abstractmethod
    def add_objects(
        self, block: Any, name: str, mine: Any, read: Any, holder: Any
    ) -> None:
        """Append what differs in each object of a field, and their order."""

    @abstractmethod
    def add_readables(self, block: Any, owner: Any, read: Any, holder: Any) -> None:
        """Append the readables of an object."""
