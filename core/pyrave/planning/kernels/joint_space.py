"""Configurations of a body's joints: distances, steps, and motions that are free.

A space is one table of arrays (`pyrave.jit.bundles`), whose numbers are the constants
below; `pyrave.planning.space` makes it. Kernels of searches take these functions, or
those of `user_space` in their place.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit.addresses import returns_bool
from pyrave.jit.bundles import f64_1, f64_2, f64_3, i32_1, i64_1, i64_2
from pyrave.kinematics.kernels.forward_kinematics import place_sets, sines_cosines

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

JIT_ENTRIES = {"check_states": None, "check_motions": None}

ROWS = 0
"""(n, WIDTH) what the body's poses are computed from."""
BASE = 1
"""(4, 4) T_world_body."""
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
"""(5, d): weights, periods (0: none), resolutions, lower and upper limits."""
WORK = 8
"""(3, k) values, sines and cosines."""
POSES = 9
"""(n_poses, 4, 4) of the configuration that was looked at last."""
CONFIGURATIONS = 10
"""(4, d) room for configurations: the one looked at, a way, two of the callers."""
CHECK = 11
"""(2,) address of the function that says whether poses collide, 0 if nothing does; how
often it was asked."""
WORLD, SELECTION, LINKS, MOVERS, LOCAL = 12, 13, 14, 15, 16
"""What that function takes, see `pyrave.interfaces.CompiledCollisions`."""

_WEIGHT, _PERIOD, _RESOLUTION = 0, 1, 2
_LOOKED_AT, _WAY = 0, 1


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
    """Return which of `count` configurations (d, room) is nearest to another one."""
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
    """Write where a step towards a target ends, at most `reach` away from its start.

    Returns 2 if that is the target, 1 if not; 0 if there is no step.
    """
    difference(space, start, target, out)
    total = length(space, out)
    part = 1.0 if total <= reach else reach / total
    for j in range(start.shape[0]):
        out[j] = start[j] + part * out[j]
    return 2 if total <= reach else 1


def collides(space: I64, q: F64) -> bool:
    """Return whether the body collides at a configuration."""
    check = i64_1(space, CHECK)
    check[1] += 1
    if check[0] == 0:
        return False
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
    return returns_bool(
        check[0], i64_2(space, WORLD), i64_2(space, SELECTION), 0.0, poses,
        i32_1(space, LINKS), i32_1(space, MOVERS), f64_2(space, LOCAL),
    )  # fmt: skip


def is_free(space: I64, start: F64, end: F64) -> bool:
    """Return whether a motion is free, the start left out.

    The configurations are as near to each other as the resolutions say. The end comes
    first, then the middle, then the quarters: what is in the way is wide.
    """
    room = f64_2(space, CONFIGURATIONS)
    place, way = room[_LOOKED_AT], room[_WAY]
    difference(space, start, end, way)
    if collides(space, end):
        return False
    steps = _steps(space, way)
    stride = 1
    while stride < steps:
        stride *= 2
    while stride > 1:
        for i in range(stride // 2, steps, stride):
            for j in range(start.shape[0]):
                place[j] = start[j] + way[j] * (i / steps)
            if collides(space, place):
                return False
        stride //= 2
    return True


def _steps(space: I64, way: F64) -> int:
    """Return into how many parts the resolutions divide a way."""
    axes = f64_2(space, AXES)
    most = 1.0
    for j in range(way.shape[0]):
        most = max(most, abs(way[j]) / axes[_RESOLUTION, j])
    return math.ceil(most - 1e-9)


def check_states(space: I64, states: F64, hits: F64) -> None:
    """Write 1 for each configuration (n, d) that collides, else 0."""
    for k in range(states.shape[0]):
        hits[k] = 1.0 if collides(space, states[k]) else 0.0


def check_motions(space: I64, path: F64, finer: float) -> int:
    """Return the first piece of a path (n, d) that is not free, -1 if there is none.

    The steps are those of the resolutions, divided by `finer`.
    """
    room = f64_2(space, CONFIGURATIONS)
    place, way = room[_LOOKED_AT], room[_WAY]
    for k in range(path.shape[0] - 1):
        difference(space, path[k], path[k + 1], way)
        steps = math.ceil(_steps(space, way) * finer)
        for i in range(1, steps + 1):
            for j in range(way.shape[0]):
                place[j] = path[k, j] + way[j] * (i / steps)
            if collides(space, place):
                return k
    return -1
