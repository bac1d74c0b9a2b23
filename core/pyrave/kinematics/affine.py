"""Affine degrees of freedom: motions of a base as numbers, and their conversions.

The mask `Affine` selects parts of a pose. Functions work on many waypoints at once:
poses are quaternions w x y z (n, 4) and positions (n, 3), metres.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.spatial import (
    Array,
    matrix_from_quat,
    quat_from_matrix,
    rotation_vector,
    skew,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Axis = tuple[float, float, float]
_SMALL = 1e-12


class Affine(enum.IntFlag):
    """Motions of the base that count, with OpenRAVE's bits; values in this order."""

    NONE = 0
    X = 1
    Y = 2
    Z = 4
    ROTATION_AXIS = 8
    ROTATION_3D = 16
    ROTATION_QUAT = 32
    TRANSFORM = 39

    @classmethod
    def _missing_(cls, value: object) -> Any:
        if not isinstance(value, int):
            raise ArgumentError(f"affine mask is {value!r}, expected Affine")
        return super()._missing_(value)

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
        """Raise an ArgumentError for unknown bits or more than one rotation."""
        if not 0 <= int(self) < 64:
            raise ArgumentError(f"affine mask {int(self)} is not within 0..63")
        if (int(self) & 56).bit_count() > 1:
            raise ArgumentError(f"{self!r} has more than one kind of rotation")

    def values_of(self, pose: Array, axis: Array) -> Array:
        """Return the values (size,) of a base pose (4, 4)."""
        x, y, z = axis
        quat, point = quat_from_matrix(pose[:3, :3]), pose[:3, 3]
        rows = affine_from_pose(quat[None], point[None], int(self), (x, y, z))
        return np.asarray(rows[0])

    def applied(self, pose: Array, values: Array, axis: Array) -> Array:
        """Return a base pose (4, 4) with its affine part replaced by values."""
        x, y, z = axis
        base = (quat_from_matrix(pose[:3, :3]), pose[:3, 3])
        quats, points = pose_from_affine(values[None], int(self), (x, y, z), base)
        result = pose.copy()
        result[:3, 3] = points[0]
        if int(self) & ~7:
            result[:3, :3] = matrix_from_quat(quats[0])
        return result


def quat_product(a: Array, b: Array) -> Array:
    """Return the quaternion products of (..., 4) and (..., 4), both w x y z."""
    w1, x1, y1, z1 = np.moveaxis(a, -1, 0)
    w2, x2, y2, z2 = np.moveaxis(b, -1, 0)
    return np.stack(
        (
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ),
        axis=-1,
    )


def slerp(start: Array, end: Array, fraction: Array) -> Array:
    """Interpolate unit quaternions (n, 4) along the shorter arc; fraction (n,).

    Shoemake, "Animating rotation with quaternion curves" (SIGGRAPH 1985).
    """
    cosine = np.einsum("ij,ij->i", start, end)
    end = np.where(cosine[:, None] < 0, -end, end)
    angle = np.arccos(np.clip(np.abs(cosine), 0.0, 1.0))
    sine = np.sin(angle)
    near = sine < 1e-7
    divisor = np.where(near, 1.0, sine)
    first = np.where(near, 1.0 - fraction, np.sin((1.0 - fraction) * angle) / divisor)
    second = np.where(near, fraction, np.sin(fraction * angle) / divisor)
    return _normalised(first[:, None] * start + second[:, None] * end)


def _normalised(quats: Array) -> Array:
    length = np.linalg.norm(quats, axis=-1, keepdims=True)
    if (length < _SMALL).any():
        raise ArgumentError("a zero quaternion has no rotation")
    return np.asarray(quats / length)


def _unit_axis(axis: ArrayLike) -> Array:
    vector = np.asarray(axis, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if not length > 0:
        raise ArgumentError("a zero rotation axis has no direction")
    return vector / length


def pose_from_affine(
    values: Array, mask: int, axis: Axis, base: tuple[Array, Array] | None = None
) -> tuple[Array, Array]:
    """Return quaternions (n, 4) and positions (n, 3) of affine values (n, k).

    Parameters
    ----------
    base
        Quaternion (4,) and position (3,) that supply what the mask leaves out;
        identity when None.
    """
    count = values.shape[0]
    quats = np.tile((1.0, 0.0, 0.0, 0.0) if base is None else base[0], (count, 1))
    points = np.tile((0.0, 0.0, 0.0) if base is None else base[1], (count, 1))
    column = 0
    for i in range(3):
        if mask & (1 << i):
            points[:, i] = values[:, column]
            column += 1
    rest = values[:, column:]
    if mask & Affine.ROTATION_AXIS:
        quats = _quat_about(_unit_axis(axis) * rest[:, :1])
    elif mask & Affine.ROTATION_3D:
        quats = _quat_about(rest[:, :3])
    elif mask & Affine.ROTATION_QUAT:
        quats = _normalised(rest[:, :4])
    return quats, points


def affine_from_pose(quats: Array, points: Array, mask: int, axis: Axis) -> Array:
    """Return affine values (n, k) of quaternions (n, 4) and positions (n, 3)."""
    parts = [points[:, i : i + 1] for i in range(3) if mask & (1 << i)]
    if mask & Affine.ROTATION_AXIS:
        along = quats[:, 1:] @ _unit_axis(axis)
        angle = 2.0 * np.arctan2(along, quats[:, 0])
        parts.append(_wrapped(angle)[:, None])
    elif mask & Affine.ROTATION_3D:
        parts.append(_rotation_vectors(quats))
    elif mask & Affine.ROTATION_QUAT:
        parts.append(quats)
    return np.concatenate((*parts, np.empty((quats.shape[0], 0))), axis=1)


def convert_affine(
    values: Array,
    source: tuple[int, Axis],
    target: tuple[int, Axis],
    base: tuple[Array, Array] | None = None,
) -> Array:
    """Convert affine values (n, k) between masks; `base` supplies what is missing."""
    if source == target:
        return values
    quats, points = pose_from_affine(values, source[0], source[1], base)
    return affine_from_pose(quats, points, *target)


def convert_affine_rates(
    values: Array, source: tuple[int, Axis], target: tuple[int, Axis]
) -> Array:
    """Convert affine velocities (or higher) between masks; missing parts are zero.

    Raises
    ------
    NotSupportedError
        One side is a quaternion rate and the other is not: that needs the
        orientation, which velocities alone do not have.
    """
    if source == target:
        return values
    result = np.zeros((values.shape[0], Affine(target[0]).size))
    rates, points = _split_rates(values, source[0])
    column = 0
    for i in range(3):
        if target[0] & (1 << i):
            result[:, column] = points[:, i]
            column += 1
    kind_from, kind_to = source[0] & ~7, target[0] & ~7
    if not kind_to or not kind_from:
        return result
    if Affine.ROTATION_QUAT in (kind_from, kind_to):
        if kind_from != kind_to:
            raise NotSupportedError(
                "quaternion rates and angular velocities cannot be converted without "
                "the orientation; use the same affine mask on both sides"
            )
        result[:, column:] = rates
        return result
    angular = rates
    if kind_from == Affine.ROTATION_AXIS:
        angular = rates * _unit_axis(source[1])
    if kind_to == Affine.ROTATION_AXIS:
        angular = (angular @ _unit_axis(target[1]))[:, None]
    result[:, column:] = angular
    return result


def affine_rates(twist: Array, quat: Array, mask: int, axis: Axis) -> Array:
    """Return affine velocities (k,) of a twist (6,): linear, then angular, world axes.

    Parameters
    ----------
    quat
        Present orientation w x y z, needed for quaternion rates.
    """
    parts = [twist[i : i + 1] for i in range(3) if mask & (1 << i)]
    angular = twist[3:]
    if mask & Affine.ROTATION_AXIS:
        parts.append(np.atleast_1d(_unit_axis(axis) @ angular))
    elif mask & Affine.ROTATION_3D:
        parts.append(angular)
    elif mask & Affine.ROTATION_QUAT:
        parts.append(0.5 * quat_product(np.concatenate(((0.0,), angular)), quat))
    return np.concatenate((*parts, np.empty(0)))


def angular_from_rates(
    values: Array, mask: int, axis: Axis, quats: Array | None
) -> tuple[Array, Array]:
    """Return linear (n, 3) and angular (n, 3) rates of affine rates (n, k).

    First and second derivatives only: the vector part of 2 q' q* is the angular
    velocity, that of 2 q'' q* the angular acceleration.

    Raises
    ------
    NotSupportedError
        The rotation is a quaternion rate and no orientation is given.
    """
    rates, linear = _split_rates(values, mask)
    if mask & Affine.ROTATION_AXIS:
        return linear, rates * _unit_axis(axis)
    if mask & Affine.ROTATION_QUAT:
        if quats is None:
            raise NotSupportedError(
                "quaternion rates need the affine_transform group of the same body"
            )
        conjugate = quats * (1.0, -1.0, -1.0, -1.0)
        return linear, 2.0 * quat_product(rates, conjugate)[:, 1:]
    return linear, rates if rates.shape[1] else np.zeros_like(linear)


def affine_difference(a: Array, b: Array, mask: int) -> Array:
    """Return a - b (k,) of affine values, angles the short way round.

    Quaternions are subtracted with the sign of `a` that is nearer to `b`.
    """
    n = (mask & 7).bit_count()
    difference = a - b
    if mask & (Affine.ROTATION_AXIS | Affine.ROTATION_3D):
        difference[n:] = _wrapped(difference[n:])
    elif mask & Affine.ROTATION_QUAT and float(a[n:] @ b[n:]) < 0:
        difference[n:] = -a[n:] - b[n:]
    return difference


def affine_jacobian(pose: Array, point: Array, mask: int, axis: Axis) -> Array:
    """Return the (6, k) derivative of a point that moves with a base, world axes.

    Rows 0-2 are the velocity of the point, 3-5 the angular velocity, per unit rate of
    each affine value. Rates of a rotation vector and of a quaternion turn into angular
    velocity by the left Jacobian of SO(3) and by 2 q' q* (Sola, Deray and Atchuthan,
    "A micro Lie theory for state estimation in robotics", 2018, equations 145 and 8).

    Parameters
    ----------
    pose
        (4, 4) T_world_base.
    point
        (3,) world coordinates.
    """
    turning = np.zeros((3, 0))
    if mask & Affine.ROTATION_AXIS:
        turning = _unit_axis(axis)[:, None]
    elif mask & Affine.ROTATION_3D:
        turning = _left_jacobian(rotation_vector(pose[:3, :3]))
    elif mask & Affine.ROTATION_QUAT:
        conjugate = quat_from_matrix(pose[:3, :3]) * (1.0, -1.0, -1.0, -1.0)
        turning = 2.0 * quat_product(np.eye(4), np.tile(conjugate, (4, 1)))[:, 1:].T
    moving = np.eye(3)[:, [i for i in range(3) if mask & (1 << i)]]
    n = moving.shape[1]
    result = np.zeros((6, n + turning.shape[1]))
    result[:3, :n] = moving
    result[:3, n:] = skew(pose[:3, 3] - point) @ turning
    result[3:, n:] = turning
    return result


def quaternion_jacobian(rotation: Array, angular: Array) -> Array:
    """Return quaternion rates (4, n) of angular velocities (3, n), world axes.

    Half the product of angular velocity and quaternion w x y z, w not negative.

    Parameters
    ----------
    rotation
        (3, 3) present orientation.
    """
    quat = quat_from_matrix(rotation)
    n = angular.shape[1]
    rates = np.concatenate((np.zeros((1, n)), angular))
    return 0.5 * quat_product(rates.T, np.tile(quat, (n, 1))).T


def _left_jacobian(vector: Array) -> Array:
    angle = float(np.linalg.norm(vector))
    k = skew(vector)
    if angle < 1e-4:
        # the series: the quotients below lose all digits
        return np.asarray(np.eye(3) + 0.5 * k + (k @ k) / 6.0)
    first = (1.0 - np.cos(angle)) / angle**2
    second = (angle - np.sin(angle)) / angle**3
    return np.asarray(np.eye(3) + first * k + second * (k @ k))


def _split_rates(values: Array, mask: int) -> tuple[Array, Array]:
    linear = np.zeros((values.shape[0], 3))
    column = 0
    for i in range(3):
        if mask & (1 << i):
            linear[:, i] = values[:, column]
            column += 1
    return values[:, column:], linear


def _quat_about(vectors: Array) -> Array:
    angle = np.linalg.norm(vectors, axis=1)
    scale = np.where(
        angle < _SMALL, 0.5, np.sin(0.5 * angle) / np.maximum(angle, _SMALL)
    )
    return np.concatenate((np.cos(0.5 * angle)[:, None], vectors * scale[:, None]), 1)


def _rotation_vectors(quats: Array) -> Array:
    upright = np.where(quats[:, :1] < 0, -quats, quats)
    sine = np.linalg.norm(upright[:, 1:], axis=1)
    angle = 2.0 * np.arctan2(sine, upright[:, 0])
    scale = np.where(sine < _SMALL, 2.0, angle / np.maximum(sine, _SMALL))
    return np.asarray(upright[:, 1:] * scale[:, None])


def _wrapped(angle: Array) -> Array:
    return np.asarray((angle + np.pi) % (2.0 * np.pi) - np.pi)
