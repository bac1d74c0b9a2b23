"""Joint values and link poses of one or of many configurations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import Kernel, KernelModule
from pyrave.kinematics.loop_closure import close_rows
from pyrave.spatial import Array, as_array, as_numbers, as_pose, as_vector

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

tape_kernels = KernelModule("pyrave.kinematics.kernels.expressions", whole=True)
_NODE_COST = 0.02
"""Milliseconds that one node takes in the interpreter."""


def forward_kernel(name: str, cost: Callable[..., float], *, long: bool) -> Kernel:
    """Return a kernel of forward kinematics, which may take long to compile."""
    module = "pyrave.kinematics.kernels.forward_kinematics"
    said, seconds, after = ("poses of links", 2.5, 500) if long else ("", 0.5, 100)
    return Kernel(
        module, name, said, seconds, cost=cost, compile_after=after, merged=True
    )


_place = forward_kernel(
    "place_nodes", lambda rows, *_: len(rows) * _NODE_COST, long=True
)
_place_following = forward_kernel(
    "place_following", lambda rows, *_: len(rows) * _NODE_COST, long=True
)
_place_batch = forward_kernel(
    "place_nodes_batch",
    lambda rows, _base, values, _out: len(values) * len(rows) * _NODE_COST,
    long=False,
)
_is_pose = forward_kernel("base_is_pose", lambda _base: 0.005, long=False)
_multiply = forward_kernel("multiply_poses", lambda *_: 0.002, long=False)
KERNELS = (_place, _place_following, _place_batch, _is_pose, _multiply)
"""All kernels of poses, which `pyrave warm` compiles."""


def multiply_poses(first: Array, second: Array) -> Array:
    """Return the product of two poses (4, 4), which are rigid, as a new array."""
    out = np.empty((4, 4))
    try:
        if _multiply.call(first, second, out) == 0:
            return out
    except TypeError:
        pass  # other kinds of arrays
    return np.asarray(first @ second)


def as_base(base_pose: ArrayLike) -> Array:
    """Return a pose (4, 4), the array itself if it is one, or raise."""
    try:
        if _is_pose.call(base_pose):
            assert isinstance(base_pose, np.ndarray)  # noqa: S101 - kernels take no other
            return base_pose
    except (TypeError, ValueError):
        pass  # other kinds of arrays, or none
    return as_pose(base_pose, "base_pose")


def as_dof_vector(model: Model, q: ArrayLike, name: str = "q") -> Array:
    """Return `q` as a finite (n_dof,) float64 vector or raise an ArgumentError."""
    array = as_numbers(q, name)
    if array.shape != (model.n_dof,):
        raise ArgumentError(
            f"{name} has shape {array.shape}, expected ({model.n_dof},): "
            "one number per degree of freedom"
        )
    # the sum is the cheaper test; it may overflow, hence the second one
    if not math.isfinite(sum(array.tolist())) and not np.isfinite(array).all():
        raise ArgumentError(f"{name} has values that are not finite: {array}")
    return array


def as_dof_matrix(model: Model, configurations: ArrayLike, name: str) -> Array:
    """Return `configurations` as a finite (n, n_dof) array or raise."""
    array = as_array(configurations, (None, model.n_dof), name)
    return np.ascontiguousarray(array)


def values_of(model: Model, q: Array, passive: Array | None = None) -> Array:
    """Return all axis values (n_values,) for a checked `q`."""
    if model.n_values == model.n_dof:
        return np.ascontiguousarray(q)
    values = model.rest_values.copy() if passive is None else passive.copy()
    values[: model.n_dof] = q
    linear = model.linear_followers
    if linear is not None:
        values[linear.values] = linear.values_at(q)
    elif model.has_mimic:
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


def joint_values_batch(model: Model, configurations: ArrayLike) -> Array:
    """Return the values of all joint axes at many configurations.

    Passive axes that follow no other have the values that the description shows.

    Parameters
    ----------
    configurations
        (n, n_dof) radians or metres.

    Returns
    -------
    ndarray
        (n, n_values), a new array; NaN where a formula is outside of its domain.
    """
    checked = as_dof_matrix(model, configurations, "configurations")
    values = values_batch(model, checked)
    return values.copy() if values is checked else values


def check_followers(model: Model, q: Array, passive: Array | None = None) -> None:
    """Refuse a checked `q` at which a mimic formula has no finite value.

    Parameters
    ----------
    passive
        See `joint_values`.

    Raises
    ------
    ArgumentError
        Names the joint that follows others.
    """
    values = values_of(model, q, passive)
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
    return None if passive is None else as_vector(passive, model.n_values, "passive")


def node_transforms(model: Model, base_pose: Array, values: Array, out: Array) -> None:
    """Write poses of all nodes, (n_nodes, 4, 4), for checked arguments."""
    _place.call(model.pose_rows, base_pose, np.array(values), out)


def link_transforms(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    out: Array | None = None,
    passive: ArrayLike | None = None,
) -> Array:
    """Return the world poses of all links.

    Fastest with writable float64 arrays and `out`, for a body whose joints have one
    axis each and follow no others, or by linear formulas: one call into machine code,
    which itself checks the base and looks for values that are not finite.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body, the pose of link 0.
    q
        (n_dof,) radians or metres.
    out
        (n_links, 4, 4) float64 C-contiguous array to write to. After an exception its
        contents mean nothing.
    passive
        See `joint_values`.

    Returns
    -------
    ndarray
        (n_links, 4, 4), `out` if it was given.

    Raises
    ------
    ArgumentError
        Wrong shapes, values that are not finite, a base that is not a pose, or another
        kind of `out`.
    """
    rows = model.resting_rows
    if rows is not None and passive is None:
        result = np.empty(model.poses_shape) if out is None else out
        try:
            if _place.call(rows, base_pose, q, result) == 0:
                return result
        except (TypeError, ValueError):
            pass  # other kinds of arrays, or none: the long way round
        return _link_transforms(model, base_pose, q, out, passive)
    followers = model.follower_rows
    if followers is not None:
        rest = model.resting_values if passive is None else passive
        result = np.empty(model.poses_shape) if out is None else out
        try:
            place, rows = _place_following.call, model.pose_rows
            if place(rows, base_pose, q, followers, rest, result) == 0:
                return result
        except (TypeError, ValueError):
            pass
    return _link_transforms(model, base_pose, q, out, passive)


def _link_transforms(
    model: Model,
    base_pose: ArrayLike,
    q: ArrayLike,
    out: Array | None,
    passive: ArrayLike | None,
) -> Array:
    base = as_base(base_pose)
    checked = as_dof_vector(model, q)
    n = model.n_links
    result = as_out(out, model.poses_shape)
    if model.n_poses == 1:
        result[0] = base
        return result
    values = values_of(model, checked, _passive(model, passive))
    if model.n_poses == n:
        node_transforms(model, base, values, result)
    else:
        poses = np.empty((model.n_poses, 4, 4))
        node_transforms(model, base, values, poses)
        result[:] = poses[:n]
    return result


def as_out(out: Array | None, shape: tuple[int, ...]) -> Array:
    """Return an array to write to or raise an ArgumentError."""
    if out is None:
        return np.empty(shape)
    if (
        type(out) is not np.ndarray
        or out.shape != shape
        or out.dtype != np.float64
        or not out.flags.carray
    ):
        raise ArgumentError(
            f"out must be a writable C-contiguous {shape} float64 array"
        )
    return out


def link_transforms_batch(
    model: Model,
    base_pose: ArrayLike,
    configurations: ArrayLike,
    out: Array | None = None,
) -> Array:
    """Return the world poses of all links for many configurations.

    It runs on one thread and does not hold the interpreter's lock, so that threads of
    the caller may share the work.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    configurations
        (n, n_dof).
    out
        (n, n_links, 4, 4) float64 C-contiguous array to write to. A new array of many
        megabytes can take longer to get from the system than to fill.

    Returns
    -------
    ndarray
        (n, n_links, 4, 4), `out` if it was given.

    Raises
    ------
    ArgumentError
        See `link_transforms`.
    """
    n = model.n_links
    rows = model.resting_rows
    if rows is not None and out is not None:
        try:
            if _place_batch.call(rows, base_pose, configurations, out) == 0:
                return out
        except (TypeError, ValueError):
            pass  # other kinds of arrays: the long way round
    base = as_base(base_pose)
    checked = as_dof_matrix(model, configurations, "configurations")
    result = as_out(out, (len(checked), n, 4, 4))
    if model.n_poses == 1:
        result[:] = base
        return result
    values = np.require(values_batch(model, checked), requirements=["C", "A", "W"])
    if model.n_poses == n:
        _place_batch.call(model.pose_rows, base, values, result)
    else:
        poses = np.empty((len(checked), model.n_poses, 4, 4))
        _place_batch.call(model.pose_rows, base, values, poses)
        result[:] = poses[:, :n]
    return result


def values_batch(model: Model, configurations: Array) -> Array:
    """Return all axis values (n, n_values) for checked configurations."""
    if model.n_values == model.n_dof:
        return configurations
    values = np.tile(model.rest_values, (len(configurations), 1))
    values[:, : model.n_dof] = configurations
    linear = model.linear_followers
    if linear is not None:
        values[:, linear.values] = linear.values_at(configurations)
    elif model.has_mimic:
        n = model.n_position_instructions
        registers = np.empty(len(model.tape))
        kernel = tape_kernels.auto(len(configurations) * n * 0.001)
        with np.errstate(all="ignore"):
            kernel.values_batch(model.tape, model.tape_constants, n, registers, values)
    if model.tangent_loops is not None:
        close_rows(model, values)
    return values
