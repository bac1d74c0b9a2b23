"""Bodies that controllers put somewhere at each step: how fast they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import rotation_vector

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array

_FASTEST = 10.0
"""Largest speed of a base, m/s and rad/s; faster ones have jumped."""
_SLACK = 2.0
_NEVER = -2


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """Pose and joint values that a body was set to.

    Parameters
    ----------
    age
        Steps since then.
    pose, values
        (4, 4) T_world_body, and (dof,).
    """

    age: int
    pose: Array
    values: Array


class Driving:
    """Detects bodies that are placed in each step, and sets their velocities.

    Without this, gravity would make what a controller holds faster and faster, which
    sets joint values and poses, but no velocities.
    """

    def __init__(self, body: KinBody) -> None:
        self._body = body
        self._step = _NEVER
        self._pose: Array | None = None
        self._values: Array | None = None

    def forget(self) -> None:
        """Take it that the body was never put anywhere."""
        self._step, self._pose, self._values = _NEVER, None, None

    def last_placement(self, step: int) -> Placed | None:
        """Return the last placement, for another model; None if it is not recent."""
        if self._pose is None or self._values is None or self._step < step - 1:
            return None
        return Placed(step - self._step, self._pose, self._values)

    def restore(self, placed: Placed, step: int) -> None:
        """Go on where `kept` of the body in another model was."""
        self._step = step - placed.age
        self._pose, self._values = placed.pose, placed.values

    def note_placement(self, step: int, dt: float) -> bool:
        """Note that the body was put somewhere, and set its velocities if it is driven.

        Parameters
        ----------
        step
            Number of steps that were taken.
        dt
            Length of the last one, seconds.

        Returns
        -------
        bool
            Whether the velocities are others now.
        """
        body, before = self._body, self._step
        if step == before:
            return False
        known, values = self._pose, self._values
        self._step, self._pose, self._values = step, body.transform, body.dof_values
        if before != step - 1 or known is None or values is None or dt <= 0.0:
            return False
        rates = body.subtract_dof_values(self._values, values) / dt
        limits = body.dof_velocity_limits
        jumped = (limits > 0.0) & (np.abs(rates) > _SLACK * limits)
        turn = rotation_vector(self._pose[:3, :3] @ known[:3, :3].T)
        base = np.concatenate((self._pose[:3, 3] - known[:3, 3], turn)) / dt
        if jumped.any() or np.abs(base).max() > _FASTEST:
            return False
        body.dof_velocities, body.base_velocity = rates, base
        return True
