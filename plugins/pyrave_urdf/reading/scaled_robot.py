"""A robot at another size, as a scene asks for that includes its file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.scene import (
    Box,
    Capsule,
    Cylinder,
    MeshData,
    Pose,
    RenderMesh,
    Sphere,
    TriMesh,
)
from pyrave_urdf.reading.tree import poses_of

if TYPE_CHECKING:
    from pyrave.scene import (
        GeometryDescription,
        LinkDescription,
        MeshReference,
        RobotDescription,
        Shape,
    )
    from pyrave.scene.contact import ContactShape
    from pyrave.scene.pose import Vec3


def scaled(robot: RobotDescription, factor: float) -> RobotDescription:
    """Return a robot with all its lengths multiplied.

    As OpenRAVE's ``scalegeometry`` has it: frames, shapes and centres of mass are
    scaled; masses, inertias and limits are not.
    """
    joints = tuple(
        replace(joint, T_parent_joint=_pose(joint.T_parent_joint, factor))
        for joint in robot.joints
    )
    # values are not scaled, so that links are elsewhere where sliders are not at zero
    poses = poses_of(robot.links[0].name, joints)
    return replace(
        robot,
        links=tuple(_link(link, poses[link.name], factor) for link in robot.links),
        joints=joints,
        attached_sensors=tuple(
            replace(sensor, pose=_pose(sensor.pose, factor))
            for sensor in robot.attached_sensors
        ),
    )


def _link(link: LinkDescription, pose: Pose, factor: float) -> LinkDescription:
    return replace(
        link,
        pose=pose,
        geometries=tuple(_geometry(one, factor) for one in link.geometries),
        inertial=replace(link.inertial, com=_times(link.inertial.com, factor)),
        contacts=tuple(
            replace(
                contact,
                pose=_pose(contact.pose, factor),
                shape=_solid(contact.shape, factor),
            )
            for contact in link.contacts
        ),
    )


def _geometry(geometry: GeometryDescription, factor: float) -> GeometryDescription:
    render, readables = geometry.render, geometry.readables
    if render is not None and isinstance(render.mesh, MeshData):
        # the shape that is shown stands there, too, at the size of the file
        readables = tuple(pair for pair in readables if pair[0] != "geometry")
    return replace(
        geometry,
        pose=_pose(geometry.pose, factor),
        shape=_shape(geometry.shape, factor),
        render=None if render is None else RenderMesh(_mesh(render.mesh, factor)),
        readables=readables,
    )


def _shape(shape: Shape, factor: float) -> Shape:
    if isinstance(shape, (Box, Sphere, Cylinder, TriMesh)):
        return _solid(shape, factor)
    if isinstance(shape, Capsule):
        return Capsule(shape.radius * factor, shape.height * factor)
    return shape


def _solid(shape: ContactShape, factor: float) -> ContactShape:
    match shape:
        case Box():
            return Box(_times(shape.half_extents, factor))
        case Sphere():
            return Sphere(shape.radius * factor)
        case Cylinder():
            return Cylinder(shape.radius * factor, shape.height * factor)
        case TriMesh():
            return TriMesh(_mesh(shape.mesh, factor))


def _mesh(mesh: MeshReference | MeshData, factor: float) -> MeshReference | MeshData:
    if isinstance(mesh, MeshData):
        return MeshData(mesh.vertices * factor, mesh.faces)
    return replace(mesh, scale=_times(mesh.scale, factor))


def _pose(pose: Pose, factor: float) -> Pose:
    return Pose(pose.rotation, _times(pose.translation, factor))


def _times(vector: Vec3, factor: float) -> Vec3:
    x, y, z = vector
    return (x * factor, y * factor, z * factor)
