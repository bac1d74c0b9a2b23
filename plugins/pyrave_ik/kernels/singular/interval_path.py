"""The part of a continuum inside limits about one solution, as a row of points."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_ik.kernels.packed_arm import (
    ARM,
    AXIS,
    N_AXES,
    N_JOINTS,
    SCREWS,
    close,
    is_fixed,
    relative,
    target,
)
from pyrave_ik.kernels.singular.continua import (
    COUNT,
    FIRST_STEP,
    FLAT,
    KIND,
    LONGEST_STEP,
    MASK,
    ON_LIMIT,
    corrected,
    empty_store,
    followed,
    near_chord,
    size_of,
    unit,
    violation,
)
from pyrave_ik.kernels.singular.intervals import (
    HIGH,
    LOW,
    NEAR,
    PERIOD,
    SCALE,
    SLACK,
    boxed,
    slid,
    toward,
)
from pyrave_ik.kernels.singular.singular_newton import null_directions
from pyrave_ik.kernels.singular.singular_poses import EXACT, explored, extent

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

FAR = 4.0
MOVES = 8
"""Longest distance of one move of a joint, and the number of moves."""


def interval_path(
    packed: F64,
    base: F64,
    pose: F64,
    virtual: F64,
    samples: F64,
    row: F64,
    head: F64,
    out: F64,
) -> int:
    """Write joint values (p, d) of the part on which a solution lies; return p.

    Those of a line or curve are in order from one end to the other, with the points at
    which joints turn back. Those of a surface are the solution and the points with the
    least and greatest value of each joint that moves.

    Parameters
    ----------
    row
        (2 d + 8,) the solution, as `solve` writes it.
    head
        (2,) gets the number of dimensions, and 1 where a curve is closed.
    """
    goal = np.empty((3, 4))
    closing = np.empty((3, 4))
    relative(base, pose, goal)
    work = packed.copy()
    screws = work[SCREWS : SCREWS + 42].reshape(6, 7)
    d = int(packed[N_JOINTS])
    if is_fixed(packed, virtual):
        target(packed, goal, closing)
    else:
        close(work, samples[int(row[d + 1])], virtual, goal, closing)
    box = np.empty((6, 5))
    limits = np.empty((6, 2))
    boxed(packed, virtual, row[:d], box)
    real = loop_bits(packed, int(row[d]))
    for i in range(6):
        moves = real >> i & 1 or i >= 6 - virtual.shape[0]
        limits[i, 0] = box[i, LOW] if moves else -math.inf
        limits[i, 1] = box[i, HIGH] if moves else math.inf
    x = row[d + 2 : d + 8].copy()
    null = np.empty((6, 6))
    points = np.empty((out.shape[0], 6))
    store = empty_store()
    k = null_directions(screws, x, null)
    if k == 0 or not explored(screws, closing, x, null, k, store):
        return 0
    mine = 0
    for c in range(size_of(store)):
        if int(store[c, 0, MASK]) & real == real:
            mine = c
            break
    m = int(store[mine, 0, COUNT])
    head[0], head[1] = 1.0, 0.0
    if store[mine, 0, KIND] == FLAT and m > 1:
        head[0] = m
        n = extremes(box, limits, x, store[mine, 2 : 2 + m].copy(), points)
    else:
        exact = EXACT * max(1.0, extent(screws, closing))
        ahead = null[0].copy()
        direction(screws, store[mine], x, ahead)
        n = both_ways(screws, closing, exact, box, limits, x, ahead, points)
        head[1] = 1.0 if n < 0 else 0.0
        n = with_turning_points(screws, closing, exact, limits, points, abs(n))
    for r in range(n):
        for i in range(d):
            out[r, i] = row[i]
        kept = 0
        for i in range(int(packed[N_AXES])):
            at = ARM + AXIS * i
            if packed[at + 10] == 0.0:
                if real >> kept & 1:
                    change = (points[r, kept] - x[kept]) * packed[at + 11]
                    out[r, int(packed[at + 9])] += change
                kept += 1
    return n


def loop_bits(packed: F64, joints: int) -> int:
    """Return bits of the loop's joints from those of the arm's."""
    kept = 0
    bits = 0
    for i in range(int(packed[N_AXES])):
        at = ARM + AXIS * i
        if packed[at + 10] == 0.0:
            bits |= (joints >> int(packed[at + 9]) & 1) << kept
            kept += 1
    return bits


def direction(screws: F64, continuum: F64, x: F64, ahead: F64) -> None:
    """Write the direction of a line, or of a curve at `x`."""
    at = np.empty(6)
    if continuum[0, KIND] == FLAT:
        for i in range(6):
            ahead[i] = continuum[2, i]
        unit(ahead)
        return
    for j in range(int(continuum[0, COUNT]) - 1):
        p, q = continuum[1 + j], continuum[2 + j]
        if near_chord(screws, p, q, x, ON_LIMIT, at, ahead):
            return


def both_ways(
    screws: F64,
    goal: F64,
    exact: float,
    box: F64,
    limits: F64,
    x: F64,
    ahead: F64,
    points: F64,
) -> int:
    """Follow a curve from `x` to its ends inside limits; return the number of points.

    Minus that number where it is closed.
    """
    periods = np.empty(6)
    back = np.empty(6)
    end = np.empty(6)
    for i in range(6):
        points[0, i] = x[i]
        back[i] = -ahead[i]
        endless = limits[i, 0] == -math.inf and limits[i, 1] == math.inf
        periods[i] = box[i, PERIOD] if endless else 0.0
    n: Any = np.int64(1)
    for way in range(2):
        n = followed(screws, goal, exact, limits, periods, ahead, points, n)
        if n < 0:
            break
        if n > 1 and violation(limits, points[n - 1]) > ON_LIMIT:
            for i in range(6):
                box[i, NEAR] = points[n - 1, i]
                end[i] = points[n - 2, i]
            slid(screws, goal, exact, box, limits, end, ahead)
            n -= 1
            far = 0.0
            for i in range(6):
                far = max(far, abs(end[i] - points[n - 1, i]))
                points[n, i] = end[i]
            n += far > ON_LIMIT
        if way == 0:
            for j in range(n // 2):
                for i in range(6):
                    value = points[j, i]
                    points[j, i] = points[n - 1 - j, i]
                    points[n - 1 - j, i] = value
            for i in range(6):
                ahead[i] = back[i]
    return int(n)


def extremes(box: F64, limits: F64, x: F64, basis: F64, points: F64) -> int:
    """Write `x` and the points of a flat continuum with extreme values of a joint."""
    ends = limits.copy()
    goal = np.empty(6)
    move = np.empty(6)
    scales = box[:, SCALE].copy()
    n = 1
    for i in range(6):
        points[0, i] = x[i]
        if limits[i, 1] == math.inf and box[i, PERIOD] > 0.0:
            ends[i, 0] = x[i] - 0.5 * box[i, PERIOD]
            ends[i, 1] = x[i] + 0.5 * box[i, PERIOD]
    for i in range(6):
        moves = False
        for j in range(basis.shape[0]):
            moves = moves or basis[j, i] != 0.0
        if not moves:
            continue
        for side in range(2):
            for k in range(6):
                points[n, k] = x[k]
            # moves to far targets converge slowly: several shorter ones
            for _ in range(MOVES):
                for k in range(6):
                    goal[k] = points[n, k]
                goal[i] += FAR * (2.0 * side - 1.0)
                toward(ends, scales, points[n], basis, math.inf, goal, move)
                for k in range(6):
                    goal[k] = points[n, k] + move[k]
                if violation(ends, goal) > ON_LIMIT:
                    break
                for k in range(6):
                    points[n, k] = goal[k]
                if abs(move[i]) < ON_LIMIT:
                    break
            n += 1
    return n


def with_turning_points(
    screws: F64, goal: F64, exact: float, limits: F64, points: F64, n: int
) -> int:
    """Add to n points of a curve those at which a joint turns back; return how many."""
    x = np.empty(6)
    for i in range(6):
        j = 1
        while j < n - 1 and n < points.shape[0]:
            before = points[j, i] - points[j - 1, i]
            after = points[j + 1, i] - points[j, i]
            j += 1
            if before * after >= 0.0 or max(abs(before), abs(after)) < SLACK:
                continue
            if not turning_point(screws, goal, exact, points, j - 1, i, x):
                continue
            if violation(limits, x) > ON_LIMIT or abs(x[i] - points[j - 1, i]) < SLACK:
                continue
            along = 0.0
            for k in range(6):
                along += (x[k] - points[j - 1, k]) * (points[j, k] - points[j - 1, k])
            place = j if along > 0.0 else j - 1
            for r in range(n, place, -1):
                for k in range(6):
                    points[r, k] = points[r - 1, k]
            for k in range(6):
                points[place, k] = x[k]
            n += 1
            j += 1
    return n


def turning_point(
    screws: F64, goal: F64, exact: float, points: F64, j: int, i: int, x: F64
) -> bool:
    """Write the point near the j-th at which joint i turns back, by the secant method.

    False if there is none between the neighbours.
    """
    ahead = points[j + 1] - points[j - 1]
    y = np.empty(6)
    unit(ahead)
    for k in range(6):
        x[k] = points[j, k]
    corrected(screws, goal, exact, x, ahead)
    step = FIRST_STEP
    way = 0.0
    for _ in range(20):
        old = ahead[i]
        for k in range(6):
            y[k] = x[k] + step * ahead[k]
        if corrected(screws, goal, exact, y, ahead) > exact:
            return False
        for k in range(6):
            x[k] = y[k]
        if abs(step) < ON_LIMIT:
            return True
        if ahead[i] == old:
            return False
        way += step
        step *= ahead[i] / (old - ahead[i])
        if abs(way + step) > 2.0 * LONGEST_STEP:
            return False
    return False
