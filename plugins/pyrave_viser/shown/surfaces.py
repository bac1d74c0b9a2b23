"""Triangles as browsers shade them: round where they are round, with sharp edges."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry import weld

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.geometry import Mesh
    from pyrave.scene import Texture
    from pyrave.spatial import Array

# edges with a greater angle between their faces are seen as edges
_SHARP = np.cos(np.radians(35.0))
# larger meshes are shaded as they are: their triangles are small
_MAX_FACES = 400_000


@dataclass(frozen=True, eq=False)
class LookPart:
    """Triangles of one look.

    Parameters
    ----------
    vertices
        (n, 3) metres, one for each side of a sharp edge.
    faces
        (m, 3).
    material
        Index among the materials of the mesh.
    texture
        What lies on them, and where: (m, 3, 2), see `Mesh.texture_coordinates`.
    is_closed
        Whether their mesh has an inside, which nobody sees. Others are seen from both
        sides, and lie in no shadow: browsers would put them in their own.
    """

    vertices: Array
    faces: NDArray[np.int32]
    material: int
    texture: Texture | None = None
    places: NDArray[np.float32] | None = None
    is_closed: bool = False


_known: weakref.WeakKeyDictionary[Mesh, tuple[LookPart, ...]] = (
    weakref.WeakKeyDictionary()
)


def parts_of(mesh: Mesh) -> tuple[LookPart, ...]:
    """Return the triangles of each material of a mesh; prepared once."""
    parts = _known.get(mesh)
    if parts is None:
        vertices, faces = with_edges(mesh)
        material = mesh.material_of_faces
        closed = is_closed(mesh)
        parts = tuple(
            LookPart(
                *_used(vertices, faces[material == number]),
                int(number),
                *_laid(mesh, int(number)),
                closed,
            )
            for number in np.unique(material)
        )
        _known[mesh] = parts
    return parts


def _laid(mesh: Mesh, number: int) -> tuple[Texture | None, NDArray[np.float32] | None]:
    """Return the texture of a material, and where it lies on the corners of faces."""
    if not mesh.is_textured or mesh.materials[number].texture is None:
        return None, None
    chosen = mesh.material_of_faces == number
    return mesh.materials[number].texture, mesh.coordinates_of_corners[chosen]


def is_closed(mesh: Mesh) -> bool:
    """Return True if the triangles of a mesh enclose something, and face outwards.

    Each edge has to be passed as often in one direction as in the other.
    """
    if not 0 < len(mesh.faces) <= _MAX_FACES:
        return False
    vertices, index = weld(mesh.vertices)
    faces = index[mesh.faces].astype(np.uint64)
    starts, ends = faces.reshape(-1), np.roll(faces, -1, axis=1).reshape(-1)
    if _mixed(starts, ends) != _mixed(ends, starts):
        return False
    a, b, c = (vertices[index[mesh.faces[:, k]]] for k in range(3))
    return bool(np.einsum("ij,ij->", a - vertices[0], np.cross(b - a, c - a)) > 0.0)


def _mixed(starts: NDArray[np.uint64], ends: NDArray[np.uint64]) -> int:
    """Return a sum over edges that does not depend on their order; it may overflow."""
    mixed = (starts << np.uint64(32) | ends) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return int(mixed.sum())


def with_edges(mesh: Mesh) -> tuple[Array, NDArray[np.int32]]:
    """Return vertices and faces of a mesh whose sharp edges have vertices of their own.

    Faces that meet at a small angle share vertices, so that they look round.
    """
    if not len(mesh.faces):
        return mesh.vertices, mesh.faces
    if len(mesh.faces) > _MAX_FACES:
        return mesh.vertices, mesh.faces
    vertices, index = weld(mesh.vertices)
    faces = index[mesh.faces].astype(np.int32)
    corners = vertices[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = np.divide(normals, size, out=np.zeros_like(normals), where=size > 0)
    first, second = _smooth_corners(faces, normals)
    group = np.arange(3 * len(faces))
    while True:
        # each corner takes the lowest number among those it is smooth with
        lowest = group.copy()
        np.minimum.at(lowest, first, group[second])
        np.minimum.at(lowest, second, group[first])
        lowest = lowest[lowest]
        if np.array_equal(lowest, group):
            break
        group = lowest
    kept, renumbered = np.unique(group, return_inverse=True)
    return vertices[faces.reshape(-1)[kept]], renumbered.reshape(-1, 3).astype(np.int32)


def _smooth_corners(
    faces: NDArray[np.int32], normals: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of corners, as 3 * face + place, at ends of edges that are round."""
    n = len(faces)
    starts = faces.reshape(-1).astype(np.int64)
    ends = np.roll(faces, -1, axis=1).reshape(-1).astype(np.int64)
    face = np.repeat(np.arange(n), 3)
    here = np.arange(3 * n)
    there = 3 * face + (here + 1 - 3 * face) % 3
    low, high = np.minimum(starts, ends), np.maximum(starts, ends)
    order = np.lexsort((high, low))
    same = (low[order][1:] == low[order][:-1]) & (high[order][1:] == high[order][:-1])
    a, b = order[:-1][same], order[1:][same]
    # many faces at one edge are neighbours in their order, which is as good as any
    smooth = np.einsum("ij,ij->i", normals[face[a]], normals[face[b]]) > _SHARP
    a, b = a[smooth], b[smooth]
    turned = starts[a] != starts[b]
    other_here = np.where(turned, there[b], here[b])
    other_there = np.where(turned, here[b], there[b])
    return (
        np.concatenate((here[a], there[a])),
        np.concatenate((other_here, other_there)),
    )


def _used(vertices: Array, faces: NDArray[np.int32]) -> tuple[Array, NDArray[np.int32]]:
    kept, renumbered = np.unique(faces.reshape(-1), return_inverse=True)
    return vertices[kept], renumbered.reshape(-1, 3).astype(np.int32)
