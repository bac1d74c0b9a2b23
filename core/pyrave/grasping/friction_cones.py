"""Friction cones of contacts, as forces and as wrenches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.spatial import Array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyrave.grasping.contacts import ContactSet


@dataclass(frozen=True, slots=True, eq=False)
class PushSet:
    """Pushes with a normal force of 1: points, or edges of round cones.

    Parameters
    ----------
    forces
        (n, 3, 3) middle and two half axes of an ellipse, which are 0 for a point.
    wrenches
        (n, 3, d) of the same.
    """

    forces: Array
    wrenches: Array

    def scaled_rounds(self, scale: float) -> tuple[Array, Array]:
        """Return middles (n, d) and half axes (n, 2, d) of wrenches times a number."""
        found = scale * self.wrenches
        return np.ascontiguousarray(found[:, 0]), np.ascontiguousarray(found[:, 1:])

    def chosen(self, choices: Array) -> Array:
        """Return the forces (k, 3) of choices (k, 3), see `kernels.rounds`."""
        some = self.forces[choices[:, 0].astype(np.int64)]
        return np.asarray(
            some[:, 0] + choices[:, 1:2] * some[:, 1] + choices[:, 2:] * some[:, 2]
        )


def round_cones(contacts: ContactSet) -> Array:
    """Return (n, 3, 3) normal and two axes across it as long as the friction.

    The first of these points along the axis of the frame that is farthest from the
    normal.
    """
    normals = contacts.normals
    n = len(normals)
    across = np.eye(3)[np.argmin(np.abs(normals), axis=1)] if n else np.zeros((0, 3))
    first = across - (across * normals).sum(axis=1, keepdims=True) * normals
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(normals, first)
    rub = contacts.friction[:, None]
    return np.stack((normals, rub * first, rub * second), axis=1)


def pyramids(cones: Array, edges: int) -> Array:
    """Return (n * edges, 3, 3) edges of pyramids in round cones, as points."""
    turns = np.arange(edges) * (2.0 * np.pi / edges)
    ring = np.column_stack((np.ones(edges), np.cos(turns), np.sin(turns)))
    found = np.zeros((len(cones) * edges, 3, 3))
    found[:, 0] = np.einsum("ka,nac->nkc", ring, cones).reshape(-1, 3)
    return found


def pushes(forces: Array, points: Array, length: float, axes: Sequence[int]) -> PushSet:
    """Return pushes with forces (n, 3, 3) at points (n, 3) from the centre."""
    torques = np.cross(points[:, None], forces) / length
    wrenches = np.concatenate((forces, torques), axis=2)[:, :, list(axes)]
    return PushSet(forces, wrenches)
