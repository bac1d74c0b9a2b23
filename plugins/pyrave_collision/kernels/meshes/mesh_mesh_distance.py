"""Distance of two triangle meshes, with witness points.

The walk over pairs of nodes (`walks.walk_pairs`) with a limit that each nearer pair of
triangles lowers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.meshes.bounds import (
    leaf_bounds,
    node_bounds,
    triangle_bounds,
)
from pyrave_collision.kernels.meshes.mesh_mesh import OTHER, contains_a_part
from pyrave_collision.kernels.meshes.nodes import (
    INFINITY,
    ROUNDING,
    centred_pose,
    moved,
    moved_triangle,
    not_above,
    reversed_pose,
    set_way,
)
from pyrave_collision.kernels.meshes.results import write_nearest
from pyrave_collision.kernels.meshes.triangle_pairs import TRIANGLE, simplex_distance
from pyrave_collision.kernels.meshes.walks import walk_pairs
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_nearest": {"forceinline": True},
    "aim_at_other": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("meshes_distance",)


def meshes_distance(
    meshes: Meshes, a: int, pose_a: F64, b: int, pose_b: F64,
    most: float, enough: float, out: F64, scratch: Scratch,
) -> float:  # fmt: skip
    """Return the distance of two meshes, 0 where they overlap.

    It is not signed, as in `mesh_convex_distance`.

    Parameters
    ----------
    meshes, a, pose_a, b, pose_b
        As in `meshes_overlap`.
    most
        Larger distances are of no interest; then this is the result.
    enough
        The search ends once a distance is not larger; it may not be the least.
    out
        (`NEAREST`,) output in the frame of the poses, if the result is below `most`:
        the nearest points of a and of b, and the normal from the one to the other.
        Where triangles overlap both are a point of both; where one mesh is wholly
        inside the other, a vertex of the inner one; and the normal is 0.
    scratch
        What `SCRATCH` lists.
    """
    closed = meshes[8]
    poses, near = scratch[1], scratch[4]
    relative(pose_a, pose_b, poses[0])
    reversed_pose(poses[0], poses[1])
    best = surfaces_distance(meshes, a, b, most, enough, near, scratch)
    inner = scratch[3][0]
    if best > 0.0 and closed[b] and contains_a_part(meshes, b, a, poses[0], scratch):
        best = 0.0
        for c in range(6):
            near[c] = inner[c % 3]
    if best > 0.0 and closed[a] and contains_a_part(meshes, a, b, poses[1], scratch):
        best = 0.0
        x, y, z = moved(poses[0], inner[0], inner[1], inner[2])
        near[0], near[1], near[2] = x, y, z
        near[3], near[4], near[5] = x, y, z
    if best < most:
        write_nearest(pose_b, near, out)
    return best


def surfaces_distance(
    meshes: Meshes, a: int, b: int, most: float, enough: float, near: F64,
    scratch: Scratch,
) -> float:  # fmt: skip
    """Return the distance of the triangles of two meshes.

    Poses in `scratch` are that of a in b, and its inverse; the nearest points are in
    the frame of b.
    """
    poses, frames = scratch[1], meshes[7]
    centred_pose(poses[0], frames[b], frames[a], poses[2])
    # from a to b: of the centres, until there are nearest points
    keep_way(-poses[2, 3], -poses[2, 7], -poses[2, 11], scratch)
    limit, _ = walk_pairs(
        meshes, a, b, 0.0, 4.0 * most * most, 4.0 * enough * enough,
        node_bounds, aim_at_other, visit_nearest, (near,), scratch,
    )  # fmt: skip
    return 0.5 * math.sqrt(limit)


def visit_nearest(
    meshes: Meshes, a: int, leaf_a: int, b: int, leaf_b: int, limit: float, found: int,
    given: tuple[F64], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Lower the limit, four times a square, to the distance of two leaves."""
    (near,) = given
    groups, corners, ways = meshes[2], meshes[4], scratch[8]
    poses, rows, query, bounds = scratch[1], scratch[2], scratch[5], scratch[6]
    leaf_bounds(groups, leaf_a, query, bounds)
    near_ones = not_above(bounds, limit)
    row = meshes[6][a, 2] + meshes[3][leaf_a]
    set_way(query, ways[3], ways[4], ways[5])
    best = before = 0.25 * limit
    for k in range(WIDTH):
        if near_ones >> k & 1:
            moved_triangle(poses[0], corners, row + k, rows, int(OTHER))
            best = leaf_distance(meshes, b, leaf_b, best, near, scratch)
    if 0.0 < best < before:
        keep_way(near[3] - near[0], near[4] - near[1], near[5] - near[2], scratch)
    return 4.0 * best, found


def keep_way(x: float, y: float, z: float, scratch: Scratch) -> None:
    """Keep the ways of queries along a vector from a to b, in the frame of b.

    The way from the box of b to a, in the frame of a, and that from a to b.
    """
    # of b in a
    pose, ways = scratch[1][1], scratch[8]
    for r in range(3):
        ways[r] = -(pose[4 * r] * x + pose[4 * r + 1] * y + pose[4 * r + 2] * z)
    ways[3], ways[4], ways[5] = x, y, z


def aim_at_other(query: F32, side: int, scratch: Scratch) -> None:
    """Set the way of a query, as `keep_way` has it for each side."""
    ways = scratch[8]
    set_way(query, ways[3 * side], ways[3 * side + 1], ways[3 * side + 2])


def leaf_distance(
    meshes: Meshes, mesh: int, leaf: int, most: float, near: F64, scratch: Scratch
) -> float:
    """Return the squared distance of a triangle from those of a leaf.

    The triangle is row `OTHER` in `scratch`, in the frame of the leaf's mesh, and the
    way of the query in `scratch` is from the triangle to the leaf.

    Parameters
    ----------
    most
        What is not less is of no interest, and then the result.
    near
        Output, (6,), if the distance is less: the nearest points.
    """
    groups, firsts, corners, begins = meshes[2], meshes[3], meshes[4], meshes[6]
    rows, query, bounds, single = scratch[2], scratch[5], scratch[6], scratch[7]
    frame = meshes[7][mesh]
    scale = frame[3]
    for c in range(9):
        x = rows[OTHER, c] - frame[c % 3]
        single[c] = x
        scale = max(scale, abs(x))
    allowance = np.float32(ROUNDING * scale)
    triangle_bounds(groups, leaf, single, query, allowance, bounds)
    row = begins[mesh, 2] + firsts[leaf]
    best = most
    while True:
        first = 0
        for k in range(1, WIDTH):
            # nan, of slots without a triangle, is not less
            if bounds[k] < bounds[first]:
                first = k
        if not bounds[first] < best:
            return best
        bounds[first] = INFINITY
        best = simplex_distance(
            rows, int(OTHER), int(TRIANGLE), corners, row + first, best, near
        )
