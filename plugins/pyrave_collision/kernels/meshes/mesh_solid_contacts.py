"""Contacts of two solids of which at least one is a mesh that is not convex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.meshes.mesh_convex_contacts import mesh_convex_contacts
from pyrave_collision.kernels.meshes.mesh_mesh_contacts import meshes_contacts

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.layout import Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def mesh_contacts(
    a: int, b: int, margin: float, solids: Solids, meshes: Meshes, scratch: Scratch,
    contacts: F64,
) -> int:  # fmt: skip
    """Write the contacts of the solids of two rows; see `contacts.pair_contacts`."""
    poses = solids.poses
    if solids.slots[a] >= 0 and solids.slots[b] >= 0:
        return meshes_contacts(
            meshes, solids.slots[a], poses[a], solids.slots[b], poses[b], contacts,
            scratch,
        )  # fmt: skip
    turned = solids.slots[a] < 0
    if turned:
        a, b = b, a
    count = mesh_convex_contacts(
        meshes, solids.slots[a], poses[a], solids.shapes[b], poses[b],
        solids.vertices, solids.starts, solids.neighbours, margin, contacts, scratch,
    )  # fmt: skip
    if turned:
        for k in range(count):
            for i in range(3):
                contacts[k, 3 + i] = -contacts[k, 3 + i]
    return count
