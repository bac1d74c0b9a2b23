"""The hook implementations of the built-in format: OpenRAVE XML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import pluggy

from pyrave.formats.format_detection import ROOTS_OF_OPENRAVE, is_urdf, root_tag

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats.context import ReadContext, WriteContext
    from pyrave.formats.registry import SceneSource
    from pyrave.scene import SceneDescription

hookimpl = pluggy.HookimplMarker("pyrave")


class OpenRAVEXmlFormat:
    """OpenRAVE's XML format; lxml is imported when a file is read or written."""

    name = "openrave-xml"
    suffixes = (".env.xml", ".robot.xml", ".kinbody.xml", ".sensor.xml", ".xml")
    reads_attributes = True

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is OpenRAVE XML."""
        tag = root_tag(head)
        return tag in ROOTS_OF_OPENRAVE and not is_urdf(head)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""
        from pyrave.formats.openrave_xml.read.reader import read_openrave_xml

        return read_openrave_xml(source, context)

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path or file object; return what could not be said."""
        from pyrave.formats.openrave_xml.write.writer import write_openrave_xml

        return write_openrave_xml(scene, target, context)


@hookimpl
def pyrave_scene_formats() -> Iterable[OpenRAVEXmlFormat]:
    """Offer the format."""
    return (OpenRAVEXmlFormat(),)
