"""The rigid part of transforms: files have scaled and rounded ones, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.scene import Pose

if TYPE_CHECKING:
    from pyrave.spatial import Array

# what is off by rounding stays as it is, what is off by hardly more deforms nothing
_ROUNDING = 1e-12
_DEFORMS = 1e-9


def rigid_part(matrix: Array) -> Pose:
    """Return the pose whose rotation is nearest to that of a transform (4, 4).

    The orthogonal polar factor, without a reflection (Kabsch 1976).
    """
    linear = matrix[:3, :3]
    if _off(linear) < _ROUNDING:
        return Pose.from_matrix(matrix)
    u, _, vt = np.linalg.svd(linear)
    if np.linalg.det(u @ vt) < 0.0:
        u[:, 2] *= -1.0
    rigid = matrix.copy()
    rigid[:3, :3] = u @ vt
    return Pose.from_matrix(rigid)


def rigid_and_deformed(matrix: Array) -> tuple[Pose, Array]:
    """Return the rigid part of a transform, and what deforms before it (3, 3)."""
    pose, linear = rigid_part(matrix), matrix[:3, :3]
    if _off(linear) < _DEFORMS:
        return pose, np.eye(3)
    return pose, pose.matrix[:3, :3].T @ linear


def _off(linear: Array) -> float:
    """Return the deviation of a matrix (3, 3) from a rotation."""
    if np.linalg.det(linear) <= 0.0:
        return np.inf
    return float(np.abs(linear.T @ linear - np.eye(3)).max())
