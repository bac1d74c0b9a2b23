"""Joint values and link poses of one or of many configurations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.spatial import Array, as_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

__all__ = [
    "as_dof_matrix",
    "as_dof_vector",
    "check_followers",
    "joint_values",
    "kernels",
    "link_transforms",
    "link_transforms_batch",
    "node_transforms",
    "tape_kernels",
    "values_batch",
    "values_of",
]

kernels = KernelModule("pyrave.kinematics._kernels")
tape_kernels = KernelModule("pyrave.kinematics.formula._kernels")
_NODE_COST = 0.02
"""Milliseconds that one node takes in the interpreter."""


def as_dof_vector(model: Model, q: ArrayLike, name: str = "q") -> Array:
    """Return `q` as a finite (n_dof,) float64 vector or raise an ArgumentError."""
    try:
        array = np.asarray(q, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is not a vector of numbers: {q!r}") from error
    if array.shape != (model.n_dof,):
        raise ArgumentError(
            f"{name} has shape {array.shape}, expected ({model.n_dof},): "
            "one number per degree of freedom"
        )
    # the sum is the cheaper test; it may overflow, hence the second one
    if not math.isfinite(sum(array.tolist())) and not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite: {array}")
    return array


def as_dof_matrix(model: Model, configurations: ArrayLike, name: str = "Q") -> Array:
    """Return `configurations` as a finite (n, n_dof) array or raise."""
    try:
        array = np.asarray(configurations, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{name} is not an array of numbers") from error
    if array.ndim != 2 or array.shape[1] != model.n_dof:
        raise ArgumentError(
            f"{name} has shape {array.shape}, expected (n, {model.n_dof})"
        )
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite")
    return np.ascontiguousarray(array)


def values_of(model: Model, q: Array, passive: Array | None = None) -> Array:
    """Return all axis values (n_values,) for a checked `q`."""
    if model.n_values == model.n_dof:
        return np.ascontiguousarray(q)
    values = model.rest_values.copy() if passive is None else passive.copy()
    values[: model.n_dof] = q
    if model.has_mimic:
        n = model.n_position_instructions
        registers = np.empty(len(model.tape))
        kernel = tape_kernels.auto(n * 0.001)
        with np.errstate(all="ignore"):
            kernel.run_tape(model.tape, model.tape_constants, 0, n, registers, values)
    return values


def joint_values(model: Model, q: ArrayLike, passive: ArrayLike | None = None) -> Array:
    """Return the values of all joint axes, passive and mimic ones included.

    Parameters
    ----------
    q
        (n_dof,) radians or metres.
    passive
        (n_values,) from which values of passive axes that follow no other are taken;
        by default those of the configuration that the description shows.

    Returns
    -------
    ndarray
        (n_values,), a new array; NaN where a formula is outside of its domain.
    """
    checked = as_dof_vector(model, q)
    values = values_of(model, checked, _passive(model, passive))
    return values.copy() if values is q else values


def check_followers(model: Model, q: Array) -> None:
    """Refuse a checked `q` at which a mimic formula has no finite value.

    Raises
    ------
    ArgumentError
        Names the joint that follows others.
    """
    values = values_of(model, q)
    # the sum is the cheaper test; it may overflow, hence the second one
    if math.isfinite(values.sum()) or np.isfinite(values).all():
        return
    value = int(np.flatnonzero(~np.isfinite(values))[0])
    name = model.joint_names[model.value_joint[value]]
    raise ArgumentError(
        f"joint {name!r} follows others and its formula is {values[value]} at these "
        f"joint values: {q}"
    )


def _passive(model: Model, passive: ArrayLike | None) -> Array | None:
    if passive is None:
        return None
    array = np.asarray(passive, dtype=np.float64)
    if array.shape != (model.n_values,):
        raise ArgumentError(
            f"passive has shape {array.shape}, expected ({model.n_values},)"
        )
    return array


def node_transforms(model: Model, base_pose: Array, values: Array, out: Array) -> None:
    """Write poses of all nodes, (n_nodes, 4, 4), for checked arguments."""
    kernel = kernels.auto(len(model.nodes) * _NODE_COST)
    kernel.forward(model.nodes, model.frames, base_pose, values, out)


def link_transforms(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    out: Array | None = None,
    passive: ArrayLike | None = None,
) -> Array:
    """Return the world poses of all links.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body, the pose of link 0.
    q
        (n_dof,) radians or metres.
    out
        (n_links, 4, 4) float64 C-contiguous array to write to.
    passive
        See `joint_values`.

    Returns
    -------
    ndarray
        (n_links, 4, 4), `out` if it was given.
    """
    if not (
        type(base_pose) is np.ndarray
        and base_pose.shape == (4, 4)
        and base_pose.dtype == np.float64
        and base_pose.flags.c_contiguous
    ):
        base_pose = as_pose(base_pose, "base_pose")
    checked = as_dof_vector(model, q)
    n = model.n_links
    if out is None:
        out = np.empty((n, 4, 4))
    elif (
        not isinstance(out, np.ndarray)
        or out.shape != (n, 4, 4)
        or out.dtype != np.float64
        or not out.flags.c_contiguous
        or not out.flags.writeable
    ):
        raise ArgumentError(
            f"out must be a writable C-contiguous ({n}, 4, 4) float64 array"
        )
    if len(model.nodes) == 1:
        out[0] = base_pose
        return out
    values = values_of(model, checked, _passive(model, passive))
    if len(model.nodes) == n:
        node_transforms(model, base_pose, values, out)
    else:
        poses = np.empty((len(model.nodes), 4, 4))
        node_transforms(model, base_pose, values, poses)
        out[:] = poses[:n]
    return out


def link_transforms_batch(
    model: Model, base_pose: ArrayLike, configurations: ArrayLike
) -> Array:
    """Return the world poses of all links for many configurations.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    configurations
        (n, n_dof).

    Returns
    -------
    ndarray
        (n, n_links, 4, 4).
    """
    base = as_pose(base_pose, "base_pose")
    checked = as_dof_matrix(model, configurations, "configurations")
    values = values_batch(model, checked)
    poses = np.empty((len(checked), len(model.nodes), 4, 4))
    kernel: Any = kernels.auto(len(checked) * len(model.nodes) * _NODE_COST)
    kernel.forward_batch(model.nodes, model.frames, base, values, poses)
    return (
        poses if len(model.nodes) == model.n_links else poses[:, : model.n_links].copy()
    )


def values_batch(model: Model, configurations: Array) -> Array:
    """Return all axis values (n, n_values) for checked configurations."""
    if model.n_values == model.n_dof:
        return configurations
    values = np.tile(model.rest_values, (len(configurations), 1))
    values[:, : model.n_dof] = configurations
    if model.has_mimic:
        n = model.n_position_instructions
        registers = np.empty(len(model.tape))
        kernel = tape_kernels.auto(len(configurations) * n * 0.001)
        with np.errstate(all="ignore"):
            kernel.values_batch(model.tape, model.tape_constants, n, registers, values)
    return values
