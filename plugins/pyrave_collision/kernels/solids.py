"""Two solids of a packed world: convex ones by GJK, meshes by their trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.convex.overlap import convex_overlap
from pyrave_collision.kernels.meshes.mesh_solids import mesh_overlap

if TYPE_CHECKING:
    from pyrave_collision.kernels.layout import Scratch, Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def solids_overlap(
    a: int, b: int, margin: float,
    solids: Solids, meshes: Meshes, scratch: Scratch, mesh_scratch: MeshScratch,
) -> bool:  # fmt: skip
    """Return True if the solids of two rows are within a margin of each other."""
    if solids.slots[a] >= 0 or solids.slots[b] >= 0:
        return mesh_overlap(a, b, margin, solids, meshes, mesh_scratch)
    return convex_overlap(
        solids.shapes[a], solids.poses[a], solids.shapes[b], solids.poses[b],
        solids.vertices, solids.starts, solids.neighbours, margin, scratch.pair,
    )  # fmt: skip
