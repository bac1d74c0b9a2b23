"""Two solids of which at least one is a mesh that is not convex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.meshes.mesh_convex import mesh_convex_overlap
from pyrave_collision.kernels.meshes.mesh_mesh import meshes_overlap

if TYPE_CHECKING:
    from pyrave_collision.kernels.layout import Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def mesh_overlap(
    a: int, b: int, margin: float, solids: Solids, meshes: Meshes, scratch: Scratch
) -> bool:
    """Return True if the solids of two rows are within a margin of each other."""
    poses = solids.poses
    if solids.slots[a] >= 0 and solids.slots[b] >= 0:
        return meshes_overlap(
            meshes, solids.slots[a], poses[a], solids.slots[b], poses[b], margin,
            scratch,
        )  # fmt: skip
    if solids.slots[a] < 0:
        a, b = b, a
    return mesh_convex_overlap(
        meshes, solids.slots[a], poses[a], solids.shapes[b], poses[b],
        solids.vertices, solids.starts, solids.neighbours, margin, scratch,
    )  # fmt: skip
