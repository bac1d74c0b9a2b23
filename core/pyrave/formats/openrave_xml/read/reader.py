"""Reading OpenRAVE XML into a scene description."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.formats.openrave_xml.elements.environment import SceneReader
from pyrave.formats.openrave_xml.read.inclusion import main_scope
from pyrave.formats.openrave_xml.read.state import LoadState
from pyrave.formats.xml import parse_document

if TYPE_CHECKING:
    from pyrave.formats.context import ReadContext
    from pyrave.formats.registry import SceneSource
    from pyrave.scene import SceneDescription


def read_openrave_xml(source: SceneSource, context: ReadContext) -> SceneDescription:
    """Return the scene of an OpenRAVE XML file, with everything it includes.

    Problems are collected in ``context.diagnostics``; whoever calls decides by them
    whether the scene is refused (`pyrave.formats.read_scene` does).

    Raises
    ------
    SceneError
        If the main file is not well-formed, or breaks a limit.
    """
    load = LoadState(context)
    document = parse_document(source.data, source.file, load.limits)
    scope = main_scope(load, document, source.folder)
    scene = SceneReader(load).read_root(scope)

    load.idle.tell(lambda found, *said: found[0].note(found[1], *said))
    return scene
