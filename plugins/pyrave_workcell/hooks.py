"""Registrations of RobWork's formats: scenes, and elements kept as data."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats import ReadContext, SceneFormat, SceneSource, WriteContext
    from pyrave.scene import Readable, SceneDescription


class WorkCellFormat:
    """RobWork's WorkCells, and files of one device."""

    name = "workcell"
    suffixes = (".wc.xml",)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is a WorkCell or a device."""
        from pyrave_workcell.syntax.heads import is_workcell

        return is_workcell(head)

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""
        from pyrave_workcell.workcell import read_workcell

        return read_workcell(source, context).scene

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path or file object; return what could not be said."""
        from pyrave_workcell.workcell.writing.document import write_workcell

        return write_workcell(scene, target, context)


# what RobWork says beyond descriptions, by where it stands
_KEPT = {
    "robot": ("Property", "Q"),
    "kinbody": ("Property",),
    "link": ("Property",),
    "environment": ("Property", "ProximitySetup"),
}


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Readable]]]:
    """Know in other formats what RobWork left as data."""
    from pyrave.formats import keep_element

    for kind, tags in _KEPT.items():
        for tag in tags:
            yield kind, tag, keep_element


@hookimpl
def pyrave_scene_formats() -> Iterable[SceneFormat]:
    """Offer the formats."""
    from pyrave_workcell.dynamics.format import DynamicWorkCellFormat

    return (WorkCellFormat(), DynamicWorkCellFormat())
