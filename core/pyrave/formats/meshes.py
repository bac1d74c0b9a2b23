"""Loading the meshes that scene descriptions refer to."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH113, PTH202

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import Problem, ResourceError, SceneError, Severity
from pyrave.formats.sniff import foreign_format
from pyrave.scene import MeshData, MeshReference

if TYPE_CHECKING:
    from pyrave.formats.registry import MeshFormat

__all__ = ["load_mesh"]

_MAX_BYTES = 512 * 1024 * 1024
_HEAD_BYTES = 1024


def load_mesh(
    reference: MeshReference | MeshData, mesh_formats: Iterable[MeshFormat]
) -> Any:
    """Return the triangles of a mesh as one `pyrave.geometry.Mesh`, scaled.

    Parameters
    ----------
    reference
        A file and its scale, or triangles that a description holds itself.
    mesh_formats
        The formats that plugins offer.

    Raises
    ------
    ResourceError
        If the file is not there, or was not there when the scene was read.
    SceneError
        If it is broken, or no installed plugin reads its format.
    """
    from pyrave.geometry import Mesh

    if isinstance(reference, MeshData):
        return Mesh(reference.vertices, reference.faces)
    path = reference.uri
    if not reference.found:
        # an unresolved name: opening it would pass by the resource roots
        raise ResourceError(
            reference.written or path,
            hint="it was not found, or not allowed, when the scene was read",
        )
    if not os.path.isfile(path):
        raise ResourceError(reference.written or path)
    if os.path.getsize(path) > _MAX_BYTES:
        raise _error(
            path, f"the file is larger than {_MAX_BYTES} bytes", "file-too-large"
        )
    data = Path(path).read_bytes()
    chosen = _pick(path, data[:_HEAD_BYTES], list(mesh_formats))
    vertices: list[np.ndarray[Any, np.dtype[np.float64]]] = []
    faces: list[np.ndarray[Any, np.dtype[np.int32]]] = []
    count = 0
    for part in chosen.read(data, path):
        points, triangles = (
            part if isinstance(part, tuple) else (part.vertices, part.faces)
        )
        vertices.append(np.asarray(points, dtype=np.float64).reshape(-1, 3))
        faces.append(np.asarray(triangles, dtype=np.int32).reshape(-1, 3) + count)
        count += len(vertices[-1])
    if not count:
        raise _error(path, "the file holds no triangles", "empty-mesh")
    points = np.concatenate(vertices) * np.array(reference.scale)
    if not np.isfinite(points).all():
        raise _error(path, "the mesh has coordinates that are not finite", "bad-mesh")
    triangles = np.concatenate(faces)
    if triangles.size and not (triangles.min() >= 0 and triangles.max() < count):
        raise _error(path, "the mesh has faces without their vertices", "bad-mesh")
    return Mesh(points, triangles)


def _pick(path: str, head: bytes, formats: list[MeshFormat]) -> MeshFormat:
    for candidate in formats:
        if candidate.sniff(head):
            return candidate
    lowered = path.lower()
    for candidate in formats:
        if lowered.endswith(tuple(candidate.suffixes)):
            return candidate
    family = foreign_format(head, path) or f"a {Path(path).suffix or 'nameless'} file"
    known = ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in formats) or "none"
    raise _error(
        path,
        f"{family} has no reader yet; installed mesh readers: {known}",
        "no-reader",
    )


def _error(path: str, message: str, code: str) -> SceneError:
    return SceneError(Problem(Severity.ERROR, message, file=path, code=code))
