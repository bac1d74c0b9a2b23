"""IK solutions, and a filter that keeps a direction of the hand within a cone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.ik import IkAction
from pyrave.interfaces import CommandResult
from pyrave.spatial import as_number, as_vector
from pyrave_manipulation.answers import log_failure, number_text

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import ArrayLike

    from pyrave.bodies import Manipulator
    from pyrave.ik import IkParameterization
    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class IkSolutions(CommandResult):
    """Solutions of inverse kinematics; false without any.

    Parameters
    ----------
    values
        (k, n_arm) joint values, the nearest to the present ones first.
    cause
        Why there is none, in words.
    """

    values: Array
    cause: str = ""

    def __bool__(self) -> bool:
        return len(self.values) > 0

    def command_text(self) -> str | None:
        """Return the number of solutions, then their values."""
        if not self:
            log_failure(self.cause)
            return None
        return f"{len(self.values)} {number_text(self.values)}"


@dataclass(frozen=True, slots=True, eq=False)
class ConeFilter:
    """Passes solutions in which a direction of the hand is in a cone.

    Parameters
    ----------
    hand_axis, world_axis
        (3,) unit vectors.
    angle
        Radians that may be between them.
    """

    hand_axis: Array
    world_axis: Array
    angle: float

    @classmethod
    def of(cls, numbers: ArrayLike | Any) -> ConeFilter:
        """Return the filter of 7 numbers: two directions and the angle."""
        given = as_vector(numbers, 7, "cone")
        lengths = np.linalg.norm(given[:6].reshape(2, 3), axis=1)
        if not lengths.all():
            raise ArgumentError(
                f"cone is {given.tolist()}, expected two directions of 3 numbers, and "
                "the angle between them"
            )
        angle = as_number(given[6], "angle of the cone", 0.0, math.pi)
        return cls(given[:3] / lengths[0], given[3:6] / lengths[1], angle)

    def __call__(
        self, values: Array, arm: Manipulator, goal: IkParameterization
    ) -> IkAction:
        """Return SUCCESS, or the reason of a rejection."""
        axis = arm.transform[:3, :3] @ self.hand_axis
        # of nearly parallel vectors the cosine alone is not exact
        apart = math.atan2(
            float(np.linalg.norm(np.cross(axis, self.world_axis))),
            float(axis @ self.world_axis),
        )
        if apart <= self.angle:
            return IkAction.SUCCESS
        return IkAction.REJECT | IkAction.REJECT_CUSTOM_FILTER
