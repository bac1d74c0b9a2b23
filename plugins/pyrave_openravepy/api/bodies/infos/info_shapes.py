"""Shapes of pyrave that infos of geometries describe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    MeshData,
    MeshReference,
    NoShape,
    Pose,
    Prism,
    Shape,
    Sphere,
    revolved_shape,
)
from pyrave.scene import TriMesh as MeshShape
from pyrave_openravepy.api.bodies.boxes import TriMesh, vector_of
from pyrave_openravepy.api.enums import GeometryType
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = [
    "box_of_info",
    "circles_of",
    "mesh_of_info",
    "reference_of",
    "shape_of",
    "triple_of",
]

Array = NDArray[np.float64]


def shape_of(info: Any) -> Shape:
    kind = info._type
    sizes = np.zeros(3)
    given = np.array(info._vGeomData, float).ravel()[:3]
    sizes[: len(given)] = given
    a, b, c = sizes.tolist()
    if kind == GeometryType.Box:
        return Box((a, b, c))
    if kind == GeometryType.Sphere:
        return Sphere(a)
    if kind == GeometryType.Cylinder:
        return Cylinder(a, b)
    if kind == GeometryType.Capsule:
        return Capsule(a, b)
    if kind == GeometryType.Container:
        rest = (info._vGeomData2, info._vGeomData3, info._vGeomData4)
        return Container((a, b, c), *(triple_of(one) for one in rest))
    if kind == GeometryType.Cage:
        walls = tuple(
            (Pose.from_matrix(matrix_of(wall.transf)), triple_of(wall.vExtents))
            for wall in info._vSideWalls
        )
        return Cage((a, b, c), walls)
    if kind == GeometryType.Prism and info._vCrossSection:
        corners = tuple((float(p[0]), float(p[1])) for p in info._vCrossSection)
        return Prism(corners, b)
    if kind in {GeometryType.Axial, GeometryType.ConicalFrustum}:
        return revolved_shape(circles_of(info))
    if kind in {GeometryType.Trimesh, GeometryType.Prism}:
        return _mesh_shape(info)
    if kind == GeometryType.CalibrationBoard:
        return Box((a, b, c))
    return NoShape()


def triple_of(given: Any) -> tuple[float, float, float]:
    x, y, z = vector_of(given, 3, "sizes").tolist()
    return x, y, z


def _mesh_shape(info: Any) -> Shape:
    mesh = info._meshcollision
    if mesh is not None and len(mesh.indices):
        return MeshShape(MeshData(mesh.vertices, mesh.indices))
    name = str(info._filenamecollision or info._filenamerender)
    if not name:
        return NoShape()
    scale = info._vCollisionScale if info._filenamecollision else info._vRenderScale
    return MeshShape(reference_of(name, scale))


def reference_of(name: str, scale: Any) -> MeshReference:
    found = Path(name).is_file()
    return MeshReference(name, triple_of(scale), name, found)


def circles_of(info: Any) -> list[tuple[float, float]]:
    """Return (z, radius) of circles that a shape is turned of, from below."""
    if info._type == GeometryType.ConicalFrustum:
        top, bottom, height = vector_of(info._vGeomData, 3, "_vGeomData").tolist()
        return [(-height / 2, bottom), (height / 2, top)]
    if info._type == GeometryType.Axial:
        rows = [(float(one.zOffset), float(one.radius)) for one in info._vAxialSlices]
        return sorted(rows)
    return []


def mesh_of_info(info: Any) -> TriMesh:
    """Return the triangles of a shape that no file has, in its own frame."""
    from pyrave.geometry import shape_mesh

    shape = shape_of(info)
    if isinstance(shape, MeshShape) and isinstance(shape.mesh, MeshReference):
        return TriMesh()
    mesh = shape_mesh(shape)
    return TriMesh(mesh.vertices, mesh.faces)


def box_of_info(info: Any, where: Array) -> tuple[Array, Array] | None:
    """Return the box around a shape at a pose: centre, half extents; or None."""
    from pyrave.geometry import posed_aabb

    shape = shape_of(info)
    empty = isinstance(shape, NoShape)
    if isinstance(shape, MeshShape):
        empty = isinstance(shape.mesh, MeshReference) or not len(shape.mesh.vertices)
    return None if empty else posed_aabb(shape, where)
