"""Limits of joint torques along a path, by the dynamics of the body."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.timing.bounded_paths import MARGIN
from pyrave.planning.timing.parametrization import positive_limits

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.planning.timing.bounded_paths import Grid
    from pyrave.planning.timing.timed_path import TimedPath
    from pyrave.spatial import Array, Indices

_STILL = 1e-9


class TorqueBounds:
    """Bounds of the torques of some joints of a body; the others keep still.

    Parameters
    ----------
    which
        (k,) degrees of freedom that move.
    torque_limits
        (k,) or one number, newton metres or newtons.
    """

    def __init__(self, body: KinBody, which: Indices, torque_limits: ArrayLike) -> None:
        limits = positive_limits(torque_limits, len(which), "torque_limits")
        self._most = (1.0 - MARGIN) * limits
        self._body, self._which = body, which
        self._still = body.dof_values

    def _torques(
        self, values: Array, rates: Array, changes: Array, *, components: bool = True
    ) -> Array:
        """Return torques (n, 3, k) due to accelerations, velocities and gravity.

        Without components their sum (n, k).
        """
        rows = np.tile(self._still, (len(values), 1))
        rows[:, self._which] = values
        all_rates, all_changes = np.zeros_like(rows), np.zeros_like(rows)
        all_rates[:, self._which], all_changes[:, self._which] = rates, changes
        found = self._body.dynamics.compute_inverse_dynamics(
            rows, all_rates, all_changes, components=components
        )
        return np.asarray(found[..., self._which])

    def _dry(self, rates: Array) -> Array:
        """Return the friction (n, k) that is there at any speed."""
        model = self._body.state_model
        dry = model.coulomb_frictions[: model.n_dof][self._which]
        return np.asarray(dry * np.where(np.abs(rates) > _STILL, np.sign(rates), 0.0))

    def sides(self, grid: Grid) -> Array:
        """Return four bounds of each joint: both ends of a step, up and down."""
        n, dof = len(grid.steps), grid.points.shape[1]
        found = np.empty((n, 2, 2, dof, 2))
        half = 0.5 / grid.steps[:, None]
        for end in range(2):
            places = grid.points[end : n + end]
            tangents, curvatures = grid.tangents[:, end], grid.curvatures[:, end]
            inertial = self._torques(places, tangents, tangents)
            bent = self._torques(places, 2.0 * tangents, curvatures)
            # a square of speed, and friction that is there at any speed or grows
            dry = self._dry(tangents)
            square = 0.5 * (bent[:, 1] - dry) - (inertial[:, 1] - dry)
            pull = half * inertial[:, 0]
            bend = bent[:, 0] + square
            static = inertial[:, 2] + dry
            for side, bound in enumerate((self._most, -self._most)):
                room = bound - static
                lacks = room <= 0.0 if side == 0 else room >= 0.0
                if lacks.any():
                    row, joint = np.argwhere(lacks)[0].tolist()
                    raise ArgumentError(
                        f"value {joint} needs {static[row, joint]:.4g} to be held at "
                        f"{places[row].round(3).tolist()} of the path, expected less "
                        f"than {self._most[joint]:.4g} (its torque limit)"
                    )
                p, r = (bend - pull, pull) if end == 0 else (-pull, bend + pull)
                found[:, end, side, :, 0], found[:, end, side, :, 1] = (
                    p / room,
                    r / room,
                )
        return found.reshape(n, 4 * dof, 2)

    def parts(self, times: Array, timed: TimedPath) -> Array:
        """Return the greatest torques in parts of what gravity and friction leave."""
        places, rates, changes = timed.at(times)
        still = np.zeros_like(places)
        static = self._torques(places, still, still, components=False)
        static += self._dry(rates)
        moving = self._torques(places, rates, changes, components=False) - static
        room = np.where(moving > 0.0, self._most - static, self._most + static)
        return np.asarray((np.abs(moving) / np.maximum(room, 1e-300)).max(axis=1))
