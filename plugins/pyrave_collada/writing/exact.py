"""Extras of profile ``pyrave``: what a written file would otherwise say differently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.leftovers import (
    BLANK_GEOMETRY,
    NAMED,
    LeftoversWriter,
    add,
    add_readable,
    blank,
)
from pyrave.scene import Readable, XmlReadable, same
from pyrave_collada.document.parsed import EXACT_NAMESPACE
from pyrave_collada.writing.geometry import SHOWN_GROUP
from pyrave_collada.writing.names import written_names
from pyrave_collada.writing.tags import add_exact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.formats.output.file_names import FileNames
    from pyrave.formats.output.losses import Losses
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
"""Names in losses of fields that COLLADA has no place for."""
_DATA_OF = frozenset({"geometry", "joint", "link", "scene"})


class Differences(LeftoversWriter):
    """Writes what of descriptions is read back differently.

    Objects are known by the name that losses call: their body's, their joint's.

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
        super().__init__(names, same)
        self._shown = shown
        self._losses = losses

    def add(self, holder: Any, wanted: Any, read: Any, body: str = "") -> None:
        """Append an extra to an element, unless it is read as wanted."""
        block = etree.Element(f"{{{EXACT_NAMESPACE}}}exact")
        self.fill(block, wanted, read, body)
        if len(block):
            add_exact(holder).extend(list(block))

    def note(self, name: str, holder: Any) -> None:
        """Note a field that COLLADA has no place for."""
        if name in _ONLY_HERE:
            self._keep(_ONLY_HERE[name], holder)

    def _keep(self, what: str, *items: str) -> None:
        """Report the data that are written for pyrave alone."""
        named = [item for item in items if item]
        self._losses.add(f"{what} are for pyrave alone", *named, kind="pyrave-only")

    def note_unread(self, name: str, value: Readable, read: Any) -> None:
        """Note data of a plugin that no reader of COLLADA reads."""
        if read is None or value.to_xml() != read.to_xml():
            self._losses.add(f"the {name} {value!r:.80} has no reader in COLLADA")

    def add_objects(
        self, block: Any, name: str, mine: Any, read: Any, holder: str
    ) -> None:
        """Append what differs in each object, and their order."""
        if name == "geometries":
            self._geometries(block, mine, read, holder)
            return
        if name == "interfaces":
            for one in mine:
                self._keep("interfaces", f"{one.type} {one.interface}".rstrip())
                self._new(block, name, one, holder)
            return
        places = {one.name: index for index, one in enumerate(read)}
        order: list[int] = []
        added: list[Any] = []
        for one, key in zip(mine, written_names(name, mine), strict=True):
            place = places.pop(key, None)
            if place is None:
                place = len(read) + len(added)
                added.append(one)
            elif name != "bodies":  # they have extras of their own
                part = add(block, NAMED[name], name=key)
                self.fill(part, one, read[place], holder)
                if not len(part):
                    block.remove(part)
            order.append(place)
        for one in added:
            self._new(block, name, one, holder)
        self.add_order(block, name, order)

    def _new(self, block: Any, name: str, one: Any, holder: str) -> None:
        kind = type(one).__name__
        new = add(block, "new", type=kind)
        new.set("in", name)
        self.fill(new, one, blank(name, kind), holder)

    def _geometries(self, block: Any, mine: Any, other: Any, holder: str) -> None:
        plain = list(other)
        link = holder, block.get("name") or ""
        shown = self._shown.get(link, (None,) * len(mine))
        # those that no node shows are read behind the others
        places = range(len(mine))
        groups = [
            (one or geometry).group for one, geometry in zip(shown, mine, strict=True)
        ]
        order = sorted(places, key=lambda place: groups[place] != SHOWN_GROUP)
        for place in order:
            one = shown[place]
            part = add(block, "geometry", takes="0" if one is None else "")
            read = BLANK_GEOMETRY if one is None else plain.pop(0)
            self.fill(part, mine[place], read, holder)
        self.add_order(block, "geometries", [order.index(place) for place in places])

    def add_readables(self, block: Any, owner: Any, read: Any, holder: str) -> None:
        """Append all readables of an object."""
        add(block, "readables")
        kind = _CALLED.get(type(owner).__name__, "scene")
        for key, readable in owner.readables:
            plain = "true" if isinstance(readable, XmlReadable) else ""
            reason = add_readable(block, key, readable, plain)
            if reason:
                called = f"{kind} {owner.name!r}" if kind != "scene" else "the scene"
                # in the words of those who write what other programs read, too
                self._losses.add(f"the readable {key!r} of {called} {reason}")
            elif kind in _DATA_OF and (key, readable) not in read:
                self._keep("data without a place in COLLADA", f"{key} of a {kind}")
