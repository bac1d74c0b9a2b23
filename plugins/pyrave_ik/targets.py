"""Goals as they are given and as kernels take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.interfaces import IkParameterization
from pyrave.spatial import as_pose, as_poses, matrix_from_quat

if TYPE_CHECKING:
    from pyrave.spatial import Array

__all__ = ["owned", "pose_of", "shaped"]


def owned(target: IkParameterization | Array) -> IkParameterization | Array:
    """Return a target that stays as it is when its owner changes it."""
    return target if isinstance(target, IkParameterization) else target.copy()


def shaped(poses: Array, *, many: bool = False) -> Array:
    """Return poses (4, 4), or (n, 4, 4), in an array that kernels take.

    Of one that is, only the shape is looked at: what `Manipulator` hands over is rigid,
    and to see that takes as long as a closed form.

    Raises
    ------
    ArgumentError
        They are no poses.
    """
    if (
        type(poses) is np.ndarray
        and poses.dtype == np.float64
        and poses.flags.carray
        and poses.ndim == 2 + many
        and poses.shape[-2:] == (4, 4)
    ):
        return poses
    return as_poses(poses, "poses") if many else as_pose(poses, "target")


def pose_of(goal: IkParameterization) -> Array:
    """Return T_world_tool (4, 4) of a goal that is a pose."""
    values = goal.array
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_quat(values[:4])
    pose[:3, 3] = values[4:]
    return pose
