"""Distances of two solids of which at least one is a mesh that is not convex."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.meshes.mesh_convex_distance import mesh_convex_distance
from pyrave_collision.kernels.meshes.mesh_mesh_distance import meshes_distance

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.layout import Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def mesh_distance(
    a: int, b: int, limit: float, solids: Solids, meshes: Meshes, scratch: Scratch,
    out: F64,
) -> float:  # fmt: skip
    """Return the distance of the solids of two rows; see `solids_distance`."""
    poses = solids.poses
    if solids.slots[a] >= 0 and solids.slots[b] >= 0:
        return meshes_distance(
            meshes, solids.slots[a], poses[a], solids.slots[b], poses[b], limit, 0.0,
            out, scratch,
        )  # fmt: skip
    turned = solids.slots[a] < 0
    if turned:
        a, b = b, a
    distance = mesh_convex_distance(
        meshes, solids.slots[a], poses[a], solids.shapes[b], poses[b],
        solids.vertices, solids.starts, solids.neighbours, limit, 0.0, out, scratch,
    )  # fmt: skip
    if turned:
        turn_round(out)
    return distance


def turn_round(out: F64) -> None:
    """Exchange the first and the second solid."""
    for i in range(3):
        out[i], out[3 + i] = out[3 + i], out[i]
        out[6 + i] = -out[6 + i]
