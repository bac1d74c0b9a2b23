"""Whole turns of joints inside limits, for solvers that list rows of joint values."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import NotSupportedError

if TYPE_CHECKING:
    from pyrave.bodies import Manipulator
    from pyrave.spatial import Array

ENDLESS = 9999.0
"""Joints with limits beyond this turn without end."""
MANY_TURNS = 4.0
"""Limits that are farther apart than so many turns do not multiply solutions."""

_SLACK = 1e-9
_SAME = 1e-6
_MOST = 1 << 16


def at_nearest_turns(
    rows: Array, near: Array, lower: Array, upper: Array, periods: Array
) -> Array:
    """Return rows (k, d) at the turns nearest to (d,), without repetitions.

    Parameters
    ----------
    rows
        (n, d) joint values within limits.
    lower, upper
        (d,) limits.
    periods
        (d,) one turn of each joint, infinite where no value comes back.
    """
    turning = np.isfinite(periods)
    period = np.where(turning, periods, 1.0)
    fewest = np.ceil((lower - rows - _SLACK) / period)
    most = np.floor((upper - rows + _SLACK) / period)
    turns = np.clip(np.rint((near - rows) / period), fewest, most)
    turns[~(turning & (fewest <= most))] = 0.0
    moved = rows + turns * period
    moved = np.where(turns != 0.0, np.clip(moved, lower, upper), moved)
    return _distinct(moved)


def at_all_turns(rows: Array, lower: Array, upper: Array, periods: Array) -> Array:
    """Return rows (k, d) at all turns within limits; see `at_nearest_turns`.

    Raises
    ------
    NotSupportedError
        There are too many.
    """
    found: list[Array] = []
    count = 0
    for row in rows:
        columns = []
        for value, low, high, period in zip(row, lower, upper, periods, strict=True):
            if np.isfinite(period):
                first = np.ceil((low - value - _SLACK) / period)
                last = np.floor((high - value + _SLACK) / period)
                every = value + period * np.arange(first, last + 1.0)
                columns.append(np.clip(every, low, high))
            else:
                columns.append(np.array([value]))
        count += int(np.prod([len(column) for column in columns]))
        if count > _MOST:
            raise NotSupportedError(
                f"the limits leave more than {_MOST} combinations of whole turns; give "
                "narrower limits, or leave turns= out"
            )
        found += [np.array(one) for one in product(*columns)]
    return _distinct(np.array(found).reshape(len(found), len(lower)))


def _distinct(rows: Array) -> Array:
    """Return rows (k, d) without repetitions."""
    kept: list[int] = []
    for i, row in enumerate(rows):
        if not kept or np.abs(rows[kept] - row).max(axis=1).min() > _SAME:
            kept.append(i)
    return np.asarray(rows[kept])


def turning_periods(
    arm: Manipulator, periods: Array, lower: Array, upper: Array, *, every: bool
) -> Array:
    """Return periods (d,) without those of joints that have one turn only.

    They are infinite for joints that turn without end, whose values all mean the same,
    and where every turn is asked for, for limits many turns apart.
    """
    circular = arm.robot.model.circular[arm.arm_indices]
    wide = every & (upper - lower > MANY_TURNS * periods)
    return np.where(circular | wide, np.inf, periods)


def separation(some: Array, others: Array, turns: Array) -> Array:
    """Return the greatest difference (...) of a value between rows (..., n).

    NaN is infinitely far from everything.

    Parameters
    ----------
    turns
        (n,) values that differ by so much are the same; 0 where none are.
    """
    round_ = turns > 0.0
    whole = np.where(round_, turns, 1.0)
    off = np.abs(some - others)
    with np.errstate(invalid="ignore"):
        off = np.where(round_, np.abs(off - whole * np.rint(off / whole)), off)
    return np.asarray(np.nan_to_num(off.max(axis=-1), nan=np.inf))
