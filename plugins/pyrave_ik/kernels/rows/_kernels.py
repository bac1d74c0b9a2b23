"""All solutions of one loop: what a decomposition finds, or more at singular poses.

`solutions` is that of a decomposition: another module takes the place of the one that
is imported here (`KernelModule`'s `instead`). Each has the same two functions:

``prepare(plan) -> bool`` works out of the plan's loop what `solutions` needs, False
if the loop is none for it. ``solutions(plan, screws, goal, out) -> int`` writes the
rows (k, 7), column 6 zero, and returns k if these are all, or -1 - k if not sure. Then
`singular_rows` has the word: that of `kernels.neighbours`, which takes long to compile,
or, in its place, that of `kernels.unsure`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_ik.kernels.general._kernels import solutions
from pyrave_ik.kernels.neighbours._kernels import (
    REGULAR,
    singular_rows,
)
from pyrave_ik.kernels.plan._kernels import SURE

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

FRONT = 1
POSITIVE = 2
WHOLE = 3
"""Sides of virtual joints: a positive cosine, more than zero, a whole turn or none."""
SAME = 1e-6
ALONG_NORMAL = 1e-6
"""Length of the shadow of a unit direction below which it has no angle."""
LEVEL = 1e-9
"""How far a planar arm may be above or below its goal, metres."""


def loop_rows(
    plan: F64,
    screws: F64,
    goal: F64,
    virtual: F64,
    stage: int,
    out: F64,
) -> int:
    """Write the rows (k, 7) of a loop that differ in real joints; return k.

    Column 6 has the bits of joints that are free on a continuum. -1 if the loop may be
    singular and `singular_rows` is that of `kernels.unsure`.

    Parameters
    ----------
    goal
        (3, 4) what the loop closes to.
    virtual
        (v, 8) the last v joints are virtual; column 7 says what must hold of them.
    stage
        `REGULAR`, `ALONE` or `RETRY`.
    """
    n = solutions(plan, screws, goal, out)
    if n < 0:
        n = -1 - n
        if n > 0 or stage != REGULAR or plan[SURE] != 0.0:
            n = singular_rows(plan, screws, goal, stage, out, n)
            if n < 0:
                return n
    if virtual.shape[0] > 0:
        n = real_rows(screws, virtual, n, out)
    return n


def on_their_sides(row: F64, virtual: F64) -> bool:
    """Return whether virtual joints have values that the task allows."""
    start = 6 - virtual.shape[0]
    for j in range(virtual.shape[0]):
        value = row[start + j]
        side = virtual[j, 7]
        if side == FRONT and math.cos(value) <= ALONG_NORMAL:
            return False
        if side == POSITIVE and value <= 0.0:
            return False
        if side == WHOLE and virtual[j, 6] != 0.0 and abs(value) > LEVEL:
            return False
        if (
            side == WHOLE
            and virtual[j, 6] == 0.0
            and (abs(math.sin(value)) > SAME or math.cos(value) < 0.0)
        ):
            return False
    return True


def real_rows(screws: F64, virtual: F64, n: int, out: F64) -> int:
    """Leave the rows whose virtual joints are on their sides, equal arms once."""
    real = 6 - virtual.shape[0]
    count = 0
    for k in range(n):
        if not on_their_sides(out[k], virtual):
            continue
        new = True
        for other in range(count):
            same = True
            for i in range(real):
                d = abs(out[k, i] - out[other, i])
                if screws[i, 6] == 0.0:
                    d = min(d, 2.0 * math.pi - d)
                if d > SAME:
                    same = False
                    break
            if same:
                new = False
                break
        if new:
            for i in range(7):
                out[count, i] = out[k, i]
            out[count, 6] = int(out[k, 6]) & ((1 << real) - 1)
            count += 1
    return count
