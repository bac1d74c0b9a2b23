"""Solids as shapes of the library, made once each."""

from __future__ import annotations

import functools
import math
import weakref
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry import Cone, Mesh, Plane, Solid
from pyrave.geometry.convexhull import hull_faces
from pyrave.geometry.topology import component_of_vertices
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import Array
from pyrave_coal.library import coal

_SIDES = 128
"""Sides of the prism that stands for a cone whose tip is cut off."""
_CHUNK = 1 << 16
_MOST_VERTICES = 100_000
"""Meshes of more vertices are compared by their triangles, convex or not."""
_DENTS = 1e-6
"""Mean depth of dents of convex meshes, as a part of their half extent."""
_ZERO = np.zeros(3)
_ORIGIN = np.zeros((1, 1, 3))


@dataclass(frozen=True, slots=True, eq=False)
class CoalShape:
    """One shape; immutable and shared by all environments.

    Parameters
    ----------
    geometry
        What the library compares.
    convex
        Whether it is a convex solid; others are triangles.
    triangles
        (m, 3, 3) corners of a closed mesh that is not convex, which is solid though
        the library knows its surface only; None for all others.
    extremes
        (k, e, 3) of each of its components points that reach far, on it or inside.
    box
        (3,) lower and upper corner around the triangles.
    """

    geometry: Any
    convex: bool
    triangles: Array | None
    extremes: Array
    box: tuple[Array, Array] = (_ZERO, _ZERO)

    def boxes(self, points: Array) -> bool:
        """Return whether (k, 3) points are all in the box around the triangles."""
        low, high = self.box
        return bool(((points >= low) & (points <= high)).all())

    def winds_around(self, point: Array) -> bool:
        """Return whether a point is inside of the triangles.

        The winding number is the sum of the solid angles of all triangles (van Oosterom
        and Strackee, "The solid angle of a plane triangle", 1983).
        """
        assert self.triangles is not None  # noqa: S101 - asked of solid meshes only
        angles = sum(
            _solid_angles(self.triangles[begin : begin + _CHUNK] - point)
            for begin in range(0, len(self.triangles), _CHUNK)
        )
        return angles > 2.0 * math.pi


_meshes: weakref.WeakKeyDictionary[Mesh, CoalShape] = weakref.WeakKeyDictionary()


def shape_of(solid: Solid) -> CoalShape:
    """Return the shape of a solid, the same one for equal solids."""
    if isinstance(solid, Mesh):
        found = _meshes.get(solid)
        if found is None:
            found = _meshes[solid] = _mesh_shape(solid)
        return found
    return _primitive(solid)


@functools.lru_cache(maxsize=4096)
def _primitive(solid: Box | Sphere | Cylinder | Capsule | Cone | Plane) -> CoalShape:
    library = coal()
    match solid:
        case Box():
            geometry = library.Box(*(2.0 * half for half in solid.half_extents))
        case Sphere():
            geometry = library.Sphere(solid.radius)
        case Cylinder():
            geometry = library.Cylinder(solid.radius, solid.height)
        case Capsule():
            geometry = library.Capsule(solid.radius, solid.height)
        case Cone():
            geometry = _cone(solid)
        case Plane():
            geometry = library.Plane(np.array((0.0, 0.0, 1.0)), 0.0)
        case _:
            raise NotSupportedError(f"the library coal has no shape for {solid!r}")
    return CoalShape(geometry, not isinstance(solid, Plane), None, _ORIGIN)


def _cone(solid: Cone) -> Any:
    if solid.top_radius == 0.0:
        return coal().Cone(solid.radius, solid.height)
    angles = np.arange(_SIDES) * (2.0 * math.pi / _SIDES)
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    half = 0.5 * solid.height
    rings = [
        np.column_stack((radius * ring, np.full(_SIDES, z)))
        for radius, z in ((solid.radius, -half), (solid.top_radius, half))
        if radius > 0.0
    ]
    ends = np.array(((0.0, 0.0, -half), (0.0, 0.0, half)))
    points = np.unique(np.concatenate((*rings, ends)), axis=0)
    return _convex(points, hull_faces(points))


def _mesh_shape(mesh: Mesh) -> CoalShape:
    closed = mesh.is_watertight and mesh.is_winding_consistent and mesh.volume > 0
    hull = _hull_of_convex(mesh) if closed else None
    if hull is not None:
        geometry = _convex(hull.vertices, hull.faces)
        return CoalShape(geometry, True, None, _extremes(hull.vertices)[None])
    library = coal()
    geometry = library.BVHModelOBBRSS()
    geometry.beginModel(len(mesh.faces), len(mesh.vertices))
    geometry.addVertices(mesh.vertices)
    geometry.addTriangles(mesh.faces.astype(np.int64))
    geometry.endModel()
    geometry.computeLocalAABB()
    welded = mesh.welded()
    labels = component_of_vertices(welded.faces, len(welded.vertices))
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    components = np.split(welded.vertices[order], cuts)
    extremes = np.array([_extremes(vertices) for vertices in components])
    triangles = mesh.triangles() if closed else None
    middle, half = mesh.aabb
    return CoalShape(
        geometry, False, triangles, extremes, (middle - half, middle + half)
    )


def _extremes(vertices: Array) -> Array:
    """Return the 6 vertices that reach furthest along the axes."""
    ends = np.concatenate((vertices.argmin(axis=0), vertices.argmax(axis=0)))
    return np.asarray(vertices[ends])


def _hull_of_convex(mesh: Mesh) -> Mesh | None:
    """Return the convex hull of a closed mesh if that is as large, else None."""
    if len(mesh.vertices) > _MOST_VERTICES:
        return None
    try:
        hull = mesh.convex_hull()
    except ArgumentError:  # it is flat up to rounding
        return None
    dents = hull.volume - mesh.volume
    size = float(mesh.aabb[1].max())
    return hull if dents <= _DENTS * size * hull.area else None


def _convex(points: Array, faces: Any) -> Any:
    library = coal()
    vertices, triangles = library.StdVec_Vec3s(), library.StdVec_Triangle()
    vertices.extend(list(points))
    for a, b, c in faces.tolist():
        triangles.append(library.Triangle(a, b, c))
    geometry = library.Convex(vertices, triangles)
    geometry.computeLocalAABB()
    return geometry


def _solid_angles(corners: Array) -> float:
    """Return the sum of the signed solid angles of (m, 3, 3) triangles at 0."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    la, lb, lc = (np.linalg.norm(one, axis=1) for one in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = (
        la * lb * lc
        + np.einsum("ij,ij->i", a, b) * lc
        + np.einsum("ij,ij->i", b, c) * la
        + np.einsum("ij,ij->i", c, a) * lb
    )
    return float(2.0 * np.arctan2(volume, dots).sum())
