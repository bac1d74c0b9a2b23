"""Contacts of two solids of a packed world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.convex.distances import convex_distance
from pyrave_collision.kernels.layout import (
    mesh_scratch_of,
    meshes_of,
    scratch_of,
    solids_of,
)
from pyrave_collision.kernels.meshes.mesh_solid_contacts import mesh_contacts

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64_1, F64_2, I64_2

JIT_ENTRIES = ("pair_contacts",)
JIT_NO_ARRAYS = ("*",)


def pair_contacts(
    world: I64_2, a: int, b: int, margin: float, contacts: F64_2, out: F64_1
) -> int:
    """Write the deepest contacts of the solids of two rows; return how many.

    Parameters
    ----------
    margin
        Metres that they may be apart, unless both are meshes.
    contacts
        (m, `CONTACT`) output, deepest first: position midway between the deepest
        points, unit normal out of the first solid, depth. Convex solids have one, and
        meshes one of each pair of triangles.
    out
        (9,) scratch.
    """
    solids, meshes = solids_of(world), meshes_of(world)
    if solids.slots[a] >= 0 or solids.slots[b] >= 0:
        return mesh_contacts(
            a, b, margin, solids, meshes, mesh_scratch_of(world), contacts
        )
    distance = convex_distance(
        solids.shapes[a], solids.poses[a], solids.shapes[b], solids.poses[b],
        solids.vertices, solids.starts, solids.neighbours, margin + 1.0,
        scratch_of(world).pair, out,
    )  # fmt: skip
    for i in range(3):
        contacts[0, i] = 0.5 * (out[i] + out[3 + i])
        contacts[0, 3 + i] = out[6 + i]
    contacts[0, 6] = -distance
    return 1
