"""Straight lines from waypoint to waypoint, each from rest to rest, in closed form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.planning.timing.timed_path import TimedPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.spatial import Array

Law = Literal["trapezoid", "cubic", "quintic", "s-curve"]
_LEAST = 1e-12
"""Least duration of a phase, as a part of the segment's."""
_SLACK = 1e-9
"""Permitted excess over a given duration, as a part of it."""


def rest_to_rest(
    points: Array,
    velocity_limits: Array,
    acceleration_limits: Array,
    jerk_limits: Array | None = None,
    *,
    law: Law = "trapezoid",
    durations: Array | None = None,
) -> TimedPath:
    """Return the fastest motion of one law that rests at each waypoint.

    All joints move along straight lines and arrive together.

    Parameters
    ----------
    points
        (k, dof)
    velocity_limits, acceleration_limits, jerk_limits
        (dof,) positive; None is no limit of jerk.
    law
        ``"trapezoid"`` has constant accelerations, ``"s-curve"`` constant jerks (up to
        seven phases, the fastest within all three limits), ``"cubic"`` and
        ``"quintic"`` are one polynomial for each line; the accelerations of the last
        begin and end at 0.
    durations
        (k - 1,) seconds of each line; as short as can be if left out.

    Raises
    ------
    ArgumentError
        A duration that is too short, or an s-curve without limits of jerk.
    """
    if law == "s-curve" and jerk_limits is None:
        raise ArgumentError("an s-curve needs jerk_limits, got None")
    ways = np.diff(points, axis=0)
    limits = [velocity_limits, acceleration_limits, jerk_limits]
    fastest, hardest, roughest = (_along(ways, limit) for limit in limits)
    moves = np.isfinite(fastest)
    parts = _LAWS[law](
        *(np.where(moves, limit, 1.0) for limit in (fastest, hardest, roughest))
    )
    spans, places, rates, changes = (
        np.where(moves[:, None], part, 0.0) for part in parts
    )
    places[~moves] = 1.0
    if durations is not None:
        spans, rates, changes = _stretched(spans, rates, changes, durations)
    total = spans.sum(axis=1, keepdims=True)
    kept = spans > _LEAST * np.maximum(total, 1e-300)
    # where rounding has left out the last phase, the one before ends at the waypoint
    line, phase = np.nonzero(kept)
    is_last = np.append(line[1:] != line[:-1], True) if len(line) else line > 0
    s = np.where(is_last, 1.0, places[line, phase])[:, None]
    ds = np.where(is_last, 0.0, rates[line, phase])[:, None]
    positions = points[line] + ways[line] * s
    positions[is_last] = points[line[is_last] + 1]
    dds = np.where(is_last, 0.0, changes[line, phase])[:, None]
    rest = np.zeros((1, points.shape[1]))
    return TimedPath(
        np.concatenate(([0.0], np.cumsum(spans[line, phase]))),
        np.concatenate((points[:1], positions)),
        np.concatenate((rest, ways[line] * ds)),
        np.concatenate((rest, ways[line] * dds)) if law == "quintic" else None,
    )


def _along(ways: Array, limits: Array | None) -> Array:
    """Return limits (k,) of the rates of parts of the ways (k, dof); inf of no way."""
    if limits is None:
        return np.full(len(ways), np.inf)
    with np.errstate(divide="ignore"):
        return np.asarray(1.0 / np.max(np.abs(ways) / limits, axis=1, initial=0.0))


_Phases = tuple["Array", "Array", "Array", "Array"]


def _trapezoid(v: Array, a: Array, _j: Array) -> _Phases:
    peak = np.minimum(v, np.sqrt(a))
    rise = peak / a
    steady = np.maximum(1.0 / peak - rise, 0.0)
    ramp = 0.5 * peak * rise
    none = np.zeros_like(peak)
    return (
        np.stack((rise, steady, rise), axis=1),
        np.stack((ramp, 1.0 - ramp, none + 1.0), axis=1),
        np.stack((peak, peak, none), axis=1),
        np.zeros((len(peak), 3)),
    )


def _cubic(v: Array, a: Array, j: Array) -> _Phases:
    longest = np.maximum(np.maximum(1.5 / v, np.sqrt(6.0 / a)), np.cbrt(12.0 / j))
    return _one_phase(longest)


def _quintic(v: Array, a: Array, j: Array) -> _Phases:
    hardest = np.sqrt(10.0 / math.sqrt(3.0) / a)
    return _one_phase(np.maximum(np.maximum(1.875 / v, hardest), np.cbrt(60.0 / j)))


def _one_phase(durations: Array) -> _Phases:
    whole = durations[:, None]
    return whole, np.ones_like(whole), np.zeros_like(whole), np.zeros_like(whole)


def _s_curve(v: Array, a: Array, j: Array) -> _Phases:
    """Return seven phases with the jerks 1, 0, -1, 0, -1, 0, 1 times a constant.

    Biagiotti and Melchiorri, "Trajectory Planning for Automatic Machines and Robots"
    (2008), section 3.4.
    """
    bend = np.where(v * j < a * a, np.sqrt(v / j), a / j)
    rise = np.where(v * j < a * a, 2.0 * bend, bend + v / a)
    steady = (1.0 - v * rise) / v
    # no steady phase: the greatest speed is not reached, perhaps not even acceleration
    low = steady < 0.0
    brief = 2.0 * a**3 > j**2
    bend = np.where(low, np.where(brief, np.cbrt(0.5 / j), a / j), bend)
    held = 0.5 * bend + np.sqrt(0.25 * bend**2 + 1.0 / a)
    rise = np.where(low, np.where(brief, 2.0 * bend, held), rise)
    hold = np.maximum(rise - 2.0 * bend, 0.0)
    steady = np.where(low, 0.0, steady)
    spans = np.stack((bend, hold, bend, steady, bend, hold, bend), axis=1)
    place, rate, change = (np.zeros(len(v)) for _ in range(3))
    phases = []
    for phase, sign in enumerate((1, 0, -1, 0, -1, 0, 1)):
        t = spans[:, phase]
        jerk = sign * j
        place = place + (rate + (0.5 * change + jerk * t / 6.0) * t) * t
        rate = rate + (change + 0.5 * jerk * t) * t
        change = change + jerk * t
        phases.append((place, rate, change))
    places, rates, changes = np.moveaxis(np.array(phases), 0, 2)
    return spans, places, rates, changes


_LAWS: dict[str, Callable[[Array, Array, Array], _Phases]] = {
    "trapezoid": _trapezoid,
    "cubic": _cubic,
    "quintic": _quintic,
    "s-curve": _s_curve,
}


def _stretched(
    spans: Array, rates: Array, changes: Array, durations: Array
) -> tuple[Array, Array, Array]:
    """Return phases that take as long as is wanted."""
    needed = spans.sum(axis=1)
    brief = needed > durations * (1.0 + _SLACK)
    if brief.any():
        row = int(np.argmax(brief))
        raise ArgumentError(
            f"{durations[row]:.6g} s from waypoint {row} to {row + 1} are too few, "
            f"within the limits it takes {needed[row]:.6g} s"
        )
    still = needed == 0.0
    factor = np.where(still, 1.0, durations / np.where(still, 1.0, needed))[:, None]
    spans = spans * factor
    spans[still, 0] = durations[still]
    return spans, rates / factor, changes / factor**2
