"""Axes that follow joints in other ways than one joint, linearly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics import joint_values_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.kinematics import Model
    from pyrave.spatial import Array, Indices

__all__ = ["Couplings"]

_STEP = 1e-6


@dataclass(frozen=True, eq=False)
class Couplings:
    """Values of a chain's axes by the formulas of the robot's own model. Immutable.

    Parameters
    ----------
    model
        The robot's model.
    dofs
        (n,) degrees of freedom of the model that are the arm's, in its order.
    still
        (n_dof,) values of the others.
    sources
        For each axis of the chain the model's axis that it is, or -1 where the
        chain's own factor and constant say all.
    """

    model: Model
    dofs: Indices
    still: Array
    sources: tuple[int, ...]

    def follows(self, n: int) -> NDArray[np.bool_]:
        """Return (m, n) which of n joints moves which coupled axis."""
        out = np.zeros((len(self.sources), n), dtype=bool)
        for axis, source in enumerate(self.sources):
            if source >= 0:
                out[axis, : len(self.dofs)] = self.model.follows[source, self.dofs]
        return out

    def values(self, q: Array) -> Array:
        """Return the values (k, m) of coupled axes for joint values (k, n).

        They are NaN where a formula is outside of its domain, and 0 for other axes.
        """
        rows = np.empty((len(q), len(self.still)))
        rows[:] = self.still
        rows[:, self.dofs] = q[:, : len(self.dofs)]
        sources = np.array(self.sources, dtype=np.int64)
        values = joint_values_batch(self.model, rows)[:, sources]
        values[:, sources < 0] = 0.0
        return values

    def linearised(self, q: Array) -> tuple[Array, Array]:
        """Return values (m,) and their derivatives (m, n) by the joint values (n,).

        These are differences of values: the velocities that a file states for a formula
        need not be its derivatives.
        """
        n = len(self.dofs)
        steps = _STEP * np.eye(n, len(q))
        values = self.values(np.concatenate([q[None], q + steps, q - steps]))
        slopes = np.zeros((len(self.sources), len(q)))
        slopes[:, :n] = (values[1 : n + 1] - values[n + 1 :]).T / (2.0 * _STEP)
        return values[0], slopes
