"""Physics models and scenes: masses of links, gravity, what is grabbed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import Pose
from pyrave_collada.writing.geometry import SHOWN_GROUP
from pyrave_collada.writing.tags import (
    add,
    add_extra,
    add_pose,
    numbers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave.scene import GrabDescription, Inertial
    from pyrave_collada.writing.geometry import Shown
    from pyrave_collada.writing.plan import BodyPlan
    from pyrave_collada.writing.surfaces import PhysicsMaterials

_EYE = np.eye(3)


def add_physics_model(
    library: Any,
    plan: BodyPlan,
    shown: Mapping[str, Sequence[Shown | None]],
    materials: PhysicsMaterials,
) -> None:
    """Append the ``<physics_model>`` of a body.

    Frames of masses and shapes are in the frame of the base, all joints at zero: that
    is what OpenRAVE's files mean.
    """
    model = add(library, "physics_model", id=plan.physics, name=plan.body.name)
    for link in plan.body.links:
        sid = f"rigid_{plan.link(link.name)}"
        common = add(
            add(model, "rigid_body", sid=sid, name=link.name), "technique_common"
        )
        add(common, "dynamic", "false" if link.static else "true")
        add(common, "mass", numbers((link.inertial.mass,)))
        frame, moments = _principal(link.inertial)
        zero = plan.zero[link.name]
        add_pose(add(common, "mass_frame"), zero @ frame)
        add(common, "inertia", numbers(moments))
        materials.add_to(common, link)
        geometries = zip(link.geometries, shown[link.name], strict=True)
        for geometry, one in geometries:
            if one is None or not one.collides:
                continue
            if geometry.group == SHOWN_GROUP:
                shape = add(common, "shape")
                add(shape, "instance_geometry", url=f"#{one.key}")
                add_pose(shape, zero @ geometry.pose)


def add_physics_instance(scene: Any, plan: BodyPlan) -> None:
    """Append the ``<instance_physics_model>`` that a scene has of a body."""
    base = plan.body.links[0].name
    instance = add(
        scene,
        "instance_physics_model",
        url=f"#{plan.physics}",
        sid=f"{plan.physics}_inst",
        parent=f"#{plan.node(base)}",
    )
    for link in plan.body.links:
        sid = f"rigid_{plan.link(link.name)}"
        target = f"#{plan.node(link.name)}"
        one = add(instance, "instance_rigid_body", body=sid, sid=sid, target=target)
        add(one, "technique_common")


def rigid_paths(plan: BodyPlan) -> dict[str, str]:
    """Return the path of each link's rigid body from the physics scene."""
    return {
        link.name: f"{plan.physics}_inst/rigid_{plan.link(link.name)}"
        for link in plan.body.links
    }


def add_grabs(
    instance: Any,
    grabs: Sequence[GrabDescription],
    rigid: Mapping[str, Mapping[str, str]],
) -> None:
    """Append what bodies hold to an ``<instance_physics_scene>``.

    Parameters
    ----------
    rigid
        By body and link: the path of its rigid body.
    """
    known = [
        grab
        for grab in grabs
        if grab.body != grab.holder
        and grab.link in rigid.get(grab.holder, ())
        and rigid.get(grab.body)
    ]
    if not known:
        return
    technique = add_extra(instance, "dynamic_rigid_constraints")
    for number, grab in enumerate(known):
        holder, held = rigid[grab.holder], rigid[grab.body]
        one = add(technique, "rigid_constraint", sid=f"grab{number}")
        add(one, "ref_attachment", rigid_body=holder[grab.link])
        add(one, "attachment", rigid_body=next(iter(held.values())))
        ignored = [holder[name] for name in grab.ignored_links if name in holder]
        if ignored:
            inner = add(one, "technique", profile="OpenRAVE")
            for path in ignored:
                # without the path of the body: OpenRAVE compares the bare sid
                add(inner, "ignore_link", link=path.rpartition("/")[2])


def _principal(inertial: Inertial) -> tuple[Pose, tuple[float, ...]]:
    """Return T_link_mass with principal axes, and the moments about them."""
    matrix = np.array(inertial.inertia).reshape(3, 3)
    diagonal = np.diag(matrix)
    if np.array_equal(matrix, np.diag(diagonal)):
        axes, moments = _EYE, diagonal
    else:
        moments, axes = np.linalg.eigh((matrix + matrix.T) / 2.0)
        if np.linalg.det(axes) < 0.0:
            axes = -axes
    x, y, z = inertial.com
    place = np.column_stack((axes, (x, y, z)))
    return Pose.from_matrix(place), tuple(np.maximum(moments, 0.0).tolist())
