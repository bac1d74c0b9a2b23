"""Configurations of a body's joints: distances, steps, and motions that are free.

A space is one table of arrays (`pyrave.jit.bundles`), whose numbers are the constants
below; `JointSpace` makes it. Kernels of searches take these functions, or
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
"""(5, d): weights, periods (0: none), resolutions, 1 for joints that slide, and how
fast the fastest of the joint and its followers is, beside it."""
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
SURROUNDINGS, ITSELF = 17, 18
"""Selections of the same world: the body and all others, and its links."""
SPHERES = 19
"""(n_links, 4) a sphere around what each link carries, in its frame: centre, radius;
a negative radius where there is nothing, or it does not move."""
BOUNDS = 20
"""(2,) how far any point is from any axis at most, metres; the least margin."""
STARTS_OF_STEP, ENDS_OF_STEP = 21, 22
"""(n_links, 4, 4) poses at the ends of a step."""

_WEIGHT, _PERIOD, _RESOLUTION, _SLIDES, _GAIN = 0, 1, 2, 3, 4
_LOOKED_AT, _WAY, _STEP = 0, 1, 2
_FIRST_STEP = 4.0
"""Of a motion that is certified, in steps of the resolutions."""


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
    place(space, q)
    return touches(space, i64_2(space, SELECTION), 0.0)


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


def touches(space: I64, selection: I64, margin: float) -> bool:
    """Return whether anything of a selection is within a margin, at `place`'s poses."""
    return returns_bool(
        i64_1(space, CHECK)[0], i64_2(space, WORLD), selection, margin,
        f64_3(space, POSES), i32_1(space, LINKS), i32_1(space, MOVERS),
        f64_2(space, LOCAL),
    )  # fmt: skip


def is_free(space: I64, start: F64, end: F64) -> bool:
    """Return whether a motion is free, the start left out.

    The configurations are as near to each other as the resolutions say. The end comes
    first, then the middle, then the quarters: what is in the way is wide.
    """
    room = f64_2(space, CONFIGURATIONS)
    at, way = room[_LOOKED_AT], room[_WAY]
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
                at[j] = start[j] + way[j] * (i / steps)
            if collides(space, at):
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


def is_sure(space: I64, start: F64, end: F64) -> bool:
    """Return whether a motion is free, also between the steps of the resolutions."""
    return is_free(space, start, end) and is_certain(space, start, end)


def is_certain(space: I64, start: F64, end: F64) -> bool:
    """Return whether a motion that is free is so between the steps, too.

    From where the body is at the middle of a step to where it is at the ends, no point
    moves further than a margin: nothing is in the way if nothing is that near. Steps
    become shorter where something is, down to the least margin. Two links of the body
    itself come nearer to each other by twice the margin at most.
    """
    check, room = i64_1(space, CHECK), f64_2(space, CONFIGURATIONS)
    if check[0] == 0:
        return True
    at, way, step = room[_LOOKED_AT], room[_WAY], room[_STEP]
    difference(space, start, end, way)
    least = f64_1(space, BOUNDS)[1]
    done, part = 0.0, min(1.0, _FIRST_STEP / _steps(space, way))
    while done < 1.0:
        part = min(part, 1.0 - done)
        for j in range(way.shape[0]):
            step[j] = 0.5 * part * way[j]
            at[j] = start[j] + done * way[j]
        margin = _margin(space, at, step)
        check[1] += 1
        near = touches(space, i64_2(space, SURROUNDINGS), margin)
        near_itself = not near and touches(space, i64_2(space, ITSELF), 2.0 * margin)
        if (near or near_itself) and margin > least:
            part *= 0.5
            continue
        if near and touches(space, i64_2(space, SURROUNDINGS), 0.0):
            return False
        if (near or near_itself) and touches(space, i64_2(space, ITSELF), 0.0):
            return False
        done = 1.0 if part >= 1.0 - done else done + part
        part *= 1.0 if near or near_itself else 1.5
    return True


def _margin(space: I64, at: F64, step: F64) -> float:
    """Return how far points move from the middle of two steps, and place that.

    What the ends show, and how much a curve bends between: its acceleration is that of
    turns about all axes at once.
    """
    poses, ends = f64_3(space, POSES), f64_3(space, ENDS_OF_STEP)
    for j in range(at.shape[0]):
        at[j] += 2.0 * step[j]
    place(space, at)
    ends[:] = poses[: ends.shape[0]]
    for j in range(at.shape[0]):
        at[j] -= 2.0 * step[j]
    place(space, at)
    first = f64_3(space, STARTS_OF_STEP)
    first[:] = poses[: first.shape[0]]
    for j in range(at.shape[0]):
        at[j] += step[j]
    place(space, at)
    most = max(_moved(space, first), _moved(space, ends))
    axes = f64_2(space, AXES)
    turn = slide = 0.0
    for j in range(at.shape[0]):
        rate = abs(step[j]) * axes[_GAIN, j]
        if axes[_SLIDES, j] > 0.0:
            slide += rate
        else:
            turn += rate
    farthest = float(f64_1(space, BOUNDS)[0])
    return most + 0.125 * turn * (turn * farthest + 2.0 * slide)


def _moved(space: I64, before: F64) -> float:
    """Return how far a point of any link is from where it was, at most."""
    poses, spheres = f64_3(space, POSES), f64_2(space, SPHERES)
    most = 0.0
    for k in range(spheres.shape[0]):
        radius = spheres[k, 3]
        if radius < 0.0:
            continue
        total = turned = 0.0
        for r in range(3):
            way = poses[k, r, 3] - before[k, r, 3]
            for c in range(3):
                part = poses[k, r, c] - before[k, r, c]
                way += part * spheres[k, c]
                turned += part * part
            total += way * way
        # a difference of rotations is twice the sine of half the angle
        most = max(most, math.sqrt(total) + radius * math.sqrt(0.5 * turned))
    return most


def check_states(space: I64, states: F64, hits: F64) -> None:
    """Write 1 for each configuration (n, d) that collides, else 0."""
    for k in range(states.shape[0]):
        hits[k] = 1.0 if collides(space, states[k]) else 0.0


def check_motions(space: I64, path: F64, sure: int) -> int:
    """Return the first piece of a path (n, d) that is not free, -1 if there is none.

    Parameters
    ----------
    sure
        0: free at the steps of the resolutions. 1: between them, too. 2: between them,
        where it is known that the steps are free.
    """
    for k in range(path.shape[0] - 1):
        if sure < 2 and not is_free(space, path[k], path[k + 1]):
            return k
        if sure > 0 and not is_certain(space, path[k], path[k + 1]):
            return k
    return -1
