"""Linear programs for contact forces, solved by HiGHS."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pyrave.errors import NotSupportedError, StateError
from pyrave.spatial import Array

if importlib.util.find_spec("scipy") is None:
    raise NotSupportedError(
        "pyrave_stability solves linear programs with SciPy, which is not installed; "
        "pip install 'pyrave[stability]'"
    )

_ROUNDING = 1e-13
"""A row is zero whose numbers are this part of the largest."""

_FEASIBLE = 1e-9
"""Largest error of the scaled equations."""

_UNKNOWN = 4
"""Status of SciPy for programs that are unbounded or infeasible, or too hard."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearSolution:
    """Result of `maximize`.

    Parameters
    ----------
    status
        ``unbounded``: the objective grows without end; ``infeasible``: nothing
        satisfies the equations.
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

    Dual simplex method of HiGHS: Q. Huangfu, J. A. J. Hall, "Parallelizing the dual
    revised simplex method", Mathematical Programming Computation 10, 2018.

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
    from scipy.optimize import linprog

    m, n = equations.shape
    if n == 0:
        # SciPy refuses programs without unknowns
        equations, objective = np.zeros((m, 1)), np.zeros(1)
    nothing = np.zeros(n)
    scale = np.abs(equations).max(axis=1, initial=0.0)
    largest = float(scale.max(initial=0.0)) or 1.0
    empty = scale <= _ROUNDING * largest
    scale[empty] = largest
    rows, right = equations / scale[:, None], values / scale
    rows[empty] = 0.0
    size = float(np.abs(right).max(initial=0.0)) or 1.0
    steep = float(np.abs(objective).max(initial=0.0)) or 1.0
    for presolve in (True, False):
        found = linprog(
            objective / -steep,
            A_eq=rows,
            b_eq=right / size,
            method="highs-ds",
            options={
                "presolve": presolve,
                "primal_feasibility_tolerance": _FEASIBLE,
                "dual_feasibility_tolerance": _FEASIBLE,
            },
        )
        if found.status != _UNKNOWN:
            break
    if found.status == 2:
        return LinearSolution("infeasible", -np.inf, nothing)
    if found.status == 3:
        return LinearSolution("unbounded", np.inf, nothing)
    if found.status != 0:
        raise StateError(
            f"a linear program with {m} equations and {n} unknowns is too close to "
            f"degenerate to be solved: {found.message}"
        )
    x = np.maximum(found.x[:n], 0.0) * size
    return LinearSolution("optimal", float(objective[:n] @ x), x)
