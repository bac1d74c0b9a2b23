"""Units in which the limits of a motion are near 1, for libraries that need that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array


@dataclass(frozen=True, slots=True, eq=False)
class OwnUnits:
    """A unit of time, and one of length for each joint.

    Limits are then 1 for velocities, and near 1 for accelerations, whatever the robot
    is measured in. Tolerances of libraries are absolute.

    Parameters
    ----------
    second
        Seconds.
    lengths
        (dof,) in the units of the values.
    """

    second: float
    lengths: Array

    @classmethod
    def from_limits(
        cls, velocity_limits: Array, acceleration_limits: Array
    ) -> OwnUnits:
        """Return units for limits (dof,): the time to full speed, and the way then."""
        times = np.log(velocity_limits) - np.log(acceleration_limits)
        second = float(np.exp(times.mean()))
        return cls(second, velocity_limits * second)

    def positions(self, values: Array) -> Array:
        """Return values (..., dof) in these units."""
        return np.asarray(values / self.lengths)

    def derivatives(self, values: Array, order: int) -> Array:
        """Return velocities (1), accelerations (2) or jerks (3) in these units."""
        return np.asarray(values * (self.second**order / self.lengths))

    def usual(self, values: Array, order: int = 0) -> Array:
        """Return values, or derivatives of an order, in the units of the robot."""
        return np.asarray(values * (self.lengths / self.second**order))
