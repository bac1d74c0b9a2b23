"""Jacobians and Hessians of links, for one and for many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics._motion_tree import tree_kernel
from pyrave.kinematics.inputs import as_rows, flat, plain
from pyrave.kinematics.poses import as_base, as_dof_vector
from pyrave.spatial import Array, as_array, as_numbers, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

_one = tree_kernel("jacobians", "derivatives", lambda out: 1 + out.size / 6)
_many = tree_kernel(
    "jacobians", "derivatives_batch", lambda out: out.shape[1] + out.size / 6
)
_ORIGIN = np.empty(0)


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
    number, n, table = model.link_number(link), model.n_dof, model.motion_table
    result = first, second = np.empty((6, n)), np.empty((n_second, 6, n))
    place: ArrayLike = _ORIGIN if point is None else point
    try:
        if _one.call(table, number, place, transforms, q, first, second) == 0:
            return result
    except (TypeError, ValueError):
        pass  # other kinds of arrays: the long way round
    if point is not None:
        place = plain(as_vector(point, 3, "point"))
    poses, values = _as_transforms(model, transforms), plain(as_dof_vector(model, q))
    _one.call(table, number, place, poses, values, first, second)
    return result


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
    turn = as_base(base_pose)[:3, :3]
    parts = twists.reshape(*twists.shape[:-2], 2, 3, twists.shape[-1])
    return (turn @ parts).reshape(twists.shape)


def _derivatives_batch(
    model: Model, q: Array, link: int | str, local_point: ArrayLike, n_second: int
) -> tuple[Array, Array]:
    """Return Jacobians (n, 6, n_dof) and Hessians (n_second, n_dof, 6, n_dof)."""
    number, n = model.link_number(link), model.n_dof
    body = model.motion_tree
    place = body.link_places[number]
    point = as_vector(local_point, 3, "local_point")
    first, second = np.empty((len(q), 6, n)), np.empty((n_second, n, 6, n))
    local = place[:9].reshape(3, 3) @ point + place[9:]
    node = int(body.link_nodes[number])
    _many.call(model.motion_table, node, local, flat(q), first, second)
    return first, second
