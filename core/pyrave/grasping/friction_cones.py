"""Friction cones of contacts, as forces and wrenches, and axes across normals."""

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


def across(ways: Array) -> tuple[Array, Array]:
    """Return two unit vectors (n, 3) across each of some unit vectors (n, 3).

    The three are right-handed in this order: the two, and the given one. The second is
    along the axis of the frame that is farthest from the given one, as far as it can.
    """
    first = np.cross(np.eye(3)[np.argmin(np.abs(ways), axis=1)], ways)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return first, np.asarray(np.cross(ways, first))


def round_cones(contacts: ContactSet) -> Array:
    """Return (n, 3, 3) normal and two axes across it as long as the friction.

    The first of these points along the axis of the frame that is farthest from the
    normal.
    """
    normals, rub = contacts.normals, contacts.friction[:, None]
    second, first = across(normals)
    return np.stack((normals, rub * first, -rub * second), axis=1)


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
