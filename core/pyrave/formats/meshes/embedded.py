"""Meshes in the description itself, for files that stand alone."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error, Problem, Severity
from pyrave.scene import (
    MESH_LOOK,
    Material,
    MeshData,
    MeshReference,
    RenderMesh,
    SceneDescription,
    TriMesh,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.geometry import Mesh
    from pyrave.scene import (
        BodyDescription,
        ContactDescription,
        GeometryDescription,
        LinkDescription,
    )


def with_embedded_meshes(
    scene: SceneDescription, load: Callable[[MeshReference], Mesh]
) -> tuple[SceneDescription, list[Problem]]:
    """Return a scene whose meshes are triangles instead of names of files.

    Parameters
    ----------
    load
        Loads a mesh, scaled.

    Returns
    -------
    SceneDescription
        Meshes that cannot be loaded are named as before.
    list of Problem
        A warning for each mesh that is not embedded, or not with all of its colours.
    """
    embedding = _Embedding(load)
    bodies = tuple(embedding.body(body) for body in scene.bodies)
    return dataclasses.replace(scene, bodies=bodies), list(embedding.losses.values())


class _Embedding:
    """Meshes of one scene, each loaded once."""

    def __init__(self, load: Callable[[MeshReference], Mesh]) -> None:
        self._load = load
        self._known: dict[MeshReference, Mesh | None] = {}
        self.losses: dict[tuple[str, str], Problem] = {}

    def body(self, body: BodyDescription) -> BodyDescription:
        links = tuple(self._link(link) for link in body.links)
        return body if links == body.links else dataclasses.replace(body, links=links)

    def _link(self, link: LinkDescription) -> LinkDescription:
        geometries = tuple(self._geometry(geometry) for geometry in link.geometries)
        contacts = tuple(self._contact(contact) for contact in link.contacts)
        return dataclasses.replace(link, geometries=geometries, contacts=contacts)

    def _contact(self, contact: ContactDescription) -> ContactDescription:
        shape = contact.shape
        if isinstance(shape, TriMesh) and isinstance(shape.mesh, MeshReference):
            shape = TriMesh(self._data(shape.mesh))
        return dataclasses.replace(contact, shape=shape)

    def _geometry(self, geometry: GeometryDescription) -> GeometryDescription:
        shape, render = geometry.shape, geometry.render
        own = shape.mesh if isinstance(shape, TriMesh) else None
        material = geometry.material
        if render is not None and render.mesh == own:
            render = None  # the shape is shown
        if isinstance(own, MeshReference):
            if render is None and material.diffuse is None:
                self._tell_materials(own)
            material = self._coloured(own, material)
            shape = TriMesh(self._data(own))
        if render is not None and isinstance(render.mesh, MeshReference):
            self._tell_colours(render.mesh, material)
            render = RenderMesh(self._data(render.mesh))
        return dataclasses.replace(
            geometry, shape=shape, render=render, material=material
        )

    def _data(self, reference: MeshReference) -> MeshReference | MeshData:
        mesh = self._mesh(reference)
        if mesh is None:
            return reference
        if mesh.is_textured:
            self._lose(
                reference,
                f"{reference.uri} has images on it; embedded, it is shown without them",
                "images",
            )
        # triangle by triangle, as formats list them
        corners = mesh.vertices[mesh.faces].reshape(-1, 3)
        return MeshData(corners, np.arange(len(corners), dtype=np.int32))

    def _coloured(self, reference: MeshReference, material: Material) -> Material:
        """Return the material of a geometry with the colours of its shape's file."""
        mesh = self._mesh(reference)
        if mesh is None:
            return material
        look = mesh.material
        return dataclasses.replace(
            material,
            diffuse=material.diffuse or look.diffuse or MESH_LOOK.diffuse,
            ambient=material.ambient or look.ambient or MESH_LOOK.ambient,
        )

    def _tell_materials(self, reference: MeshReference) -> None:
        """Tell of a shape whose triangles have several colours."""
        mesh = self._mesh(reference)
        if mesh is not None and len(mesh.materials) > 1:
            self._lose(
                reference,
                f"{reference.uri} has {len(mesh.materials)} materials; embedded, its "
                "geometry has the first one",
            )

    def _tell_colours(self, reference: MeshReference, material: Material) -> None:
        """Tell of a mesh that is shown in colours other than those of the shape."""
        mesh = self._mesh(reference)
        own = material.diffuse or (1.0, 1.0, 1.0)
        shown = () if mesh is None else [look.diffuse for look in mesh.materials]
        if any(colour not in (None, own) for colour in shown):
            self._lose(
                reference,
                f"{reference.uri} has colours; embedded, it is shown in that of its "
                "geometry",
            )

    def _mesh(self, reference: MeshReference) -> Mesh | None:
        if reference not in self._known:
            try:
                self._known[reference] = self._load(reference)
            except Error as error:
                self._known[reference] = None
                self._lose(reference, f"{reference.uri} is not embedded: {error}")
        return self._known[reference]

    def _lose(self, reference: MeshReference, message: str, what: str = "") -> None:
        problem = Problem(Severity.WARNING, message, code="not-written")
        self.losses[reference.uri, what] = problem
