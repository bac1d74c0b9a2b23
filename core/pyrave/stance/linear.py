"""Small dense linear programs, for forces of contacts.

A stance has six equations and some hundreds of unknowns. The simplex method on a dense
tableau solves that in a fraction of a millisecond, without a library that everybody
would have to install; the tests compare it with HiGHS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyrave.errors import StateError
from pyrave.spatial import Array

__all__ = ["LinearSolution", "maximize"]

_ZERO = 1e-10
"""Reduced costs below this are zero; rows are scaled to 1."""

_NOTHING = 1e-13
"""A row whose numbers are this part of the largest is rounding, and zero."""

_PIVOT = 1e-9
"""Numbers below this are no pivots."""

_CERTAIN = 1e-7
"""What takes the place of an artificial unknown is at least this large: less may be
what rounding left of a row that follows from others."""

_FEASIBLE = 1e-9
"""What equations may be off by, as a part of the largest right-hand side."""

_ACCURATE = 1e-6
"""What a solution may be off by, as a part of the largest right-hand side."""

_RENEWED = 40
"""Steps after which the tableau is worked out again from the given numbers."""

_STALLED = 20
"""Steps without progress after which Bland's rule keeps from going in circles."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearSolution:
    """Result of `maximize`.

    Parameters
    ----------
    status
        ``unbounded``: the objective grows without end; ``infeasible``: nothing
        fulfils the equations.
    value
        The largest value; inf or -inf if there is none.
    x
        (n,) where it is reached; zeros if there is none.
    """

    status: Literal["optimal", "unbounded", "infeasible"]
    value: float
    x: Array


def maximize(objective: Array, equations: Array, values: Array) -> LinearSolution:
    """Maximize ``objective @ x`` for ``equations @ x == values`` and ``x >= 0``.

    Two-phase simplex method with the largest reduced cost, and R. G. Bland's rule
    ("New finite pivoting rules for the simplex method", 1977) where it stalls. Slack
    unknowns start in the basis, and rounding does not add up over many steps: the
    tableau is made anew from the given numbers now and then.

    Parameters
    ----------
    objective
        (n,) float64.
    equations, values
        (m, n) and (m,) float64; rows may depend on each other.

    Raises
    ------
    StateError
        The numbers are too close to degenerate for a trustworthy answer.
    """
    m, n = equations.shape
    if n == 0:
        if np.any(values):
            return LinearSolution("infeasible", -np.inf, np.zeros(0))
        return LinearSolution("optimal", 0.0, np.zeros(0))
    scale = np.abs(equations).max(axis=1, initial=0.0)
    largest = float(scale.max(initial=0.0)) or 1.0
    empty = scale <= _NOTHING * largest
    scale[empty] = largest
    rows, right = equations / scale[:, None], values / scale
    rows[empty] = 0.0
    size = float(np.abs(right).max(initial=0.0)) or 1.0
    right = right / size
    rows = np.where(right[:, None] < 0, -rows, rows)
    right = np.abs(right)
    # phase 1: the sum of artificial unknowns goes to zero
    tableau = _Tableau(np.column_stack((rows, np.eye(m), right)), _slacks(rows))
    artificial = np.zeros(n + m)
    artificial[n:] = -1.0
    tableau.climb(artificial, n)
    if tableau.missing > _FEASIBLE * max(1, m):
        return LinearSolution("infeasible", -np.inf, np.zeros(n))
    tableau.drop_artificial(n)
    # phase 2
    steep = float(np.abs(objective).max(initial=0.0)) or 1.0
    bounded = tableau.climb(objective / steep, n)
    x = np.zeros(n)
    # once more from the given numbers, with the rows that others imply
    basis = tableau.basis
    solved, *_ = np.linalg.lstsq(rows[:, basis], right, rcond=None)
    x[basis] = np.maximum(solved, 0.0)
    if m and float(np.abs(rows @ x - right).max()) > _ACCURATE:
        raise StateError(_degenerate(m, n))
    x *= size
    if not bounded:
        return LinearSolution("unbounded", np.inf, x)
    return LinearSolution("optimal", float(objective @ x), x)


def _slacks(rows: Array) -> NDArray[np.int64]:
    """Return (m,) for each row an unknown that stands in it alone, else its artificial.

    Such unknowns are a basis to start from.
    """
    m, n = rows.shape
    basis = np.arange(n, n + m)
    alone = np.flatnonzero(np.count_nonzero(rows, axis=0) == 1)
    owners = np.argmax(rows[:, alone] != 0.0, axis=0)
    fit = rows[owners, alone] > _CERTAIN
    basis[owners[fit]] = alone[fit]
    return basis


def _degenerate(m: int, n: int) -> str:
    return (
        f"a linear program with {m} equations and {n} unknowns is too close to "
        "degenerate to be solved"
    )


class _Tableau:
    """Equations solved for the unknowns of a basis, and what the others would gain.

    Parameters
    ----------
    given
        (m, n + 1) equations, right-hand side last.
    basis
        (m,) unknowns that the equations are solved for.
    """

    def __init__(self, given: Array, basis: NDArray[np.int64]) -> None:
        self._given = given
        self.basis = basis
        self._cost = np.zeros(given.shape[1])
        self._body = np.vstack((given, self._cost))

    @property
    def missing(self) -> float:
        """What the objective lacks to zero."""
        return float(self._body[-1, -1])

    def climb(self, cost: Array, n: int) -> bool:
        """Improve a feasible basis to the best one; False if there is none.

        Only the first `n` columns enter.
        """
        self._cost = np.append(cost, 0.0)
        self._renew()
        m, stalled, age = len(self.basis), 0, 0
        for _ in range(200 + 50 * (m + n)):
            if age >= _RENEWED:
                self._renew()
                age = 0
            body = self._body
            costs = body[m, :n]
            if stalled < _STALLED:
                enters = int(np.argmax(costs))
            else:
                enters = int(np.argmax(costs > _ZERO))
            if not costs[enters] > _ZERO:
                if age == 0:
                    return True
                age = _RENEWED  # make sure
                continue
            column = body[:m, enters]
            can = np.flatnonzero(column > _PIVOT)
            if not len(can):
                return False
            ratios = body[can, -1] / column[can]
            least = float(ratios.min())
            ties = can[ratios <= least + _ZERO]
            if stalled < _STALLED:
                leaves = int(ties[np.argmax(column[ties])])
            else:
                leaves = int(ties[np.argmin(self.basis[ties])])
            stalled = stalled + 1 if least <= _ZERO else 0
            self._pivot(leaves, enters)
            age += 1
        raise StateError(
            f"a linear program with {m} equations and {n} unknowns goes on"
        )

    def drop_artificial(self, n: int) -> None:
        """Let real unknowns take the place of artificial ones, which are zero by now.

        A row without a real unknown follows from the others, and is left out.
        """
        kept = []
        for row in range(len(self.basis)):
            if self.basis[row] >= n:
                column = int(np.argmax(np.abs(self._body[row, :n])))
                if abs(self._body[row, column]) <= _CERTAIN:
                    continue
                self._body[row, -1] = 0.0
                self._pivot(row, column)
            kept.append(row)
        real = [*range(n), self._given.shape[1] - 1]
        self._given = self._given[np.ix_(kept, real)]
        self._body = self._body[np.ix_([*kept, -1], real)]
        self.basis = self.basis[kept]

    def _pivot(self, row: int, column: int) -> None:
        body = self._body
        body[row] /= body[row, column]
        others = body[:, column].copy()
        others[row] = 0.0
        body -= others[:, None] * body[row]
        np.maximum(body[:-1, -1], 0.0, out=body[:-1, -1])
        self.basis[row] = column

    def _renew(self) -> None:
        """Work the tableau out from the given numbers."""
        try:
            solved = np.linalg.solve(self._given[:, self.basis], self._given)
        except np.linalg.LinAlgError as error:
            m, n = self._given.shape
            raise StateError(_degenerate(m, n - 1)) from error
        np.maximum(solved[:, -1], 0.0, out=solved[:, -1])
        self._body[:-1] = solved
        self._body[-1] = self._cost - self._cost[self.basis] @ solved
