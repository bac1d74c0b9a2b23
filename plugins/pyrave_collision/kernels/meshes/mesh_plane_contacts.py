"""Contact of a triangle mesh and an infinite plane."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.meshes.mesh_plane import mesh_plane_distance, place_plane
from pyrave_collision.kernels.meshes.nodes import moved
from pyrave_collision.kernels.meshes.walks import walk_tree

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_farthest": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("mesh_plane_contact",)

INFINITY = np.float32(np.inf)
HALF = np.float32(0.5)
NO_TRIANGLE = -1.0


def mesh_plane_contact(
    meshes: Meshes, mesh: int, pose_mesh: F64, pose_plane: F64, margin: float,
    contacts: F64, scratch: Scratch,
) -> int:  # fmt: skip
    """Write the deepest contact of a mesh and a plane; return 1, or 0 if there is none.

    Parameters
    ----------
    meshes, mesh, pose_mesh, pose_plane
        As in `mesh_plane_distance`.
    margin
        Metres, at least 0: they may be so far apart; the depth is negative then.
    contacts
        (m, `CONTACT`) output in the frame of the poses, m at least 1; the first row.
        Depth: the shorter way for the whole mesh to be on one side. Position: midway
        between its vertex that is deepest and the plane. Normal: out of the mesh. It
        names no triangle.
    scratch
        What `SCRATCH` lists.
    """
    near, contact, nearest = scratch[4], contacts[0], scratch[11]
    gap = mesh_plane_distance(
        meshes, mesh, pose_mesh, pose_plane, math.inf, 0.0, nearest, scratch
    )
    if gap > margin:
        return 0
    if gap > 0.0:
        for a in range(3):
            contact[a] = 0.5 * (nearest[a] + nearest[3 + a])
            contact[3 + a] = nearest[6 + a]
        contact[6], contact[7] = -gap, NO_TRIANGLE
        return 1
    above = farthest(meshes, mesh, pose_mesh, pose_plane, 1.0, scratch)
    side, depth = 1.0, above
    x, y, z = near[0], near[1], near[2]
    below = farthest(meshes, mesh, pose_mesh, pose_plane, -1.0, scratch)
    if below <= above:
        side, depth = -1.0, below
        x, y, z = near[0], near[1], near[2]
    contact[0], contact[1], contact[2] = moved(pose_mesh, x, y, z)
    for a in range(3):
        normal = side * pose_plane[4 * a + 2]
        contact[a] -= 0.5 * depth * normal
        contact[3 + a] = normal
    contact[6], contact[7] = depth, NO_TRIANGLE
    return 1


def farthest(
    meshes: Meshes, mesh: int, pose_mesh: F64, pose_plane: F64, side: float,
    scratch: Scratch,
) -> float:  # fmt: skip
    """Return the extent of a mesh on one side of a plane, 1 above or -1 below.

    The vertex, in the frame of the mesh, is left in front in the fifth array of
    scratch.
    """
    pose, query = scratch[1][0], scratch[5]
    place_plane(meshes[7], mesh, pose_mesh, pose_plane, pose, query)
    for a in range(4):
        query[a] = side * query[a]
    # what is least is minus the height
    least, _ = walk_tree(
        meshes, mesh, math.inf, -math.inf, depths, visit_farthest, (side,), scratch
    )
    return -least


def visit_farthest(
    meshes: Meshes, mesh: int, leaf: int, limit: float, found: int,
    given: tuple[float], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Lower the limit to minus the height of the highest vertex of a leaf."""
    (side,) = given
    corners, near, pose = meshes[4], scratch[4], scratch[1][0]
    row = meshes[6][mesh, 2] + meshes[3][leaf]
    for k in range(WIDTH):
        if not meshes[2][leaf, 9, k] >= 0.0:
            break
        for c in range(0, 9, 3):
            x, y, z = (
                corners[row + k, c],
                corners[row + k, c + 1],
                corners[row + k, c + 2],
            )
            height = pose[8] * x + pose[9] * y + pose[10] * z + pose[11]
            if -side * height < limit:
                limit = -side * height
                near[0], near[1], near[2] = x, y, z
    return limit, found


def depths(planes: F32, node: int, query: F32, bounds: F32) -> None:
    """Write minus how high the children of a node reach at most over a plane.

    Parameters
    ----------
    query
        As `place_plane` writes it.
    bounds
        Output, (8,): inf for unused slots.
    """
    x, y, z, height = query[0], query[1], query[2], query[3]
    allowance = query[4]
    for k in range(planes.shape[2]):
        x0, x1 = planes[node, 0, k], planes[node, 3, k]
        y0, y1 = planes[node, 1, k], planes[node, 4, k]
        z0, z1 = planes[node, 2, k], planes[node, 5, k]
        at = x * (x0 + x1) + y * (y0 + y1) + z * (z0 + z1) + height + height
        reach = abs(x) * (x1 - x0) + abs(y) * (y1 - y0) + abs(z) * (z1 - z0)
        bounds[k] = -HALF * (at + reach) - allowance if x0 <= x1 else INFINITY
