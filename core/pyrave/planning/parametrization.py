"""Paths in time: as fast as limits of velocity and acceleration allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule, TypedKernel
from pyrave.planning.timed_path import TimedPath
from pyrave.spatial import as_number, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

_COST = 0.4
_retiming = KernelModule("pyrave.planning.kernels.retiming")
_lines = TypedKernel(
    _retiming,
    "retime_lines",
    (2, 2, 1, 1, 2, 2, 1),
    lambda *arrays: _COST * len(arrays[-1]),
    said="time-optimal parametrization",
    seconds=6.0,
)
_spline = TypedKernel(
    _retiming,
    "retime_spline",
    (2, 1, 2, 1, 2, 2, 1),
    lambda *arrays: _COST * len(arrays[-1]),
    said="time-optimal parametrization",
    seconds=6.0,
)
KERNELS = _lines, _spline
"""What `pyrave warm` compiles."""
_MOST_STEPS = 300_000
_SAME = 1e-9
"""Of the extent of a path."""


def time_optimal(
    waypoints: ArrayLike,
    velocity_limits: ArrayLike,
    acceleration_limits: ArrayLike,
    *,
    path: Literal["lines", "spline"] = "lines",
    deviation: ArrayLike = 0.0,
    steps: int | None = None,
) -> TimedPath:
    """Return the fastest motion along a path, from rest to rest.

    The path is parametrized by reachability analysis (Pham and Pham, "A New Approach to
    Time-Optimal Path Parameterization Based on Reachability Analysis", IEEE
    Transactions on Robotics 34(3), 2018) on a grid of points. What comes out are cubic
    pieces of time between these points, and these keep the limits everywhere.

    Parameters
    ----------
    waypoints
        (k, dof); those closer than 1e-9 of what the joints move count once.
    velocity_limits, acceleration_limits
        (dof,) or one number, positive.
    path
        ``"lines"`` leads straight from waypoint to waypoint, ``"spline"`` is the
        natural cubic spline through them, with the distances of the waypoints between
        its knots.
    deviation
        (dof,) or one number: how far lines may pass a waypoint, on a parabola around
        the corner. With 0 the motion stops at corners.
    steps
        Of the grid, on each parabola (8 if left out) or on the whole spline (100).
        Lines need none, what they give is exact.

    Raises
    ------
    ArgumentError
        Wrong shapes, numbers that are not finite, limits that are not positive.

    Examples
    --------
    >>> one = time_optimal([[0.0], [1.0]], 1.0, 2.0)
    >>> round(one.duration, 6)
    1.5
    """
    points = _points(waypoints)
    dof = points.shape[1]
    limits = np.stack(
        (
            _limits(velocity_limits, dof, "velocity_limits"),
            _limits(acceleration_limits, dof, "acceleration_limits"),
        )
    )
    if path not in ("lines", "spline"):
        raise ArgumentError(f"path is {path!r}, expected 'lines' or 'spline'")
    if len(points) == 1:
        return TimedPath(np.zeros(1), points, np.zeros_like(points))
    if path == "lines":
        parts = 8 if steps is None else _count(steps)
        most = len(points) - 1 + (len(points) - 2) * parts
        margin = _per_joint(deviation, dof, "deviation")
        kernel, arrays = _lines, (points, limits, margin)
    else:
        parts = 100 if steps is None else _count(steps)
        most = parts + 3 * len(points)
        knots = np.zeros(len(points))
        np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1), out=knots[1:])
        kernel, arrays = _spline, (points, knots, limits)
    if most > _MOST_STEPS:
        raise ArgumentError(
            f"{len(points)} waypoints make a grid of {most} steps, expected "
            f"{_MOST_STEPS} at most; take fewer steps"
        )
    positions, velocities = (np.empty((3 * most + 1, dof)) for _ in range(2))
    durations, counts = np.empty(3 * most), np.array((most, parts), float)
    n = kernel.call(*arrays, counts, positions, velocities, durations)
    times = np.zeros(n + 1)
    np.cumsum(durations[:n], out=times[1:])
    return TimedPath(times, positions[: n + 1], velocities[: n + 1])


def _points(waypoints: ArrayLike) -> Array:
    """Return distinct waypoints, (k, dof), C-contiguous."""
    points = as_numbers(waypoints, "waypoints")
    if points.ndim != 2 or not points.size:
        raise ArgumentError(
            f"waypoints have the shape {points.shape}, expected (k, dof) with one "
            "waypoint at least"
        )
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise ArgumentError(f"waypoint {row} is {points[row]}, expected finite numbers")
    near = np.maximum(1e-12, _SAME * np.ptp(points, axis=0))
    if (np.abs(np.diff(points, axis=0)) > near).any(axis=1).all():
        return np.array(points, order="C")
    kept = [points[0]]
    for point in points[1:]:
        if (np.abs(point - kept[-1]) > near).any():
            kept.append(point)
    if len(kept) > 1:
        kept[-1] = points[-1]  # or one that is nearly the same
    return np.array(kept, order="C")


def _per_joint(values: ArrayLike, dof: int, name: str) -> Array:
    """Return one number for each joint, not negative."""
    array = as_numbers(values, name)
    array = np.full(dof, array) if array.ndim == 0 else as_vector(array, dof, name)
    if not ((array >= 0.0) & np.isfinite(array)).all():
        raise ArgumentError(f"{name} has {array}, expected finite numbers >= 0")
    return np.array(array, float)


def _limits(values: ArrayLike, dof: int, name: str) -> Array:
    array = _per_joint(values, dof, name)
    if not (array > 0.0).all():
        joint = int(np.flatnonzero(~(array > 0.0))[0])
        raise ArgumentError(
            f"{name} has {array[joint]:g} for joint {joint}, expected a positive number"
        )
    return array


def _count(steps: int) -> int:
    count = as_number(steps, "steps", 2, _MOST_STEPS)
    if count != int(count):
        raise ArgumentError(f"steps is {steps!r}, expected a whole number")
    return int(count)
