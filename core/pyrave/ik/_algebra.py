"""Meaning of the numbers of each IK parameterization, by type name."""

from __future__ import annotations

import math

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import (
    QUATERNION_TOLERANCE,
    Array,
    matrix_from_quat,
    quat_from_matrix,
    quat_multiply,
    quat_rotate_direction,
)

ROTATION_WEIGHT = 0.4
_LOOK_DIRECTION = np.array((1.0, 0.0, 0.0))
_LOOK_BEHIND = -1.0
_UP = np.array((0.0, 0.0, 1.0))
_QUATERNION = ("Transform6D", "Rotation3D")
_DIRECTION = ("Direction3D", "Ray4D", "TranslationDirection5D")


def normalised(name: str, values: Array) -> Array:
    """Return the values with unit quaternions and directions.

    Directions may have any length, quaternions nearly 1, as `spatial.as_pose` has it.
    """
    size = 4 if name in _QUATERNION else 3 if name in _DIRECTION else 0
    if not size:
        return values
    length = math.sqrt(values[:size] @ values[:size])
    if size == 4 and abs(length - 1.0) > QUATERNION_TOLERANCE:
        raise ArgumentError(
            f"the quaternion of a {name} is {values[:4].tolist()}, of length "
            f"{length:.6g}, expected length 1 and the order qw qx qy qz"
        )
    if length < 1e-12:
        raise ArgumentError(f"the direction of a {name} is zero")
    # Values that are already of unit length are kept to the last bit.
    if abs(length - 1.0) > 1e-15 * 4:
        values = values.copy()
        values[:size] /= length
    return values


def _axis_indices(name: str) -> tuple[int, int, int]:
    """Return axis, in-plane axis and normal of ``TranslationXAxisAngle...`` types."""
    first = "XYZ".index(name[len("Translation")])
    return first, (first + 1) % 3, (first + 2) % 3


def _quat(rotation: Array) -> Array:
    """Return the quaternion with OpenRAVE's choice of sign.

    w is positive when the trace is; else the largest of x, y, z is. The sign decides
    which of two equal numbers `transformed` gives, nothing else.
    """
    quat = quat_from_matrix(rotation)
    if np.trace(rotation) >= 0.0:
        return quat
    return quat if quat[1 + int(np.argmax(np.abs(quat[1:])))] > 0 else -quat


def _twist(rotation: Array, axis: int) -> float:
    """Return the turn of a rotation about a coordinate axis, -2 pi..2 pi."""
    quat = _quat(rotation)
    return 2.0 * math.atan2(quat[1 + axis], quat[0])


def transformed(name: str, values: Array, pose: Array, *, velocity: bool) -> Array:
    """Return the values of T_a_b times a target in b; velocities are only turned."""
    rotation = pose[:3, :3]
    shift = np.zeros(3) if velocity else pose[:3, 3]
    turn = 0.0 if velocity else 1.0
    if name in _QUATERNION:
        quat = quat_multiply(_quat(rotation), values[:4])
        if name == "Rotation3D":
            return quat
        return np.concatenate((quat, rotation @ values[4:] + shift))
    if name in {"Translation3D", "Lookat3D"}:
        return np.asarray(rotation @ values + shift)
    if name == "Direction3D":
        return np.asarray(rotation @ values)
    if name in _DIRECTION:
        return np.concatenate((rotation @ values[:3], rotation @ values[3:] + shift))
    if name.startswith("TranslationXY"):
        plane = rotation[:2, :2] @ values[:2] + shift[:2]
        if name == "TranslationXY2D":
            return np.asarray(plane)
        return np.append(plane, values[2] + turn * _twist(rotation, 2))
    if name == "TranslationLocalGlobal6D":
        return np.concatenate((values[:3], rotation @ values[3:] + shift))
    angle = values[0]
    if name.endswith("Norm4D"):
        angle += turn * _twist(rotation, _axis_indices(name)[2])
    return np.concatenate(((angle,), rotation @ values[1:] + shift))


def moved(name: str, values: Array, pose: Array) -> Array:
    """Return the values of a target in b times T_b_c, a motion in its own frame.

    A direction is the z axis of a frame, which the shortest turn takes there from z;
    a position alone has the axes of b.
    """
    rotation, shift = pose[:3, :3], pose[:3, 3]
    if name in _QUATERNION:
        quat = quat_multiply(values[:4], _quat(rotation))
        if name == "Rotation3D":
            return quat
        place = values[4:] + matrix_from_quat(values[:4]) @ shift
        return np.concatenate((quat, place))
    if name == "Direction3D" or name in _DIRECTION:
        frame = matrix_from_quat(quat_rotate_direction(_UP, values[:3]))
        turned = frame @ rotation[:, 2]
        return np.concatenate((turned, values[3:] + (frame @ shift)[: values[3:].size]))
    if name == "TranslationXYOrientation3D":
        cosine, sine = math.cos(values[2]), math.sin(values[2])
        x, y = shift[:2]
        step = (cosine * x - sine * y, sine * x + cosine * y, _twist(rotation, 2))
        return np.asarray(values + np.array(step))
    result = values.copy()
    if name == "TranslationXY2D":
        result += shift[:2]
    else:  # the position is last
        result[-3:] += shift
    return result


def distance2(name: str, a: Array, b: Array) -> float:
    """Return the squared distance of two targets of one type."""
    if name in _QUATERNION:
        half = math.acos(min(1.0, abs(float(a[:4] @ b[:4]))))
        if name == "Rotation3D":
            return half**2
        return _square(a[4:] - b[4:]) + ROTATION_WEIGHT * half**2
    if name == "Direction3D":
        return _angle(a, b) ** 2
    if name == "Ray4D":
        feet = [v[3:] - v[:3] * (v[:3] @ v[3:]) for v in (a, b)]
        angle = _angle(a[:3], b[:3])
        return _square(feet[0] - feet[1]) + ROTATION_WEIGHT * angle**2
    if name == "TranslationDirection5D":
        angle = _angle(a[:3], b[:3])
        return _square(a[3:] - b[3:]) + ROTATION_WEIGHT * angle**2
    if name == "Lookat3D":
        difference = a - b
        along = float(difference @ _LOOK_DIRECTION)
        if along >= _LOOK_BEHIND:
            difference = difference - along * _LOOK_DIRECTION
        return _square(difference)
    if name == "TranslationXYOrientation3D":
        angle = _wrapped(a[2] - b[2])
        return _square(a[:2] - b[:2]) + ROTATION_WEIGHT * angle**2
    if "AxisAngle" in name:
        if name.endswith("Norm4D"):
            angle = _wrapped(a[0] - b[0])
        else:
            # The angle to an axis has no sign.
            angle = abs(_wrapped(a[0])) - abs(_wrapped(b[0]))
        return _square(a[1:] - b[1:]) + angle**2
    return _square(a - b)


def from_pose(name: str, pose: Array, direction: Array, point: Array) -> Array:
    """Return the values that a tool at `pose` meets."""
    rotation, position = pose[:3, :3], pose[:3, 3]
    length = math.sqrt(direction @ direction)
    if not length > 0:
        raise ArgumentError("direction is zero")
    pointing = rotation @ direction / length
    if name == "Transform6D":
        return np.concatenate((quat_from_matrix(rotation), position))
    if name == "Rotation3D":
        return quat_from_matrix(rotation)
    if name == "Translation3D":
        return np.array(position)
    if name == "Direction3D":
        return np.asarray(pointing)
    if name in _DIRECTION:
        return np.concatenate((pointing, position))
    if name == "Lookat3D":
        return np.asarray(position + pointing)
    if name == "TranslationXY2D":
        return np.array(position[:2])
    if name == "TranslationXYOrientation3D":
        return np.append(position[:2], _wrapped(_twist(rotation, 2)))
    if name == "TranslationLocalGlobal6D":
        return np.concatenate((point, rotation @ point + position))
    axis, plane, normal = _axis_indices(name)
    across = pointing[plane]
    if not name.endswith("Norm4D"):
        across = math.hypot(across, pointing[normal])
    angle = math.atan2(across, pointing[axis])
    return np.concatenate(((angle,), position))


def interpolated(name: str, a: Array, b: Array, fraction: float) -> Array:
    """Return the values at a fraction 0..1 of the way between two targets of one type.

    Quaternions and directions turn evenly (Shoemake, "Animating rotation with
    quaternion curves", 1985), angles with a period go the shorter way.
    """
    values = (1.0 - fraction) * a + fraction * b
    if name in _QUATERNION:
        last = b[:4] if a[:4] @ b[:4] >= 0.0 else -b[:4]
        values[:4] = _turned(a[:4], last, fraction)
    elif name in _DIRECTION or name == "Direction3D":
        values[:3] = _turned(a[:3], b[:3], fraction)
    elif name == "TranslationXYOrientation3D":
        values[2] = a[2] + fraction * _wrapped(b[2] - a[2])
    elif name.endswith("Norm4D"):
        values[0] = a[0] + fraction * _wrapped(b[0] - a[0])
    return values


def _turned(a: Array, b: Array, fraction: float) -> Array:
    """Return the unit vector at a fraction of the turn from one to another."""
    across = b - (a @ b) * a
    sine = math.sqrt(across @ across)
    if sine < 1e-12 and a @ b < 0.0:  # half a turn: any plane will do
        across = np.eye(len(a))[int(np.argmin(np.abs(a)))]
        across -= (a @ across) * a
    length = math.sqrt(across @ across)
    if not length:
        return a
    turn = fraction * math.atan2(sine, a @ b)
    return np.asarray(math.cos(turn) * a + math.sin(turn) / length * across)


def transformed_custom(
    kind: str, key: str, numbers: tuple[float, ...], pose: Array
) -> tuple[float, ...]:
    """Return a custom list in the new frame; lists without a known kind stay."""
    size = {"direction": 3, "point": 3, "quat": 4}.get(kind)
    if size is None:
        return numbers
    if len(numbers) % size:
        raise ArgumentError(
            f"custom list {key!r} has {len(numbers)} numbers, expected a multiple of "
            f"{size}"
        )
    rows = np.array(numbers).reshape(-1, size)
    rotation = pose[:3, :3]
    if kind == "quat":
        quat = quat_from_matrix(rotation)
        rows = np.array([quat_multiply(quat, row) for row in rows]).reshape(-1, 4)
    else:
        rows = rows @ rotation.T + (pose[:3, 3] if kind == "point" else 0.0)
    return tuple(rows.ravel().tolist())


def _square(vector: Array) -> float:
    return float(vector @ vector)


def _angle(a: Array, b: Array) -> float:
    """Return the angle of two unit vectors."""
    return math.acos(min(1.0, max(-1.0, float(a @ b))))


def _wrapped(angle: float) -> float:
    return (angle + math.pi) % (2.0 * math.pi) - math.pi
