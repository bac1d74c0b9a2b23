"""Overlap test of a triangle mesh and a convex solid.

The tree of the mesh is walked with the solid's box in the frame of the mesh; the
triangles that come into question are tested exactly: against spheres and capsules by
their distance from the core, against boxes by separating axes, against cylinders,
cones and convex hulls by GJK.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave.geometry.kernels.primitives import (
    BOX,
    CAPSULE,
    MESH,
    PLANE,
    SPHERE,
)
from pyrave_collision.kernels.convex.gjk import overlaps
from pyrave_collision.kernels.convex.overlap import TOUCHING
from pyrave_collision.kernels.meshes.bounds import bound_of, leaf_bounds, node_bounds
from pyrave_collision.kernels.meshes.inside import is_inside
from pyrave_collision.kernels.meshes.mesh_mesh import MOVED, rounding
from pyrave_collision.kernels.meshes.mesh_plane import mesh_plane_distance
from pyrave_collision.kernels.meshes.nodes import (
    leaf_against_box,
    moved,
    moved_triangle,
    node_gaps,
    reversed_pose,
    set_query,
    set_way,
)
from pyrave_collision.kernels.meshes.triangle_pairs import (
    POINT,
    SEGMENT,
    simplex_distance,
    triangle_box_overlap,
)
from pyrave_collision.kernels.meshes.walks import DONE, MEETING, walk_tree
from pyrave_collision.kernels.shapes import (
    BEGIN,
    CENTRE,
    END,
    HALF,
    KIND,
    SIZES,
    relative,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_overlap": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("mesh_convex_overlap",)

INFINITY = np.inf
# rows of scratch: the core of a round solid, a triangle in the frame of the solid
CORE, MOVED_TRIANGLE = 0, 1


def mesh_convex_overlap(
    meshes: Meshes, mesh: int, pose_mesh: F64, solid: F64, pose_solid: F64,
    vertices: F64, starts: I32, neighbours: I32, margin: float, scratch: Scratch,
) -> bool:  # fmt: skip
    """Return True if a mesh and a convex solid are within a margin of each other.

    They are if a triangle and the solid, which is full, are, or if the mesh is closed
    and the solid is wholly inside it. What touches is, up to rounding.

    Parameters
    ----------
    meshes, mesh
        The pool and the number of the mesh.
    solid
        (`SHAPE`,) row of the solid as in `pyrave_collision.kernels.shapes`; planes are
        surfaces.
    pose_mesh, pose_solid
        (12 or more,) their poses in one frame, without the last row.
    vertices, starts, neighbours
        Of all hulls, as in `pyrave_collision.kernels.convex.overlap`.
    margin
        Metres, at least 0.
    scratch
        What `SCRATCH` lists.
    """
    frames, closed = meshes[7], meshes[8]
    if int(solid[KIND]) == PLANE:
        most = margin + TOUCHING * frames[mesh, 3]
        found = mesh_plane_distance(
            meshes, mesh, pose_mesh, pose_solid, most, margin, scratch[11], scratch
        )
        return bool(found <= margin)
    poses = scratch[1]
    place_solid(frames, mesh, pose_mesh, pose_solid, poses)
    slack = rounding_of_pair(frames, mesh, pose_mesh, solid, pose_solid)
    if surface_overlaps(
        meshes, mesh, solid, vertices, starts, neighbours, margin, slack, scratch
    ):
        return True
    if not closed[mesh]:
        return False
    x, y, z = inner_point(solid, vertices, poses[0])
    return is_inside(meshes, mesh, x, y, z, scratch[0], scratch[7], scratch[6])


def rounding_of_pair(
    frames: F64, mesh: int, pose_mesh: F64, solid: F64, pose_solid: F64
) -> float:
    """Return the gap by which a mesh and a solid still touch, metres."""
    slack = rounding(frames, mesh, pose_mesh)
    for a in range(3):
        slack += MOVED * abs(pose_solid[4 * a + 3])
        slack += TOUCHING * (abs(solid[CENTRE + a]) + solid[HALF + a])
    return slack


def place_solid(
    frames: F64, mesh: int, pose_mesh: F64, pose_solid: F64, poses: F64
) -> None:
    """Write the poses of a solid in a mesh, in its centred frame, and the inverse."""
    relative(pose_solid, pose_mesh, poses[0])
    reversed_pose(poses[0], poses[1])
    for r in range(3):
        for c in range(4):
            poses[2, 4 * r + c] = poses[0, 4 * r + c]
        poses[2, 4 * r + 3] -= frames[mesh, r]


def inner_point(solid: F64, vertices: F64, pose: F64) -> tuple[float, float, float]:
    """Return a point of a solid in the frame that a pose leads to."""
    x, y, z = 0.0, 0.0, 0.0
    if int(solid[KIND]) == MESH:
        row = 3 * int(solid[BEGIN])
        x, y, z = vertices[row], vertices[row + 1], vertices[row + 2]
    return moved(pose, x, y, z)


def surface_overlaps(
    meshes: Meshes, mesh: int, solid: F64,
    vertices: F64, starts: I32, neighbours: I32,
    margin: float, slack: float, scratch: Scratch,
) -> bool:  # fmt: skip
    """Return True if a triangle of a mesh is within a margin of a solid, up to a slack.

    Poses in `scratch` are as `place_solid` writes them.
    """
    poses, rows, query = scratch[1], scratch[2], scratch[5]
    grown = 0.0 if margin > 0.0 else slack
    set_query(poses[2], solid[CENTRE:], grown, meshes[7][mesh, 3], query)
    set_way(query, 0.0, 0.0, 0.0)
    place_core(solid, poses[0], rows)
    given = (solid, vertices, starts, neighbours, margin, slack)
    if margin > 0.0:
        limit, _ = walk_tree(
            meshes, mesh, bound_of(margin + slack), 0.0,
            node_bounds, visit_overlap, given, scratch,
        )  # fmt: skip
    else:
        limit, _ = walk_tree(
            meshes, mesh, MEETING, 0.0, node_gaps, visit_overlap, given, scratch
        )
    return limit < 0.0


def visit_overlap(
    meshes: Meshes, mesh: int, leaf: int, limit: float, found: int,
    given: tuple[F64, F64, I32, I32, float, float], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """End the walk if a triangle is within a margin of a solid, up to a slack."""
    solid, vertices, starts, neighbours, margin, slack = given
    poses, rows, near, query = scratch[1], scratch[2], scratch[4], scratch[5]
    gaps, simplex = scratch[6], scratch[8]
    if margin > 0.0:
        leaf_bounds(meshes[2], leaf, query, gaps)
    else:
        leaf_against_box(meshes[2], leaf, query, gaps)
    row = meshes[6][mesh, 2] + meshes[3][leaf]
    for k in range(WIDTH):
        if gaps[k] <= limit and triangle_overlaps(
            meshes[4], meshes[5], row + k, solid, vertices, starts, neighbours,
            poses, rows, margin, slack, near, simplex,
        ):  # fmt: skip
            return DONE, 1
    return limit, found


def place_core(solid: F64, pose: F64, rows: F64) -> None:
    """Write the core of a sphere or capsule, one or two points, to row `CORE`."""
    half = solid[SIZES + 1] if int(solid[KIND]) == CAPSULE else 0.0
    for c in range(2):
        x, y, z = moved(pose, 0.0, 0.0, half if c == 1 else -half)
        rows[CORE, 3 * c], rows[CORE, 3 * c + 1], rows[CORE, 3 * c + 2] = x, y, z


def triangle_overlaps(
    corners: F64, flat: F64, row: int, solid: F64,
    vertices: F64, starts: I32, neighbours: I32, poses: F64, rows: F64,
    margin: float, slack: float, near: F64, simplex: F64,
) -> bool:  # fmt: skip
    """Return True if a triangle is within a margin of a solid, up to a slack.

    Parameters
    ----------
    corners, flat, row
        The triangle, in the frame of the mesh; `flat` is the same memory, flat.
    poses
        That of the solid in the mesh, and its inverse.
    rows
        The core of a round solid in row 0; row 1 is scratch.
    near, simplex
        Scratch.
    """
    kind = int(solid[KIND])
    reach = margin + slack
    if kind in (SPHERE, CAPSULE):
        reach += solid[SIZES]
        count = POINT if kind == SPHERE else SEGMENT
        most = simplex_distance(rows, int(CORE), count, corners, row, INFINITY, near)
        return bool(most <= reach * reach)
    if kind == BOX and margin == 0.0:
        moved_triangle(poses[1], corners, row, rows, int(MOVED_TRIANGLE))
        return triangle_box_overlap(
            rows,
            int(MOVED_TRIANGLE),
            solid[SIZES],
            solid[SIZES + 1],
            solid[SIZES + 2],
            slack,
        )
    pose = poses[0]
    return overlaps(
        kind, solid[SIZES], solid[SIZES + 1], solid[SIZES + 2],
        vertices, int(solid[BEGIN]), int(solid[END]),
        MESH, 0.0, 0.0, 0.0, flat, 3 * row, 3 * row + 3, starts, neighbours, pose,
        pose[3] - corners[row, 0], pose[7] - corners[row, 1],
        pose[11] - corners[row, 2], reach, simplex,
    )  # fmt: skip
