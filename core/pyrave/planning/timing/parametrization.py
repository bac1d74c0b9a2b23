"""Paths in time: as fast as limits of velocity and acceleration allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import Kernel
from pyrave.planning.timing.moving_average import averaged, window_of
from pyrave.planning.timing.rest_to_rest import rest_to_rest
from pyrave.planning.timing.timed_path import TimedPath
from pyrave.spatial import as_number, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.spatial import Array

Counts = tuple[int, int]
"""Steps that a grid has at most, and those of a corner or of a spline."""
_COST = 0.4


def retiming_kernel(name: str) -> Kernel:
    """Return a kernel whose last argument is a grid along the path."""
    return Kernel(
        "pyrave.planning.timing.kernels.retiming",
        name,
        "time-optimal parametrization",
        6.0,
        cost=lambda *arrays: _COST * len(arrays[-1]),
        merged=True,
        whole=True,
    )


_lines, _spline = retiming_kernel("retime_lines"), retiming_kernel("retime_spline")
KERNELS = _lines, _spline
"""Kernels that `pyrave warm` compiles."""
_MAX_STEPS = 300_000
_STRAIGHT = 1e-9
_PARTS = np.geomspace(1.0, 0.02, 12)


def time_optimal(
    waypoints: ArrayLike,
    velocity_limits: ArrayLike,
    acceleration_limits: ArrayLike,
    *,
    path: Literal["lines", "spline"] = "lines",
    deviation: ArrayLike = 0.0,
    jerk_limits: ArrayLike | None = None,
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
        (dof,) or one number, positive; rad/s and rad/s2, or m/s and m/s2.
    path
        ``"lines"`` leads straight from waypoint to waypoint, ``"spline"`` is the
        natural cubic spline through them, with the distances of the waypoints between
        its knots.
    deviation
        (dof,) or one number: how far lines may pass a waypoint, on a parabola around
        the corner. With 0 the motion stops at corners.
    jerk_limits
        (dof,) or one number, positive, rad/s3 or m/s3; None for no limit. Lines that
        stop at corners
        are then s-curves, which nothing beats on these lines. Rounded lines and splines
        become their mean over a window of time, as long as the window that keeps the
        limits and the shortest of several accelerations; see `averaged`, also for how
        far a mean leaves the path.
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
    points = as_waypoints(waypoints)
    k, dof = points.shape
    limits = as_limit_rows(velocity_limits, acceleration_limits, dof)
    arrays: tuple[Array, ...]
    if path == "lines":
        parts = 8 if steps is None else as_step_count(steps)
        most = max(1, k - 1 + (k - 2) * parts)
        kernel, arrays = _lines, (points, limits, as_deviations(deviation, dof))
    elif path == "spline":
        parts = 100 if steps is None else as_step_count(steps)
        most = parts + 3 * k
        kernel, arrays = _spline, (points, limits)
    else:
        raise ArgumentError(f"path is {path!r}, expected 'lines' or 'spline'")
    if most > _MAX_STEPS:
        raise ArgumentError(
            f"{k} waypoints make a grid of {most} steps, expected {_MAX_STEPS} at "
            "most; take fewer steps"
        )
    if jerk_limits is not None:
        jerks = positive_limits(jerk_limits, dof, "jerk_limits")
        if path == "lines" and not np.any(deviation):
            check_numbers(points, limits)
            return rest_to_rest(
                corners(points), limits[0], limits[1], jerks, law="s-curve"
            )
        return _averaged(kernel, arrays, limits, jerks, (most, parts))
    return _solved(kernel, arrays, limits, (most, parts))


def _solved(
    kernel: Kernel, arrays: tuple[Array, ...], limits: Array, counts: Counts
) -> TimedPath:
    """Run a kernel, which takes no numbers that make no sense."""
    points, rows = arrays[0], 3 * counts[0] + 1
    positions = np.empty((rows, points.shape[1]))
    velocities, times = np.empty_like(positions), np.empty(rows)
    n = kernel.call(*arrays, np.array(counts, float), positions, velocities, times)
    if n < 0:
        check_numbers(points, limits)
    n += 1
    return TimedPath(times[:n], positions[:n], velocities[:n])


def _averaged(
    kernel: Kernel,
    arrays: tuple[Array, ...],
    limits: Array,
    jerk_limits: Array,
    counts: Counts,
) -> TimedPath:
    """Return the mean over time that keeps limits of jerk and takes least time.

    Less acceleration takes longer, but its mean a shorter window.
    """
    best, least = None, np.inf
    for part in _PARTS.tolist():
        slower = limits * np.array([[1.0], [part]])
        timed = _solved(kernel, (arrays[0], slower, *arrays[2:]), limits, counts)
        if timed.duration >= least:
            break
        window = window_of(timed, jerk_limits) if timed.duration else 0.0
        if timed.duration + window < least:
            best, least = (timed, window), timed.duration + window
    if best is None or not best[1]:
        return TimedPath(np.zeros(1), arrays[0][:1], np.zeros((1, limits.shape[1])))
    return averaged(*best)


def corners(points: Array) -> Array:
    """Return waypoints without those that straight lines pass."""
    if len(points) < 3:
        return points
    ways = np.diff(points, axis=0)
    lengths = np.linalg.norm(ways, axis=1, keepdims=True)
    moves = lengths[:, 0] > 0.0
    directions = ways[moves] / lengths[moves]
    turns = (np.abs(np.diff(directions, axis=0)) > _STRAIGHT).any(axis=1)
    ends = points[1:][moves]
    return np.concatenate((points[:1], ends[:-1][turns], points[-1:]))


def as_waypoints(waypoints: ArrayLike) -> Array:
    """Return waypoints, (k, dof), as kernels take them."""
    points = as_numbers(waypoints, "waypoints")
    if points.ndim != 2 or not points.size:
        raise ArgumentError(
            f"waypoints have the shape {points.shape}, expected (k, dof) with one "
            "waypoint at least"
        )
    return points if points.flags.carray else np.array(points, order="C")


def as_limit_rows(velocities: ArrayLike, accelerations: ArrayLike, dof: int) -> Array:
    """Return limits (2, dof); whether they are positive is asked by kernels."""
    limits = np.empty((2, dof))
    for row, values, name in (
        (0, velocities, "velocity_limits"),
        (1, accelerations, "acceleration_limits"),
    ):
        is_array = isinstance(values, np.ndarray) and values.dtype == np.float64
        if is_array and np.shape(values) == (dof,):
            limits[row] = values
        else:
            limits[row] = positive_limits(values, dof, name)
    return limits


def check_numbers(points: Array, limits: Array) -> None:
    """Raise an ArgumentError if numbers make no sense."""
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0])
        raise ArgumentError(f"waypoint {row} is {points[row]}, expected finite numbers")
    dof = points.shape[1]
    for row, name in zip(
        limits, ("velocity_limits", "acceleration_limits"), strict=True
    ):
        positive_limits(row, dof, name)


def as_deviations(values: ArrayLike, dof: int) -> Array:
    """Return the permitted deviations at corners, (dof,)."""
    if type(values) is float and values == 0.0:
        return np.zeros(dof)
    return _per_joint(values, dof, "deviation")


def _per_joint(values: ArrayLike, dof: int, name: str) -> Array:
    """Return one number for each joint, not negative."""
    array = as_numbers(values, name)
    array = np.full(dof, array) if array.ndim == 0 else as_vector(array, dof, name)
    if not ((array >= 0.0) & np.isfinite(array)).all():
        raise ArgumentError(f"{name} has {array}, expected finite numbers >= 0")
    return np.array(array, float)


def positive_limits(values: ArrayLike, dof: int, name: str) -> Array:
    """Return one positive number for each joint."""
    array = _per_joint(values, dof, name)
    if not (array > 0.0).all():
        joint = int(np.flatnonzero(~(array > 0.0))[0])
        raise ArgumentError(
            f"{name} has {array[joint]:g} for joint {joint}, expected a positive number"
        )
    return array


def as_step_count(steps: int) -> int:
    """Return a number of steps."""
    count = as_number(steps, "steps", 2, _MAX_STEPS)
    if count != int(count):
        raise ArgumentError(f"steps is {steps!r}, expected a whole number")
    return int(count)
