"""Redundancy resolution: the values of joints that are held for a goal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array
from pyrave_ik.methods.bounded_arm import NO_FREE
from pyrave_ik.solver.free_joint_grid import (
    as_parts,
    axis_samples,
    combinations_of,
    range_of,
    step_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave_ik.arm.chain import ArmChain
    from pyrave_ik.solver.goal_solver import GoalSolver

_EVEN = 1e-6


class Redundancy:
    """Chooses the values of held joints. Threads may share it.

    Parameters
    ----------
    chain
        The arm.
    circular
        (d,) which of its joints turn without end.
    steps
        None, one for all, or one for each free joint.
    owner
        The solver in words.
    """

    def __init__(
        self,
        chain: ArmChain,
        circular: NDArray[np.bool_],
        steps: Sequence[float],
        owner: str,
    ) -> None:
        self._chain = chain
        self._circular = circular
        self._given = steps
        self._owner = owner

    def range(self, dof: int, bounds: Array) -> tuple[float, float]:
        """Return the range that the free parameter of a joint covers."""
        lower, upper = range_of(bounds[dof], bool(self._circular[dof]))
        if not np.isfinite(upper - lower):
            if bounds[dof, 4]:
                return -0.5 * bounds[dof, 4], 0.5 * bounds[dof, 4]
            raise ArgumentError(
                f"joint {self._chain.names[self._chain.arm.index(dof)]!r} is free and "
                "has no limits: give some, or make another joint free"
            )
        return lower, upper

    def span(self, dof: int, start: float, bounds: Array) -> tuple[float, float]:
        """Return the range in which a joint's values are searched from a start.

        One turn about it, where the joint can go all the way round.
        """
        lower, upper = self.range(dof, bounds)
        period = float(bounds[dof, 4])
        if period and (bounds[dof, 2] or upper - lower >= period):
            return start - 0.5 * period, start + 0.5 * period
        return lower, upper

    def given(self, goal_solver: GoalSolver, free: ArrayLike, bounds: Array) -> Array:
        """Return values (1, f) of the held axes from free parameters (f,), 0..1 each.

        Parameters
        ----------
        bounds
            (d, 5) as `packed_arm.pack` takes them.
        """
        dofs = goal_solver.free_dofs
        if not dofs:
            if np.size(free):
                raise ArgumentError(f"{self._owner} has no free joints for such goals")
            return NO_FREE
        values = []
        for dof, part in zip(dofs, as_parts(free, len(dofs)), strict=True):
            lower, upper = self.range(dof, bounds)
            values.append(lower + part * (upper - lower))
        return goal_solver.held(np.array([values]))

    def columns(
        self, goal_solver: GoalSolver, start: Array, bounds: Array, halvings: int = 0
    ) -> list[Array]:
        """Return for each held joint its values, outward from (d,) joint values.

        Parameters
        ----------
        halvings
            How often the steps are halved.
        """
        steps = self.steps(len(goal_solver.free_dofs))
        columns = []
        for dof, step in zip(goal_solver.free_dofs, steps, strict=True):
            value, period = float(start[dof]), float(bounds[dof, 4])
            lower, upper = self.span(dof, value, bounds)
            wide = step_of(step, lower, upper, period) / 2**halvings
            columns.append(axis_samples(value, lower, upper, wide, period))
        return columns

    def blocks(
        self, goal_solver: GoalSolver, start: Array, bounds: Array, halvings: int = 0
    ) -> Iterator[Array]:
        """Yield samples (m, f) of the held axes, outward from (d,) joint values.

        With `halvings` those of the grid before are left out.
        """
        near = start[list(goal_solver.free_dofs)]
        columns = self.columns(goal_solver, start, bounds, halvings)
        for block in combinations_of(columns, near):
            if halvings:
                # rows of the previous grid have even numbers of steps everywhere
                old = np.ones(len(block), dtype=bool)
                for values, column in zip(block.T, columns, strict=True):
                    step = 2.0 * abs(column[1] - column[0]) if len(column) > 1 else 1.0
                    away = (values - column[0]) / step
                    old &= np.abs(away - np.rint(away)) < _EVEN
                yield goal_solver.held(block[~old])
            else:
                yield goal_solver.held(block)

    def count(self, goal_solver: GoalSolver, start: Array, bounds: Array) -> int:
        """Return the number of combinations of values."""
        return math.prod(map(len, self.columns(goal_solver, start, bounds)))

    def steps(self, count: int) -> Sequence[float | None]:
        """Return the steps of free joints, each None where none was given."""
        steps = self._given
        if len(steps) in {0, 1}:
            return [steps[0] if steps else None] * count
        if len(steps) != count:
            raise ArgumentError(
                f"{self._owner} was given {len(steps)} steps and has {count} free "
                "joints; give one for all or one for each"
            )
        return steps
