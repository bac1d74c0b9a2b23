"""Joints as RobWork has them: motions along and about z, or its own sequences.

A joint of a description becomes one joint frame or several, and what is fixed behind.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyrave.scene import IDENTITY, Pose
from pyrave_workcell.workcell.document import JOINT_AXES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.scene import JointAxis, JointDescription
    from pyrave.scene.pose import Vec3

_PERPENDICULAR = 1e-12
_DIRECTIONS: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
_NATIVE = {
    tuple((_DIRECTIONS[axis], slides) for axis, slides in axes): kind
    for kind, axes in JOINT_AXES.items()
}
"""RobWork's types by the directions of their axes, and whether these slide."""


@dataclass(frozen=True, slots=True)
class Segment:
    """One joint frame.

    Parameters
    ----------
    type
        RobWork's type.
    pose
        T_before_segment where its values are 0; before it is the segment before it.
    numbers
        Which axes of the joint its values are, in order.
    axes
        Those axes, as they move in the written frame.
    """

    type: str
    pose: Pose
    numbers: tuple[int, ...]
    axes: tuple[JointAxis, ...]


def segments_of(
    joint: JointDescription, *, forward: bool = True
) -> tuple[list[Segment], Pose]:
    """Return the joint frames of a joint, and T_last_link of the link behind them.

    Parameters
    ----------
    forward
        The link behind it is its child, else its parent.
    """
    before, after = joint.T_parent_joint, joint.T_child_joint.inverse()
    axes = list(enumerate(joint.axes))
    if not forward:
        before, after = joint.T_child_joint, joint.T_parent_joint.inverse()
        axes = [
            (number, replace(axis, direction=_negative(axis.direction)))
            for number, axis in reversed(axes)
        ]
    if not axes:
        return [], before @ after
    whole = _whole(axes, before)
    if whole is not None:
        segment, turn = whole
        return [segment], turn.inverse() @ after
    made: list[Segment] = []
    turned = IDENTITY
    for place, (number, axis) in enumerate(axes):
        turn = _onto_z(axis.direction)
        pose = turned.inverse() @ turn
        kind = "Prismatic" if axis.prismatic else "Revolute"
        first = before @ pose if place == 0 else pose
        made.append(Segment(kind, first, (number,), (axis,)))
        turned = turn
    return made, turned.inverse() @ after


def _whole(
    axes: Sequence[tuple[int, JointAxis]], before: Pose
) -> tuple[Segment, Pose] | None:
    """Return several axes as one type of RobWork's, and T_joint_segment."""
    if len(axes) == 1 or any(axis.mimic is not None for _, axis in axes):
        return None
    shape = tuple((axis.direction, axis.prismatic) for _, axis in axes)
    turn = IDENTITY
    kind = _NATIVE.get(shape)
    if kind is None and [slides for _, slides in shape] == [False, False]:
        turn_or_none = _onto_xy(shape[0][0], shape[1][0])
        if turn_or_none is not None:
            kind, turn = "Universal", turn_or_none
    if kind is None:
        return None
    numbers = tuple(number for number, _ in axes)
    found = tuple(axis for _, axis in axes)
    return Segment(kind, before @ turn, numbers, found), turn


def _onto_xy(first: Vec3, second: Vec3) -> Pose | None:
    """Return the turn that takes x and y to two directions at a right angle."""
    if abs(sum(a * b for a, b in zip(first, second, strict=True))) > _PERPENDICULAR:
        return None
    return _turn(first, second, _cross(first, second))


def _onto_z(direction: Vec3) -> Pose:
    """Return a turn that takes z to a direction; exact for directions along axes."""
    if direction == _DIRECTIONS[2]:
        return IDENTITY
    least = min(range(3), key=lambda i: (abs(direction[i]), i))
    along = direction[least]
    x = [one - along * d for one, d in zip(_DIRECTIONS[least], direction, strict=True)]
    size = math.sqrt(sum(one * one for one in x))
    first: Vec3 = (x[0] / size, x[1] / size, x[2] / size)
    return _turn(first, _cross(direction, first), direction)


def _turn(x: Vec3, y: Vec3, z: Vec3) -> Pose:
    return Pose((x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _negative(way: Vec3) -> Vec3:
    x, y, z = way
    return -x, -y, -z
