"""Union of two specifications' groups."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.trajectories.groups import Group, affine_dof, is_joint_kind

if TYPE_CHECKING:
    from collections.abc import Sequence


def merged(first: Sequence[Group], second: Sequence[Group]) -> tuple[Group, ...]:
    """Return the groups of `first`, extended by what only `second` has.

    Joints of a body that both name share one group; affine masks of a body are
    joined unless they turn about different things. The interpolation of `first`
    wins unless it is empty. Offsets are made again.
    """
    result = list(first)
    for group in second:
        for position, existing in enumerate(result):
            joined = _joined(existing, group)
            if joined is not None:
                result[position] = joined
                break
        else:
            result.append(group)
    offset = 0
    for position, group in enumerate(result):
        result[position] = replace(group, offset=offset)
        offset += group.dof
    return tuple(result)


def _joined(existing: Group, group: Group) -> Group | None:
    """Return one group for both, or None when they must stay apart."""
    interpolation = existing.interpolation or group.interpolation
    if existing.name.split() == group.name.split() and existing.dof == group.dof:
        return replace(existing, interpolation=interpolation)
    if existing.kind != group.kind or existing.body_name != group.body_name:
        return None
    body = existing.body_name
    if is_joint_kind(existing.kind):
        own = existing.joint_indices.tolist()
        extra = [i for i in group.joint_indices.tolist() if i not in own]
        indices = (*own, *extra)
        name = " ".join((existing.kind, body, *map(str, indices)))
        return Group(name, 0, len(indices), interpolation)
    if existing.kind.startswith("affine_"):
        return _joined_affine(existing, group, interpolation)
    return None


def _joined_affine(existing: Group, group: Group, interpolation: str) -> Group | None:
    one, two = existing.affine_mask, group.affine_mask
    rotations = {int(mask) & ~7 for mask in (one, two)} - {0}
    if len(rotations) > 1:
        return None
    if rotations == {8} and one & two & 8 and existing.affine_axis != group.affine_axis:
        return None
    mask = int(one | two)
    axis = (existing if int(one) & 8 else group).arguments[2:]
    name = " ".join((existing.kind, existing.body_name, str(mask), *axis))
    return Group(name, 0, affine_dof(mask), interpolation)
