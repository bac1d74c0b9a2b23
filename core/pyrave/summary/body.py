"""A body as plain data: its state, links, geometries and joints."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    MeshReference,
    Prism,
    Sphere,
    TriMesh,
)
from pyrave.scene.readable import Readables
from pyrave.summary.parts import readables_summary

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.bodies.views.contact_area import ContactArea
    from pyrave.bodies.views.geometry import Geometry
    from pyrave.bodies.views.joint import Joint
    from pyrave.bodies.views.link import Link
    from pyrave.bodies.views.shape import ShapeView
    from pyrave.scene import GeometryDescription, Shape
    from pyrave.summary.parts import MeshProblems


def body_summary(body: KinBody, meshes: MeshProblems) -> dict[str, Any]:
    """Return everything about a body but what only robots have."""
    known = [g for link in body.links if link.enabled for g in link.geometries]
    velocities = body.dynamics.link_velocities
    return {
        "name": body.name,
        "uri": body.uri,
        "is_robot": body.is_robot,
        "id": body.interface_id,
        "distribution": body.plugin,
        "transform": body.transform,
        "dof": body.dof,
        "dof_values": body.dof_values,
        "dof_velocities": body.dof_velocities,
        "dof_limits": body.dof_limits,
        "dof_velocity_limits": body.dof_velocity_limits,
        "dof_acceleration_limits": body.dof_acceleration_limits,
        "dof_torque_limits": body.dof_torque_limits,
        "dof_weights": body.dof_weights,
        "dof_resolutions": body.dof_resolutions,
        "mass": body.mass,
        "center_of_mass": body.center_of_mass if body.mass > 0.0 else None,
        "aabb": meshes.box(tuple(known), lambda: body.aabb),
        "enabled": body.enabled,
        "visible": body.visible,
        "adjacent_links": body.adjacent_links.tolist(),
        # without the checker, which compares meshes
        "non_adjacent_links": body.model.non_adjacent_links.tolist(),
        "grabbed": [held.name for held in body.grabbed],
        "links": [_link(link, velocities[link.index], meshes) for link in body.links],
        "frames": [
            {
                "name": frame.name,
                "link": frame.link.name,
                "transform": frame.transform,
                "local_transform": frame.local_transform,
            }
            for frame in body.frames
        ],
        "joints": [_joint(joint, i) for i, joint in enumerate(body.joints)],
        "passive_joints": [_joint(joint, -1) for joint in body.passive_joints],
        "readables": readables_summary(body.readables),
    }


def _link(
    link: Link, velocity: np.ndarray[Any, Any], meshes: MeshProblems
) -> dict[str, Any]:
    geometries = link.geometries
    return {
        "name": link.name,
        "index": link.index,
        "transform": link.transform,
        "velocity": velocity,
        "mass": link.mass,
        "local_com": link.local_com,
        "global_com": link.global_com,
        "local_inertia": link.local_inertia,
        "global_inertia": link.global_inertia,
        "static": link.static,
        "kinematic": link.kinematic,
        "material": link.material,
        "object_type": link.object_type,
        "dynamics": dataclasses.asdict(link.dynamics),
        "enabled": link.enabled,
        "visible": link.visible,
        "aabb": meshes.box(geometries, lambda: link.aabb),
        "aabb_local": meshes.box(geometries, lambda: link.local_aabb),
        "parent_links": [parent.name for parent in link.parent_links],
        "rigidly_attached": [other.name for other in link.rigidly_attached],
        "geometries": [_geometry(geometry, meshes) for geometry in geometries],
        "contacts": [_contact(contact, meshes) for contact in link.contacts],
        "other_geometries": [
            {"group": g.group, "type": g.shape.type, "name": g.name}
            for g in link.description.geometries
            if g.group != "self"
        ],
    }


def _geometry(geometry: Geometry, meshes: MeshProblems) -> dict[str, Any]:
    described = geometry.description
    return {
        "name": geometry.name,
        "type": geometry.type,
        "transform": geometry.transform,
        **_sizes(described.shape),
        "mesh": _mesh(geometry, meshes),
        "render": _render(described),
        "diffuse_color": geometry.diffuse_color,
        "ambient_color": geometry.ambient_color,
        "transparency": geometry.transparency,
        "visible": geometry.visible,
        "modifiable": described.modifiable,
        "aabb_linkframe": meshes.box(
            (geometry,), lambda: geometry.aabb_in(geometry.transform)
        ),
    }


def _contact(contact: ContactArea, meshes: MeshProblems) -> dict[str, Any]:
    return {
        "name": contact.name,
        "type": contact.type,
        "transform": contact.transform,
        **_sizes(contact.description.shape),
        "mesh": _mesh(contact, meshes),
        "normals": contact.normals if meshes.usable(contact) else None,
        "max_normal_force": contact.max_normal_force,
    }


def _sizes(shape: Shape) -> dict[str, Any]:
    match shape:
        case Box():
            return {"half_extents": shape.half_extents}
        case Sphere():
            return {"radius": shape.radius}
        case Cylinder() | Capsule():
            return {"radius": shape.radius, "height": shape.height}
        case Container():
            return {
                "outer_extents": shape.outer_extents,
                "inner_extents": shape.inner_extents,
                "bottom_cross": shape.bottom_cross,
                "bottom": shape.bottom,
            }
        case Cage():
            return {
                "half_extents": shape.half_extents,
                "walls": [
                    {"transform": pose.matrix, "half_extents": half}
                    for pose, half in shape.walls
                ],
            }
        case Prism():
            return {"cross_section": shape.cross_section, "height": shape.height}
        case _:
            return {}


def _mesh(geometry: ShapeView, meshes: MeshProblems) -> dict[str, Any] | None:
    """Return the source of a triangle mesh and its size; null for primitives."""
    shape = geometry.description.shape
    if not isinstance(shape, TriMesh):
        return None
    usable = meshes.usable(geometry)
    reference = shape.mesh if isinstance(shape.mesh, MeshReference) else None
    return {
        "uri": reference.uri if reference else None,
        "scale": reference.scale if reference else (1.0, 1.0, 1.0),
        "found": reference.found if reference else True,
        "n_vertices": len(geometry.mesh.vertices) if usable else None,
        "n_faces": len(geometry.mesh.faces) if usable else None,
    }


def _render(described: GeometryDescription) -> dict[str, Any] | None:
    """Return the mesh that is shown instead of the shape, if there is one."""
    render = described.render
    if render is None or not isinstance(render.mesh, MeshReference):
        return None
    return {
        "uri": render.mesh.uri,
        "scale": render.mesh.scale,
        "found": render.mesh.found,
    }


def _joint(joint: Joint, index: int) -> dict[str, Any]:
    described = joint.description
    velocity = joint.velocity_limits
    body = joint.body
    first = joint.dof_index
    speeds = body.dof_velocities
    moving: np.ndarray[Any, Any] | None = np.zeros(joint.dof)
    if first >= 0:
        moving = speeds[first : first + joint.dof]
    elif speeds.any():
        # how fast followers move is not kept; they rest when the body does
        moving = None
    return {
        "name": joint.name,
        "type": joint.type,
        "active": joint.active,
        "dof": joint.dof,
        "dof_index": first,
        "joint_index": index,
        "anchor": joint.anchor,
        "axes": [
            {
                "axis": joint.axes[i],
                "prismatic": axis.prismatic,
                "revolute": not axis.prismatic and joint.type != "spherical",
                "circular": axis.circular,
                "wrap_offset": float(joint.wrap_offsets[i]),
                "max_vel": float(velocity[i]),
                "max_accel": float(joint.acceleration_limits[i]),
                "max_torque": float(joint.torque_limits[i]),
                "max_inertia": axis.inertia_limit,
                "mimic": axis.mimic is not None,
            }
            for i, axis in enumerate(described.axes)
        ],
        "limits": joint.limits,
        "circular": joint.circular,
        "values": joint.values,
        "velocities": moving,
        "velocity_limits": (-velocity, velocity),
        "acceleration_limits": joint.acceleration_limits,
        "jerk_limits": [axis.jerk_limit for axis in described.axes],
        "torque_limits": joint.torque_limits,
        "weights": joint.weights,
        "resolutions": joint.resolutions,
        "parent_link": joint.parent_link.name,
        "child_link": joint.child_link.name,
        "first_attached": described.parent,
        "second_attached": described.child,
        "mimic": [
            None
            if formula is None
            else {
                "position": formula.position,
                "velocity": formula.velocity,
                "acceleration": formula.acceleration,
            }
            for formula in joint.mimic
        ],
        "static": joint.static,
        "closes_loop": joint.closes_loop,
        "readables": readables_summary(Readables(described.readables)),
    }
