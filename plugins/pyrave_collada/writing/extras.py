"""OpenRAVE's extras of systems: actuators, manipulators, sensors, states."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyrave.formats import add_xml
from pyrave.scene import RobotDescription, XmlElement
from pyrave_collada.document.vocabulary import COLLADA_NAMES
from pyrave_collada.vocabulary import GRIPPER_KEYS, KNOWN_EXTRAS, SELF_COLLISION
from pyrave_collada.writing.geometry import SHOWN_GROUP
from pyrave_collada.writing.tags import (
    add,
    add_extra,
    add_float,
    add_pose,
    add_truth,
    numbers,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pyrave.formats import Losses
    from pyrave.scene import (
        AttachedSensorDescription,
        GripperDescription,
        ManipulatorDescription,
        Readable,
    )
    from pyrave_collada.writing.geometry import GeometryLibrary, Shown
    from pyrave_collada.writing.plan import BodyPlan

_WHOLE = "extra"


def add_model_extras(
    model: Any,
    plan: BodyPlan,
    shown: Mapping[str, Sequence[Shown | None]],
    geometries: GeometryLibrary,
    lose: Callable[[str], None],
) -> None:
    """Append what extras of a ``<kinematics_model>`` say.

    Parameters
    ----------
    shown
        What is in the library for each geometry of each link.
    geometries
        The library.
    lose
        Told of what is not written.
    """
    body = plan.body
    for kind, called, items, path in (
        ("link_info", "link", body.links, plan.link_path),
        ("joint_info", "joint", body.joints, plan.joint),
    ):
        for item in items:
            for xml in add_information(item.readables, kind):
                technique = add_extra(model, kind, path(item.name))
                what = f"the readable {kind!r} of {called} {item.name!r}"
                _add_said(technique, xml.children, what, lose)
    technique = add_extra(model, "collision")
    for first, second in sorted(body.adjacent):
        if first in plan.links and second in plan.links:
            add(
                technique,
                "ignore_link_pair",
                link0=plan.link_path(first),
                link1=plan.link_path(second),
            )
    for link in body.links:
        where = plan.link_path(link.name)
        add_truth(add(technique, "link_collision_state", link=where), link.enabled)
        for one in shown[link.name]:
            if one is not None and one.group != SHOWN_GROUP:
                kind = "self" if one.group == SELF_COLLISION else one.group
                bound = add(technique, "bind_instance_geometry", type=kind, link=where)
                bound.set("url", f"#{one.key}")
                geometries.bind_material(bound, one)


def add_information(
    readables: Iterable[tuple[str, Readable]], kind: str
) -> list[XmlElement]:
    """Return the readables that are parameters of a link or joint."""
    found = []
    for key, readable in readables:
        xml = readable.to_xml() if key == kind else None
        if xml is not None:
            found.append(xml)
    return found


def add_system_extras(
    system: Any,
    plan: BodyPlan,
    sensors: Any,
    actuators: Any,
    losses: Losses,
) -> None:
    """Append what extras of the outer ``<articulated_system>`` say.

    Parameters
    ----------
    sensors, actuators
        Techniques of their libraries.
    losses
        Receives what is not written, or for pyrave alone.
    """
    lose = losses.add
    _add_actuators(system, plan, actuators, lose)
    body = plan.body
    if isinstance(body, RobotDescription):
        for manipulator in body.manipulators:
            _add_manipulator(system, plan, manipulator, lose)
        for gripper in body.grippers:
            _add_gripper(system, gripper)
        keys = {
            sensor.name: f"robot{plan.number}_sensor{number}"
            for number, sensor in enumerate(body.attached_sensors)
        }
        for sensor in body.attached_sensors:
            _add_sensor(system, plan, sensor, sensors, keys, lose)
    for key, readable in body.readables:
        xml = readable.to_xml()
        if xml is None:
            lose(f"the readable {key!r} of body {body.name!r} does not write itself")
            continue
        what = f"the readable {key!r} of body {body.name!r}"
        extra = _extra_of(xml)
        if extra is not None:
            _add_said(system, [extra], what, lose)
        else:
            told = f"data of body {body.name!r} is for pyrave alone"
            losses.add(told, key, kind="pyrave-only")


def _extra_of(xml: XmlElement) -> XmlElement | None:
    """Return the ``<extra>`` that a readable was, or one of its own type.

    None if it would be mistaken: a technique holds no text, a type is one word that
    means nothing else, and elements with names of COLLADA's are taken for these. Then
    only pyrave reads it.
    """
    if xml.tag == _WHOLE:
        return xml
    is_text = not isinstance(xml.text, str) or xml.text.strip()
    is_known = xml.tag.lower() in KNOWN_EXTRAS
    if is_text or is_known or "{" in xml.tag or _uses_names(xml):
        return None
    profile = (("profile", "OpenRAVE"),)
    technique = XmlElement("technique", profile, children=xml.children)
    return XmlElement(_WHOLE, (("type", xml.tag),), children=(technique,))


def _uses_names(xml: XmlElement) -> bool:
    """Return True if an element below has the name of one of COLLADA's."""
    waiting = list(xml.children)
    while waiting:
        one = waiting.pop()
        if one.tag in COLLADA_NAMES:
            return True
        waiting += one.children
    return False


def _add_said(
    parent: Any, items: Iterable[XmlElement], what: str, lose: Callable[[str], None]
) -> list[Any]:
    """Append plain XML, all of it or nothing; return what was appended."""
    before = len(parent)
    try:
        for one in items:
            add_xml(parent, one).tail = one.tail or None
    except (ValueError, TypeError) as error:  # no XML, or not even texts
        del parent[before:]
        lose(f"{what} is no XML: {error}")
    return list(parent[before:])


# -- actuators -------------------------------------------------------------------------


def _add_actuators(
    system: Any, plan: BodyPlan, library: Any, lose: Callable[[str], None]
) -> None:
    """Append an ``attach_actuator`` for each active joint: their order is the DOFs'."""
    joints = plan.body.joints
    ordered = [one for one in joints if one.active]
    ordered += [one for one in joints if not one.active and one.actuator is not None]
    for joint in ordered:
        sid = plan.joint(joint.name)
        technique = add_extra(system, "attach_actuator", f"motor_{sid}")
        xml = None if joint.actuator is None else joint.actuator.to_xml()
        if xml is not None:
            key = f"body{plan.number}_motor_{sid}"
            kind = xml.get("type") or "electric_motor"
            motor = add(library, "actuator", id=key, type=kind)
            what = f"the actuator of joint {joint.name!r} in body {plan.body.name!r}"
            _add_said(motor, xml.children, what, lose)
            add(technique, "instance_actuator", url=f"#{key}")
        add(technique, "bind_actuator", joint=plan.joint_path(joint.name))


# -- manipulators ----------------------------------------------------------------------


def _add_manipulator(
    system: Any,
    plan: BodyPlan,
    manipulator: ManipulatorDescription,
    lose: Callable[[str], None],
) -> None:
    ends = manipulator.base, manipulator.end_effector
    if not all(name in plan.links for name in ends):
        return
    technique = add_extra(system, "manipulator", manipulator.name)
    add(technique, "frame_origin", link=plan.link_path(manipulator.base))
    tip = add(technique, "frame_tip", link=plan.link_path(manipulator.end_effector))
    add_pose(tip, manipulator.tool)
    add(tip, "direction", numbers(manipulator.direction))
    joints = {joint.name: joint for joint in plan.body.joints}
    signs = list(manipulator.chucking_direction)
    for name in manipulator.gripper_joints:
        if name not in joints:
            continue
        gripper = add(technique, "gripper_joint", joint=plan.joint_path(name))
        for number in range(max(len(joints[name].axes), 1)):
            one = add(gripper, "chucking_direction", axis=f"./axis{number}")
            add_float(one, signs.pop(0) if signs else 0.0)
    hints = 0
    for key, readable in manipulator.readables:
        xml = readable.to_xml()
        what = f"the readable {key!r} of manipulator {manipulator.name!r}"
        if xml is None:
            lose(f"{what} does not write itself")
            continue
        for one in _add_said(technique, [xml], what, lose):
            if xml.tag == "iksolver":
                _with_paths(one, plan)
                hints += 1
    if manipulator.ik_solver and not hints:
        solver = add(technique, "iksolver")
        inner = add(add(solver, "interface_type"), "technique", profile="OpenRAVE")
        add(inner, "interface", manipulator.ik_solver, type="iksolver")


def _add_gripper(system: Any, gripper: GripperDescription) -> None:
    said = json.loads(gripper.data) if gripper.data else {}
    known = said if isinstance(said, dict) else {}
    values = gripper.name, gripper.kind, list(gripper.joints)
    text = json.dumps(dict(zip(GRIPPER_KEYS, values, strict=True)) | known)
    add(add_extra(system, "gripper_info", gripper.name), "json_data", text)


def _with_paths(solver: Any, plan: BodyPlan) -> None:
    """Name the free joints of an ``<iksolver>`` by their paths."""
    for one in solver.iter("{*}free_joint"):
        name = one.get("joint") or ""
        if name in plan.joints:
            one.set("joint", plan.joint_path(name))


# -- sensors ---------------------------------------------------------------------------


def _add_sensor(
    system: Any,
    plan: BodyPlan,
    sensor: AttachedSensorDescription,
    library: Any,
    keys: Mapping[str, str],
    lose: Callable[[str], None],
) -> None:
    key = keys[sensor.name]
    if sensor.link not in plan.links:
        return
    technique = add_extra(system, "attach_sensor", sensor.name)
    frame = add(technique, "frame_origin", link=plan.link_path(sensor.link))
    add_pose(frame, sensor.pose)
    element = None
    if sensor.interface:
        add(technique, "instance_sensor", url=f"#{key}")
        element = add(library, "sensor")
    for tag, readable in sensor.readables:
        xml = readable.to_xml()
        what = f"the readable {tag!r} of sensor {sensor.name!r}"
        if xml is None:
            lose(f"{what} does not write itself")
        elif xml.tag != "sensor":
            _add_said(technique, [xml], what, lose)
        elif element is not None:
            _add_said(element, xml.children, what, lose)
            try:
                element.attrib.update(xml.attributes)
            except (ValueError, TypeError) as error:
                lose(f"{what} is no XML: {error}")
    if element is None:
        return
    if element.get("type") is None:
        element.set("type", sensor.interface)
    element.set("id", key)
    for part in element.iter("{*}instance_sensor"):
        # a stereo camera names the sensors that it is made of
        name = (part.get("url") or "").removeprefix("#")
        part.set("url", f"#{keys[name]}" if name in keys else f"#{name}")
    if sensor.sensor_name:
        element.set("name", sensor.sensor_name)
