"""From a goal to joint values: loops for held joints, full turns, limits, the nearest.

Arrays that the kernels take: `plan`, see `kernels.plan`. `base` and `pose`,
T_world_base and T_world_goal, (3 or 4, 4). `virtual` (k, 8): virtual joints of the goal
and their sides. `samples` (m, f): values of the held axes, one row if there are none.
`near` (d,): joint values, may be empty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.general._kernels import prepare
from pyrave_ik.kernels.loops._kernels import copied, end
from pyrave_ik.kernels.neighbours._kernels import kept_on_limits, loop_solutions
from pyrave_ik.kernels.plan._kernels import (
    ARM,
    AS_IT_IS,
    AXIS,
    LIMITS,
    N_AXES,
    N_FREE,
    N_JOINTS,
    ONE_TURN,
    SCREWS,
    SURE,
    THRESHOLD,
    TOLERANCE,
    WITHIN,
    bounds_at,
    close,
    is_fixed,
    relative,
    rigid,
    target,
)
from pyrave_ik.kernels.rows._kernels import ALONE, REGULAR, RETRY, ROWS, real_rows

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

SLACK = 1e-6
"""How far outside of its limit a joint may be to be put on it, if the tool stays."""
MANY = 2


def answers(
    plan: F64,
    base: F64,
    pose: F64,
    virtual: F64,
    samples: F64,
    near: F64,
    out: F64,
) -> int:
    """Write joint values for a goal as rows; return how many there are.

    They may be more than `out` has rows: the rest is not written. Every row closes its
    loop to its tolerance. -1 - s: with sample s the loop is none for the decomposition.
    -1 - m: a loop may be singular, and these kernels are those that do not go into it.

    Parameters
    ----------
    samples
        With `near`, in the order of their distance from it.
    near
        Where rows of continua are near to it. If `out` has one row, that is the row
        nearest to it. Empty: all rows, those of continua near the middle of the limits.
    out
        (m, d): joint values. (m, d + 1): and bits of the joints that are free on a
        continuum of which the row is one point. (m, 2 d + 8): also the number of the
        sample, the six values of the loop, and how far each joint is outside its limits
        (d), negative if it is below; rows that are outside follow in this form only.
    """
    goal = np.empty((3, 4))
    closing = np.empty((3, 4))
    rows = np.empty((ROWS, 7))
    work = plan
    fixed = is_fixed(plan, virtual)
    relative(base, pose, goal)
    if fixed:
        target(plan, goal, closing)
    else:
        work = np.empty(plan.shape[0])
        for i in range(plan.shape[0]):
            work[i] = plan[i]
    screws = work[SCREWS : SCREWS + 42].reshape(6, 7)
    stage = REGULAR
    if samples.shape[0] == 1 and plan[THRESHOLD] == 0.0:
        stage = ALONE
    off = plan[TOLERANCE]
    nearest = near.shape[0] > 0 and out.shape[0] == 1
    n: Any = np.int64(0)  # no literal, of which numba would compile a form of its own
    best = math.inf
    while True:
        found = False
        for s in range(samples.shape[0]):
            held = samples[s]
            if nearest and n > 0 and way_of(plan, held, near) > best:
                break
            if not fixed:
                close(work, held, virtual, goal, closing)
                if not prepare(work):
                    return -1 - s
            k = loop_solutions(work, screws, closing, virtual, near, stage, rows)
            if k < 0:
                return int(-1 - samples.shape[0])
            if virtual.shape[0] > 0:
                k = real_rows(screws, virtual, k, rows)
            found = found or k > 0
            if nearest:
                for r in range(k):
                    way = nearer(
                        work, screws, closing, held, rows[r], near, best, off, out[0]
                    )
                    if way < best:
                        best = way
                        n = 1
            elif k > 0:
                n = listed(work, screws, closing, held, s, rows, k, off, out, n)
        if found or stage != REGULAR or (plan[SURE] != 0.0 and plan[THRESHOLD] == 0.0):
            return int(n)
        stage = RETRY
        off = max(off, plan[THRESHOLD])


def pose_answers(plan: F64, pose: F64, out: F64) -> int:
    """Do what `answers` does for T_base_goal, with fewer arrays to hand over.

    Each of them takes Python as long as a tenth of the equations. -1 for plans with
    held joints or a threshold, -3 for a pose or rows of another shape: the caller is
    anyone, and nothing else keeps it from memory that is not its own.
    """
    if plan[N_FREE] != 0.0 or plan[THRESHOLD] != 0.0:
        return -1
    if out.shape[1] != plan[N_JOINTS] or pose.shape[0] < 3 or pose.shape[1] != 4:
        return -3
    rows = np.empty((ROWS, 7))
    ends = np.empty((2, 3, 4))
    goal, closing = ends[0], ends[1]
    copied(pose, goal)
    rigid(goal)
    target(plan, goal, closing)
    screws = plan[SCREWS : SCREWS + 42].reshape(6, 7)
    k = loop_solutions(plan, screws, closing, screws[6:], plan[:0], ALONE, rows)
    if k < 0:
        return -2
    first: Any = np.int64(0)
    off = plan[TOLERANCE]
    return listed(plan, screws, closing, plan[:0], 0, rows, k, off, out, first)


def batch(
    plan: F64,
    base: F64,
    poses: F64,
    samples: F64,
    near: F64,
    out: F64,
    counts: F64,
) -> int:
    """Write rows of poses (p, 4, 4) one behind the other and how many of each.

    Returns the number of poses done: less than p where `out` is full, or where
    `answers` has a negative result. That is returned if it is the first pose's.
    """
    virtual = np.empty((0, 8))
    n = 0
    for p in range(poses.shape[0]):
        if out.shape[0] - n == 1:
            return p  # not the nearest row, which that would mean
        k = answers(plan, base, poses[p], virtual, samples, near, out[n:])
        if k < 0:
            return k if p == 0 else p
        counts[p] = k
        if n + k > out.shape[0]:
            return p
        n += k
    return int(poses.shape[0])


def way_of(plan: F64, held: F64, near: F64) -> float:
    """Return the squared distance of the held joints from `near`."""
    way = 0.0
    used = 0
    for i in range(int(plan[N_AXES])):
        at = ARM + AXIS * i
        if plan[at + 10] != 0.0:
            value = (held[used] - plan[at + 8]) * plan[at + 11]
            way += (value - near[int(plan[at + 9])]) ** 2
            used += 1
    return way


def joints(plan: F64, held: F64, x: F64, q: F64) -> None:
    """Write the arm's joint values (d,) of a loop's values and the held ones."""
    kept = 0
    used = 0
    for i in range(int(plan[N_AXES])):
        at = ARM + AXIS * i
        if plan[at + 10] != 0.0:
            value = held[used]
            used += 1
        else:
            value = x[kept]
            kept += 1
        q[int(plan[at + 9])] = (value - plan[at + 8]) * plan[at + 11]


def lowest(plan: F64, q: F64, count: F64) -> float:
    """Move joints by whole turns to their least values inside; return combinations.

    `count` gets how many values each joint has. Where one has none, `q` is anywhere.
    """
    at = bounds_at(plan)
    total = 1.0
    for i in range(q.shape[0]):
        value = q[i]
        mode = plan[at + 2]
        period = plan[at + 4]
        number = 1.0
        if mode == WITHIN:
            low = plan[at] - SLACK
            high = plan[at + 1] + SLACK
            if period == 0.0:
                number = 1.0 if low <= value <= high else 0.0
            else:
                if not low <= value < low + period:
                    value += period * math.ceil((low - value) / period)
                number = 0.0
                if value <= high:
                    number = 1.0
                    if value + period <= high:
                        number += math.floor((high - value) / period)
            if number == 0.0:
                return 0.0
        elif mode == ONE_TURN and period != 0.0:
            ahead = plan[at + 3] - value
            if abs(ahead) > 0.5 * period:
                value += period * math.floor(ahead / period + 0.5)
        q[i] = value
        count[i] = number
        total *= number
        at += LIMITS
    return total


def turns(plan: F64, held: F64, x: F64, q: F64, count: F64) -> float:
    """Write joint values of a row at their lowest turns; see `lowest`.

    Joints that move on a continuum have the values that they have.
    """
    joints(plan, held, x, q)
    moving = moving_joints(plan, int(x[6]))
    if moving == 0:
        return lowest(plan, q, count)
    values = q.copy()
    total = lowest(plan, q, count)
    at = bounds_at(plan)
    for i in range(q.shape[0]):
        if moving >> i & 1 and plan[at + 2] == WITHIN:
            if not plan[at] - SLACK <= values[i] <= plan[at + 1] + SLACK:
                return 0.0
            total /= max(count[i], 1.0)
            q[i] = values[i]
            count[i] = 1.0
        at += LIMITS
    return total


def moving_joints(plan: F64, mask: int) -> int:
    """Return bits of the arm's joints from those of the loop's."""
    if mask == 0:
        return 0
    kept = 0
    moving = 0
    for i in range(int(plan[N_AXES])):
        at = ARM + AXIS * i
        if plan[at + 10] == 0.0:
            moving |= (mask >> kept & 1) << int(plan[at + 9])
            kept += 1
    return moving


def nearer(
    plan: F64,
    screws: F64,
    goal: F64,
    held: F64,
    x: F64,
    near: F64,
    best: float,
    off: float,
    out: F64,
) -> float:
    """Write a row at the turns nearest to `near` if it is nearer than the best so far.

    Returns the squared distance, infinite if it is not.
    """
    q = np.empty((3, near.shape[0]))
    if turns(plan, held, x, q[0], q[1]) == 0.0:
        return math.inf
    at = bounds_at(plan)
    way = 0.0
    edges = 0
    for i in range(near.shape[0]):
        period = plan[at + 4]
        if period != 0.0 and plan[at + 2] != AS_IT_IS:
            turn = math.floor((near[i] - q[0, i]) / period + 0.5)
            if plan[at + 2] == WITHIN:
                turn = min(max(turn, 0.0), q[1, i] - 1.0)
            q[0, i] += turn * period
            out_of = not plan[at] <= q[0, i] <= plan[at + 1]
            if plan[at + 2] == WITHIN and out_of and q[1, i] > 1.0:
                edges |= 1 << i
        way += (q[0, i] - near[i]) ** 2
        at += LIMITS
    if way >= best:
        return math.inf
    if edges > 0:
        return nearest_turn(plan, screws, goal, x, near, best, off, edges, q, out)
    if not inside(plan, screws, goal, x, q[0], off):
        return math.inf
    written(plan, 0, x, q[0], out)
    return way


def nearest_turn(
    plan: F64,
    screws: F64,
    goal: F64,
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
    limits = bounds_at(plan)
    least = best
    some = edges
    while True:
        at = limits
        way = 0.0
        for i in range(near.shape[0]):
            q[2, i] = q[0, i]
            if some >> i & 1:
                q[2, i] += plan[at + 4] if q[0, i] < plan[at] else -plan[at + 4]
            way += (q[2, i] - near[i]) ** 2
            at += LIMITS
        if way < least and inside(plan, screws, goal, x, q[2], off):
            written(plan, 0, x, q[2], out)
            least = way
        if some == 0:
            return least if least < best else math.inf
        some = (some - 1) & edges


def inside(
    plan: F64,
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
    at = bounds_at(plan)
    moved = False
    for i in range(q.shape[0]):
        if plan[at + 2] == WITHIN:
            if q[i] < plan[at]:
                q[i] = plan[at]
                moved = True
            elif q[i] > plan[at + 1]:
                q[i] = plan[at + 1]
                moved = True
        at += LIMITS
    if not moved:
        return True
    y = np.empty(6)
    for i in range(6):
        y[i] = x[i]
    kept = 0
    for i in range(int(plan[N_AXES])):
        at = ARM + AXIS * i
        if plan[at + 10] == 0.0:
            y[kept] = plan[at + 7] * q[int(plan[at + 9])] + plan[at + 8]
            kept += 1
    reached = np.empty((3, 4))
    end(screws, y, reached)
    worst = 0.0
    for i in range(3):
        for j in range(4):
            worst = max(worst, abs(reached[i, j] - goal[i, j]))
    return worst <= off or kept_on_limits(plan, screws, goal, y, off, q)


def listed(
    plan: F64,
    screws: F64,
    goal: F64,
    held: F64,
    sample: int,
    rows: F64,
    k: int,
    off: float,
    out: F64,
    n: int,
) -> int:
    """Add k rows of a loop as joint values inside the limits; return how many."""
    d = int(plan[N_JOINTS])
    width = out.shape[1]
    # rows that need nothing else are where they belong after this, if all before are so
    room = min(n + k, out.shape[0]) - n if width <= d + 1 else 0
    all_joints(plan, held, rows, room, out, n)
    first = n
    for r in range(k):
        here = first + r
        if r < room and n <= here and rows[r, 6] == 0.0:
            number = settled(plan, out[here])
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
        n = all_turns(plan, screws, goal, held, sample, rows[r], off, out, n)
    return n


def all_joints(plan: F64, held: F64, rows: F64, k: int, out: F64, n: int) -> None:
    """Do what `joints` does for k rows of a loop, to rows of `out` from n on."""
    kept = 0
    used = 0
    for i in range(int(plan[N_AXES])):
        at = ARM + AXIS * i
        joint = int(plan[at + 9])
        constant, inverse = plan[at + 8], plan[at + 11]
        if plan[at + 10] != 0.0:
            value = (held[used] - constant) * inverse
            used += 1
            for r in range(k):
                out[n + r, joint] = value
        else:
            for r in range(k):
                out[n + r, joint] = (rows[r, kept] - constant) * inverse
            kept += 1


def settled(plan: F64, q: F64) -> int:
    """Put joints (d,) inside their limits, whole turns away; return in how many ways.

    0 and 1 are exact. Else the joints are anywhere, and `all_turns` knows.
    """
    limits = bounds_at(plan)
    calm = True
    at = limits
    for i in range(int(plan[N_JOINTS])):
        calm &= plan[at + 5] <= q[i] <= plan[at + 6]
        at += LIMITS
    if calm:
        return 1
    number = 1
    for i in range(int(plan[N_JOINTS])):
        at = limits + LIMITS * i
        value = q[i]
        if plan[at + 5] <= value <= plan[at + 6]:
            continue
        low = plan[at] - SLACK
        high = plan[at + 1] + SLACK
        period = plan[at + 4]
        if plan[at + 2] != WITHIN or low <= value <= high:
            number = MANY
            continue
        turn = period if value < low else -period
        new = value + turn
        if period == 0.0 or not low <= new <= high:
            # a turn farther may be inside if this one is not beyond
            if period == 0.0 or (new > high) == (turn > 0.0):
                return 0
            number = MANY
        elif plan[at] <= new <= plan[at + 1] and not low <= new + turn <= high:
            q[i] = new
        else:
            number = MANY
    return number


def all_turns(
    plan: F64,
    screws: F64,
    goal: F64,
    held: F64,
    sample: int,
    x: F64,
    off: float,
    out: F64,
    n: int,
) -> int:
    """Add all values whole turns apart inside the limits to n rows; return how many."""
    d = int(plan[N_JOINTS])
    q = np.empty((3, d))
    total = turns(plan, held, x, q[0], q[1])
    before = n
    for number in range(int(total)):
        rest = number
        at = bounds_at(plan)
        for i in range(d):
            some = int(q[1, i])
            q[2, i] = q[0, i] + (rest % some) * plan[at + 4]
            rest //= some
            at += LIMITS
        if inside(plan, screws, goal, x, q[2], off):
            if n < out.shape[0]:
                written(plan, sample, x, q[2], out[n])
            n += 1
    if n == before and out.shape[1] > d + 1:
        if n < out.shape[0]:
            joints(plan, held, x, q[0])
            written(plan, sample, x, q[0], out[n])
            outside(plan, q[0], out[n, d + 8 :])
        n += 1
    return n


def outside(plan: F64, q: F64, out: F64) -> None:
    """Write how far joints are outside of their limits at their nearest turns."""
    at = bounds_at(plan)
    for i in range(q.shape[0]):
        out[i] = 0.0
        if plan[at + 2] == WITHIN:
            over = q[i] - plan[at + 1]
            under = plan[at] - q[i]
            period = plan[at + 4]
            if period != 0.0:
                over -= period * math.floor(over / period)
                under -= period * math.floor(under / period)
                # ways up from the upper and to the lower limit: what the range leaves
                # of a turn, or of two turns from inside
                if over + under > 1.5 * period - (plan[at + 1] - plan[at]):
                    over = under = 0.0
            if over > 0.0 and (under <= 0.0 or over <= under):
                out[i] = over
            elif under > 0.0:
                out[i] = -under
        at += LIMITS


def written(plan: F64, sample: int, x: F64, q: F64, out: F64) -> None:
    """Write a row as `answers` does."""
    d = q.shape[0]
    for i in range(d):
        out[i] = q[i]
    if out.shape[0] == d:
        return
    out[d] = moving_joints(plan, int(x[6]))
    if out.shape[0] > d + 1:
        out[d + 1] = sample
        for i in range(6):
            out[d + 2 + i] = x[i]
        for i in range(d):
            out[d + 8 + i] = 0.0
