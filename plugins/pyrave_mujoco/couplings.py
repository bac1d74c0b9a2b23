"""Joints that follow others, as polynomials of what they follow."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave import kinematics

if TYPE_CHECKING:
    from pyrave.bodies.kinbody import KinBody
    from pyrave.kinematics import Model
    from pyrave.spatial import Array

_DEGREE = 4
_EXACT = 1e-9
_STEP = 1e-5
_WIDEST = np.pi


@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """A value that follows another one of its body.

    Parameters
    ----------
    follower
        Index of the value that follows.
    source
        Index of the degree of freedom that it follows, -1 for a constant.
    polynomial
        (5,) coefficients, constant first; None where the formula is no polynomial of
        degree 4: then its tangent is taken at each step.
    """

    follower: int
    source: int
    polynomial: Array | None

    def tangent(self, body: KinBody, at: float) -> Array:
        """Return (5,) coefficients of the formula's tangent at a source value."""
        values = np.array((at - _STEP, at, at + _STEP))
        low, middle, high = _sampled(body, self.follower, self.source, values)
        slope = (high - low) / (2.0 * _STEP)
        return np.array((middle - slope * at, slope, 0.0, 0.0, 0.0))


def couplings_of(body: KinBody) -> tuple[list[Coupling], list[str]]:
    """Return what the followers of a body follow, and the joints that cannot be.

    Those follow several others.
    """
    model = body.model
    if not model.has_mimic:
        return [], []
    found, refused = [], []
    for value in np.flatnonzero(model.mimic).tolist():
        sources = np.flatnonzero(model.follows[value]).tolist()
        if len(sources) > 1:
            refused.append(model.joint_names[model.value_joint[value]])
            continue
        source = sources[0] if sources else -1
        found.append(Coupling(value, source, _polynomial(body, value, source)))
    return found, refused


def _polynomial(body: KinBody, value: int, source: int) -> Array | None:
    """Return the coefficients of a formula, None if it is no polynomial of degree 4."""
    model = body.model
    linear = model.linear_followers
    if linear is not None:
        row = linear.values.tolist().index(value)
        slope = linear.matrix[row, source] if source >= 0 else 0.0
        return np.array((linear.offset[row], slope, 0.0, 0.0, 0.0))
    if source < 0:
        return np.array((body.joint_values[value], 0.0, 0.0, 0.0, 0.0))
    low, high = _range(model, source)
    nodes = np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
    tests = np.linspace(-1.0, 1.0, 17)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    places = np.concatenate((nodes, tests)) * half + middle
    samples = _sampled(body, value, source, places)
    if not np.isfinite(samples).all():
        return None
    fitted = np.polynomial.Polynomial.fit(
        places[: _DEGREE + 1], samples[: _DEGREE + 1], _DEGREE
    )
    error = np.abs(fitted(places) - samples).max()
    if error > _EXACT * max(float(np.abs(samples).max()), 1.0):
        return None
    coefficients = np.zeros(_DEGREE + 1)
    exact = fitted.convert().coef
    coefficients[: len(exact)] = exact
    return coefficients


def _range(model: Model, source: int) -> tuple[float, float]:
    low = max(float(model.value_lower[source]), -_WIDEST)
    high = min(float(model.value_upper[source]), _WIDEST)
    return (low, high) if low < high else (-_WIDEST, _WIDEST)


def _sampled(body: KinBody, value: int, source: int, places: Array) -> Array:
    rows = np.tile(body.dof_values_view, (len(places), 1))
    rows[:, source] = places
    return np.asarray(kinematics.joint_values_batch(body.model, rows)[:, value])
