"""Grasps as rows of numbers: the columns of OpenRAVE's grasp tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import grasping, spatial

__all__ = ["columns_of", "row_of", "table_of"]

Array = NDArray[np.float64]


def columns_of(fingers: int) -> dict[str, range]:
    """Return the columns of each part of a row, for a gripper of some joints."""
    widths = {
        "igraspdir": 3,
        "igrasppos": 3,
        "igrasproll": 1,
        "igraspstandoff": 1,
        "igrasppreshape": fingers,
        "igrasptrans": 12,
        "grasptrans_nocol": 12,
        "imanipulatordirection": 3,
        "forceclosure": 1,
        "igraspfinalfingers": fingers,
        "performance": 1,  # for scripts that score grasps
    }
    ends = np.cumsum([0, *widths.values()]).tolist()
    return {
        name: range(ends[index], ends[index + 1]) for index, name in enumerate(widths)
    }


def row_of(grasp: grasping.Grasp) -> Array:
    """Return the row of a grasp; its position is that of the hand in the target."""
    pose = spatial.invert_pose(grasp.T_hand_target)
    way = pose[:3, :3] @ grasp.approach
    straight = grasping.hand_poses(
        np.concatenate((pose[:3, 3], way))[None], grasp.approach, np.zeros(1)
    )[0]
    turn = spatial.rotation_vector(pose[:3, :3] @ straight[:3, :3].T)
    numbers = pose[:3].T.ravel()  # by columns, the position last
    return np.concatenate(
        (
            way,
            pose[:3, 3],
            [float(turn @ way), 0.0],
            grasp.preshape,
            numbers,
            numbers,
            grasp.approach,
            [grasp.scores.get("epsilon", 0.0)],
            grasp.final,
            [0.0],
        )
    )


def table_of(grasps: Iterable[Any], fingers: int) -> Array:
    """Return rows of grasps, (n, m)."""
    width = max(columns.stop for columns in columns_of(fingers).values())
    rows = [row_of(grasp) for grasp in grasps]
    return np.array(rows).reshape(len(rows), width)
