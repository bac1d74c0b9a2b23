"""Poses of the solids that links carry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import CAPSULE, CONE, CYLINDER, SPHERE
from pyrave_collision.kernels.shapes import CENTRE, HALF, KIND, SIZES

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32
    from pyrave_collision.kernels.layout import Solids

JIT_ENTRIES: dict[str, tuple[str, int]] = {}
JIT_NO_ARRAYS = ("place_movers", "place_bounds")


def place_movers(
    link_poses: F64, links: I32, movers: I32, local: F64, solids: Solids
) -> None:
    """Write the poses and boxes of what the links of a body carry.

    Parameters
    ----------
    link_poses
        (n, 4, 4) T_world_link.
    links, movers, local
        (m,) links, (m,) rows of the solids, and (m, 16) T_link_solid.
    """
    poses = solids.poses
    for i in range(movers.shape[0]):
        g, link = movers[i], links[i]
        # how a sphere is turned does not matter
        turned = int(solids.shapes[g, KIND]) != SPHERE
        for r in range(3):
            x = link_poses[link, r, 0]
            y = link_poses[link, r, 1]
            z = link_poses[link, r, 2]
            if turned:
                for c in range(3):
                    poses[g, 4 * r + c] = (
                        x * local[i, c] + y * local[i, 4 + c] + z * local[i, 8 + c]
                    )
            poses[g, 4 * r + 3] = (
                x * local[i, 3] + y * local[i, 7] + z * local[i, 11]
            ) + link_poses[link, r, 3]
        place_bounds(g, solids.shapes, poses, solids.bounds)


def place_bounds(g: int, shapes: F64, poses: F64, bounds: F64) -> None:
    """Write the box of a solid along the world's axes; exact for primitives."""
    kind = int(shapes[g, KIND])
    a, b = shapes[g, SIZES], shapes[g, SIZES + 1]
    if kind == SPHERE:
        for r in range(3):
            bounds[g, r] = poses[g, 4 * r + 3] - a
            bounds[g, 3 + r] = poses[g, 4 * r + 3] + a
        return
    for r in range(3):
        half = middle = 0.0
        for c in range(3):
            entry = poses[g, 4 * r + c]
            middle += entry * shapes[g, CENTRE + c]
            half += abs(entry) * shapes[g, HALF + c]
        axis = abs(poses[g, 4 * r + 2])
        if kind == CAPSULE:
            half = axis * b + a
        elif kind == CYLINDER:
            half = axis * b + a * math.sqrt(max(1.0 - axis * axis, 0.0))
        elif kind == CONE:
            half = axis * shapes[g, HALF + 2]
            half += max(a, b) * math.sqrt(max(1.0 - axis * axis, 0.0))
        middle += poses[g, 4 * r + 3]
        bounds[g, r], bounds[g, 3 + r] = middle - half, middle + half
