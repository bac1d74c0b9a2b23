"""Values of loop-closing joints from the poses of their links."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import matrix_from_axis_angle, rotation_vector

if TYPE_CHECKING:
    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

_SAME = 1e-10
_PARALLEL = 1e-12
_UNSUPPORTED = frozenset({"compound", "trajectory", "fixed"})


def set_loop_values(model: Model, transforms: Array, values: Array) -> None:
    """Give the joints that close loops the values that link poses mean.

    Such joints move nothing. A value that agrees with the poses to 1e-10 is kept. Where
    the poses contradict a joint, its value is that of the nearest rotation about its
    axes and of the translation along them. Joints of types ``compound`` and
    ``trajectory`` keep their values.

    Parameters
    ----------
    transforms
        (n_links, 4, 4) poses of the links, all in one frame.
    values
        (n,) of the first n joint axes, written to: degrees of freedom, or all axes.
    """
    _set_values(model, model.closing_joints.tolist(), transforms, values)


def set_values_of_poses(model: Model, transforms: Array, values: Array) -> None:
    """Give all joints the values that link poses mean; as `set_loop_values`."""
    _set_values(model, list(range(model.n_joints)), transforms, values)


def _set_values(
    model: Model, joints: list[int], transforms: Array, values: Array
) -> None:
    for joint in joints:
        first, count = model.joint_values[joint].tolist()
        unsupported = model.joint_types[joint] in _UNSUPPORTED or count == 0
        if unsupported or first + count > len(values):
            continue
        parent, child = model.joint_links[joint]
        near = transforms[parent] @ model.T_parent_joint[joint]
        far = transforms[child] @ model.T_child_joint[joint]
        rotation = near[:3, :3].T @ far[:3, :3]
        translation = near[:3, :3].T @ (far[:3, 3] - near[:3, 3])
        span = slice(first, first + count)
        found = _values(model, span, rotation, translation)
        if model.joint_types[joint] == "spherical":
            found = model.axis_directions[span] @ rotation_vector(rotation)
        known = values[span]
        values[span] = np.where(np.abs(found - known) <= _SAME, known, found)


def _values(model: Model, span: slice, rotation: Array, translation: Array) -> Array:
    """Return the values of one or two axes whose motion is given."""
    axes, slides = model.axis_directions[span], model.prismatic[span]
    if len(axes) == 2 and not slides.any():
        first = _turn_between(axes[0], axes[1], rotation)
        rest = matrix_from_axis_angle(axes[0], -first) @ rotation
        return np.array([first, _twist(axes[1], rest)])
    turning = zip(axes, slides, strict=True)
    turns = [0.0 if slide else _twist(axis, rotation) for axis, slide in turning]
    ways = np.array(axes)
    if len(axes) == 2 and not slides[0]:
        ways[1] = matrix_from_axis_angle(axes[0], turns[0]) @ axes[1]
    if not slides.any():
        return np.array(turns)
    lengths = np.linalg.lstsq(ways[slides].T, translation, rcond=None)[0]
    found = np.array(turns)
    found[slides] = lengths
    return found


def _twist(axis: Array, rotation: Array) -> float:
    """Return the angle about an axis that brings a rotation nearest to the identity."""
    # its tangent: R - R^T and the trace, both seen along the axis
    sine = 0.5 * float(
        axis[0] * (rotation[2, 1] - rotation[1, 2])
        + axis[1] * (rotation[0, 2] - rotation[2, 0])
        + axis[2] * (rotation[1, 0] - rotation[0, 1])
    )
    cosine = 0.5 * float(np.trace(rotation) - axis @ rotation @ axis)
    return math.atan2(sine, cosine)


def _turn_between(first: Array, second: Array, rotation: Array) -> float:
    """Return the angle about `first` that takes `second` to where `rotation` does."""
    moved = rotation @ second
    along = float(first @ second)
    if 1.0 - along * along < _PARALLEL:
        return _twist(first, rotation)
    sine = float(first @ np.cross(second, moved))
    cosine = float(second @ moved) - along * float(first @ moved)
    return math.atan2(sine, cosine)
