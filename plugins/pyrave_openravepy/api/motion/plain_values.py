"""Values that retimers take as those of joints: goals, and poses with quaternions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pyrave.trajectories import ConfigurationSpecification
    from pyrave.trajectories.groups import Group

__all__ = ["continuous", "plain", "with_meaning"]

Array = NDArray[np.float64]
_NOBODY = "__values__"


def plain(spec: ConfigurationSpecification) -> ConfigurationSpecification:
    """Return a specification whose groups retimers know, each with its offset.

    Goals, and poses with quaternions, become values of joints of nobody.
    """
    groups = tuple(
        group if _is_known(group) else replace(group, name=_values_of(group))
        for group in spec.groups
    )
    return replace(spec, groups=groups)


def with_meaning(
    timed: ConfigurationSpecification, spec: ConfigurationSpecification
) -> ConfigurationSpecification:
    """Return the specification of a timed trajectory with the groups of another.

    Parameters
    ----------
    timed
        Groups of `plain`, their derivatives, and times.
    spec
        What `plain` was made of.
    """
    from pyrave.trajectories.groups import derivative_kind, time_derivative_order

    meant = {_values_of(group): group for group in spec.groups if not _is_known(group)}
    groups = []
    for group in timed.groups:
        order = time_derivative_order(group.kind)
        own = None if order is None else meant.get(group.with_kind("joint_values"))
        kind = None if own is None else derivative_kind(own.kind, order or 0)
        if own is None or kind is None:
            groups.append(group)
        else:
            groups.append(replace(group, name=own.with_kind(kind)))
    return replace(timed, groups=tuple(groups))


def continuous(spec: ConfigurationSpecification, rows: Array) -> Array:
    """Return waypoints (n, dof) whose quaternions do not change their sign."""
    made = rows.copy()
    for group in spec.groups:
        columns = _quaternion(group)
        if columns is None:
            continue
        for k in range(1, len(made)):
            if made[k, columns] @ made[k - 1, columns] < 0.0:
                made[k, columns] *= -1.0
    return made


def _is_known(group: Group) -> bool:
    from pyrave.kinematics import Affine

    if group.kind == "affine_transform":
        return not group.affine_mask & Affine.ROTATION_QUAT
    return group.kind != "ikparam_values"


def _values_of(group: Group) -> str:
    indices = range(group.offset, group.offset + group.dof)
    return " ".join(("joint_values", _NOBODY, *map(str, indices)))


def _quaternion(group: Group) -> slice | None:
    """Return the columns of the quaternion of a group, if it has one."""
    if group.kind == "affine_transform" and not _is_known(group):
        return slice(group.end - 4, group.end)
    if group.kind != "ikparam_values":
        return None
    from pyrave.ik import IkParameterizationType

    name = IkParameterizationType.of(group.ik_type).name
    begins = name in {"Transform6D", "Rotation3D"}
    return slice(group.offset, group.offset + 4) if begins else None
