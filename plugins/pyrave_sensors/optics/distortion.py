"""Lens distortions and their exact inverses, on the plane z = 1 of a camera's frame.

The models are those of OpenCV's documentation ("Camera calibration and 3D
reconstruction", and its part "Fisheye camera model"), which ROS uses by the names here:
D. C. Brown's radial and tangential terms, the same with a rational radial part, and
J. Kannala and S. Brandt's polynomial of the angle to the axis.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray

MODELS = {"plumb_bob": 5, "rational_polynomial": 8, "equidistant": 4}
"""Number of coefficients of each model."""

# samples of the radial curve that Newton's method starts from
_SAMPLES = 4096
_STEPS = 24
_SEEN = math.radians(89.9)
_CONVERGED = 1e-13


class Distortion(ABC):
    """Lens distortion: a map between directions and points of the plane z = 1."""

    @abstractmethod
    def distorted(self, points: Array) -> tuple[Array, Array]:
        """Return x and y, (...), of points (..., 3); nan where they are not seen."""

    @abstractmethod
    def direction(self, x: Array, y: Array) -> Array:
        """Return unit vectors (..., 3) that appear at x and y; nan where none does."""


class _Brown(Distortion):
    """Radial factor N(r2) / D(r2), with tangential terms p1 and p2."""

    def __init__(self, coefficients: tuple[float, ...]) -> None:
        k1, k2, p1, p2, k3, k4, k5, k6 = (*coefficients, *([0.0] * 8))[:8]
        # lowest power first, of r squared
        self._upper = (1.0, k1, k2, k3)
        self._lower = (1.0, k4, k5, k6)
        self._p1, self._p2 = p1, p2
        self._radii, self._images = self._table()

    def distorted(self, points: Array) -> tuple[Array, Array]:
        x, y = _pinhole(points)
        r2 = x * x + y * y
        seen = r2 <= self._radii[-1] ** 2
        x, y = np.where(seen, x, np.nan), np.where(seen, y, np.nan)
        out_x, out_y, *_ = self._at(x, y)
        return out_x, out_y

    def direction(self, x: Array, y: Array) -> Array:
        x, y = np.broadcast_arrays(x, y)
        radius = np.sqrt(x * x + y * y)
        # without the tangential terms the inverse is along the radius
        guess = np.interp(radius, self._images, self._radii)
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(radius > 0, guess / radius, 1.0)
        u, v = scale * x, scale * y
        last = np.full(x.shape, np.inf)
        for _ in range(_STEPS):
            at_u, at_v, a, b, c = self._at(u, v)
            wrong_u, wrong_v = at_u - x, at_v - y
            last = np.maximum(np.abs(wrong_u), np.abs(wrong_v))
            if not (last > _CONVERGED * 1e-2 * (1.0 + radius)).any():
                break
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                det = a * c - b * b
                step_u = (c * wrong_u - b * wrong_v) / det
                step_v = (a * wrong_v - b * wrong_u) / det
            # rounding is all that is left where a step is not finite or tiny
            ok = np.isfinite(step_u) & np.isfinite(step_v)
            u = u - np.where(ok, step_u, 0.0)
            v = v - np.where(ok, step_v, 0.0)
        *_, a, b, c = self._at(u, v)
        good = (
            (last <= _CONVERGED * (1.0 + radius))
            & (a * c - b * b > 0.0)
            & (u * u + v * v <= self._radii[-1] ** 2)
        )
        return _unit(np.where(good, u, np.nan), np.where(good, v, np.nan))

    def _radial(self, r2: Array) -> tuple[Array, Array]:
        """Return the radial factor, and its derivative by r squared."""
        n, dn = _polynomial(self._upper, r2)
        d, dd = _polynomial(self._lower, r2)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            factor = n / d
            return factor, (dn - factor * dd) / d

    def _at(self, x: Array, y: Array) -> tuple[Array, Array, Array, Array, Array]:
        """Return the distorted x and y, and the Jacobian ((a, b), (b, c))."""
        r2 = x * x + y * y
        factor, slope = self._radial(r2)
        p1, p2 = self._p1, self._p2
        out_x = x * factor + 2.0 * p1 * x * y + p2 * (r2 + 2.0 * x * x)
        out_y = y * factor + p1 * (r2 + 2.0 * y * y) + 2.0 * p2 * x * y
        a = factor + 2.0 * x * x * slope + 2.0 * p1 * y + 6.0 * p2 * x
        b = 2.0 * x * y * slope + 2.0 * p1 * x + 2.0 * p2 * y
        c = factor + 2.0 * y * y * slope + 6.0 * p1 * y + 2.0 * p2 * x
        return out_x, out_y, a, b, c

    def _table(self) -> tuple[Array, Array]:
        """Return radii up to where the image folds back, and where they appear."""
        radii = np.tan(np.linspace(0.0, _SEEN, _SAMPLES))
        r2 = radii * radii
        factor, slope = self._radial(r2)
        lower, _ = _polynomial(self._lower, r2)
        rising = (factor + 2.0 * r2 * slope > 0.0) & (lower > 0.0) & (factor > 0.0)
        end = _first_false(rising)
        return radii[:end], (radii * factor)[:end]


class _Equidistant(Distortion):
    """The radius is a polynomial of the angle to the axis; sees beyond 90 degrees."""

    def __init__(self, coefficients: tuple[float, ...]) -> None:
        self._powers = (1.0, *coefficients, *([0.0] * 4))[:5]
        angles = np.linspace(0.0, np.pi, _SAMPLES)
        radii, slope = self._at(angles)
        end = _first_false(slope > 0.0)
        self._angles, self._radii = angles[:end], radii[:end]

    def distorted(self, points: Array) -> tuple[Array, Array]:
        x, y = points[..., 0], points[..., 1]
        aside = np.sqrt(x * x + y * y)
        angle = np.arctan2(aside, points[..., 2])
        radius, _ = self._at(angle)
        # near the axis the radius is the angle, which is aside / z
        scale = np.where(aside > 0.0, radius / aside, 1.0 / points[..., 2])
        scale = np.where(angle <= self._angles[-1], scale, np.nan)
        return scale * x, scale * y

    def direction(self, x: Array, y: Array) -> Array:
        x, y = np.broadcast_arrays(x, y)
        radius = np.sqrt(x * x + y * y)
        angle = np.interp(radius, self._radii, self._angles)
        wrong = np.full(x.shape, np.inf)
        for _ in range(_STEPS):
            value, slope = self._at(angle)
            wrong = value - radius
            if not (np.abs(wrong) > _CONVERGED * 1e-2 * (1.0 + radius)).any():
                break
            with np.errstate(divide="ignore", invalid="ignore"):
                step = wrong / slope
            angle = angle - np.where(np.isfinite(step), step, 0.0)
        good = (np.abs(wrong) <= _CONVERGED * (1.0 + radius)) & (
            (angle >= 0.0) & (angle <= self._angles[-1])
        )
        angle = np.where(good, angle, np.nan)
        with np.errstate(divide="ignore", invalid="ignore"):
            aside = np.where(radius > 0.0, np.sin(angle) / radius, 1.0)
        return np.stack((aside * x, aside * y, np.cos(angle)), axis=-1)

    def _at(self, angle: Array) -> tuple[Array, Array]:
        """Return the radius at an angle, and its derivative."""
        square = angle * angle
        value, slope = _polynomial(self._powers, square)
        return angle * value, value + 2.0 * square * slope


def distortion_of(model: str, coefficients: tuple[float, ...]) -> Distortion:
    """Return the distortion of a model of `MODELS`."""
    if model == "equidistant":
        return _Equidistant(coefficients)
    return _Brown(coefficients)


def _pinhole(points: Array) -> tuple[Array, Array]:
    z = np.where(points[..., 2] > 0.0, points[..., 2], np.nan)
    return points[..., 0] / z, points[..., 1] / z


def _polynomial(powers: tuple[float, ...], x: Array) -> tuple[Array, Array]:
    """Return a polynomial and its derivative by Horner's rule, lowest power first."""
    value = np.zeros_like(x)
    slope = np.zeros_like(x)
    for power in reversed(powers):
        slope = slope * x + value
        value = value * x + power
    return value, slope


def _unit(x: Array, y: Array) -> Array:
    z = 1.0 / np.sqrt(1.0 + x * x + y * y)
    return np.stack((x * z, y * z, z), axis=-1)


def _first_false(flags: NDArray[np.bool_]) -> int:
    return len(flags) if flags.all() else max(int(np.argmin(flags)), 1)
