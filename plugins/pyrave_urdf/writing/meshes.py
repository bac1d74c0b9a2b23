"""Mesh files of written URDF: named where they are, or written next to the file."""

from __future__ import annotations

import os
from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error
from pyrave.formats import Companions
from pyrave.geometry import Mesh
from pyrave.scene import Material, MeshData, MeshReference
from pyrave_urdf.packages import Packages

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pyrave.formats import FileNames, Losses, ReadContext, WriteContext
    from pyrave.scene import RobotDescription

_READ_BY_ALL = (".stl", ".obj", ".dae")
_ONE = (1.0, 1.0, 1.0)
_PLAIN = Material()


@dataclass(frozen=True, slots=True)
class MeshFile:
    """A file with its scale, and the material that it is shown with, if it has one."""

    name: str
    scale: tuple[float, float, float] = _ONE
    material: Material | None = None


class MeshFiles:
    """Names the mesh files of one save and writes those that are not there.

    Files that every program reads are named; others, and triangles that descriptions
    hold themselves, are written as Wavefront OBJ, which keeps numbers exactly.

    Parameters
    ----------
    target
        Path of the URDF file, or None: nothing can be written next to it.
    """

    def __init__(
        self,
        target: str | None,
        robot: RobotDescription,
        names: FileNames,
        context: WriteContext,
        losses: Losses,
    ) -> None:
        self._companions: Companions | None = None
        if target is not None:
            self._companions = Companions(target, (".urdf.xacro", ".xacro", ".urdf"))
            self._companions.keep(_referenced(robot))
        self._names = names
        self._reading: ReadContext | None = context.reading
        self._losses = losses
        self._parts: dict[Hashable, list[MeshFile]] = {}
        self._packages: Packages | None = None
        if context.reading is not None and target is not None:
            self._packages = Packages(context.reading, os.path.dirname(target))  # noqa: PTH120

    def parts(self, mesh: MeshReference | MeshData, link: str) -> list[MeshFile]:
        """Return the files that are a mesh together, one for each of its materials.

        None at all if it cannot be written, which is reported.
        """
        if mesh not in self._parts:
            self._parts[mesh] = self._made(mesh, link)
        return self._parts[mesh]

    def whole(self, mesh: MeshReference | MeshData, link: str) -> MeshFile | None:
        """Return one file that is a mesh, as what collides needs it."""
        parts = self.parts(mesh, link)
        if len(parts) < 2:
            return parts[0] if parts else None
        key = "whole", mesh
        if key not in self._parts:
            loaded = self._loaded(mesh)
            self._parts[key] = [] if loaded is None else [self._file(loaded, link)]
        return next(iter(self._parts[key]), None)

    def written(self) -> AbstractContextManager[None]:
        """Write the files that are not there; the block writes the URDF file."""
        return nullcontext() if self._companions is None else self._companions.written()

    # -- one mesh --------------------------------------------------------------------

    def _made(self, mesh: MeshReference | MeshData, link: str) -> list[MeshFile]:
        if isinstance(mesh, MeshReference) and not mesh.found:
            self._losses.add("triangles of meshes that were not found", mesh.uri)
        if isinstance(mesh, MeshReference):
            known = mesh.uri.lower().endswith(_READ_BY_ALL)
            known = known and not self._is_turned(mesh)
            if known or not mesh.found or self._companions is None:
                return [MeshFile(self._name(mesh), mesh.scale)]
        loaded = self._loaded(mesh)
        if loaded is None:
            if isinstance(mesh, MeshReference):
                return [MeshFile(self._name(mesh), mesh.scale)]
            return []
        if not len(loaded.faces):
            self._losses.add("meshes without triangles are not written", link)
            return []
        if self._companions is None:
            self._losses.add(
                "triangles need a file next to the robot: save to a path", link
            )
            return []
        if loaded.is_textured:
            self._losses.add("images on meshes are not written", link)
        used = list(dict.fromkeys(loaded.material_of_faces.tolist())) or [0]
        looks = loaded.materials or (_PLAIN,)
        found = []
        for index in used:
            faces = loaded.faces[loaded.material_of_faces == index]
            one = loaded
            if len(used) > 1:
                one = _compact(loaded.vertices, faces)
            part = self._file(one, link)
            look = looks[index]
            found.append(
                MeshFile(part.name, part.scale, None if look == _PLAIN else look)
            )
        return found

    def _loaded(self, mesh: MeshReference | MeshData) -> Mesh | None:
        if isinstance(mesh, MeshData):
            return Mesh(mesh.vertices, mesh.faces)
        load = None if self._reading is None else self._reading.load_mesh
        try:
            return None if load is None else load(mesh)
        except Error as error:
            first = str(error).partition("\n")[0]
            self._losses.add(
                f"{mesh.uri} is named as it is: {first}", kind="written-otherwise"
            )
            return None

    def _is_turned(self, mesh: MeshReference) -> bool:
        """Return True if a file is turned until y points up, which URDF does not do."""
        if not mesh.y_up or not mesh.found:
            return False
        own, upright = self._loaded(replace(mesh, y_up=False)), self._loaded(mesh)
        if own is None or upright is None:
            return False
        return not np.array_equal(own.vertices, upright.vertices)

    def _file(self, mesh: Mesh, link: str) -> MeshFile:
        """Return a new file for triangles."""
        assert self._companions is not None  # noqa: S101 - nothing is written without
        mark = f"# {self._companions.mark}\n".encode()
        return MeshFile(self._companions.add(".obj", mark + _obj(mesh), link))

    def _name(self, mesh: MeshReference) -> str:
        if not mesh.found:
            return mesh.uri
        # the name of a package may mean the file from here as well
        if self._packages is not None and self._packages.find(mesh.written) == mesh.uri:
            return mesh.written
        return self._names.name_of(mesh.uri)


def _referenced(robot: RobotDescription) -> Iterator[str]:
    """Yield the files that a robot names: they are not to be overwritten."""
    for link in robot.links:
        for shape in (
            *(one.shape for one in link.geometries),
            *(one.render for one in link.geometries),
            *(one.shape for one in link.contacts),
        ):
            mesh = getattr(shape, "mesh", None)
            if isinstance(mesh, MeshReference):
                yield mesh.uri


def _compact(vertices: NDArray[np.float64], faces: NDArray[np.int32]) -> Mesh:
    """Return a mesh of faces and of the vertices that they use."""
    used, places = np.unique(faces, return_inverse=True)
    return Mesh(vertices[used], places.reshape(-1, 3).astype(np.int32))


def _obj(mesh: Mesh) -> bytes:
    """Return a mesh as Wavefront OBJ; numbers read back exactly."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist()]
    return ("\n".join(lines) + "\n").encode()
