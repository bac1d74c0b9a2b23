"""Triangles of descriptions as JSON, each vertex once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import MeshData, TriMesh

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_FIELDS = frozenset({"type", "vertices", "faces", "unshared"})


def is_unshared(mesh: MeshData) -> bool:
    """Return True if each corner of each triangle has a vertex of its own, in order."""
    corners = mesh.faces.reshape(-1)
    n = len(corners)
    return n == len(mesh.vertices) and np.array_equal(corners, np.arange(n))


def shared_vertices(
    vertices: Array, faces: NDArray[np.int32]
) -> tuple[Array, NDArray[np.int32], NDArray[np.intp]]:
    """Return equal vertices once, in the order in which they come.

    Returns
    -------
    vertices : (k, 3) float64
    faces : (m, 3) int32
    first : (k,) int
        Where each vertex was first.
    """
    if not len(vertices):
        return vertices, faces, np.zeros(0, np.intp)
    _, first, place = np.unique(
        vertices, axis=0, return_index=True, return_inverse=True
    )
    order = np.argsort(first)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    first = first[order]
    return vertices[first], rank[place.reshape(-1)][faces], first


def encode_mesh(mesh: MeshData) -> dict[str, Any]:
    """Return triangles as JSON data."""
    vertices, faces = mesh.vertices, mesh.faces
    unshared = is_unshared(mesh) and len(faces) > 0
    if unshared:
        vertices, faces, _ = shared_vertices(vertices, faces)
    data = {
        "type": "MeshData",
        "vertices": vertices.tolist(),
        "faces": faces.tolist(),
    }
    return data | {"unshared": True} if unshared else data


def decode_mesh(data: dict[str, Any]) -> MeshData:
    """Return the triangles of JSON data.

    Raises
    ------
    ValueError, TypeError
        If the data is none of a mesh.
    """
    if unknown := data.keys() - _FIELDS:
        raise ValueError(f"MeshData has no {min(unknown)!r}")
    given: Any = data.get("vertices", ())
    mesh = MeshData(given, _faces_of(data))
    if not data.get("unshared"):
        return mesh
    corners = mesh.faces.reshape(-1)
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(mesh.vertices):
        raise ValueError(f"faces name vertices that are not among {len(mesh.vertices)}")
    return MeshData(mesh.vertices[corners], np.arange(len(corners), dtype=np.int32))


def faces_alone(wanted: Any, read: Any) -> dict[str, Any] | None:
    """Return faces that let the triangles of written tags share vertices, or None.

    Parameters
    ----------
    wanted, read
        Shapes: that of a description, and that of the tags written for it.
    """
    mine, other = _mesh_of(wanted), _mesh_of(read)
    if mine is None or other is None or mine.faces.shape != other.faces.shape:
        return None
    used = np.zeros(len(mine.vertices), np.bool_)
    used[mine.faces] = True
    if not used.all():
        return None
    if not np.array_equal(mine.vertices[mine.faces], other.vertices[other.faces]):
        return None
    return {
        "type": "TriMesh",
        "mesh": {"type": "MeshData", "faces": mine.faces.tolist()},
    }


def with_corners(data: Any, given: Any) -> Any:
    """Return the JSON data of a shape with vertices: without any, with those of tags.

    Raises
    ------
    ValueError, TypeError
        If the faces do not fit the triangles of the tags.
    """
    mesh = data.get("mesh") if isinstance(data, dict) else None
    if not isinstance(mesh, dict) or mesh.get("type") != "MeshData":
        return data
    known = _mesh_of(given)
    if "vertices" in mesh or known is None:
        return data
    faces = np.array(_faces_of(mesh), np.int64).reshape(-1, 3)
    if faces.shape != known.faces.shape or (len(faces) and faces.min() < 0):
        raise ValueError(f"{len(faces)} faces do not fit {len(known.faces)} triangles")
    count = int(faces.max()) + 1 if len(faces) else 0
    if count > faces.size:
        raise ValueError(f"{len(faces)} faces have no {count} vertices")
    vertices = np.zeros((count, 3))
    vertices[faces] = known.vertices[known.faces]
    return data | {"mesh": mesh | {"vertices": vertices, "faces": faces}}


def _faces_of(data: dict[str, Any]) -> Any:
    if "faces" not in data:
        raise ValueError("MeshData has no faces")
    return data["faces"]


def _mesh_of(shape: Any) -> MeshData | None:
    mesh = shape.mesh if isinstance(shape, TriMesh) else None
    return mesh if isinstance(mesh, MeshData) else None
