"""Affine degrees of freedom: motions of a robot's base as numbers."""

from __future__ import annotations

import enum

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import (
    Array,
    matrix_from_axis_angle,
    matrix_from_quat,
    quat_from_matrix,
    rotation_vector,
)

__all__ = ["Affine"]


class Affine(enum.IntFlag):
    """Which motions of the base count, with OpenRAVE's bits; values in this order."""

    NONE = 0
    X = 1
    Y = 2
    Z = 4
    ROTATION_AXIS = 8
    ROTATION_3D = 16
    ROTATION_QUAT = 32
    TRANSFORM = 39

    @property
    def size(self) -> int:
        """Number of values."""
        flags = int(self)
        return (
            (flags & 7).bit_count()
            + (1 if flags & 8 else 0)
            + (3 if flags & 16 else 0)
            + (4 if flags & 32 else 0)
        )

    def check(self) -> None:
        """Raise an ArgumentError if there is more than one kind of rotation."""
        if (int(self) & 56).bit_count() > 1 or int(self) & ~63:
            raise ArgumentError(f"{self!r} has more than one kind of rotation")

    def values_of(self, pose: Array, axis: Array) -> Array:
        """Return the values (size,) of a base pose (4, 4)."""
        values = [pose[k, 3] for k in range(3) if int(self) & (1 << k)]
        rotation = pose[:3, :3]
        if self & Affine.ROTATION_AXIS:
            quat = quat_from_matrix(rotation)
            angle = 2.0 * np.arctan2(float(quat[1:] @ axis), float(quat[0]))
            values.append(float(np.mod(angle + np.pi, 2 * np.pi) - np.pi))
        elif self & Affine.ROTATION_3D:
            values.extend(rotation_vector(rotation))
        elif self & Affine.ROTATION_QUAT:
            values.extend(quat_from_matrix(rotation))
        return np.array(values, dtype=np.float64)

    def applied(self, pose: Array, values: Array, axis: Array) -> Array:
        """Return a base pose (4, 4) with its affine part replaced by values."""
        result = pose.copy()
        queue = list(values)
        for k in range(3):
            if int(self) & (1 << k):
                result[k, 3] = queue.pop(0)
        if self & Affine.ROTATION_AXIS:
            result[:3, :3] = matrix_from_axis_angle(axis, queue[0])
        elif self & Affine.ROTATION_3D:
            result[:3, :3] = matrix_from_axis_angle(np.array(queue))
        elif self & Affine.ROTATION_QUAT:
            result[:3, :3] = matrix_from_quat(np.array(queue))
        return result
