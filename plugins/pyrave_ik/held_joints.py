"""Joints that an arm has too many for a goal: the values at which they are held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import Array
from pyrave_ik.plans import NO_FREE
from pyrave_ik.sampling import as_parts, axis_samples, grid, range_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave_ik.chain import ArmChain
    from pyrave_ik.program import Program

__all__ = ["HeldJoints"]


class HeldJoints:
    """Chooses the values of free joints, and keeps the last.

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
        self._last: tuple[Program, Array, Array, Array] | None = None

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

    def samples(
        self,
        program: Program,
        free: ArrayLike | None,
        start: Array,
        bounds: Array,
    ) -> Array:
        """Return values (m, f) of the free axes in the order of their distance.

        Parameters
        ----------
        free
            (f,) each 0..1 over its joint's range; None: a grid.
        start
            (d,) joint values from which distances are counted.
        bounds
            (d, 5) as `pack` takes them.
        """
        dofs = program.free_dofs
        if not dofs:
            if free is not None and np.size(free):
                raise ArgumentError(f"{self._owner} has no free joints for such goals")
            return NO_FREE
        if free is not None:
            values = []
            for dof, part in zip(dofs, as_parts(free, len(dofs)), strict=True):
                lower, upper = self.range(dof, bounds)
                values.append(lower + part * (upper - lower))
            return program.held(np.array([values]))
        near = start[list(dofs)]
        known = self._last
        if (
            known is not None
            and known[0] is program
            and known[1] is bounds
            and np.array_equal(known[2], near)
        ):
            return known[3]
        steps = self._steps(len(dofs))
        columns = []
        for dof, value, step in zip(dofs, near, steps, strict=True):
            lower, upper = self.range(dof, bounds)
            if bounds[dof, 4] and bounds[dof, 2]:
                lower, upper = -np.inf, np.inf
            period = float(bounds[dof, 4])
            columns.append(axis_samples(float(value), lower, upper, step, period))
        rows = program.held(grid(columns, near))
        self._last = (program, bounds, near, rows)
        return rows

    def _steps(self, count: int) -> Sequence[float | None]:
        steps = self._given
        if len(steps) in {0, 1}:
            return [steps[0] if steps else None] * count
        if len(steps) != count:
            raise ArgumentError(
                f"{self._owner} was given {len(steps)} steps and has {count} free "
                "joints; give one for all or one for each"
            )
        return steps
