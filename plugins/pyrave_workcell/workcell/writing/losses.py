"""Losses: data that a WorkCell has no element for."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from pyrave.formats import named_simulation_data
from pyrave.scene import Inertial, JointAxis, RobotDescription, same
from pyrave_workcell.workcell.names import without_blanks
from pyrave_workcell.workcell.writing.bodies import OTHERWISE
from pyrave_workcell.workcell.writing.mobile import drives_of, is_drive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.formats import Losses
    from pyrave.scene import BodyDescription, LinkDescription, SceneDescription

_DYNAMIC = "a Dynamic WorkCell (.dwc.xml) holds them"
_PLAIN = frozenset({"", "robot", "kinbody", "genericrobot", "generickinbody"})
_AXIS = {
    "hard_lower": "limits of mechanisms",
    "hard_upper": "limits of mechanisms",
    "inertia_limit": "limits of inertias",
    "jerk_limit": "limits of jerks",
    "hard_jerk_limit": "limits of mechanisms",
    "hard_velocity_limit": "limits of mechanisms",
    "hard_acceleration_limit": "limits of mechanisms",
    "weight": "weights of joints",
    "resolution": "resolutions of joints",
}
_DEFAULTS = {field.name: field.default for field in fields(JointAxis)}
_KINDS = {"controller": "idealcontroller", "physicsengine": "generic"}
_NOT_LOST = {
    *("frames of the world", "frames of bodies", "ignored pairs of bodies"),
    *("joints that keep loops closed", "named configurations"),
}


def report_scene(scene: SceneDescription, losses: Losses, *, dynamic: bool) -> None:
    """Report data of the scene that cannot be written.

    Parameters
    ----------
    dynamic
        A Dynamic WorkCell is written as well, which says much more.
    """
    drives = drives_of(scene)
    for item in scene.interfaces:
        if is_drive(item, drives) or item.type == "sensor":
            continue
        if not _is_usual(item.type, item.interface):
            losses.add(
                f"each {item.type} of the scene is not written",
                item.name or item.interface,
            )
    for what, is_there in (
        ("gravity", scene.gravity is not None and not dynamic),
        ("background colour", scene.background_color is not None),
        ("camera of the viewer", scene.camera is not None),
        ("unit", scene.unit != ("meter", 1.0)),
    ):
        if is_there:
            losses.add(f"the {what} of the scene is not written")
    if scene.plugins:
        losses.add("plugins are not written", *(one.name for one in scene.plugins))
    if not dynamic:
        for what, names in named_simulation_data(scene):
            if what not in _NOT_LOST:
                losses.add(f"{what} are not written", *names, hint=_DYNAMIC)
    for body in scene.bodies:
        _report_body(body, losses, dynamic=dynamic)


def _report_body(body: BodyDescription, losses: Losses, *, dynamic: bool) -> None:
    if body.interface.lower() not in _PLAIN:
        losses.add(f"the interface {body.interface!r} is not written", body.name)
    if body.commands:
        losses.add("commands are not written", body.name)
    if isinstance(body, RobotDescription) and body.configurations:
        names = (one.name for one in body.configurations)
        losses.add("named configurations are not written", *names)
    named = [one.name for one in body.links] + [one.name for one in body.joints]
    blank = [one for one in named if one and without_blanks(one) != one]
    if blank:
        losses.add("blanks in names become _", *blank, kind=OTHERWISE)
    for link in body.links:
        for what in _of_link(link):
            losses.add(f"{what} are not written", f"{body.name}.{link.name}")
        if not dynamic and not same(link.inertial, Inertial()):
            losses.add("masses of links are not written", link.name, hint=_DYNAMIC)
    statics = [link.name for link in body.links[1:] if link.static]
    if statics:
        losses.add("that links other than the base are static", *statics)
    for joint in body.joints:
        if joint.actuator is not None:
            losses.add("motors of joints are not written", joint.name)
        if joint.readables:
            losses.add("data of joints are not written", joint.name)
        for axis in joint.axes:
            for what in _of_axis(axis, dynamic=dynamic):
                losses.add(f"{what} are not written", joint.name)
            if axis.circular:
                losses.add(
                    "circular joints are joints without limits",
                    joint.name,
                    kind="written-otherwise",
                )


def _of_link(link: LinkDescription) -> Iterator[str]:
    if link.contacts:
        yield "contact areas of links"
    if not link.enabled:
        yield "links that take no part in collisions"


def _of_axis(axis: JointAxis, *, dynamic: bool) -> Iterator[str]:
    known = _AXIS if dynamic else {**_AXIS, "torque_limit": "limits of torques"}
    found = [
        what
        for name, what in known.items()
        if not same(getattr(axis, name), _DEFAULTS[name])
    ]
    if axis.mimic is not None and (axis.mimic.velocity or axis.mimic.acceleration):
        found.append("partial derivatives of formulas")
    yield from dict.fromkeys(found)


def _is_usual(kind: str, interface: str) -> bool:
    """Return True if an environment has an interface anyway."""
    usual = _KINDS | {"collisionchecker": "native"}
    return kind in usual and interface.lower().startswith(usual[kind])
