"""Making another configuration of a body its zero configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pyrave.errors import NotSupportedError
from pyrave.scene import BodyDescription, JointAxis, JointDescription, Pose

if TYPE_CHECKING:
    from pyrave.spatial import Array

__all__ = ["zeroed"]


def zeroed(description: BodyDescription, values: tuple[Array, ...]) -> BodyDescription:
    """Return a body whose joints are at zero where they now have `values`.

    What can be reached stays the same: limits and all other values move along.

    Parameters
    ----------
    values
        Per joint of the description, one for each of its axes.

    Raises
    ------
    NotSupportedError
        A joint is not at zero whose axes cannot be counted from elsewhere: spherical,
        trajectory, with more than two axes, or one that follows others.
    """
    joints = tuple(
        _moved(joint, tuple(its.tolist())) if its.any() else joint
        for joint, its in zip(description.joints, values, strict=True)
    )
    moved = [
        known.name
        for known, made in zip(description.joints, joints, strict=True)
        if known is not made
    ]
    followers = [j.name for j in joints if any(axis.mimic for axis in j.axes)]
    if moved and followers:
        raise NotSupportedError(
            f"joint {followers[0]!r} of {description.name!r} follows others by a "
            "formula, which counts from the present zero"
        )
    return replace(description, joints=joints, dof_values=None)


def _moved(joint: JointDescription, values: tuple[float, ...]) -> JointDescription:
    if joint.type in {"spherical", "trajectory"} or len(joint.axes) > 2:
        raise NotSupportedError(
            f"{joint.type} joint {joint.name!r} cannot count from another zero"
        )
    axes = tuple(
        replace(
            axis,
            lower=axis.lower - value,
            upper=axis.upper - value,
            initial=axis.initial - value,
        )
        for axis, value in zip(joint.axes, values, strict=True)
    )
    # each motion commutes with itself alone: the first goes to the parent's side, the
    # second to the child's
    near = joint.T_parent_joint @ _motion(joint.axes[0], values[0])
    far = joint.T_child_joint
    if len(values) > 1:
        far = far @ _motion(joint.axes[1], -values[1])
    return replace(joint, axes=axes, T_parent_joint=near, T_child_joint=far)


def _motion(axis: JointAxis, value: float) -> Pose:
    x, y, z = axis.direction
    if axis.prismatic:
        return Pose.from_translation(value * x, value * y, value * z)
    return Pose.from_axis_angle(axis.direction, value)
