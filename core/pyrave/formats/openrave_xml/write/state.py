"""State of one save: names of files, readables, what was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.formats.leftovers import add_readable
from pyrave.formats.openrave_xml.elements.geom import TURNED
from pyrave.formats.openrave_xml.schema import ELEMENTS
from pyrave.formats.openrave_xml.write.tags import add, set_attributes
from pyrave.formats.output.file_names import FileNames
from pyrave.formats.output.losses import Losses
from pyrave.formats.output.numbers import numbers
from pyrave.formats.xml import add_xml, from_xml_element
from pyrave.scene import MeshReference, Readable, XmlElement, XmlReadable
from pyrave.scene.pose import Matrix3
from pyrave.scene.readable import InnerKey

if TYPE_CHECKING:
    from pyrave.geometry import Mesh

_ONE = (1.0, 1.0, 1.0)
_TURNS: tuple[Matrix3, ...] = (
    (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0),
    (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)
"""Rotations of files in which z or x points up, row-major."""
# OpenRAVE ends an element at these tags, too.
_ENDING = {"geom": frozenset({"geom", "geometry"})}


# Elements whose <pyrave> takes readables.
_BODY_PARTS = frozenset({"body", "geom", "joint", "kinbody", "robot"})
# Parts of bodies as readers of tags call them.
_PARTS = {"body": "link", "geom": "geometry"}


def _no_reader(_part: str, _tag: str) -> None:
    return None


class Writing:
    """One save of a scene; belongs to one thread.

    Attributes
    ----------
    names
        Names of other files.
    losses
        What could not be written, or not so that other programs read it.
    left_out
        Identities of readables that are not written.

    Parameters
    ----------
    load
        Loads a mesh file, or None.
    find_reader
        Finds what reads a tag in a part of a body.
    """

    def __init__(
        self,
        names: FileNames,
        load: Callable[[MeshReference], Mesh] | None = None,
        find_reader: Callable[[str, str], object | None] = _no_reader,
    ) -> None:
        self.names = names
        self._load = load
        self._find_reader = find_reader
        self._turns: dict[MeshReference, Matrix3 | None] = {}
        self.losses = Losses()
        self.left_out: set[int] = set()

    def readables(
        self, parent: Any, items: Iterable[tuple[str, Readable]], kind: str
    ) -> None:
        """Write the data of custom readers; whole elements are merged into `parent`.

        What is a tag of the format there goes where pyrave alone takes it, and so does
        what nobody reads, unless a file of this format had it as a tag.
        """
        kept = []
        foreign = []
        for key, readable in items:
            xml = readable.to_xml()
            if xml is None:
                self.lose(readable, f"the readable {key!r} does not write itself")
                continue
            # what a whole element was read as stands under its interface's id
            whole = xml.tag.lower() == kind and key.lower() != kind
            if not whole and isinstance(readable, XmlReadable) and _is_tag(xml, kind):
                kept.append((key, readable))
                continue
            if self._is_unknown(readable, xml, kind):
                foreign.append((key, readable))
                continue
            try:
                (_merge if whole else add_xml)(parent, xml)
            except (ValueError, TypeError) as error:
                self.lose(readable, f"the readable {key!r} is no XML: {error}")
        if not kept and not foreign:
            return
        self.kept_readables(add(parent, "pyrave"), kept + foreign)
        for what, those in (
            ("readables that OpenRAVE would take for its own tags", kept),
            ("data that nothing reads", foreign),
        ):
            written = [key for key, one in those if id(one) not in self.left_out]
            if written:
                self.keep(what, *(f"{key} of a {kind}" for key in written))

    def is_inside(self, key: str, readable: Readable) -> bool:
        """Return True if a readable of a robot is a tag of its ``<kinbody>``.

        It was read there, or only readers of bodies know it.
        """
        xml = readable.to_xml()
        if xml is None or xml.tag.lower() in {"kinbody", "robot"}:
            return False
        if _is_tag(xml, "kinbody") or self._is_unknown(readable, xml, "kinbody"):
            return False
        tag = xml.tag.lower()
        return isinstance(key, InnerKey) or (
            self._find_reader("robot", tag) is None
            and self._find_reader("kinbody", tag) is not None
        )

    def _is_unknown(self, readable: Readable, xml: XmlElement, kind: str) -> bool:
        """Return True if nobody would read an element here, and none was read here."""
        # the reader of this format says where an element stands
        if kind not in _BODY_PARTS or xml.location is not None:
            return False
        if not isinstance(readable, XmlReadable):
            return False
        return self._find_reader(_PARTS.get(kind, kind), xml.tag.lower()) is None

    def kept_readables(
        self, parent: Any, items: Iterable[tuple[str, Readable]]
    ) -> None:
        """Write readables where OpenRAVE has no place for them: for pyrave alone."""
        for key, readable in items:
            reason = add_readable(parent, key, readable)
            if reason:
                self.lose(readable, f"the readable {key!r} {reason}")

    def lose(self, readable: Readable, message: str) -> None:
        """Note that a readable is not written."""
        self.losses.add(message)
        self.left_out.add(id(readable))

    def keep(self, what: str, *items: str) -> None:
        """Note objects that are written for pyrave alone."""
        self.losses.add(f"{what} are for pyrave alone", *items, kind="pyrave-only")

    def mesh(self, parent: Any, tag: str, mesh: MeshReference) -> None:
        """Append a tag that names a mesh file."""
        name = self.names.name_of(mesh.uri, mesh.written) if mesh.found else mesh.uri
        scale = "" if mesh.scale == _ONE else numbers(mesh.scale)
        if any(letter.isspace() for letter in name):
            set_attributes(add(parent, tag), file=name, scale=scale)
        else:
            add(parent, tag, f"{name} {scale}".rstrip())

    def turn_of(self, mesh: MeshReference) -> Matrix3 | None:
        """Return OpenRAVE's rotation of a mesh file that is used directly, or None."""
        if mesh not in self._turns:
            self._turns[mesh] = self._turn(mesh)
        return self._turns[mesh]

    def _turn(self, mesh: MeshReference) -> Matrix3 | None:
        if mesh.y_up or not mesh.found or self._load is None:
            return None
        if not mesh.uri.lower().endswith(TURNED):
            return None
        own = replace(mesh, scale=_ONE)
        try:
            given, upright = self._load(own), self._load(replace(own, y_up=True))
        except Error:
            return None  # nothing can be said of a file that cannot be read
        for turn in _TURNS:
            matrix = np.array(turn).reshape(3, 3)
            if np.array_equal(given.vertices @ matrix.T, upright.vertices):
                return turn
        return None


def _merge(parent: Any, xml: XmlElement) -> None:
    """Give an element the attributes and children of another one."""
    made = from_xml_element(xml)
    known = {name.lower() for name in parent.attrib}
    for name, value in xml.attributes:
        if name.lower() not in known:
            parent.set(name, value)
    parent.extend(list(made))


def _is_tag(xml: XmlElement, kind: str) -> bool:
    """Return True if a format's reader takes an element in another for its own tag."""
    tag = xml.tag.lower()
    return kind != "trajectory" and (
        tag in ELEMENTS[kind].tags or tag in _ENDING.get(kind, ())
    )
