"""A Dynamic WorkCell file as a scene."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.errors import ResourceError, SceneError
from pyrave.formats import open_source
from pyrave.scene import SceneDescription
from pyrave_workcell.dynamics.assembly import Builder
from pyrave_workcell.dynamics.cell import Cell
from pyrave_workcell.dynamics.root import read_dynamics
from pyrave_workcell.dynamics.values import DynamicsReading
from pyrave_workcell.syntax import DYNAMIC, parse
from pyrave_workcell.workcell import arrange

if TYPE_CHECKING:
    from pyrave.formats import ReadContext, SceneSource


def read_dynamic_workcell(
    source: SceneSource, context: ReadContext
) -> SceneDescription:
    """Return the bodies of a Dynamic WorkCell, its materials, constraints, ....

    Problems go to the diagnostics of the context.

    Raises
    ------
    SceneError
        RobWork could not read the characters of the file or of its WorkCell, an
        included file is missing, or the file costs too much.
    """
    root = parse(source, context, DYNAMIC)
    reading = DynamicsReading(context)
    found = read_dynamics(root, reading)
    uri = source.file if source.folder is not None else ""
    empty = SceneDescription(uri=uri, location=root.location)
    if not found.workcell.strip():
        if root.get("workcell") is not None:
            reading.error(root, "missing-file", "the name of the WorkCell is empty")
        return empty
    try:
        path = context.resolver.resolve(found.workcell, source.folder)
    except SceneError as error:
        reading.error(root, "bad-uri", error.first.message, error.hint)
        return empty
    except ResourceError as error:
        reading.error(root, "missing-file", f"the WorkCell {error}")
        return empty
    arranged = arrange(open_source(path, context), context)
    if context.diagnostics.has_errors:
        return empty
    builder = Builder(found, Cell(arranged), reading)
    bodies = arranged.workcell(builder.dynamics()).scene
    return replace(builder.scene(bodies), uri=uri, location=root.location)
