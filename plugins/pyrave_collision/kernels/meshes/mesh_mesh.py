"""Overlap test of two triangle meshes.

The walk over pairs of nodes (`walks.walk_pairs`) ends with the first two triangles that
are found to touch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.convex.overlap import TOUCHING
from pyrave_collision.kernels.meshes.bounds import bound_of, leaf_bounds, node_bounds
from pyrave_collision.kernels.meshes.inside import is_inside
from pyrave_collision.kernels.meshes.nodes import (
    ROUNDING,
    leaf_against_box,
    leaf_against_triangle,
    moved,
    moved_triangle,
    node_gaps,
    not_above,
    reversed_pose,
    set_way,
)
from pyrave_collision.kernels.meshes.triangle_pairs import (
    TRIANGLE,
    simplex_distance,
    triangles_overlap,
)
from pyrave_collision.kernels.meshes.walks import DONE, MEETING, walk_pairs
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "no_aim": {"forceinline": True},
    "visit_overlap": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("meshes_overlap",)

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
    set_way(scratch[5], 0.0, 0.0, 0.0)
    given = (margin, slack)
    if margin > 0.0:
        limit, _ = walk_pairs(
            meshes, a, b, 0.0, bound_of(margin + slack), 0.0,
            node_bounds, no_aim, visit_overlap, given, scratch,
        )  # fmt: skip
    else:
        limit, _ = walk_pairs(
            meshes, a, b, slack, MEETING, 0.0,
            node_gaps, no_aim, visit_overlap, given, scratch,
        )  # fmt: skip
    return limit < 0.0


def no_aim(_query: F32, _side: int, _scratch: Scratch) -> None:
    """Leave a query without a way."""


def visit_overlap(
    meshes: Meshes, a: int, leaf_a: int, b: int, leaf_b: int, limit: float, found: int,
    given: tuple[float, float], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """End the walk if triangles of two leaves are within a margin, up to a slack."""
    margin, slack = given
    groups, corners = meshes[2], meshes[4]
    poses, rows, query, gaps = scratch[1], scratch[2], scratch[5], scratch[6]
    if margin > 0.0:
        leaf_bounds(groups, leaf_a, query, gaps)
    else:
        leaf_against_box(groups, leaf_a, query, gaps)
    near_ones = not_above(gaps, limit)
    row = meshes[6][a, 2] + meshes[3][leaf_a]
    for k in range(WIDTH):
        if near_ones >> k & 1:
            moved_triangle(poses[0], corners, row + k, rows, int(OTHER))
            if leaf_overlaps(meshes, b, leaf_b, margin, slack, scratch):
                return DONE, 1
    return limit, found


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
