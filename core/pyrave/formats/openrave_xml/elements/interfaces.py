"""Interface elements other than bodies: sensors, controllers, modules, engines, ..."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave.formats.openrave_xml.elements.custom import CustomContent
from pyrave.formats.openrave_xml.elements.overrides import (
    Overrides,
    read_overrides,
    with_overrides,
)
from pyrave.formats.openrave_xml.elements.settings import words_of_attributes
from pyrave.formats.openrave_xml.read.inclusion import included
from pyrave.formats.openrave_xml.read.scope import lowered
from pyrave.formats.openrave_xml.schema import ELEMENTS, MAX_NAME
from pyrave.formats.openrave_xml.transforms import Frame
from pyrave.formats.xml import local_name, to_xml_element
from pyrave.interfaces.types import TYPE_ALIASES
from pyrave.scene import InterfaceDescription, Pose
from pyrave.scene.readable import Readable, XmlReadable

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope

# what OpenRAVE makes of these without a `type`
_DEFAULTS = {
    "controller": "IdealController",
    "physicsengine": "GenericPhysicsEngine",
    "collisionchecker": "ode",
    "trajectory": "GenericTrajectory",
}
_PLACED = frozenset({"sensor"})


@dataclass(slots=True)
class InterfaceContent:
    """Contents of an interface element of any type; mutable while it is read."""

    interface: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    frame: Frame = field(default_factory=Frame)
    placed: bool = False
    commands: list[str] = field(default_factory=list)
    readables: list[tuple[str, Readable]] = field(default_factory=list)
    overrides: Overrides | None = None

    @property
    def pose(self) -> Pose | None:
        """The pose of its transform tags, None if it has none."""
        return self.frame.pose if self.placed else None


def read_content(
    element: Any,
    scope: Scope,
    kind: str,
    content: InterfaceContent | None = None,
    passed: dict[str, str] | None = None,
) -> InterfaceContent:
    """Read an interface element with its ``file=`` and custom readers.

    Parameters
    ----------
    kind
        Its interface type.
    passed
        Attributes of an including element, which win over its own.
    """
    content = content or InterfaceContent()
    passed = passed or {}
    given = passed.get("type", "")
    attributes = {**scope.attributes(element, kind, given), **passed}
    content.attributes = {**content.attributes, **attributes}
    if "file" in attributes:
        _include(element, scope, kind, content, attributes)
    if "type" in attributes:
        content.interface = attributes["type"].strip()
    scope.keep_attributes(element, kind, content.readables, interface=given)
    custom = CustomContent(
        element,
        scope,
        kind,
        content.interface,
        content.readables,
        report=scope.load.context.known_interfaces is not None,
        included="file" in attributes,
    )
    for child in element:
        tag = lowered(child.tag, child)
        if not tag or custom.take(tag, child):
            continue
        if kind in _PLACED and content.frame.read(tag, child, scope):
            content.placed = True
        elif tag == "sendcommand":
            content.commands.append(scope.text(child))
        elif tag == "pyrave":
            content.overrides = read_overrides(child, scope, content.overrides)
        elif kind == "trajectory" and tag in ELEMENTS[kind].tags:
            # the trajectory reads it, whatever type it is of
            plain = to_xml_element(child, scope.file)
            content.readables.append((tag, XmlReadable(plain)))
        else:
            custom.keep(child)
    words = words_of_attributes(
        element, scope, kind, content.interface, ELEMENTS[kind].attributes
    )
    content.interface = " ".join((content.interface, *words, *custom.words)).strip()
    return content


def read_interface(
    element: Any,
    scope: Scope,
    robot: str | None = None,
    passed: dict[str, str] | None = None,
) -> InterfaceDescription | None:
    """Read an interface element of an environment, or a robot's controller.

    Parameters
    ----------
    robot
        Name of the robot that holds a controller, or None.
    """
    kind = TYPE_ALIASES.get(local_name(element), local_name(element))
    content = read_content(element, scope, kind, passed=passed)
    attributes = content.attributes
    interface = content.interface or _DEFAULTS.get(kind, "")
    if not interface and not (
        "file" in attributes and scope.load.diagnostics.has_errors
    ):
        scope.error(
            element,
            "missing-type",
            f"the <{local_name(element)}> has no type",
            "add type='InterfaceId'",
        )
        return None
    if kind == "sensor" and attributes.get("args"):
        scope.warn(
            element,
            "deprecated-attribute",
            "attribute 'args' of a sensor is not used",
            "put arguments into type='Id args'",
        )
    name = attributes.get("name", "").strip()
    if len(name) > MAX_NAME:
        message = f"the name {name!r} of a {kind} has {len(name)} characters"
        scope.error(element, "bad-name", message, f"names have up to {MAX_NAME}")
    drives_base = "transform" in attributes and scope.boolean(
        element, "transform", attributes["transform"], default=True
    )
    found = InterfaceDescription(
        kind,
        interface,
        name,
        attributes.get("args", "") if kind == "module" else "",
        robot if robot is not None else attributes.get("robot", "").strip(),
        tuple(attributes.get("joints", "").split()),
        drives_base,
        content.pose,
        tuple(content.commands),
        tuple(content.readables),
        scope.location(element),
    )
    return with_overrides(found, content.overrides)


def _include(
    element: Any,
    scope: Scope,
    kind: str,
    content: InterfaceContent,
    attributes: dict[str, str],
) -> None:
    aliases = {alias for alias, known in TYPE_ALIASES.items() if known == kind}
    name, allowed = attributes["file"], {kind, *aliases}
    with included(scope, element, name, allowed, f"<{kind}>") as inner:
        if inner is not None:
            passed = {key: value for key, value in attributes.items() if key != "file"}
            read_content(inner.document.root, inner, kind, content, passed)
