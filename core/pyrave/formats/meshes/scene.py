"""Mesh files as scenes: a body of one link, and back."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pyrave.errors import ArgumentError, Problem, Severity
from pyrave.formats.meshes.loader import read_mesh_as
from pyrave.formats.meshes.mesh_format import MeshFormat, MeshSource, WritableMeshFormat
from pyrave.scene import (
    BodyDescription,
    GeometryDescription,
    LinkDescription,
    Location,
    Material,
    MeshData,
    MeshReference,
    SceneDescription,
    TriMesh,
)

if TYPE_CHECKING:
    from pyrave.formats.context import ReadContext, WriteContext
    from pyrave.formats.output.targets import Target
    from pyrave.formats.registry import SceneSource
    from pyrave.geometry import Mesh
    from pyrave.spatial import Array

_LINK = "base"
_MAX_NAME = 1000


class MeshScene:
    """A mesh format as a scene format.

    A file becomes a body with the name of the file and one static link, as OpenRAVE
    makes it. A scene is written as the triangles of everything in it.
    """

    def __init__(self, mesh_format: MeshFormat) -> None:
        self.mesh_format = mesh_format

    @property
    def name(self) -> str:
        """Name of the mesh format."""
        return self.mesh_format.name

    @property
    def suffixes(self) -> Sequence[str]:
        """Suffixes of the mesh format."""
        return self.mesh_format.suffixes

    @property
    def is_loaded(self) -> bool:
        """True if the mesh format was imported; see `is_postponed`."""
        return getattr(self.mesh_format, "is_loaded", True)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is such a mesh."""
        return self.mesh_format.sniff(head)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return one body."""
        stem = Path(source.file.strip("<>")).stem
        name = _name(stem)
        location = Location(source.file)
        geometry = GeometryDescription(
            TriMesh(self._mesh(source, context)), location=location
        )
        link = LinkDescription(
            _LINK,
            geometries=() if context.skip_geometry else (geometry,),
            static=True,
            location=location,
        )
        uri = source.file if source.folder is not None else ""
        return SceneDescription(
            bodies=(BodyDescription(name, links=(link,), uri=uri, location=location),),
            uri=uri,
            root="kinbody",
            location=location,
            renamable=True,
        )

    def _mesh(
        self, source: SceneSource, context: ReadContext
    ) -> MeshReference | MeshData:
        """Return the file, once it is known to be readable, or its triangles."""
        if source.folder is not None and os.path.isfile(source.file):  # noqa: PTH113
            reference = MeshReference(
                source.file, context.scale, Path(source.file).name
            )
            if context.load_mesh is not None:
                context.load_mesh(reference)
            return reference
        given = MeshSource(source.content, source.file)
        mesh = read_mesh_as(self.mesh_format, given).scaled(context.scale)
        context.diagnostics.extend(given.problems)
        return MeshData(mesh.vertices, mesh.faces)

    def write(
        self,
        scene: SceneDescription,
        target: Target,
        context: WriteContext,
    ) -> list[Problem]:
        """Write the triangles of all bodies where they stand; say what is lost.

        Raises
        ------
        ArgumentError
            The format is only read, or there is nothing to write.
        """
        if not isinstance(self.mesh_format, WritableMeshFormat):
            raise ArgumentError(f"pyrave reads {self.name}, but does not write it")
        from pyrave.geometry import Mesh

        mesh = Mesh.merge(_parts(scene, context))
        if not len(mesh.faces):
            raise ArgumentError(
                f"the scene has no geometry to be written as {self.name}"
            )
        losses = self.mesh_format.write(mesh, target, context)
        return [*(self._lost(text) for text in _losses(scene)), *losses]

    def _lost(self, what: str) -> Problem:
        return Problem(
            Severity.WARNING, f"{self.name} has no {what}", code="not-written"
        )


def _name(stem: str) -> str:
    """Return a file's name with ``_`` for what a body's name may not have."""
    name = "".join("_" if char.isspace() or ord(char) <= 32 else char for char in stem)
    return name[:_MAX_NAME] or "mesh"


def _parts(scene: SceneDescription, context: WriteContext) -> Iterator[Mesh]:
    for body in scene.bodies:
        for link in body.links:
            placed = body.pose.matrix @ link.pose.matrix
            for geometry in link.geometries:
                if geometry.group == "self":
                    yield _part(geometry, placed @ geometry.pose.matrix, context)


def _part(geometry: GeometryDescription, matrix: Array, context: WriteContext) -> Mesh:
    """Return the triangles of a geometry, with the colours that the scene gives it."""
    from pyrave.geometry import shape_mesh

    shape = geometry.shape
    if isinstance(shape, TriMesh) and isinstance(shape.mesh, MeshReference):
        load = None if context.reading is None else context.reading.load_mesh
        if load is None:
            raise ArgumentError(
                "meshes are written with a reading context that loads them: set "
                "WriteContext.reading and its load_mesh"
            )
        mesh = load(shape.mesh)
    else:
        mesh = shape_mesh(shape)
    own = geometry.material
    materials = tuple(
        replace(
            one,
            diffuse=one.diffuse if own.diffuse is None else own.diffuse,
            ambient=one.ambient if own.ambient is None else own.ambient,
            transparency=own.transparency or one.transparency,
        )
        for one in mesh.materials or (Material(),)
    )
    return replace(mesh, materials=materials).transformed(matrix)


def _losses(scene: SceneDescription) -> Iterator[str]:
    """Yield the parts of a scene that are more than triangles."""
    if len(scene.bodies) > 1:
        yield f"bodies: {len(scene.bodies)} become one mesh"
    links = sum(len(body.links) for body in scene.bodies)
    if links > len(scene.bodies):
        yield f"links: {links} are written as they stand in the file"
    joints = sum(len(body.joints) for body in scene.bodies)
    if joints:
        yield f"joints: {joints} are lost"
    if any(
        link.inertial != LinkDescription("").inertial
        for body in scene.bodies
        for link in body.links
    ):
        yield "masses"
    contacts = sum(len(link.contacts) for body in scene.bodies for link in body.links)
    if contacts:
        yield f"contacts: {contacts} are lost"
    parts = sum(
        len(robot.manipulators) + len(robot.attached_sensors) for robot in scene.robots
    )
    if parts:
        yield f"manipulators and sensors: {parts} are lost"
    if scene.interfaces:
        yield f"interfaces: {len(scene.interfaces)} are lost"
