"""Nearest points of all pairs of a moving body that are near each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.candidates import boxes_near, columns_of, near_rows
from pyrave_collision.kernels.layout import (
    carried_of,
    mesh_scratch_of,
    meshes_of,
    scratch_of,
    selection_of,
    solids_of,
    tree_of,
)
from pyrave_collision.kernels.movers import place_movers
from pyrave_collision.kernels.solid_distances import solids_distance

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_2, F64_3, I64_2
    from pyrave_collision.kernels.layout import Scratch, Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

JIT_ENTRIES = ("near_points",)
JIT_NO_ARRAYS = ("near_points", "note_near")

_RESULT = 8
"""Row of the scratch columns that distances are written on."""


def near_points(
    world: I64_2, selection: I64_2, carried: I64_2, link_poses: F64_3, margin: float,
    found: F64_2,
) -> bool:  # fmt: skip
    """Write the nearest points of pairs of solids within a margin of each other.

    Poses and boxes of what moves are overwritten in the world.

    Parameters
    ----------
    link_poses
        (n, 4, 4) T_world_link.
    found
        (m, 12) output: rows of both solids, distance, a point of each, and the unit
        normal from the first to the second. The row behind the last is -1.

    Returns
    -------
    bool
        Whether there was room for all.
    """
    solids, meshes, scratch = solids_of(world), meshes_of(world), scratch_of(world)
    meshed, body = mesh_scratch_of(world), carried_of(carried)
    chosen = selection_of(selection)
    place_movers(link_poses, body.links, body.rows, body.local, solids)
    count = 0
    for p in range(chosen.pairs.shape[0]):
        a, b = chosen.pairs[p, 0], chosen.pairs[p, 1]
        if boxes_near(solids.bounds, a, b, margin):
            count = note_near(
                a, b, margin, solids, meshes, scratch, meshed, found, count
            )
    if chosen.first.shape[0] > 0:
        tree = tree_of(world)
        columns = columns_of(chosen, tree, scratch, solids.bounds)
        for k in range(chosen.first.shape[0]):
            a = chosen.first[k]
            near = near_rows(
                chosen, tree, scratch, solids.bounds, a, margin, columns, -1
            )
            for j in range(near):
                count = note_near(
                    a, scratch.near[j], margin, solids, meshes, scratch, meshed, found,
                    count,
                )  # fmt: skip
    if count < found.shape[0]:
        found[count, 0] = -1.0
    return bool(count <= found.shape[0])


def note_near(
    a: int, b: int, margin: float,
    solids: Solids, meshes: Meshes, scratch: Scratch, meshed: MeshScratch,
    found: F64, count: int,
) -> int:  # fmt: skip
    """Write one pair if it is near; return how many there are."""
    points = scratch.columns[_RESULT]
    distance = solids_distance(a, b, margin, solids, meshes, scratch, meshed, points)
    if not distance < margin:
        return count
    if count < found.shape[0]:
        found[count, 0], found[count, 1], found[count, 2] = a, b, distance
        for i in range(9):
            found[count, 3 + i] = points[i]
    return count + 1
