"""How far two triangle meshes are apart, and where.

Branch and bound over pairs of nodes, as in `mesh_convex_distance`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.bounds import (
    leaf_bounds,
    node_bounds,
    push_nearest,
    triangle_bounds,
)
from pyrave_collision.kernels.mesh_mesh import (
    ROOT,
    box_at,
    contains_a_part,
    extent,
    link_at,
    load_leaf,
)
from pyrave_collision.kernels.nodes import (
    INFINITY,
    ROUNDING,
    centred_pose,
    moved,
    reversed_pose,
    set_query,
    set_way,
)
from pyrave_collision.kernels.results import write_nearest
from pyrave_collision.kernels.shapes import relative
from pyrave_collision.kernels.triangle_pairs import TRIANGLE, simplex_distance

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64
    from pyrave_collision.kernels.meshes import Meshes, Scratch

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = (
    "leaves_distance",
    "meshes_distance",
    "set_way_back",
    "surfaces_distance",
)
JIT_ENTRIES = {"meshes_distance": ("distances of meshes", 10)}


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
    stack, poses, rows, boxes, _, query, bounds, single, _, floors, _, _ = scratch
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
            near_ones = 0
            for k in range(WIDTH):
                if bounds[k] < 4.0 * best:
                    near_ones |= 1 << k
            if near_ones == 0:
                continue
            row = begins[a, 2] + firsts[leaf]
            load_leaf(groups, leaf, corners, row, poses[0], rows)
            leaf = begins[b, 1] + ~link_b
            set_way(query, x, y, z)
            found = leaves_distance(
                rows, near_ones, frames[b], groups, leaf, corners,
                begins[b, 2] + firsts[leaf], best, near, query, bounds, single,
            )  # fmt: skip
            if 0.0 < found < best:
                x, y, z = near[3] - near[0], near[4] - near[1], near[5] - near[2]
            best = found
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


def leaves_distance(
    rows: F64, near_ones: int, frame: F64,
    groups: F32, leaf: int, corners: F64, row: int,
    most: float, near: F64, query: F32, bounds: F32, single: F32,
) -> float:  # fmt: skip
    """Return the squared distance of some triangles from those of a leaf.

    Parameters
    ----------
    rows, near_ones, frame
        The triangles, of which the bits say which ones come into question, in the frame
        of the leaf's mesh, which has its centre in `frame`.
    leaf, row
        The leaf and its first triangle.
    query
        Of which the way counts, from the triangles to the leaf.
    most
        What is not less is of no interest, and then the result.
    near
        Output, (6,), if the distance is less: the nearest points.
    """
    best = most
    for i in range(WIDTH):
        if not near_ones >> i & 1:
            continue
        scale = np.float64(0.0)
        for c in range(9):
            single[c] = rows[i, c] - frame[c % 3]
            scale = max(scale, abs(rows[i, c] - frame[c % 3]))
        allowance = np.float32(ROUNDING * (scale + frame[3]))
        triangle_bounds(groups, leaf, single, query, allowance, bounds)
        while True:
            first = 0
            for k in range(1, WIDTH):
                # nan, of slots without a triangle, is not less
                if bounds[k] < bounds[first]:
                    first = k
            if not bounds[first] < best:
                break
            bounds[first] = INFINITY
            best = simplex_distance(
                rows, i, int(TRIANGLE), corners, row + first, best, near
            )
    return best
