"""The tree of a body's motions as kernels take it, with all rigid parts lumped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.jit import Kernel
from pyrave.kinematics.kernels.motion import MotionTree

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.kinematics.model import Floats, Ints, Model

_NODE_COST = 0.05
"""Milliseconds that one node takes in the interpreter."""


def tree_kernel(
    module: str,
    name: str,
    rounds: Callable[[Any], float],
    said: str = "",
    seconds: float = 0.5,
) -> Kernel:
    """Return a kernel of `Model.motion_table`.

    Parameters
    ----------
    rounds
        Gives from the last argument how often the kernel goes over all nodes.
    said, seconds
        As for `Kernel`.
    """

    def cost(table: Ints, *given: Any) -> float:
        return rounds(given[-1]) * int(table[0, 1]) * _NODE_COST

    home = f"pyrave.kinematics.kernels.{module}"
    return Kernel(home, name, said, seconds, cost=cost, whole=True)


def node_links(model: Model) -> Ints:
    """Return a link of each node, (n_nodes,), -1 where a node has none."""
    links = np.full(len(model.tree), -1)
    links[model.link_nodes[::-1]] = np.arange(model.n_links)[::-1]
    return links


def motion_tree(model: Model) -> MotionTree:
    """Return the arrays of a model for kernels; these are writable copies."""
    turns = model.link_places[:, :9].reshape(-1, 3, 3)
    coms = np.einsum("nij,nj->ni", turns, model.coms) + model.link_places[:, 9:]
    return MotionTree(
        model.tree.copy(),
        model.places.copy(),
        _lumped(model, turns, coms),
        node_links(model),
        model.link_nodes.copy(),
        model.link_places.copy(),
        coms,
        np.stack(
            (
                model.rotor_inertias,
                model.coulomb_frictions,
                model.viscous_frictions,
                model.spring_stiffnesses,
                model.spring_rests,
                model.rest_values,
            ),
            axis=1,
        ),
        model.tape.copy(),
        model.tape_constants.copy(),
        model.partials.copy(),
        model.second_partials.copy(),
    )


def _lumped(model: Model, turns: Floats, coms: Floats) -> Floats:
    """Return the inertia of each node: the sum of its links'."""
    nodes = model.link_nodes
    result = np.zeros((len(model.tree), 10))
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
