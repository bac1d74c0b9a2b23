"""Writing a scene description as OpenRAVE XML.

What OpenRAVE has a tag for is written with that tag. The result is then read back,
and each field that came out different is kept exactly in a ``<pyrave>`` element.
"""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.errors import ArgumentError, Problem, SceneError, Severity
from pyrave.formats.context import ReadContext
from pyrave.formats.diagnostics import Diagnostics
from pyrave.formats.openrave_xml.exact import encode
from pyrave.formats.openrave_xml.reader import read_openrave_xml
from pyrave.formats.openrave_xml.write_body import BodyWriter, Node, add, numbers
from pyrave.formats.registry import SceneSource
from pyrave.formats.resolver import Resolver
from pyrave.scene import (
    BodyDescription,
    InterfaceDescription,
    Readable,
    RobotDescription,
    SceneDescription,
    XmlReadable,
)

if TYPE_CHECKING:
    from pyrave.formats.context import WriteContext

__all__ = ["openrave_xml_text", "write_openrave_xml"]

_NESTED = frozenset({
    *("bodies", "interfaces", "links", "joints", "geometries", "manipulators"),
    "attached_sensors",
})  # fmt: skip
_SCENE_ONLY = ("plugins", "name", "gravity", "background_color", "camera", "unit")


def write_openrave_xml(
    scene: SceneDescription, target: Any, context: WriteContext
) -> list[Problem]:
    """Write `scene` to a path or a binary file object.

    Returns
    -------
    list of Problem
        What could not be written, one warning each.

    Raises
    ------
    SceneError
        If the scene holds something that no file can say, for example a duplicate
        name or a control character; nothing is written then.
    """
    text, losses = openrave_xml_text(scene, context)
    data = text.encode("utf-8")
    if isinstance(target, (str, os.PathLike)):
        path = Path(target)
        partial = path.with_name(path.name + ".part")
        partial.write_bytes(data)
        partial.replace(path)
    elif hasattr(target, "write"):
        target.write(data)
    else:
        raise ArgumentError(
            f"target is a {type(target).__name__}, expected a path or a file object"
        )
    return losses


def openrave_xml_text(
    scene: SceneDescription, context: WriteContext
) -> tuple[str, list[Problem]]:
    """Return the XML of a scene, and what could not be written."""
    losses: list[Problem] = []
    writer = BodyWriter(context, losses)
    try:
        root = _scene(scene, writer)
        read = _read_back(root, context)
        _settle(root, scene, read)
        losses.extend(
            Problem(Severity.WARNING, message, code="not-written")
            for message in writer.lost
        )
        etree.indent(root.element)
        text = etree.tostring(root.element, encoding="unicode")
    except (ValueError, TypeError) as error:
        if isinstance(error, SceneError):
            raise
        raise SceneError(f"the scene cannot be written as XML: {error}") from error
    context.diagnostics.extend(losses)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + text + "\n", losses


def _scene(scene: SceneDescription, writer: BodyWriter) -> Node:
    single = _single(scene)
    if single is not None:
        node: Node = single(writer)
        return node
    element = etree.Element("environment")
    if scene.name:
        element.set("name", scene.name)
    node = Node(element)
    for plugin in scene.plugins:
        add(element, "plugin", plugin.name)
    if scene.unit != ("meter", 1.0):
        unit = add(element, "unit")
        unit.set("name", scene.unit[0])
        unit.set("scale", repr(scene.unit[1]))
    if scene.background_color is not None:
        add(element, "bkgndcolor", numbers(scene.background_color))
    if scene.camera is not None:
        add(element, "camtrans", numbers(scene.camera.pose.translation))
        add(element, "camrotmat", numbers(scene.camera.pose.rotation))
        add(element, "camfocal", numbers((scene.camera.focal_distance,)))
    for body in scene.bodies:
        node.add("bodies", writer.body(body))
    for interface in scene.interfaces:
        node.add("interfaces", writer.interface(interface))
    writer.readables(element, scene.readables, "environment")
    return node


def _single(scene: SceneDescription) -> Any:
    """Return how to write a scene that is one object without an environment."""
    default = SceneDescription()
    plain = all(getattr(scene, name) == getattr(default, name) for name in _SCENE_ONLY)
    if scene.root == "environment" or not plain or scene.readables:
        return None
    if len(scene.bodies) == 1 and scene.root in {"robot", "kinbody"}:
        body = scene.bodies[0]
        is_robot = isinstance(body, RobotDescription)
        own = all(
            i.type == "controller" and i.robot == body.name for i in scene.interfaces
        )
        if is_robot == (scene.root == "robot") and (
            not scene.interfaces or (own and is_robot)
        ):
            return lambda writer: _single_body(body, scene.interfaces, writer)
    if not scene.bodies and len(scene.interfaces) == 1:
        interface = scene.interfaces[0]
        if interface.type == scene.root:
            return lambda writer: _single_interface(interface, writer)
    return None


def _single_body(
    body: BodyDescription,
    controllers: tuple[InterfaceDescription, ...],
    writer: BodyWriter,
) -> Node:
    inner = writer.body(body)
    node = Node(inner.element, is_scene=False)
    node.add("bodies", inner, attach=False)
    for controller in controllers:
        written = writer.interface(dataclasses.replace(controller, robot=""))
        inner.element.append(written.element)
        node.add("interfaces", written, attach=False)
    return node


def _single_interface(interface: InterfaceDescription, writer: BodyWriter) -> Node:
    inner = writer.interface(interface)
    node = Node(inner.element, is_scene=False)
    node.add("interfaces", inner, attach=False)
    return node


def _read_back(root: Node, context: WriteContext) -> SceneDescription:
    data = etree.tostring(root.element, encoding="utf-8")
    reading = ReadContext(
        resolver=Resolver(data_roots=(), use_environment=False),
        diagnostics=Diagnostics(),
    )
    source = SceneSource(data, "<written>", context.relative_to)
    read = read_openrave_xml(source, reading)
    reading.diagnostics.raise_if_refused()
    return read


def _writes_itself(value: Any) -> bool:
    """Return whether a value is data of a plugin, which only its reader can read."""
    return isinstance(value, Readable) and not isinstance(value, XmlReadable)


def _settle(node: Node, wanted: Any, read: Any) -> None:
    """Add ``<pyrave>`` where `read` is not what was `wanted`."""
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(wanted):
        name = field.name
        if not field.compare or name == "readables":
            continue
        mine, other = getattr(wanted, name), getattr(read, name)
        if mine == other or _writes_itself(mine):
            continue
        children = node.children.get(name, [])
        if name in _NESTED and len(mine) == len(other) == len(children):
            for child, one, two in zip(children, mine, other, strict=True):
                _settle(child, one, two)
        else:
            changed[name] = mine
    if not changed:
        return
    if not node.is_scene and isinstance(wanted, SceneDescription):
        raise SceneError(f"a {wanted.root} file cannot hold {', '.join(changed)}")
    element = add(node.element, "pyrave")
    for name, value in changed.items():
        add(element, "set", json.dumps(encode(value))).set("name", name)
