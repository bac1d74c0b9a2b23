"""Velocities and accelerations of links, for one and for many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._motion_tree import tree_kernel
from pyrave.kinematics.inputs import as_row, as_rows, base_of, flat

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

_motions = tree_kernel("rnea", "link_motions", len)


def link_velocities(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the velocities of all links.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    q, qd
        (n_dof,) values and rates.
    base_velocity
        (6,) of link 0, linear part first, world axes; by default zero.

    Returns
    -------
    ndarray
        (n_links, 6) in world axes: linear velocity of the link's origin, angular.
    """
    values, rates = as_row(model, q, "q"), as_row(model, qd, "qd")
    none = np.zeros_like(values)
    return _motion(model, base_pose, values, rates, none, base_velocity)[0, :, :6]


def link_velocities_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    rates: ArrayLike,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return `link_velocities` of n configurations, (n, n_links, 6).

    Parameters
    ----------
    configurations
        (n, n_dof).
    rates
        (n, n_dof), or (n_dof,) the same for all.
    """
    q = as_rows(model, configurations, "configurations")
    qd = as_rows(model, rates, "rates", len(q))
    none = np.zeros_like(q)
    return _motion(model, base_pose, q, qd, none, base_velocity)[:, :, :6]


def link_accelerations(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the accelerations of all links, gravity not among them.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    q, qd, qdd
        (n_dof,) values, rates and accelerations.
    base_velocity
        (6,) of link 0; its origin does not accelerate, its rotation is steady.

    Returns
    -------
    ndarray
        (n_links, 6) in world axes: acceleration of the link's origin, angular.
    """
    values, rates = as_row(model, q, "q"), as_row(model, qd, "qd")
    wanted = as_row(model, qdd, "qdd")
    return _motion(model, base_pose, values, rates, wanted, base_velocity)[0, :, 6:]


def link_accelerations_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    rates: ArrayLike,
    accelerations: ArrayLike,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return `link_accelerations` of n configurations, (n, n_links, 6).

    Parameters
    ----------
    configurations
        (n, n_dof).
    rates, accelerations
        (n, n_dof), or (n_dof,) the same for all.
    """
    q = as_rows(model, configurations, "configurations")
    qd = as_rows(model, rates, "rates", len(q))
    qdd = as_rows(model, accelerations, "accelerations", len(q))
    return _motion(model, base_pose, q, qd, qdd, base_velocity)[:, :, 6:]


def _motion(
    model: Model,
    base_pose: ArrayLike,
    q: Array,
    qd: Array,
    qdd: Array,
    base_velocity: ArrayLike | None,
) -> Array:
    """Return velocities and accelerations (n, n_links, 12) for checked arguments."""
    out = np.empty((len(q), model.n_links, 12))
    base = base_of(base_pose, base_velocity)
    _motions.call(model.motion_table, *base, flat(q), flat(qd), flat(qdd), out)
    return out
