"""A scene as the file of a WorkCell, with meshes and a proximity setup next to it."""

# Paths stay text: they come from files and go into descriptions as written.
# ruff: noqa: PTH100

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import Error, Problem, SceneError
from pyrave.formats import FileNames, Losses, ReadContext, Resolver, write_bytes
from pyrave.formats.output.writable import writable
from pyrave.scene import RobotDescription, with_glue_fixed, with_names
from pyrave_workcell.workcell.document import WORLD
from pyrave_workcell.workcell.writing.elements import add
from pyrave_workcell.workcell.writing.frames import FrameWriter, device_element
from pyrave_workcell.workcell.writing.layout import cell_of
from pyrave_workcell.workcell.writing.losses import report_scene
from pyrave_workcell.workcell.writing.meshes import SideFiles
from pyrave_workcell.workcell.writing.models import ModelWriter, is_model
from pyrave_workcell.workcell.writing.plan import Cell, Device
from pyrave_workcell.workcell.writing.setups import rules_for, setup_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.formats import Target, WriteContext
    from pyrave.scene import BodyDescription, SceneDescription


def write_workcell(
    scene: SceneDescription, target: Target, context: WriteContext
) -> list[Problem]:
    """Write a scene to a path or a binary file object.

    Meshes that RobWork does not read, and which pairs are compared where RobWork's own
    rules do not say it, are written next to the file.

    Returns
    -------
    list of Problem
        What RobWork has no place for; its code says whether it is lost.

    Raises
    ------
    SceneError
        The scene holds what no file can say, or the file cannot be written.
    """
    return save(scene, target, context, _data)


def _data(scene: SceneDescription, files: SideFiles, losses: Losses) -> bytes:
    report_scene(scene, losses, dynamic=False)
    return written(scene, files, losses).data


def save(
    scene: SceneDescription,
    target: Target,
    context: WriteContext,
    data_of: Callable[[SceneDescription, SideFiles, Losses], bytes],
) -> list[Problem]:
    """Write the file that a function makes of a scene, and the files next to it.

    Returns
    -------
    list of Problem
        What the function has no place for.

    Raises
    ------
    SceneError
        The scene holds what no file can say.
    """
    losses = Losses()
    scene = _prepared(scene, losses)
    files = _side_files(target, context, losses)
    try:
        data = data_of(scene, files, losses)
    except Error:
        raise
    except ValueError as error:  # lxml's: a name or a text that XML cannot carry
        message = f"the scene cannot be written for RobWork: {error}"
        raise SceneError.refusal("not-written", message) from error
    with files.written():
        write_bytes(target, data)
    found = losses.problems()
    context.diagnostics.extend(found)
    return found


def _prepared(scene: SceneDescription, losses: Losses) -> SceneDescription:
    """Return a scene whose links and joints have names, with what RobWork can show.

    Raises
    ------
    SceneError
        It holds what no file can say.
    """
    scene = writable(scene)
    bodies = []
    for body in scene.bodies:
        named, glued = with_glue_fixed(with_names(body))
        if glued:
            what = "joints that glue links together are fixed"
            losses.add(what, *glued, kind="written-otherwise")
        bodies.append(_with_models(named, losses))
    return replace(scene, bodies=tuple(bodies))


def _with_models(body: BodyDescription, losses: Losses) -> BodyDescription:
    """Return a body without the geometries that no model stands for."""
    links = []
    for link in body.links:
        kept = tuple(one for one in link.geometries if is_model(one))
        if len(kept) < len(link.geometries):
            losses.add(
                "geometries of other groups or without a shape are not written",
                link.name,
            )
        links.append(replace(link, geometries=kept))
    return replace(body, links=tuple(links))


def _side_files(target: Target, context: WriteContext, losses: Losses) -> SideFiles:
    """Return a writer of the files next to a target, which names them."""
    path = None
    if isinstance(target, (str, os.PathLike)):
        path = os.path.abspath(os.fspath(target))
    reading = context.reading or ReadContext(
        resolver=Resolver(data_roots=(), use_environment=False)
    )
    names = FileNames(context.relative_to, reading.resolver)
    return SideFiles(path, names, context.reading, losses)


@dataclass(frozen=True, slots=True)
class Written:
    """A WorkCell's file, and what its frames are called."""

    data: bytes
    cell: Cell


def written(
    scene: SceneDescription,
    files: SideFiles,
    losses: Losses,
    tied: frozenset[str] | None = None,
) -> Written:
    """Return the file of a scene; what it needs next to it is put into `files`.

    Parameters
    ----------
    tied
        As of `cell_of`.
    """
    cell = cell_of(scene, losses, tied)
    root = _root(scene, cell, FrameWriter(ModelWriter(files, losses), losses))
    try:
        plain = _text(root)
    except ValueError as error:  # lxml's: data holds what XML cannot carry
        message = f"the scene cannot be written as a WorkCell: {error}"
        raise _refusal(message) from error
    rules = rules_for(scene, plain)
    if rules is not None:
        prefix = "" if root.tag == "WorkCell" else f"{root.get('name')}."
        name = files.setup(setup_bytes(rules, prefix))
        if name is None:
            losses.add(
                "which pairs are compared needs a file next to the scene: save to a "
                "path"
            )
        else:
            _add_setup(root, name)
    return Written(_text(root), cell)


def _root(scene: SceneDescription, cell: Cell, writer: FrameWriter) -> Any:
    first = cell.items[0] if cell.items else None
    if _is_device(scene, cell) and isinstance(first, Device):
        holder = etree.Element("holder")
        root = device_element(holder, first, writer)
        holder.remove(root)
        _add_configurations(root, first, writer)
        return root
    root = etree.Element("WorkCell", name=cell.name)
    for prop in cell.properties:
        writer.prop(root, prop)
    for item in cell.items:
        if isinstance(item, Device):
            element = device_element(root, item, writer)
            _add_configurations(element, item, writer)
        elif item.full == WORLD:
            writer.contents(root, item)
        else:
            above = "" if item.parent is None else item.parent.full
            writer.frame(root, item, above)
    return root


def _is_device(scene: SceneDescription, cell: Cell) -> bool:
    """Return True if the file is one device without a WorkCell."""
    alone = len(cell.items) == 1 and not cell.properties and not scene.interfaces
    return (
        alone
        and scene.root == "robot"
        and isinstance(scene.bodies[0], RobotDescription)
        and not scene.name
    )


def _add_configurations(root: Any, device: Device, writer: FrameWriter) -> None:
    """Append junctions and configurations, which RobWork wants last."""
    for names in device.junctions:
        junction = add(root, "Junction")
        for name in names:
            add(junction, "Chains").text = name
    for one in device.configurations:
        writer.configuration(root, one)


def _add_setup(root: Any, name: str) -> None:
    """Append a setup; in a device configurations stay last."""
    setup = add(root, "ProximitySetup", file=name)
    if root.tag != "WorkCell":
        first = next((one for one in root if one.tag in {"Junction", "Q"}), None)
        if first is not None:
            first.addprevious(setup)


def _text(root: Any) -> bytes:
    etree.indent(root)
    data: bytes = etree.tostring(root, encoding="utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + data + b"\n"


def _refusal(message: str) -> Error:
    return SceneError.refusal("not-written", message)
