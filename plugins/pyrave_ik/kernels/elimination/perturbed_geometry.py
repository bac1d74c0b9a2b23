"""Solutions of a loop whose axes are so placed that every cut of it is singular.

Elimination solves loops in general position, and any small perturbation of a loop is
one. Regular solutions are continuous in the geometry: those of a
loop whose axes are moved by a hundred-thousandth lie so near that Newton's steps lead
from them to those of the loop in question, whose position is the only special thing
about it. Solutions where the loop is nearly singular may be lost on the way, so
several perturbed loops are solved, until two in turn bring nothing new.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.elimination.loop_cuts import any_cut, moved, size
from pyrave_ik.kernels.packed_arm import FIRST, TOLERANCE, TURNS
from pyrave_ik.kernels.singular.singular_poses import judged
from pyrave_ik.kernels.six_joint_loop import keep, polish

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

PERTURBATIONS = 8
"""Most perturbed loops that are solved."""


def solve_loop(
    screws: F64,
    goal: F64,
    first: int,
    turns: F64,
    tolerance: float,
    out: F64,
) -> int:
    """Write the solutions (k, 6) of a loop; return k.

    The arguments are those of `any_cut`. Every row is verified.
    """
    length = size(screws, goal)
    near = np.empty((6, 7))
    found = np.empty((out.shape[0], 6))
    x = np.empty(6)
    n = 0
    quiet = 0
    for number in range(PERTURBATIONS):
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


def prepare(_packed: F64) -> bool:
    """Do nothing: the screws are enough."""
    return True


def solutions(packed: F64, screws: F64, goal: F64, out: F64) -> int:
    """Write the rows (k, 7) of the loop; return k, or -1 - k if not sure."""
    turns = packed[TURNS : TURNS + 3]
    n = solve_loop(screws, goal, int(packed[FIRST]), turns, packed[TOLERANCE], out)
    return judged(screws, n if n > 0 else -1, out)
