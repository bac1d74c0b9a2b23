"""From a goal to joint values: loops for held joints, full turns, limits, the nearest.

Arrays that the kernels take: `packed`, see `kernels.packed_arm`. `base` and `pose`,
T_world_base and T_world_goal, (3 or 4, 4). `virtual` (k, 8): virtual joints of the goal
and their sides. `samples` (m, f): values of the held axes, one row if there are none.
`near` (d,): joint values, may be empty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.general import prepare
from pyrave_ik.kernels.loop_solutions import ALONE, REGULAR, RETRY, ROWS, real_rows
from pyrave_ik.kernels.loops import copied, end
from pyrave_ik.kernels.packed_arm import (
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
    reference,
    relative,
    rigid,
    target,
    turns_at,
)
from pyrave_ik.kernels.singular.perturbed_pose import kept_on_limits, loop_solutions
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

ROUNDING = 1e-12
"""How far products of rotations are off by rounding alone."""
ABOUT = 1e-6
"""Entries of poses that differ by more are certainly not those of one configuration."""

JIT_NO_ARRAYS = ("is_exact", "is_at", "way_of", "distance", "written")


def solve(
    packed: F64,
    base: F64,
    pose: F64,
    virtual: F64,
    samples: F64,
    near: F64,
    out: F64,
) -> int:
    """Write joint values for a goal as rows; return how many there are.

    They may be more than `out` has rows: the rest is not written. Every row closes its
    loop to its tolerance. -1 - s: the decomposition does not fit the loop of sample s.
    -1 - m: a loop may be singular, and these kernels are those that do not go into it.

    Parameters
    ----------
    samples
        With `near`, in the order of their distance from it.
    near
        Joints are at the turns nearest to it unless the packed arm lists all turns, and
        rows of continua are near to it. If `out` has one row, that is the row nearest
        to it: `near` itself where it meets the goal within limits, before a loop is
        solved. Empty: all rows, near the packed arm's reference.
    out
        (m, d): joint values. (m, d + 1): and bits of the joints that are free on a
        continuum of which the row is one point. (m, 2 d + 8): also the number of the
        sample, the six values of the loop, and how far each joint is outside its limits
        (d), negative if it is below; rows that are outside follow in this form only.
    """
    return solved(packed, base, pose, virtual, samples, near, True, out)


def solved(
    packed: F64,
    base: F64,
    pose: F64,
    virtual: F64,
    samples: F64,
    near: F64,
    at_goal: bool,
    out: F64,
) -> int:
    """Do `solve`.

    Parameters
    ----------
    at_goal
        Whether the arm may meet the goal at `near`.
    """
    ends = np.empty((2, 3, 4))
    goal, closing = ends[0], ends[1]
    rows = np.empty((ROWS, 7))
    work = packed
    fixed = is_fixed(packed, virtual)
    relative(base, pose, goal)
    nearest = near.shape[0] > 0 and out.shape[0] == 1
    if fixed:
        target(packed, goal, closing)
        if nearest and at_goal and meets(packed, closing, near):
            for i in range(near.shape[0]):
                out[0, i] = near[i]
            return 1
    else:
        work = np.empty(packed.shape[0])
        for i in range(packed.shape[0]):
            work[i] = packed[i]
    screws = work[SCREWS : SCREWS + 42].reshape(6, 7)
    stage = REGULAR
    if samples.shape[0] == 1 and packed[THRESHOLD] == 0.0:
        stage = ALONE
    off = packed[TOLERANCE]
    around = reference(packed, near)
    n: Any = np.int64(0)  # no literal, of which numba would compile a form of its own
    best = math.inf
    while True:
        found = False
        for s in range(samples.shape[0]):
            held = samples[s]
            if nearest and n > 0 and way_of(packed, held, near) > best:
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
                way = nearest_row(
                    work, screws, closing, held, s, rows, k, near, best, off, out[0]
                )
                if way < best:
                    best = way
                    n = 1
            elif k > 0:
                n = listed(work, screws, closing, held, s, rows, k, off, around, out, n)
        if (
            found
            or stage != REGULAR
            or (packed[SURE] != 0.0 and packed[THRESHOLD] == 0.0)
        ):
            return int(n)
        stage = RETRY
        off = max(off, packed[THRESHOLD])


def solve_current(record: F64, links: F64, values: F64, pose: F64, out: F64) -> int:
    """Do `solve` for a pose in the world and the current configuration.

    One call gathers and checks what Python would otherwise have to. -3: the pose is
    not exactly rigid; the full call normalises it, or raises.

    Parameters
    ----------
    record
        A packed arm without held axes, behind it (d,) the numbers of the arm's joints,
        those of its first and last links, and (3, 4) the tool in the last one.
    links
        (n, 4, 4) T_world_link of the robot.
    values
        Of all joints of the robot.
    """
    if pose.shape[0] != 4 or pose.shape[1] != 4 or not is_exact(pose):
        return -3
    d = int(record[N_JOINTS])
    at = turns_at(record) + 1 + d
    near = np.empty(d)
    for i in range(d):
        near[i] = values[int(record[at + i])]
    at += d
    none = record[:0]
    virtual, samples = none.reshape((0, 8)), none.reshape((1, 0))
    at_goal = is_at(links, int(record[at + 1]), record, at + 2, pose)
    base = links[int(record[at])]
    return solved(record, base, pose, virtual, samples, near, at_goal, out)


def is_at(links: F64, link: int, record: F64, at: int, pose: F64) -> bool:
    """Return whether a tool that is fixed to a link is about at a pose.

    Parameters
    ----------
    record, at
        (3, 4) T_link_tool begins there.
    """
    for i in range(3):
        for j in range(4):
            off = -pose[i, j]
            for k in range(3):
                off += links[link, i, k] * record[at + 4 * k + j]
            if j == 3:
                off += links[link, i, 3]
            if not abs(off) < ABOUT:
                return False
    return True


def is_exact(pose: F64) -> bool:
    """Return whether (4, 4) is a rigid transform up to rounding, and finite.

    As `pyrave.spatial.as_pose` has it: the third row of a rotation is the product of
    the others.
    """
    a, b, c = pose[0, 0], pose[0, 1], pose[0, 2]
    d, e, f = pose[1, 0], pose[1, 1], pose[1, 2]
    g, h, i = pose[2, 0], pose[2, 1], pose[2, 2]
    # a comparison with NaN is false
    return bool(
        abs(a * a + b * b + c * c - 1.0) < ROUNDING
        and abs(d * d + e * e + f * f - 1.0) < ROUNDING
        and abs(a * d + b * e + c * f) < ROUNDING
        and abs(b * f - c * e - g) < ROUNDING
        and abs(c * d - a * f - h) < ROUNDING
        and abs(a * e - b * d - i) < ROUNDING
        and (pose[0, 3] + pose[1, 3] + pose[2, 3]) * 0.0 == 0.0
        and pose[3, 0] == 0.0
        and pose[3, 1] == 0.0
        and pose[3, 2] == 0.0
        and pose[3, 3] == 1.0
    )


def solve_pose(packed: F64, pose: F64, out: F64) -> int:
    """Do what `solve` does for T_base_goal, with fewer arrays to hand over.

    Each of them takes Python as long as a tenth of the equations. -1 for packed arms
    with held joints or a threshold, -3 for a pose or rows of another shape: the caller
    is anyone, and nothing else keeps it from memory that is not its own.
    """
    if packed[N_FREE] != 0.0 or packed[THRESHOLD] != 0.0:
        return -1
    if out.shape[1] != packed[N_JOINTS] or pose.shape[0] < 3 or pose.shape[1] != 4:
        return -3
    rows = np.empty((ROWS, 7))
    ends = np.empty((2, 3, 4))
    goal, closing = ends[0], ends[1]
    copied(pose, goal)
    rigid(goal)
    target(packed, goal, closing)
    screws = packed[SCREWS : SCREWS + 42].reshape(6, 7)
    k = loop_solutions(packed, screws, closing, screws[6:], packed[:0], ALONE, rows)
    if k < 0:
        return -2
    first: Any = np.int64(0)
    off = packed[TOLERANCE]
    none = packed[:0]
    around = reference(packed, none)
    return listed(packed, screws, closing, none, 0, rows, k, off, around, out, first)


def solve_batch(
    packed: F64,
    base: F64,
    poses: F64,
    samples: F64,
    near: F64,
    out: F64,
    counts: F64,
) -> int:
    """Write rows of poses (p, 4, 4) one behind the other and how many of each.

    Returns the number of poses done: less than p where `out` is full, or where
    `solve` has a negative result. That is returned if it is the first pose's.
    """
    virtual = np.empty((0, 8))
    n = 0
    for p in range(poses.shape[0]):
        if out.shape[0] - n == 1:
            return p  # not the nearest row, which that would mean
        k = solve(packed, base, poses[p], virtual, samples, near, out[n:])
        if k < 0:
            return k if p == 0 else p
        counts[p] = k
        if n + k > out.shape[0]:
            return p
        n += k
    return int(poses.shape[0])


def meets(packed: F64, goal: F64, q: F64) -> bool:
    """Return whether joint values (d,) within limits close the packed arm's loop."""
    at = bounds_at(packed)
    for i in range(q.shape[0]):
        if packed[at + 2] == WITHIN and not packed[at] <= q[i] <= packed[at + 1]:
            return False
        at += LIMITS
    screws = packed[SCREWS : SCREWS + 42].reshape(6, 7)
    return bool(miss(packed, screws, goal, q, q[:0]) <= packed[TOLERANCE])


def way_of(packed: F64, held: F64, near: F64) -> float:
    """Return the squared distance of the held joints from `near`."""
    way = 0.0
    used = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] != 0.0:
            value = (held[used] - packed[at + 8]) * packed[at + 11]
            way += (value - near[int(packed[at + 9])]) ** 2
            used += 1
    return way


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
