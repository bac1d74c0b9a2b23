"""The tree of a body's motions with all rigid parts lumped: what dynamics runs on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics.kernels import motion as k
from pyrave.kinematics.kernels.motion import Articulation

if TYPE_CHECKING:
    from pyrave.kinematics.model import Floats, Ints, Model

__all__ = ["Articulation", "articulate"]


def articulate(model: Model) -> Articulation:
    """Return the articulation of a compiled body."""
    tree = [(-1, k.FIXED, -1)]
    places = [(np.eye(3), np.zeros(3), 1.0)]
    n = len(model.nodes)
    node_of = np.zeros(n, dtype=np.int64)
    inside = np.tile(np.eye(4), (n, 1, 1))  # pose of each packed node in `node_of`
    for packed in model.nodes[1:, 0].tolist():
        parent, code, value = model.nodes[packed, 1:4].tolist()
        frame = model.frames[packed]
        rest = np.eye(4)
        rest[:3, :3], rest[:3, 3] = frame[:9].reshape(3, 3), frame[9:12]
        rest = inside[parent] @ rest
        if code == k.FIXED:
            node_of[packed], inside[packed] = node_of[parent], rest
            continue
        kind = code if code in (k.SLIDE, k.BALL) else k.TURN
        turn = np.eye(3) if kind == k.BALL else _frame_of_z(frame[12:15])
        node_of[packed] = len(tree)
        tree.append((int(node_of[parent]), kind, value))
        places.append((rest[:3, :3] @ turn, rest[:3, 3], float(frame[18])))
        inside[packed, :3, :3] = turn.T
        if kind != k.SLIDE:
            inside[packed, :3, 3] = -turn.T @ frame[15:18]
    links = inside[: model.n_links]
    coms = np.einsum("nij,nj->ni", links[:, :3, :3], model.coms) + links[:, :3, 3]
    link_nodes = node_of[: model.n_links].copy()
    link_places = np.concatenate(
        (links[:, :3, :3].reshape(-1, 9), links[:, :3, 3]), axis=1
    )
    node_links = np.full(len(tree), -1)
    node_links[link_nodes[::-1]] = np.arange(model.n_links)[::-1]
    return Articulation(
        np.array(tree, dtype=np.int64),
        np.array([(*turn.ravel(), *origin, sign) for turn, origin, sign in places]),
        _lumped(model, len(tree), link_nodes, links, coms),
        node_links,
        link_nodes,
        link_places,
        coms,
        model.rotor_inertias.copy(),
        model.tape.copy(),
        model.tape_constants.copy(),
        model.partials.copy(),
        model.second_partials.copy(),
    )


def _lumped(
    model: Model, n_nodes: int, nodes: Ints, links: Floats, coms: Floats
) -> Floats:
    """Return the inertia of each node: the sum of its links'."""
    result = np.zeros((n_nodes, 10))
    turns = links[:, :3, :3]
    about = turns @ model.inertias @ turns.transpose(0, 2, 1)
    squares = np.einsum("ni,ni->n", coms, coms)[:, None, None] * np.eye(3)
    about += model.masses[:, None, None] * (
        squares - coms[:, :, None] * coms[:, None, :]
    )
    about = 0.5 * (about + about.transpose(0, 2, 1))
    rows, columns = np.triu_indices(3)
    np.add.at(result[:, 0], nodes, model.masses)
    np.add.at(result[:, 1:4], nodes, model.masses[:, None] * coms)
    np.add.at(result[:, 4:], nodes, about[:, rows, columns])
    return result


def _frame_of_z(axis: Floats) -> Floats:
    """Return a rotation whose z column is a unit axis; exact for axes of the frame."""
    largest = int(np.argmax(np.abs(axis)))
    second = np.zeros(3)
    second[(largest + 1) % 3] = 1.0
    first = np.cross(second, axis)
    first /= np.sqrt(first @ first)
    return np.column_stack((first, np.cross(axis, first), axis))
