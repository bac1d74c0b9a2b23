"""Bodies, robots and other interfaces as OpenRAVE XML elements."""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING

from lxml import etree

from pyrave.formats.openrave_xml.transforms import EYE
from pyrave.formats.openrave_xml.values import single_text
from pyrave.formats.openrave_xml.write.geom import geometry_node
from pyrave.formats.openrave_xml.write.joint import joint_node, written_dofs
from pyrave.formats.openrave_xml.write.tags import (
    WrittenElement,
    add,
    add_pose,
    set_attributes,
)
from pyrave.formats.output.numbers import numbers
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Inertial,
    InterfaceDescription,
    LinkDescription,
    ManipulatorDescription,
    RobotDescription,
)

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing


def body_node(body: BodyDescription, writing: Writing) -> WrittenElement:
    """Return the ``<kinbody>`` or ``<robot>`` of a body, with everything in it."""
    is_robot = isinstance(body, RobotDescription)
    kind = "robot" if is_robot else "kinbody"
    element = etree.Element(kind)
    set_attributes(element, name=body.name, type=body.interface)
    node = WrittenElement(element)
    add_pose(element, body.pose)
    inner = add(element, "kinbody") if is_robot else element
    if not body.joined_links_adjacent:
        inner.set("makejoinedlinksadjacent", "0")
    for link in body.links:
        node.add("links", _link(link, writing), inner)
    poses = {link.name: link.pose for link in body.links}
    for joint in body.joints:
        node.add("joints", joint_node(joint, poses, writing), inner)
    for pair in sorted(body.adjacent):
        if all(pair):
            add(inner, "adjacent", " ".join(pair))
    if isinstance(body, RobotDescription):
        for manipulator in body.manipulators:
            node.add("manipulators", manipulator_node(manipulator, writing))
        for sensor in body.attached_sensors:
            node.add("attached_sensors", sensor_node(sensor, writing))
    values = body.dof_values
    if values is not None and len(values) == sum(map(written_dofs, body.joints)):
        add(element, "jointvalues", numbers(values))
    for command in body.commands:
        add(element, "sendcommand", command)
    inside = [is_robot and writing.is_inside(*one) for one in body.readables]
    if is_robot:
        writing.readables(inner, compress(body.readables, inside), "kinbody")
    outside = [not one for one in inside]
    writing.readables(element, compress(body.readables, outside), kind)
    return node


def interface_node(item: InterfaceDescription, writing: Writing) -> WrittenElement:
    """Return an element of another interface type."""
    element = etree.Element(item.type)
    set_attributes(
        element,
        type=item.interface,
        name=item.name,
        args=item.args if item.type == "module" else "",
        robot=item.robot,
        joints=" ".join(item.joints),
        transform="1" if item.control_transform else "",
    )
    if item.pose is not None and item.type == "sensor":
        add(element, "translation", numbers(item.pose.translation))
        if item.pose.rotation != EYE:
            add(element, "rotationmat", numbers(item.pose.rotation))
    for command in item.commands:
        add(element, "sendcommand", command)
    writing.readables(element, item.readables, item.type)
    return WrittenElement(element)


def manipulator_node(item: ManipulatorDescription, writing: Writing) -> WrittenElement:
    """Return the ``<manipulator>`` of a manipulator."""
    element = etree.Element("manipulator")
    set_attributes(element, name=item.name)
    add(element, "base", item.base)
    add(element, "effector", item.end_effector)
    add_pose(element, item.tool)
    if item.gripper_joints:
        add(element, "joints", " ".join(item.gripper_joints))
    if any(item.chucking_direction):
        add(element, "closingdirection", numbers(item.chucking_direction))
    if item.direction != (0.0, 0.0, 1.0):
        add(element, "direction", numbers(item.direction))
    if item.ik_solver:
        add(element, "iksolver", item.ik_solver)
    if item.readables:
        # OpenRAVE takes no tags of others in a manipulator
        writing.keep("hints of manipulators", item.name)
        writing.kept_readables(add(element, "pyrave"), item.readables)
    return WrittenElement(element)


def sensor_node(sensor: AttachedSensorDescription, writing: Writing) -> WrittenElement:
    """Return the ``<attachedsensor>`` of a sensor that a link carries."""
    element = etree.Element("attachedsensor")
    set_attributes(element, name=sensor.name)
    add(element, "link", sensor.link)
    add_pose(element, sensor.pose)
    if sensor.interface or sensor.sensor_name or sensor.readables or sensor.commands:
        inner = add(element, "sensor")
        set_attributes(inner, type=sensor.interface, name=sensor.sensor_name)
        for command in sensor.commands:
            add(inner, "sendcommand", command)
        writing.readables(inner, sensor.readables, "sensor")
    return WrittenElement(element)


def _link(link: LinkDescription, writing: Writing) -> WrittenElement:
    element = etree.Element("body")
    set_attributes(
        element,
        name=link.name,
        type="static" if link.static else "dynamic",
        enable="" if link.enabled else "false",
    )
    node = WrittenElement(element)
    add_pose(element, link.pose)
    if link.inertial != Inertial():
        mass = add(element, "mass")
        mass.set("type", "custom")
        add(mass, "total", single_text(link.inertial.mass))
        add(mass, "com", numbers(link.inertial.com))
        add(mass, "inertia", numbers(link.inertial.inertia))
    for geometry in link.geometries:
        node.add("geometries", geometry_node(geometry, writing))
    writing.readables(element, link.readables, "body")
    return node
