"""Solids as shapes of the library, made once each."""

from __future__ import annotations

import functools
import math
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.geometry import Cone, Mesh, Plane, Solid
from pyrave.geometry.convexhull import hull_faces
from pyrave.geometry.topology import component_of_vertices, directed_edges, weld
from pyrave.geometry.winding_numbers import winding_number
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import Array
from pyrave_coal.library import coal

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SIDES = 128
"""Sides of the prism that stands for a cone whose tip is cut off."""
_MAX_VERTICES = 100_000
"""Meshes of more vertices are compared by their triangles, convex or not."""
_DENTS = 1e-6
"""Mean depth of dents of convex meshes, as a part of their half extent."""
_THIN = 1e-5
"""Solids whose volume is thinner than this, metres, are compared by their triangles."""
_FLAT = 1e-14
"""Area of a triangle without one, as a part of its longest edge squared."""
_HAIR = 1e-9
"""Width that it gets, as a part of the largest coordinate."""
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
        """Return True if (k, 3) points are all in the box around the triangles."""
        low, high = self.box
        return bool(((points >= low) & (points <= high)).all())

    def winds_around(self, point: Array) -> bool:
        """Return True if a point is inside of the triangles."""
        assert self.triangles is not None  # noqa: S101 - asked of solid meshes only
        return winding_number(self.triangles, point) > 0.5


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
    vertices, faces = _with_areas(mesh)
    geometry = library.BVHModelOBBRSS()
    geometry.beginModel(len(faces), len(vertices))
    geometry.addVertices(vertices)
    geometry.addTriangles(faces)
    geometry.endModel()
    geometry.computeLocalAABB()
    points, index = weld(mesh.vertices)
    used = np.unique(index[mesh.faces])
    labels = component_of_vertices(index[mesh.faces], len(points))[used]
    order = np.argsort(labels, kind="stable")
    cuts = np.flatnonzero(np.diff(labels[order])) + 1
    components = np.split(points[used][order], cuts)
    extremes = np.array([_extremes(one) for one in components])
    triangles = mesh.triangles() if closed else None
    middle, half = mesh.aabb
    return CoalShape(
        geometry, False, triangles, extremes, (middle - half, middle + half)
    )


def _with_areas(mesh: Mesh) -> tuple[Array, NDArray[np.int64]]:
    """Return vertices and faces, those without an area a hair's breadth wide.

    The library takes triangles that are lines or points for things that are everywhere.
    """
    vertices, faces = mesh.vertices, mesh.faces.astype(np.int64)
    corners = vertices[faces]
    edges = np.roll(corners, -1, axis=1) - corners
    lengths = np.linalg.norm(edges, axis=2)
    flat = np.flatnonzero(2.0 * mesh.face_areas <= _FLAT * lengths.max(axis=1) ** 2)
    if not len(flat):
        return vertices, faces
    width = _HAIR * (float(np.abs(vertices).max()) or 1.0)
    first = lengths[flat].argmax(axis=1)
    a, b = corners[flat, first], corners[flat, (first + 1) % 3]
    c = corners[flat, (first + 2) % 3]
    along = b - a
    points = lengths[flat, first] <= width
    along[points] = (width, 0.0, 0.0)
    # across the line, and the axis that is least along it
    across = np.cross(along, np.eye(3)[np.abs(along).argmin(axis=1)])
    c = c + width * across / np.linalg.norm(across, axis=1)[:, None]
    faces[flat] = len(vertices) + np.arange(3 * len(flat)).reshape(-1, 3)
    return np.concatenate(
        (vertices, np.stack((a, a + along, c), 1).reshape(-1, 3))
    ), faces


def _extremes(vertices: Array) -> Array:
    """Return the 6 vertices that reach furthest along the axes."""
    ends = np.concatenate((vertices.argmin(axis=0), vertices.argmax(axis=0)))
    return np.asarray(vertices[ends])


def _hull_of_convex(mesh: Mesh) -> Mesh | None:
    """Return the convex hull of a closed mesh if that is the same solid, else None.

    It is if the mesh is one piece without a dent anywhere, and as large. Volumes alone
    say little: those of several parts may add up to that of the hull.
    """
    if len(mesh.vertices) > _MAX_VERTICES:
        return None
    welded = mesh.welded()
    if component_of_vertices(welded.faces, len(welded.vertices)).any():
        return None
    middle, half = mesh.aabb
    size = float(half.max())
    if _dents(welded.vertices - middle, welded.faces) > _DENTS * size:
        return None
    try:
        hull = mesh.convex_hull()
    except ArgumentError:  # it is flat up to rounding
        return None
    if abs(hull.volume - mesh.volume) > _DENTS * size * hull.area:
        return None
    # the library loses the depth of what is thinner than its tolerance
    return hull if 3.0 * hull.volume > _THIN * hull.area else None


def _dents(points: Array, faces: NDArray[np.integer]) -> float:
    """Return the depth of concave edges of a closed mesh, 0 if it is convex.

    The corner of the narrower triangle is compared with the plane of the wider one,
    which rounding changes the least.
    """
    starts, ends = directed_edges(faces)
    order = np.lexsort((ends, starts))
    back = np.lexsort((starts, ends))
    there = np.empty(len(order), np.int64)
    there[order] = back
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    own = np.repeat(np.arange(len(faces)), 3)
    other = there // 3
    # the corner of the other triangle that is not on the edge
    far = points[faces[other, (there + 2) % 3]]
    heights = np.einsum("ij,ij->i", normals[own], far - corners[own, 0])
    wider = (lengths[own] >= lengths[other]) & (lengths[own] > 0.0)
    return float((heights[wider] / lengths[own[wider]]).max(initial=0.0))


def _convex(points: Array, faces: Any) -> Any:
    library = coal()
    vertices, triangles = library.StdVec_Vec3s(), library.StdVec_Triangle()
    vertices.extend(list(points))
    for a, b, c in faces.tolist():
        triangles.append(library.Triangle(a, b, c))
    geometry = library.Convex(vertices, triangles)
    geometry.computeLocalAABB()
    return geometry
