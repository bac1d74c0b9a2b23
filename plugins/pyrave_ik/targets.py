"""Goals as they are given and as kernels take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.ik import IkParameterization
from pyrave.spatial import as_pose, matrix_from_quat

if TYPE_CHECKING:
    from pyrave.spatial import Array

__all__ = ["checked", "pose_of"]


def checked(target: IkParameterization | Array) -> IkParameterization | Array:
    """Return a goal as such, or a copy of a pose (4, 4) that is rigid.

    Raises
    ------
    ArgumentError
        It is neither.
    """
    if isinstance(target, IkParameterization):
        return target
    return as_pose(target, "target")


def pose_of(goal: IkParameterization) -> Array:
    """Return T_world_tool (4, 4) of a goal that is a pose."""
    values = goal.array
    pose = np.eye(4)
    pose[:3, :3] = matrix_from_quat(values[:4])
    pose[:3, 3] = values[4:]
    return pose
