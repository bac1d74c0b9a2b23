"""Rows of a loop as joint values within limits: at all turns, or the nearest.

Arrays as in `kernels.solve`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.packed_arm import (
    ARM,
    AS_IT_IS,
    AXIS,
    LIMITS,
    N_AXES,
    N_FREE,
    N_JOINTS,
    ONE_TURN,
    WITHIN,
    bounds_at,
    turns_at,
)
from pyrave_ik.kernels.singular.perturbed_pose import kept_on_limits
from pyrave_ik.kernels.six_joint_loop import end
from pyrave_ik.kernels.turns import (
    MANY,
    all_joints,
    joints,
    moving_joints,
    outside,
    settled,
    turns,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

HELD_OFF = 1e-10
"""Violation of a limit up to which a held joint is put on it."""

JIT_NO_ARRAYS = ("distance", "written", "are_held_inside")


def nearest_row(
    packed: F64,
    screws: F64,
    goal: F64,
    held: F64,
    sample: int,
    rows: F64,
    k: int,
    near: F64,
    best: float,
    off: float,
    out: F64,
) -> float:
    """Write the nearest of k rows if it is nearer than the best so far.

    Returns the squared distance of the nearest that was written, or else `best`.
    """
    scratch = np.empty((k, near.shape[0]))
    all_joints(packed, held, rows, k, scratch, 0)
    for r in range(k):
        # rows that need nothing else are where they belong after this
        number = MANY
        if rows[r, 6] == 0.0:
            number = settled(packed, near, False, scratch, r)
        if number == 1:
            way = distance(packed, near, scratch, r)
            if way < best:
                best = way
                written(packed, sample, rows[r], scratch[r], out)
        elif number != 0:
            x = rows[r]
            way = nearer(
                packed, screws, goal, held, sample, x, near, best, off, True, out
            )
            best = min(best, way)
    return best


def distance(packed: F64, near: F64, rows: F64, r: int) -> float:
    """Return the squared distance of a row from (d,), joints without limits turned."""
    at = bounds_at(packed)
    way = 0.0
    for i in range(near.shape[0]):
        period = packed[at + 4]
        off = rows[r, i] - near[i]
        if packed[at + 2] == ONE_TURN and period != 0.0:
            turn = period * math.floor(0.5 - off / period)
            rows[r, i] += turn
            off += turn
        way += off * off
        at += LIMITS
    return way


def nearer(
    packed: F64,
    screws: F64,
    goal: F64,
    held: F64,
    sample: int,
    x: F64,
    near: F64,
    best: float,
    off: float,
    endless: bool,
    out: F64,
) -> float:
    """Write a row at the turns nearest to `near` if it is nearer than the best so far.

    Returns the squared distance, infinite if it is not.

    Parameters
    ----------
    endless
        Whether joints without limits are moved by turns, too.
    """
    q = np.empty((3, near.shape[0]))
    if turns(packed, held, x, q[0], q[1]) == 0.0:
        return math.inf
    at = bounds_at(packed)
    way = 0.0
    edges = 0
    for i in range(near.shape[0]):
        period = packed[at + 4]
        movable = packed[at + 2] == WITHIN or (endless and packed[at + 2] != AS_IT_IS)
        if period != 0.0 and movable:
            turn = math.floor((near[i] - q[0, i]) / period + 0.5)
            if packed[at + 2] == WITHIN:
                turn = min(max(turn, 0.0), q[1, i] - 1.0)
            q[0, i] += turn * period
            out_of = not packed[at] <= q[0, i] <= packed[at + 1]
            if packed[at + 2] == WITHIN and out_of and q[1, i] > 1.0:
                edges |= 1 << i
        way += (q[0, i] - near[i]) ** 2
        at += LIMITS
    if way >= best:
        return math.inf
    if edges > 0:
        return nearest_turn(
            packed, screws, goal, sample, x, near, best, off, edges, q, out
        )
    if not inside(packed, screws, goal, x, q[0], off):
        return math.inf
    written(packed, sample, x, q[0], out)
    return way


def nearest_turn(
    packed: F64,
    screws: F64,
    goal: F64,
    sample: int,
    x: F64,
    near: F64,
    best: float,
    off: float,
    edges: int,
    q: F64,
    out: F64,
) -> float:
    """Do what `nearer` does where turns are just outside of limits, others inside.

    The tool may miss where such joints are put on their limits.

    Parameters
    ----------
    edges
        Bits of these joints.
    q
        (3, d) joint values at the turns nearest to `near`; the rest is changed.
    """
    limits = bounds_at(packed)
    least = best
    some = edges
    while True:
        at = limits
        way = 0.0
        for i in range(near.shape[0]):
            q[2, i] = q[0, i]
            if some >> i & 1:
                q[2, i] += packed[at + 4] if q[0, i] < packed[at] else -packed[at + 4]
            way += (q[2, i] - near[i]) ** 2
            at += LIMITS
        if way < least and inside(packed, screws, goal, x, q[2], off):
            written(packed, sample, x, q[2], out)
            least = way
        if some == 0:
            return least if least < best else math.inf
        some = (some - 1) & edges


def inside(
    packed: F64,
    screws: F64,
    goal: F64,
    x: F64,
    q: F64,
    off: float,
) -> bool:
    """Put joints that are just outside of limits onto them; False if it moves the tool.

    Where the loop is singular, other joints may make up for that.

    Parameters
    ----------
    x
        (6,) values of the loop that closes to `goal`.
    q
        (d,) joint values.
    off
        How far the tool may be from the goal, as deviation of an entry.
    """
    if packed[N_FREE] != 0.0 and not are_held_inside(packed, q):
        return False
    at = bounds_at(packed)
    moved = False
    for i in range(q.shape[0]):
        if packed[at + 2] == WITHIN:
            if q[i] < packed[at]:
                q[i] = packed[at]
                moved = True
            elif q[i] > packed[at + 1]:
                q[i] = packed[at + 1]
                moved = True
        at += LIMITS
    if not moved:
        return True
    y = x[:6].copy()
    return miss(packed, screws, goal, q, y) <= off or kept_on_limits(
        packed, screws, goal, y, off, q
    )


def are_held_inside(packed: F64, q: F64) -> bool:
    """Return True if held joints of (d,) are inside limits, but for rounding.

    The loop has them as they were: the tool would miss by what they are moved.
    """
    limits = bounds_at(packed)
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] != 0.0:
            joint = int(packed[at + 9])
            at = limits + LIMITS * joint
            over = max(packed[at] - q[joint], q[joint] - packed[at + 1])
            if packed[at + 2] == WITHIN and over > HELD_OFF:
                return False
    return True


def miss(packed: F64, screws: F64, goal: F64, q: F64, y: F64) -> float:
    """Return the greatest deviation of an entry of where joint values take the tool.

    Parameters
    ----------
    y
        (6,) gets the values of the loop's axes that are joints; it has those of others.
        Empty: there are no others.
    """
    if y.shape[0] == 0:
        y = np.empty(6)
    kept = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] == 0.0:
            y[kept] = packed[at + 7] * q[int(packed[at + 9])] + packed[at + 8]
            kept += 1
    reached = np.empty((3, 4))
    end(screws, y, reached)
    worst = 0.0
    for i in range(3):
        for j in range(4):
            worst = max(worst, abs(reached[i, j] - goal[i, j]))
    return worst


def listed(
    packed: F64,
    screws: F64,
    goal: F64,
    held: F64,
    sample: int,
    rows: F64,
    k: int,
    off: float,
    near: F64,
    out: F64,
    n: int,
) -> int:
    """Add k rows of a loop as joint values inside the limits; return how many."""
    d = int(packed[N_JOINTS])
    every = packed[turns_at(packed)] != 0.0
    width = out.shape[1]
    # rows that need nothing else are where they belong after this, if all before are so
    room = min(n + k, out.shape[0]) - n if width <= d + 1 else 0
    all_joints(packed, held, rows, room, out, n)
    first = n
    for r in range(k):
        here = first + r
        if r < room and n <= here and rows[r, 6] == 0.0:
            number = settled(packed, near, every, out, here)
            if number == 0:
                continue
            if number == 1:
                if n < here:
                    for i in range(d):
                        out[n, i] = out[here, i]
                if width > d:
                    out[n, d] = 0.0
                n += 1
                continue
        x = rows[r]
        n = all_turns(packed, screws, goal, held, sample, x, off, near, every, out, n)
    return n


def all_turns(
    packed: F64,
    screws: F64,
    goal: F64,
    held: F64,
    sample: int,
    x: F64,
    off: float,
    near: F64,
    every: bool,
    out: F64,
    n: int,
) -> int:
    """Add values whole turns apart inside the limits to n rows; return how many.

    All, or those nearest to `near`, see `settled`.
    """
    d = int(packed[N_JOINTS])
    q = np.empty((3, d))
    total = 0.0
    before = n
    if every:
        total = turns(packed, held, x, q[0], q[1])
    else:
        row = out[n] if n < out.shape[0] else np.empty(out.shape[1])
        far = math.inf
        if (
            nearer(packed, screws, goal, held, sample, x, near, far, off, False, row)
            < far
        ):
            n += 1
    for number in range(int(total)):
        rest = number
        at = bounds_at(packed)
        for i in range(d):
            some = int(q[1, i])
            q[2, i] = q[0, i] + (rest % some) * packed[at + 4]
            rest //= some
            at += LIMITS
        if inside(packed, screws, goal, x, q[2], off):
            if n < out.shape[0]:
                written(packed, sample, x, q[2], out[n])
            n += 1
    if n == before and out.shape[1] > d + 1:
        if n < out.shape[0]:
            joints(packed, held, x, q[0])
            written(packed, sample, x, q[0], out[n])
            outside(packed, q[0], out[n, d + 8 :])
        n += 1
    return n


def written(packed: F64, sample: int, x: F64, q: F64, out: F64) -> None:
    """Write a row as `solve` does."""
    d = q.shape[0]
    for i in range(d):
        out[i] = q[i]
    if out.shape[0] == d:
        return
    out[d] = moving_joints(packed, int(x[6]))
    if out.shape[0] > d + 1:
        out[d + 1] = sample
        for i in range(6):
            out[d + 2 + i] = x[i]
        for i in range(d):
            out[d + 8 + i] = 0.0
