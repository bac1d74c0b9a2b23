"""Grasps as OpenRAVE's tables have them: rows of numbers, and what columns mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError, did_you_mean, shown
from pyrave.grasping import Grasp, Grasper, GraspSet, hand_poses
from pyrave.spatial import as_numbers, invert_pose
from pyrave_manipulation.arguments import poses_of
from pyrave_manipulation.robot_module import as_whole

if TYPE_CHECKING:
    from pyrave.bodies import KinBody, Manipulator
    from pyrave.spatial import Array

WIDTHS = {
    "igraspdir": 3,
    "igrasppos": 3,
    "igrasproll": 1,
    "igraspstandoff": 1,
    "igrasppreshape": 0,
    "igraspfinalfingers": 0,
    "igrasptrans": 12,
    "grasptrans_nocol": 12,
    "imanipulatordirection": 3,
}
"""Columns of each part of a row; 0: as many as the gripper has joints."""


@dataclass(frozen=True, slots=True)
class GraspColumns:
    """The first column of each part of a grasp's row, by OpenRAVE's names.

    Parameters
    ----------
    first
        Name -> index.
    """

    first: Mapping[str, int]

    @classmethod
    def of(cls, given: Any, **more: int | None) -> GraspColumns:
        """Return the columns of a mapping of names to indices or ranges, and of more.

        Names of parts that say nothing of how to grasp are left out.
        """
        if given is not None and not isinstance(given, Mapping):
            raise ArgumentError(
                f"graspindices is {shown(given)}, expected a mapping of names to "
                "columns"
            )
        found: dict[str, int] = {}
        for name, columns in (given or {}).items():
            if name in WIDTHS and np.size(columns):
                label = f"graspindices[{name!r}]"
                found[name] = as_whole(as_numbers(columns, label).flat[0], label, 0)
            elif str(name).startswith("igrasp") and name not in WIDTHS:
                raise ArgumentError(
                    f"graspindices has {name!r}{did_you_mean(name, WIDTHS)}; known: "
                    + ", ".join(WIDTHS)
                )
        found |= {
            name: as_whole(index, name, 0)
            for name, index in more.items()
            if index is not None
        }
        return cls(found)

    def part(self, row: Array, name: str, width: int = 0) -> Array | None:
        """Return the numbers of a part of a row, None if it has none."""
        if name not in self.first:
            return None
        begin, count = self.first[name], width or WIDTHS[name]
        if begin < 0 or begin + count > len(row):
            raise ArgumentError(
                f"{name} begins at column {begin} and has {count} numbers, and a grasp "
                f"has {len(row)}"
            )
        return row[begin : begin + count]


def grasps_of(
    given: Any, columns: GraspColumns, arm: Manipulator, target: KinBody
) -> tuple[Grasp, ...]:
    """Return grasps of a set, a list, or a table with columns.

    Rows with a pose are taken at it; others come along their direction to their
    position, as `Grasper` does it, and those that touch nothing are left out.

    Parameters
    ----------
    given
        `Grasp` objects, or (n, m) numbers; in a text n and m come first.
    """
    if isinstance(given, GraspSet) or (
        isinstance(given, (list, tuple)) and any(isinstance(x, Grasp) for x in given)
    ):
        return tuple(given)
    rows = _rows(given)
    if "grasptrans_nocol" not in columns.first and "igrasptrans" not in columns.first:
        lacks = [one for one in ("igraspdir", "igrasppos") if one not in columns.first]
        if lacks:
            raise ArgumentError(
                f"the columns of the grasps name no {' and no '.join(lacks)}: expected "
                "grasptrans_nocol, igrasptrans, or igraspdir and igrasppos"
            )
    found = [_grasp(row, columns, arm, target) for row in rows]
    return tuple(one for one in found if one is not None)


def _rows(given: Any) -> Array:
    numbers = as_numbers(given, "grasps")
    if not np.isfinite(numbers).all():
        raise ArgumentError("grasps has numbers that are not finite")
    if numbers.ndim == 1 and len(numbers) > 2:
        n, m = numbers[:2].tolist()
        if n == int(n) and m == int(m) and len(numbers) == 2 + n * m:
            return numbers[2:].reshape(int(n), int(m))
    if numbers.ndim != 2:
        raise ArgumentError(
            f"grasps has the shape {numbers.shape}, expected (n, m); in a text n and "
            "m, then all numbers"
        )
    return numbers


def _grasp(
    row: Array, columns: GraspColumns, arm: Manipulator, target: KinBody
) -> Grasp | None:
    shape = columns.part(row, "igrasppreshape", len(arm.gripper_indices))
    way = columns.part(row, "imanipulatordirection")
    way = arm.direction if way is None or not way.any() else way
    for name in ("grasptrans_nocol", "igrasptrans"):
        numbers = columns.part(row, name)
        if numbers is not None and numbers.any():
            (pose,) = poses_of(numbers, name)
            return Grasp(
                invert_pose(pose),
                np.zeros(0) if shape is None else shape,
                approach=way,
            )
    direction, place = columns.part(row, "igraspdir"), columns.part(row, "igrasppos")
    if direction is None or place is None:
        return None
    roll, back = columns.part(row, "igrasproll"), columns.part(row, "igraspstandoff")
    (pose,) = hand_poses(
        np.concatenate((place, direction))[None],
        way,
        np.zeros(1) if roll is None else roll,
    )
    return Grasper(arm, target).grasp(
        pose,
        approach=way,
        standoff=0.0 if back is None else float(back[0]),
        preshape=shape,
    )
