"""Configurations of a body's joints and base: distances, steps, free motions.

A space is one table of arrays (`pyrave.jit.bundles`), whose numbers are the constants
below; `JointSpace` makes it. Kernels of searches take these functions, or
those of `user_space` in their place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import give_way
from pyrave.jit.addresses import returns_bool
from pyrave.jit.bundles import f64_1, f64_2, f64_3, i32_2, i64_1, i64_2
from pyrave.kinematics.kernels.forward_kinematics import place_sets, sines_cosines
from pyrave.kinematics.kernels.link_motions import link_motions

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, I32, I64, I64_2

JIT_ENTRIES = ("check_states", "check_motions")
INTERPRETED = True
"""False where this is compiled."""

ROWS = 0
"""(n, WIDTH) what the body's poses are computed from."""
BASE = 1
"""(4, 4) pose 0 in the world: the body's, or the root of the motions of its base."""
VALUES = 2
"""(n_values,) of all axes; kernels write those that move."""
ACTIVE = 3
"""(d,) which of the values a configuration is."""
FOLLOWERS = 4
"""(m,) which of the values follow."""
SLOPES = 5
"""(m, d) by which they follow the configuration."""
ENDS = 6
"""(3, m) what is added, and limits of the sum."""
AXES = 7
"""(2, d): weights, and periods (0: none)."""
WORK = 8
"""(3, k) values, sines and cosines."""
POSES = 9
"""(n_poses, 4, 4) of the configuration that was looked at last."""
CONFIGURATIONS = 10
"""(4, d) room for configurations: the one looked at, a way, two of the callers."""
CHECK = 11
"""(3,) addresses of `pyrave.interfaces.CompiledCollisions.function` and `sift`, 0 if
nothing collides; how often they were asked."""
WORLD, SELECTION, CARRIED = 12, 13, 14
"""Arguments of the functions of `CHECK`."""
SPHERES = 15
"""(n, 4) a sphere around what moves with each pose, in its frame: centre, radius; a
negative radius where there is nothing, or it does not move."""
SCREWS, RATES, MOTIONS = 16, 17, 18
"""Slots of motions, see `pyrave.kinematics.kernels.link_motions`."""
LEAST = 19
"""(1,) metres: parts of a motion in which no point moves further are not divided."""
LINK_POSES, LINK_MOTIONS = 20, 21
"""The parts of `POSES` and `MOTIONS` that begin with those of link 0."""
PARTS, PAIRS = 22, 23
"""(m, 2) middles and halves of parts of a motion that are not known to be free, and
(m, 1 + 2 k) which pairs of solids may touch there; the last row is scratch."""

_WEIGHT, _PERIOD = 0, 1
_LOOKED_AT, _WAY, _STEP = 0, 1, 2
FUNCTION, SIFT, COUNT = 0, 1, 2
FAR = 0.15
"""Metres: parts in which points move further are divided, whatever is near."""
_MAX_AT_FIRST = 32
"""Parts that a motion begins as."""
_DEEP = 64
"""Rows of parts that are kept for dividing one of them to the end."""


def difference(space: I64, start: F64, end: F64, out: F64) -> None:
    """Write the way from one configuration to another, the short way round."""
    axes = f64_2(space, AXES)
    for j in range(start.shape[0]):
        way = end[j] - start[j]
        period = axes[_PERIOD, j]
        if period > 0.0:
            way -= period * np.rint(way / period)
        out[j] = way


def distance(space: I64, start: F64, end: F64) -> float:
    """Return the length of the way between two configurations, weighted."""
    way = f64_2(space, CONFIGURATIONS)[_WAY]
    difference(space, start, end, way)
    return length(space, way)


def length(space: I64, way: F64) -> float:
    """Return the weighted length of a way."""
    axes = f64_2(space, AXES)
    total = 0.0
    for j in range(way.shape[0]):
        total += (axes[_WEIGHT, j] * way[j]) ** 2
    return math.sqrt(total)


def nearest(space: I64, nodes: F64, count: int, target: F64, distances: F64) -> int:
    """Return the nearest of `count` configurations (d, room) to another one."""
    axes = f64_2(space, AXES)
    for k in range(count):
        distances[k] = 0.0
    for j in range(target.shape[0]):
        at, weight, period = target[j], axes[_WEIGHT, j], axes[_PERIOD, j]
        if period > 0.0:
            for k in range(count):
                way = nodes[j, k] - at
                way = weight * (way - period * np.rint(way / period))
                distances[k] += way * way
        else:
            for k in range(count):
                way = weight * (nodes[j, k] - at)
                distances[k] += way * way
    best = 0
    for k in range(count):
        if distances[k] < distances[best]:
            best = k
    return best


def steer(space: I64, start: F64, target: F64, reach: float, out: F64) -> int:
    """Write the end of a step towards a target, at most `reach` from its start.

    Returns 2 if that is the target, 1 if not; 0 if there is no step.
    """
    difference(space, start, target, out)
    total = length(space, out)
    part = 1.0 if total <= reach else reach / total
    for j in range(start.shape[0]):
        out[j] = start[j] + part * out[j]
    return 2 if total <= reach else 1


def collides(space: I64, q: F64) -> bool:
    """Return True if the body collides at a configuration."""
    check = i64_1(space, CHECK)
    check[COUNT] += 1
    if check[FUNCTION] == 0:
        return False
    place(space, q)
    return touches(space)


def place(space: I64, q: F64) -> None:
    """Write the poses of a configuration."""
    values, active = f64_1(space, VALUES), i64_1(space, ACTIVE)
    work, poses = f64_2(space, WORK), f64_3(space, POSES)
    for j in range(active.shape[0]):
        values[active[j]] = q[j]
    followers = i64_1(space, FOLLOWERS)
    if followers.shape[0] > 0:
        slopes, ends = f64_2(space, SLOPES), f64_2(space, ENDS)
        for i in range(followers.shape[0]):
            total = ends[0, i]
            for j in range(active.shape[0]):
                total += slopes[i, j] * q[j]
            values[followers[i]] = min(max(total, ends[1, i]), ends[2, i])
    n = values.shape[0]
    for i in range(n):
        work[0, i] = values[i]
    sines_cosines(work, n)
    rows = f64_2(space, ROWS)
    sets = poses.reshape(1, poses.shape[0], 4, 4)
    place_sets(rows, f64_2(space, BASE), work, n, 1, sets, 0)


def touches(space: I64) -> bool:
    """Return True if anything touches at `place`'s poses."""
    return returns_bool(
        i64_1(space, CHECK)[FUNCTION], i64_2(space, WORLD), i64_2(space, SELECTION),
        i64_2(space, CARRIED), f64_3(space, LINK_POSES),
    )  # fmt: skip


def is_free(space: I64, start: F64, end: F64) -> bool:
    """Return True if a motion is free, the start left out, everywhere."""
    return not collides(space, end) and is_sure(space, start, end)


def is_sure(space: I64, start: F64, end: F64) -> bool:
    """Return True if a motion between two free configurations is free, everywhere.

    A part of the motion is free if no two solids are nearer to each other in its middle
    than they come on the way to its ends; if not, the pairs that may be are looked at
    again in both halves. Parts in which nothing moves further than `LEAST` are free if
    their middles are. A long motion begins as several parts, those around the middle
    and the quarters first: what is in the way is wide.
    """
    check, room = i64_1(space, CHECK), f64_2(space, CONFIGURATIONS)
    if check[FUNCTION] == 0:
        return True
    at, way, step = room[_LOOKED_AT], room[_WAY], room[_STEP]
    difference(space, start, end, way)
    parts, pairs = f64_2(space, PARTS), i32_2(space, PAIRS)
    least, slots = f64_1(space, LEAST)[0], parts.shape[0] - 1
    left = pairs[slots]
    count = _divide(space, start, way, at, step)
    if count > 1:
        check[COUNT] += 1
        if touches(space):
            return False
    for k in range(count):
        pairs[k, 0] = -1
    first = 0
    while count > 0:
        if INTERPRETED:
            give_way()
        slot = first
        if count + _DEEP > slots:  # no room to divide all of them
            slot = (first + count - 1) % slots
        else:
            first = (first + 1) % slots
        count -= 1
        middle, half = parts[slot, 0], parts[slot, 1]
        copy_pairs(pairs[slot], left)
        for j in range(way.shape[0]):
            at[j] = start[j] + middle * way[j]
            step[j] = half * way[j]
        place(space, at)
        reach = move(space, at, step)
        check[COUNT] += 1
        if reach > FAR:
            if touches(space):
                return False
            left[0] = -1
        elif sifted(space, left):
            return False
        if left[0] == 0 or reach <= least:
            continue
        for k in range(2):
            slot = (first + count) % slots
            parts[slot, 0], parts[slot, 1] = middle + (k - 0.5) * half, 0.5 * half
            copy_pairs(left, pairs[slot])
            count += 1
    return True


def _divide(space: I64, start: F64, way: F64, at: F64, step: F64) -> int:
    """Write the parts that a motion begins as, and return how many there are.

    Poses are those of its middle then.
    """
    for j in range(way.shape[0]):
        at[j] = start[j] + 0.5 * way[j]
        step[j] = 0.5 * way[j]
    place(space, at)
    reach, parts = move(space, at, step), f64_2(space, PARTS)
    count = 1
    while reach > FAR and count < _MAX_AT_FIRST:
        for j in range(way.shape[0]):
            step[j] *= 0.5
        count, reach = 2 * count, move(space, at, step)
    for k in range(count):
        number, bit, rest = count // 2, count, k
        while rest > 0:  # bits of k in the order reversed, from the middle on
            bit //= 2
            number ^= bit * (rest & 1)
            rest >>= 1
        parts[k, 0], parts[k, 1] = (number + 0.5) / count, 0.5 / count
    return count


def copy_pairs(pairs: I32, out: I32) -> None:
    """Copy a row of `PAIRS`."""
    for i in range(1 + 2 * max(pairs[0], 0)):
        out[i] = pairs[i]


def move(space: I64, at: F64, step: F64) -> float:
    """Write the motions of links from `place`'s poses by a step either way.

    Returns how far any point moves at most, with what `RATES` has of values that have
    no derivative. Followers that come to their limits stop there: their rates are not
    those of the middle.
    """
    rates, active = f64_2(space, RATES), i64_1(space, ACTIVE)
    for j in range(active.shape[0]):
        rates[0, active[j]] = step[j]
    followers = i64_1(space, FOLLOWERS)
    if followers.shape[0] > 0:
        slopes, ends = f64_2(space, SLOPES), f64_2(space, ENDS)
        for i in range(followers.shape[0]):
            total, rate, loose = ends[0, i], 0.0, 0.0
            for j in range(active.shape[0]):
                total += slopes[i, j] * at[j]
                rate += slopes[i, j] * step[j]
                loose += abs(slopes[i, j]) * rates[1, active[j]]
            most = abs(rate) + loose
            stops = not (ends[1, i] <= total - most and total + most <= ends[2, i])
            rates[0, followers[i]] = 0.0 if stops else rate
            rates[1, followers[i]] = most if stops else loose
    return link_motions(
        f64_2(space, ROWS), f64_2(space, SCREWS), f64_3(space, POSES),
        f64_1(space, VALUES), rates, f64_2(space, SPHERES), f64_2(space, MOTIONS),
    )  # fmt: skip


def sifted(space: I64, left: I32) -> bool:
    """Return True if anything touches, and leave the pairs that may do so nearby."""
    return returns_bool(
        i64_1(space, CHECK)[SIFT], i64_2(space, WORLD), i64_2(space, SELECTION),
        i64_2(space, CARRIED), f64_3(space, LINK_POSES), f64_2(space, LINK_MOTIONS),
        left,
    )  # fmt: skip


def check_states(space: I64_2, states: F64_2, hits: F64_1) -> None:
    """Write 1 for each configuration (n, d) that collides, else 0."""
    for k in range(states.shape[0]):
        if INTERPRETED:
            give_way()
        hits[k] = 1.0 if collides(space, states[k]) else 0.0


def check_motions(space: I64_2, path: F64_2) -> int:
    """Return the first piece of a path (n, d) that is not free, -1 if there is none."""
    for k in range(path.shape[0] - 1):
        if not is_free(space, path[k], path[k + 1]):
            return k
    return -1
