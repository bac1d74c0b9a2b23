"""Self-motions of arms: solutions of one goal that form a curve or a surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array


@dataclass(frozen=True, eq=False)
class IkContinuum:
    """A connected part of a self-motion: joints move within limits, the tool stays.

    Solutions are isolated at regular poses. At a singular one they can form a curve, as
    where two axes of a wrist are in line, or a surface of more dimensions.

    Parameters
    ----------
    joints
        Indices of the arm's joints that move.
    dimension
        Of the set of solutions: 1 for a line or a curve.
    closed
        Whether a curve returns to its first point, circular joints whole turns away.
    points
        (m, n_arm) joint values, radians and metres. Each is within limits and reaches
        the goal. The points of a curve are in order from one end to the other, no
        joint of two neighbours more than 0.5 apart, and those at which a joint turns
        back are among them. Those of a surface are the solution
        itself and, for each joint that moves, the ends of its range.
    """

    joints: tuple[int, ...]
    dimension: int
    closed: bool
    points: Array

    @property
    def lower(self) -> Array:
        """(n_arm,) least value of each joint, radians and metres."""
        return np.asarray(self.points.min(axis=0))

    @property
    def upper(self) -> Array:
        """(n_arm,) greatest value of each joint, radians and metres."""
        return np.asarray(self.points.max(axis=0))
