"""Files that written WorkCells name: where they are, or written next to them."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH122

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from pyrave.errors import Error
from pyrave.formats import Companions
from pyrave.geometry import Mesh
from pyrave.scene import MeshData, MeshReference
from pyrave_workcell.workcell.files import SHOWN, SOLID

if TYPE_CHECKING:
    from pyrave.formats import FileNames, Losses, ReadContext

_READ = tuple(f".{suffix}" for suffix in SOLID)
_SUFFIXES = (".dwc.xml", ".wc.xml", ".xml")
_ONE = (1.0, 1.0, 1.0)


class SideFiles:
    """Names the files next to a written one, and writes those that are not there.

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
        self._companions: Companions | None = None
        if target is not None:
            self._companions = Companions(target, _SUFFIXES)
        self._names = names
        self._reading = reading
        self._losses = losses
        self._known: dict[MeshReference | MeshData, str | None] = {}

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
        return self._named(stem, solid.uri, shown.uri)

    def setup(self, data: bytes) -> str | None:
        """Return the name of a new proximity setup, None if there can be none."""
        if self._companions is None:
            return None
        mark = f"<!-- {self._companions.mark} -->\n".encode()
        return self._companions.add(".prox.xml", mark + data)

    def other(self, suffix: str, data: bytes) -> str:
        """Return the name of a new XML file that belongs to the written one."""
        assert self._companions is not None  # noqa: S101 - callers look at the target
        declaration, _, rest = data.partition(b"\n")
        mark = f"<!-- {self._companions.mark} -->".encode()
        return self._companions.add(suffix, b"\n".join((declaration, mark, rest)))

    def written(self) -> AbstractContextManager[None]:
        """Write the files that are not there; the block writes the one itself."""
        return nullcontext() if self._companions is None else self._companions.written()

    def _named(self, name: str, *paths: str) -> str:
        """Return a name of files that stay, also where an earlier save wrote them."""
        if self._companions is not None:
            self._companions.keep(paths)
        return self._names.name_of(name)

    # -- one mesh ----------------------------------------------------------------------

    def _mesh(self, mesh: MeshReference | MeshData, owner: str) -> str | None:
        if isinstance(mesh, MeshReference):
            if not mesh.found:
                self._losses.add("triangles of meshes that were not found", mesh.uri)
                return mesh.uri
            plain = mesh.scale == _ONE and not mesh.y_up
            if plain and mesh.uri.lower().endswith(_READ):
                return self._named(mesh.uri, mesh.uri)
        loaded = self._loaded(mesh)
        if loaded is None:
            return None
        if not len(loaded.faces):
            self._losses.add("meshes without triangles are not written", owner)
            return None
        if self._companions is None:
            self._losses.add(
                "triangles need a file next to the scene: save to a path", owner
            )
            return None
        if loaded.materials:
            self._losses.add("colours of meshes that are written anew", owner)
        if loaded.is_textured:
            self._losses.add("images on meshes that are written anew", owner)
        mark = f"# {self._companions.mark}\n".encode()
        return self._companions.add(".obj", mark + _obj(loaded), owner)

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


def _first(stem: str, suffixes: tuple[str, ...]) -> str | None:
    """Return the file that RobWork takes for a name without a suffix."""
    for suffix in suffixes:
        for one in (suffix.upper(), suffix):
            if os.path.isfile(f"{stem}.{one}"):
                return f"{stem}.{one}"
    return None


def _obj(mesh: Mesh) -> bytes:
    """Return a mesh as Wavefront OBJ; numbers read back exactly."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
