"""COLLADA as a mesh: the geometries of its visual scene, in metres."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import Mesh
from pyrave.scene import Material
from pyrave_collada.document.archive import read_archive
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.file_kind import is_archive, is_collada
from pyrave_collada.document.parsed import ColladaDocument, children
from pyrave_collada.reading.shapes.images import Images
from pyrave_collada.reading.shapes.materials import Materials
from pyrave_collada.reading.shapes.nodes import (
    read_nodes,
    shown_geometry,
    visual_scene,
)
from pyrave_collada.reading.shapes.polygons import MeshPart, read_parts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats import MeshSource
    from pyrave.spatial import Array

_MAX_TRIANGLES = 50_000_000
_Y_UP = {
    "X_UP": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "Z_UP": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
}
"""Turns after which y points up."""


class ColladaMeshFormat:
    """COLLADA: triangles and polygons of the scene, with the colours of effects.

    Robots, joints and physics are a matter of the scene format.
    """

    name = "COLLADA mesh"
    suffixes = (".dae",)
    is_scene = False

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` is XML with the root COLLADA."""
        return is_collada(head)

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of everything in the scene.

        Axes stay as written, unless the source wants y to point up.
        """
        return _Scene(source).read()


class _Scene:
    """One file being read as a mesh; it refers to nothing outside of itself."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        data = source.data
        if is_archive(data):
            data = read_archive(data, source.file).data
        self.document = ColladaDocument(data, source.file, source.folder)
        for slip in self.document.slips:
            source.warn(
                slip.message,
                line=slip.line,
                column=slip.column,
                hint=slip.hint,
                code=slip.code or "not-xml",
            )
        images = Images(source, self.document.by_id, self.note)
        self.materials = Materials(self.target, self.note, images)
        self.textured = next(self.document.root.iter("image"), None) is not None
        self.parts: dict[Any, list[MeshPart]] = {}
        self.triangles_left = _MAX_TRIANGLES

    def note(self, message: str, element: Any) -> None:
        self.source.warn(message, line=element.sourceline)

    def fail(self, message: str, element: Any) -> None:
        raise ElementError(message, element)

    def target(self, element: Any, attribute: str = "url") -> Any:
        name = (element.get(attribute) or "").strip()
        found = self.document.by_id.get(name.removeprefix("#"))
        if found is None:
            self.note(f"{name!r} is not the id of an element of this file", element)
        return found

    def read(self) -> Mesh:
        root = self.document.root
        if root.tag != "COLLADA":
            raise self.source.error(
                f"the root is {root.tag}, not COLLADA", line=root.sourceline
            )
        try:
            for one in self.document.bad_units:
                text = f"the unit has {one.get('meter')!r} metres, expected more than 0"
                self.fail(text, one)
            mesh = Mesh.merge(list(self.meshes()))
            return mesh.transformed(self.turn()) if self.source.y_up else mesh
        except ElementError as error:
            line = error.element.sourceline
            raise self.source.error(str(error), line=line) from error

    def turn(self) -> Array:
        """Return the turn (4, 4) after which y points up, as assimp turns."""
        up = self.document.root.findtext("asset/up_axis") or ""
        turn = np.eye(4)
        turn[:3, :3] = _Y_UP.get(up.strip().upper(), np.eye(3))
        return turn

    def meshes(self) -> Iterator[Mesh]:
        root = self.document.root
        scene, _ = visual_scene(root, self.target)
        if scene is None:
            for library in children(root, "library_geometries"):
                for geometry in children(library, "geometry"):
                    yield from self.place(geometry, np.eye(4), {})
            return
        for top in read_nodes(scene, self.target, self.document.unit, self.fail):
            for node in top.walk():
                matrix = node.world(lambda _: False) if node.geometries else None
                for one in node.geometries:
                    yield from self.instance(one, matrix)

    def instance(self, one: Any, matrix: Any) -> Iterator[Mesh]:
        geometry, place = shown_geometry(
            one, self.target, self.document.unit, self.fail
        )
        if geometry is not None:
            yield from self.place(geometry, matrix @ place, self.materials.bound(one))

    def place(
        self, geometry: Any, matrix: Array, materials: dict[str, Material]
    ) -> Iterator[Mesh]:
        """Yield the triangles of a geometry at a place."""
        if geometry not in self.parts:
            self.parts[geometry] = read_parts(
                geometry, self.target, self.note, textured=self.textured
            )
        unit = self.document.unit(geometry)
        for part in self.parts[geometry]:
            self.triangles_left -= len(part.faces)
            if self.triangles_left < 0:
                raise ElementError(
                    f"the scene has more than {_MAX_TRIANGLES} triangles", geometry
                )
            material = materials.get(part.symbol, Material())
            try:
                laid = None if material.texture is None else part.places
                mesh = Mesh(part.vertices * unit, part.faces, (material,), None, laid)
                yield mesh.transformed(matrix)
            except ArgumentError as error:
                raise ElementError(str(error), geometry) from error
