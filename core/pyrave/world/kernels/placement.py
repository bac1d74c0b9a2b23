"""Kernels that keep the poses of a packed world."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.jit.bundles import f64_2, f64_3, i32_1

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_3, I32, I64_2

SPHERE = 3
CYLINDER = 4
CAPSULE = 5
CONE = 6

# where it is true, the solids of a body are placed in whole arrays
INTERPRETED = True


def place_row(world: I64_2, body: int, poses: F64_3) -> bool:
    """Do what `place_body` does, and return whether there is a pose for each link.

    Parameters
    ----------
    world
        Bundle of `first_link`, `n_links`, `first_geometry` and `n_geometries` of
        bodies, `poses` of links, and of solids `link`, `kind`, `sizes`, `centre`,
        `T_link_geometry`, `poses` and `bounds`.
    body
        Row of the body.
    poses
        (n, 4, 4) of its links.
    """
    if poses.shape != (i32_1(world, 1)[body], 4, 4):
        return False
    first = i32_1(world, 2)[body]
    place_body(
        poses, i32_1(world, 0)[body], first, first + i32_1(world, 3)[body],
        f64_3(world, 4), i32_1(world, 5), i32_1(world, 6), f64_2(world, 7),
        f64_2(world, 8), f64_3(world, 9), f64_3(world, 10), f64_2(world, 11),
    )  # fmt: skip
    return True


def place_body(
    poses: F64, first_link: int, first: int, last: int,
    link_poses: F64, links: I32, kinds: I32, sizes: F64, centres: F64,
    local: F64, geometry_poses: F64, bounds: F64,
) -> None:  # fmt: skip
    """Write the poses of a body's links and solids, and the boxes of the latter.

    Parameters
    ----------
    poses
        (n, 4, 4) of the body's links.
    first_link
        Row of its base.
    first, last
        Rows of its solids, the last one excluded.
    link_poses, links, kinds, sizes, centres, local, geometry_poses, bounds
        Columns of the packed world.
    """
    if INTERPRETED:
        link_poses[first_link : first_link + len(poses)] = poses
        here = slice(first, last)
        placed = geometry_poses[here]
        within = link_poses[links[here]]
        r, t = within[:, :3, :, None], local[here]
        placed[:, :3] = (r[:, :, 0] * t[:, None, 0] + r[:, :, 1] * t[:, None, 1]) + r[
            :, :, 2
        ] * t[:, None, 2]
        placed[:, :3, 3] += within[:, :3, 3]
        placed[:, 3] = 0.0, 0.0, 0.0, 1.0
        bound_all(kinds[here], sizes[here], centres[here], placed, bounds[here])
        return
    for i in range(len(poses)):
        for row in range(4):
            for column in range(4):
                link_poses[first_link + i, row, column] = poses[i, row, column]
    for g in range(first, last):
        link = links[g]
        for row in range(3):
            r0 = link_poses[link, row, 0]
            r1 = link_poses[link, row, 1]
            r2 = link_poses[link, row, 2]
            for column in range(4):
                geometry_poses[g, row, column] = (
                    r0 * local[g, 0, column]
                    + r1 * local[g, 1, column]
                    + r2 * local[g, 2, column]
                )
            geometry_poses[g, row, 3] += link_poses[link, row, 3]
            geometry_poses[g, 3, row] = 0.0
        geometry_poses[g, 3, 3] = 1.0
        place_bounds(g, kinds, sizes, centres, geometry_poses, bounds)


def place_bounds(
    g: int, kinds: I32, sizes: F64, centres: F64, poses: F64, bounds: F64
) -> None:
    """Write the box of a solid along the world's axes; exact for primitives."""
    kind = kinds[g]
    a, b, c = sizes[g, 0], sizes[g, 1], sizes[g, 2]
    for row in range(3):
        r0, r1, r2 = poses[g, row, 0], poses[g, row, 1], poses[g, row, 2]
        middle = (
            r0 * centres[g, 0]
            + r1 * centres[g, 1]
            + r2 * centres[g, 2]
            + poses[g, row, 3]
        )
        # along a row r of the rotation a box reaches |r|.h (J. Arvo, in Graphics Gems,
        # 1990), a disc of radius a across its z axis a sqrt(1 - r_z^2)
        axis = abs(r2)
        if kind == SPHERE:
            half = a
        elif kind == CAPSULE:
            half = axis * b + a
        elif kind == CYLINDER:
            half = axis * b + a * math.sqrt(max(1.0 - axis * axis, 0.0))
        elif kind == CONE:
            half = axis * c + max(a, b) * math.sqrt(max(1.0 - axis * axis, 0.0))
        else:
            half = abs(r0) * a + abs(r1) * b + axis * c
        bounds[g, row] = middle - half
        bounds[g, 3 + row] = middle + half


def bound_all(kinds: I32, sizes: F64, centres: F64, poses: F64, bounds: F64) -> None:
    """Do what `place_bounds` does for all n solids that are given."""
    r0, r1, r2 = poses[:, :3, 0], poses[:, :3, 1], poses[:, :3, 2]
    c0, c1, c2 = centres[:, 0, None], centres[:, 1, None], centres[:, 2, None]
    middle = r0 * c0 + r1 * c1 + r2 * c2 + poses[:, :3, 3]
    a, b, c = sizes[:, 0, None], sizes[:, 1, None], sizes[:, 2, None]
    axis = np.abs(r2)
    half = np.abs(r0) * a + np.abs(r1) * b + axis * c
    kind = kinds[:, None]
    if ((kinds >= SPHERE) & (kinds <= CONE)).any():
        aside = np.sqrt(np.maximum(1.0 - axis * axis, 0.0))
        half = np.where(kind == SPHERE, a, half)
        half = np.where(kind == CAPSULE, axis * b + a, half)
        half = np.where(kind == CYLINDER, axis * b + a * aside, half)
        half = np.where(kind == CONE, axis * c + np.maximum(a, b) * aside, half)
    bounds[:, :3] = middle - half
    bounds[:, 3:] = middle + half


def place_batch(
    poses: F64, first_link: int, first: int, last: int,
    link_poses: F64, links: I32, kinds: I32, sizes: F64, centres: F64,
    local: F64, geometry_poses: F64, bounds: F64,
) -> None:  # fmt: skip
    """Do what `place_body` does for (k, n, 4, 4) poses and as many worlds."""
    for k in range(len(poses)):
        place_body(
            poses[k], first_link, first, last, link_poses[k], links, kinds, sizes,
            centres, local, geometry_poses[k], bounds[k],
        )  # fmt: skip
