"""Time-optimal parametrization of paths within bounds that are not those of joints.

Pham and Pham, "A New Approach to Time-Optimal Path Parameterization Based on
Reachability Analysis", IEEE Transactions on Robotics 34(3), 2018, section II: what is
linear in the square of the speed along the path and in the acceleration along it bounds
each step of the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.timing.parametrization import (
    as_deviations,
    as_limit_rows,
    as_step_count,
    as_waypoints,
    check_numbers,
    retiming_kernel,
)
from pyrave.planning.timing.timed_path import TimedPath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

_lay_lines = retiming_kernel("lay_lines")
_lay_spline = retiming_kernel("lay_spline")
_retime_grid = retiming_kernel("retime_grid")
KERNELS = _lay_lines, _lay_spline, _retime_grid
"""Kernels that `pyrave warm` compiles."""
MARGIN = 1e-3
"""Unused part of a bound, as motions between samples may need a little more."""
_ROUNDS = 5
_STEPS = {"lines": 32, "spline": 100}
_MAX_STEPS = 100_000
_SLOWINGS = 50
_SAMPLES = 1000
"""Number of samples of a motion; each piece has nine at least."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """A path at n + 1 points, and its derivatives (n, 2, dof) at the ends of steps."""

    points: Array
    steps: Array
    tangents: Array
    curvatures: Array
    stops: Array


class Bounds(Protocol):
    """Bounds of a motion along a path. One thousandth of them stays unused."""

    def sides(self, grid: Grid) -> Array:
        """Return bounds (n, m, 2) of each step: p x + r y <= 1.

        x and y are the squares of the speed along the path at both ends.
        """

    def parts(self, times: Array, timed: TimedPath) -> Array:
        """Return the use of bounds at times (m,), as shares of the bounds.

        The motion slowed down by k uses 1 / k^2 of it.
        """


def fastest_within(
    waypoints: ArrayLike,
    velocity_limits: ArrayLike,
    acceleration_limits: ArrayLike,
    bounds: Sequence[Bounds],
    *,
    path: Literal["lines", "spline"] = "lines",
    deviation: ArrayLike = 0.0,
    steps: int | None = None,
) -> TimedPath:
    """Return the fastest motion along a path within bounds.

    Parameters
    ----------
    waypoints, velocity_limits, acceleration_limits, path, deviation
        As `time_optimal` takes them.
    steps
        Of each straight line (32 if left out), or of the whole spline (100); a parabola
        has eight.

    Raises
    ------
    ArgumentError
        As `time_optimal`, and bounds that no speed keeps.
    """
    points = as_waypoints(waypoints)
    dof = points.shape[1]
    limits = as_limit_rows(velocity_limits, acceleration_limits, dof)
    check_numbers(points, limits)
    if path not in ("lines", "spline"):
        raise ArgumentError(f"path is {path!r}, expected 'lines' or 'spline'")
    count = _STEPS[path] if steps is None else as_step_count(steps)
    if count * len(points) > _MAX_STEPS:
        raise ArgumentError(
            f"{len(points)} waypoints with {count} steps are too many, expected "
            f"{_MAX_STEPS} steps at most"
        )
    grid = _laid(points, limits[0], path, as_deviations(deviation, dof), count)
    if not len(grid.steps):
        return TimedPath(np.zeros(1), grid.points[:1], np.zeros((1, dof)))
    sides = np.ascontiguousarray(np.hstack([one.sides(grid) for one in bounds]))
    timed, origins = _retimed(grid, limits, sides)
    parts = _parts(timed, bounds)
    for _ in range(_ROUNDS):
        if parts.max() <= 1.0 + 0.5 * MARGIN:
            return timed
        worst = np.ones(len(grid.steps))
        np.maximum.at(worst, origins, parts)
        sides *= worst[:, None, None]
        timed, origins = _retimed(grid, limits, sides)
        parts = _parts(timed, bounds)
    for _ in range(_SLOWINGS):
        if parts.max() <= 1.0 + 0.5 * MARGIN:
            return timed
        scale = np.sqrt(parts.max())
        timed = TimedPath(
            timed.times * scale, timed.positions, timed.velocities / scale
        )
        parts = _parts(timed, bounds)
    raise ArgumentError("no speed along the path keeps what bounds it")


def _laid(
    waypoints: Array, scale: Array, path: str, deviation: Array, steps: int
) -> Grid:
    k, dof = waypoints.shape
    n = (k - 1) * steps + 8 * k if path == "lines" else steps + 3 * k
    points, lengths, stops = np.empty((n + 1, dof)), np.empty(n), np.zeros(n + 1)
    tangents, curvatures = np.empty((n, 2, dof)), np.empty((n, 2, dof))
    if path == "lines":
        n = _lay_lines.call(
            waypoints,
            scale,
            deviation,
            np.array((8.0, steps)),
            points,
            lengths,
            tangents,
            curvatures,
            stops,
        )
    else:
        n = _lay_spline.call(
            waypoints,
            np.array((float(steps),)),
            points,
            lengths,
            tangents,
            curvatures,
            stops,
        )
    return Grid(
        points[: n + 1], lengths[:n], tangents[:n], curvatures[:n], stops[: n + 1]
    )


def _retimed(
    grid: Grid, limits: Array, sides: Array
) -> tuple[TimedPath, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    """Return the motion, and the step of each of its pieces."""
    rows = 3 * len(grid.steps)
    positions = np.empty((rows + 1, grid.points.shape[1]))
    velocities, durations = np.empty_like(positions), np.empty(rows)
    origins = np.empty(rows)
    n = _retime_grid.call(
        grid.points,
        grid.steps,
        grid.tangents,
        grid.curvatures,
        grid.stops,
        limits,
        sides,
        positions,
        velocities,
        durations,
        origins,
    )
    times = np.zeros(n + 1)
    np.cumsum(durations[:n], out=times[1:])
    timed = TimedPath(times, positions[: n + 1], velocities[: n + 1])
    return timed, origins[:n].astype(np.intp)


def _parts(timed: TimedPath, bounds: Sequence[Bounds]) -> Array:
    """Return the largest use of bounds in each piece, as a share of the bounds."""
    spans = np.diff(timed.times)[:, None]
    inside = np.linspace(1e-9, 1.0 - 1e-9, max(9, _SAMPLES // len(spans)))
    times = (timed.times[:-1, None] + spans * inside).ravel()
    found = np.max([one.parts(times, timed) for one in bounds], axis=0)
    return np.asarray(found.reshape(len(spans), -1).max(axis=1))
