"""Conversion of waypoints between configuration specifications."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import (
    Affine,
    affine_from_pose,
    convert_affine,
    convert_affine_rates,
)
from pyrave.spatial import Array, wxyz_xyz_from_pose
from pyrave.trajectories.groups import Group, is_joint_kind

if TYPE_CHECKING:
    from collections.abc import Sequence


def best_match(groups: Sequence[Group], wanted: Group) -> Group | None:
    """Return the group that represents `wanted` best, or None.

    The same name wins. Joint groups of the same kind and body are ranked by the
    number of joints they share; affine groups need the same kind and body,
    ``ikparam_`` groups the same kind and type code, others the same kind.
    """
    kind, body = wanted.kind, wanted.body_name
    best: Group | None = None
    best_score = 0
    for group in groups:
        if group.name.split() == wanted.name.split():
            return group
        if group.kind != kind:
            continue
        score = 1
        if is_joint_kind(kind):
            if not _same_body(group.body_name, body):
                continue
            score = len(np.intersect1d(group.joint_indices, wanted.joint_indices))
        elif kind.startswith("affine_") or kind == "grab":
            if not _same_body(group.body_name, body):
                continue
        elif kind.startswith("ikparam_"):
            if group.ik_type != wanted.ik_type:
                continue
            score = 1 + sum(
                a == b for a, b in zip(group.arguments, wanted.arguments, strict=False)
            )
        elif kind == "grabbody":
            continue
        if score > best_score:
            best, best_score = group, score
    return best


def joint_columns(
    groups: Sequence[Group], kind: str, body: str, indices: Sequence[int]
) -> list[int | None]:
    """Return the column of each joint's value, None where no group has it."""
    columns: dict[int, int] = {}
    for group in groups:
        if group.kind == kind and _same_body(group.body_name, body):
            for position, index in enumerate(group.joint_indices.tolist()):
                columns.setdefault(index, group.offset + position)
    return [columns.get(index) for index in indices]


def convert_rows(
    target: Sequence[Group],
    source: Sequence[Group],
    rows: Array,
    out: Array,
    *,
    fill: bool,
    env: Any = None,
) -> None:
    """Convert waypoints (n, source dof) into `out` (n, target dof), in place.

    Parameters
    ----------
    fill
        Give values that the source does not have a default: the body's present
        state when `env` has the body, else zero or the identity. Without it those
        columns of `out` are left alone.
    """
    for group in target:
        if is_joint_kind(group.kind):
            _convert_joints(group, source, rows, out, fill=fill, env=env)
            continue
        match = best_match(source, group)
        if match is not None:
            out[:, group.columns] = _converted(group, match, rows, env)
        elif fill:
            out[:, group.columns] = _default(group, env)


def _convert_joints(
    group: Group,
    source: Sequence[Group],
    rows: Array,
    out: Array,
    *,
    fill: bool,
    env: Any,
) -> None:
    indices = group.joint_indices.tolist()
    columns = joint_columns(source, group.kind, group.body_name, indices)
    defaults: Array | None = None
    for position, column in enumerate(columns):
        place = group.offset + position
        if column is not None:
            out[:, place] = rows[:, column]
        elif fill:
            if defaults is None:
                defaults = _joint_defaults(group, env)
            out[:, place] = defaults[position]


def _converted(group: Group, match: Group, rows: Array, env: Any) -> Array:
    values = rows[:, match.columns]
    if group.kind.startswith("affine_"):
        target = (int(group.affine_mask), group.affine_axis)
        origin = (int(match.affine_mask), match.affine_axis)
        # The axis has a meaning only together with its mask bit.
        if target[0] == origin[0] and not target[0] & Affine.ROTATION_AXIS:
            return values
        if group.kind == "affine_transform":
            return convert_affine(values, origin, target, _present_pose(group, env))
        return convert_affine_rates(values, origin, target)
    if match.dof != group.dof:
        raise ArgumentError(
            f"group {match.name!r} has {match.dof} values, {group.name!r} has "
            f"{group.dof}; expected the same number"
        )
    return values


def _default(group: Group, env: Any) -> Array:
    if group.kind == "affine_transform":
        quat, point = _present_pose(group, env) or (
            np.array((1.0, 0.0, 0.0, 0.0)),
            np.zeros(3),
        )
        mask = group.affine_mask
        return np.asarray(
            affine_from_pose(quat[None], point[None], mask, group.affine_axis)[0]
        )
    return np.zeros(group.dof)


def _joint_defaults(group: Group, env: Any) -> Array:
    body = _find_body(group.body_name, env)
    attribute = {"joint_values": "dof_values", "joint_velocities": "dof_velocities"}
    if body is None or group.kind not in attribute:
        return np.zeros(group.dof)
    present = np.asarray(getattr(body, attribute[group.kind]), dtype=np.float64)
    indices = group.joint_indices
    if indices.max(initial=-1) >= present.shape[0]:
        raise ArgumentError(
            f"group {group.name!r} names joint {indices.max()}, body "
            f"{group.body_name!r} has {present.shape[0]} degrees of freedom"
        )
    return np.asarray(present[indices])


def _present_pose(group: Group, env: Any) -> tuple[Array, Array] | None:
    body = _find_body(group.body_name, env)
    if body is None:
        return None
    pose = wxyz_xyz_from_pose(body.transform)
    return pose[:4], pose[4:]


def _find_body(name: str, env: Any) -> Any:
    if env is None or not name or name not in env.bodies:
        return None
    return env.bodies[name]


def _same_body(first: str, second: str) -> bool:
    return not first or not second or first == second
