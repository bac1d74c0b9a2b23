"""Errors of instruments: noise, drift, limits and steps."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from pyrave.spatial import Array

_TOLERANCE = 1e-9


def white(random: np.random.Generator, sigma: ArrayLike, size: int) -> Array:
    """Return (size,) independent normal numbers of standard deviation(s) `sigma`.

    None are drawn if all deviations are 0.
    """
    deviations = np.asarray(sigma)
    if not deviations.any():
        return np.zeros(size)
    return np.asarray(random.standard_normal(size) * deviations)


def correlated(random: np.random.Generator, covariance: Array, count: int = 1) -> Array:
    """Return normal vectors (count, n) of a covariance (n, n), which may be singular.

    As many numbers are drawn whatever the covariance is.
    """
    moments, axes = np.linalg.eigh(0.5 * (covariance + covariance.T))
    scale = np.sqrt(np.clip(moments, 0.0, None))
    return np.asarray(random.standard_normal((count, len(scale))) * scale @ axes.T)


def is_covariance(matrix: Array) -> bool:
    """Return True if a square matrix is symmetric without negative moments."""
    scale = float(np.abs(matrix).max(initial=0.0))
    if scale == 0.0:
        return True
    unit = matrix / scale
    if np.abs(unit - unit.T).max() > _TOLERANCE:
        return False
    return bool(np.linalg.eigvalsh(0.5 * (unit + unit.T)).min() >= -_TOLERANCE)


def saturated(values: Array, limits: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return values clipped to +-limits, and which of them were clipped.

    Parameters
    ----------
    limits
        Of each value; 0 or negative: none, or unknown.
    """
    bounds = np.where(limits > 0, limits, math.inf)
    return np.clip(values, -bounds, bounds), np.abs(values) > bounds


def quantised(values: Array, steps: ArrayLike) -> Array:
    """Return values rounded to whole steps; a step of 0 or less does not round."""
    width = np.broadcast_to(np.asarray(steps, dtype=np.float64), values.shape)
    rounds = width > 0
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.rint(values / np.where(rounds, width, 1.0)) * width
    # steps below the numbers' own precision do not round
    return np.where(rounds & np.isfinite(rounded), rounded, values)
