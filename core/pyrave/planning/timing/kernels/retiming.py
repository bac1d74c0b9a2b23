"""Waypoints to cubic pieces in time, in one call."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.timing.kernels.paths import blended, splined
from pyrave.planning.timing.kernels.time_optimal import retime

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3

_SAME = 1e-9
"""Distance of equal waypoints, as a part of the path's extent."""
_WRONG = -1
"""Answer to numbers that are not finite, or limits that are not positive."""


def are_wrong(waypoints: F64, limits: F64) -> bool:
    """Return True if numbers are not finite, or limits not positive."""
    for i in range(waypoints.shape[0]):
        for j in range(waypoints.shape[1]):
            if not math.isfinite(waypoints[i, j]):
                return True
    for i in range(limits.shape[0]):
        for j in range(limits.shape[1]):
            if not 0.0 < limits[i, j] < math.inf:
                return True
    return False


def distinct(waypoints: F64, out: F64) -> int:
    """Write waypoints that differ from the one before; how many these are.

    Those closer than 1e-9 of what a joint moves count once.
    """
    k, dof = waypoints.shape
    near = np.empty(dof)
    for j in range(dof):
        low = high = waypoints[0, j]
        for i in range(1, k):
            low, high = min(low, waypoints[i, j]), max(high, waypoints[i, j])
        near[j] = max(1e-12, _SAME * (high - low))
    out[0] = waypoints[0]
    count = 1
    for i in range(1, k):
        differs = False
        for j in range(dof):
            if abs(waypoints[i, j] - out[count - 1, j]) > near[j]:
                differs = True
        if differs:
            out[count] = waypoints[i]
            count += 1
    if count > 1:
        out[count - 1] = waypoints[k - 1]  # or one that is nearly the same
    return count


def lay_knots(waypoints: F64, knots: F64) -> None:
    """Write knots (k,) that are as far apart as waypoints."""
    knots[0] = 0.0
    for i in range(1, waypoints.shape[0]):
        square = 0.0
        for j in range(waypoints.shape[1]):
            way = waypoints[i, j] - waypoints[i - 1, j]
            square += way * way
        knots[i] = knots[i - 1] + math.sqrt(square)


def add_up(durations: F64, n: int, times: F64) -> None:
    """Write the times of the ends of n pieces."""
    times[0] = 0.0
    for k in range(n):
        times[k + 1] = times[k] + durations[k]


def retime_lines(
    waypoints: F64_2,
    limits: F64_2,
    deviation: F64_1,
    counts: F64_1,
    positions: F64_2,
    velocities: F64_2,
    times: F64_1,
) -> int:
    """Retime straight lines between waypoints; the number of pieces.

    Parameters
    ----------
    waypoints
        (k, dof)
    limits
        (2, dof) greatest velocities and accelerations.
    deviation
        (dof,) how far corners may be passed.
    counts
        (2,) the steps that there may be at most, and those of a corner.
    positions, velocities, times
        (3 n + 1, dof) twice and (3 n + 1,) for the most steps n, written.

    Returns
    -------
    The number of pieces; negative for numbers that make no sense.
    """
    if are_wrong(waypoints, limits):
        return _WRONG
    n, dof = int(counts[0]), waypoints.shape[1]
    kept = np.empty_like(waypoints)
    k = distinct(waypoints, kept)
    if k == 1:
        times[0], positions[0], velocities[0] = 0.0, kept[0], 0.0
        return 0
    grid, stops, steps = np.empty((n + 1, dof)), np.empty(n + 1), np.empty(n)
    tangents, curvatures = np.empty((n, 2, dof)), np.empty((n, 2, dof))
    n = blended(
        kept[:k],
        limits[0],
        deviation,
        int(counts[1]),
        1,
        grid,
        steps,
        tangents,
        curvatures,
        stops,
    )
    return timed(
        grid,
        steps,
        tangents,
        curvatures,
        stops,
        n,
        limits,
        positions,
        velocities,
        times,
    )


def retime_spline(
    waypoints: F64_2,
    limits: F64_2,
    counts: F64_1,
    positions: F64_2,
    velocities: F64_2,
    times: F64_1,
) -> int:
    """Retime the natural cubic spline through waypoints; else as `retime_lines`.

    Its knots are as far apart as the waypoints. `counts` are (2,): the steps that there
    may be at most, and those that are dealt to the pieces of the spline.
    """
    if are_wrong(waypoints, limits):
        return _WRONG
    n, dof = int(counts[0]), waypoints.shape[1]
    kept = np.empty_like(waypoints)
    k = distinct(waypoints, kept)
    if k == 1:
        times[0], positions[0], velocities[0] = 0.0, kept[0], 0.0
        return 0
    knots = np.empty(k)
    lay_knots(kept[:k], knots)
    grid, stops, steps = np.empty((n + 1, dof)), np.empty(n + 1), np.empty(n)
    tangents, curvatures = np.empty((n, 2, dof)), np.empty((n, 2, dof))
    n = splined(
        kept[:k], knots, int(counts[1]), grid, steps, tangents, curvatures, stops
    )
    return timed(
        grid,
        steps,
        tangents,
        curvatures,
        stops,
        n,
        limits,
        positions,
        velocities,
        times,
    )


def timed(
    grid: F64,
    steps: F64,
    tangents: F64,
    curvatures: F64,
    stops: F64,
    n: int,
    limits: F64,
    positions: F64,
    velocities: F64,
    times: F64,
) -> int:
    """Retime the first n steps of a grid, and write when each piece ends."""
    durations = np.empty(3 * n)
    pieces = retime(
        grid[: n + 1],
        steps[:n],
        tangents[:n],
        curvatures[:n],
        stops[: n + 1],
        limits,
        np.empty((n, 0, 2)),
        positions,
        velocities,
        durations,
        np.empty(3 * n),
    )
    add_up(durations, pieces, times)
    return pieces


def lay_lines(
    waypoints: F64_2,
    scale: F64_1,
    deviation: F64_1,
    counts: F64_1,
    grid: F64_2,
    steps: F64_1,
    tangents: F64_3,
    curvatures: F64_3,
    stops: F64_1,
) -> int:
    """Write a grid on straight lines with parabolas at corners; its number of steps.

    See `blended`; `counts` are (2,): steps of a parabola, and of a line.
    """
    kept = np.empty_like(waypoints)
    k = distinct(waypoints, kept)
    if k == 1:
        grid[0] = kept[0]
        return 0
    return blended(
        kept[:k],
        scale,
        deviation,
        int(counts[0]),
        int(counts[1]),
        grid,
        steps,
        tangents,
        curvatures,
        stops,
    )


def lay_spline(
    waypoints: F64_2,
    counts: F64_1,
    grid: F64_2,
    steps: F64_1,
    tangents: F64_3,
    curvatures: F64_3,
    stops: F64_1,
) -> int:
    """Write a grid on a natural cubic spline; its number of steps.

    See `splined`; `counts` are (1,): the steps dealt to its pieces.
    """
    kept = np.empty_like(waypoints)
    k = distinct(waypoints, kept)
    if k == 1:
        grid[0] = kept[0]
        return 0
    knots = np.empty(k)
    lay_knots(kept[:k], knots)
    return splined(
        kept[:k], knots, int(counts[0]), grid, steps, tangents, curvatures, stops
    )


def retime_grid(
    grid: F64_2,
    steps: F64_1,
    tangents: F64_3,
    curvatures: F64_3,
    stops: F64_1,
    limits: F64_2,
    sides: F64_3,
    positions: F64_2,
    velocities: F64_2,
    durations: F64_1,
    origins: F64_1,
) -> int:
    """Retime a grid within further bounds; see `time_optimal.retime`."""
    return retime(
        grid,
        steps,
        tangents,
        curvatures,
        stops,
        limits,
        sides,
        positions,
        velocities,
        durations,
        origins,
    )
