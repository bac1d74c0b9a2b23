"""Differences and normal forms of joint values, and treatments of limits."""

from __future__ import annotations

import enum
import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import Kernel
from pyrave.kinematics.poses import as_dof_vector
from pyrave.spatial import as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

_kernels = "pyrave.kinematics.kernels.limits"
TAKE_WITHIN = Kernel(
    _kernels,
    "take_within",
    cost=lambda values, *_: 0.001 * len(values),
    merged=True,
)
BRING_WITHIN = Kernel(
    _kernels,
    "bring_within",
    cost=lambda values, *_: 0.002 * len(values),
    merged=True,
)
KERNELS = (TAKE_WITHIN, BRING_WITHIN)
"""All kernels of limits, which `pyrave warm` compiles."""


class LimitCheck(enum.IntEnum):
    """Treatment of joint values outside of the limits, with OpenRAVE's codes."""

    NONE = 0
    CLAMP_AND_WARN = 1
    CLAMP = 2
    RAISE = 3

    @classmethod
    def of(cls, value: int) -> LimitCheck:
        """Return the member for a member or its code, or raise an ArgumentError."""
        try:
            return cls(value)
        except ValueError:
            names = ", ".join(f"LimitCheck.{one.name}" for one in cls)
            raise ArgumentError(f"limits is {value!r}, expected {names}") from None


def normalise_angle(angle: ArrayLike, centre: ArrayLike = 0.0) -> Array:
    """Return angles in ``[centre - pi, centre + pi)``, radians, any shape.

    Examples
    --------
    >>> float(normalise_angle(7.0) + 2 * math.pi)
    7.0
    """
    middle = as_numbers(centre, "centre")
    shifted = as_numbers(angle, "angle") - middle
    turns = np.floor((shifted + math.pi) / (2.0 * math.pi))
    return np.asarray(shifted - turns * (2.0 * math.pi) + middle)


def subtract_dof_values(model: Model, a: ArrayLike, b: ArrayLike) -> Array:
    """Return ``a - b``, (n_dof,); circular axes take the short way round.

    Parameters
    ----------
    a, b
        (n_dof,) radians or metres.
    """
    difference = as_dof_vector(model, a, "a") - as_dof_vector(model, b, "b")
    return angle_difference(difference, model.circular_periods)


def angle_difference(difference: Array, period: Array) -> Array:
    """Return differences of joint values the short way round.

    Parameters
    ----------
    difference
        (..., n) radians or metres.
    period
        (n,) after which a value repeats, infinity for one that does not.

    Returns
    -------
    (..., n) float64
        From minus half a period up to half a period where there is one.
    """
    repeats = np.isfinite(period)
    turn = np.where(repeats, period, 1.0)
    rounds = np.floor(difference / turn + 0.5)
    return np.where(repeats, difference - turn * rounds, difference)
