"""From a goal to joint values: a loop for each sample of held joints, and its rows.

Arrays that the kernels take: `packed`, see `kernels.packed_arm`. `base` and `pose`,
T_world_base and T_world_goal, (3 or 4, 4). `virtual` (k, 8): virtual joints of the goal
and their sides. `samples` (m, f): values of the held axes, one row if there are none.
`near` (d,): joint values, may be empty.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.elimination.general import prepare
from pyrave_ik.kernels.loop_solutions import ALONE, REGULAR, RETRY, ROWS, real_rows
from pyrave_ik.kernels.packed_arm import (
    ARM,
    AXIS,
    LIMITS,
    N_AXES,
    N_FREE,
    N_JOINTS,
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
from pyrave_ik.kernels.singular.perturbed_pose import loop_solutions
from pyrave_ik.kernels.six_joint_loop import copied
from pyrave_ik.kernels.within_limits import listed, miss, nearest_row

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3

ROUNDING = 1e-12
"""Rounding error of products of rotations."""
ABOUT = 1e-6
"""Entries of poses that differ by more are certainly not those of one configuration."""

JIT_NO_ARRAYS = ("is_exact", "is_at", "way_of")


def solve(
    packed: F64_1,
    base: F64_2,
    pose: F64_2,
    virtual: F64_2,
    samples: F64_2,
    near: F64_1,
    out: F64_2,
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


def solve_current(
    record: F64_1, links: F64_3, values: F64_1, pose: F64_2, out: F64_2
) -> int:
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
    """Return True if a tool that is fixed to a link is about at a pose.

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
    """Return True if (4, 4) is a rigid transform up to rounding, and finite.

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


def solve_pose(packed: F64_1, pose: F64_2, out: F64_2) -> int:
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
    packed: F64_1,
    base: F64_2,
    poses: F64_3,
    samples: F64_2,
    near: F64_1,
    out: F64_2,
    counts: F64_1,
) -> int:
    """Write rows of poses (p, 4, 4) one behind the other and how many of each.

    Returns the number of poses done: less than p where `out` is full, or where
    `solve` has a negative result. That is returned if it is the first pose's.

    Where `counts` is empty, `out` has a row for each pose instead, which gets the row
    nearest to `near`, or NaN.
    """
    virtual = np.empty((0, 8))
    n = 0
    if counts.shape[0] == 0:
        for p in range(poses.shape[0]):
            mine = out[p : p + 1]
            k = solve(packed, base, poses[p], virtual, samples, near, mine)
            if k < 0:
                return k if p == 0 else p
            if k == 0:
                mine[:] = np.nan
        return int(poses.shape[0])
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
    """Return True if joint values (d,) within limits close the packed arm's loop."""
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
