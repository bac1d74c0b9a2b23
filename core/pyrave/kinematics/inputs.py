"""Checked arguments of the dynamics functions, as the kernels take them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics.poses import as_base, as_dof_matrix, as_dof_vector
from pyrave.spatial import as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

AT_REST = np.zeros(6)
"""The velocity of a base that stands still, which nobody writes to."""


def plain(array: Array) -> Array:
    """Return the array, or a copy of it that is contiguous and writable.

    Kernels would be compiled again for any other kind.
    """
    if array.flags.carray and array.dtype == np.float64:
        return array
    return np.require(array, np.float64, ("C", "A", "W"))


def as_row(model: Model, q: ArrayLike, name: str) -> Array:
    """Return a (n_dof,) argument of one configuration as (1, n_dof)."""
    return as_dof_vector(model, q, name)[None]


def as_rows(
    model: Model, configurations: ArrayLike, name: str, n: int | None = None
) -> Array:
    """Return a (n, n_dof) argument, n times one row if it has one row or is a vector.

    Raises
    ------
    ArgumentError
        Wrong shape, not `n` rows, or not finite.
    """
    if as_numbers(configurations, name).ndim == 1:
        array = as_row(model, configurations, name)
    else:
        array = as_dof_matrix(model, configurations, name)
    if n is None or len(array) == n:
        return array
    if len(array) == 1:
        return np.broadcast_to(array, (n, model.n_dof))
    raise ArgumentError(f"{name} has {len(array)} rows, expected {n} or 1")


def flat(rows: Array) -> Array:
    """Return rows as kernels take them, one behind the other."""
    return plain(rows).reshape(-1)


def base_of(
    base_pose: ArrayLike, base_velocity: ArrayLike | None
) -> tuple[Array, Array]:
    """Return a base's pose (4, 4) and velocity (6,) as kernels take them."""
    if base_velocity is None:
        return as_base(base_pose), AT_REST
    return as_base(base_pose), plain(as_vector(base_velocity, 6, "base_velocity"))


def wrenches_of(
    model: Model, external: ArrayLike | None, n: int, gravity: ArrayLike
) -> Array:
    """Return wrenches on links (n, n_links, 6), or none of them as (0, n_links, 6).

    Links that have no weight are pushed against gravity (3,), which all others feel.
    """
    shape = (model.n_links, 6)
    lifts = not model.link_weighs.all()
    if external is None:
        external = np.zeros(shape if lifts else (0, *shape))
        if not lifts:
            return plain(external)
    array = as_numbers(external, "external")
    if array.shape == shape:
        array = np.broadcast_to(array, (n, *shape))
    if array.shape != (n, *shape):
        expected = f"{shape}" if n == 1 else f"{shape} or {(n, *shape)}"
        raise ArgumentError(f"external has shape {array.shape}, expected {expected}")
    if not math.isfinite(array.sum()) and not np.isfinite(array).all():
        raise ArgumentError("external has values that are not finite")
    if lifts:
        array = array.copy()
        masses = np.where(model.link_weighs, 0.0, model.masses)
        array[..., :3] -= np.outer(masses, as_vector(gravity, 3, "gravity"))
    return plain(array)
