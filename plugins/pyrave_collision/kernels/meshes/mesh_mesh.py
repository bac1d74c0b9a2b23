"""Overlap test of two triangle meshes.

Both trees are walked at once: of a pair of nodes the larger one gives way to its
children (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section 5),
whose boxes are compared with the other one along the axes of both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import LINKS, WIDTH
from pyrave_collision.kernels.convex.overlap import TOUCHING
from pyrave_collision.kernels.meshes.bounds import leaf_margins, node_margins
from pyrave_collision.kernels.meshes.inside import is_inside
from pyrave_collision.kernels.meshes.nodes import (
    ROUNDING,
    box_of_child,
    box_of_root,
    centred_pose,
    leaf_against_box,
    leaf_against_triangle,
    moved,
    moved_triangle,
    node_gaps,
    not_above,
    reversed_pose,
    set_query,
    set_way,
)
from pyrave_collision.kernels.meshes.triangle_pairs import (
    TRIANGLE,
    simplex_distance,
    triangles_overlap,
)
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = (
    "box_at",
    "contains_a_part",
    "extent",
    "gaps_of_triangle",
    "leaf_overlaps",
    "link_at",
    "meshes_overlap",
    "push",
    "rounding",
    "surfaces_overlap",
)
JIT_ENTRIES = ("meshes_overlap",)

ROOT = -1
# row of scratch: a triangle in the frame of the other mesh
OTHER = 0
# rounding of poses and of centres, in units of the coordinates
MOVED = 2.0**-46


def meshes_overlap(
    meshes: Meshes, a: int, pose_a: F64, b: int, pose_b: F64, margin: float,
    scratch: Scratch,
) -> bool:  # fmt: skip
    """Return True if two meshes are within a margin of each other.

    They are if triangles are, or if one mesh is closed and a part of the other one is
    wholly inside it. What touches is, up to rounding.

    Parameters
    ----------
    meshes
        The pool.
    a, b
        Numbers of the meshes.
    pose_a, pose_b
        (12 or more,) their poses in one frame, without the last row.
    margin
        Metres, at least 0.
    scratch
        What `SCRATCH` lists.
    """
    frames, closed = meshes[7], meshes[8]
    poses = scratch[1]
    relative(pose_a, pose_b, poses[0])
    reversed_pose(poses[0], poses[1])
    slack = rounding(frames, a, pose_a) + rounding(frames, b, pose_b)
    if surfaces_overlap(meshes, a, b, margin, slack, scratch):
        return True
    if closed[b] and contains_a_part(meshes, b, a, poses[0], scratch):
        return True
    return closed[a] != 0 and contains_a_part(meshes, a, b, poses[1], scratch)


def rounding(frames: F64, mesh: int, pose: F64) -> float:
    """Return the gap by which a mesh still touches something, metres."""
    place = 0.0
    for r in range(3):
        place += abs(frames[mesh, r]) + abs(pose[4 * r + 3])
    return float(TOUCHING * frames[mesh, 3] + MOVED * place)


def contains_a_part(
    meshes: Meshes, outer: int, inner: int, pose: F64, scratch: Scratch
) -> bool:
    """Return True if a connected part of a mesh has a vertex inside a closed one.

    Parameters
    ----------
    outer, inner
        Numbers of the closed mesh and of the other one.
    pose
        (12,) of the inner one in the outer one.
    scratch
        What `SCRATCH` lists; the vertex, in the frame of the outer mesh, is left in
        front in the first box.
    """
    frames, points, begins = meshes[7], meshes[9], meshes[10]
    found = scratch[3][0]
    x, y, z = moved(pose, frames[inner, 0], frames[inner, 1], frames[inner, 2])
    x, y, z = x - frames[outer, 0], y - frames[outer, 1], z - frames[outer, 2]
    # half the diagonal of the inner one's cube, a little more
    if max(abs(x), abs(y), abs(z)) > 1.01 * frames[outer, 3] + 1.75 * frames[inner, 3]:
        return False
    for k in range(begins[inner], begins[inner + 1]):
        x, y, z = moved(pose, points[k, 0], points[k, 1], points[k, 2])
        found[0], found[1], found[2] = x, y, z
        if is_inside(meshes, outer, x, y, z, scratch[0], scratch[7], scratch[6]):
            return True
    return False


def surfaces_overlap(
    meshes: Meshes, a: int, b: int, margin: float, slack: float, scratch: Scratch
) -> bool:
    """Return True if triangles of two meshes are within a margin, up to a slack.

    The first two rows of the poses in `scratch` are that of a in b, and its inverse.
    """
    planes, links, groups, firsts, corners, _, begins, frames, _, _, _ = meshes
    stack, poses, rows, boxes, _, query, gaps, _, _, _, _, _ = scratch
    centred_pose(poses[0], frames[b], frames[a], poses[2])
    centred_pose(poses[1], frames[a], frames[b], poses[3])
    reach = margin + slack
    grown = 0.0 if margin > 0.0 else slack
    set_way(query, 0.0, 0.0, 0.0)
    stack[0], stack[1] = ROOT, ROOT
    top = 2
    while top > 0:
        top -= 2
        u, v = stack[top], stack[top + 1]
        link_a, link_b = link_at(links, u), link_at(links, v)
        box_at(planes, begins[b, 0], v, boxes[1])
        if link_a < 0 and link_b < 0:
            set_query(poses[3], boxes[1], grown, frames[a, 3], query)
            leaf = begins[a, 1] + ~link_a
            if margin > 0.0:
                leaf_margins(groups, leaf, query, reach, gaps)
            else:
                leaf_against_box(groups, leaf, query, gaps)
            row = begins[a, 2] + firsts[leaf]
            leaf = begins[b, 1] + ~link_b
            near_ones = not_above(gaps, 0.0)
            for k in range(WIDTH):
                if near_ones >> k & 1:
                    moved_triangle(poses[0], corners, row + k, rows, int(OTHER))
                    if leaf_overlaps(meshes, b, leaf, margin, slack, scratch):
                        return True
            continue
        box_at(planes, begins[a, 0], u, boxes[0])
        if link_b < 0 or (link_a >= 0 and extent(boxes[0]) >= extent(boxes[1])):
            node, other, side = begins[a, 0] + link_a, v, 0
            set_query(poses[3], boxes[1], grown, frames[a, 3], query)
        else:
            node, other, side = begins[b, 0] + link_b, u, 1
            set_query(poses[2], boxes[0], grown, frames[b, 3], query)
        if margin > 0.0:
            node_margins(planes, node, query, reach, gaps)
        else:
            node_gaps(planes, node, query, gaps)
        top = push(gaps, WIDTH * node, other, side, stack, top)
    return False


def link_at(links: I32, child: int) -> int:
    """Return the link of child k of a node, 8 node + k, or that of a root."""
    if child == ROOT:
        return 0
    row = WIDTH * WIDTH * (child // WIDTH) + WIDTH * LINKS
    return int(links[row + child % WIDTH])


def box_at(planes: F32, root: int, child: int, box: F64) -> None:
    """Write the box of a child or of a root."""
    if child == ROOT:
        box_of_root(planes, root, box)
    else:
        box_of_child(planes, child // WIDTH, child % WIDTH, box)


def extent(box: F64) -> float:
    """Return half the sum of a box's edges."""
    return float(box[3] + box[4] + box[5])


def push(gaps: F32, first: int, other: int, side: int, stack: I64, top: int) -> int:
    """Push pairs of nodes that may overlap, that with the deepest overlap last.

    Parameters
    ----------
    first, other, side
        Child 0 of the node that gave way; the other node of the pairs; the column of
        the children.
    """
    deepest, gap = top, np.float32(0.0)
    for k in range(WIDTH):
        if gaps[k] <= 0.0:
            stack[top + side] = first + k
            stack[top + 1 - side] = other
            if gaps[k] <= gap:
                deepest, gap = top, gaps[k]
            top += 2
    if top > deepest:
        child = stack[deepest + side]
        stack[deepest + side] = stack[top - 2 + side]
        stack[top - 2 + side] = child
    return top


def leaf_overlaps(
    meshes: Meshes, mesh: int, leaf: int, margin: float, slack: float, scratch: Scratch
) -> bool:
    """Return True if a triangle is within a margin of one of a leaf, up to a slack.

    The triangle is row `OTHER` in `scratch`, in the frame of the leaf's mesh.
    """
    groups, firsts, corners, begins, frames = (
        meshes[2], meshes[3], meshes[4], meshes[6], meshes[7],
    )  # fmt: skip
    rows, near, gaps = scratch[2], scratch[4], scratch[6]
    reach = margin + slack
    gaps_of_triangle(groups, leaf, frames[mesh], rows, reach, scratch[7], gaps)
    row = begins[mesh, 2] + firsts[leaf]
    most = reach * reach
    for k in range(WIDTH):
        if not gaps[k] <= 0.0:
            continue
        if margin == 0.0:
            if triangles_overlap(rows, int(OTHER), corners, row + k, slack, near):
                return True
            continue
        squared = simplex_distance(
            rows, int(OTHER), int(TRIANGLE), corners, row + k, most, near
        )
        if squared < most:
            return True
    return False


def gaps_of_triangle(
    groups: F32, leaf: int, frame: F64, rows: F64, reach: float, single: F32, gaps: F32
) -> None:
    """Find the triangles of a leaf that may be within reach of row `OTHER`.

    Parameters
    ----------
    frame
        (4,) of the leaf's mesh.
    reach
        Metres.
    single
        Scratch, (9,).
    gaps
        Output, as of `leaf_against_triangle`.
    """
    scale = frame[3]
    for c in range(9):
        x = rows[OTHER, c] - frame[c % 3]
        single[c] = x
        scale = max(scale, abs(x))
    leaf_against_triangle(
        groups, leaf, single, np.float32(ROUNDING * scale + reach), gaps
    )
