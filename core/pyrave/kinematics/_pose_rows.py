"""Tables that forward kinematics derives from a motion tree.

They stay writable: numba tells writable arrays from others, and recognises only the
former fast. Nothing writes to them.
"""

from __future__ import annotations

import heapq
import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics._motion_tree import node_links
from pyrave.kinematics.kernels import forward_kinematics as to
from pyrave.kinematics.kernels import link_motions as screw
from pyrave.kinematics.kernels import motion as k

if TYPE_CHECKING:
    from pyrave.kinematics.model import Model
    from pyrave.spatial import Array, Indices

_PLACE = slice(to.PARENT, to.VALUE + 1)  # parent, node, value
_C, _U, _V = (slice(first, first + 12) for first in (to.C, to.U, to.V))


def pose_rows(model: Model) -> Array:
    """Return all poses, (n_poses, WIDTH), as `kernels.forward_kinematics` has them.

    A node is placed as one of its links, from where the others are fixed. One without
    links, or a ball whose links are turned in it, has a pose of its own behind those of
    the links. The rows take all values, those of passive joints included.
    """
    shown, insides = _shown(model)
    rows = np.zeros((model.n_poses, to.WIDTH))
    parents, kinds, values = model.tree[1:].T
    near = _inverse(insides[parents]) @ _matrices(model.places[1:])
    moving = shown[1:]
    rows[moving, to.KIND] = kinds
    rows[moving, _PLACE] = np.column_stack((shown[parents], moving, values))
    rows[moving, to.C :] = _motions(kinds, near, insides[1:], model.places[1:, k.SIGN])
    nodes = model.link_nodes
    (fixed,) = np.nonzero(shown[nodes] != np.arange(model.n_links))
    places = _inverse(insides[nodes[fixed]]) @ _matrices(model.link_places[fixed])
    rows[fixed, to.PARENT], rows[fixed, to.NODE] = shown[nodes[fixed]], fixed
    rows[fixed, to.VALUE] = -1
    rows[fixed, _C] = places[:, :3].reshape(-1, 12)
    rows[0, _PLACE] = -1, 0, model.n_values
    return rows[_order(rows[:, to.PARENT].astype(int).tolist())]


def pose_screws(rows: Array) -> Array:
    """Return the screws of poses' motions, as `kernels.link_motions` has them."""
    kinds = rows[:, to.KIND]
    c, u, v = (rows[:, part].reshape(-1, 3, 4) for part in (_C, _U, _V))
    screws = np.zeros((len(rows), screw.SCREW_WIDTH))
    turn, slide, ball = (kinds == kind for kind in (k.TURN, k.SLIDE, k.BALL))
    start = (c + u)[turn]
    rates = v[turn, :, :3] @ start[:, :, :3].transpose(0, 2, 1)
    screws[turn, 3:6] = rates[:, [2, 0, 1], [1, 2, 0]]
    screws[turn, :3] = v[turn, :, 3] - (rates @ start[:, :, 3:])[:, :, 0]
    screws[slide, :3] = v[slide, :, 3]
    off = screws[:, screw.OFF]
    off[turn] = np.linalg.norm(u[turn, :, 3], axis=1)
    points = rows[ball, to.BALL_POINT : to.BALL_POINT + 3]
    off[ball] = np.linalg.norm(points, axis=1)
    screws[:, screw.AWAY] = np.linalg.norm(c[:, :, 3], axis=1) + off
    return screws


def count_poses(model: Model) -> int:
    """Return the number of `pose_rows`."""
    if len(model.tree) == 1:
        return model.n_links
    return max(model.n_links, 1 + int(_shown(model)[0].max()))


def _shown(model: Model) -> tuple[Indices, Array]:
    """Return the pose that stands for each node, and its place in the node."""
    shown = node_links(model)
    insides = np.tile(np.eye(4), (len(shown), 1, 1))
    insides[shown >= 0] = _matrices(model.link_places)[shown[shown >= 0]]
    turned = (insides[:, :3, :3] != np.eye(3)).any(axis=(1, 2))
    own = (shown < 0) | (turned & (model.tree[:, k.MOTION] == k.BALL))
    insides[own] = np.eye(4)
    shown[own] = model.n_links + np.arange(own.sum())
    return shown, insides


def resting_rows(model: Model) -> Array | None:
    """Return all poses with passive joints at rest: they take degrees of freedom only.

    None if joints follow others, if there are more poses than links, or if there is one
    link only, which needs no kernel.
    """
    if model.has_mimic or model.n_poses > model.n_links or model.n_links == 1:
        return None
    rows = pose_rows(model)
    passive = (rows[:, to.KIND] != k.FIXED) & (rows[:, to.VALUE] >= model.n_dof)
    for row in rows[passive]:
        if row[to.KIND] == k.BALL:
            return None
        rest = float(model.rest_values[int(row[to.VALUE])])
        if row[to.KIND] == k.TURN:
            row[_C] += math.cos(rest) * row[_U] + math.sin(rest) * row[_V]
        else:
            row[_C] += rest * row[_V]
        row[to.KIND] = k.FIXED
        rows[rows[:, to.NODE] == row[to.NODE]] = row
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
    node = int(model.link_nodes[link])
    end = _matrix(model.link_places[link]) @ transform
    while node > 0:
        chain.append(node)
        node = int(model.tree[node, k.PARENT])
    fixed, nears, moves = np.eye(4), [], []
    for node in reversed(chain):
        _, kind, value = model.tree[node].tolist()
        place = fixed @ _matrix(model.places[node])
        if kind == k.BALL or model.mimic[value]:
            return None
        if value < model.n_dof:
            fixed = np.eye(4)
            nears.append(place)
            moves.append((kind, value))
        else:
            fixed = place @ _motion(kind, float(model.rest_values[value]))
    n = len(moves)
    near = np.array(nears).reshape(n, 4, 4)
    kinds, values = np.array(moves, dtype=np.int64).reshape(n, 2).T
    rows = np.zeros((n + 2, to.TOOL_WIDTH))
    rows[:, to.NODE] = np.arange(n + 2)
    rows[1:, to.PARENT] = rows[1:, to.VALUE] = np.arange(n + 1)
    inner = rows[1:-1]
    inner[:, to.KIND] = kinds
    inner[:, to.DOF] = values
    inner[:, to.COLUMN] = columns[values]
    inner[:, to.AXIS : to.AXIS + 3] = near[:, :3, 2]
    inner[:, to.POINT : to.POINT + 3] = near[:, :3, 3]
    still = np.tile(np.eye(4), (n, 1, 1))
    inner[:, to.C : to.WIDTH] = _motions(kinds, near, still, np.ones(n))
    rows[-1, to.VALUE] = -1
    rows[-1, _C] = (fixed @ end)[:3].ravel()
    rows[0, to.VALUE] = model.n_dof
    rows[0, to.COLUMN] = columns.max(initial=-1) + 1
    return rows


def _order(parents: list[int]) -> list[int]:
    """Return all rows, parents first and else in order: poses are written in a row."""
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


def _motions(kinds: Indices, near: Array, far: Array, signs: Array) -> Array:
    """Return C, U and V, (n, 36), of ``near motion far``, motions about or along z."""
    c, u, v = parts = np.zeros((3, len(kinds), 3, 4))
    x, y, z = np.moveaxis(near[:, :3, :3, None], 2, 0)
    first, second, third = np.moveaxis(far[:, None, :3], 2, 0)
    turn, slide, ball = (kinds == kind for kind in (k.TURN, k.SLIDE, k.BALL))
    c[turn] = (z * third)[turn]
    c[turn, :, 3] += near[turn, :3, 3]
    u[turn] = (x * first + y * second)[turn]
    v[turn] = (y * first - x * second)[turn]
    c[slide] = (near[slide] @ far[slide])[:, :3]
    v[slide, :, 3] = z[slide, :, 0]
    c[ball] = near[ball, :3]
    rows = parts.reshape(3, len(kinds), 12)
    rows[1, ball, :3] = -far[ball, :3, 3]
    rows[1, ball, 3] = signs[ball]
    return np.moveaxis(rows, 0, 1).reshape(len(kinds), 36)


def _motion(kind: int, value: float) -> Array:
    """Return a turn about z or a slide along z, (4, 4)."""
    result = np.eye(4)
    if kind == k.SLIDE:
        result[2, 3] = value
    else:
        c, s = math.cos(value), math.sin(value)
        result[:2, :2] = (c, -s), (s, c)
    return result


def _matrix(place: Array) -> Array:
    return np.asarray(_matrices(place[None])[0])


def _matrices(places: Array) -> Array:
    """Return poses (n, 4, 4) of rotation and origin, the first 12 columns."""
    result = np.tile(np.eye(4), (len(places), 1, 1))
    result[:, :3, :3] = places[:, :9].reshape(-1, 3, 3)
    result[:, :3, 3] = places[:, 9:12]
    return result


def _inverse(poses: Array) -> Array:
    """Return inverse poses (n, 4, 4)."""
    result = np.tile(np.eye(4), (len(poses), 1, 1))
    turns = poses[:, :3, :3].transpose(0, 2, 1)
    result[:, :3, :3] = turns
    result[:, :3, 3] = -(turns @ poses[:, :3, 3:])[..., 0]
    return result
