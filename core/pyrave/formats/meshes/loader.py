"""Loading the meshes that scene descriptions refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pyrave.errors import (
    ArgumentError,
    Error,
    PluginGuard,
    Problem,
    ResourceError,
    error_text,
)
from pyrave.formats.format_detection import (
    LFS_POINTER,
    foreign_format,
    is_lfs_pointer,
    is_postponed,
)
from pyrave.formats.meshes.mesh_format import MeshFormat, MeshSource
from pyrave.scene import MeshData, MeshReference

if TYPE_CHECKING:
    from pyrave.geometry import Mesh

_HEAD_BYTES = 4096
_MAX_REASONS = 3


def load_mesh(
    reference: MeshReference | MeshData,
    mesh_formats: Iterable[MeshFormat],
    report: Callable[[Problem], None] | None = None,
) -> Mesh:
    """Return the triangles of a mesh, scaled.

    Parameters
    ----------
    reference
        A file and its scale, or triangles that a description holds itself.
    mesh_formats
        The formats that plugins offer.
    report
        Called with each warning of the reader, for example a missing material file.

    Raises
    ------
    ResourceError
        If the file is not there, or was not there when the scene was read.
    SceneError
        If it is broken, or no installed plugin reads its format.
    """
    if isinstance(reference, MeshData):
        from pyrave.geometry import Mesh

        return Mesh(reference.vertices, reference.faces)
    if not reference.found:
        # an unresolved name: opening it would pass by the resource roots
        raise ResourceError(
            reference.written or reference.uri,
            hint="it was not found, or not allowed, when the scene was read",
        )
    source = MeshSource.open(reference.uri, reference.written, y_up=reference.y_up)
    mesh = read_mesh(source, mesh_formats)
    if report is not None:
        for problem in source.problems:
            report(problem)
    try:
        return mesh.scaled(reference.scale)
    except ArgumentError as error:
        raise source.error(f"scaled by {reference.scale}, {error}") from error


def read_mesh(source: MeshSource, mesh_formats: Iterable[MeshFormat]) -> Mesh:
    """Return the triangles of a mesh file; its content decides on the reader.

    Raises
    ------
    SceneError
        The file is broken or empty, or no installed plugin reads its format.
    """
    return read_mesh_as(pick_mesh_format(source, mesh_formats), source)


def read_mesh_as(chosen: MeshFormat, source: MeshSource) -> Mesh:
    """Return the triangles of a mesh file of a known format.

    Raises
    ------
    SceneError
        The file is broken or empty, whatever the reader raises then.
    """
    mesh: Mesh | None = None
    try:
        # a reader may be anyone's, and a damaged file may lead it anywhere
        with PluginGuard(passes=Error) as guard:
            mesh = chosen.read(source)
    except ArgumentError as error:
        # the mesh type refused the numbers
        raise source.error(str(error)) from error
    if guard.error is not None:
        text = f"the {chosen.name} reader failed: {error_text(guard.error)}"
        raise source.error(text) from guard.error
    if mesh is None or not len(mesh.faces):
        why = "; ".join(problem.message for problem in source.problems[:_MAX_REASONS])
        message = "the file holds no triangles" + (f": {why}" if why else "")
        raise source.error(message, code="empty-mesh")
    return mesh


def pick_mesh_format(
    source: MeshSource, mesh_formats: Iterable[MeshFormat]
) -> MeshFormat:
    """Return the format of a mesh file: its content decides, then its suffix.

    Raises
    ------
    SceneError
        No format fits; says which there are.
    """
    formats = list(mesh_formats)
    head, lowered = source.data[:_HEAD_BYTES], source.file.lower()
    if is_lfs_pointer(head):
        what, hint = LFS_POINTER
        raise source.error(what, hint=hint)
    postponed = [one for one in formats if is_postponed(one, source.file)]
    for candidate in formats:
        if candidate not in postponed and candidate.sniff(head):
            return candidate
    for candidate in formats:
        if lowered.endswith(tuple(candidate.suffixes)):
            return candidate
    for candidate in postponed:
        if candidate.sniff(head):
            return candidate
    suffix = Path(source.file).suffix or "nameless"
    family = foreign_format(head, source.file) or f"a {suffix} file"
    known = ", ".join(f"{f.name} ({' '.join(f.suffixes)})" for f in formats) or "none"
    raise source.error(
        f"{family} has no reader yet; installed mesh readers: {known}",
        code="no-reader",
    )
