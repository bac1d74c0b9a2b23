"""Sampler of goal configurations of a manipulator, for planners that ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.moving_links import checks_of
from pyrave.spatial import as_number

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyrave.bodies.manipulator import Manipulator
    from pyrave.spatial import Array


def ik_goal_sampler(
    arm: Manipulator,
    targets: Sequence[Any],
    *,
    most_per_target: int = 10,
    seed: int = 0,
) -> Callable[[], Array | None]:
    """Return a function for `PlannerParameters.sample_goal`.

    Each call returns one more solution, (k,) values of the arm's joints, of a target
    that is drawn at random, and None when there are no more. Solutions do not collide.

    Parameters
    ----------
    targets
        Poses or IK parameterizations, each as `Manipulator.solve_ik` takes it.
    most_per_target
        Solutions of one target that are given at most, those nearest to the present
        values first.
    seed
        Of the order of targets.
    """
    if not len(targets):
        raise ArgumentError("there are no targets to reach")
    most = int(as_number(most_per_target, "most_per_target", 1))
    rng = np.random.default_rng(seed)
    left = list(range(len(targets)))
    solved: dict[int, list[Array]] = {}

    def sample() -> Array | None:
        while left:
            which = left[int(rng.integers(len(left)))]
            if which not in solved:
                solved[which] = list(_free(arm, targets[which])[:most])
            if solved[which]:
                return solved[which].pop(0)
            left.remove(which)
        return None

    return sample


def _free(arm: Manipulator, target: Any) -> Array:
    """Return solutions (n, k) that do not collide."""
    rows = arm.solve_ik(target, all=True)
    if rows is None or not len(rows):
        return np.empty((0, len(arm.arm_indices)))
    with checks_of(arm.robot, arm.arm_indices) as collide:
        return np.asarray(rows[~collide(rows)])
