"""Applying configurations to bodies, and reading them back.

The environment is anything with ``bodies[name]``; bodies offer ``dof_values``,
``dof_velocities``, ``transform`` and ``base_velocity`` as
`KinBody` defines them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import (
    affine_from_pose,
    affine_rates,
    angular_from_rates,
    pose_from_affine,
)
from pyrave.spatial import pose_from_wxyz_xyz, wxyz_xyz_from_pose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.spatial import Array
    from pyrave.trajectories.groups import Group

_JOINT_ATTRIBUTES = {
    "joint_values": "dof_values",
    "joint_velocities": "dof_velocities",
}


def apply(groups: Sequence[Group], env: Any, data: Array) -> None:
    """Set bodies to one configuration (dof,): poses first, then joints, then rates."""
    for kind, setter in (
        ("affine_transform", _set_transform),
        ("joint_values", _set_joints),
        ("affine_velocities", _set_base_velocity),
        ("joint_velocities", _set_joints),
    ):
        for group in groups:
            if group.kind == kind:
                setter(group, env.bodies[group.body_name], data[group.columns])


def read(groups: Sequence[Group], env: Any, dof: int) -> Array:
    """Return the present configuration (dof,); what bodies do not have is 0."""
    data = np.zeros(dof)
    for group in groups:
        if group.kind in _JOINT_ATTRIBUTES:
            body = env.bodies[group.body_name]
            data[group.columns] = _joints(group, body)[group.joint_indices]
        elif group.kind in {"affine_transform", "affine_velocities"}:
            body = env.bodies[group.body_name]
            pose = wxyz_xyz_from_pose(body.transform)
            mask, axis = group.affine_mask, group.affine_axis
            if group.kind == "affine_transform":
                values = affine_from_pose(pose[None, :4], pose[None, 4:], mask, axis)[0]
            else:
                twist = np.asarray(body.base_velocity, dtype=np.float64)
                values = affine_rates(twist, pose[:4], mask, axis)
            data[group.columns] = values
    return data


def _joints(group: Group, body: Any) -> Array:
    attribute = _JOINT_ATTRIBUTES[group.kind]
    present = np.array(getattr(body, attribute), dtype=np.float64)
    highest = int(group.joint_indices.max())
    if highest >= present.shape[0]:
        raise ArgumentError(
            f"group {group.name!r} names joint {highest}, body {body.name!r} has "
            f"{present.shape[0]} degrees of freedom"
        )
    return present


def _set_joints(group: Group, body: Any, values: Array) -> None:
    new = _joints(group, body)
    new[group.joint_indices] = values
    setattr(body, _JOINT_ATTRIBUTES[group.kind], new)


def _set_transform(group: Group, body: Any, values: Array) -> None:
    present = wxyz_xyz_from_pose(body.transform)
    quats, points = pose_from_affine(
        values[None],
        group.affine_mask,
        group.affine_axis,
        (present[:4], present[4:]),
    )
    body.transform = pose_from_wxyz_xyz(np.concatenate((quats[0], points[0])))


def _set_base_velocity(group: Group, body: Any, values: Array) -> None:
    present = wxyz_xyz_from_pose(body.transform)
    linear, angular = angular_from_rates(
        values[None], group.affine_mask, group.affine_axis, present[None, :4]
    )
    body.base_velocity = np.concatenate((linear[0], angular[0]))
