"""Poses of the solids that links carry."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import CAPSULE, CONE, CYLINDER, SPHERE
from pyrave_collision.kernels.shapes import CENTRE, HALF, KIND, SIZES

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32
    from pyrave_collision.kernels.layout import Solids

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


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
    for i in range(movers.shape[0]):
        place_mover(i, link_poses, links, movers, local, solids)


def place_mover(
    i: int, link_poses: F64, links: I32, movers: I32, local: F64, solids: Solids
) -> None:
    """Write the pose and box of one of them, see `place_movers`."""
    poses, g, link = solids.poses, movers[i], links[i]
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
    # as in `pyrave.world.kernels.placement.place_bounds`
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


def farthest_moved(
    body_poses: F64, begin: int, end: int, placed: int, most: float,
    links: I32, movers: I32, bounds: F64,
) -> float:  # fmt: skip
    """Return the largest displacement of a moving point since it was placed.

    Parameters
    ----------
    body_poses
        (n, links, 4, 4) T_world_link of configurations.
    begin, end, placed
        Configurations, and the one that `place_movers` took the movers to.
    most
        Metres: what is further away need not be known.
    """
    farthest = 0.0
    for i in range(movers.shape[0]):
        g, link = movers[i], links[i]
        was = body_poses[placed, link]
        extent = 0.0
        for r in range(3):
            extent += (bounds[g, 3 + r] - bounds[g, r]) ** 2
        radius = 0.5 * math.sqrt(extent)
        # the centre of the box in the frame of the link
        x = y = z = 0.0
        for r in range(3):
            away = 0.5 * (bounds[g, r] + bounds[g, 3 + r]) - was[r, 3]
            x += was[r, 0] * away
            y += was[r, 1] * away
            z += was[r, 2] * away
        for k in range(begin, end):
            now = body_poses[k, link]
            total = turned = 0.0
            for r in range(3):
                a, b, c = (
                    now[r, 0] - was[r, 0],
                    now[r, 1] - was[r, 1],
                    now[r, 2] - was[r, 2],
                )
                turned += a * a + b * b + c * c
                total += (now[r, 3] - was[r, 3] + a * x + b * y + c * z) ** 2
            # a difference of rotations is twice the sine of half the angle
            way = math.sqrt(total) + radius * math.sqrt(0.5 * turned)
            farthest = max(farthest, way)
            if farthest > most:
                return farthest
    return farthest
