"""Initial joint values: zero, moved inside the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.scene import JointAxis, JointDescription
    from pyrave_urdf.reading.load import UrdfReading

_NAMED = 4
"""Largest number of joints in a message."""


def start_values(
    joints: Iterable[JointDescription], root: Any, reading: UrdfReading
) -> tuple[float, ...] | None:
    """Return the values that degrees of freedom start with, None if all are zero.

    Limits that leave zero out are reported once: the nearer limit is taken.
    """
    axes = [(joint.name, axis) for joint in joints for axis in moving_axes(joint)]
    values = tuple(start_of(axis) for _, axis in axes)
    moved = [
        f"{name!r} at {value:g}"
        for (name, _), value in zip(axes, values, strict=True)
        if value
    ]
    if not moved:
        return None
    more = f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    reading.note(
        root,
        "starts-outside",
        "limits of joints leave zero out; they start at the nearer limit: "
        f"{', '.join(moved[:_NAMED])}{more}",
        "robot.dof_values sets others, robot.set_state(...) a named state of an SRDF",
    )
    return values


def moving_axes(joint: JointDescription) -> tuple[JointAxis, ...]:
    """Return the axes of a joint that are degrees of freedom."""
    follows = any(axis.mimic for axis in joint.axes)
    return joint.axes if joint.active and not follows else ()


def start_of(axis: JointAxis) -> float:
    """Return the value within the limits of an axis that is nearest to zero."""
    if axis.circular or axis.lower > axis.upper:
        return 0.0
    return min(max(0.0, axis.lower), axis.upper)
