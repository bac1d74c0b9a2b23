"""Joints that lose speed in proportion to it, exact for one that moves alone.

A step of MuJoCo of length h takes the force of a damper d of a joint of inertia I
partly as it is, partly as it will be: ``(I + h y) a = f - d v``. With ``x = h d / I``
and ``h y / I = x / (1 - exp(-x)) - 1`` that is the exponential integrator of Certaine
(1960): a joint alone keeps ``exp(-x)`` of its velocity, whatever the step, and comes to
``f / d`` in the end. For light damping y is d / 2, for strong damping d, as in methods
of second order and of Euler.

Strong dampers lend their joints the inertia ``h y`` for that: so MuJoCo's solver knows
how dry friction, motors and contacts accelerate them, which it does not know of its own
implicit damping.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from pyrave.spatial import Array, Indices

_LIGHT = 2e-3
"""Value of x below which Euler's method errs by a thousandth of the force."""
_LIGHT_OF_RK4 = 0.5
_RK4 = 1


class Dampers:
    """Dampers of all joints of a model.

    Parameters
    ----------
    model, data
        MuJoCo's.
    rates
        (n,) rows of `qvel`.
    coefficients
        (n,) N m s/rad or N s/m.
    """

    def __init__(
        self, model: Any, data: Any, rates: Indices, coefficients: Array
    ) -> None:
        self._model, self._data = model, data
        self._rates, self._coefficients = rates, coefficients
        # with all other joints free: what a joint alone moves at least
        self._mobilities = model.dof_invweight0[rates]
        self._armatures = model.dof_armature[rates].copy()
        self._inertias = model.dof_M0[rates].copy()
        self.are_strong = False
        """True if `push` must be called in each step."""

    def begin(self, length: float) -> None:
        """Prepare for steps of a length in seconds."""
        x = length * self._coefficients * self._mobilities
        rk4 = int(self._model.opt.integrator) == _RK4
        light = _LIGHT_OF_RK4 if rk4 else _LIGHT
        self.are_strong = bool(len(x) and x.max() > light)
        lent = np.zeros(len(x))
        if self.are_strong:
            some = np.maximum(x, 1e-4)
            later = 1.0 / -np.expm1(-some) - 1.0 / some
            lent = length * self._coefficients * later
        model, rates = self._model, self._rates
        model.dof_armature[rates] = self._armatures + lent
        model.dof_M0[rates] = self._inertias + lent
        mobilities = self._mobilities / (1.0 + lent * self._mobilities)
        model.dof_invweight0[rates] = mobilities
        model.dof_damping[rates] = 0.0 if self.are_strong else self._coefficients

    def push(self) -> None:
        """Add the forces that the velocities before the step cause.

        Between MuJoCo's evaluation of velocities and that of forces.
        """
        if self.are_strong:
            data = self._data
            forces = self._coefficients * data.qvel[self._rates]
            data.qfrc_passive[self._rates] -= forces
