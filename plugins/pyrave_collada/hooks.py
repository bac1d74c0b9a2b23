"""Registrations of COLLADA: its scenes, and its meshes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats import (
        MeshFormat,
        ReadContext,
        SceneFormat,
        SceneSource,
        WriteContext,
    )
    from pyrave.scene import SceneDescription


class ColladaFormat:
    """COLLADA 1.5 (and 1.4) scenes with OpenRAVE's robot extensions, or zipped."""

    name = "collada"
    suffixes = (".zae", ".dae")
    reads_fragments = True

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is COLLADA or an archive."""
        from pyrave_collada.document.file_kind import is_archive, is_collada

        return is_archive(head) or is_collada(head)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""
        from pyrave_collada.reading.scene import read_collada

        return read_collada(source, context)

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path or file object; return what could not be said."""
        from pyrave_collada.writing.document import write_collada

        return write_collada(scene, target, context)


@hookimpl
def pyrave_scene_formats() -> Iterable[SceneFormat]:
    """Offer the format."""
    return (ColladaFormat(),)


@hookimpl
def pyrave_mesh_formats() -> Iterable[MeshFormat]:
    """Offer the meshes."""
    from pyrave_collada.reading.mesh import ColladaMeshFormat

    return (ColladaMeshFormat(),)
