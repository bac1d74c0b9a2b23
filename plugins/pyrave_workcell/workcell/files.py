"""The mesh files that models name, most often without a suffix."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH118, PTH119, PTH120, PTH208

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError
from pyrave.scene import MeshReference

if TYPE_CHECKING:
    from pyrave_workcell.syntax import CellNode
    from pyrave_workcell.workcell.load import WorkcellReading

# in the order that RobWork tries them; those of the last row have no reader here
SOLID = ("stl", "stla", "stlb", "dae", "ac", "ac3d", "3ds", "obj")
SHOWN = ("ac", "ac3d", "3ds", "obj", "dae", "stl", "stla", "stlb")
_MAX_MISSING = 1000
"""Names of files that are not there; each is looked for in many places."""
_MAX_SUGGESTED = 10
_UNREAD = ("tri", "ivg", "pcd")


class Files:
    """Finds the mesh files of one load, each name once."""

    def __init__(self, reading: WorkcellReading) -> None:
        self._reading = reading
        self._found: dict[tuple[str | None, str, bool], str | None] = {}
        self._entries: dict[str, frozenset[str]] = {}
        self._missing = 0

    def mesh(self, node: CellNode, name: str, *, shown: bool) -> MeshReference:
        """Return the mesh of a name, relative to the file that has the element.

        Parameters
        ----------
        shown
            Search as for a mesh that is shown, else as for one that collides. Other
            suffixes come first then, so that the two may differ.
        """
        path = self._path(node, name, SHOWN if shown else SOLID, shown=shown)
        if path is None:
            return MeshReference(name, written=name, found=False)
        return MeshReference(path, written=name)

    def _path(
        self, node: CellNode, name: str, suffixes: tuple[str, ...], *, shown: bool
    ) -> str | None:
        key = node.document.folder, name, shown
        if key in self._found:
            return self._found[key]
        resolver = self._reading.context.resolver
        plain = name.strip().replace("\\", "/")
        folder = node.document.folder
        names = [plain]
        for suffix in (*suffixes, *_UNREAD):
            names += (f"{plain}.{suffix.upper()}", f"{plain}.{suffix}")
        found = None
        for candidate in (*self._there(folder, plain, names), *names):
            found = resolver.find(candidate, folder)
            if found is not None:
                break
        else:
            self._missing += 1
            if self._missing > _MAX_MISSING:
                node.refuse(
                    "too-complex",
                    f"more than {_MAX_MISSING} mesh files that it names are not there",
                )
            try:
                found = resolver.resolve(
                    plain, folder, suggest=self._missing <= _MAX_SUGGESTED
                )
            except SceneError as error:
                self._reading.warn(node, "bad-uri", error.first.message, error.hint)
            except ResourceError as error:
                self._reading.warn(
                    node,
                    "missing-mesh",
                    f"the mesh {error}",
                    "without a suffix, those of STL, DAE, AC3D, 3DS and OBJ are tried",
                )
        self._found[key] = found
        return found

    def _there(self, folder: str | None, plain: str, names: list[str]) -> list[str]:
        """Return those of some names that the file's own folder seems to have.

        One look into the folder is much less than one for each name.
        """
        place = os.path.join(folder or "", os.path.dirname(plain))
        if place not in self._entries:
            try:
                self._entries[place] = frozenset(os.listdir(place or "."))
            except (OSError, ValueError):
                self._entries[place] = frozenset()
        entries = self._entries[place]
        return [name for name in names if os.path.basename(name) in entries]
