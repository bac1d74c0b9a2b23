"""From a goal to joint values: loops for held joints, full turns, limits, the nearest.

Arrays that describe an arm of n axes and d degrees of freedom:

``how`` (4,) int64: kind, first joint and direction of the decomposition, 1 to solve
neighbouring goals where there seem to be no solutions. ``given`` (5,): three turns for
`eliminate`, the tolerance, and that for solutions that were found from neighbours.
``axes`` (n, 9): screw (7), then factor and constant of the value ``f q + c``.
``home`` (3, 4). ``arm`` (n,) int64: degree of freedom of each axis. ``free`` (f,)
int64: axes that are held. ``virtual`` (k, 7) and ``sides`` (k,) int64: virtual joints
and what must hold of their values. ``bounds`` (d, 5): lower, upper, mode, reference,
period of one turn (0 for a sliding joint).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave_ik.kernels.branches._kernels import branch
from pyrave_ik.kernels.loops._kernels import (
    carried,
    displacement,
    end,
    inverted,
    times,
)
from pyrave_ik.kernels.planar._kernels import planar
from pyrave_ik.kernels.solve._kernels import rescued, solve_loop

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

PLANAR = 4
"""Kind of decomposition: three joints that move in a plane."""

FRONT = 1
POSITIVE = 2
ZERO = 3

WITHIN = 0
"""All turns inside of the limits."""
ONE_TURN = 1
"""The one nearest to the reference; there are no limits."""
AS_IT_IS = 2
"""The value that was given."""

SLACK = 1e-6
"""How far outside of its limit a joint may be to be put on it, if the tool stays."""
SAME = 1e-6


def close(
    axes: Floats,
    home: Floats,
    free: Ints,
    held: Floats,
    virtual: Floats,
    goal: Floats,
    screws: Floats,
    target: Floats,
) -> None:
    """Write the loop (6, 7) and what it must close to (3, 4), free axes held."""
    before = np.zeros((3, 4))
    for i in range(3):
        before[i, i] = 1.0
    step = np.empty((3, 4))
    now = np.empty((3, 4))
    row = np.empty(7)
    kept = 0
    used = 0
    for i in range(axes.shape[0]):
        if used > 0:
            carried(before, axes[i], row)
        else:
            for j in range(7):
                row[j] = axes[i, j]
        if used < free.shape[0] and free[used] == i:
            displacement(row, held[used], step)
            times(step, before, now)
            for j in range(3):
                for k in range(4):
                    before[j, k] = now[j, k]
            used += 1
        else:
            for j in range(7):
                screws[kept, j] = row[j]
            kept += 1
    times(before, home, now)
    for j in range(virtual.shape[0]):
        carried(now, virtual[j], screws[kept + j])
    inverted(now, step)
    times(goal, step, target)


def on_their_sides(values: Floats, start: int, sides: Ints) -> bool:
    """Return whether virtual joints have values that the task allows."""
    for j in range(sides.shape[0]):
        value = values[start + j]
        if sides[j] == FRONT and math.cos(value) <= 0.0:
            return False
        if sides[j] == POSITIVE and value <= 0.0:
            return False
        if sides[j] == ZERO and (abs(math.sin(value)) > SAME or math.cos(value) < 0.0):
            return False
    return True


def loop_rows(
    how: Ints,
    given: Floats,
    screws: Floats,
    target: Floats,
    sides: Ints,
    rescue: bool,
    found: Floats,
) -> int:
    """Write the loop's solutions (k, 6) that differ in real joints; return k."""
    backward = how[2] != 0
    turns = given[:3]
    tolerance = given[4] if rescue else given[3]
    if how[0] == PLANAR:
        n = planar(screws, target, tolerance, found)
    elif rescue:
        n = rescued(how[0], how[1], backward, screws, target, turns, tolerance, found)
    else:
        n = solve_loop(
            how[0], how[1], backward, screws, target, turns, tolerance, found
        )
    if sides.shape[0] == 0:
        return n
    real = 6 - sides.shape[0]
    count = 0
    for k in range(n):
        if not on_their_sides(found[k], real, sides):
            continue
        new = True
        for other in range(count):
            same = True
            for i in range(real):
                d = abs(found[k, i] - found[other, i])
                if screws[i, 6] == 0.0:
                    d = min(d, 2.0 * math.pi - d)
                if d > SAME:
                    same = False
                    break
            if same:
                new = False
                break
        if new:
            for i in range(6):
                found[count, i] = found[k, i]
            count += 1
    return count


def joints(
    axes: Floats, arm: Ints, free: Ints, held: Floats, x: Floats, out: Floats
) -> None:
    """Write the arm's joint values (d,) of a loop's values and the held ones."""
    kept = 0
    used = 0
    for i in range(axes.shape[0]):
        if used < free.shape[0] and free[used] == i:
            value = held[used]
            used += 1
        else:
            value = x[kept]
            kept += 1
        out[arm[i]] = (value - axes[i, 8]) / axes[i, 7]


def copies(q: Floats, bounds: Floats, first: Ints, count: Ints) -> int:
    """Write per joint the first turn inside of its limits and how many; return all."""
    total = 1
    for i in range(q.shape[0]):
        lower = bounds[i, 0] - SLACK
        upper = bounds[i, 1] + SLACK
        period = bounds[i, 4]
        first[i] = 0
        count[i] = 1
        if bounds[i, 2] == AS_IT_IS:
            continue
        if period == 0.0:
            if bounds[i, 2] == WITHIN and (q[i] < lower or q[i] > upper):
                count[i] = 0
        elif bounds[i, 2] == ONE_TURN:
            first[i] = math.floor((bounds[i, 3] - q[i]) / period + 0.5)
        else:
            low = math.ceil((lower - q[i]) / period)
            high = math.floor((upper - q[i]) / period)
            first[i] = int(low)
            count[i] = int(max(0.0, high - low + 1.0))
        total *= count[i]
    return total


def put_inside(q: Floats, bounds: Floats) -> bool:
    """Move values that are just outside of a limit onto it; return whether any was."""
    moved = False
    for i in range(q.shape[0]):
        if bounds[i, 2] == WITHIN:
            if q[i] < bounds[i, 0]:
                q[i] = bounds[i, 0]
                moved = True
            elif q[i] > bounds[i, 1]:
                q[i] = bounds[i, 1]
                moved = True
    return moved


def still_closed(
    axes: Floats,
    arm: Ints,
    free: Ints,
    q: Floats,
    x: Floats,
    screws: Floats,
    target: Floats,
    tolerance: float,
) -> bool:
    """Return whether the loop closes with joint values that were put on limits."""
    y = np.empty(6)
    for i in range(6):
        y[i] = x[i]
    kept = 0
    used = 0
    for i in range(axes.shape[0]):
        if used < free.shape[0] and free[used] == i:
            used += 1
        else:
            y[kept] = axes[i, 7] * q[arm[i]] + axes[i, 8]
            kept += 1
    reached = np.empty((3, 4))
    end(screws, y, reached)
    for i in range(3):
        for j in range(4):
            if abs(reached[i, j] - target[i, j]) > tolerance:
                return False
    return True


def all_answers(
    how: Ints,
    given: Floats,
    axes: Floats,
    home: Floats,
    arm: Ints,
    free: Ints,
    samples: Floats,
    virtual: Floats,
    sides: Ints,
    goal: Floats,
    bounds: Floats,
    out: Floats,
    marks: Ints,
) -> int:
    """Write all joint values (k, d) for rows of held values (m, f); return k.

    k may be more than `out` has rows: the rest is not written. Every row closes its
    loop to its tolerance. `marks` gets the number of each row's branch, see
    `branch`; it may be empty.
    """
    n = 0
    d = bounds.shape[0]
    screws = np.empty((6, 7))
    target = np.empty((3, 4))
    found = np.empty((64, 6))
    q = np.empty(d)
    row = np.empty(d)
    first = np.empty(d, np.int64)
    count = np.empty(d, np.int64)
    for attempt in range(2 if how[3] != 0 else 1):
        off = given[3 + attempt]
        solved = False
        for s in range(samples.shape[0]):
            held = samples[s]
            close(axes, home, free, held, virtual, goal, screws, target)
            k = loop_rows(how, given, screws, target, sides, attempt == 1, found)
            solved = solved or k > 0
            for r in range(k):
                joints(axes, arm, free, held, found[r], q)
                total = copies(q, bounds, first, count)
                mark = 0
                if total > 0 and marks.shape[0] > 0:
                    mark = branch(how[0], how[1], how[2] != 0, screws, target, found[r])
                for number in range(total):
                    rest = number
                    for i in range(d):
                        turn = first[i] + rest % count[i]
                        rest //= count[i]
                        row[i] = q[i] + turn * bounds[i, 4]
                    if put_inside(row, bounds) and not still_closed(
                        axes,
                        arm,
                        free,
                        row,
                        found[r],
                        screws,
                        target,
                        off,
                    ):
                        continue
                    if n < out.shape[0]:
                        for i in range(d):
                            out[n, i] = row[i]
                        if marks.shape[0] > 0:
                            marks[n] = mark
                    n += 1
        if solved:
            break
    return n


def nearest_answer(
    how: Ints,
    given: Floats,
    axes: Floats,
    home: Floats,
    arm: Ints,
    free: Ints,
    samples: Floats,
    virtual: Floats,
    sides: Ints,
    goal: Floats,
    bounds: Floats,
    near: Floats,
    ways: Floats,
    out: Floats,
) -> bool:
    """Write the joint values (d,) nearest to `near`; return False if there are none.

    Parameters
    ----------
    ways
        (m,) squared distance of each row of held values from `near`, ascending: the
        search ends where no row can be nearer than what was found.
    """
    d = bounds.shape[0]
    screws = np.empty((6, 7))
    target = np.empty((3, 4))
    found = np.empty((64, 6))
    q = np.empty(d)
    first = np.empty(d, np.int64)
    count = np.empty(d, np.int64)
    best = math.inf
    for attempt in range(2 if how[3] != 0 else 1):
        off = given[3 + attempt]
        solved = False
        for s in range(samples.shape[0]):
            if ways[s] > best:
                break
            held = samples[s]
            close(axes, home, free, held, virtual, goal, screws, target)
            k = loop_rows(how, given, screws, target, sides, attempt == 1, found)
            solved = solved or k > 0
            for r in range(k):
                joints(axes, arm, free, held, found[r], q)
                if copies(q, bounds, first, count) == 0:
                    continue
                way = 0.0
                for i in range(d):
                    period = bounds[i, 4]
                    if count[i] > 1:
                        turn = math.floor((near[i] - q[i]) / period + 0.5)
                        turn = min(max(turn, first[i]), first[i] + count[i] - 1)
                        q[i] += turn * period
                    else:
                        q[i] += first[i] * period
                    way += (q[i] - near[i]) ** 2
                if way >= best:
                    continue
                if put_inside(q, bounds) and not still_closed(
                    axes, arm, free, q, found[r], screws, target, off
                ):
                    continue
                best = way
                for i in range(d):
                    out[i] = q[i]
        if solved:
            break
    return best < math.inf


def relative(base: Floats, pose: Floats, out: Floats) -> None:
    """Write (3, 4) T_base_tool of T_world_base and T_world_tool.

    Its rotation is made orthonormal: targets are taken as they come, say from texts.
    """
    for i in range(3):
        for j in range(4):
            total = 0.0
            for k in range(3):
                v = pose[k, j]
                if j == 3:
                    v -= base[k, 3]
                total += base[k, i] * v
            out[i, j] = total
    off = np.empty((3, 3))
    new = np.empty((3, 3))
    for _ in range(3):
        worst = 0.0
        for i in range(3):
            for j in range(3):
                total = 0.0
                for k in range(3):
                    total += out[k, i] * out[k, j]
                off[i, j] = (1.0 if i == j else 0.0) - total
                worst = max(worst, abs(off[i, j]))
        if worst < 1e-14:
            return
        # Newton's iteration for the nearest rotation (Higham 1986)
        for i in range(3):
            for j in range(3):
                total = out[i, j]
                for k in range(3):
                    total += 0.5 * out[i, k] * off[k, j]
                new[i, j] = total
        for i in range(3):
            for j in range(3):
                out[i, j] = new[i, j]


def relatives(base: Floats, poses: Floats, out: Floats) -> None:
    """Write (n, 3, 4) `relative` poses."""
    for i in range(poses.shape[0]):
        relative(base, poses[i], out[i])


def pose_answers(
    how: Ints,
    given: Floats,
    axes: Floats,
    home: Floats,
    arm: Ints,
    free: Ints,
    samples: Floats,
    virtual: Floats,
    sides: Ints,
    base: Floats,
    pose: Floats,
    bounds: Floats,
    out: Floats,
    marks: Ints,
) -> int:
    """Do `all_answers` for T_world_base and T_world_tool, (4, 4) each."""
    goal = np.empty((3, 4))
    relative(base, pose, goal)
    return all_answers(
        how,
        given,
        axes,
        home,
        arm,
        free,
        samples,
        virtual,
        sides,
        goal,
        bounds,
        out,
        marks,
    )


def many_answers(
    how: Ints,
    given: Floats,
    axes: Floats,
    home: Floats,
    arm: Ints,
    free: Ints,
    samples: Floats,
    virtual: Floats,
    sides: Ints,
    base: Floats,
    poses: Floats,
    bounds: Floats,
    counts: Ints,
    out: Floats,
) -> int:
    """Write answers of poses (m, 4, 4) one behind the other and how many of each.

    Returns the number of poses done: less than m where `out` is full.
    """
    n = 0
    marks = np.empty(0, np.int64)
    for p in range(poses.shape[0]):
        counts[p] = pose_answers(
            how,
            given,
            axes,
            home,
            arm,
            free,
            samples,
            virtual,
            sides,
            base,
            poses[p],
            bounds,
            out[n:],
            marks,
        )
        if n + counts[p] > out.shape[0]:
            return p
        n += counts[p]
    return int(poses.shape[0])
