"""Poses of tools as questions give them: one, or several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array, as_pose, as_poses

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def as_tool_poses(poses: ArrayLike) -> tuple[Array, bool]:
    """Return poses (n, 4, 4) of one or several, and True if it was one.

    Parameters
    ----------
    poses
        (4, 4) or (7,); (n, 4, 4) or (n, 7).

    Raises
    ------
    ArgumentError
        They are no poses.
    """
    try:
        shape = np.shape(poses)
    except ValueError:  # rows of several lengths, which are told below
        shape = ()
    if shape in {(4, 4), (7,)}:
        return as_pose(poses, "poses")[None], True
    return as_poses(poses, "poses"), False
