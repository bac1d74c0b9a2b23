"""All solutions of a loop by the decomposition that was chosen for it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.closed._kernels import closed_loop
from pyrave_ik.kernels.eliminate._kernels import any_cut
from pyrave_ik.kernels.loops._kernels import keep, polish

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

GENERAL = 3


def solve_loop(
    kind: int,
    first: int,
    backward: bool,
    screws: Floats,
    goal: Floats,
    turns: Floats,
    tolerance: float,
    out: Floats,
) -> int:
    """Write all solutions (k, 6) of ``E_0 ... E_5 = goal``; return k.

    Parameters
    ----------
    kind
        WRIST: of the loop begun at `first` and perhaps run backward joints 3, 4, 5 turn
        about one point; PARALLEL: joints 1, 2, 3 about one direction; SLIDERS: three
        slide; GENERAL: any, cut at `first`.
    goal
        (3, 4).
    turns
        (3,) see `eliminate`.
    tolerance
        Greatest deviation of an entry of the displacement. Every row is verified.
    """
    if kind == GENERAL:
        return any_cut(screws, goal, first, turns, tolerance, out)
    return closed_loop(kind, first, backward, screws, goal, tolerance, out)


def rescued(
    kind: int,
    first: int,
    backward: bool,
    screws: Floats,
    goal: Floats,
    turns: Floats,
    tolerance: float,
    out: Floats,
) -> int:
    """Solve nearby goals and bring their solutions to this one; return the count.

    For goals where a decomposition degenerates: at singularities and at the edge of
    the workspace solutions of neighbours exist and lead there.
    """
    n = 0
    near = np.empty((3, 4))
    found = np.empty((out.shape[0], 6))
    x = np.empty(6)
    step = np.empty((3, 4))
    axis = np.zeros(7)
    for attempt in range(6):
        size = 10.0 ** (-7 + attempt)
        # a fixed direction that is in no special position
        axis[0], axis[1], axis[2] = 0.36, 0.48, 0.8
        if attempt % 2 == 1:
            axis[0], axis[2] = -0.8, 0.36
        a = size
        for i in range(3):
            for j in range(3):
                step[i, j] = 1.0 if i == j else 0.0
        step[0, 1], step[1, 0] = -a * axis[2], a * axis[2]
        step[0, 2], step[2, 0] = a * axis[1], -a * axis[1]
        step[1, 2], step[2, 1] = -a * axis[0], a * axis[0]
        _orthonormal(step)
        for i in range(3):
            for j in range(4):
                near[i, j] = (
                    step[i, 0] * goal[0, j]
                    + step[i, 1] * goal[1, j]
                    + step[i, 2] * goal[2, j]
                )
            near[i, 3] += size * axis[(i + 1) % 3]
        k = solve_loop(kind, first, backward, screws, near, turns, tolerance, found)
        for r in range(k):
            for i in range(6):
                x[i] = found[r, i]
            if polish(screws, goal, x, 60, 1e-13) <= tolerance:
                n = keep(screws, x, out, n)
                if n == out.shape[0]:
                    return n
        if n > 0:
            return n
    return n


def _orthonormal(d: Floats) -> None:
    """Make the rotation of a displacement that is nearly one exact (Gram-Schmidt)."""
    for i in range(3):
        for k in range(i):
            p = d[i, 0] * d[k, 0] + d[i, 1] * d[k, 1] + d[i, 2] * d[k, 2]
            for j in range(3):
                d[i, j] -= p * d[k, j]
        n = math.sqrt(d[i, 0] ** 2 + d[i, 1] ** 2 + d[i, 2] ** 2)
        for j in range(3):
            d[i, j] /= n


def solve_any(
    kind: int,
    first: int,
    backward: bool,
    screws: Floats,
    goal: Floats,
    turns: Floats,
    tolerance: float,
    out: Floats,
) -> int:
    """Write all solutions, with `rescued` where there seem to be none."""
    n = solve_loop(kind, first, backward, screws, goal, turns, tolerance, out)
    if n == 0:
        n = rescued(kind, first, backward, screws, goal, turns, tolerance, out)
    return n


def solve_batch(
    kind: int,
    first: int,
    backward: bool,
    screws: Floats,
    goals: Floats,
    turns: Floats,
    tolerance: float,
    out: Floats,
    counts: Ints,
) -> None:
    """Write solutions (m, k, 6) and how many (m,) of goals (m, 3, 4)."""
    for i in range(goals.shape[0]):
        counts[i] = solve_any(
            kind, first, backward, screws, goals[i], turns, tolerance, out[i]
        )
