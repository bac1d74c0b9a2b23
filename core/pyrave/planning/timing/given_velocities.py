"""Motions through waypoints whose velocities are given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.timing.ramps import connected
from pyrave.planning.timing.timed_path import TimedPath, joined

if TYPE_CHECKING:
    from pyrave.spatial import Array

_SLACK = 1e-9
_DOUBLINGS, _HALVINGS = 40, 50


def through_velocities(
    points: Array,
    velocities: Array,
    limits: Array,
    jerk_limits: Array | None,
    bounds: Array,
    *,
    interpolation: str,
    durations: Array | None = None,
) -> TimedPath:
    """Return a fast motion through waypoints with the velocities that they have.

    Parameters
    ----------
    points, velocities
        (k, dof)
    limits
        (2, dof) greatest velocities and accelerations.
    jerk_limits
        (dof,), or None for no limit. Not asked for ``"quadratic"``.
    bounds
        (2, dof) lowest and highest positions.
    interpolation
        ``"quadratic"``: constant accelerations, as fast as can be. ``"cubic"`` and
        ``"quintic"``: one polynomial from waypoint to waypoint, with the least time
        that keeps the limits; quintics without acceleration at waypoints.
    durations
        (k - 1,) seconds that are kept instead.

    Raises
    ------
    ArgumentError
        A velocity beyond its limit, or a way that no motion of the kind leads over.
    """
    beyond = np.abs(velocities) > limits[0] * (1.0 + _SLACK)
    if beyond.any():
        row, column = np.argwhere(beyond)[0].tolist()
        raise ArgumentError(
            f"waypoint {row} has the velocity {velocities[row, column]:g} for value "
            f"{column}, expected {limits[0, column]:g} at most"
        )
    all_limits = np.concatenate((limits, bounds))
    pieces = []
    for k in range(len(points) - 1):
        states = np.stack((points[k], velocities[k], points[k + 1], velocities[k + 1]))
        wanted = None if durations is None else float(durations[k])
        if interpolation == "quadratic":
            piece = connected(states, all_limits, wanted or 0.0)
        else:
            piece = _polynomial(
                states, all_limits, jerk_limits, wanted, interpolation == "quintic"
            )
        late = wanted is not None and piece is not None
        if piece is None or (late and piece.duration > (wanted or 0.0) + _SLACK):
            raise ArgumentError(
                f"no {interpolation} motion within the limits leads from waypoint {k} "
                f"to {k + 1} with their velocities"
                + (f" in {wanted:g} s" if wanted is not None else "")
            )
        pieces.append(piece)
    return joined(points, velocities, pieces, is_quintic=interpolation == "quintic")


def _polynomial(
    states: Array,
    limits: Array,
    jerk_limits: Array | None,
    wanted: float | None,
    is_quintic: bool,
) -> TimedPath | None:
    """Return one polynomial between two states, None if the limits forbid all."""

    def piece(duration: float) -> TimedPath:
        rest = np.zeros((2, states.shape[1])) if is_quintic else None
        times = np.array((0.0, duration))
        return TimedPath(times, states[[0, 2]], states[[1, 3]], rest)

    def keeps(duration: float) -> bool:
        return _keeps(piece(duration), limits, jerk_limits)

    if wanted is not None:
        return piece(wanted) if wanted > 0.0 and keeps(wanted) else None
    least = float((np.abs(states[2] - states[0]) / limits[0]).max())
    if least == 0.0:
        if not states[[1, 3]].any():
            return TimedPath(np.zeros(1), states[:1], states[1:2])
        least = float((np.abs(states[[1, 3]]).max(axis=0) / limits[1]).max())
    low, high = least, least
    for _ in range(_DOUBLINGS):
        if keeps(high):
            break
        low, high = high, 1.25 * high
    else:
        return None
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        if keeps(middle):
            high = middle
        else:
            low = middle
    return piece(high)


def _keeps(piece: TimedPath, limits: Array, jerk_limits: Array | None) -> bool:
    """Return True if a single polynomial is within all limits."""
    powers = piece.coefficients()[:, 0]
    low, high = limits[2] - _SLACK, limits[3] + _SLACK
    most = [limits[0], limits[1], *([] if jerk_limits is None else [jerk_limits])]
    for j in range(powers.shape[1]):
        value = np.polynomial.Polynomial(powers[:, j])
        places = _extremes(value, piece.duration)
        if min(places) < low[j] or max(places) > high[j]:
            return False
        for order, limit in enumerate(most, 1):
            found = _extremes(value.deriv(order), piece.duration)
            if max(map(abs, found)) > limit[j] * (1.0 + _SLACK):
                return False
    return True


def _extremes(value: np.polynomial.Polynomial, duration: float) -> list[float]:
    """Return values of a polynomial at both ends and where it turns."""
    turns = value.deriv().trim(1e-14 * math.fsum(map(abs, value.coef))).roots()
    inside = turns.real[(np.abs(turns.imag) < 1e-9) & (turns.real > 0.0)]
    return [
        float(value(t)) for t in (0.0, duration, *inside[inside < duration].tolist())
    ]
