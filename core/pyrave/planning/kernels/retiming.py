"""Waypoints to cubic pieces in time, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.kernels.paths import blended, splined
from pyrave.planning.kernels.time_optimal import retime

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def retime_lines(
    waypoints: F64,
    limits: F64,
    deviation: F64,
    counts: F64,
    positions: F64,
    velocities: F64,
    durations: F64,
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
    positions, velocities, durations
        As `time_optimal.retime` writes them, for the most steps.
    """
    n, dof = int(counts[0]), waypoints.shape[1]
    grid, stops, steps = np.empty((n + 1, dof)), np.empty(n + 1), np.empty(n)
    tangents, curvatures = np.empty((n, 2, dof)), np.empty((n, 2, dof))
    n = blended(
        waypoints,
        limits[0],
        deviation,
        int(counts[1]),
        grid,
        steps,
        tangents,
        curvatures,
        stops,
    )
    return retime(
        grid[: n + 1],
        steps[:n],
        tangents[:n],
        curvatures[:n],
        stops[: n + 1],
        limits,
        positions,
        velocities,
        durations,
    )


def retime_spline(
    waypoints: F64,
    knots: F64,
    limits: F64,
    counts: F64,
    positions: F64,
    velocities: F64,
    durations: F64,
) -> int:
    """Retime the natural cubic spline at `knots`, (k,); else as `retime_lines`.

    `counts` are (2,): the steps that there may be at most, and those that are dealt to
    the pieces of the spline.
    """
    n, dof = int(counts[0]), waypoints.shape[1]
    grid, stops, steps = np.empty((n + 1, dof)), np.empty(n + 1), np.empty(n)
    tangents, curvatures = np.empty((n, 2, dof)), np.empty((n, 2, dof))
    n = splined(
        waypoints, knots, int(counts[1]), grid, steps, tangents, curvatures, stops
    )
    return retime(
        grid[: n + 1],
        steps[:n],
        tangents[:n],
        curvatures[:n],
        stops[: n + 1],
        limits,
        positions,
        velocities,
        durations,
    )
