"""Solutions of a loop whose axes are so placed that every cut of it is singular.

Elimination answers for loops in no special position, and there are such loops right
beside every other one. Regular solutions are continuous in the geometry: those of a
loop whose axes are moved by a hundred-thousandth lie so near that Newton's steps lead
from them to those of the loop in question, whose position is the only special thing
about it. Solutions where the loop is nearly singular may be lost on the way, so
several neighbours are asked, until two in turn bring nothing new.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.eliminate._kernels import any_cut
from pyrave_ik.kernels.loops._kernels import keep, polish

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

NEIGHBOURS = 8
"""Most loops that are asked."""
STEP = 1e-5
"""How far axes move, in radians and in parts of the loop's size."""
LEAST = 1e-4
"""Size of a loop in metres that is taken where all points are one."""


def size(screws: Floats, goal: Floats) -> float:
    """Return a length of the loop: how far points of axes and the goal are apart."""
    far = LEAST
    for k in range(6):
        for i in range(3):
            far = max(far, abs(screws[k, 3 + i]), abs(goal[i, 3]))
    return far


def moved(screws: Floats, number: int, length: float, out: Floats) -> None:
    """Write a neighbour of a loop: each number has its own, the same every time."""
    # more and less, so that what is too far for one solution is not for the next
    step = STEP * (1.0, 4.0, 0.25)[number % 3]
    for k in range(6):
        total = 0.0
        for i in range(6):
            # Weyl's sequence: numbers that keep no special position
            v = 0.6180339887 * (1 + 7 * k + 43 * number) + 0.7548776662 * (1 + i * i)
            v = 2.0 * (v - math.floor(v)) - 1.0
            out[k, i] = screws[k, i] + step * v * (1.0 if i < 3 else length)
            if i < 3:
                total += out[k, i] * out[k, i]
        for i in range(3):
            out[k, i] /= math.sqrt(total)
        out[k, 6] = screws[k, 6]


def solve_loop(
    screws: Floats,
    goal: Floats,
    first: int,
    turns: Floats,
    tolerance: float,
    out: Floats,
) -> int:
    """Write the solutions (k, 6) of a loop; return k.

    The arguments are those of `any_cut` of elimination. Every row is verified.
    """
    length = size(screws, goal)
    near = np.empty((6, 7))
    found = np.empty((out.shape[0], 6))
    x = np.empty(6)
    n = 0
    quiet = 0
    for number in range(NEIGHBOURS):
        moved(screws, number, length, near)
        k = any_cut(near, goal, first, turns, tolerance, found)
        before = n
        for r in range(k):
            for i in range(6):
                x[i] = found[r, i]
            if polish(screws, goal, x, 40, 1e-13) <= tolerance and n < out.shape[0]:
                n = keep(screws, x, out, n)
        quiet = quiet + 1 if n == before else 0
        if quiet == 2:
            break
    return n
