"""Penetration depth of two solids of which at least one is not convex.

The way out of such a mesh has no formula. What stands for it grows with the way that
one is pushed into the other, wherever it begins to touch: the depth of the deepest
single triangle, and of two meshes that of the deepest vertex as well. Triangles alone
do not tell of two meshes, which are never deeper in each other than they are large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.meshes.inside import is_inside
from pyrave_collision.kernels.meshes.mesh_convex_contacts import contact_inside
from pyrave_collision.kernels.meshes.mesh_solid_contacts import mesh_contacts
from pyrave_collision.kernels.meshes.mesh_solid_distances import mesh_distance
from pyrave_collision.kernels.meshes.nodes import moved
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.layout import Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def mesh_depth(
    a: int, b: int, limit: float, solids: Solids, meshes: Meshes, scratch: Scratch,
    contacts: F64, near: F64,
) -> float:  # fmt: skip
    """Return the depth of the solids of two rows, minus their distance if apart.

    Parameters
    ----------
    limit
        Distances beyond are of no interest.
    contacts, near
        Scratch, (1, `CONTACT`) and (`NEAREST`,).
    """
    distance = mesh_distance(a, b, limit, solids, meshes, scratch, near)
    if distance > 0.0:
        return -distance
    depth = 0.0
    if mesh_contacts(a, b, 0.0, solids, meshes, scratch, contacts) > 0:
        depth = max(depth, contacts[0, 6])
    if solids.slots[a] >= 0 and solids.slots[b] >= 0:
        depth = max(depth, deepest_vertex(a, b, solids, meshes, scratch))
        depth = max(depth, deepest_vertex(b, a, solids, meshes, scratch))
    return depth


def deepest_vertex(
    inner: int, outer: int, solids: Solids, meshes: Meshes, scratch: Scratch
) -> float:
    """Return the depth of a mesh's deepest vertex in a closed one, 0 if none is."""
    corners, begins = meshes[4], meshes[6]
    mesh, other = solids.slots[inner], solids.slots[outer]
    if not meshes[8][other]:
        return 0.0
    pose, box = solids.poses[inner], solids.bounds[outer]
    between, contact, depth = scratch[1][3], scratch[10], 0.0
    relative(pose, solids.poses[outer], between)
    last = begins[mesh + 1, 2] if mesh + 1 < begins.shape[0] else corners.shape[0]
    for row in range(begins[mesh, 2], last):
        for c in range(0, 9, 3):
            u, v, w = corners[row, c], corners[row, c + 1], corners[row, c + 2]
            x, y, z = moved(pose, u, v, w)
            if not (
                box[0] <= x <= box[3]
                and box[1] <= y <= box[4]
                and box[2] <= z <= box[5]
            ):
                continue
            x, y, z = moved(between, u, v, w)
            if is_inside(meshes, other, x, y, z, scratch[0], scratch[7], scratch[6]):
                contact_inside(meshes, other, x, y, z, scratch)
                depth = max(depth, contact[6])
    return depth
