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

NODE_COST = 0.05
"""Milliseconds that one node takes in the interpreter."""


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
    if np.ndim(configurations) == 1:
        array = as_row(model, configurations, name)
    else:
        array = as_dof_matrix(model, configurations, name)
    if n is None or len(array) == n:
        return array
    if len(array) == 1:
        return np.broadcast_to(array, (n, model.n_dof))
    raise ArgumentError(f"{name} has {len(array)} rows, expected {n} or 1")


def with_rest(model: Model, array: Array, *, values: bool = False) -> Array:
    """Return a contiguous (n, n_values), filled up with rest values or zeros.

    The kernels write what follows into it; where nothing can, it may be `array`.
    """
    n = model.n_dof
    if n == model.n_values:
        return plain(array)
    result = np.empty((len(array), model.n_values))
    result[:, :n] = array
    result[:, n:] = model.rest_values[n:] if values else 0.0
    return result


def base_pose_of(base_pose: ArrayLike) -> tuple[Array, Array]:
    """Return rotation (9,) and origin (3,) of T_world_body."""
    pose = as_base(base_pose)
    return pose[:3, :3].flatten(), pose[:3, 3]


def base_motion(
    turn: Array, base_velocity: ArrayLike | None, gravity: ArrayLike | None
) -> Array:
    """Return twist and spatial acceleration (12,) of the base in its own axes.

    Gravity counts as an acceleration of the base against it, so that every node feels
    it; the base's origin itself does not accelerate.
    """
    result = [0.0] * 12
    # numpy takes longer to start than these few products take
    if base_velocity is not None:
        velocity = as_vector(base_velocity, 6, "base_velocity").tolist()
        v0, v1, v2 = _turned_back(turn, *velocity[:3])
        w0, w1, w2 = _turned_back(turn, *velocity[3:])
        result[:6] = v0, v1, v2, w0, w1, w2
        result[6:9] = w2 * v1 - w1 * v2, w0 * v2 - w2 * v0, w1 * v0 - w0 * v1
    if gravity is not None:
        fall = as_vector(gravity, 3, "gravity").tolist()
        for i, part in enumerate(_turned_back(turn, *fall)):
            result[6 + i] -= part
    return np.array(result)


def _turned_back(
    turn: Array, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """Return a vector of the world in the axes of the base."""
    a, b, c, d, e, f, g, h, i = turn.tolist()
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


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
