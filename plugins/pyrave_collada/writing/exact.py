"""Extras of profile ``pyrave``: what a written file would otherwise say differently."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.field_values import encode
from pyrave.scene import Readable, XmlReadable, same
from pyrave_collada.document.parsed import EXACT_NAMESPACE
from pyrave_collada.reading.exact import NAMED, blank, is_collection
from pyrave_collada.writing.geometry import SHOWN_GROUP
from pyrave_collada.writing.names import written_names
from pyrave_collada.writing.tags import add, add_exact, add_xml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.formats.file_names import FileNames
    from pyrave.formats.losses import Losses
    from pyrave_collada.writing.geometry import Shown

_CALLED = {
    "AttachedSensorDescription": "sensor",
    "BodyDescription": "body",
    "GeometryDescription": "geometry",
    "InterfaceDescription": "interface",
    "JointDescription": "joint",
    "LinkDescription": "link",
    "ManipulatorDescription": "manipulator",
    "RobotDescription": "body",
}
_ONLY_HERE = {
    "background_color": "background colours",
    "camera": "cameras of viewers",
    "commands": "commands",
    "inertia_limit": "inertia limits of joints",
    "plugins": "names of plugins",
    "torque_limit": "torque limits of joints",
}
"""What losses call fields that COLLADA has no place for."""
_DATA_OF = frozenset({"geometry", "joint", "link", "scene"})


class Differences:
    """Writes what of descriptions is read back differently.

    Parameters
    ----------
    names
        Names of files.
    shown
        By body and link: what is shown for each geometry.
    losses
        Receives what cannot be written, and what only pyrave reads.
    """

    def __init__(
        self,
        names: FileNames,
        shown: Mapping[tuple[str, str], Sequence[Shown | None]],
        losses: Losses,
    ) -> None:
        self._names = names
        self._shown = shown
        self._losses = losses

    def add(self, holder: Any, wanted: Any, read: Any, body: str = "") -> None:
        """Append an extra to an element, unless it is read as wanted."""
        exact = self._told("exact", wanted, read, body)
        if exact is not None:
            add_exact(holder).extend(list(exact))

    def _told(self, tag: str, wanted: Any, read: Any, body: str, **names: str) -> Any:
        """Return an element with what differs, None if nothing does."""
        if same(wanted, read):
            return None
        element = add(etree.Element(f"{{{EXACT_NAMESPACE}}}aside"), tag, **names)
        for field in dataclasses.fields(wanted):
            if field.compare:
                mine, other = getattr(wanted, field.name), getattr(read, field.name)
                if not same(mine, other):
                    self._field(element, field.name, mine, other, (wanted, body))
                    if field.name in _ONLY_HERE and tag != "axis":
                        self._keep(_ONLY_HERE[field.name], body)
        return element if len(element) else None

    def _keep(self, what: str, *items: str) -> None:
        """Note what is written for pyrave alone."""
        named = [item for item in items if item]
        self._losses.add(f"{what} are for pyrave alone", *named, kind="pyrave-only")

    def _field(
        self, element: Any, name: str, mine: Any, other: Any, owner: tuple[Any, str]
    ) -> None:
        wanted, body = owner
        if name == "readables":
            self._readables(element, mine, other, wanted)
        elif is_collection(wanted, name):
            self._objects(element, name, mine, other, body)
        elif name == "interfaces":
            for one in mine:
                self._keep("interfaces", f"{one.type} {one.interface}".rstrip())
                self._new(element, name, one, body)
        elif name == "geometries":
            self._geometries(element, mine, other, (body, element.get("name") or ""))
        elif name == "axes" and len(mine) == len(other):
            for axis, found in zip(mine, other, strict=True):
                for key, what in _ONLY_HERE.items():
                    if getattr(axis, key, None) != getattr(found, key, None):
                        self._keep(what, wanted.name)
                told = self._told("axis", axis, found, body)
                element.append(add(element, "axis") if told is None else told)
        elif isinstance(mine, Readable) and not isinstance(mine, XmlReadable):
            if other is None or mine.to_xml() != other.to_xml():
                self._losses.add(f"the {name} {mine!r:.80} has no reader in COLLADA")
        else:
            text = json.dumps(encode(mine, self._names))
            add(element, "set", text, name=name)

    def _objects(
        self, element: Any, name: str, mine: Any, other: Any, body: str
    ) -> None:
        """Append what differs in each object, and their order."""
        places = {one.name: index for index, one in enumerate(other)}
        order: list[int] = []
        added: list[Any] = []
        for one, key in zip(mine, written_names(name, mine), strict=True):
            place = places.pop(key, None)
            if place is None:
                place = len(other) + len(added)
                added.append(one)
            elif name != "bodies":  # they have extras of their own
                told = self._told(NAMED[name], one, other[place], body, name=key)
                if told is not None:
                    element.append(told)
            order.append(place)
        for one in added:
            self._new(element, name, one, body)
        if order != sorted(order):
            add(element, "order", " ".join(map(str, order)), name=name)

    def _new(self, element: Any, name: str, one: Any, body: str) -> None:
        kind = type(one).__name__
        told = self._told("new", one, blank(kind), body, type=kind)
        told = add(element, "new", type=kind) if told is None else told
        told.set("in", name)
        element.append(told)

    def _geometries(
        self, element: Any, mine: Any, other: Any, link: tuple[str, str]
    ) -> None:
        plain, fresh = list(other), blank("GeometryDescription")
        shown = self._shown.get(link, (None,) * len(mine))
        # those that no node shows are read behind the others
        places = range(len(mine))
        order = sorted(places, key=lambda place: mine[place].group != SHOWN_GROUP)
        for place in order:
            geometry, one = mine[place], shown[place]
            read = fresh if one is None else plain.pop(0)
            told = self._told("geometry", geometry, read, link[0])
            told = add(element, "geometry") if told is None else told
            if one is None:
                told.set("takes", "0")
            element.append(told)
        if order != list(places):
            back = " ".join(str(order.index(place)) for place in places)
            add(element, "order", back, name="geometries")

    def _readables(
        self, element: Any, items: Sequence[tuple[str, Readable]], read: Any, owner: Any
    ) -> None:
        if not items:
            add(element, "readables")
        kind = _CALLED.get(type(owner).__name__, "scene")
        for key, readable in items:
            xml = readable.to_xml()
            # in the words of those who write what other programs read, too
            what = f"the readable {key!r} of {_called(owner)}"
            if xml is None:
                self._losses.add(f"{what} does not write itself")
                continue
            plain = "true" if isinstance(readable, XmlReadable) else ""
            holder = add(element, "readable", key=key, plain=plain)
            try:
                add_xml(holder, xml)
            except (ValueError, TypeError) as error:
                element.remove(holder)
                self._losses.add(f"{what} is no XML: {error}")
                continue
            if kind in _DATA_OF and (key, readable) not in read:
                self._keep("data without a place in COLLADA", f"{key} of a {kind}")


def _called(item: Any) -> str:
    """Return what messages call an object."""
    kind = _CALLED.get(type(item).__name__, "scene")
    return f"{kind} {item.name!r}" if kind != "scene" else "the scene"
