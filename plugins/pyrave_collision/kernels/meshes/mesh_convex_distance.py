"""Distance of a triangle mesh and a convex solid, with witness points.

The walk through the tree (`walks.walk_tree`) with a limit that each nearer triangle
lowers.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave.geometry.kernels.primitives import CAPSULE, MESH, PLANE, SPHERE
from pyrave_collision.kernels.convex.gjk import gjk
from pyrave_collision.kernels.convex.simplices import witness
from pyrave_collision.kernels.convex.support import radius_around
from pyrave_collision.kernels.meshes.bounds import leaf_bounds, node_bounds
from pyrave_collision.kernels.meshes.inside import is_inside
from pyrave_collision.kernels.meshes.mesh_convex import (
    CORE,
    inner_point,
    place_core,
    place_solid,
)
from pyrave_collision.kernels.meshes.mesh_plane import mesh_plane_distance
from pyrave_collision.kernels.meshes.nodes import set_query, set_way
from pyrave_collision.kernels.meshes.results import write_nearest
from pyrave_collision.kernels.meshes.triangle_pairs import (
    POINT,
    SEGMENT,
    simplex_distance,
)
from pyrave_collision.kernels.meshes.walks import walk_tree
from pyrave_collision.kernels.shapes import BEGIN, CENTRE, END, KIND, SIZES

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_nearest": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("mesh_convex_distance",)


def mesh_convex_distance(
    meshes: Meshes, mesh: int, pose_mesh: F64, solid: F64, pose_solid: F64,
    vertices: F64, starts: I32, neighbours: I32,
    most: float, enough: float, out: F64, scratch: Scratch,
) -> float:  # fmt: skip
    """Return the distance of a mesh and a convex solid, 0 where they overlap.

    It is not signed: a mesh that is not convex has no depth that a formula gives;
    contacts have the depth of triangles.

    Parameters
    ----------
    meshes, mesh, pose_mesh, solid, pose_solid, vertices, starts, neighbours
        As in `mesh_convex_overlap`.
    most
        Larger distances are of no interest; then this is the result.
    enough
        The search ends once a distance is not larger; it may not be the least.
    out
        (`NEAREST`,) output in the frame of the poses, if the result is below `most`:
        the nearest points of the mesh and of the solid, and the normal from the one to
        the other. Where they overlap both are a point of a triangle, or of the solid if
        it is wholly inside, and the normal is 0.
    scratch
        What `SCRATCH` lists.
    """
    if int(solid[KIND]) == PLANE:
        return mesh_plane_distance(
            meshes, mesh, pose_mesh, pose_solid, most, enough, out, scratch
        )
    poses, near = scratch[1], scratch[4]
    place_solid(meshes[7], mesh, pose_mesh, pose_solid, poses)
    best = surface_distance(
        meshes, mesh, solid, vertices, starts, neighbours, most, enough, near, scratch
    )
    if best > 0.0 and meshes[8][mesh]:
        x, y, z = inner_point(solid, vertices, poses[0])
        if is_inside(meshes, mesh, x, y, z, scratch[0], scratch[7], scratch[6]):
            best = 0.0
            near[0], near[1], near[2] = x, y, z
            near[3], near[4], near[5] = x, y, z
    if best < most:
        write_nearest(pose_mesh, near, out)
    return best


def surface_distance(
    meshes: Meshes, mesh: int, solid: F64,
    vertices: F64, starts: I32, neighbours: I32,
    most: float, enough: float, near: F64, scratch: Scratch,
) -> float:  # fmt: skip
    """Return the distance of a solid and the triangles of a mesh.

    The nearest points are in the frame of the mesh.
    """
    poses, rows, query = scratch[1], scratch[2], scratch[5]
    set_query(poses[2], solid[CENTRE:], 0.0, meshes[7][mesh, 3], query)
    # the centre of the mesh, until there is a nearest point
    set_way(query, -query[0], -query[1], -query[2])
    place_core(solid, poses[0], rows)
    limit, _ = walk_tree(
        meshes, mesh, 4.0 * most * most, 4.0 * enough * enough,
        node_bounds, visit_nearest, (solid, vertices, starts, neighbours, near),
        scratch,
    )  # fmt: skip
    return 0.5 * math.sqrt(limit)


def visit_nearest(
    meshes: Meshes, mesh: int, leaf: int, limit: float, found: int,
    given: tuple[F64, F64, I32, I32, F64], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Lower the limit, four times a square, to the distance of a leaf and a solid."""
    solid, vertices, starts, neighbours, near = given
    poses, rows, pair, query = scratch[1], scratch[2], scratch[3][0], scratch[5]
    bounds, simplex = scratch[6], scratch[8]
    row = meshes[6][mesh, 2] + meshes[3][leaf]
    leaf_bounds(meshes[2], leaf, query, bounds)
    best = before = 0.5 * math.sqrt(limit)
    for k in range(WIDTH):
        if bounds[k] < 4.0 * best * best:
            best = triangle_distance(
                meshes[4], meshes[5], row + k, solid, vertices, starts, neighbours,
                poses, rows, best, pair, near, simplex,
            )  # fmt: skip
    if 0.0 < best < before:
        set_way(query, near[0] - near[3], near[1] - near[4], near[2] - near[5])
    return 4.0 * best * best, found


def triangle_distance(
    corners: F64, flat: F64, row: int, solid: F64,
    vertices: F64, starts: I32, neighbours: I32, poses: F64, rows: F64,
    most: float, pair: F64, near: F64, simplex: F64,
) -> float:  # fmt: skip
    """Return the distance of a triangle and a solid, or `most` if it is not less.

    Parameters
    ----------
    corners, flat, row, poses, rows
        As in `triangle_overlaps`.
    pair, simplex
        Scratch, (6,) and (24,).
    near
        Output, (6,), if the distance is less: the nearest points, of the triangle and
        of the solid, in the frame of the mesh.
    """
    kind = int(solid[KIND])
    radius = radius_around(kind, solid[SIZES])
    limit = most + radius
    if kind in (SPHERE, CAPSULE):
        count = POINT if kind == SPHERE else SEGMENT
        squared = simplex_distance(
            rows, int(CORE), count, corners, row, limit * limit, pair
        )
        apart = math.sqrt(squared)
        if squared >= limit * limit:
            return most
    else:
        pose = poses[0]
        apart, n, vx, vy, vz = gjk(
            kind, solid[SIZES], solid[SIZES + 1], solid[SIZES + 2],
            vertices, int(solid[BEGIN]), int(solid[END]),
            MESH, 0.0, 0.0, 0.0, flat, 3 * row, 3 * row + 3, starts, neighbours, pose,
            pose[3] - corners[row, 0], pose[7] - corners[row, 1],
            pose[11] - corners[row, 2], limit, True, simplex,
        )  # fmt: skip
        if apart >= limit:
            return most
        if apart > 0.0:
            store_witnesses(simplex, n, vx, vy, vz, pair)
        else:
            simplex_distance(rows, int(CORE), int(POINT), corners, row, math.inf, pair)
    if apart <= radius:
        for a in range(3):
            near[a] = near[3 + a] = pair[3 + a]
        return 0.0
    # from the core to the surface
    part = radius / apart
    for a in range(3):
        near[a] = pair[3 + a]
        near[3 + a] = pair[a] + part * (pair[3 + a] - pair[a])
    return apart - radius


def store_witnesses(
    simplex: F64, n: int, vx: float, vy: float, vz: float, pair: F64
) -> None:
    """Write the nearest points of both solids from the simplex that GJK ended with.

    Parameters
    ----------
    simplex, n, vx, vy, vz
        Output of `gjk`.
    pair
        Output, (6,): the points of the first and of the second solid.
    """
    last = n - 1
    x, y, z = witness(simplex, n, min(0, last), min(1, last), min(2, last))
    pair[0], pair[1], pair[2] = x, y, z
    pair[3], pair[4], pair[5] = x - vx, y - vy, z - vz
