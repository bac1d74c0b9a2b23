"""Products, turns and distances of many quaternions, poses and points at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.foundation.guard import guarded
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.functions.rotations import unit_quat
from pyrave_openravepy.api.functions.transforms import pose7

__all__ = [
    "ComputePoseArrayDistSqr",
    "TransformInversePoints",
    "TransformPoints",
    "normalizeZRotation",
    "poseMultArrayT",
    "quatArrayRotate",
    "quatArrayTDist",
    "quatArrayTMult",
    "quatArrayTRotate",
    "quatMultArrayT",
    "quatRotate",
    "quatRotateArrayT",
    "transformInversePoints",
    "transformPoints",
]

Array = NDArray[np.float64]


def _products(a: Array, b: Array) -> Array:
    aw, ax, ay, az = np.moveaxis(a, -1, 0)
    bw, bx, by, bz = np.moveaxis(b, -1, 0)
    return np.stack(
        (
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by + ay * bw + az * bx - ax * bz,
            aw * bz + az * bw + ax * by - ay * bx,
        ),
        axis=-1,
    )


def _turned(quats: Array, points: Array) -> Array:
    part = quats[..., 1:]
    twice = 2.0 * np.cross(part, points)
    return np.asarray(points + quats[..., :1] * twice + np.cross(part, twice))


def _rows(given: Any, size: int, name: str) -> Array:
    rows = spatial.as_rows(given, (size,), name)
    return rows.reshape(-1, size) if rows.ndim < 2 else rows


@guarded
def quatArrayTMult(qarray: Any, q: Any) -> Array:
    """Return (n, 4) quaternions, each multiplied by one on the right."""
    return _products(_rows(qarray, 4, "qarray"), spatial.as_vector(q, 4, "q"))


@guarded
def quatMultArrayT(q: Any, qarray: Any) -> Array:
    """Return (n, 4) quaternions, each multiplied by one on the left."""
    return _products(spatial.as_vector(q, 4, "q"), _rows(qarray, 4, "qarray"))


@guarded
def quatArrayRotate(qarray: Any, trans: Any) -> Array:
    """Return (3, n): a point turned by each of (4, n) quaternions."""
    quats = _rows(np.transpose(qarray), 4, "qarray")
    return _turned(quats, spatial.as_vector(trans, 3, "trans")).T


@guarded
def quatArrayTRotate(qarray: Any, trans: Any) -> Array:
    """Return (n, 3): a point turned by each of (n, 4) quaternions."""
    return _turned(_rows(qarray, 4, "qarray"), spatial.as_vector(trans, 3, "trans"))


@guarded
def quatRotate(q: Any, trans: Any) -> Array:
    return _turned(unit_quat(q), spatial.as_vector(trans, 3, "trans"))


@guarded
def quatRotateArrayT(q: Any, transarray: Any) -> Array:
    """Return (n, 3) points, turned by a quaternion."""
    return _turned(unit_quat(q), _rows(transarray, 3, "transarray"))


@guarded
def poseMultArrayT(pose: Any, posearray: Any) -> Array:
    """Return (n, 7): a pose times each of (n, 7) poses."""
    first, poses = pose7(pose), _rows(posearray, 7, "posearray")
    quats = _products(first[:4], poses[:, :4])
    return np.hstack((quats, _turned(first[:4], poses[:, 4:]) + first[4:]))


@guarded
def quatArrayTDist(q: Any, qarray: Any) -> Array:
    """Return (n,) angles on the sphere of quaternions, half of those of rotations."""
    cosines = _rows(qarray, 4, "qarray") @ spatial.as_vector(q, 4, "q")
    return np.asarray(np.arccos(np.minimum(1.0, np.abs(cosines))))


@guarded
def ComputePoseArrayDistSqr(
    pose0: Any, posearray: Any, quatweight: float = 1.0
) -> Array:
    first, poses = pose7(pose0), _rows(posearray, 7, "posearray")
    same = ((poses[:, :4] - first[:4]) ** 2).sum(axis=1)
    opposite = ((poses[:, :4] + first[:4]) ** 2).sum(axis=1)
    apart = ((poses[:, 4:] - first[4:]) ** 2).sum(axis=1)
    return np.asarray(apart + float(quatweight) * np.minimum(same, opposite))


@guarded
def TransformPoints(T: Any, points: Any) -> Array:
    matrix = matrix_of(T)
    return np.asarray(_rows(points, 3, "points") @ matrix[:3, :3].T + matrix[:3, 3])


@guarded
def TransformInversePoints(T: Any, points: Any) -> Array:
    matrix = matrix_of(T)
    return np.asarray((_rows(points, 3, "points") - matrix[:3, 3]) @ matrix[:3, :3])


@guarded
def normalizeZRotation(qarray: Any) -> tuple[Array, Array]:
    """Return quaternions turned about z so that they are least, and the angles."""
    quats = _rows(qarray, 4, "qarray")
    half = np.arctan2(-quats[:, 3], quats[:, 0])
    zero = np.zeros(len(quats))
    turns = np.stack((np.cos(half), zero, zero, np.sin(half)), axis=1)
    return _products(turns, quats), 2.0 * half


transformPoints = TransformPoints
transformInversePoints = TransformInversePoints
