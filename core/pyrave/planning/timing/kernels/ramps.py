"""Motions of constant accelerations between two states of several joints.

Hauser and Ng-Thow-Hing, "Fast Smoothing of Manipulator Trajectories using Optimal
Bounded-Acceleration Shortcuts", ICRA 2010: the slowest joint takes the least time, the
others the least acceleration for as long.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2

_SLACK = 1e-9
_MERGED = 1e-9
"""Least time between changes of acceleration, as a part of the duration."""


def least_time(
    way: float, v0: float, v1: float, fastest: float, hardest: float
) -> float:
    """Return the least duration of a way between two velocities."""
    direct = 0.5 * (v0 + v1) * abs(v1 - v0) / hardest
    side = 1.0 if way >= direct else -1.0
    # v0 to a peak p to v1: 2 a way = 2 p^2 - v0^2 - v1^2, a time = 2 p - v0 - v1,
    # a = side * hardest
    square = side * hardest * way + 0.5 * (v0 * v0 + v1 * v1)
    peak = side * math.sqrt(max(square, 0.0))
    if abs(peak) <= fastest:
        return max(0.0, side * (2.0 * peak - v0 - v1) / hardest)
    peak = side * fastest
    ramps = side * (peak - v0) / hardest + side * (peak - v1) / hardest
    ramped = side * (peak * peak - 0.5 * (v0 * v0 + v1 * v1)) / hardest
    return ramps + (way - ramped) / peak


def least_acceleration(
    way: float, v0: float, v1: float, time: float, fastest: float, out: F64
) -> float:
    """Write the phases of one joint that takes `time`; its acceleration.

    `out` are (3,): until when it accelerates and from when it brakes, seconds, and the
    acceleration, which has a sign. Infinite if there is none.
    """
    change = v1 - v0
    # T^2 a^2 + 2 (T (v0 + v1) - 2 way) a - (v1 - v0)^2 = 0
    half = time * (v0 + v1) - 2.0 * way
    square = time * time
    root = math.sqrt(half * half + square * change * change)
    first, second = (-half + root) / square, (-half - root) / square
    pull = first if abs(first) >= abs(second) else second
    if abs(pull) * time * time <= 1e-15 * max(abs(way), 1e-3):
        out[0], out[1], out[2] = 0.5 * time, 0.5 * time, 0.0
        return 0.0
    turn = 0.5 * time + 0.5 * change / pull
    turn = min(max(turn, 0.0), time)
    peak = v0 + pull * turn
    if abs(peak) <= fastest:
        out[0], out[1], out[2] = turn, turn, pull
        return pull
    peak = math.copysign(fastest, peak)
    lost = 2.0 * (peak * time - way)
    gained = (peak - v0) * (peak - v0) + (peak - v1) * (peak - v1)
    if gained == 0.0:
        out[0], out[1], out[2] = 0.5 * time, 0.5 * time, 0.0
        return 0.0
    if lost == 0.0:
        return math.inf
    pull = gained / lost
    rise, fall = (peak - v0) / pull, (peak - v1) / pull
    if rise < 0.0 or fall < 0.0 or rise + fall > time * (1.0 + _SLACK):
        return math.inf
    out[0], out[1], out[2] = min(rise, time), max(time - fall, rise), pull
    return pull


def stays_within(
    p0: float, v0: float, p1: float, v1: float, phases: F64, low: float, high: float
) -> bool:
    """Return True if one joint turns back within low..high."""
    pull = phases[2]
    if pull == 0.0:
        return True
    # at most one turn while it accelerates, and one while it brakes
    turn = -v0 / pull
    if 0.0 < turn < phases[0]:
        place = p0 - 0.5 * v0 * v0 / pull
        if place < low or place > high:
            return False
    turn = v1 / pull
    if turn < 0.0:
        place = p1 + 0.5 * v1 * v1 / pull
        last = v1 + pull * (phases[3] - phases[1])
        if last * v1 < 0.0 and (place < low or place > high):
            return False
    return True


def connect(
    states: F64_2, limits: F64_2, times: F64_1, positions: F64_2, velocities: F64_2
) -> int:
    """Write the fastest motion between two states at which all joints arrive together.

    Parameters
    ----------
    states
        (4, dof) position and velocity of the first and of the last state.
    limits
        (4, dof) greatest velocities and accelerations, lowest and highest positions.
    times
        (2 dof + 2,) written; the first is the least duration that is asked for.
    positions, velocities
        (2 dof + 2, dof) at these times, between which accelerations are constant.

    Returns
    -------
    The number of times, 0 if some joint does not manage in the time of the slowest.
    """
    dof = states.shape[1]
    duration = times[0]
    for j in range(dof):
        duration = max(
            duration,
            least_time(
                states[2, j] - states[0, j],
                states[1, j],
                states[3, j],
                limits[0, j],
                limits[1, j],
            ),
        )
    times[0] = 0.0
    positions[0], velocities[0] = states[0], states[1]
    if duration <= 0.0:
        return 1
    phases, marks = np.empty((dof, 4)), np.empty(2 * dof + 2)
    for j in range(dof):
        way = states[2, j] - states[0, j]
        pull = least_acceleration(
            way, states[1, j], states[3, j], duration, limits[0, j], phases[j]
        )
        phases[j, 3] = duration
        if not abs(pull) <= limits[1, j] * (1.0 + _SLACK):
            return 0
        if not stays_within(
            states[0, j],
            states[1, j],
            states[2, j],
            states[3, j],
            phases[j],
            limits[2, j],
            limits[3, j],
        ):
            return 0
        marks[2 * j], marks[2 * j + 1] = phases[j, 0], phases[j, 1]
    marks[2 * dof], marks[2 * dof + 1] = 0.0, duration
    marks.sort()
    count = 1
    for k in range(1, marks.shape[0]):
        if marks[k] - times[count - 1] > _MERGED * duration:
            times[count] = marks[k]
            count += 1
    times[count - 1] = duration
    for k in range(1, count - 1):
        t = times[k]
        for j in range(dof):
            rise, pull = min(t, phases[j, 0]), phases[j, 2]
            steady = min(t, phases[j, 1]) - rise
            fall = t - rise - steady
            top = states[1, j] + pull * rise
            positions[k, j] = (
                states[0, j]
                + (states[1, j] + 0.5 * pull * rise) * rise
                + top * steady
                + (top - 0.5 * pull * fall) * fall
            )
            velocities[k, j] = top - pull * fall
    positions[count - 1], velocities[count - 1] = states[2], states[3]
    return count
