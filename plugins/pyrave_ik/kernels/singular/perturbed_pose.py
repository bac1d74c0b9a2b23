"""All solutions of a loop at a singular pose: those of its neighbours lead to them.

`solutions` is that of a decomposition, as in `kernels.loop_solutions`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.jit import give_way
from pyrave_ik.kernels.elimination.general import solutions
from pyrave_ik.kernels.loop_solutions import RETRY, ROWS, is_believed
from pyrave_ik.kernels.packed_arm import ARM, AXIS, N_AXES, THRESHOLD
from pyrave_ik.kernels.singular.continua import (
    empty_store,
    lies_on,
    null_space,
    size_of,
)
from pyrave_ik.kernels.singular.nearest_points import HIGH, LOW, NEAR, boxed, placed
from pyrave_ik.kernels.singular.singular_newton import deviation
from pyrave_ik.kernels.singular.singular_poses import (
    ATTEMPTS,
    BLURRED,
    EXACT,
    SAME,
    added,
    extent,
    gathered,
    goes_on,
    nudged,
    sorted_out,
    spread,
)
from pyrave_ik.kernels.six_joint_loop import residual, twists

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

INTERPRETED = True
ROOM = 1e-3
"""Largest motion of joints that compensates one that is put on its limit."""
FEW = 4
"""Displacements that are tried where many loops seem to have no solutions."""


def loop_solutions(
    packed: F64,
    screws: F64,
    goal: F64,
    virtual: F64,
    near: F64,
    stage: int,
    out: F64,
) -> int:
    """Write the rows (k, 7) of a loop; return k.

    Each continuum has one row, its point inside the limits that is nearest to `near`;
    column 6 has bits of the joints that move.

    Parameters
    ----------
    goal
        (3, 4) what the loop closes to.
    virtual
        (v, 8) the last v joints are virtual; column 7 says what must hold of them.
    near
        (d,) joint values that rows of continua are to be near to; may be empty.
    stage
        `REGULAR`, `ALONE` or `RETRY`.
    """
    n = solutions(packed, screws, goal, out)
    if n >= 0:
        return n
    n = -1 - n
    if is_believed(packed, n, stage):
        return n
    perturbed = np.empty((3, 4))
    box = np.empty((6, 5))
    store = empty_store()
    found = np.empty((ROWS, 7))
    length = max(1.0, extent(screws, goal))
    attempts = FEW if stage == RETRY else ATTEMPTS
    for level in range(3):
        exact = EXACT * length
        if level == 1:
            exact = BLURRED * length
        elif level == 2:
            exact = packed[THRESHOLD]
            if stage != RETRY or exact == 0.0:
                break
        least, most = ROWS, 0
        for attempt in range(attempts):
            if INTERPRETED:
                give_way()
            before = n + size_of(store)
            nudged(goal, length, attempt, perturbed)
            k = solutions(packed, screws, perturbed, found)
            if k < 0:
                k = -1 - k
            least, most = min(least, k), max(most, k)
            n = gathered(screws, goal, found, k, exact, attempt, store, out, n)
            known = n + size_of(store)
            if not goes_on(attempt, before, known, least, most):
                break
        if n + size_of(store) == 0 and most == 0 and stage != RETRY:
            # axes that are always parallel: the loop reaches none of its neighbours
            k = spread(screws, goal, length, found)
            n = gathered(screws, goal, found, k, exact, 0, store, out, n)
        if n + size_of(store) > 0:
            break
    boxed(packed, virtual, near, box)
    x = box[:, NEAR].copy()
    if n < out.shape[0] - 1 and deviation(screws, goal, x) < EXACT * length:
        # where continua cross, those of neighbours may lead to one of them alone
        n = added(screws, goal, x, store, out, n)
    n = off_continua(screws, goal, store, out, sorted_out(screws, out, n))
    return placed(screws, goal, EXACT * length, box, store, out, n)


def off_continua(screws: F64, goal: F64, store: F64, out: F64, n: int) -> int:
    """Leave those of n rows that are on no continuum: they may be older than these."""
    kept: Any = np.int64(0)
    for r in range(n):
        if lies_on(screws, goal, store, out[r], SAME) < 0:
            for i in range(7):
                out[kept, i] = out[r, i]
            kept += 1
    return int(kept)


def kept_on_limits(
    packed: F64, screws: F64, goal: F64, y: F64, off: float, q: F64
) -> bool:
    """Close a singular loop whose joints were put on limits; False if that cannot be.

    Where two solutions merge, the error of a joint is the square root of the pose's,
    so that a joint on a limit may seem to be off it.

    Parameters
    ----------
    y
        (6,) values of the loop, some on limits.
    off
        How far the tool may be from the goal.
    q
        (d,) the arm's joints with limits; these follow.
    """
    reached = np.empty((3, 4))
    jacobian = np.empty((6, 6))
    twist = np.empty(6)
    null = np.empty((6, 6))
    step = np.zeros(6)
    box = np.empty((6, 5))
    start = y.copy()
    is_on = np.zeros(6)
    worst = math.inf
    for i in range(6):
        box[i, LOW], box[i, HIGH] = -math.inf, math.inf
    boxed(packed, np.empty((0, 8)), np.empty(0), box)
    for _ in range(10):
        for i in range(6):
            y[i] += step[i]
            y[i] = min(max(y[i], box[i, LOW]), box[i, HIGH])
            if y[i] == box[i, LOW] or y[i] == box[i, HIGH]:
                is_on[i] = 1.0
        twists(screws, y, reached, jacobian)
        worst = residual(reached, goal, twist)
        for i in range(6):
            for j in range(6):
                if is_on[i] != 0.0:
                    jacobian[j, i] = 0.0
        null_space(jacobian, twist, 1, null, step)
    kept = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] == 0.0:
            if not abs(y[kept] - start[kept]) < ROOM:
                return False
            q[int(packed[at + 9])] = (y[kept] - packed[at + 8]) * packed[at + 11]
            kept += 1
    return worst <= off
