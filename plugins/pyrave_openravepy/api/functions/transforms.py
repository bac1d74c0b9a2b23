"""Poses: seven numbers, a quaternion ``w x y z`` and a position, or matrices."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.functions.rotations import unit_quat

__all__ = [
    "ComputePoseDistSqr",
    "InvertPose",
    "InvertPoses",
    "MultiplyPose",
    "TransformLookat",
    "invertPoses",
    "matrixFromPose",
    "matrixFromPoses",
    "matrixSerialization",
    "poseFromMatrices",
    "poseFromMatrix",
    "poseMult",
    "poseSerialization",
    "poseTransformPoint",
    "poseTransformPoints",
    "transformLookat",
]

Array = NDArray[np.float64]
_SMALL = 1e-6


def pose7(given: Any) -> Array:
    """Return a pose, of 7 numbers or a matrix, as a unit quaternion and a position."""
    pose = np.array(spatial.as_numbers(given, "pose"))
    if pose.shape in ((4, 4), (3, 4)):
        return _from_matrix(pose)
    pose = spatial.as_vector(pose, 7, "pose")
    return np.concatenate((unit_quat(pose[:4]), pose[4:]))


def _from_matrix(given: Any) -> Array:
    matrix = spatial.as_numbers(given, "transform")
    if matrix.shape not in ((4, 4), (3, 4)):
        raise ValueError(f"a transform is a (4, 4) matrix; this has {matrix.shape}")
    quat = spatial.quat_from_matrix(matrix[:3, :3])
    return np.concatenate((quat, matrix[:3, 3]))


def _matrix(pose: Array) -> Array:
    matrix = np.eye(4)
    matrix[:3, :3] = spatial.matrix_from_quat(pose[:4])
    matrix[:3, 3] = pose[4:]
    return matrix


@guarded
def poseFromMatrix(transform: Any) -> Array:
    return _from_matrix(transform)


@guarded
def poseFromMatrices(transforms: Any) -> Array:
    poses = [_from_matrix(transform) for transform in transforms]
    return np.array(poses).reshape(len(poses), 7)


@guarded
def matrixFromPose(pose: Any) -> Array:
    return _matrix(pose7(pose))


@guarded
def matrixFromPoses(poses: Any) -> list[Array]:
    return [_matrix(pose7(pose)) for pose in poses]


def _inverse(pose: Array) -> Array:
    quat = pose[:4] * (1.0, -1.0, -1.0, -1.0)
    return np.concatenate((quat, -(spatial.matrix_from_quat(quat) @ pose[4:])))


@guarded
def InvertPose(pose: Any) -> Array:
    return _inverse(pose7(pose))


@guarded
def InvertPoses(poses: Any) -> Array:
    found = [_inverse(pose7(pose)) for pose in poses]
    return np.array(found).reshape(len(found), 7)


@guarded
def MultiplyPose(pose1: Any, pose2: Any) -> Array:
    first, second = pose7(pose1), pose7(pose2)
    quat = unit_quat(spatial.quat_multiply(first[:4], second[:4]))
    place = spatial.matrix_from_quat(first[:4]) @ second[4:] + first[4:]
    return np.concatenate((quat, place))


@guarded
def poseTransformPoint(pose: Any, point: Any) -> Array:
    place = spatial.as_vector(point, 3, "point")
    given = pose7(pose)
    return np.asarray(spatial.matrix_from_quat(given[:4]) @ place + given[4:])


@guarded
def poseTransformPoints(pose: Any, points: Any) -> Array:
    given = pose7(pose)
    places = spatial.as_rows(points, (3,), "points")
    return np.asarray(places @ spatial.matrix_from_quat(given[:4]).T + given[4:])


@guarded
def ComputePoseDistSqr(pose0: Any, pose1: Any, quatweight: float = 1.0) -> float:
    return spatial.pose_distance(pose7(pose0), pose7(pose1), quatweight) ** 2


@guarded
def transformLookat(lookat: Any, camerapos: Any, cameraup: Any) -> Array:
    # z looks, y is up and x to the left; `spatial.look_at` has y down
    place = spatial.as_vector(camerapos, 3, "camerapos")
    ahead = spatial.as_vector(lookat, 3, "lookat") - place
    length = math.hypot(*ahead.tolist())
    ahead = ahead / length if length > _SMALL else np.array((0.0, 0.0, 1.0))
    up = spatial.as_vector(cameraup, 3, "cameraup")
    for way in (up, np.array((0.0, 1.0, 0.0)), np.array((1.0, 0.0, 0.0))):
        up = way - ahead * (ahead @ way)
        if up @ up > _SMALL**2:
            break
    up = up / math.hypot(*up.tolist())
    matrix = np.eye(4)
    matrix[:3, 0], matrix[:3, 1] = np.cross(up, ahead), up
    matrix[:3, 2], matrix[:3, 3] = ahead, place
    return matrix


@guarded
def matrixSerialization(transform: Any) -> str:
    """Return the text of a pose for commands: rotation by columns, then position."""
    matrix = _matrix(_from_matrix(transform))
    return _text(matrix[:3].T.ravel())


@guarded
def poseSerialization(pose: Any) -> str:
    return _text(pose7(pose))


def _text(numbers: Array) -> str:
    return "".join(f"{number:.16g} " for number in numbers.tolist())


poseMult = MultiplyPose
invertPoses = InvertPoses
TransformLookat = transformLookat
