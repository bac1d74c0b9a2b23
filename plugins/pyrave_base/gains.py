"""Settings of controllers: numbers for all joints or for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces import setting
from pyrave.spatial import Array

Gain = float | tuple[float, ...]
"""One number for all joints, or one for each."""
_MOST = 1e12
"""Beyond this efforts of joints are no numbers any more."""


def joint_gain(
    default: float, meaning: str, unit: str = "", *, signed: bool = False
) -> Any:
    """Return the field of a number for all joints or for each."""
    least = -_MOST if signed else 0.0
    return setting(default, meaning, unit=unit, least=least, most=_MOST)


def update_period() -> Any:
    """Return the field of the time between two updates of a controller."""
    return joint_gain(0.0, "time between two updates; 0 is each step", "s")


@dataclass(frozen=True)
class ServoSettings:
    """Settings of controllers that push joints to where they should be."""

    hold: Gain = joint_gain(1.0, "1: joints are held before the first command; 0: not")


def of_joints(settings: Any, name: str, count: int, controller: str) -> Array:
    """Return (count,) values of a setting.

    Raises
    ------
    ArgumentError
        There are several, and not as many as joints.
    """
    values = np.atleast_1d(getattr(settings, name))
    if len(values) not in {1, count}:
        raise ArgumentError(
            f"{controller} has {len(values)} values of {name!r}, expected one, or one "
            f"for each of its {count} degrees of freedom"
        )
    return np.resize(values, count)
