"""Views of cameras, as commands answer and choose them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces import CommandResult
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import as_numbers, as_pose, as_vector
from pyrave_manipulation.answers import log_failure, number_text

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.manipulation import CameraView, Visibility
    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class ViewValues(CommandResult):
    """Configurations of the arm, or poses of the camera; false without any.

    Parameters
    ----------
    values
        (n, k) joint values, or poses (n, 7).
    cause
        Why there is none, in words.
    with_count
        True if texts begin with their number.
    """

    values: Array
    cause: str = ""
    with_count: bool = False

    def __bool__(self) -> bool:
        return len(self.values) > 0

    def command_text(self) -> str | None:
        """Return all numbers."""
        if not self:
            log_failure(self.cause)
            return None
        count = f"{len(self.values)} " if self.with_count else ""
        return count + number_text(self.values)


@dataclass(frozen=True, slots=True, eq=False)
class Sight(CommandResult):
    """The sight of a target by a camera: texts get 1 or 0.

    Parameters
    ----------
    visibility
        What it sees.
    """

    visibility: Visibility

    def __bool__(self) -> bool:
        return bool(self.visibility)

    def command_text(self) -> str:
        """Return 1 or 0."""
        return str(int(bool(self)))


def sphere_of(given: Any) -> tuple[int, Array]:
    """Return the level and the distances; a text has the number of these between."""
    numbers = as_vector(np.ravel(as_numbers(given, "sphere")), None, "sphere")
    if len(numbers) > 2 and isinstance(given, list) and numbers[1] == len(numbers) - 2:
        numbers = np.delete(numbers, 1)
    if len(numbers) < 2 or numbers[0] != int(numbers[0]) or not 0 <= numbers[0] <= 5:
        raise ArgumentError(
            f"sphere is {numbers.tolist()}, expected a level from 0 to 5, then "
            "distances"
        )
    return int(numbers[0]), numbers[1:]


def free_rows(arm: Manipulator, pose: Array) -> Array:
    """Return free IK solutions (k, n) of a pose of the hand, the nearest first."""
    rows = np.asarray(arm.solve_ik(as_pose(pose), all=True))
    if not len(rows):
        return rows
    with checks_of(arm.robot, arm.arm_indices) as collide:
        rows = rows[~collide(rows)]
    away = np.abs(rows - arm.arm_dof_values).max(axis=1, initial=0.0)
    return np.asarray(rows[np.argsort(away, kind="stable")])


def views_between(
    arm: Manipulator, views: list[CameraView], hand: Array, near: float, far: float
) -> list[CameraView]:
    """Return views whose hand is so far from a pose, the nearest first."""
    if not views:
        return []
    tools = arm.compute_transforms(np.array([one.values for one in views]))
    away = np.linalg.norm(tools[:, :3, 3] - hand[:3, 3], axis=1)
    order = [k for k in np.argsort(away, kind="stable") if near <= away[k] <= far]
    return [views[k] for k in order]
