"""What URDF registers: its scenes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pyrave.formats import is_urdf
from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats import ReadContext, SceneFormat, SceneSource, WriteContext
    from pyrave.scene import SceneDescription

__all__ = ["UrdfFormat", "pyrave_scene_formats"]


class UrdfFormat:
    """URDF with SRDF beside it, the contact extension, and xacro if code may run."""

    name = "urdf"
    writes_srdf = True
    suffixes = (".urdf.xacro", ".xacro", ".urdf")

    def sniff(self, head: bytes) -> bool:
        """Return whether a file that starts with `head` is URDF or xacro."""
        return is_urdf(head)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return what the file says; problems go to ``context.diagnostics``."""
        from pyrave_urdf.robot import read_urdf

        return read_urdf(source, context)

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path or file object; return what could not be said."""
        from pyrave_urdf.write import write_urdf

        return write_urdf(scene, target, context)


@hookimpl
def pyrave_scene_formats() -> Iterable[SceneFormat]:
    """Offer the format."""
    return (UrdfFormat(),)
