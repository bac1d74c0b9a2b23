"""Inverse and forward dynamics of one and of many configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.kinematics.dynamics.masses import mass_matrix
from pyrave.kinematics.inputs import (
    NODE_COST,
    as_row,
    as_rows,
    base_motion,
    base_pose_of,
    plain,
    with_rest,
    wrenches_of,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

_STILL = 1e-7  # OpenRAVE's
_newton_euler = KernelModule("pyrave.kinematics.kernels.rnea", whole=True)
_aba = KernelModule("pyrave.kinematics.kernels.aba", whole=True)


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
    result: Array = _inverse_dynamics(
        model,
        base_pose,
        as_row(model, q, "q"),
        as_row(model, qd, "qd"),
        as_row(model, qdd, "qdd"),
        gravity,
        external,
        components=components,
        base_velocity=base_velocity,
    )[0]
    return np.asarray(result if components else result[0])


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
    result = _inverse_dynamics(
        model,
        base_pose,
        q,
        as_rows(model, rates, "rates", len(q)),
        as_rows(model, accelerations, "accelerations", len(q)),
        gravity,
        external,
        components=components,
        base_velocity=base_velocity,
    )
    return result if components else result[:, 0]


def _inverse_dynamics(
    model: Model,
    base_pose: ArrayLike,
    q: Array,
    qd: Array,
    qdd: Array,
    gravity: ArrayLike,
    external: ArrayLike | None,
    *,
    components: bool,
    base_velocity: ArrayLike | None,
) -> Array:
    """Return torques (n, parts, n_dof) for checked (n, n_dof) arguments."""
    n = len(q)
    body = model.motion_tree
    turn, _ = base_pose_of(base_pose)
    out = np.zeros((n, 3 if components else 1, model.n_values))
    kernel = _newton_euler.auto(n * len(body.tree) * NODE_COST * out.shape[1])
    with np.errstate(all="ignore"):
        kernel.inverse_dynamics_batch(
            tuple(body),
            turn,
            base_motion(turn, base_velocity, gravity),
            wrenches_of(model, external, n, gravity),
            with_rest(model, q, values=True),
            with_rest(model, qd),
            with_rest(model, qdd),
            out,
        )
    if model.has_friction:
        # of three parts the second is due to velocities
        out[:, out.shape[1] // 2, : model.n_dof] += joint_friction(model, qd)
    if model.has_springs:
        out[:, -1, : model.n_dof] -= _pull(model, q)
    return out[:, :, : model.n_dof]


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
    moving = np.where(np.abs(qd) > _STILL, np.sign(qd), 0.0)
    return np.asarray(
        model.coulomb_frictions[:n] * moving + model.viscous_frictions[:n] * qd
    )


def _pull(model: Model, q: Array) -> Array:
    """Return the torques (n, n_dof) of the joints' springs, ``-k (q - q0)``."""
    n = model.n_dof
    return np.asarray(model.spring_stiffnesses[:n] * (model.spring_rests[:n] - q))


def _added(model: Model, q: Array, qd: Array, torques: Array) -> Array:
    """Return torques (n, n_dof) with what friction and springs of joints add."""
    if model.has_friction:
        torques = torques - joint_friction(model, qd)
    if model.has_springs:
        torques = torques + _pull(model, q)
    return torques


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
    result = _forward_dynamics(
        model,
        base_pose,
        as_row(model, q, "q"),
        as_row(model, qd, "qd"),
        as_row(model, torques, "torques"),
        gravity,
        external,
        base_velocity,
    )
    return np.asarray(result[0])


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
    return _forward_dynamics(
        model,
        base_pose,
        q,
        as_rows(model, rates, "rates", len(q)),
        as_rows(model, torques, "torques", len(q)),
        gravity,
        external,
        base_velocity,
    )


def _forward_dynamics(
    model: Model,
    base_pose: ArrayLike,
    q: Array,
    qd: Array,
    torques: Array,
    gravity: ArrayLike,
    external: ArrayLike | None,
    base_velocity: ArrayLike | None,
) -> Array:
    """Return accelerations (n, n_dof) for checked (n, n_dof) arguments."""
    n = len(q)
    body = model.motion_tree
    turn, _ = base_pose_of(base_pose)
    out = np.full((n, model.n_dof), np.nan)
    kernel = _aba.auto(n * len(body.tree) * 5 * NODE_COST)
    with np.errstate(all="ignore"):
        kernel.forward_dynamics_batch(
            tuple(body),
            turn,
            base_motion(turn, base_velocity, gravity),
            wrenches_of(model, external, n, gravity),
            with_rest(model, q, values=True),
            with_rest(model, qd),
            plain(_added(model, q, qd, torques)),
            out,
        )
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
    return out
