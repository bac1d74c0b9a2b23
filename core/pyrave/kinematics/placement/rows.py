"""Pack a model for the kernels that place its links.

Rows stay writable: numba tells writable arrays from others, and recognises only the
former fast. Nothing writes to them.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels import forward_kinematics as to
from pyrave.kinematics.kernels import motion as k

if TYPE_CHECKING:
    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array

__all__ = ["pose_rows", "resting_rows", "tool_rows"]

_AXES = {k.TURN_X: 0, k.TURN_Y: 1, k.TURN_Z: 2}
_PLACE = slice(to.PARENT, to.VALUE + 1)  # parent, node, value
_C, _U, _V = (slice(first, first + 12) for first in (to.C, to.U, to.V))


def pose_rows(model: Model) -> Array:
    """Return all nodes, (n_nodes, WIDTH), as `kernels.forward_kinematics` has them.

    They take all values, those of passive joints included.
    """
    rows = np.zeros((len(model.nodes), to.WIDTH))
    for row, node in zip(rows, _order(model.nodes[:, 1].tolist()), strict=True):
        _fill(row, model, node)
        row[_PLACE] = model.nodes[node, 1], node, model.nodes[node, 3]
    rows[0, _PLACE] = -1, 0, model.n_values
    return rows


def resting_rows(model: Model) -> Array | None:
    """Return all nodes with passive joints at rest: they take degrees of freedom only.

    None if joints follow others, if there are more nodes than links, or if there is one
    link only, which needs no kernel.
    """
    if model.has_mimic or len(model.nodes) > model.n_links or model.n_links == 1:
        return None
    rows = pose_rows(model)
    for row in rows[1:]:
        _rest(row, model, int(row[to.VALUE]))
        if row[to.KIND] == k.BALL and row[to.VALUE] >= model.n_dof:
            return None
    rows[0, to.VALUE] = model.n_dof
    return rows


def tool_rows(
    model: Model, link: int, transform: Array, columns: Array
) -> Array | None:
    """Return the motions from the base to a tool, constant parts folded in.

    Parameters
    ----------
    transform
        (4, 4): T_link_tool.
    columns
        (n_dof,) column of each degree of freedom in the Jacobian, -1 for none.

    Returns
    -------
    ndarray or None
        (n, TOOL_WIDTH), see `pyrave.kinematics.kernels.forward_kinematics`. None if a
        joint on the way follows others or is a ball. Passive ones rest.
    """
    chain = []
    node = link
    while node > 0:
        chain.append(node)
        node = int(model.nodes[node, 1])
    rows = [np.zeros(to.TOOL_WIDTH)]
    fixed = np.eye(4)
    for node in reversed(chain):
        _, _, code, value, _ = model.nodes[node].tolist()
        row = np.zeros(to.TOOL_WIDTH)
        _fill(row, model, node)
        _rest(row, model, value)
        if row[to.KIND] == k.FIXED:
            fixed = fixed @ _matrix(row[_C])
            continue
        if code == k.BALL or value >= model.n_dof:
            return None
        axis = model.frames[node, :9].reshape(3, 3) @ _axis(model, node)
        point = model.frames[node, 9:12]
        number = len(rows)
        row[_PLACE] = number - 1, number, number - 1
        row[to.DOF], row[to.COLUMN] = value, columns[value]
        row[to.AXIS : to.AXIS + 3] = fixed[:3, :3] @ axis
        row[to.POINT : to.POINT + 3] = fixed[:3, :3] @ point + fixed[:3, 3]
        row[_C] = (fixed @ _matrix(row[_C]))[:3].ravel()
        for part in (_U, _V):
            row[part] = (fixed[:3, :3] @ row[part].reshape(3, 4)).ravel()
        rows.append(row)
        fixed = np.eye(4)
    last = np.zeros(to.TOOL_WIDTH)
    last[_PLACE] = len(rows) - 1, len(rows), -1
    last[_C] = (fixed @ transform)[:3].ravel()
    rows[0][to.VALUE] = model.n_dof
    rows[0][to.COLUMN] = columns.max(initial=-1) + 1
    return np.array([*rows, last])


def _order(parents: list[int]) -> list[int]:
    """Return all nodes, parents first and else in order: poses are written in a row."""
    children: list[list[int]] = [[] for _ in parents]
    for node, parent in enumerate(parents[1:], 1):
        children[parent].append(node)
    result: list[int] = []
    ready = [0]
    while ready:
        node = heapq.heappop(ready)
        result.append(node)
        for child in children[node]:
            heapq.heappush(ready, child)
    return result


def _matrix(upper: Array) -> Array:
    result = np.eye(4)
    result[:3] = upper.reshape(3, 4)
    return result


def _axis(model: Model, node: int) -> Array:
    """Return the unit axis of a node; exact where it is along x, y or z."""
    code = int(model.nodes[node, 2])
    frame = model.frames[node]
    if code not in _AXES:
        return np.array(frame[12:15])
    axis = np.zeros(3)
    axis[_AXES[code]] = frame[18]
    return axis


def _rest(row: Array, model: Model, value: int) -> None:
    """Fix a node whose value is that of a passive joint."""
    if value < model.n_dof or model.mimic[value]:
        return
    rest = float(model.rest_values[value])
    if row[to.KIND] == k.TURN:
        row[_C] += math.cos(rest) * row[_U] + math.sin(rest) * row[_V]
    elif row[to.KIND] == k.SLIDE:
        row[_C] += rest * row[_V]
    else:
        return
    row[to.KIND] = k.FIXED


def _fill(row: Array, model: Model, node: int) -> None:
    """Write kind and matrices of a node."""
    code = int(model.nodes[node, 2])
    frame = model.frames[node]
    rest, offset, point = frame[:9].reshape(3, 3), frame[9:12], frame[15:18]
    row[to.KIND] = k.TURN if code in _AXES else code
    c, u, v = (row[part].reshape(3, 4) for part in (_C, _U, _V))
    c[:, :3] = rest
    c[:, 3] = offset
    if row[to.KIND] == k.TURN:
        x, y, z = axis = _axis(model, node)
        along = np.outer(axis, axis)
        c[:, :3] = rest @ along
        u[:, :3] = rest @ (np.eye(3) - along)
        v[:, :3] = rest @ ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
        c[:, 3] -= c[:, :3] @ point
        u[:, 3] = -u[:, :3] @ point
        v[:, 3] = -v[:, :3] @ point
    elif code == k.SLIDE:
        v[:, 3] = rest @ frame[12:15]
    elif code == k.BALL:
        row[to.BALL_POINT : to.BALL_POINT + 3] = point
        row[to.BALL_SIGN] = frame[18]
