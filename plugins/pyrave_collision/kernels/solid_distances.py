"""Signed distances of two solids of a packed world, and their nearest points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.convex.distances import DISTANCE_SCRATCH, convex_distance
from pyrave_collision.kernels.meshes.mesh_solid_distances import mesh_distance

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.layout import Scratch, Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

SCRATCH = DISTANCE_SCRATCH
"""Numbers that tests of pairs write on."""


def solids_distance(
    a: int, b: int, limit: float,
    solids: Solids, meshes: Meshes, scratch: Scratch, mesh_scratch: MeshScratch,
    out: F64,
) -> float:  # fmt: skip
    """Return the signed distance of the solids of two rows, metres.

    Parameters
    ----------
    limit
        Distances beyond are of no interest; the result is then not less than it.
    out
        (9,) output, if the distance is below the limit: the nearest, or deepest, points
        of both, and the unit normal from the first to the second, in the world. The
        normal is 0 for meshes that overlap, whose distance is 0.
    """
    if solids.slots[a] >= 0 or solids.slots[b] >= 0:
        return mesh_distance(a, b, limit, solids, meshes, mesh_scratch, out)
    return convex_distance(
        solids.shapes[a], solids.poses[a], solids.shapes[b], solids.poses[b],
        solids.vertices, solids.starts, solids.neighbours, limit, scratch.pair, out,
    )  # fmt: skip
