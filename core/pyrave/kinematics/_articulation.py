"""The tree of a body's motions with all rigid parts lumped: what dynamics runs on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.kinematics import _kernels as k

if TYPE_CHECKING:
    from pyrave.kinematics.model import Floats, Ints, Model

__all__ = ["FIXED", "SLIDE", "TURN", "Articulation", "articulate"]

FIXED, TURN, SLIDE, BALL = range(4)


@dataclass(frozen=True, slots=True)
class Articulation:
    """Arrays that nothing writes to; a node is all that one motion moves rigidly.

    Node 0 is the base: link 0 and what is fixed to it. The frame of any other node has
    its z axis on the axis of the motion, so that the motion is a turn about z, a slide
    along z, or a ball (a rotation vector, times a sign) about the origin. Parents come
    before children.

    The arrays stay writable: numba tells writable arrays from others, and recognises
    only the former fast.

    Parameters
    ----------
    tree
        (n, 3): parent, kind of motion, index of the (first) value.
    places
        (n, 13): rotation (9, row-major) and origin (3) of the node in its parent where
        the value is zero, and the sign of a ball.
    inertias
        (n, 10): mass, first moment (3) and inertia xx xy xz yy yz zz about the node's
        origin, in the node's axes.
    link_nodes
        (n_links,): the node that a link is part of.
    link_places
        (n_links, 12): rotation and origin of the link in its node.
    link_coms
        (n_links, 3): centre of mass of the link in its node.
    tape, constants, partials, seconds
        What the model has of formulas.
    """

    tree: Ints
    places: Floats
    inertias: Floats
    link_nodes: Ints
    link_places: Floats
    link_coms: Floats
    tape: Ints
    constants: Floats
    partials: Ints
    seconds: Ints


def articulate(model: Model) -> Articulation:
    """Return the articulation of a compiled body."""
    tree = [(-1, FIXED, -1)]
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
        kind = {k.SLIDE: SLIDE, k.BALL: BALL}.get(code, TURN)
        turn = np.eye(3) if kind == BALL else _frame_of_z(frame[12:15])
        node_of[packed] = len(tree)
        tree.append((int(node_of[parent]), kind, value))
        places.append((rest[:3, :3] @ turn, rest[:3, 3], float(frame[18])))
        inside[packed, :3, :3] = turn.T
        if kind != SLIDE:
            inside[packed, :3, 3] = -turn.T @ frame[15:18]
    links = inside[: model.n_links]
    coms = np.einsum("nij,nj->ni", links[:, :3, :3], model.coms) + links[:, :3, 3]
    link_nodes = node_of[: model.n_links].copy()
    link_places = np.concatenate(
        (links[:, :3, :3].reshape(-1, 9), links[:, :3, 3]), axis=1
    )
    return Articulation(
        np.array(tree, dtype=np.int64),
        np.array([(*turn.ravel(), *origin, sign) for turn, origin, sign in places]),
        _lumped(model, len(tree), link_nodes, links, coms),
        link_nodes,
        link_places,
        coms,
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
