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
    """A value that follows others of its body.

    Parameters
    ----------
    follower
        Index of the value that follows.
    sources
        (n,) indices of the degrees of freedom that it follows and that move.
    polynomial
        (5,) coefficients, constant first, of no more than one source; None where the
        formula is no polynomial of degree 4.
    plane
        (1 + n,) constant and slopes of several sources; None where the formula is not
        linear. Without both the tangent is taken at each step.
    """

    follower: int
    sources: tuple[int, ...]
    polynomial: Array | None
    plane: Array | None

    @property
    def bends(self) -> bool:
        """True if its tangent is computed at each step."""
        return self.polynomial is None and self.plane is None

    def tangent(self, body: KinBody, at: Array) -> Array:
        """Return (1 + n,) constant and slopes of the formula at source values (n,)."""
        if self.plane is not None:
            return self.plane
        if self.polynomial is not None:
            value = np.polynomial.Polynomial(self.polynomial)
            slopes = np.array([value.deriv()(one) for one in at])
            return np.append(value(at[0] if len(at) else 0.0) - slopes @ at, slopes)
        n = len(at)
        steps = _STEP * np.concatenate((np.eye(n), -np.eye(n), np.zeros((1, n))))
        found = _sampled(body, self.follower, self.sources, at + steps)
        slopes = (found[:n] - found[n : 2 * n]) / (2.0 * _STEP)
        return np.append(found[-1] - slopes @ at, slopes)


def couplings_of(body: KinBody, moving: set[int]) -> list[Coupling]:
    """Return the couplings of a body's followers.

    Parameters
    ----------
    moving
        The values that move; what follows others stays where it is.
    """
    model, found = body.model, []
    for value in np.flatnonzero(model.mimic).tolist():
        if value not in moving:
            continue
        known = np.flatnonzero(model.follows[value]).tolist()
        sources = tuple(one for one in known if one in moving)
        polynomial = plane = None
        linear = model.linear_followers
        if linear is not None:
            row = linear.values.tolist().index(value)
            slopes = linear.matrix[row]
            rest = [one for one in known if one not in moving]
            constant = linear.offset[row] + slopes[rest] @ body.dof_values_view[rest]
            plane = np.append(constant, slopes[list(sources)])
        if len(sources) < 2:
            if plane is None:
                polynomial = _polynomial(body, value, *sources)
            else:
                polynomial, plane = np.append(plane, np.zeros(5 - len(plane))), None
        found.append(Coupling(value, sources, polynomial, plane))
    return found


def _polynomial(body: KinBody, value: int, source: int = -1) -> Array | None:
    """Return the coefficients of a formula, None if it is no polynomial of degree 4."""
    model = body.model
    if source < 0:
        return np.array((body.joint_values[value], 0.0, 0.0, 0.0, 0.0))
    low, high = _range(model, source)
    nodes = np.cos(np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1))
    tests = np.linspace(-1.0, 1.0, 17)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    places = np.concatenate((nodes, tests)) * half + middle
    samples = _sampled(body, value, (source,), places[:, None])
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


def _sampled(
    body: KinBody, value: int, sources: tuple[int, ...], places: Array
) -> Array:
    """Return values (k,) of a follower where its sources (n,) are at (k, n)."""
    rows = np.tile(body.dof_values_view, (len(places), 1))
    rows[:, list(sources)] = places
    return np.asarray(kinematics.joint_values_batch(body.model, rows)[:, value])
