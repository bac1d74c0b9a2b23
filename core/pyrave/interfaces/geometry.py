"""Geometries of links as scripts see them: light views of descriptions."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import (
    Error,
    NotSupportedError,
    Problem,
    Severity,
    StateError,
)
from pyrave.geometry import Mesh, posed_aabb, shape_mesh
from pyrave.scene import Box, GeometryDescription, MeshData, TriMesh
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.interfaces.kinbody import Link

__all__ = ["Geometry"]


_alive: weakref.WeakValueDictionary[MeshData, Mesh] = weakref.WeakValueDictionary()


def _embedded(data: MeshData) -> Mesh:
    """Return the mesh of a description; clones share it and its search tree."""
    mesh = _alive.get(data)
    if mesh is None:
        mesh = _alive.setdefault(data, Mesh(data.vertices, data.faces))
    return mesh


class Geometry:
    """One geometry of a link; belongs to its body's environment and thread."""

    __slots__ = ("_link", "_matrix", "_mesh", "_unusable", "description")

    def __init__(self, link: Link, description: GeometryDescription) -> None:
        self._link = weakref.ref(link)
        self._matrix: Array | None = None
        self._mesh: Mesh | None = None
        self._unusable = False
        self.description = description

    @property
    def link(self) -> Link:
        """The link that carries it."""
        link = self._link()
        if link is None:
            raise StateError(f"the link of {self.type} {self.name!r} is gone")
        return link

    @property
    def name(self) -> str:
        """Name, may be empty."""
        return self.description.name

    @property
    def type(self) -> str:
        """``box``, ``sphere``, ``cylinder``, ``capsule``, ``trimesh``, ..."""
        return self.description.shape.type

    @property
    def transform(self) -> Array:
        """(4, 4) T_link_geometry, a copy (as in OpenRAVE, in the link's frame)."""
        return self._local.copy()

    @property
    def world_transform(self) -> Array:
        """(4, 4) T_world_geometry."""
        return np.asarray(self.link.pose_view @ self._local)

    @property
    def _local(self) -> Array:
        if self._matrix is None:
            self._matrix = self.description.pose.matrix
        return self._matrix

    @property
    def half_extents(self) -> Array:
        """(3,) half sizes of a box, metres."""
        shape = self.description.shape
        if not isinstance(shape, Box):
            raise NotSupportedError(f"a {self.type} has no half extents")
        return np.array(shape.half_extents)

    @property
    def radius(self) -> float:
        """Radius of a sphere, cylinder or capsule, metres."""
        return self._number("radius")

    @property
    def height(self) -> float:
        """Height along z of a cylinder, capsule or prism, metres."""
        return self._number("height")

    def _number(self, name: str) -> float:
        value = getattr(self.description.shape, name, None)
        if value is None:
            raise NotSupportedError(f"a {self.type} has no {name}")
        return float(value)

    @property
    def needs_mesh(self) -> bool:
        """True if the shape is only known by its triangles."""
        return self.type in {"trimesh", "container", "cage", "prism"}

    @property
    def mesh(self) -> Mesh:
        """Triangles in the geometry frame, loaded or tessellated when first used.

        Raises
        ------
        SceneError, ResourceError
            The mesh file is missing, damaged, or no installed plugin reads its format.
        """
        if self._mesh is None:
            shape = self.description.shape
            if not isinstance(shape, TriMesh):
                self._mesh = shape_mesh(shape)
            elif isinstance(shape.mesh, MeshData):
                self._mesh = _embedded(shape.mesh)
            else:
                self._mesh = self.link.body.env.load_mesh(shape.mesh)
        return self._mesh

    @property
    def unusable(self) -> bool:
        """True if the shape needs a mesh that cannot be had; reported once.

        Rays pass through such a geometry and bounding boxes leave it out.
        """
        if self.needs_mesh and self._mesh is None and not self._unusable:
            try:
                self.mesh  # noqa: B018 - loads it
            except Error as error:
                self._unusable = True
                self._report(error)
        return self._unusable

    def _report(self, error: Error) -> None:
        place = self.description.location
        self.link.body.env.report_problem(
            Problem(
                Severity.WARNING,
                f"rays pass through the {self.type} {self.name!r} of {self.link!r} and "
                f"bounding boxes leave it out: {error}",
                file=place.file if place else None,
                line=place.line if place else None,
                column=place.column if place else None,
                code="missing-mesh",
            )
        )

    @property
    def diffuse_color(self) -> Array:
        """(3,) 0..1."""
        color = self.description.material.diffuse
        return np.array((1.0, 1.0, 1.0) if color is None else color)

    @property
    def ambient_color(self) -> Array:
        """(3,) 0..1."""
        color = self.description.material.ambient
        return np.array((0.0, 0.0, 0.0) if color is None else color)

    @property
    def transparency(self) -> float:
        """0 opaque to 1 invisible."""
        return self.description.material.transparency

    @property
    def visible(self) -> bool:
        """Whether viewers show it."""
        return self.description.visible

    def aabb_in(self, transform: Array) -> tuple[Array, Array] | None:
        """Return centre and half extents (3,) in a frame, given T_frame_geometry.

        None for a geometry without a shape, or whose mesh cannot be read (`unusable`).
        """
        if self.type == "none" or self.unusable:
            return None
        mesh = self.mesh if self.needs_mesh else None
        return posed_aabb(self.description.shape, transform, mesh)

    def __repr__(self) -> str:
        return f"<{self.type} geometry {self.name!r} of {self._link()!r}>"
