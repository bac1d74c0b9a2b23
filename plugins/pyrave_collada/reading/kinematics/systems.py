"""Articulated systems: what they say of the axes of a kinematics model."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pyrave_collada.document.parsed import child, children
from pyrave_collada.reading.kinematics.models import (
    Axis,
    Joint,
    KinematicsModel,
    check_limits,
    read_model,
)
from pyrave_collada.reading.readables import interface_of

if TYPE_CHECKING:
    from pyrave_collada.document.references import Found
    from pyrave_collada.reading.load import ColladaReading

_MAX_DEPTH = 32


@dataclass(slots=True)
class AxisSettings:
    """Settings of a system for one axis, radians or metres; None: not given."""

    active: bool | None = None
    locked: bool | None = None
    lower: float | None = None
    upper: float | None = None
    circular: bool | None = None
    planning_weight: float | None = None
    resolution: float | None = None
    speed: float | None = None
    acceleration: float | None = None
    jerk: float | None = None
    hard_speed: float | None = None
    hard_acceleration: float | None = None
    hard_jerk: float | None = None
    value: float | None = None
    formulas: list[Any] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class System:
    """A body as the kinematics side of a file describes it.

    Parameters
    ----------
    instance
        The element of the scene that instantiates it.
    name
        Name of the body.
    elements
        Articulated systems from the outermost (motion) inwards; none where a scene
        holds kinematics models alone.
    instances
        Elements that instantiate them, outermost first; where values are overridden.
    models
        Kinematics models and the instances through which they are reached.
    """

    instance: Any
    name: str
    elements: list[Any] = field(default_factory=list)
    instances: list[Any] = field(default_factory=list)
    models: list[tuple[Any, KinematicsModel]] = field(default_factory=list)
    settings: dict[tuple[Joint, Axis], AxisSettings] = field(default_factory=dict)

    def axis_of(self, found: Found) -> tuple[Joint, Axis] | None:
        """Return the joint and axis that a path leads to, of a joint the first axis."""
        if found.element.tag == "axis_info":
            return None
        joint = self.joint_of(found)
        if joint is None:
            return None
        for axis in joint.axes:
            if axis.element is found.element:
                return joint, axis
        return (joint, joint.axes[0]) if joint.axes else None

    def joint_of(self, found: Found) -> Joint | None:
        """Return the joint that a path leads to."""
        several = [m for i, m in self.models if i in found.trail]
        for model in several or [m for _, m in self.models]:
            joint = model.joint_of(found)
            if joint is not None:
                return joint
        return None

    def settings_of(self, joint: Joint, axis: Axis) -> AxisSettings:
        """Return the settings of an axis."""
        return self.settings.setdefault((joint, axis), AxisSettings())


def read_system(instance: Any, reading: ColladaReading) -> System | None:
    """Return the system that an instance in a scene stands for, or None.

    Parameters
    ----------
    instance
        ``<instance_articulated_system>``, ``<instance_kinematics_model>``, or one of
        the library elements themselves.
    """
    system = System(instance, "")
    node = instance
    for _ in range(_MAX_DEPTH):
        target = node
        if node.get("url") is not None:
            system.instances.append(node)
            target = reading.library.target(node)
            if target is None:
                reading.dangling(node, f"the target of <{node.tag}>", node.get("url"))
                return None
        if target.tag == "kinematics_model":
            system.models.append((node, read_model(target, reading)))
            break
        if target.tag != "articulated_system":
            reading.warn(
                node,
                "wrong-target",
                f"<{node.tag}> leads to <{target.tag}>, expected an articulated system "
                "or a kinematics model; it is left out",
            )
            return None
        system.elements.append(target)
        motion, kinematics = child(target, "motion"), child(target, "kinematics")
        if motion is not None:
            below = child(motion, "instance_articulated_system")
            if below is None:
                break
            node = below
            continue
        if kinematics is not None:
            _read_models(kinematics, system, reading)
        break
    system.name = _name(system)
    reading.values.set = _set_parameters(system, reading)
    try:
        _read_settings(system, reading)
    finally:
        reading.values.set = {}
    return system


def _name(system: System) -> str:
    """Return the name of a body: that of its instance first.

    Then a system that says of which class it is names it, otherwise the kinematics
    model does, as in OpenRAVE.
    """
    first = system.instance
    is_system = first.tag == "instance_articulated_system"
    outer = [first.get("sid")] if is_system else []
    for one in system.elements:
        outer += [one.get("name"), one.get("id")]
    inner = []
    for instance, model in system.models[:1]:
        for one in (instance, model.element):
            inner += [one.get("name"), one.get("id")]
    has_class = any(interface_of(one) is not None for one in system.elements)
    names = [*outer, *inner] if has_class else [*inner, *outer]
    return next(filter(None, [first.get("name"), *names]), "body")


def _set_parameters(system: System, reading: ColladaReading) -> dict[Any, Any]:
    """Return the holders of values that instances set: outer ones win."""
    found: dict[Any, Any] = {}
    inner = [instance for instance, _ in system.models]
    for instance in (*inner, *reversed(system.instances)):
        for one in children(instance, "setparam"):
            path, target = one.get("ref") or "", reading.library.target(instance)
            known = reading.library.find(path, target) if path else None
            if known is None:
                reading.dangling(one, "the parameter", path)
                continue
            value = one
            onward = child(one, "SIDREF")
            if onward is not None:
                there = reading.library.find(onward.text or "", instance)
                if there is None:
                    reading.dangling(onward, "the parameter", onward.text or "")
                    continue
                value = there.element
            found[known.element] = value
    return found


def _read_models(kinematics: Any, system: System, reading: ColladaReading) -> None:
    for one in children(kinematics, "instance_kinematics_model"):
        target = reading.library.target(one)
        if target is None:
            reading.dangling(one, "the kinematics model", one.get("url") or "")
        else:
            system.models.append((one, read_model(target, reading)))


# -- axis_info ---------------------------------------------------------------------


def _read_settings(system: System, reading: ColladaReading) -> None:
    by_info: dict[Any, tuple[Joint, Axis]] = {}
    for element in reversed(system.elements):  # kinematics first
        kinematics, motion = child(element, "kinematics"), child(element, "motion")
        holder = kinematics if kinematics is not None else motion
        common = None if holder is None else child(holder, "technique_common")
        if common is None:
            continue
        for info in children(common, "axis_info"):
            path = info.get("axis") or ""
            found = reading.library.find(path, element)
            where = None if found is None else by_info.get(found.element)
            if where is None and found is not None:
                where = system.axis_of(found)
            if where is None:
                reading.dangling(info, "the axis", path)
                continue
            by_info[info] = where
            settings = system.settings_of(*where)
            if kinematics is not None:
                _kinematics_info(info, where[1], settings, reading)
            else:
                _motion_info(info, where[1], settings, reading)


def _kinematics_info(
    info: Any, axis: Axis, settings: AxisSettings, reading: ColladaReading
) -> None:
    values = reading.values
    for name in ("active", "locked"):
        element = child(info, name)
        if element is not None:
            found = values.resolved_truth(element, info)
            if found is not None:
                setattr(settings, name, found)
    limits = child(info, "limits")
    if limits is not None:
        factor = _length(axis, reading, info) if axis.prismatic else math.radians(1.0)
        written = []
        for name, tag in (("lower", "min"), ("upper", "max")):
            element = child(limits, tag)
            number = None if element is None else values.resolved_number(element, info)
            if number is not None:
                setattr(settings, name, number * factor)
                written.append(number)
        if len(written) == 2:
            check_limits(reading, limits, written, turns=not axis.prismatic)
    element = values.parameter(info, "circular", ("bool", "int"))
    if element is not None:
        settings.circular = values.truth(element)
    for name, sid in (
        ("planning_weight", "planning_weight"),
        ("resolution", "discretization_resolution"),
    ):
        element = values.parameter(info, sid, ("float", "int"))
        number = None if element is None else values.number(element)
        if number is None:
            continue
        if number > 0.0:
            setattr(settings, name, number)
        else:
            reading.warn(
                element,
                "bad-number",
                f"{sid} is {number:g}, expected more than 0; it is ignored",
            )
    settings.formulas += children(info, "formula")


def _motion_info(
    info: Any, axis: Axis, settings: AxisSettings, reading: ColladaReading
) -> None:
    values = reading.values
    document = reading.library.document(info)
    if axis.prismatic:
        factor = _length(axis, reading, info)
    else:
        factor = 1.0 if document.has_radians else math.radians(1.0)
    for name, tag in (
        ("speed", "speed"),
        ("acceleration", "acceleration"),
        ("jerk", "jerk"),
    ):
        element = child(info, tag)
        number = None if element is None else values.resolved_number(element, info)
        if number is not None:
            setattr(settings, name, abs(number) * factor)
    for name, sid in (
        ("hard_speed", "hardMaxVel"),
        ("hard_acceleration", "hardMaxAccel"),
        ("hard_jerk", "hardMaxJerk"),
    ):
        element = values.parameter(info, sid, ("float", "int"))
        number = None if element is None else values.number(element)
        if number is not None:
            setattr(settings, name, abs(number) * factor)


def _length(axis: Axis, reading: ColladaReading, element: Any) -> float:
    return reading.unit(element) if axis.prismatic else 1.0
