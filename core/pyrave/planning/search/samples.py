"""Configurations that searches grow towards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from pyrave.planning.search.problem import Problem
    from pyrave.spatial import Array

_ENOUGH = 0.2


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


class Ellipsoid:
    """Configurations on ways between two ends that are not longer than a length.

    Gammell, Srinivasa and Barfoot, "Informed RRT*", 2014, section IV.

    Parameters
    ----------
    start, goal
        (d,) the ends; distances are weighted, and nothing winds round.
    """

    def __init__(self, problem: Problem, start: Array, goal: Array) -> None:
        weights = problem.parameters.weights
        self._weights = weights if len(weights) else np.ones(len(start))
        self._lower, self._upper = box_of(problem)
        self._rng = np.random.default_rng((problem.parameters.random_seed, 2))
        way = self._weights * (goal - start)
        self._least = float(np.linalg.norm(way))
        self._centre = 0.5 * self._weights * (goal + start)
        first = way / self._least if self._least > 0.0 else np.eye(len(way))[0]
        # a reflection that takes the first axis to the way between the ends
        mirror = first - np.eye(len(way))[0]
        size = mirror @ mirror
        self._turn = np.eye(len(way))
        if size > 0.0:
            self._turn -= 2.0 / size * np.outer(mirror, mirror)

    def take(self, others: Array, length: float) -> Array:
        """Return configurations (n, d) in the place of others that are uniform."""
        n, dof = others.shape
        ways = self._rng.normal(size=(n, dof))
        ways *= (self._rng.random(n) ** (1.0 / dof) / np.linalg.norm(ways, axis=1))[
            :, None
        ]
        across = 0.5 * np.sqrt(max(length**2 - self._least**2, 0.0))
        radii = np.full(dof, across)
        radii[0] = 0.5 * length
        rows = (self._centre + (radii * ways) @ self._turn) / self._weights
        inside = ((rows >= self._lower) & (rows <= self._upper)).all(axis=1)
        # most of a large ellipsoid is outside of the limits
        return rows[inside] if inside.mean() > _ENOUGH else others


def box_of(problem: Problem) -> tuple[Array, Array]:
    """Return the ends (d,) between which configurations are sampled.

    That is one turn of joints that go round for ever.
    """
    lower = np.array(problem.parameters.lower_limits)
    upper = np.array(problem.parameters.upper_limits)
    if problem.robot is not None and problem.parameters.is_plain:
        active = problem.robot.active_dof_indices
        periods = np.full(len(lower), np.inf)  # a base turns between given limits
        periods[: len(active)] = problem.robot.model.circular_periods[active]
        turns = np.isfinite(periods) & (upper - lower > periods)
        lower[turns], upper[turns] = -0.5 * periods[turns], 0.5 * periods[turns]
    return lower, upper
