"""Rotations: quaternions ``w x y z``, axes with angles, and matrices.

Quaternions need not be of length one, as in OpenRAVE: they are normalised.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.foundation.guard import guarded

__all__ = [
    "ExtractAxisFromQuat",
    "InterpolateQuatSlerp",
    "InterpolateQuatSquad",
    "InvertQuat",
    "MultiplyQuat",
    "axisAngleFromQuat",
    "axisAngleFromRotationMatrix",
    "matrixFromAxisAngle",
    "matrixFromQuat",
    "normalizeAxisRotation",
    "quatFromAxisAngle",
    "quatFromRotationMatrix",
    "quatInverse",
    "quatMult",
    "quatMultiply",
    "quatRotateDirection",
    "quatSlerp",
    "rotationMatrixFromAxisAngle",
    "rotationMatrixFromQArray",
    "rotationMatrixFromQuat",
]

Array = NDArray[np.float64]


def unit_quat(given: Any) -> Array:
    """Return four numbers as a quaternion of length one."""
    quat = spatial.as_vector(given, 4, "quat")
    length = math.hypot(*quat.tolist())
    if not length > 0.0:
        raise ValueError("a quaternion of length 0 is no rotation")
    return np.asarray(quat / length)


def _rotation_part(given: Any) -> Array:
    matrix = spatial.as_numbers(given, "rotation")
    if matrix.ndim != 2 or matrix.shape not in ((3, 3), (3, 4), (4, 4)):
        raise ValueError(
            f"a rotation is a (3, 3) or (4, 4) matrix; this has shape {matrix.shape}"
        )
    return matrix[:3, :3]


def _axis_angle_quat(axis: Any, angle: Any, axisangle: Any = None) -> Array:
    if axisangle is not None:
        axis = axisangle
    vector = spatial.as_vector(axis, 3, "axis")
    length = math.hypot(*vector.tolist())
    if angle is None:
        angle = length
    if length < 1e-300:
        # OpenRAVE takes no axis as no rotation
        return np.array((1.0, 0.0, 0.0, 0.0))
    half = 0.5 * spatial.as_number(angle, "angle")
    quat = np.empty(4)
    quat[0] = math.cos(half)
    quat[1:] = vector * (math.sin(half) / length)
    return quat


@guarded
def quatFromAxisAngle(
    axis: Any = None, angle: Any = None, axisangle: Any = None
) -> Array:
    return _axis_angle_quat(axis, angle, axisangle)


@guarded
def rotationMatrixFromAxisAngle(
    axis: Any = None, angle: Any = None, axisangle: Any = None
) -> Array:
    return spatial.matrix_from_quat(_axis_angle_quat(axis, angle, axisangle))


@guarded
def matrixFromAxisAngle(
    axis: Any = None, angle: Any = None, axisangle: Any = None
) -> Array:
    quat = _axis_angle_quat(axis, angle, axisangle)
    matrix = np.eye(4)
    matrix[:3, :3] = spatial.matrix_from_quat(quat)
    return matrix


@guarded
def quatFromRotationMatrix(rotation: Any) -> Array:
    return spatial.quat_from_matrix(_rotation_part(rotation))


@guarded
def rotationMatrixFromQuat(quat: Any) -> Array:
    return spatial.matrix_from_quat(unit_quat(quat))


@guarded
def rotationMatrixFromQArray(quatarray: Any) -> list[Array]:
    return [spatial.matrix_from_quat(unit_quat(quat)) for quat in quatarray]


@guarded
def matrixFromQuat(quat: Any) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3] = spatial.matrix_from_quat(unit_quat(quat))
    return matrix


@guarded
def axisAngleFromQuat(quat: Any) -> Array:
    return spatial.rotation_vector(unit_quat(quat))


@guarded
def axisAngleFromRotationMatrix(rotation: Any) -> Array:
    return spatial.rotation_vector(spatial.quat_from_matrix(_rotation_part(rotation)))


@guarded
def quatMultiply(quat0: Any, quat1: Any) -> Array:
    return spatial.quat_multiply(unit_quat(quat0), unit_quat(quat1))


@guarded
def quatInverse(quat: Any) -> Array:
    return np.array((1.0, -1.0, -1.0, -1.0)) * spatial.as_vector(quat, 4, "quat")


@guarded
def quatRotateDirection(sourcedir: Any, targetdir: Any) -> Array:
    source = spatial.as_vector(sourcedir, 3, "sourcedir")
    target = spatial.as_vector(targetdir, 3, "targetdir")
    return spatial.quat_rotate_direction(source, target)


@guarded
def InterpolateQuatSlerp(
    quat0: Any, quat1: Any, t: Any, forceshortarc: bool = True
) -> Array:
    start, end = unit_quat(quat0), unit_quat(quat1)
    return spatial.quat_slerp(start, end, t, short=bool(forceshortarc))


@guarded
def InterpolateQuatSquad(
    quat0: Any,
    quat1: Any,
    quat2: Any,
    quat3: Any,
    t: Any,
    forceshortarc: bool = True,
) -> Array:
    start, leave, arrive, end = map(unit_quat, (quat0, quat1, quat2, quat3))
    short = bool(forceshortarc)
    return spatial.quat_squad(start, leave, arrive, end, t, short=short)


@guarded
def ExtractAxisFromQuat(quat: Any, iaxis: int) -> Array:
    column = int(iaxis)
    if column not in (0, 1, 2):
        raise ValueError(f"iaxis is {iaxis}, expected 0, 1 or 2")
    return np.array(spatial.matrix_from_quat(unit_quat(quat))[:, column])


@guarded
def normalizeAxisRotation(axis: Any, quat: Any) -> tuple[float, Array]:
    given = unit_quat(quat)
    angle = spatial.nearest_turn(axis, given)
    turn = _axis_angle_quat(axis, angle)
    return angle, spatial.quat_multiply(turn, given)


quatMult = quatMultiply
MultiplyQuat = quatMultiply
InvertQuat = quatInverse
quatSlerp = InterpolateQuatSlerp
