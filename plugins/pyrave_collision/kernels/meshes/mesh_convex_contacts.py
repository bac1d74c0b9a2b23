"""Contacts of a triangle mesh and a convex solid.

Each triangle that the solid meets makes a contact, as if it were alone: depth and
normal are the shortest way that parts the two (EPA, see `penetration`). The way out of
the whole mesh has no such formula; the deepest of these contacts is what stands for it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave.geometry.kernels.primitives import MESH, PLANE, SPHERE
from pyrave_collision.kernels.convex.gjk import gjk
from pyrave_collision.kernels.convex.penetration import penetration
from pyrave_collision.kernels.convex.simplices import witness
from pyrave_collision.kernels.convex.support import radius_around
from pyrave_collision.kernels.meshes.inside import is_inside
from pyrave_collision.kernels.meshes.mesh_convex import (
    inner_point,
    place_solid,
    rounding_of_pair,
)
from pyrave_collision.kernels.meshes.mesh_convex_distance import surface_distance
from pyrave_collision.kernels.meshes.mesh_plane_contacts import mesh_plane_contact
from pyrave_collision.kernels.meshes.nodes import leaf_against_box, node_gaps, set_query
from pyrave_collision.kernels.meshes.results import keep_contact, move_contacts
from pyrave_collision.kernels.meshes.walks import MEETING, walk_tree
from pyrave_collision.kernels.shapes import (
    BEGIN,
    CENTRE,
    END,
    KIND,
    RADIUS,
    SHAPE,
    SIZES,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_contacts": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("mesh_convex_contacts",)

# below it, as a part of the size of both, a distance has no direction
TOUCHING = 1e-10
NO_TRIANGLE = -1.0


def mesh_convex_contacts(
    meshes: Meshes, mesh: int, pose_mesh: F64, solid: F64, pose_solid: F64,
    vertices: F64, starts: I32, neighbours: I32, margin: float,
    contacts: F64, scratch: Scratch,
) -> int:  # fmt: skip
    """Write the deepest contacts of a mesh and a convex solid; return how many.

    Parameters
    ----------
    meshes, mesh, pose_mesh, solid, pose_solid, vertices, starts, neighbours
        As in `mesh_convex_overlap`.
    margin
        Metres, at least 0: contacts may be so far apart. Their depth is negative then.
    contacts
        (m, `CONTACT`) output in the frame of the poses, m at least 1, deepest first.
        Position: midway between the points of triangle and solid that are deepest in
        each other. Normal: out of the mesh. Depth: metres, exact to the tolerance of
        `penetration`. A solid wholly inside a closed mesh has one contact: an inner
        point, the way to the nearest triangle, and how far that is. For planes see
        `mesh_plane_contact`.
    scratch
        What `SCRATCH` lists.
    """
    if int(solid[KIND]) == PLANE:
        return mesh_plane_contact(
            meshes, mesh, pose_mesh, pose_solid, margin, contacts, scratch
        )
    poses = scratch[1]
    place_solid(meshes[7], mesh, pose_mesh, pose_solid, poses)
    slack = rounding_of_pair(meshes[7], mesh, pose_mesh, solid, pose_solid)
    count = surface_contacts(
        meshes, mesh, solid, vertices, starts, neighbours, margin + slack, contacts,
        scratch,
    )  # fmt: skip
    if count == 0 and meshes[8][mesh]:
        x, y, z = inner_point(solid, vertices, poses[0])
        if is_inside(meshes, mesh, x, y, z, scratch[0], scratch[7], scratch[6]):
            contact_inside(meshes, mesh, x, y, z, scratch)
            count = keep_contact(contacts, count, scratch[10])
    move_contacts(pose_mesh, contacts, count)
    return count


def surface_contacts(
    meshes: Meshes, mesh: int, solid: F64,
    vertices: F64, starts: I32, neighbours: I32, margin: float,
    contacts: F64, scratch: Scratch,
) -> int:  # fmt: skip
    """Write the contacts of a solid and single triangles, in the frame of the mesh.

    Poses in `scratch` are as `place_solid` writes them.
    """
    poses, query = scratch[1], scratch[5]
    set_query(poses[2], solid[CENTRE:], margin, meshes[7][mesh, 3], query)
    given = (solid, vertices, starts, neighbours, margin, contacts)
    _, count = walk_tree(
        meshes, mesh, MEETING, 0.0, node_gaps, visit_contacts, given, scratch
    )
    return count


def visit_contacts(
    meshes: Meshes, mesh: int, leaf: int, limit: float, count: int,
    given: tuple[F64, F64, I32, I32, float, F64], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Write the contacts of a solid and the triangles of a leaf."""
    solid, vertices, starts, neighbours, margin, contacts = given
    poses, query, gaps = scratch[1], scratch[5], scratch[6]
    polytope, contact = scratch[8], scratch[10]
    leaf_against_box(meshes[2], leaf, query, gaps)
    first = meshes[3][leaf]
    for k in range(WIDTH):
        if gaps[k] <= limit and triangle_contact(
            meshes[4], meshes[5], meshes[6][mesh, 2] + first + k, solid,
            vertices, starts, neighbours, poses[0], margin, polytope, contact,
        ):  # fmt: skip
            contact[7] = first + k
            count = keep_contact(contacts, count, contact)
    return limit, count


def triangle_contact(
    corners: F64, flat: F64, row: int, solid: F64,
    vertices: F64, starts: I32, neighbours: I32, pose: F64,
    margin: float, polytope: F64, contact: F64,
) -> bool:  # fmt: skip
    """Return True if a triangle and a solid are in contact, and write it.

    Parameters
    ----------
    corners, flat, row
        As in `triangle_overlaps`.
    pose
        (12,) of the solid in the mesh.
    margin
        Metres that they may be apart.
    polytope
        (`POLYTOPE`,) scratch.
    contact
        (`CONTACT`,) output, frame of the mesh.
    """
    kind = int(solid[KIND])
    radius = radius_around(kind, solid[SIZES])
    dx, dy, dz = (
        pose[3] - corners[row, 0],
        pose[7] - corners[row, 1],
        pose[11] - corners[row, 2],
    )
    distance, n, x, y, z = gjk(
        kind, solid[SIZES], solid[SIZES + 1], solid[SIZES + 2],
        vertices, int(solid[BEGIN]), int(solid[END]),
        MESH, 0.0, 0.0, 0.0, flat, 3 * row, 3 * row + 3, starts, neighbours, pose,
        dx, dy, dz, margin + radius, True, polytope,
    )  # fmt: skip
    if distance > margin + radius:
        return False
    size = solid[RADIUS]
    for a in range(3):
        size += abs(corners[row, 3 + a] - corners[row, a])
        size += abs(corners[row, 6 + a] - corners[row, a])
    if distance > TOUCHING * size:
        nx, ny, nz = x / distance, y / distance, z / distance
        last = n - 1
        x, y, z = witness(polytope, n, min(0, last), min(1, last), min(2, last))
        depth = radius - distance
    else:
        depth, nx, ny, nz, x, y, z = penetration(
            kind, solid[SIZES], solid[SIZES + 1], solid[SIZES + 2],
            vertices, int(solid[BEGIN]), int(solid[END]),
            MESH, 0.0, 0.0, 0.0, flat, 3 * row, 3 * row + 3, starts, neighbours, pose,
            dx, dy, dz, n, size, polytope,
        )  # fmt: skip
        # out of the solid
        nx, ny, nz = -nx, -ny, -nz
        depth += radius
    # from the core to the solid's surface, and half the way back
    back = 0.5 * depth - radius
    contact[0], contact[1], contact[2] = x + back * nx, y + back * ny, z + back * nz
    contact[3], contact[4], contact[5] = nx, ny, nz
    contact[6] = depth
    return True


def contact_inside(
    meshes: Meshes, mesh: int, x: float, y: float, z: float, scratch: Scratch
) -> None:
    """Write the contact of a point inside a closed mesh, in the frame of the mesh.

    It goes from the point to the nearest triangle. Poses in `scratch` are lost.
    """
    poses, near, contact, point = scratch[1], scratch[4], scratch[10], scratch[11]
    for a in range(SHAPE):
        point[a] = 0.0
    point[KIND] = SPHERE
    for r in range(3):
        for c in range(3):
            poses[0, 4 * r + c] = poses[2, 4 * r + c] = 1.0 if r == c else 0.0
        place = x if r == 0 else (y if r == 1 else z)
        poses[0, 4 * r + 3] = place
        poses[2, 4 * r + 3] = place - meshes[7][mesh, r]
    # a point has no vertices
    depth = surface_distance(
        meshes, mesh, point, meshes[5], meshes[10], meshes[10], math.inf, 0.0, near,
        scratch,
    )  # fmt: skip
    scale = 1.0 / depth if depth > 0.0 else 0.0
    for a in range(3):
        contact[a] = 0.5 * (near[a] + near[3 + a])
        contact[3 + a] = scale * (near[a] - near[3 + a])
    contact[6], contact[7] = depth, NO_TRIANGLE
