"""The format of Dynamic WorkCells, for the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats import ReadContext, SceneSource, WriteContext
    from pyrave.scene import SceneDescription

_ROOTS = frozenset({"dynamicworkcell", "includedata"})


class DynamicWorkCellFormat:
    """RobWork's Dynamic WorkCells, with WorkCells next to them."""

    name = "dynamic-workcell"
    suffixes = (".dwc.xml",)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is one, or a part of one."""
        from pyrave.formats.format_detection import root_tag

        # names in the wrong case are reported by the reader
        return root_tag(head) in _ROOTS

    def read(self, source: SceneSource, context: ReadContext) -> SceneDescription:
        """Return the scene of a file; problems go to ``context.diagnostics``."""
        from pyrave_workcell.dynamics.scene import read_dynamic_workcell

        return read_dynamic_workcell(source, context)

    def write(
        self, scene: SceneDescription, target: Any, context: WriteContext
    ) -> list[Problem]:
        """Write a scene to a path; return what could not be said."""
        from pyrave_workcell.dynamics.writing.document import write_dynamic_workcell

        return write_dynamic_workcell(scene, target, context)
