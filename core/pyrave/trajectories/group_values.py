"""Reading and writing typed values of configurations, on lists of groups.

Rows are (..., dof) float64 arrays; what is written is written in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.cards import counted, listed
from pyrave.errors import ArgumentError
from pyrave.kinematics.affine import (
    affine_from_pose,
    angular_from_rates,
    pose_from_affine,
)
from pyrave.spatial import as_pose, matrix_from_quat, quat_from_matrix
from pyrave.trajectories.conversion import best_match, joint_columns
from pyrave.trajectories.groups import Group, affine_dof, derivative_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.ik.parameterization import (
        IkParameterization,
        IkParameterizationType,
        IkTypeLike,
    )
    from pyrave.spatial import Array


def specification_line(groups: Sequence[Group]) -> str:
    """Return one line about the groups of a specification."""
    parts = [f"{one.name} ({one.interpolation or one.dof})" for one in groups]
    said = f"{counted(sum(group.dof for group in groups), 'value')}: {listed(parts)}"
    return f"<ConfigurationSpecification{': ' + said if parts else ''}>"


def name_of(body: Any) -> str:
    """Return the name of a body, or the text itself."""
    return body if isinstance(body, str) else str(body.name)


def _kind(first: str, order: int) -> str:
    kind = derivative_kind(first, order)
    if kind is None:
        raise ArgumentError(f"time derivative {order} is not within 0..6")
    return kind


def _all_indices(groups: Sequence[Group], kind: str, body: str) -> list[int]:
    found: dict[int, None] = {}
    for group in groups:
        if group.kind == kind and group.body_name in {"", body}:
            found.update(dict.fromkeys(group.joint_indices.tolist()))
    return list(found)


def extract_joints(
    groups: Sequence[Group],
    rows: Array,
    body: str,
    indices: Sequence[int] | None,
    order: int,
    default: ArrayLike | None,
) -> Array | None:
    """Return joint values (..., k), or None when some are missing."""
    kind = _kind("joint_values", order)
    if indices is None:
        indices = _all_indices(groups, kind, body)
        if not indices:
            return None
    columns = joint_columns(groups, kind, body, indices)
    if default is None:
        if any(column is None for column in columns):
            return None
        return np.asarray(rows[..., [c for c in columns if c is not None]])
    given = np.asarray(default, dtype=np.float64)
    if given.shape != (len(indices),):
        raise ArgumentError(
            f"default has shape {given.shape}, expected ({len(indices)},)"
        )
    result = np.empty((*rows.shape[:-1], len(indices)))
    for position, column in enumerate(columns):
        result[..., position] = given[position] if column is None else rows[..., column]
    return result


def insert_joints(
    groups: Sequence[Group],
    rows: Array,
    values: ArrayLike,
    body: str,
    indices: Sequence[int] | None,
    order: int,
) -> bool:
    """Write joint values (..., k); return whether any was written."""
    kind = _kind("joint_values", order)
    if indices is None:
        indices = _all_indices(groups, kind, body)
    new = np.asarray(values, dtype=np.float64)
    if new.ndim == 0 or new.shape[-1] != len(indices):
        raise ArgumentError(
            f"values have shape {new.shape}, expected (..., {len(indices)})"
        )
    columns = joint_columns(groups, kind, body, indices)
    for position, column in enumerate(columns):
        if column is not None:
            rows[..., column] = new[..., position]
    return any(column is not None for column in columns)


def _affine_group(groups: Sequence[Group], body: str, order: int) -> Group | None:
    kind = _kind("affine_transform", order)
    wanted = Group(f"{kind} {body} 39", 0, affine_dof(39))
    return best_match(groups, wanted)


def extract_transform(
    groups: Sequence[Group], rows: Array, body: str, base: ArrayLike | None
) -> Array | None:
    """Return poses (..., 4, 4), or None without a group."""
    group = _affine_group(groups, body, 0)
    if group is None:
        return None
    start = None
    if base is not None:
        matrix = as_pose(base, "base")
        start = (quat_from_matrix(matrix[:3, :3]), matrix[:3, 3])
    values = rows[..., group.columns].reshape(-1, group.dof)
    quats, points = pose_from_affine(
        values, group.affine_mask, group.affine_axis, start
    )
    poses = np.zeros((values.shape[0], 4, 4))
    for pose, quat, point in zip(poses, quats, points, strict=True):
        pose[:3, :3] = matrix_from_quat(quat)
        pose[:3, 3] = point
        pose[3, 3] = 1.0
    return poses.reshape(*rows.shape[:-1], 4, 4)


def insert_transform(
    groups: Sequence[Group], rows: Array, pose: ArrayLike, body: str
) -> bool:
    """Write poses (..., 4, 4); return whether there is a group."""
    group = _affine_group(groups, body, 0)
    if group is None:
        return False
    array = np.asarray(pose, dtype=np.float64)
    poses = (
        as_pose(pose)[None]
        if array.ndim < 3
        else np.array([as_pose(one) for one in array.reshape(-1, 4, 4)])
    )
    quats = np.array([quat_from_matrix(one[:3, :3]) for one in poses])
    values = affine_from_pose(
        quats, poses[:, :3, 3], group.affine_mask, group.affine_axis
    )
    target = rows[..., group.columns]
    target[...] = values if array.ndim > 2 else values[0]
    return True


def extract_rates(
    groups: Sequence[Group], rows: Array, body: str, order: int
) -> Array | None:
    """Return (..., 6) linear and angular rates, or None without a group."""
    if order not in {1, 2}:
        raise ArgumentError(f"time derivative is {order}, expected 1 or 2")
    group = _affine_group(groups, body, order)
    if group is None:
        return None
    position = _affine_group(groups, body, 0)
    quats = None
    if position is not None:
        quats, _ = pose_from_affine(
            rows[..., position.columns].reshape(-1, position.dof),
            position.affine_mask,
            position.affine_axis,
        )
    linear, angular = angular_from_rates(
        rows[..., group.columns].reshape(-1, group.dof),
        group.affine_mask,
        group.affine_axis,
        quats,
    )
    return np.concatenate((linear, angular), 1).reshape(*rows.shape[:-1], 6)


def ik_group(
    kind: IkParameterizationType, robot: str, manipulator: str
) -> tuple[str, int]:
    """Return name and number of values of the group for goals of a type."""
    group = "ikparam_velocities" if kind.is_velocity else "ikparam_values"
    words = (group, str(int(kind.position_type)), robot, manipulator)
    return " ".join(word for word in words if word), kind.n_values


def extract_ik(
    groups: Sequence[Group],
    rows: Array,
    ik_type: IkTypeLike | None,
    names: tuple[str, str],
    order: int,
) -> IkParameterization | None:
    """Return the first matching parameterization of one configuration, or None."""
    from pyrave.ik.parameterization import IkParameterization, IkParameterizationType

    if rows.ndim != 1:
        raise ArgumentError(f"data has shape {rows.shape}, expected one configuration")
    if order not in {0, 1}:
        raise ArgumentError(f"time derivative is {order}, expected 0 or 1")
    kind = _kind("ikparam_values", order)
    wanted = None if ik_type is None else IkParameterizationType.of(ik_type)
    for group in groups:
        if group.kind != kind or (wanted is not None and group.ik_type != wanted):
            continue
        given = (*group.arguments[1:3], "", "")
        if any(n and n != g for n, g in zip(names, given, strict=False)):
            continue
        found = IkParameterizationType.of(group.ik_type)
        if order == 1:
            found = found.velocity_type
        return IkParameterization(found, tuple(_unit_goal(found, rows[group.columns])))
    return None


def _unit_goal(kind: IkParameterizationType, values: Array) -> list[float]:
    """Return the values of a goal; interpolated quaternions become unit ones."""
    length = float(np.linalg.norm(values[:4]))
    if kind.name not in {"Transform6D", "Rotation3D"} or length < 1e-6:
        return [*values.tolist()]
    return [*(values[:4] / length).tolist(), *values[4:].tolist()]


def insert_ik(groups: Sequence[Group], rows: Array, param: IkParameterization) -> bool:
    """Write a parameterization; return whether there is a group for its type."""
    kind = "ikparam_velocities" if param.type.is_velocity else "ikparam_values"
    for group in groups:
        if group.kind == kind and group.ik_type == int(param.type.position_type):
            if group.dof != len(param.values):
                raise ArgumentError(
                    f"group {group.name!r} has {group.dof} values, "
                    f"{param.type.name} has {len(param.values)}"
                )
            rows[..., group.columns] = param.values
            return True
    return False


def _delta_time(groups: Sequence[Group]) -> Group | None:
    return next((group for group in groups if group.kind == "deltatime"), None)


def extract_delta_time(groups: Sequence[Group], rows: Array) -> Array | None:
    """Return delta times (...), or None without a group."""
    group = _delta_time(groups)
    return None if group is None else np.array(rows[..., group.offset])


def insert_delta_time(
    groups: Sequence[Group], rows: Array, delta_time: ArrayLike
) -> bool:
    """Write delta times (...); return whether there is a group."""
    group = _delta_time(groups)
    if group is None:
        return False
    rows[..., group.offset] = delta_time
    return True
