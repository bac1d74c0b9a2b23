"""Configurations that searches grow towards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from pyrave.spatial import Array
    from pyrave_planners.problem import Problem


class Samples:
    """Uniform configurations within the limits, or those of the user's function.

    The seed decides which, however many are taken at once. Joints that go round for
    ever have one turn.
    """

    def __init__(self, problem: Problem) -> None:
        self._function = problem.parameters.sample
        self._rng = np.random.default_rng(problem.parameters.random_seed)
        self.lower, self.upper = box_of(problem)

    def take(self, count: int) -> Array:
        """Return at most `count` configurations (n, d)."""
        n = len(self.lower)
        if self._function is None:
            places = self._rng.random((count, n))
            return np.asarray(self.lower + places * (self.upper - self.lower))
        found = (self._function() for _ in range(count))
        rows = [as_vector(one, n, "sample") for one in found if one is not None]
        return np.array(rows).reshape(-1, n)


def box_of(problem: Problem) -> tuple[Array, Array]:
    """Return the ends (d,) between which configurations are sampled.

    That is one turn of joints that go round for ever.
    """
    lower = np.array(problem.parameters.lower_limits)
    upper = np.array(problem.parameters.upper_limits)
    if problem.robot is not None and problem.parameters.is_plain:
        active = problem.robot.active_dof_indices
        periods = problem.robot.model.circular_periods[active]
        turns = np.isfinite(periods) & (upper - lower > periods)
        lower[turns], upper[turns] = -0.5 * periods[turns], 0.5 * periods[turns]
    return lower, upper
