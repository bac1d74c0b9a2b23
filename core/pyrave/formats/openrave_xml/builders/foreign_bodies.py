"""Bodies of other formats that a ``<kinbody>`` or a ``<robot>`` includes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave.formats.new_names import prefixed
from pyrave.formats.openrave_xml.builders.body_builder import BodyBuilder
from pyrave.formats.openrave_xml.builders.item_builders import (
    JointBuilder,
    LinkBuilder,
    ManipulatorBuilder,
    SensorBuilder,
)
from pyrave.formats.xml import local_name
from pyrave.scene import JointDescription, RobotDescription

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.read.scope import Scope
    from pyrave.scene import (
        AttachedSensorDescription,
        BodyDescription,
        LinkDescription,
        ManipulatorDescription,
        Pose,
        SceneDescription,
    )


def join_scene(
    scene: SceneDescription,
    element: Any,
    scope: Scope,
    body: BodyBuilder,
    attributes: dict[str, str],
) -> None:
    """Add the one body of a scene to `body`, at its place and under its prefix.

    A link that has the name of one in `body` is that link. Joints start at zero, or
    where their limits are nearest to it, as OpenRAVE has it, whatever values the file
    gives. Under a prefix, manipulators and sensors stand before those of earlier files.
    Manipulators and sensors of a robot come into robots only.
    """
    if len(scene.bodies) != 1:
        body.incomplete = True
        if not scope.load.diagnostics.has_errors:
            scope.error(
                element,
                "wrong-root",
                f"{scene.uri} holds {len(scene.bodies)} bodies, "
                f"expected one for <{local_name(element)}>",
            )
        return
    (found,) = scene.bodies
    first_joint = len(body.joints)
    prefix = attributes.get("prefix", "").strip()
    if prefix:
        found = prefixed(found, prefix)
    known = {} if prefix else {link.name: link for link in body.links}
    place = _place(found, known)
    links: dict[str, LinkBuilder] = {}
    for link in found.links:
        built = _link(link, place, element, scope)
        if link.name in known:
            _merge(built, known[link.name])
            built = known[link.name]
        else:
            body.add_link(built)
        links[link.name] = built
    for frame in found.frames:
        body.frames.append((links[frame.link or found.links[0].name], frame))
    for joint in found.joints:
        body.add_joint(_joint(joint, links, element, scope))
    for first, second in sorted(found.adjacent):
        body.declare_adjacent(first, second, element, scope)
    if body.is_robot and isinstance(found, RobotDescription):
        joints = {joint.name: joint for joint in body.joints[first_joint:]}
        arms = [_arm(m, links, joints, element, scope) for m in found.manipulators]
        sensors = [_sensor(s, links, element, scope) for s in found.attached_sensors]
        at = 0 if prefix else len(body.manipulators)
        body.manipulators[at:at] = arms
        at = 0 if prefix else len(body.sensors)
        body.sensors[at:at] = sensors
        for one in found.configurations:
            values = [(joints[name], its) for name, its in one.values if name in joints]
            body.configurations.append((one, values))
    body.readables += found.readables
    body.commands += found.commands
    body.joined_adjacent = found.joined_links_adjacent
    body.interface = body.interface or found.interface
    body.name = attributes.get("name", "").strip() or found.name or body.name


def _place(found: BodyDescription, known: dict[str, LinkBuilder]) -> Pose:
    """Return the pose of a body: that of a link that it shares with another one."""
    for link in found.links:
        if link.name in known:
            return known[link.name].pose @ link.pose.inverse()
    return found.pose


def _merge(built: LinkBuilder, known: LinkBuilder) -> None:
    """Let a link of a later file add to the one of its name: its mass counts."""
    known.geometries += built.geometries
    known.contacts += built.contacts
    known.inertial = built.inertial
    known.static = built.static
    known.kinematic = built.kinematic
    known.material = built.material or known.material
    known.object_type = built.object_type or known.object_type
    known.enabled = known.enabled and built.enabled
    known.readables = [*(known.readables or ()), *(built.readables or ())]


def _link(link: LinkDescription, base: Pose, element: Any, scope: Scope) -> LinkBuilder:
    return LinkBuilder(
        link.name,
        element,
        scope,
        base @ link.pose,
        list(link.geometries),
        link.contacts,
        link.inertial,
        link.static,
        link.enabled,
        link.kinematic,
        link.material,
        link.object_type,
        list(link.readables),
    )


def _joint(
    joint: JointDescription, links: dict[str, LinkBuilder], element: Any, scope: Scope
) -> JointBuilder:
    built = JointBuilder(
        joint.name,
        joint.type,
        element,
        scope,
        (joint.T_parent_joint, joint.T_child_joint),
        joint.axes,
        joint.active,
        joint.actuator,
        list(joint.readables),
    )
    built.parent, built.child = links[joint.parent], links[joint.child]
    return built


def _arm(
    arm: ManipulatorDescription,
    links: dict[str, LinkBuilder],
    joints: dict[str, JointBuilder],
    element: Any,
    scope: Scope,
) -> ManipulatorBuilder:
    return ManipulatorBuilder(
        arm.name,
        element,
        scope,
        links.get(arm.base, arm.base),
        links.get(arm.end_effector, arm.end_effector),
        arm.tool,
        arm.direction,
        [joints.get(name, name) for name in arm.gripper_joints],
        arm.chucking_direction,
        arm.ik_solver,
        arm.readables,
        joints,
    )


def _sensor(
    sensor: AttachedSensorDescription,
    links: dict[str, LinkBuilder],
    element: Any,
    scope: Scope,
) -> SensorBuilder:
    return SensorBuilder(
        sensor.name,
        element,
        scope,
        links.get(sensor.link),
        sensor.pose,
        sensor.interface,
        sensor.sensor_name,
        list(sensor.readables),
        list(sensor.commands),
    )
