"""A triangle mesh and an endless plane, the surface z = 0 of its frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.meshes.mesh_mesh import MOVED, rounding
from pyrave_collision.kernels.meshes.results import write_nearest
from pyrave_collision.kernels.meshes.walks import walk_tree
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_nearest": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("mesh_plane_distance",)

INFINITY = np.float32(np.inf)
HALF = np.float32(0.5)
ROUNDING = 2.0**-19


def mesh_plane_distance(
    meshes: Meshes, mesh: int, pose_mesh: F64, pose_plane: F64,
    most: float, enough: float, out: F64, scratch: Scratch,
) -> float:  # fmt: skip
    """Return the distance of a mesh and a plane, metres; 0 where they touch.

    Parameters
    ----------
    meshes, mesh
        The pool and the number of the mesh.
    pose_mesh, pose_plane
        (12 or more,) their poses in one frame, without the last row.
    most
        Larger distances are of no interest; then this is the result.
    enough
        The search ends once a distance is not larger.
    out
        (`NEAREST`,) output in the frame of the poses, if the result is below `most`:
        the nearest points of the mesh and of the plane, and the normal from the one to
        the other, 0 where they touch.
    scratch
        What `SCRATCH` lists.
    """
    near, pose = scratch[4], scratch[1][0]
    slack = place_plane(meshes[7], mesh, pose_mesh, pose_plane, pose, scratch[5])
    best, _ = walk_tree(
        meshes, mesh, most, enough, plane_gaps, visit_nearest, (slack,), scratch
    )
    if best < most:
        write_nearest(pose_mesh, near, out)
    return best


def visit_nearest(
    meshes: Meshes, mesh: int, leaf: int, limit: float, found: int,
    given: tuple[float], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Lower the limit to the distance of a leaf and a plane."""
    (slack,) = given
    near, pose = scratch[4], scratch[1][0]
    row = meshes[6][mesh, 2] + meshes[3][leaf]
    for k in range(WIDTH):
        if meshes[2][leaf, 9, k] >= 0.0:
            limit = triangle_gap(meshes[4], row + k, pose, slack, limit, near)
    return limit, found


def place_plane(
    frames: F64, mesh: int, pose_mesh: F64, pose_plane: F64, pose: F64, query: F32
) -> float:
    """Return the gap by which a mesh still touches a plane, metres.

    Parameters
    ----------
    pose
        Output, (12,): of the mesh in the plane.
    query
        Output: unit normal; height of the mesh's centre over the plane; allowance for
        rounding.
    """
    relative(pose_mesh, pose_plane, pose)
    slack = rounding(frames, mesh, pose_mesh)
    for a in range(3):
        slack += MOVED * abs(pose_plane[4 * a + 3])
    height = pose[11]
    for a in range(3):
        query[a] = pose[8 + a]
        height += pose[8 + a] * frames[mesh, a]
    query[3] = height
    query[4] = ROUNDING * (frames[mesh, 3] + abs(height)) + slack
    return slack


def plane_gaps(planes: F32, node: int, query: F32, gaps: F32) -> None:
    """Write lower bounds of the distances of a node's children from a plane.

    Parameters
    ----------
    query
        As `place_plane` writes it.
    gaps
        Output, (8,): negative where the plane goes through, inf for unused slots.
    """
    x, y, z, height = query[0], query[1], query[2], query[3]
    allowance = query[4]
    for k in range(planes.shape[2]):
        x0, x1 = planes[node, 0, k], planes[node, 3, k]
        y0, y1 = planes[node, 1, k], planes[node, 4, k]
        z0, z1 = planes[node, 2, k], planes[node, 5, k]
        at = x * (x0 + x1) + y * (y0 + y1) + z * (z0 + z1) + height + height
        reach = abs(x) * (x1 - x0) + abs(y) * (y1 - y0) + abs(z) * (z1 - z0)
        # for unused slots all of that is nan
        gaps[k] = HALF * (abs(at) - reach) - allowance if x0 <= x1 else INFINITY


def triangle_gap(
    corners: F64, row: int, pose: F64, slack: float, most: float, near: F64
) -> float:
    """Return the distance of a triangle and a plane, or `most` if it is not less.

    Parameters
    ----------
    pose
        (12,) of the mesh in the plane.
    slack
        Metres by which a triangle still touches.
    near
        Output, (6,), if the distance is less: the nearest points, frame of the mesh.
    """
    low, high, lowest, highest = np.inf, -np.inf, 0, 0
    for c in range(0, 9, 3):
        x, y, z = corners[row, c], corners[row, c + 1], corners[row, c + 2]
        height = pose[8] * x + pose[9] * y + pose[10] * z + pose[11]
        if height < low:
            low, lowest = height, c
        if height > high:
            high, highest = height, c
    crosses = low <= slack and high >= -slack
    gap = 0.0 if crosses else max(low, -high)
    if gap < most:
        part = min(max(low / (low - high), 0.0), 1.0) if low < high else 0.0
        if not crosses:
            part = 0.0 if low > 0.0 else 1.0
        at = low + part * (high - low)
        for a in range(3):
            start = corners[row, lowest + a]
            near[a] = start + part * (corners[row, highest + a] - start)
            near[3 + a] = near[a] - at * pose[8 + a]
    return min(gap, most)
