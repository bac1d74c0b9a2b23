"""Time-optimal parametrization of paths within limits of joint torques.

Pham and Pham, "A New Approach to Time-Optimal Path Parameterization Based on
Reachability Analysis", IEEE Transactions on Robotics 34(3), 2018, section II: along a
path torques are linear in the square of the speed and in the acceleration along it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule, TypedKernel
from pyrave.planning.parametrization import (
    as_deviations,
    as_limit_rows,
    as_step_count,
    as_waypoints,
    check_numbers,
    positive_limits,
)
from pyrave.planning.timed_path import TimedPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from pyrave.bodies.kinbody import KinBody
    from pyrave.spatial import Array, Indices

    Torques = Callable[[Array, Array, Array], Array]
    """Of positions, velocities and accelerations (n, dof): (n, 3, dof) torques due to
    accelerations, to velocities, and to gravity."""

_COST = 0.4
_retiming = KernelModule("pyrave.planning.kernels.retiming")


def _kernel(name: str, *ranks: int) -> TypedKernel:
    return TypedKernel(
        _retiming,
        name,
        ranks,
        lambda *arrays: _COST * len(arrays[-1]),
        said="time-optimal parametrization",
        seconds=6.0,
    )


_lay_lines = _kernel("lay_lines", 2, 1, 1, 1, 2, 1, 3, 3, 1)
_lay_spline = _kernel("lay_spline", 2, 1, 2, 1, 3, 3, 1)
_retime_grid = _kernel("retime_grid", 2, 1, 3, 3, 1, 2, 3, 2, 2, 1, 1)
KERNELS = _lay_lines, _lay_spline, _retime_grid
"""What `pyrave warm` compiles."""
_MARGIN = 1e-3
"""Of a torque limit: what lies between samples may take a little more."""
_ROUNDS = 5
_STEPS = {"lines": 32, "spline": 100}
_MOST_STEPS = 100_000
_SLOWINGS = 50
_SAMPLES = 1000
"""Of a whole motion, and five of each piece at least."""
_STILL = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class _Grid:
    """A path at n + 1 points, and its derivatives (n, 2, dof) at the ends of steps."""

    points: Array
    steps: Array
    tangents: Array
    curvatures: Array
    stops: Array


def torques_of(body: KinBody, which: Indices) -> Torques:
    """Return the dynamics of some joints of a body; the others keep still."""
    still = body.dof_values

    def torques(values: Array, rates: Array, changes: Array) -> Array:
        rows = np.tile(still, (len(values), 1))
        rows[:, which] = values
        all_rates, all_changes = np.zeros_like(rows), np.zeros_like(rows)
        all_rates[:, which], all_changes[:, which] = rates, changes
        found = body.compute_inverse_dynamics(
            rows, all_rates, all_changes, components=True
        )
        return np.asarray(found[:, :, which])

    return torques


def torque_limited(
    waypoints: ArrayLike,
    velocity_limits: ArrayLike,
    acceleration_limits: ArrayLike,
    torque_limits: ArrayLike,
    torques: Torques,
    *,
    path: Literal["lines", "spline"] = "lines",
    deviation: ArrayLike = 0.0,
    steps: int | None = None,
) -> TimedPath:
    """Return the fastest motion along a path within limits of torques, too.

    Parameters
    ----------
    waypoints, velocity_limits, acceleration_limits, path, deviation
        As `time_optimal` takes them.
    torque_limits
        (dof,) or one number, newton metres or newtons. One thousandth is left unused,
        for what lies between the places that are looked at.
    torques
        The dynamics of what moves, see `torques_of`.
    steps
        Of each straight line (32 if left out), or of the whole spline (100); a parabola
        has eight.

    Raises
    ------
    ArgumentError
        As `time_optimal`, and torques that only hold the body are beyond the limits.
    """
    points = as_waypoints(waypoints)
    dof = points.shape[1]
    limits = as_limit_rows(velocity_limits, acceleration_limits, dof)
    check_numbers(points, limits)
    if path not in ("lines", "spline"):
        raise ArgumentError(f"path is {path!r}, expected 'lines' or 'spline'")
    most = (1.0 - _MARGIN) * positive_limits(torque_limits, dof, "torque_limits")
    count = _STEPS[path] if steps is None else as_step_count(steps)
    if count * len(points) > _MOST_STEPS:
        raise ArgumentError(
            f"{len(points)} waypoints with {count} steps are too many, expected "
            f"{_MOST_STEPS} steps at most"
        )
    grid = _laid(points, limits[0], path, as_deviations(deviation, dof), count)
    if not len(grid.steps):
        return TimedPath(np.zeros(1), grid.points[:1], np.zeros((1, dof)))
    sides = _sides(grid, most, torques)
    timed, origins = _retimed(grid, limits, sides)
    parts = _parts(timed, most, torques)
    for _ in range(_ROUNDS):
        if parts.max() <= 1.0 + 0.5 * _MARGIN:
            return timed
        worst = np.ones(len(grid.steps))
        np.maximum.at(worst, origins, parts)
        sides *= worst[:, None, None]
        timed, origins = _retimed(grid, limits, sides)
        parts = _parts(timed, most, torques)
    for _ in range(_SLOWINGS):
        if parts.max() <= 1.0 + 0.5 * _MARGIN:
            return timed
        scale = np.sqrt(parts.max())
        timed = TimedPath(
            timed.times * scale, timed.positions, timed.velocities / scale
        )
        parts = _parts(timed, most, torques)
    raise ArgumentError("no speed along the path keeps the limits of torques")


def _laid(
    waypoints: Array, scale: Array, path: str, deviation: Array, steps: int
) -> _Grid:
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
    return _Grid(
        points[: n + 1], lengths[:n], tangents[:n], curvatures[:n], stops[: n + 1]
    )


def _sides(grid: _Grid, most: Array, torques: Torques) -> Array:
    """Return bounds (n, 4 dof, 2) of all steps: p x + r y <= 1.

    x and y are the squares of the speed at both ends.
    """
    n, dof = len(grid.steps), grid.points.shape[1]
    found = np.empty((n, 2, 2, dof, 2))
    half = 0.5 / grid.steps[:, None]
    for end in range(2):
        places = grid.points[end : n + end]
        tangents, curvatures = grid.tangents[:, end], grid.curvatures[:, end]
        inertial = torques(places, tangents, tangents)
        bent = torques(places, 2.0 * tangents, curvatures)
        slow = torques(places, _STILL * tangents, curvatures)
        # velocities: a square, and friction that is there at any speed or grows with it
        dry = slow[:, 1]
        square = 0.5 * (bent[:, 1] - dry) - (inertial[:, 1] - dry)
        pull = half * inertial[:, 0]
        bend = bent[:, 0] + square
        static = inertial[:, 2] + dry
        for side, bound in enumerate((most, -most)):
            room = bound - static
            lacks = room <= 0.0 if side == 0 else room >= 0.0
            if lacks.any():
                row, joint = np.argwhere(lacks)[0].tolist()
                raise ArgumentError(
                    f"value {joint} needs {static[row, joint]:.4g} to be held at "
                    f"{places[row].round(3).tolist()} of the path, expected less than "
                    f"{most[joint]:.4g} (its torque limit)"
                )
            p, r = (bend - pull, pull) if end == 0 else (-pull, bend + pull)
            found[:, end, side, :, 0], found[:, end, side, :, 1] = p / room, r / room
    return found.reshape(n, 4 * dof, 2)


def _retimed(
    grid: _Grid, limits: Array, sides: Array
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


def _parts(timed: TimedPath, most: Array, torques: Torques) -> Array:
    """Return the greatest torque of each piece, in parts of what gravity leaves."""
    spans = np.diff(timed.times)[:, None]
    inside = np.linspace(1e-9, 1.0 - 1e-9, max(5, _SAMPLES // len(spans)))
    times = (timed.times[:-1, None] + spans * inside).ravel()
    places, rates, changes = timed.at(times)
    found = torques(places, rates, changes)
    dry = torques(places, _STILL * rates, np.zeros_like(places))
    static = dry[:, 1] + dry[:, 2]
    moving = found.sum(axis=1) - static
    room = np.where(moving > 0.0, most - static, most + static)
    parts = np.abs(moving) / np.maximum(room, 1e-300)
    return np.asarray(parts.reshape(len(spans), -1).max(axis=1))
