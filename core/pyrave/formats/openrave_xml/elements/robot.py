"""Elements of robots beyond bodies: manipulators, attached sensors, controllers."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from pyrave.formats.openrave_xml.builders.body_builder import BodyBuilder
from pyrave.formats.openrave_xml.builders.item_builders import (
    JointBuilder,
    ManipulatorBuilder,
    SensorBuilder,
)
from pyrave.formats.openrave_xml.elements.interfaces import read_content, read_interface
from pyrave.formats.openrave_xml.elements.overrides import read_overrides
from pyrave.formats.openrave_xml.read.scope import lowered
from pyrave.formats.openrave_xml.schema import ELEMENTS
from pyrave.formats.openrave_xml.transforms import Frame, sized
from pyrave.formats.openrave_xml.values import split_words
from pyrave.formats.solver_hints import named_joints
from pyrave.formats.xml import local_name

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope

_UNIT = 1e-12
_LEFT_OUT = "the manipulator is left out"
_GRIPPER = frozenset({"joints", "gripperjoints"})
_CLOSING = frozenset({"closingdirection", "closingdir", "chuckingdirection"})
_UNUSED = {
    "armjoints": "the arm is the chain from base to effector",
    "closed": "grasping uses <closingdirection>",
    "opened": "grasping uses <closingdirection>",
    "ikchainend": "the chain ends at the effector",
}


def read_robot_tag(tag: str, element: Any, scope: Scope, body: BodyBuilder) -> bool:
    """Read a tag that only robots have; return False for others."""
    if tag == "manipulator":
        manipulator = _read_manipulator(element, scope, body)
        if manipulator is not None:
            body.manipulators.append(manipulator)
    elif tag == "attachedsensor":
        _read_sensor(element, scope, body)
    elif tag == "controller":
        controller = read_interface(element, scope, robot="")
        if controller is not None:
            body.controllers.append(controller)
    else:
        return False
    return True


def _read_manipulator(
    element: Any, scope: Scope, body: BodyBuilder
) -> ManipulatorBuilder | None:
    """Return a manipulator; None, with a warning, if it has no chain of links."""
    name = scope.attributes(element, "manipulator").get("name", "").strip()
    found = ManipulatorBuilder(name, element, scope)
    closing: Any = None
    frame = Frame()
    for child in element:
        tag = lowered(child.tag, child)
        if frame.read(tag, child, scope):
            continue
        if tag in {"base", "effector"}:
            if getattr(found, tag) != "":
                scope.repeated(child)
            name = scope.word(child)
            link = body.find_link(name)
            if link is None:
                body.unknown_link(child, scope, name, _LEFT_OUT)
            setattr(found, tag, name if link is None else link)
        elif tag in _GRIPPER:
            found.gripper = _gripper(child, scope, body)
        elif tag in _CLOSING:
            closing = child
            values = scope.floats(child)
            if values is not None:
                found.chucking = tuple(float((v > 0) - (v < 0)) for v in values)
        elif tag in {"direction", "palmdirection"}:
            _direction(tag, child, scope, found)
        elif tag == "iksolver":
            found.iksolver = scope.text(child)
        elif tag in _UNUSED:
            scope.warn(child, "unused-tag", f"<{tag}> is not used: {_UNUSED[tag]}")
        elif tag == "pyrave":
            found.overrides = read_overrides(child, scope, found.overrides)
        elif tag:
            scope.unknown_tag(child, ELEMENTS["manipulator"].tags)
    if not found.name:
        found.name = f"manip{len(body.manipulators)}"
        scope.warn(
            element, "unnamed-manipulator", f"the manipulator is named {found.name!r}"
        )
    for tag in ("base", "effector"):
        if getattr(found, tag) == "":
            message = f"manipulator {found.name!r} has no <{tag}>; {_LEFT_OUT}"
            scope.warn(element, "missing-tag", message)
    dofs = sum(len(j.axes) for j in found.gripper if not isinstance(j, str))
    if closing is not None and len(found.chucking) != dofs:
        given = len(found.chucking)
        used = f"the first {dofs} are taken" if given > dofs else "it is not used"
        scope.warn(
            closing,
            "closing-direction",
            f"<{local_name(closing)}> has {given} numbers, the gripper has {dofs} "
            f"degrees of freedom; {used}",
        )
        found.chucking = found.chucking[:dofs] if given > dofs else ()
    if not found.chucking:
        found.chucking = (0.0,) * dofs
    found.tool = frame.pose
    kept = found.overrides.readables if found.overrides is not None else ()
    for name in named_joints(found.iksolver, kept):
        joint = body.find_joint(name)
        if joint is not None:
            found.hinted[name] = joint
    if isinstance(found.base, str) or isinstance(found.effector, str):
        return None
    return found


def _gripper(element: Any, scope: Scope, body: BodyBuilder) -> list[JointBuilder | str]:
    found: list[JointBuilder | str] = []
    for name in split_words(scope.text(element)):
        joint = body.find_joint(name)
        if joint is None:
            near = scope.near(name, (j.name for j in body.joints))
            scope.warn(
                element,
                "unknown-joint",
                f"no joint is named {name!r}",
                f"did you mean {near!r}?" if near else None,
            )
        else:
            found.append(joint)
    return found


def _direction(tag: str, element: Any, scope: Scope, found: ManipulatorBuilder) -> None:
    if tag == "palmdirection":
        scope.warn(
            element,
            "deprecated-tag",
            "<palmdirection> is an old name",
            "write <direction>",
        )
    values = scope.floats(element, 3, found.direction)
    if values is None:
        return
    x, y, z = sized(values) if any(values) else values
    size = x * x + y * y + z * z
    if size == 0.0:
        scope.warn(element, "zero-axis", "<direction> is 0 0 0, taken as 0 0 1")
    elif abs(size - 1.0) > _UNIT:
        norm = math.sqrt(size)
        found.direction = (x / norm, y / norm, z / norm)
    else:
        found.direction = (x, y, z)


def _read_sensor(element: Any, scope: Scope, body: BodyBuilder) -> None:
    name = scope.attributes(element, "attachedsensor").get("name", "").strip()
    scope.revisit(element, len(body.sensors))
    found = next((s for s in body.sensors if name and s.name == name), None)
    if found is None:
        if not name:
            name = f"sensor{len(body.sensors)}"
            scope.warn(element, "unnamed-sensor", f"the sensor is named {name!r}")
        found = SensorBuilder(name, element, scope)
        body.sensors.append(found)
    frame = Frame(found.pose)
    for child in element:
        tag = lowered(child.tag, child)
        if frame.read(tag, child, scope):
            continue
        if tag == "link":
            known = scope.word(child)
            found.link = body.find_link(known)
            if found.link is None:
                instead = "the sensor is attached to the base"
                body.unknown_link(child, scope, known, instead)
        elif tag == "pyrave":
            read = partial(_read_mounted, scope, found, frame)
            found.overrides = read_overrides(child, scope, found.overrides, read)
        elif tag and not _read_mounted(scope, found, frame, tag, child):
            scope.unknown_tag(child, ELEMENTS["attachedsensor"].tags)
    found.pose = frame.pose


def _read_mounted(
    scope: Scope, found: SensorBuilder, frame: Frame, tag: str, element: Any
) -> bool:
    """Read the ``<sensor>`` of an ``<attachedsensor>``; return False for other tags."""
    if tag != "sensor":
        return False
    content = read_content(element, scope, "sensor")
    found.interface = content.interface
    found.sensor_name = content.attributes.get("name", "").strip()
    found.readables += content.readables
    found.commands += content.commands
    if content.placed:
        # The sensor's own transform tags place it in the mounting frame.
        pose = frame.pose @ content.frame.pose
        frame.rotation, frame.translation = pose.rotation, pose.translation
    if content.attributes.get("args"):
        scope.warn(
            element,
            "deprecated-attribute",
            "attribute 'args' of a sensor is not used",
            "put arguments into type='Id args'",
        )
    return True
