"""Base of geometries and contact areas of links: a posed shape."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

import numpy as np

from pyrave import geometry as shapes
from pyrave.attributes import ClosedView
from pyrave.errors import NotSupportedError
from pyrave.scene import Box, MeshData, MeshReference, TriMesh
from pyrave.spatial import Array

if TYPE_CHECKING:
    from pyrave.bodies.views.link import Link
    from pyrave.geometry import Mesh
    from pyrave.scene import ContactDescription, GeometryDescription

_alive: weakref.WeakValueDictionary[MeshData, Mesh] = weakref.WeakValueDictionary()


def _embedded(data: MeshData) -> Mesh:
    """Return the mesh of a description; clones share it and its search tree."""
    mesh = _alive.get(data)
    if mesh is None:
        mesh = _alive.setdefault(data, shapes.Mesh(data.vertices, data.faces))
    return mesh


class ShapeView(ClosedView):
    """A shape at a pose in the frame of a link."""

    __slots__ = ("__weakref__", "_link", "_matrix", "_mesh", "description")

    description: GeometryDescription | ContactDescription

    def __init__(
        self, link: Link, description: GeometryDescription | ContactDescription
    ) -> None:
        self._link = link
        self._matrix: Array | None = None
        self._mesh: Mesh | None = None
        self.description = description

    @property
    def link(self) -> Link:
        """The link that carries it."""
        return self._link

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
        """(4, 4) pose in the frame of the link (as in OpenRAVE), a copy."""
        return self._local.copy()

    @property
    def world_transform(self) -> Array:
        """(4, 4) pose in the world."""
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
        """Triangles in the shape's frame, loaded or tessellated when first used.

        Raises
        ------
        SceneError, ResourceError
            The mesh file is missing, damaged, or no installed plugin reads its format.
        """
        if self._mesh is None:
            shape = self.description.shape
            if isinstance(shape, TriMesh):
                self._mesh = self._had(shape.mesh)
            else:
                self._mesh = shapes.shape_mesh(shape)
        return self._mesh

    def _had(self, mesh: MeshReference | MeshData) -> Mesh:
        return self._load(mesh)

    def _load(self, mesh: MeshReference | MeshData) -> Mesh:
        if isinstance(mesh, MeshData):
            return _embedded(mesh)
        return self.link.body.env.load_mesh(mesh)
