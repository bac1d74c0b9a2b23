"""State of one save: names of files, readables, what was lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Error
from pyrave.formats.file_names import FileNames
from pyrave.formats.openrave_xml.geom import TURNED
from pyrave.formats.openrave_xml.write_tags import add, numbers, plain, set_attributes
from pyrave.scene import MeshReference, Readable, XmlElement
from pyrave.scene.pose import Matrix3

if TYPE_CHECKING:
    from pyrave.geometry import Mesh

__all__ = ["Writing"]

_ONE = (1.0, 1.0, 1.0)
_TURNS: tuple[Matrix3, ...] = (
    (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0),
    (0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0),
)
"""How files are turned in which z or x points up, by rows."""


class Writing:
    """One save of a scene; belongs to one thread.

    Attributes
    ----------
    names
        Names of other files.
    lost
        A text for each thing that could not be written.
    hinted
        Manipulators with readables, which pyrave alone takes.
    left_out
        Identities of readables that are among them.

    Parameters
    ----------
    load
        Loads a mesh file, or None.
    """

    def __init__(
        self,
        names: FileNames,
        load: Callable[[MeshReference], Mesh] | None = None,
    ) -> None:
        self.names = names
        self._load = load
        self._turns: dict[MeshReference, Matrix3 | None] = {}
        self.lost: list[str] = []
        self.hinted: list[str] = []
        self.left_out: set[int] = set()

    def readables(
        self, parent: Any, items: Iterable[tuple[str, Readable]], kind: str
    ) -> None:
        """Write what custom readers left; whole elements are merged into `parent`."""
        for key, readable in items:
            xml = readable.to_xml()
            if xml is None:
                self.lose(readable, f"the readable {key!r} does not write itself")
                continue
            try:
                # what a whole element was read as stands under its interface's id
                whole = xml.tag.lower() == kind and key.lower() != kind
                self._readable(parent, xml, whole=whole)
            except (ValueError, TypeError) as error:
                self.lose(readable, f"the readable {key!r} is no XML: {error}")

    def kept_readables(
        self, parent: Any, items: Iterable[tuple[str, Readable]]
    ) -> None:
        """Write readables where OpenRAVE has no place for them: for pyrave alone."""
        for key, readable in items:
            xml = readable.to_xml()
            if xml is None:
                self.lose(readable, f"the readable {key!r} does not write itself")
                continue
            holder = add(parent, "readable")
            try:
                set_attributes(holder, key=key)
                self._readable(holder, xml, whole=False)
            except (ValueError, TypeError) as error:
                parent.remove(holder)
                self.lose(readable, f"the readable {key!r} is no XML: {error}")

    def lose(self, readable: Readable, message: str) -> None:
        """Note that a readable is not written."""
        self.lost.append(message)
        self.left_out.add(id(readable))

    def mesh(self, parent: Any, tag: str, mesh: MeshReference) -> None:
        """Append a tag that names a mesh file."""
        name = self.names.of(mesh.uri, mesh.written) if mesh.found else mesh.uri
        scale = "" if mesh.scale == _ONE else numbers(mesh.scale)
        if any(letter.isspace() for letter in name):
            set_attributes(add(parent, tag), file=name, scale=scale)
        else:
            add(parent, tag, f"{name} {scale}".rstrip())

    def turn_of(self, mesh: MeshReference) -> Matrix3 | None:
        """Return how OpenRAVE turns a mesh file that is taken as it is, None if not."""
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

    @staticmethod
    def _readable(parent: Any, xml: XmlElement, *, whole: bool) -> None:
        made = plain(xml)
        made.tail = None
        if not whole:
            parent.append(made)
            return
        known = {name.lower() for name in parent.attrib}
        for name, value in xml.attributes:
            if name.lower() not in known:
                parent.set(name, value)
        parent.extend(list(made))
