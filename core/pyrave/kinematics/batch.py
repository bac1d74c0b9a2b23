"""Jacobians and Hessians of many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit import KernelModule
from pyrave.kinematics.dynamics.inputs import (
    NODE_COST,
    base_pose_of,
    of_degrees,
    with_rest,
)
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

__all__ = ["hessian_batch", "jacobian_batch"]

_kernels = KernelModule("pyrave.kinematics.twists._kernels")


def jacobian_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    link: int | str,
    local_point: ArrayLike = (0.0, 0.0, 0.0),
) -> Array:
    """Return `jacobian` of n configurations.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    configurations
        (n, n_dof).
    link
        Name or index.
    local_point
        (3,) in the link, metres.

    Returns
    -------
    ndarray
        (n, 6, n_dof) in world axes: rows 0-2 velocity of the point, 3-5 angular
        velocity.

    Raises
    ------
    NotFoundError, ArgumentError
        Unknown link, wrong shapes, or numbers that are not finite.
    """
    q = of_degrees(model, configurations, "configurations")
    first, _ = _derivatives(model, q, link, local_point, 0)
    return np.asarray(_turned(base_pose, first))


def hessian_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    link: int | str,
    local_point: ArrayLike = (0.0, 0.0, 0.0),
) -> Array:
    """Return `hessian` of n configurations, (n, n_dof, 6, n_dof).

    Takes and raises what `jacobian_batch` does.
    """
    q = of_degrees(model, configurations, "configurations")
    _, second = _derivatives(model, q, link, local_point, len(q))
    return np.asarray(_turned(base_pose, second))


def _turned(base_pose: ArrayLike, twists: Array) -> Array:
    """Return twists in the base (..., 6, n) in world axes."""
    turn = base_pose_of(base_pose)[0].reshape(3, 3)
    parts = twists.reshape(*twists.shape[:-2], 2, 3, twists.shape[-1])
    return (turn @ parts).reshape(twists.shape)


def _derivatives(
    model: Model, q: Array, link: int | str, local_point: ArrayLike, n_second: int
) -> tuple[Array, Array]:
    """Return Jacobians (n, 6, n_dof) and Hessians (n_second, n_dof, 6, n_dof)."""
    number = model.link_number(link)
    body = model.articulation
    place = body.link_places[number]
    point = as_vector(local_point, 3, "local_point")
    first = np.empty((len(q), 6, model.n_values))
    second = np.empty((n_second, model.n_dof, 6, model.n_dof))
    cost = len(body.tree) * (model.n_values if n_second else 1)
    kernel = _kernels.auto(len(q) * cost * NODE_COST)
    with np.errstate(all="ignore"):
        kernel.derivatives_batch(
            body.tree,
            body.places,
            body.tape,
            body.constants,
            body.partials,
            body.seconds,
            int(body.link_nodes[number]),
            place[:9].reshape(3, 3) @ point + place[9:],
            with_rest(model, q, values=True),
            first,
            second,
        )
    return np.ascontiguousarray(first[:, :, : model.n_dof]), second
