"""Jacobians of tools: chains compiled once, with all that is constant folded in."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.kinematics._pose_rows import tool_rows
from pyrave.kinematics.derivatives import jacobian
from pyrave.kinematics.poses import (
    as_base,
    as_dof_matrix,
    as_dof_vector,
    as_out,
    forward_kernel,
    link_transforms,
)
from pyrave.spatial import Array, Indices, IndicesLike, as_pose

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.kinematics.model import Model

_ROW_COST = 0.03
"""Milliseconds that one row takes in the interpreter."""
_jacobian = forward_kernel(
    "tool_jacobian", lambda rows, *_: len(rows) * _ROW_COST, long=False
)
_jacobian_batch = forward_kernel(
    "tool_jacobian_batch",
    lambda rows, _base, q, _out: len(q) * len(rows) * _ROW_COST,
    long=False,
)
KERNELS = (_jacobian, _jacobian_batch)
"""All kernels of tools' Jacobians, which `pyrave warm` compiles."""


@dataclass(frozen=True, eq=False, slots=True)
class Tool:
    """A frame fixed to a link, ready for its Jacobian; threads may share it.

    Parameters
    ----------
    model
        The body.
    link
        Index of the link.
    T_link_tool
        (4, 4).
    dof_indices
        (n,) int64, read-only: degrees of freedom of the Jacobian's columns.
    rows
        Packed chain, None where a joint on the way follows others or is spherical:
        then the Jacobian takes the way of `jacobian`.
    shape
        Shape of the Jacobian: 6, and the number of `dof_indices`.
    """

    model: Model
    link: int
    T_link_tool: Array
    dof_indices: Indices
    rows: Array | None = field(repr=False)
    shape: tuple[int, int] = field(repr=False)


def compile_tool(
    model: Model,
    link: int | str,
    transform: ArrayLike | None = None,
    dof_indices: IndicesLike | None = None,
) -> Tool:
    """Compile the way from the base of a body to a tool.

    Parameters
    ----------
    link
        Name or index of the link that carries the tool.
    transform
        (4, 4) or (7,): T_link_tool; by default the link's own frame.
    dof_indices
        Which degrees of freedom get a column, in which order; by default all.

    Raises
    ------
    NotFoundError, ArgumentError
        No such link or degree of freedom, one given twice, or no pose.
    """
    number = model.link_number(link)
    local = np.eye(4) if transform is None else as_pose(transform, "transform")
    local.flags.writeable = False
    wanted = range(model.n_dof) if dof_indices is None else dof_indices
    indices = model.dof_numbers(wanted)
    columns = np.full(model.n_dof, -1)
    for column, dof in enumerate(indices.tolist()):
        if columns[dof] >= 0:
            raise ArgumentError(f"degree of freedom {dof} is given twice")
        columns[dof] = column
    rows = tool_rows(model, number, local, columns)
    return Tool(model, number, local, indices, rows, (6, len(indices)))


def tool_jacobian(
    tool: Tool, base_pose: ArrayLike, q: ArrayLike, out: Array | None = None
) -> Array:
    """Return the Jacobian of a tool.

    Parameters
    ----------
    base_pose
        (4, 4) or (7,): T_world_body.
    q
        (n_dof,) radians or metres.
    out
        (6, n) float64 C-contiguous array to write to. After an exception its contents
        mean nothing.

    Returns
    -------
    ndarray
        (6, n), one column per entry of `Tool.dof_indices`, in world axes: rows 0-2
        velocity of the tool's origin, 3-5 angular velocity, per unit rate.

    Raises
    ------
    ArgumentError
        Wrong shapes, values that are not finite, a base that is not a pose, or another
        kind of `out`.
    """
    if tool.rows is not None:
        result = np.empty(tool.shape) if out is None else out
        try:
            if _jacobian.call(tool.rows, base_pose, q, result) == 0:
                return result
        except (TypeError, ValueError):
            pass  # other kinds of arrays: the long way round
    base = as_base(base_pose)
    checked = np.array(as_dof_vector(tool.model, q))
    result = as_out(out, tool.shape)
    if tool.rows is None:
        result[:] = _slowly(tool, base, checked)
    else:
        _jacobian.call(tool.rows, base, checked, result)
    return result


def tool_jacobian_batch(
    tool: Tool, base_pose: ArrayLike, configurations: ArrayLike
) -> Array:
    """Return the Jacobians of a tool, (m, 6, n), for configurations (m, n_dof).

    See `tool_jacobian`. It does not hold the interpreter's lock.
    """
    base = as_base(base_pose)
    checked = as_dof_matrix(tool.model, configurations, "configurations")
    result = np.empty((len(checked), *tool.shape))
    if tool.rows is None:
        for row, q in zip(result, checked, strict=True):
            row[:] = _slowly(tool, base, q)
    else:
        values = np.require(checked, requirements=["C", "A", "W"])
        _jacobian_batch.call(tool.rows, base, values, result)
    return result


def _slowly(tool: Tool, base: Array, q: Array) -> Array:
    poses = link_transforms(tool.model, base, q)
    point = (poses[tool.link] @ tool.T_link_tool)[:3, 3]
    full = jacobian(tool.model, poses, q, tool.link, point)
    return full[:, tool.dof_indices]
