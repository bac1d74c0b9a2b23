"""What OpenRAVE has a tag for, of a scene description, as plain comparable data.

Two scenes that look the same here are the same to OpenRAVE; `same` compares with a
tolerance.
"""

from __future__ import annotations

import math

from pyrave.scene import (
    Cage,
    MeshData,
    MeshReference,
    RobotDescription,
    TriMesh,
    XmlReadable,
)

__all__ = ["same", "view"]

_FAR = 1e9
_TYPES = {"fixed": "hinge"}


def view(scene):
    """Return a scene as nested lists and dictionaries."""
    return {
        "bodies": [_body(body) for body in scene.bodies],
        "interfaces": [_interface(item) for item in scene.interfaces],
        "plugins": [plugin.name for plugin in scene.plugins],
        "background": scene.background_color,
        "camera": scene.camera and [*_pose(scene.camera.pose)],
    }


def same(one, two, where="scene"):
    """Raise an AssertionError that names the first difference."""
    if isinstance(one, dict):
        assert one.keys() == two.keys(), where
        for key, value in one.items():
            same(value, two[key], f"{where}.{key}")
    elif isinstance(one, (list, tuple)):
        assert len(one) == len(two), (where, one, two)
        for index, (a, b) in enumerate(zip(one, two, strict=True)):
            same(a, b, f"{where}[{index}]")
    elif isinstance(one, float):
        far = abs(one) >= _FAR and abs(two) >= _FAR and one * two > 0
        close = math.isclose(one, two, rel_tol=1e-6, abs_tol=1e-6)
        assert far or close, (where, one, two)
    else:
        assert one == two, (where, one, two)


def _pose(pose):
    return [*pose.rotation, *pose.translation]


def _body(body):
    base = body.links[0].pose if body.links else None
    found = {
        "name": body.name,
        "interface": body.interface,
        "pose": _pose(body.pose if base is None else body.pose @ base),
        "links": [_link(link) for link in body.links],
        "joints": [_joint(joint) for joint in body.joints],
        "adjacent": sorted(body.adjacent),
        "joined": body.joined_links_adjacent,
        "values": body.dof_values,
        "commands": body.commands,
        # what nothing reads has no tag
        "readables": [
            readable.to_xml()
            for _, readable in body.readables
            if not isinstance(readable, XmlReadable)
        ],
    }
    if isinstance(body, RobotDescription):
        found["manipulators"] = [_manipulator(item) for item in body.manipulators]
        found["sensors"] = [_sensor(item) for item in body.attached_sensors]
    return found


def _link(link):
    inertial = link.inertial
    return {
        "name": link.name,
        "pose": _pose(link.pose),
        "mass": [inertial.mass, *inertial.com, *inertial.inertia],
        "flags": (link.static, link.enabled),
        "geometries": [_geometry(item) for item in link.geometries],
    }


def _geometry(item):
    render = item.render and item.render.mesh
    material = item.material
    return {
        "shape": [item.shape.type, *_shape(item.shape)],
        "name": item.name,
        "pose": _pose(item.pose),
        "colors": [material.diffuse, material.ambient, float(material.transparency)],
        "render": _mesh(render) if isinstance(render, MeshReference) else None,
        "flags": (item.visible, item.modifiable, item.group),
    }


def _shape(shape):
    if isinstance(shape, TriMesh):
        return [_mesh(shape.mesh)]
    if isinstance(shape, Cage):
        walls = [[*_pose(pose), *half] for pose, half in shape.walls]
        return [[*shape.half_extents], walls]
    return [getattr(shape, name) for name in getattr(type(shape), "__slots__", ())]


def _mesh(mesh):
    if isinstance(mesh, MeshData):
        return mesh.vertices[mesh.faces].reshape(-1).tolist()
    return [mesh.uri, *mesh.scale]


def _joint(joint):
    kind = _TYPES.get(joint.type, joint.type)
    frame, axes = joint.T_parent_joint, joint.axes
    limits = [(axis.lower, axis.upper) for axis in axes]
    found = {
        "name": joint.name,
        "type": kind,
        "ends": (joint.parent, joint.child),
        "passive": not joint.active or not axes,
    }
    if not any(any(pair) for pair in limits):
        return found  # two links glued together
    return {
        **found,
        "circular": any(axis.circular for axis in axes),
        "limits": limits,
        "anchor": None if kind == "slider" else frame.translation,
        "directions": None
        if kind == "spherical"
        else [frame.rotate(axis.direction) for axis in axes],
        "mimic": axes[0].mimic.position if axes[0].mimic else None,
        "values": [
            [
                *(axis.initial, axis.velocity_limit, axis.hard_velocity_limit),
                *(axis.acceleration_limit, axis.torque_limit, axis.inertia_limit),
                *(axis.weight, axis.resolution),
            ]
            for axis in axes
        ],
    }


def _manipulator(item):
    return [
        *(item.name, item.base, item.end_effector, _pose(item.tool), item.direction),
        *(item.gripper_joints, item.chucking_direction, item.ik_solver),
    ]


def _sensor(item):
    commands = [command.strip() for command in item.commands]
    return [item.name, item.link, _pose(item.pose), item.interface, commands]


def _interface(item):
    return [
        *(item.type, item.interface, item.name, item.args, item.robot, item.joints),
        *(item.control_transform, item.commands),
    ]
