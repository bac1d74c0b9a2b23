"""Inverse and forward dynamics of one and of many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics._motion_tree import tree_kernel
from pyrave.kinematics.dynamics.masses import mass_matrix
from pyrave.kinematics.inputs import (
    AT_REST,
    as_row,
    as_rows,
    base_of,
    flat,
    plain,
    wrenches_of,
)
from pyrave.kinematics.kernels.motion import STILL
from pyrave.spatial import as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

_inverse = tree_kernel(
    "rnea",
    "inverse_dynamics",
    lambda out: out.shape[0] * out.shape[1],
    "inverse dynamics",
    4.0,
)
_forward = tree_kernel(
    "aba", "forward_dynamics", lambda out: 5 * len(out), "forward dynamics", 4.0
)


def inverse_dynamics(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: ArrayLike,
    external: ArrayLike | None = None,
    *,
    components: bool = False,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the joint torques that make a body move as given, forces of sliding axes.

    Recursive Newton-Euler (Luh, Walker & Paul 1980; Featherstone 2008, chapter 5), and
    friction and springs of joints (`pyrave.scene.JointAxis`), inertia and friction of
    their motors (`pyrave.scene.Motor`), those of joints that follow others left out.
    Links without weight feel no gravity.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    q, qd, qdd
        (n_dof,) values, rates and accelerations.
    gravity
        (3,) acceleration of free fall in world axes, m/s2.
    external
        (n_links, 6) force and torque on each link at its centre of mass, world axes.
    components
        True: return the parts instead of their sum.
    base_velocity
        (6,) of link 0, linear first, world axes; its origin does not accelerate.

    Returns
    -------
    ndarray
        (n_dof,) newton metres or newtons; with `components` (3, n_dof): inertial,
        velocity-dependent (Coriolis, centrifugal, friction), and gravity, springs and
        external.

    Raises
    ------
    ArgumentError
        Wrong shapes, or numbers that are not finite.
    """
    out = np.empty((1, 3 if components else 1, model.n_dof))
    result: Array = out[0] if components else out[0, 0]
    if external is None and model.no_wrenches is not None:
        base = base_pose, AT_REST if base_velocity is None else base_velocity
        given = gravity, model.no_wrenches, q, qd, qdd
        try:
            if _inverse.call(model.motion_table, *base, *given, out) == 0:
                return result
        except (TypeError, ValueError):
            pass  # other kinds of arrays: the long way round
    rows = as_row(model, q, "q"), as_row(model, qd, "qd"), as_row(model, qdd, "qdd")
    forces = _checked(model, base_pose, base_velocity, gravity, external, 1)
    _inverse.call(model.motion_table, *forces, *map(flat, rows), out)
    return result


def inverse_dynamics_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    rates: ArrayLike,
    accelerations: ArrayLike,
    gravity: ArrayLike,
    external: ArrayLike | None = None,
    *,
    components: bool = False,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return `inverse_dynamics` of n configurations.

    Parameters
    ----------
    configurations
        (n, n_dof).
    rates, accelerations
        (n, n_dof), or (n_dof,) the same for all.
    external
        (n, n_links, 6), or (n_links, 6) the same for all.

    Returns
    -------
    ndarray
        (n, n_dof); with `components` (n, 3, n_dof).
    """
    q = as_rows(model, configurations, "configurations")
    n = len(q)
    qd = as_rows(model, rates, "rates", n)
    qdd = as_rows(model, accelerations, "accelerations", n)
    forces = _checked(model, base_pose, base_velocity, gravity, external, n)
    out = np.empty((n, 3 if components else 1, model.n_dof))
    _inverse.call(model.motion_table, *forces, flat(q), flat(qd), flat(qdd), out)
    return out if components else out[:, 0]


def _checked(
    model: Model,
    base_pose: ArrayLike,
    base_velocity: ArrayLike | None,
    gravity: ArrayLike,
    external: ArrayLike | None,
    n: int,
) -> tuple[Array, Array, Array, Array]:
    """Return pose and velocity of a base, gravity and wrenches as kernels take them."""
    fall = plain(as_vector(gravity, 3, "gravity"))
    base = base_of(base_pose, base_velocity)
    return *base, fall, wrenches_of(model, external, n, fall)


def joint_friction(model: Model, qd: Array) -> Array:
    """Return the torques (..., n_dof) that overcome friction of joints and motors.

    A joint that stands still has none: what friction bears there is not known.

    Parameters
    ----------
    qd
        (..., n_dof) rates, rad/s or m/s.

    Returns
    -------
    (..., n_dof) float64
        N m or N.
    """
    n = model.n_dof
    moving = np.where(np.abs(qd) > STILL, np.sign(qd), 0.0)
    return np.asarray(
        model.coulomb_frictions[:n] * moving + model.viscous_frictions[:n] * qd
    )


def forward_dynamics(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    torques: ArrayLike,
    gravity: ArrayLike,
    external: ArrayLike | None = None,
    *,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the accelerations (n_dof,) that joint torques cause.

    By articulated bodies (Featherstone 2008, chapter 7); where joints follow others,
    by the mass matrix.

    Parameters
    ----------
    torques
        (n_dof,) newton metres or newtons; other parameters as `inverse_dynamics`.

    Raises
    ------
    ArgumentError
        Wrong shapes, or a degree of freedom moves no inertia.
    """
    out = np.empty((1, model.n_dof))
    result: Array = out[0]
    if external is None and model.no_wrenches is not None:
        base = base_pose, AT_REST if base_velocity is None else base_velocity
        given = gravity, model.no_wrenches, q, qd, torques
        try:
            if _forward.call(model.motion_table, *base, *given, out) == 0:
                return result
        except (TypeError, ValueError):
            pass  # other kinds of arrays: the long way round
    rows = as_row(model, q, "q"), as_row(model, qd, "qd")
    forces = _checked(model, base_pose, base_velocity, gravity, external, 1)
    _accelerate(model, forces, *rows, as_row(model, torques, "torques"), out)
    return result


def forward_dynamics_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    rates: ArrayLike,
    torques: ArrayLike,
    gravity: ArrayLike,
    external: ArrayLike | None = None,
    *,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return `forward_dynamics` of n configurations, (n, n_dof).

    Parameters
    ----------
    configurations
        (n, n_dof).
    rates, torques
        (n, n_dof), or (n_dof,) the same for all.
    external
        (n, n_links, 6), or (n_links, 6) the same for all.
    """
    q = as_rows(model, configurations, "configurations")
    qd = as_rows(model, rates, "rates", len(q))
    given = as_rows(model, torques, "torques", len(q))
    forces = _checked(model, base_pose, base_velocity, gravity, external, len(q))
    out = np.empty((len(q), model.n_dof))
    _accelerate(model, forces, q, qd, given, out)
    return out


def _accelerate(
    model: Model,
    forces: tuple[Array, ...],
    q: Array,
    qd: Array,
    torques: Array,
    out: Array,
) -> None:
    """Write accelerations (n, n_dof) for checked (n, n_dof) arguments."""
    _forward.call(model.motion_table, *forces, flat(q), flat(qd), flat(torques), out)
    wrong = np.isnan(out).any(axis=1)
    if wrong.any():
        matrix = mass_matrix(model, q[int(np.argmax(wrong))])
        idle = np.flatnonzero(np.diag(matrix) <= 0).tolist()
        raise ArgumentError(
            (
                f"degrees of freedom {idle} move no inertia"
                if idle
                else "some degrees of freedom together move no inertia"
            )
            + ", so that their acceleration is not defined; give the links mass"
        )
