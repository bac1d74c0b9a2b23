"""Joints that are held for a goal: a grid of values, outward from where they are."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.spatial import as_vector
from pyrave_ik.methods.bounded_arm import NO_FREE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import ArrayLike, NDArray

    from pyrave.spatial import Array, Indices
    from pyrave_ik.methods.analytic import AnalyticSolver

MAX_SAMPLES = 1_000_000
TURN_STEP = np.pi / 8
"""Default step of turning joints, radians; sliding ones take a tenth of their range."""
_SLIDE_PARTS = 10
_BLOCK = 4096
_EVEN = 1e-6


def as_parts(free: ArrayLike, n: int) -> Array:
    """Return free parameters (n,), each 0..1 over its range, or refuse them."""
    parts = as_vector(free, n, "free")
    if (parts < 0.0).any() or (parts > 1.0).any():
        raise ArgumentError(f"free is {parts.tolist()}, expected 0..1 each")
    return parts


def step_of(step: float | None, lower: float, upper: float, period: float) -> float:
    """Return the step of a joint, the default if there is none.

    Parameters
    ----------
    period
        One turn, 0 for a sliding joint.
    """
    if step is not None:
        return step
    return TURN_STEP if period else (upper - lower) / _SLIDE_PARTS


def axis_samples(
    start: float, lower: float, upper: float, step: float, period: float
) -> Array:
    """Return values outward from one: it, then alternating above and below.

    Parameters
    ----------
    period
        One turn, 0 for a sliding joint: there are no values a whole turn apart.
    """
    if period and upper - lower >= period:
        lower, upper = start - period / 2, start + period / 2
    start = min(max(start, lower), upper)
    if not step > 0.0:
        return np.array([start])
    above, below = (upper - start) / step, (start - lower) / step
    if not above + below < MAX_SAMPLES:
        raise ArgumentError(
            f"a free joint from {lower:g} to {upper:g} in steps of {step:g} takes too "
            "many values; give limits, a wider step, or free="
        )
    n_above, n_below = int(above + 1e-9), int(below + 1e-9)
    if period and (n_above + n_below) * step > period - 1e-9:
        n_below -= 1  # the ends are one turn apart
    numbers = np.arange(-n_below, n_above + 1)
    numbers = numbers[np.argsort(np.abs(numbers), kind="stable")]
    return np.asarray(start + step * numbers, dtype=np.float64)


def combinations_of(columns: Sequence[Array], start: Array) -> Iterator[Array]:
    """Yield all combinations of values in blocks (k, f), outward from a start (f,).

    The values of a column are those of one joint, the nearest first. A block has
    combinations of which the farthest value has the same rank, the nearest first; none
    holds more than some thousands of them.
    """
    sizes = [len(column) for column in columns]
    for rank in range(max(sizes, default=1)):
        pieces = []
        count = 0
        for ranks in _ranks(sizes, rank):
            rows = [column[i] for column, i in zip(columns, ranks.T, strict=True)]
            pieces.append(np.stack(rows, axis=1))
            count += len(ranks)
            if count >= _BLOCK:
                yield _sorted(np.concatenate(pieces), start)
                pieces, count = [], 0
        if pieces:
            yield _sorted(np.concatenate(pieces), start)


def _ranks(sizes: Sequence[int], rank: int) -> Iterator[Indices]:
    """Yield ranks (k, f) of values of which the greatest is a given one."""
    for k, size in enumerate(sizes):
        if rank >= size:
            continue
        # the first of that rank is that of column k
        shape = [min(rank, n) for n in sizes[:k]]
        shape += [1, *(min(rank + 1, n) for n in sizes[k + 1 :])]
        count = math.prod(shape)
        for first in range(0, count, _BLOCK):
            numbers = np.arange(first, min(first + _BLOCK, count))
            ranks = np.stack(np.unravel_index(numbers, shape), axis=1)
            ranks[:, k] = rank
            yield ranks


def _sorted(rows: Array, start: Array) -> Array:
    ways = ((rows - start) ** 2).sum(axis=1)
    return np.ascontiguousarray(rows[np.argsort(ways, kind="stable")])


class HeldJoints:
    """Chooses the values of the held joints of a kind of goals. Threads may share it.

    Parameters
    ----------
    solver
        Of the kind of goals: it says which axes are held.
    bounds
        (d, 5) limits, see `bounds_of`.
    circular
        (d,) which of the arm's joints turn without end.
    steps
        None, one for all, or one for each held joint.
    owner
        The solver in words.
    """

    def __init__(
        self,
        solver: AnalyticSolver,
        bounds: Array,
        circular: NDArray[np.bool_],
        steps: Sequence[float],
        owner: str,
    ) -> None:
        self._solver = solver
        self._dofs = list(solver.free_dofs)
        self._bounds = bounds
        self._circular = circular
        self._given = steps
        self._owner = owner

    @property
    def steps(self) -> Sequence[float | None]:
        """Steps of the held joints, each None where none was given."""
        steps, count = self._given, len(self._dofs)
        if len(steps) in {0, 1}:
            return [steps[0] if steps else None] * count
        if len(steps) != count:
            raise ArgumentError(
                f"{self._owner} was given {len(steps)} steps and has {count} free "
                "joints; give one for all or one for each"
            )
        return steps

    def range(self, dof: int) -> tuple[float, float]:
        """Return the range that the free parameter 0..1 of a joint covers.

        One period of a joint that turns without end.
        """
        lower, upper, _, _, period = self._bounds[dof].tolist()
        finite = math.isfinite(upper - lower)
        if self._circular[dof] or (period and not finite):
            return -0.5 * period, 0.5 * period
        if not finite:
            chain = self._solver.chain
            raise ArgumentError(
                f"joint {chain.names[chain.arm.index(dof)]!r} is free and "
                "has no limits: give some, or make another joint free"
            )
        return lower, upper

    def span(self, dof: int, start: float) -> tuple[float, float]:
        """Return the range in which a joint's values are searched from a start.

        One turn about it, where the joint can go all the way round.
        """
        lower, upper = self.range(dof)
        period = float(self._bounds[dof, 4])
        if period and (self._bounds[dof, 2] or upper - lower >= period):
            return start - 0.5 * period, start + 0.5 * period
        return lower, upper

    def given(self, free: ArrayLike) -> Array:
        """Return values (1, f) of the held axes from free parameters (f,), 0..1."""
        if not self._dofs:
            if np.size(free):
                raise ArgumentError(f"{self._owner} has no free joints for such goals")
            return NO_FREE
        values = []
        for dof, part in zip(self._dofs, as_parts(free, len(self._dofs)), strict=True):
            lower, upper = self.range(dof)
            values.append(lower + part * (upper - lower))
        return self._solver.held(np.array([values]))

    def columns(self, start: Array, halvings: int = 0) -> list[Array]:
        """Return for each held joint its values, outward from (d,) joint values.

        Parameters
        ----------
        halvings
            How often the steps are halved.
        """
        columns = []
        for dof, step in zip(self._dofs, self.steps, strict=True):
            value, period = float(start[dof]), float(self._bounds[dof, 4])
            lower, upper = self.span(dof, value)
            wide = step_of(step, lower, upper, period) / 2**halvings
            columns.append(axis_samples(value, lower, upper, wide, period))
        return columns

    def blocks(self, start: Array, halvings: int = 0) -> Iterator[Array]:
        """Yield samples (m, f) of the held axes, outward from (d,) joint values.

        With `halvings` those of the grid before are left out.
        """
        columns = self.columns(start, halvings)
        for block in combinations_of(columns, start[self._dofs]):
            new = np.ones(len(block), dtype=bool)
            if halvings:
                # rows of the previous grid have even numbers of steps everywhere
                new[:] = False
                for values, column in zip(block.T, columns, strict=True):
                    step = 2.0 * abs(column[1] - column[0]) if len(column) > 1 else 1.0
                    away = (values - column[0]) / step
                    new |= np.abs(away - np.rint(away)) >= _EVEN
            yield self._solver.held(block[new])

    def count(self, start: Array) -> int:
        """Return the number of combinations of values."""
        return math.prod(map(len, self.columns(start)))
