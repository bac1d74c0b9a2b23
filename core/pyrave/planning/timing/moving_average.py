"""Motions averaged over a window of time, which bounds their jerk.

Biagiotti and Melchiorri, "FIR filters for online trajectory planning with time- and
frequency-domain specifications", Control Engineering Practice 20(12), 2012.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.timing.timed_path import TimedPath

if TYPE_CHECKING:
    from pyrave.spatial import Array

_SAME = 1e-10
"""Smallest difference of two times, as a part of the duration."""


def averaged(timed: TimedPath, window: float) -> TimedPath:
    """Return the means of a motion over `window` seconds, `window` longer.

    A mean is within the limits of what it is the mean of: position, velocity and
    acceleration stay within theirs, both ends stay where they are, and the jerk is at
    most the change of acceleration over the window, divided by it. Where acceleration
    is at most a, positions differ by a window^2 / 24 at most from those half a window
    earlier.

    Parameters
    ----------
    timed
        From rest to rest.
    window
        Seconds, positive.
    """
    total = timed.duration + window
    times = np.sort(np.concatenate((timed.times, timed.times + window)))
    times = times[np.concatenate(([True], np.diff(times) > _SAME * total))]
    times[-1] = total
    powers = timed.coefficients()
    origin = timed.positions[0]
    areas = _areas(timed, powers, origin)
    late, early = (
        _integral(timed, powers, origin, areas, moments)
        for moments in (times, times - window)
    )
    p, v, _ = timed.at(times)
    p0, v0, _ = timed.at(times - window)
    positions = origin + (late - early) / window
    positions[-1] = timed.positions[-1]
    return TimedPath(times, positions, (p - p0) / window, (v - v0) / window)


def window_of(timed: TimedPath, jerk_limits: Array) -> float:
    """Return the seconds over which a motion is averaged to keep limits of jerk."""
    low, high = acceleration_range(timed)
    return float(((high - low) / jerk_limits).max())


def acceleration_range(timed: TimedPath) -> tuple[Array, Array]:
    """Return the least and greatest accelerations (dof,); rest counts."""
    span = np.diff(timed.times)[:, None]
    if not len(span):
        return np.zeros(timed.positions.shape[1]), np.zeros(timed.positions.shape[1])
    c = timed.coefficients()
    first, last = 2.0 * c[2], 2.0 * c[2] + 6.0 * c[3] * span
    ends = [first, last]
    if len(c) > 4:
        last += (12.0 * c[4] + 20.0 * c[5] * span) * span**2
        # and where the jerk 6 c3 + 24 c4 t + 60 c5 t^2 is 0
        with np.errstate(divide="ignore", invalid="ignore"):
            root = np.sqrt(np.maximum(576.0 * c[4] ** 2 - 1440.0 * c[3] * c[5], 0.0))
            for sign in (-1.0, 1.0):
                bend = -24.0 * c[4] + sign * root
                for t in (bend / (120.0 * c[5]), 12.0 * c[3] / bend):
                    at = np.where((t > 0.0) & (t < span), t, 0.0)
                    rest = 6.0 * c[3] + (12.0 * c[4] + 20.0 * c[5] * at) * at
                    ends.append(first + rest * at)
    values = np.stack(ends)
    return (
        np.minimum(values.min(axis=(0, 1)), 0.0),
        np.maximum(values.max(axis=(0, 1)), 0.0),
    )


def _areas(timed: TimedPath, powers: Array, origin: Array) -> Array:
    """Return the time integrals of positions from the origin, at the points."""
    span = np.diff(timed.times)[:, None]
    own = np.zeros_like(powers[0])
    for degree in range(len(powers) - 1, -1, -1):
        value = powers[degree] - origin if degree == 0 else powers[degree]
        own = own * span + value / (degree + 1)
    area = np.zeros_like(timed.positions)
    np.cumsum(own * span, axis=0, out=area[1:])
    return area


def _integral(
    timed: TimedPath, powers: Array, origin: Array, areas: Array, times: Array
) -> Array:
    """Return the time integrals of positions from the origin up to times."""
    inside = np.clip(times, 0.0, timed.duration)
    row = timed.pieces_at(inside)
    t = (inside - timed.times[row])[:, None]
    own = np.zeros((len(times), powers.shape[2]))
    for degree in range(len(powers) - 1, -1, -1):
        value = powers[degree, row] - origin if degree == 0 else powers[degree, row]
        own = own * t + value / (degree + 1)
    after = np.maximum(times - timed.duration, 0.0)[:, None]
    rest = (timed.positions[-1] - origin) * after
    return np.asarray(areas[row] + own * t + rest)
