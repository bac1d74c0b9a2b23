"""All solutions of a loop by elimination: from its cuts, and from perturbed loops.

Where axes are at right angles, parallel or meet, a root of a cut represents several
solutions at once, and Newton steps to one of them may miss the others, by every cut.
Any small perturbation of such a loop is in general position: its roots are single.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.elimination.raghavan_roth import solve
from pyrave_ik.kernels.six_joint_loop import keep, polish

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

CUTS = 12
"""Six, and six more that count half-tangents from elsewhere."""
ASIDE = 4
"""Most perturbed loops that are solved where a loop may have lost solutions."""
SAME = 4
"""Cuts in turn with the same solutions, which are then all."""
ELSEWHERE = 1.1
"""Step of the angles that half-tangents are counted from."""
STEP = 1e-4
"""Displacement of axes, in radians and in parts of the loop's size."""
LEAST = 1e-4
"""Size of a loop in metres that is taken where all points are one."""


def size(screws: F64, goal: F64) -> float:
    """Return a length of the loop: how far points of axes and the goal are apart."""
    far = LEAST
    for k in range(6):
        for i in range(3):
            far = max(far, abs(screws[k, 3 + i]), abs(goal[i, 3]))
    return far


def moved(screws: F64, number: int, length: float, out: F64) -> None:
    """Write a neighbour of a loop: each number has its own, the same every time.

    Odd ones are opposite to those before them: of two solutions that merge nothing is
    left on one side.
    """
    pair = number // 2
    # more and less, so that what is too far for one solution is not for the next
    step = STEP * (1.0, 4.0, 0.25)[pair % 3]
    if number % 2 == 1:
        step = -step
    for k in range(6):
        total = 0.0
        for i in range(6):
            # Weyl's sequence: numbers that keep no special position
            v = 0.6180339887 * (1 + 7 * k + 43 * pair) + 0.7548776662 * (1 + i * i)
            v = 2.0 * (v - math.floor(v)) - 1.0
            out[k, i] = screws[k, i] + step * v * (1.0 if i < 3 else length)
            if i < 3:
                total += out[k, i] * out[k, i]
        for i in range(3):
            out[k, i] /= math.sqrt(total)
        out[k, 6] = screws[k, 6]


def sure_cut(
    screws: F64,
    goal: F64,
    first: int,
    turns: F64,
    tolerance: float,
    out: F64,
) -> int:
    """Write all solutions (k, 6) by the first cut from `first` on that gives them.

    If all cuts lost some, or are singular, perturbed loops are solved, until two in
    turn are sure whose solutions lead to as many of this loop, and these are all that
    are known. Those that `SAME` in turn have also count, sure or not. Returns k, or
    -1 - k if neither is reached.
    """
    length = size(screws, goal)
    near = screws.copy()
    found = np.empty((32, 6))
    other = np.empty(3)
    x = np.empty(6)
    n = 0
    tried = 0
    agreed = 0
    same = 0
    k = 0
    while k < 2 * CUTS and tried < ASIDE:
        cut = (first + k) % 6
        if k >= CUTS:
            moved(screws, k - CUTS, length, near)
            # another one for each pair, as roots may be far out in some
            cut = (first + (k - CUTS) // 2) % 6
        for i in range(3):
            other[i] = turns[i] + (ELSEWHERE * (1 + i) if k >= 6 else 0.0)
        m = solve(near, goal, cut, other, tolerance, found)
        k += 1
        if m == -1:
            continue
        before = n
        here = m if m >= 0 else -2 - m
        for r in range(here):
            for i in range(6):
                x[i] = found[r, i]
            off = polish(screws, goal, x, 20, 1e-14)
            if off <= tolerance and n < out.shape[0]:
                n = keep(screws, x, out, n)
        agreed = 0 if n != m else agreed + 1 if n == before else 1
        same = same + 1 if here == n == before else 0
        if agreed == (1 if k <= CUTS else 2) or (same == SAME and n > 0):
            return n
        tried += k > CUTS
        if k >= 6:
            k = max(k, CUTS)
    return -1 - n


def any_cut(
    screws: F64,
    goal: F64,
    first: int,
    turns: F64,
    tolerance: float,
    out: F64,
) -> int:
    """Write the solutions (k, 6) that `sure_cut` finds; return k, sure or not."""
    n = sure_cut(screws, goal, first, turns, tolerance, out)
    return n if n >= 0 else -1 - n
