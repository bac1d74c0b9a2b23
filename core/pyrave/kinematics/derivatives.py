"""Jacobians and Hessians of links, for one and for many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.kinematics.inputs import (
    NODE_COST,
    as_row,
    as_rows,
    base_pose_of,
    plain,
    with_rest,
)
from pyrave.spatial import Array, as_array, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

_kernels = KernelModule("pyrave.kinematics.kernels.jacobians", whole=True)


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

    Raises
    ------
    NotFoundError, ArgumentError
        Unknown link, wrong shapes, or joint values that are not finite.
    """
    return _derivatives(model, transforms, q, link, point, 0)[0]


def hessian(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    link: int | str,
    point: ArrayLike | None = None,
) -> Array:
    """Return the derivatives of `jacobian` by each degree of freedom.

    Takes and raises what `jacobian` does.

    Returns
    -------
    ndarray
        (n_dof, 6, n_dof): ``[i, :, j]`` is d J[:, j] / d q_i. Its linear part is
        symmetric in i and j, its angular part is not.
    """
    return _derivatives(model, transforms, q, link, point, model.n_dof)[1]


def rates_of_link_velocities(
    model: Model, transforms: ArrayLike, q: ArrayLike, velocities: ArrayLike
) -> Array:
    """Return the joint velocities that fit velocities of all links best.

    Parameters
    ----------
    velocities
        (n_links, 6) linear first, at the links' origins, world axes; that of the base
        counts as it is.

    Returns
    -------
    ndarray
        (n_dof,) rad/s or m/s, by least squares.
    """
    n, poses = model.n_links, _as_transforms(model, transforms)
    given = as_array(velocities, (n, 6), "link_velocities").copy()
    if n == 1 or not model.n_dof:
        return np.zeros(model.n_dof)
    arms = poses[:, :3, 3] - poses[0, :3, 3]
    given[1:, :3] -= given[0, :3] + np.cross(given[0, 3:], arms[1:])
    given[1:, 3:] -= given[0, 3:]
    rows = np.concatenate([jacobian(model, poses, q, i) for i in range(1, n)])
    found = np.linalg.lstsq(rows, given[1:].ravel(), rcond=None)
    return np.asarray(found[0])


def _derivatives(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    link: int | str,
    point: ArrayLike | None,
    n_second: int,
) -> tuple[Array, Array]:
    """Return Jacobian (6, n_dof) and Hessian (n_second, 6, n_dof)."""
    number = model.link_number(link)
    poses = _as_transforms(model, transforms)
    values = with_rest(model, as_row(model, q, "q"), values=True)[0]
    place = poses[number, :3, 3] if point is None else as_vector(point, 3, "point")
    first = np.empty((6, model.n_values))
    second = np.empty((n_second, 6, model.n_dof))
    body = model.motion_tree
    cost = len(body.tree) * (model.n_values if n_second else 1)
    kernel = _kernels.auto(cost * NODE_COST)
    with np.errstate(all="ignore"):
        kernel.derivatives(
            tuple(body),
            int(body.link_nodes[number]),
            place.copy(),
            poses,
            values,
            first,
            second,
        )
    return np.ascontiguousarray(first[:, : model.n_dof]), second


def _as_transforms(model: Model, transforms: ArrayLike) -> Array:
    """Return link poses (n_links, 4, 4) as kernels take them, or raise."""
    array = as_numbers(transforms, "transforms")
    if array.shape != (model.n_links, 4, 4):
        raise ArgumentError(
            f"transforms has shape {array.shape}, expected ({model.n_links}, 4, 4)"
        )
    return plain(array)


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
    q = as_rows(model, configurations, "configurations")
    first, _ = _derivatives_batch(model, q, link, local_point, 0)
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
    q = as_rows(model, configurations, "configurations")
    _, second = _derivatives_batch(model, q, link, local_point, len(q))
    return np.asarray(_turned(base_pose, second))


def _turned(base_pose: ArrayLike, twists: Array) -> Array:
    """Return twists in the base (..., 6, n) in world axes."""
    turn = base_pose_of(base_pose)[0].reshape(3, 3)
    parts = twists.reshape(*twists.shape[:-2], 2, 3, twists.shape[-1])
    return (turn @ parts).reshape(twists.shape)


def _derivatives_batch(
    model: Model, q: Array, link: int | str, local_point: ArrayLike, n_second: int
) -> tuple[Array, Array]:
    """Return Jacobians (n, 6, n_dof) and Hessians (n_second, n_dof, 6, n_dof)."""
    number = model.link_number(link)
    body = model.motion_tree
    place = body.link_places[number]
    point = as_vector(local_point, 3, "local_point")
    first = np.empty((len(q), 6, model.n_values))
    second = np.empty((n_second, model.n_dof, 6, model.n_dof))
    cost = len(body.tree) * (model.n_values if n_second else 1)
    kernel = _kernels.auto(len(q) * cost * NODE_COST)
    with np.errstate(all="ignore"):
        kernel.derivatives_batch(
            tuple(body),
            int(body.link_nodes[number]),
            place[:9].reshape(3, 3) @ point + place[9:],
            with_rest(model, q, values=True),
            first,
            second,
        )
    return np.ascontiguousarray(first[:, :, : model.n_dof]), second
