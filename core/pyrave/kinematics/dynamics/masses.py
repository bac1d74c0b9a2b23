"""Mass matrices and centres of mass of one and of many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics._motion_tree import tree_kernel
from pyrave.kinematics.inputs import as_row, as_rows, flat
from pyrave.kinematics.poses import as_base

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

_matrices = tree_kernel(
    "crba", "mass_matrix", lambda out: 3 * len(out), "mass matrices", 2.0
)
_sums = tree_kernel("crba", "center_of_mass", lambda out: 2 * len(out))


def mass_matrix(model: Model, q: ArrayLike) -> Array:
    """Return the (n_dof, n_dof) joint-space inertia, symmetric, kg m2 or kg.

    Composite rigid bodies (Featherstone 2008, chapter 6), and the rotors of motors. It
    does not depend on the pose of the base.

    Parameters
    ----------
    q
        (n_dof,).
    """
    out = np.empty((1, model.n_dof, model.n_dof))
    result: Array = out[0]
    try:
        if _matrices.call(model.motion_table, q, out) == 0:
            return result
    except (TypeError, ValueError):
        pass  # other kinds of arrays: the long way round
    _matrices.call(model.motion_table, flat(as_row(model, q, "q")), out)
    return result


def mass_matrix_batch(model: Model, configurations: ArrayLike) -> Array:
    """Return `mass_matrix` of n configurations (n, n_dof) as (n, n_dof, n_dof)."""
    q = as_rows(model, configurations, "configurations")
    out = np.empty((len(q), model.n_dof, model.n_dof))
    _matrices.call(model.motion_table, flat(q), out)
    return out


def center_of_mass(model: Model, base_pose: ArrayLike, q: ArrayLike) -> Array:
    """Return the centre of mass in world axes, (3,) metres.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    q
        (n_dof,).

    Raises
    ------
    ArgumentError
        Wrong shape, or the body has no mass.
    """
    return np.asarray(_centers(model, base_pose, as_row(model, q, "q"))[0][0])


def center_of_mass_batch(
    model: Model, base_pose: ArrayLike, configurations: ArrayLike
) -> Array:
    """Return `center_of_mass` of n configurations (n, n_dof) as (n, 3)."""
    q = as_rows(model, configurations, "configurations")
    return _centers(model, base_pose, q)[0]


def center_of_mass_jacobian(model: Model, base_pose: ArrayLike, q: ArrayLike) -> Array:
    """Return the (3, n_dof) derivative of the centre of mass in world axes.

    Takes and raises what `center_of_mass` does.
    """
    return np.asarray(_centers(model, base_pose, as_row(model, q, "q"))[1][0])


def center_of_mass_jacobian_batch(
    model: Model, base_pose: ArrayLike, configurations: ArrayLike
) -> Array:
    """Return `center_of_mass_jacobian` of n configurations as (n, 3, n_dof)."""
    q = as_rows(model, configurations, "configurations")
    return _centers(model, base_pose, q)[1]


def _centers(model: Model, base_pose: ArrayLike, q: Array) -> tuple[Array, Array]:
    """Return centres (n, 3) and Jacobians (n, 3, n_dof)."""
    total = float(model.masses.sum())
    if not total > 0:
        raise ArgumentError(f"the body's mass is {total}, it has no centre of mass")
    base = as_base(base_pose)
    out = np.empty((len(q), 3, 1 + model.n_values))
    _sums.call(model.motion_table, flat(q), out)
    result = base[:3, :3] @ out[:, :, : 1 + model.n_dof]
    return result[:, :, 0] + base[:3, 3], result[:, :, 1:]
