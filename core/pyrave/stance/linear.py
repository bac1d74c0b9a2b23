"""Small dense linear programs, for forces of contacts.

A stance has six equations and some hundreds of unknowns. The simplex method on a dense
tableau solves that in a fraction of a millisecond, without a library that everybody
would have to install; the tests compare it with HiGHS.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pyrave.errors import StateError
from pyrave.spatial import Array

__all__ = ["LinearSolution", "maximize"]

_ZERO = 1e-10
"""Reduced costs and pivots below this are zero; rows are scaled to 1."""

_FEASIBLE = 1e-9
"""What equations may be off by, as a part of the largest right-hand side."""

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
    ("New finite pivoting rules for the simplex method", 1977) where it stalls.

    Parameters
    ----------
    objective
        (n,) float64.
    equations, values
        (m, n) and (m,) float64; rows may depend on each other.
    """
    m, n = equations.shape
    scale = np.abs(equations).max(axis=1, initial=0.0)
    scale[scale == 0.0] = 1.0
    rows, right = equations / scale[:, None], values / scale
    size = float(np.abs(right).max(initial=0.0)) or 1.0
    right = right / size
    rows = np.where(right[:, None] < 0, -rows, rows)
    right = np.abs(right)
    # phase 1: the sum of artificial unknowns goes to zero
    tableau = np.zeros((m + 1, n + m + 1))
    tableau[:m, :n], tableau[:m, n:-1], tableau[:m, -1] = rows, np.eye(m), right
    basis = np.arange(n, n + m)
    tableau[m, :n] = rows.sum(axis=0)
    tableau[m, -1] = right.sum()
    _climb(tableau, basis, n)
    if tableau[m, -1] > _FEASIBLE * max(1, m):
        return LinearSolution("infeasible", -np.inf, np.zeros(n))
    kept = _without_artificial(tableau, basis, n)
    # phase 2
    tableau = np.delete(tableau[[*kept, m]], np.s_[n : n + m], axis=1)
    basis = basis[kept]
    steep = float(np.abs(objective).max(initial=0.0)) or 1.0
    cost = objective / steep
    tableau[-1, :n] = cost - cost[basis] @ tableau[:-1, :n]
    tableau[-1, -1] = 0.0
    bounded = _climb(tableau, basis, n)
    x = np.zeros(n)
    # once more from the given numbers: steps have added up their rounding
    solved, *_ = np.linalg.lstsq(rows[:, basis], right, rcond=None)
    x[basis] = np.maximum(solved, 0.0) * size
    if not bounded:
        return LinearSolution("unbounded", np.inf, x)
    return LinearSolution("optimal", float(objective @ x), x)


def _climb(tableau: Array, basis: Array, n: int) -> bool:
    """Improve a feasible basis to the best one; False if there is none.

    The last row holds reduced costs, the last column values. Only the first `n`
    columns enter.
    """
    stalled, m = 0, len(basis)
    for _ in range(200 + 50 * (m + n)):
        costs = tableau[m, :n]
        if stalled < _STALLED:
            enters = int(np.argmax(costs))
        else:
            enters = int(np.argmax(costs > _ZERO))
        if not costs[enters] > _ZERO:
            return True
        column = tableau[:m, enters]
        can = np.flatnonzero(column > _ZERO)
        if not len(can):
            return False
        ratios = tableau[can, -1] / column[can]
        least = float(ratios.min())
        ties = can[ratios <= least + _ZERO]
        if stalled < _STALLED:
            leaves = int(ties[np.argmax(column[ties])])
        else:
            leaves = int(ties[np.argmin(basis[ties])])
        stalled = stalled + 1 if least <= _ZERO else 0
        _pivot(tableau, leaves, enters)
        basis[leaves] = enters
    raise StateError(f"a linear program with {m} equations and {n} unknowns goes on")


def _pivot(tableau: Array, row: int, column: int) -> None:
    tableau[row] /= tableau[row, column]
    others = tableau[:, column].copy()
    others[row] = 0.0
    tableau -= others[:, None] * tableau[row]
    np.maximum(tableau[:-1, -1], 0.0, out=tableau[:-1, -1])


def _without_artificial(tableau: Array, basis: Array, n: int) -> list[int]:
    """Let real unknowns take the place of artificial ones; return the rows to keep.

    A row without a real unknown follows from the others.
    """
    kept = []
    for row in range(len(basis)):
        if basis[row] >= n:
            column = int(np.argmax(np.abs(tableau[row, :n])))
            if abs(tableau[row, column]) <= _FEASIBLE:
                continue
            _pivot(tableau, row, column)
            basis[row] = column
        kept.append(row)
    return kept
