"""Triangles of RobWork's shapes that are none of pyrave's."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pyrave.scene import MeshData, MeshReference, TriMesh
from pyrave_workcell.workcell.document import Solid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.scene import Shape
    from pyrave.scene.pose import Vec3

_PLANE = 50.0


def mirrored(solid: Solid, signs: Vec3) -> Solid:
    """Return a solid with the axes of its shape times 1 or -1.

    Boxes, spheres and cylinders are their own mirror images.
    """
    if min(signs) > 0.0 or not isinstance(solid.shape, TriMesh):
        return solid
    shown = solid.shown and _mirrored_file(solid.shown, signs)
    mesh = solid.shape.mesh
    if isinstance(mesh, MeshReference):
        return Solid(TriMesh(_mirrored_file(mesh, signs)), shown)
    # corners of faces in the other order, so that they still look outwards
    turned = MeshData(mesh.vertices * np.array(signs), mesh.faces[:, ::-1])
    return Solid(TriMesh(turned), shown)


def _mirrored_file(mesh: MeshReference, signs: Vec3) -> MeshReference:
    x, y, z = (a * b for a, b in zip(mesh.scale, signs, strict=True))
    return replace(mesh, scale=(x, y, z))


@lru_cache(maxsize=256)
def tessellated(shape: Shape) -> MeshData:
    """Return the triangles of a shape that is shown and collides with nothing."""
    from pyrave.geometry import shape_mesh

    mesh = shape_mesh(shape)
    return MeshData(mesh.vertices, mesh.faces)


@lru_cache(maxsize=1)
def plane() -> MeshData:
    """Return the square that stands for the plane z = 0, as RobWork has it."""
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    vertices = np.array([(_PLANE * x, _PLANE * y, 0.0) for x, y in corners])
    return MeshData(vertices, np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int32))


def _ring(radius: float, z: float, n: int) -> NDArray[np.float64]:
    angles = 2.0 * np.pi * np.arange(n) / n
    return np.column_stack((
        radius * np.cos(angles), radius * np.sin(angles), np.full(n, z)
    ))  # fmt: skip


@lru_cache(maxsize=256)
def cone(radius: float, height: float, n: int) -> MeshData:
    """Return a closed cone along z: its disc at height/2, its apex at -height/2."""
    half = 0.5 * height
    middle = np.array([(0.0, 0.0, half), (0.0, 0.0, -half)])
    vertices = np.vstack((_ring(radius, half, n), middle))
    i = np.arange(n)
    j = (i + 1) % n
    top, apex = np.full(n, n), np.full(n, n + 1)
    faces = np.vstack((np.column_stack((i, j, top)), np.column_stack((j, i, apex))))
    return MeshData(vertices, faces.astype(np.int32))


@lru_cache(maxsize=256)
def tube(inner: float, outer: float, height: float, n: int) -> MeshData:
    """Return a closed pipe along z, centred."""
    half = 0.5 * height
    vertices = np.vstack((
        _ring(outer, half, n), _ring(outer, -half, n),
        _ring(inner, half, n), _ring(inner, -half, n),
    ))  # fmt: skip
    i = np.arange(n)
    j = (i + 1) % n
    up, down, inside_up, inside_down = 0, n, 2 * n, 3 * n
    quads = (
        (down + i, down + j, up + j, up + i),
        (inside_up + i, inside_up + j, inside_down + j, inside_down + i),
        (up + i, up + j, inside_up + j, inside_up + i),
        (inside_down + i, inside_down + j, down + j, down + i),
    )
    faces = [
        np.column_stack(three)
        for a, b, c, d in quads
        for three in ((a, b, c), (a, c, d))
    ]
    return MeshData(vertices, np.vstack(faces).astype(np.int32))
