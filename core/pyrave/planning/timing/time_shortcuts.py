"""Shortcuts of motions in time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.planning.timing.ramps import connected
from pyrave.planning.timing.timed_path import TimedPath

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.spatial import Array

_GAIN = 1e-3
"""Least gain of a shortcut, as a part of the duration that it replaces."""


def shortened(
    timed: TimedPath,
    limits: Array,
    is_free: Callable[[TimedPath], bool],
    *,
    rounds: int = 100,
    seed: int = 0,
    goes_on: Callable[[int], bool] = lambda _: True,
) -> TimedPath:
    """Return a faster motion between the ends of a motion.

    The fastest motion between its states at two random times replaces what lies
    between them, where that is free (Hauser and Ng-Thow-Hing, "Fast Smoothing of
    Manipulator Trajectories using Optimal Bounded-Acceleration Shortcuts", ICRA 2010).
    The first try is the whole, which nothing beats where it is free.

    Parameters
    ----------
    timed
        Pieces of constant accelerations.
    limits
        (4, dof) greatest velocities and accelerations, lowest and highest positions.
    is_free
        Whether nothing is in the way of a motion.
    rounds
        How often a shortcut is tried.
    seed
        Of the random times.
    goes_on
        Called with the number of each round; False ends the search.
    """
    rng = np.random.default_rng(seed)
    for k in range(rounds):
        if not goes_on(k):
            break
        start, end = 0.0, timed.duration
        positions, velocities = timed.positions[[0, -1]], timed.velocities[[0, -1]]
        if k:
            start, end = np.sort(rng.uniform(0.0, end, 2)).tolist()
            positions, velocities, _ = timed.at([start, end])
        states = np.stack((positions[0], velocities[0], positions[1], velocities[1]))
        short = connected(states, limits)
        if short is None or short.duration > (1.0 - _GAIN) * (end - start):
            continue
        if is_free(short):
            if k == 0:
                return short
            timed = _spliced(timed, start, end, short)
    return timed


def samples(timed: TimedPath, resolutions: Array) -> Array:
    """Return positions (n, dof) of which neighbours are no farther than resolutions."""
    fastest = np.abs(timed.velocities).max(axis=0, initial=0.0)
    count = int(np.ceil(timed.duration * (fastest / resolutions).max(initial=0.0))) + 1
    return timed.at(np.linspace(0.0, timed.duration, count + 1))[0]


def _spliced(timed: TimedPath, start: float, end: float, new: TimedPath) -> TimedPath:
    """Return a motion with `new` in place of what lies from start to end."""
    least = 1e-9 * timed.duration
    before = timed.times < start - least
    after = timed.times > end + least
    parts = [
        (timed.times[before], timed.positions[before], timed.velocities[before]),
        (start + new.times, new.positions, new.velocities),
        (
            timed.times[after] - (end - start - new.duration),
            timed.positions[after],
            timed.velocities[after],
        ),
    ]
    times, positions, velocities = (
        np.concatenate(rows) for rows in zip(*parts, strict=True)
    )
    return TimedPath(times - times[0], positions, velocities)
