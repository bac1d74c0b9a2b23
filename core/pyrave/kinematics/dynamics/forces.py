"""Link velocities, joint forces, mass matrix and accelerations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.kinematics.poses import as_dof_vector
from pyrave.kinematics.poses import kernels as tree_kernels
from pyrave.kinematics.rates import Configuration
from pyrave.spatial import Array, as_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

__all__ = ["forward_dynamics", "inverse_dynamics", "link_velocities", "mass_matrix"]

_kernels = KernelModule("pyrave.kinematics.dynamics._kernels")
_NODE_COST = 0.05
"""Milliseconds that one node takes in the interpreter."""


def _kernel(model: Model) -> Any:
    return _kernels.auto(len(model.nodes) * _NODE_COST)


def _motion(
    c: Configuration, rates: Array, accelerations: Array, base: Array
) -> tuple[Array, Array]:
    """Return node velocities and accelerations, (n_nodes, 6) each."""
    model = c.model
    velocity = np.empty((len(model.nodes), 6))
    acceleration = np.empty((len(model.nodes), 6))
    _kernel(model).motion(
        model.nodes,
        model.frames,
        c.poses,
        c.values,
        np.ascontiguousarray(rates),
        np.ascontiguousarray(accelerations),
        base,
        velocity,
        acceleration,
    )
    return velocity, acceleration


def _base_motion(base_velocity: ArrayLike | None) -> Array:
    base = np.zeros((2, 6))
    if base_velocity is not None:
        base[0] = as_vector(base_velocity, 6, "base_velocity")
    return base


def link_velocities(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the velocities of all links.

    Parameters
    ----------
    transforms
        (n_links, 4, 4): poses of the links at `q`.
    q, qd
        (n_dof,) values and rates.
    base_velocity
        (6,) of link 0, linear part first; by default zero.

    Returns
    -------
    ndarray
        (n_links, 6) in world axes: linear velocity of the link's origin, angular.
    """
    c = Configuration.of(model, transforms, q)
    rates = c.rates(as_dof_vector(model, qd, "qd"))
    base = _base_motion(base_velocity)
    velocity, _ = _motion(c, rates, np.zeros(model.n_values), base)
    return velocity[: model.n_links]


def _forces(
    c: Configuration, velocity: Array, acceleration: Array, wrenches: Array
) -> Array:
    model = c.model
    out = np.zeros(model.n_values)
    _kernel(model).newton_euler(
        model.nodes,
        _axes(c),
        model.mass_table,
        c.poses,
        velocity,
        acceleration,
        wrenches,
        out,
    )
    return c.to_dofs(out)


def _axes(c: Configuration) -> Array:
    model = c.model
    axis = np.empty((model.n_values, 6))
    kernel = tree_kernels.auto(len(model.nodes) * 0.01)
    kernel.axes(model.nodes, model.frames, c.poses, c.values, axis)
    return axis


def inverse_dynamics(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    qdd: ArrayLike,
    gravity: ArrayLike,
    external: ArrayLike | None = None,
    *,
    components: bool = False,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the joint forces that make a body move as given.

    Recursive Newton-Euler (Luh, Walker & Paul 1980; Featherstone 2008, chapter 5).

    Parameters
    ----------
    transforms
        (n_links, 4, 4): poses of the links at `q`.
    q, qd, qdd
        (n_dof,) values, rates and accelerations.
    gravity
        (3,) acceleration of free fall in world axes, m/s2.
    external
        (n_links, 6) force and torque on each link at its centre of mass, world axes.
    components
        True: return the parts instead of their sum.
    base_velocity
        (6,) of link 0; its acceleration is zero.

    Returns
    -------
    ndarray
        (n_dof,) newton metres or newtons; with `components` (3, n_dof): inertial,
        velocity-dependent (Coriolis, centrifugal), gravity and external.
    """
    c = Configuration.of(model, transforms, q)
    rate = as_dof_vector(model, qd, "qd")
    wanted = as_dof_vector(model, qdd, "qdd")
    base = _base_motion(base_velocity)
    fall = as_vector(gravity, 3, "gravity")
    wrenches = np.zeros((0, 6))
    if external is not None:
        wrenches = np.ascontiguousarray(external, dtype=np.float64)
        if wrenches.shape != (model.n_links, 6):
            raise ArgumentError(
                f"external has shape {wrenches.shape}, expected ({model.n_links}, 6)"
            )
    if not model.n_dof:
        return np.zeros((3, 0)) if components else np.zeros(0)
    if not components:
        base[1, :3] = -fall
        motion = _motion(c, c.rates(rate), c.accelerations(rate, wanted), base)
        return _forces(c, *motion, wrenches)
    none = np.zeros(model.n_dof)
    still = np.zeros((2, 6))
    lifted = still.copy()
    lifted[1, :3] = -fall
    no_wrench = np.zeros((0, 6))
    parts = (
        (none, c.accelerations(none, wanted), still, no_wrench),
        (rate, c.accelerations(rate, none), base, no_wrench),
        (none, c.accelerations(none, none), lifted, wrenches),
    )
    return np.array(
        [
            _forces(c, *_motion(c, c.rates(r), a, start), acting)
            for r, a, start, acting in parts
        ]
    )


def mass_matrix(model: Model, transforms: ArrayLike, q: ArrayLike) -> Array:
    """Return the (n_dof, n_dof) joint-space inertia, symmetric, kg m2 or kg.

    Composite rigid bodies (Featherstone 2008, chapter 6).
    """
    c = Configuration.of(model, transforms, q)
    if not model.n_dof:
        return np.zeros((0, 0))
    out = np.empty((model.n_values, model.n_values))
    kernel = _kernels.auto(len(model.nodes) * 2 * _NODE_COST)
    kernel.mass_matrix(model.nodes, _axes(c), model.mass_table, c.poses, out)
    return out if c.slopes is None else np.asarray(c.slopes.T @ out @ c.slopes)


def forward_dynamics(
    model: Model,
    transforms: ArrayLike,
    q: ArrayLike,
    qd: ArrayLike,
    forces: ArrayLike,
    gravity: ArrayLike,
    external: ArrayLike | None = None,
    *,
    base_velocity: ArrayLike | None = None,
) -> Array:
    """Return the accelerations (n_dof,) that joint forces cause.

    Parameters
    ----------
    forces
        (n_dof,) newton metres or newtons; other parameters as `inverse_dynamics`.

    Raises
    ------
    ArgumentError
        Wrong shapes, or a degree of freedom moves no inertia.
    """
    applied = as_dof_vector(model, forces, "forces")
    none = np.zeros(model.n_dof)
    bias = inverse_dynamics(
        model, transforms, q, qd, none, gravity, external, base_velocity=base_velocity
    )
    matrix = mass_matrix(model, transforms, q)
    try:
        return np.asarray(np.linalg.solve(matrix, applied - bias))
    except np.linalg.LinAlgError as error:
        idle = np.flatnonzero(np.diag(matrix) <= 0).tolist()
        raise ArgumentError(
            f"degrees of freedom {idle} move no inertia, so that their acceleration "
            "is not defined; give the links mass"
        ) from error
