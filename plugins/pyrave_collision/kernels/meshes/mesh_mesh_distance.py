"""Distance of two triangle meshes, with witness points.

Branch and bound over pairs of nodes, as in `mesh_convex_distance`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.meshes.bounds import (
    leaf_bounds,
    node_bounds,
    push_nearest,
    triangle_bounds,
)
from pyrave_collision.kernels.meshes.mesh_mesh import (
    OTHER,
    ROOT,
    box_at,
    contains_a_part,
    extent,
    link_at,
)
from pyrave_collision.kernels.meshes.nodes import (
    INFINITY,
    ROUNDING,
    centred_pose,
    moved,
    moved_triangle,
    not_above,
    reversed_pose,
    set_query,
    set_way,
)
from pyrave_collision.kernels.meshes.results import write_nearest
from pyrave_collision.kernels.meshes.triangle_pairs import TRIANGLE, simplex_distance
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = (
    "leaf_distance",
    "meshes_distance",
    "set_way_back",
    "surfaces_distance",
)
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
    planes, links, groups, firsts, corners, _, begins, frames, _, _, _ = meshes
    stack, poses, rows, boxes, _, query, bounds, _, _, floors, _, _ = scratch
    centred_pose(poses[0], frames[b], frames[a], poses[2])
    centred_pose(poses[1], frames[a], frames[b], poses[3])
    # from a to b: of the centres, until there are nearest points
    x, y, z = -poses[2, 3], -poses[2, 7], -poses[2, 11]
    best = most * most
    least = enough * enough
    stack[0], stack[1], floors[0] = ROOT, ROOT, query[0] - query[0]
    top = 1
    while top > 0 and best > least:
        top -= 1
        if not floors[top] < 4.0 * best:
            continue
        u, v = stack[2 * top], stack[2 * top + 1]
        link_a, link_b = link_at(links, u), link_at(links, v)
        box_at(planes, begins[b, 0], v, boxes[1])
        set_query(poses[3], boxes[1], 0.0, frames[a, 3], query)
        set_way_back(poses[3], x, y, z, query)
        if link_a < 0 and link_b < 0:
            leaf = begins[a, 1] + ~link_a
            leaf_bounds(groups, leaf, query, bounds)
            near_ones = not_above(bounds, 4.0 * best)
            row = begins[a, 2] + firsts[leaf]
            leaf = begins[b, 1] + ~link_b
            set_way(query, x, y, z)
            before = best
            for k in range(WIDTH):
                if near_ones >> k & 1:
                    moved_triangle(poses[0], corners, row + k, rows, int(OTHER))
                    best = leaf_distance(meshes, b, leaf, best, near, scratch)
            if 0.0 < best < before:
                x, y, z = near[3] - near[0], near[4] - near[1], near[5] - near[2]
            continue
        box_at(planes, begins[a, 0], u, boxes[0])
        if link_b < 0 or (link_a >= 0 and extent(boxes[0]) >= extent(boxes[1])):
            node, other, side = begins[a, 0] + link_a, v, 0
        else:
            node, other, side = begins[b, 0] + link_b, u, 1
            set_query(poses[2], boxes[0], 0.0, frames[b, 3], query)
            set_way(query, x, y, z)
        node_bounds(planes, node, query, bounds)
        top = push_nearest(
            bounds, WIDTH * node, other, side, 4.0 * best, stack, floors, top
        )
    return math.sqrt(best)


def set_way_back(pose: F64, x: float, y: float, z: float, query: F32) -> None:
    """Write the way from the box of b to a, of the vector from a to b.

    Parameters
    ----------
    pose
        (12,) of b in a.
    x, y, z
        The vector, in the frame of b.
    """
    set_way(
        query,
        -(pose[0] * x + pose[1] * y + pose[2] * z),
        -(pose[4] * x + pose[5] * y + pose[6] * z),
        -(pose[8] * x + pose[9] * y + pose[10] * z),
    )


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
