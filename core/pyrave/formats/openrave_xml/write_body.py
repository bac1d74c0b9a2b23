"""Bodies, robots and other interfaces as OpenRAVE XML elements."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.schema import JOINT_DOFS
from pyrave.formats.openrave_xml.transforms import EYE, ZERO
from pyrave.formats.openrave_xml.values import single_text
from pyrave.scene import (
    AttachedSensorDescription,
    BodyDescription,
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    Inertial,
    InterfaceDescription,
    JointAxis,
    JointDescription,
    LinkDescription,
    ManipulatorDescription,
    MeshData,
    MeshReference,
    Pose,
    Prism,
    Readable,
    RobotDescription,
    Shape,
    Sphere,
    TriMesh,
    XmlElement,
    XmlReadable,
)

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats.context import WriteContext

__all__ = ["BodyWriter", "Node", "add", "numbers"]

# The transpose of the turn that the reader gives to cylinders.
_UNTURN = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0)
_DEFAULT_AXIS = JointAxis((0.0, 0.0, 1.0))
_AXIS_TAGS = {
    "weight": "weight",
    "initial": "initial",
    "velocity_limit": "maxvel",
    "hard_velocity_limit": "hardmaxvel",
    "acceleration_limit": "maxaccel",
    "torque_limit": "maxtorque",
    "inertia_limit": "maxinertia",
}


class Node:
    """An element, and those of the described objects inside it by field name."""

    __slots__ = ("children", "element", "is_scene")

    def __init__(self, element: Any, *, is_scene: bool = True) -> None:
        self.element = element
        self.children: dict[str, list[Node]] = {}
        self.is_scene = is_scene

    def add(
        self, name: str, node: Node, parent: Any = None, *, attach: bool = True
    ) -> None:
        """Add a described object; its element goes into `parent` or this element."""
        self.children.setdefault(name, []).append(node)
        if attach:
            (self.element if parent is None else parent).append(node.element)


def add(parent: Any, tag: str, text: str = "") -> Any:
    """Append a child element with a text, and return it."""
    child = etree.SubElement(parent, tag)
    if text:
        child.text = text
    return child


def numbers(values: Iterable[float]) -> str:
    """Return numbers that read back exactly, separated by blanks."""
    return " ".join(repr(float(value)).removesuffix(".0") for value in values)


class BodyWriter:
    """Makes elements; collects what it cannot write in `lost`."""

    def __init__(self, context: WriteContext, losses: list[Problem]) -> None:
        self._context = context
        self.losses = losses
        self.lost: list[str] = []

    def body(self, body: BodyDescription) -> Node:
        """Return a ``<kinbody>`` or ``<robot>``."""
        is_robot = isinstance(body, RobotDescription)
        kind = "robot" if is_robot else "kinbody"
        element = etree.Element(kind)
        _set(element, name=body.name, type=body.interface)
        if not body.joined_links_adjacent:
            element.set("makejoinedlinksadjacent", "0")
        node = Node(element)
        _add_pose(element, body.pose)
        inner = add(element, "kinbody") if is_robot else element
        for link in body.links:
            node.add("links", self._link(link), inner)
        for joint in body.joints:
            node.add("joints", self._joint(joint), inner)
        for pair in sorted(body.adjacent):
            add(inner, "adjacent", " ".join(pair))
        if isinstance(body, RobotDescription):
            for manipulator in body.manipulators:
                node.add("manipulators", _manipulator(manipulator))
            for sensor in body.attached_sensors:
                node.add("attached_sensors", self._sensor(sensor))
        written = sum(_written_dofs(joint) for joint in body.joints)
        if body.dof_values is not None and len(body.dof_values) == written:
            add(element, "jointvalues", numbers(body.dof_values))
        for command in body.commands:
            add(element, "sendcommand", command)
        self.readables(element, body.readables, kind)
        return node

    def interface(self, item: InterfaceDescription) -> Node:
        """Return an element of another interface type."""
        element = etree.Element(item.type)
        _set(
            element,
            type=item.interface,
            name=item.name,
            args=item.args,
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
        self.readables(element, item.readables, item.type)
        return Node(element)

    def readables(
        self, parent: Any, items: Iterable[tuple[str, Readable]], kind: str
    ) -> None:
        """Write what custom readers left; whole elements are merged into `parent`."""
        for key, readable in items:
            xml = readable.to_xml()
            if xml is None:
                self.lost.append(f"the readable {key!r} does not write itself")
            elif xml.tag.lower() == kind:
                known = {name.lower() for name in parent.attrib}
                for name, value in xml.attributes:
                    if name.lower() not in known:
                        parent.set(name, value)
                for child in xml.children:
                    parent.append(_element(child))
            else:
                parent.append(_element(xml))

    def _link(self, link: LinkDescription) -> Node:
        element = etree.Element("body")
        _set(element, name=link.name, type="static" if link.static else "dynamic")
        if not link.enabled:
            element.set("enable", "false")
        node = Node(element)
        _add_pose(element, link.pose)
        if link.inertial != Inertial():
            mass = add(element, "mass")
            mass.set("type", "custom")
            add(mass, "total", single_text(link.inertial.mass))
            add(mass, "com", numbers(link.inertial.com))
            add(mass, "inertia", numbers(link.inertial.inertia))
        for geometry in link.geometries:
            node.add("geometries", self._geometry(geometry))
        self.readables(element, link.readables, "body")
        return node

    def _geometry(self, geometry: GeometryDescription) -> Node:
        shape = geometry.shape
        element = etree.Element("geom")
        element.set("type", shape.type)
        _set(
            element,
            name=geometry.name,
            render="" if geometry.visible else "false",
            modifiable="" if geometry.modifiable else "false",
            group="" if geometry.group == "self" else geometry.group,
        )
        pose = geometry.pose
        if isinstance(shape, Cylinder):
            pose = Pose(
                (Pose(pose.rotation) @ Pose(_UNTURN)).rotation, pose.translation
            )
        _add_pose(element, pose)
        self._shape(element, shape)
        material = geometry.material
        if material.diffuse is not None:
            add(element, "diffusecolor", _color(material.diffuse))
        if material.ambient is not None:
            add(element, "ambientcolor", _color(material.ambient))
        if material.transparency:
            add(element, "transparency", single_text(material.transparency))
        if geometry.render is not None and isinstance(
            geometry.render.mesh, MeshReference
        ):
            self._mesh(element, "render", geometry.render.mesh)
        self.readables(element, geometry.readables, "geom")
        return Node(element)

    def _shape(self, element: Any, shape: Shape) -> None:
        if isinstance(shape, (Box, Cage)):
            add(element, "extents", numbers(shape.half_extents))
            for pose, half in shape.walls if isinstance(shape, Cage) else ():
                wall = add(element, "sidewall")
                _add_pose(wall, pose)
                add(wall, "vextents", numbers(half))
        elif isinstance(shape, Sphere):
            add(element, "radius", numbers((shape.radius,)))
        elif isinstance(shape, (Cylinder, Capsule)):
            add(element, "radius", numbers((shape.radius,)))
            add(element, "height", numbers((shape.height,)))
        elif isinstance(shape, Container):
            add(element, "outer_extents", numbers(shape.outer_extents))
            add(element, "inner_extents", numbers(shape.inner_extents))
            add(element, "bottom_cross", numbers(shape.bottom_cross))
            add(element, "bottom", numbers(shape.bottom))
        elif isinstance(shape, Prism):
            flat = [value for corner in shape.cross_section for value in corner]
            add(element, "crosssection", numbers(flat))
            add(element, "height", numbers((shape.height,)))
        elif isinstance(shape, TriMesh):
            if isinstance(shape.mesh, MeshReference):
                self._mesh(element, "data", shape.mesh)
            else:
                add(element, "vertices", _corners(shape.mesh))

    def _mesh(self, parent: Any, tag: str, mesh: MeshReference) -> None:
        name = mesh.uri
        folder = self._context.relative_to
        if folder is not None and mesh.found:
            name = os.path.relpath(name, folder).replace(os.sep, "/")
        scale = "" if mesh.scale == (1.0, 1.0, 1.0) else numbers(mesh.scale)
        if any(letter.isspace() for letter in name):
            _set(add(parent, tag), file=name, scale=scale)
        else:
            add(parent, tag, f"{name} {scale}".rstrip())

    def _joint(self, joint: JointDescription) -> Node:
        element = etree.Element("joint")
        axes = joint.axes
        kind = joint.type if joint.type in JOINT_DOFS else "hinge"
        _set(element, name=joint.name, type=kind)
        mimic = axes[0].mimic if axes else None
        if mimic is None and not (joint.active and axes):
            element.set("enable", "false")
        if axes and all(axis.circular for axis in axes):
            element.set("circular", "true")
        if mimic is not None:
            _set(
                element,
                mimic_pos=mimic.position,
                mimic_vel=mimic.velocity,
                mimic_accel=mimic.acceleration,
            )
        add(element, "body", joint.parent)
        add(element, "body", joint.child)
        frame = joint.T_parent_joint
        rotated = frame.rotation != EYE
        glued = not axes or (joint.T_child_joint == Pose() and _is_glued(axes))
        if not glued:
            add(element, "offsetfrom", joint.parent)
            if frame.translation != ZERO and kind != "slider":
                add(element, "anchor", numbers(frame.translation))
            if kind != "spherical":
                tags = ("axis",) if JOINT_DOFS[kind] == 1 else ("axis1", "axis2")
                for tag, axis in zip(tags, axes, strict=False):
                    way = frame.rotate(axis.direction) if rotated else axis.direction
                    add(element, tag, numbers(way))
        _add_axis_values(element, kind, axes)
        if joint.actuator is not None:
            xml = joint.actuator.to_xml()
            if xml is not None and xml.tag.lower() == "actuator":
                element.append(_element(xml))
            elif not isinstance(joint.actuator, XmlReadable):
                self.lost.append(
                    f"the actuator of {joint.name!r} does not write itself"
                )
        self.readables(element, joint.readables, "joint")
        return Node(element)

    def _sensor(self, sensor: AttachedSensorDescription) -> Node:
        element = etree.Element("attachedsensor")
        _set(element, name=sensor.name)
        add(element, "link", sensor.link)
        _add_pose(element, sensor.pose)
        if (
            sensor.interface
            or sensor.sensor_name
            or sensor.readables
            or sensor.commands
        ):
            inner = add(element, "sensor")
            _set(inner, type=sensor.interface, name=sensor.sensor_name)
            for command in sensor.commands:
                add(inner, "sendcommand", command)
            self.readables(inner, sensor.readables, "sensor")
        return Node(element)


def _written_dofs(joint: JointDescription) -> int:
    """Return the degrees of freedom that the written joint has by its tags alone."""
    if not joint.active or not joint.axes or joint.axes[0].mimic is not None:
        return 0
    return JOINT_DOFS.get(joint.type, 1)


def _manipulator(item: ManipulatorDescription) -> Node:
    element = etree.Element("manipulator")
    _set(element, name=item.name)
    add(element, "base", item.base)
    add(element, "effector", item.end_effector)
    _add_pose(element, item.tool)
    if item.gripper_joints:
        add(element, "joints", " ".join(item.gripper_joints))
    if any(item.chucking_direction):
        add(element, "closingdirection", numbers(item.chucking_direction))
    if item.direction != (0.0, 0.0, 1.0):
        add(element, "direction", numbers(item.direction))
    if item.ik_solver:
        add(element, "iksolver", item.ik_solver)
    return Node(element)


def _is_glued(axes: Sequence[JointAxis]) -> bool:
    return all(
        not axis.circular and axis.lower == axis.upper == 0.0
        and axis.direction == _DEFAULT_AXIS.direction
        for axis in axes
    )  # fmt: skip


def _add_axis_values(element: Any, kind: str, axes: Sequence[JointAxis]) -> None:
    dofs = JOINT_DOFS[kind]
    if not axes:
        add(element, "limits", numbers((0.0,) * (2 * dofs)))
        return
    ranges = [value for axis in axes for value in (axis.lower, axis.upper)]
    add(element, "limits", numbers(ranges[: 2 * dofs]))
    for name, tag in _AXIS_TAGS.items():
        values = [getattr(axis, name) for axis in axes[:dofs]]
        default = getattr(_DEFAULT_AXIS, name)
        if any(value != default for value in values):
            add(element, tag, numbers(values))
    resolution = axes[0].resolution
    if resolution != _DEFAULT_AXIS.resolution:
        if kind != "slider":
            resolution = _degrees(resolution)
        add(element, "resolution", numbers((resolution,)))


def _degrees(angle: float) -> float:
    """Return degrees that convert back to `angle` exactly, where there are such."""
    value = math.degrees(angle)
    around = (
        value,
        math.nextafter(value, math.inf),
        math.nextafter(value, -math.inf),
        float(f"{value:.12g}"),
    )
    return next((v for v in around if math.radians(v) == angle), value)


def _add_pose(element: Any, pose: Pose) -> None:
    if pose.rotation != EYE:
        add(element, "rotationmat", numbers(pose.rotation))
    if pose.translation != ZERO:
        add(element, "translation", numbers(pose.translation))


def _color(values: Iterable[float]) -> str:
    return " ".join(map(single_text, values))


def _corners(mesh: MeshData) -> str:
    return numbers(mesh.vertices[mesh.faces].reshape(-1).tolist())


def _set(element: Any, **attributes: str) -> None:
    for name, value in attributes.items():
        if value:
            element.set(name, value)


def _element(xml: XmlElement) -> Any:
    element = etree.Element(xml.tag)
    for name, value in xml.attributes:
        element.set(name, value)
    element.text = xml.text or None
    for child in xml.children:
        element.append(_element(child))
    element.tail = xml.tail or None
    return element
