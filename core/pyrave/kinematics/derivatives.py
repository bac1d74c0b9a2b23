"""Jacobians and Hessians of links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.poses import kernels
from pyrave.kinematics.rates import Configuration
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

__all__ = ["hessian", "jacobian"]


def _point(poses: Array, link: int, point: ArrayLike | None) -> Array:
    if point is None:
        return poses[link, :3, 3].copy()
    return np.ascontiguousarray(as_vector(point, 3, "point"))


def jacobian(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    link: int | str,
    point: ArrayLike | None = None,
) -> Array:
    """Return the Jacobian of a point that is fixed to a link.

    Parameters
    ----------
    transforms
        (n_links, 4, 4): poses of the links at `q`.
    q
        (n_dof,).
    link
        Name or index.
    point
        (3,) in world axes, metres; by default the link's origin.

    Returns
    -------
    ndarray
        (6, n_dof) in world axes: rows 0-2 velocity of the point, 3-5 angular
        velocity, per unit rate of each degree of freedom, what mimic joints add
        included.
    """
    number = model.link_number(link)
    c = Configuration.of(model, transforms, q)
    if not model.n_dof:
        return np.zeros((6, 0))
    columns = _columns(c, number, _point(c.poses, number, point))
    return columns if c.slopes is None else columns @ c.slopes


def _columns(c: Configuration, link: int, point: Array) -> Array:
    """Return the Jacobian by values, (6, n_values)."""
    model = c.model
    columns = np.empty((6, model.n_values))
    kernel = kernels.auto(len(model.nodes) * 0.02)
    kernel.jacobian(model.nodes, model.frames, c.poses, c.values, link, point, columns)
    return columns


def hessian(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    link: int | str,
    point: ArrayLike | None = None,
) -> Array:
    """Return the derivatives of `jacobian` by each degree of freedom.

    Returns
    -------
    ndarray
        (n_dof, 6, n_dof): ``[i, :, j]`` is d J[:, j] / d q_i. Its linear part is
        symmetric in i and j, its angular part is not.
    """
    number = model.link_number(link)
    c = Configuration.of(model, transforms, q)
    if not model.n_dof:
        return np.zeros((0, 6, 0))
    where = _point(c.poses, number, point)
    columns = _columns(c, number, where)
    out = np.empty((model.n_values, 6, model.n_values))
    kernel = kernels.auto(model.n_values**2 * 0.02)
    kernel.hessian(
        model.nodes, model.frames, c.poses, c.values, number, where, columns, out
    )
    if c.slopes is None:
        return out
    result = np.einsum("ai,arb,bj->irj", c.slopes, out, c.slopes, optimize=True)
    if len(model.second_partials):
        result += np.einsum("rb,bij->irj", columns, c.curves())
    return np.asarray(result)
