"""The fastest motions of constant accelerations between two states."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import Kernel
from pyrave.planning.timing.timed_path import TimedPath

if TYPE_CHECKING:
    from pyrave.spatial import Array

CONNECT = Kernel(
    "pyrave.planning.timing.kernels.ramps",
    "connect",
    "motions of constant accelerations",
    3.0,
    cost=lambda *_: 0.1,
    merged=True,
)


def connected(states: Array, limits: Array, least: float = 0.0) -> TimedPath | None:
    """Return the fastest motion between two states at which all joints arrive together.

    Parameters
    ----------
    states
        (4, dof) position and velocity of the first and of the last state.
    limits
        (4, dof) greatest velocities and accelerations, lowest and highest positions.
    least
        Seconds that it takes at least.

    Returns
    -------
    Pieces of constant accelerations; None if some joint does not manage in the time of
    the slowest one.
    """
    most = 2 * states.shape[1] + 2
    times, positions = np.empty(most), np.empty((most, states.shape[1]))
    velocities = np.empty_like(positions)
    times[0] = least
    count = CONNECT.call(states, limits, times, positions, velocities)
    if not count:
        return None
    return TimedPath(times[:count], positions[:count], velocities[:count])
