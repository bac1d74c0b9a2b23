"""Poses as scripts give them: matrices, or quaternions with positions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception

__all__ = ["matrix_of"]


def matrix_of(given: Any) -> NDArray[np.float64]:
    """Return a new (4, 4) matrix of a pose.

    Parameters
    ----------
    given
        A (4, 4) or (3, 4) matrix, or seven numbers: a quaternion ``w x y z``, which is
        normalised, and a position in metres.
    """
    pose = np.asarray(given, dtype=np.float64)
    if pose.shape == (4, 4):
        return pose.copy()
    made = np.eye(4)
    if pose.shape == (3, 4):
        made[:3] = pose
    elif pose.shape == (7,):
        from pyrave.spatial import matrix_from_quat

        length = np.sqrt(pose[:4] @ pose[:4])
        if not 0.0 < length < np.inf:
            raise openrave_exception(
                f"the quaternion of a pose is {pose[:4].tolist()}, expected w x y z of "
                "any length but 0",
                ErrorCode.InvalidArguments,
            )
        made[:3, :3] = matrix_from_quat(pose[:4] / length)
        made[:3, 3] = pose[4:]
    else:
        raise openrave_exception(
            f"a pose is a (4, 4) matrix or a quaternion and a position, 7 numbers; "
            f"these have shape {pose.shape}",
            ErrorCode.InvalidArguments,
        )
    return made
