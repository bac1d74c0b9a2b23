"""Files that written WorkCells name: where they are, or written next to them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH118, PTH119, PTH120, PTH122, PTH123

from __future__ import annotations

import os
import re
from itertools import count
from typing import TYPE_CHECKING

from pyrave.errors import Error
from pyrave.formats import write_bytes
from pyrave.geometry import Mesh
from pyrave.scene import MeshData, MeshReference
from pyrave_workcell.workcell.files import SHOWN, SOLID

if TYPE_CHECKING:
    from pyrave.formats import FileNames, Losses, ReadContext

_READ = tuple(f".{suffix}" for suffix in SOLID)
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_LONGEST_MARK = 4096
_ONE = (1.0, 1.0, 1.0)


class SideFiles:
    """Names the files next to a written one, and writes those that are not there.

    They replace what an earlier save of the same file wrote, and nothing else: one of
    the first two lines of each says which file it belongs to.

    Parameters
    ----------
    target
        Path of the written file, or None: nothing can be written next to it.
    """

    def __init__(
        self,
        target: str | None,
        names: FileNames,
        reading: ReadContext | None,
        losses: Losses,
    ) -> None:
        self.target = target
        self._folder = os.path.dirname(target) if target else ""
        self._stem = _stem(target) if target else ""
        owner = " ".join(os.path.basename(target or "").split())
        # comments of XML have no --
        self._mark = f"written by pyrave for {owner}".replace("--", "- -")
        self._names = names
        self._reading = reading
        self._losses = losses
        self._known: dict[MeshReference | MeshData, str | None] = {}
        self._files: dict[str, bytes] = {}
        self._taken: set[str] = set()
        self._numbers: dict[tuple[str, str], int] = {}

    def mesh(
        self, mesh: MeshReference | MeshData, owner: str, *, told: bool = False
    ) -> str | None:
        """Return the name of a mesh's file; None if it has none, which is reported.

        Parameters
        ----------
        owner
            What a new file is named after.
        told
            That triangles of the description stand in files is reported already.
        """
        if mesh not in self._known:
            self._known[mesh] = self._mesh(mesh, owner)
        if isinstance(mesh, MeshData) and self._known[mesh] is not None and not told:
            self._losses.add(
                "triangles in the description stand in files", owner,
                kind="written-otherwise",
            )  # fmt: skip
        return self._known[mesh]

    def both(self, solid: MeshReference, shown: MeshReference) -> str | None:
        """Return the name that means one file for collisions and another for display.

        RobWork tries suffixes in an order of its own for each. None: there is none.
        """
        stem = os.path.splitext(solid.uri)[0]
        if os.path.splitext(shown.uri)[0] != stem or os.path.isfile(stem):
            return None
        if any(one.scale != _ONE or one.y_up for one in (solid, shown)):
            return None
        if _first(stem, SOLID) != solid.uri or _first(stem, SHOWN) != shown.uri:
            return None
        return self._names.of(stem)

    def setup(self, data: bytes) -> str | None:
        """Return the name of a new proximity setup, None if there can be none."""
        if self.target is None:
            return None
        path = self._free(self._stem, ".prox.xml")
        self._files[path] = f"<!-- {self._mark} -->\n".encode() + data
        return os.path.basename(path)

    def other(self, suffix: str, data: bytes) -> str:
        """Return the name of a new XML file that belongs to the written one."""
        path = self._free(self._stem, suffix)
        declaration, _, rest = data.partition(b"\n")
        self._files[path] = b"%b\n<!-- %b -->\n%b" % (
            declaration,
            self._mark.encode(),
            rest,
        )
        return os.path.basename(path)

    def write(self) -> None:
        """Write the files that are not there."""
        for path, data in self._files.items():
            write_bytes(path, data)

    # -- one mesh ----------------------------------------------------------------------

    def _mesh(self, mesh: MeshReference | MeshData, owner: str) -> str | None:
        if isinstance(mesh, MeshReference):
            if not mesh.found:
                self._losses.add("triangles of meshes that were not found", mesh.uri)
                return mesh.uri
            plain = mesh.scale == _ONE and not mesh.y_up
            if plain and mesh.uri.lower().endswith(_READ):
                return self._names.of(mesh.uri)
        loaded = self._loaded(mesh)
        if loaded is None:
            return None
        if not len(loaded.faces):
            self._losses.add("meshes without triangles are not written", owner)
            return None
        if self.target is None:
            self._losses.add(
                "triangles need a file next to the scene: save to a path", owner
            )
            return None
        if loaded.materials:
            self._losses.add("colours of meshes that are written anew", owner)
        if loaded.is_textured:
            self._losses.add("images on meshes that are written anew", owner)
        path = self._free(_NOT_IN_NAMES.sub("_", f"{self._stem}.{owner}"), ".obj")
        self._files[path] = f"# {self._mark}\n".encode() + _obj(loaded)
        return os.path.basename(path)

    def _loaded(self, mesh: MeshReference | MeshData) -> Mesh | None:
        if isinstance(mesh, MeshData):
            return Mesh(mesh.vertices, mesh.faces)
        load = None if self._reading is None else self._reading.load_mesh
        try:
            if load is not None:
                return load(mesh)
            self._losses.add("meshes that nothing loads are not written", mesh.uri)
        except Error as error:
            first = str(error).partition("\n")[0]
            self._losses.add(f"the mesh {mesh.uri} is not written: {first}")
        return None

    def _free(self, stem: str, suffix: str) -> str:
        """Return a path where nothing is, or what a save of this file wrote."""
        for number in count(self._numbers.get((stem, suffix), 0)):
            tail = f"_{number}" if number else ""
            path = os.path.join(self._folder, f"{stem}{tail}{suffix}")
            if path.casefold() not in self._taken and self._may_write(path):
                break
        self._numbers[stem, suffix] = number
        self._taken.add(path.casefold())
        return path

    def _may_write(self, path: str) -> bool:
        try:
            with open(path, "rb") as file:
                lines = [file.readline(_LONGEST_MARK) for _ in range(2)]
        except OSError:
            # a name that nothing can have is refused when it is written
            return not os.path.lexists(path)
        first = (line.decode("utf-8", "replace") for line in lines)
        return self._mark in {line.strip("#<!-> \r\n") for line in first}


def _first(stem: str, suffixes: tuple[str, ...]) -> str | None:
    """Return the file that RobWork takes for a name without a suffix."""
    for suffix in suffixes:
        for one in (suffix.upper(), suffix):
            if os.path.isfile(f"{stem}.{one}"):
                return f"{stem}.{one}"
    return None


def _stem(target: str) -> str:
    base = os.path.basename(target)
    for suffix in (".dwc.xml", ".wc.xml", ".xml"):
        if base.lower().endswith(suffix):
            base = base[: -len(suffix)]
            break
    return base or "scene"


def _obj(mesh: Mesh) -> bytes:
    """Return a mesh as Wavefront OBJ; numbers read back exactly."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
