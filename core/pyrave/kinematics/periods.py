"""Periods of joint values, after which all moved links are back in place.

A joint that turns without end is back after one turn, unless others follow it at
another rate: a follower at half the rate is back after two turns of its leader.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.limits import angle_difference
from pyrave.kinematics.poses import values_batch

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array, Indices

TURN = 2.0 * math.pi
MOST_TURNS = 60
"""Periods are sought up to so many turns; gears with larger teeth counts have none."""
_TOLERANCE = 1e-8
"""Radians or metres that a value may be off after one turn of its leader."""
_SPREADS = (0.1, 0.1, 1.0, 1.0, 3.0, 3.0)


def common_period(
    values: Callable[[Array], Array],
    starts: Array,
    dof: int,
    unit: float,
    moduli: Array,
) -> float:
    """Return the least multiple of a unit by which a value may change unnoticed.

    It is found by trying, so any formula will do.

    Parameters
    ----------
    values
        Gives the values (m, k) of axes at joint values (m, n).
    starts
        (s, n) joint values from which it is tried, see `starts_about`.
    dof
        Which of them changes.
    unit
        Radians, metres or seconds.
    moduli
        (k,) by how much an axis may change to be in the same place: one turn, or
        infinity for one that slides.

    Returns
    -------
    float
        Infinity where none of the first 60 multiples will do.
    """
    moved = np.tile(starts, (MOST_TURNS, 1, 1))
    moved[:, :, dof] += unit * np.arange(1, MOST_TURNS + 1)[:, None]
    before = values(starts)
    after = values(moved.reshape(-1, starts.shape[1]))
    change = after.reshape(MOST_TURNS, *before.shape) - before
    with np.errstate(invalid="ignore"):
        change = angle_difference(change, moduli)
        off = np.abs(change).max(axis=(1, 2), initial=0.0)
        fits = off < _TOLERANCE * np.arange(1, MOST_TURNS + 1)
    return unit * float(np.argmax(fits) + 1) if fits.any() else math.inf


def starts_about(middle: Array) -> Array:
    """Return (s, n) joint values near and far about (n,)."""
    rng = np.random.default_rng(20270301)
    offsets = rng.uniform(-1.0, 1.0, (len(_SPREADS), len(middle)))
    return np.asarray(middle + offsets * np.array(_SPREADS)[:, None])


def circular_periods(model: Model) -> Array:
    """Return the periods (n_dof,) of circular degrees of freedom, else infinity.

    Each is the least change that leaves all link poses as they are, those of followers
    included; infinity also for a circular joint without such a change.
    """
    n = model.n_dof
    periods = np.full(n, math.inf)
    if not model.circular[:n].any():
        return periods
    kinds = np.array(model.joint_types, dtype=object)[model.value_joint]
    along = kinds == "trajectory"
    turning = ~model.prismatic & ~along & (kinds != "spherical")
    moduli = np.where(turning, TURN, math.inf)
    for dof in np.flatnonzero(model.circular[:n] & (turning | along)[:n]).tolist():
        # a path begins again at its end
        span = float(model.value_upper[dof] - model.value_lower[dof])
        unit = span if along[dof] else TURN
        if not 0.0 < unit < math.inf:
            continue
        moved = np.flatnonzero(model.follows[:, dof])
        moved = moved[moved != dof]
        periods[dof] = unit
        if len(moved):
            starts = starts_about(model.rest_values[:n])
            values = partial(_values_of, model, moved)
            periods[dof] = common_period(values, starts, dof, unit, moduli[moved])
    return periods


def _values_of(model: Model, axes: Indices, q: Array) -> Array:
    """Return the values (m, k) of some axes at (m, n_dof)."""
    return values_batch(model, q)[:, axes]
