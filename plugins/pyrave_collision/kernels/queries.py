"""Queries about the solids of a packed world: any contact, all pairs, configurations.

What worlds and selections are is said in `layout`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave_collision.kernels.candidates import (
    boxes_near,
    columns_of,
    group_size,
    near_group,
    near_rows,
)
from pyrave_collision.kernels.layout import (
    mesh_scratch_of,
    meshes_of,
    scratch_of,
    selection_of,
    solids_of,
    tree_of,
)
from pyrave_collision.kernels.movers import farthest_moved, place_movers
from pyrave_collision.kernels.solids import solids_overlap
from pyrave_collision.kernels.touching_pairs import is_allowed

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F64_2,
        F64_4,
        I32,
        I32_1,
        I32_2,
        I64,
        I64_2,
        U8_1,
    )
    from pyrave_collision.kernels.layout import Scratch, Selection, Solids, Tree
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

JIT_ENTRIES = ("any_contact", "all_contacts", "configurations")
JIT_NO_ARRAYS = ("*",)

_MIN_BLOCK, _MAX_BLOCK = 8, 64
"""Configurations that are looked at together."""
_FARTHEST = 0.05
"""Metres that a point moves between them at most."""
_ROUNDING = 1e-6


def any_contact(world: I64_2, selection: I64_2, margin: float) -> bool:
    """Return True if any pair of a selection is within a margin (m) of each other."""
    return touches(
        world, selection, selection_of(selection), margin, solids_of(world),
        meshes_of(world), tree_of(world), scratch_of(world), mesh_scratch_of(world),
    )  # fmt: skip


def touches(
    world: I64, selection: I64, select: Selection, margin: float,
    solids: Solids, meshes: Meshes, tree: Tree, scratch: Scratch, meshed: MeshScratch,
) -> bool:  # fmt: skip
    """Return True if any pair is within a margin of each other.

    Those that may touch count if they are too deep.
    """
    for p in range(select.pairs.shape[0]):
        a, b = select.pairs[p, 0], select.pairs[p, 1]
        if (
            boxes_near(solids.bounds, a, b, margin)
            and solids_overlap(a, b, margin, solids, meshes, scratch, meshed)
            and not is_allowed(world, selection, a, b, margin)
        ):
            return True
    if select.first.shape[0] == 0:
        return False
    count = columns_of(select, tree, scratch, solids.bounds)
    size, met = group_size(select), 0
    for k in range(select.first.shape[0]):
        a, bounds = select.first[k], solids.bounds
        if k % size == 0:
            met = near_group(select, tree, scratch, bounds, k, margin, count)
        found = near_rows(select, tree, scratch, bounds, a, margin, count, met)
        for j in range(found):
            b = scratch.near[j]
            if solids_overlap(
                a, b, margin, solids, meshes, scratch, meshed
            ) and not is_allowed(world, selection, a, b, margin):
                return True
    return False


def all_contacts(
    world: I64_2, selection: I64_2, margin: float, found: I32_2, counts: I32_1
) -> None:
    """Write all pairs that are within a margin of each other.

    Parameters
    ----------
    found
        Output, (m, 2) rows; those beyond m are only counted.
    counts
        Output, (2,): pairs that collide, and pairs that were tested.
    """
    solids, meshes, tree = solids_of(world), meshes_of(world), tree_of(world)
    select, scratch = selection_of(selection), scratch_of(world)
    meshed = mesh_scratch_of(world)
    counts[0] = counts[1] = 0
    for p in range(select.pairs.shape[0]):
        a, b = select.pairs[p, 0], select.pairs[p, 1]
        if boxes_near(solids.bounds, a, b, margin):
            note(a, b, margin, solids, meshes, scratch, meshed, found, counts)
    if select.first.shape[0] == 0:
        return
    count = columns_of(select, tree, scratch, solids.bounds)
    size, met = group_size(select), 0
    for k in range(select.first.shape[0]):
        a, bounds = select.first[k], solids.bounds
        if k % size == 0:
            met = near_group(select, tree, scratch, bounds, k, margin, count)
        near = near_rows(select, tree, scratch, bounds, a, margin, count, met)
        for j in range(near):
            b = scratch.near[j]
            note(a, b, margin, solids, meshes, scratch, meshed, found, counts)


def note(
    a: int, b: int, margin: float,
    solids: Solids, meshes: Meshes, scratch: Scratch, meshed: MeshScratch,
    found: I32, counts: I32,
) -> None:  # fmt: skip
    """Test a pair, and add it to those that collide if it does."""
    counts[1] += 1
    if solids_overlap(a, b, margin, solids, meshes, scratch, meshed):
        if counts[0] < found.shape[0]:
            found[counts[0], 0], found[counts[0], 1] = a, b
        counts[0] += 1


def configurations(
    world: I64_2, selection: I64_2, margin: float, begin: int, end: int,
    body_poses: F64_4, links: I32_1, movers: I32_1, local: F64_2, hits: U8_1,
) -> None:  # fmt: skip
    """Write the mask of configurations that collide.

    Neighbours that are near each other are looked at together: all are free if nothing
    is as near to the middle one as both solids of a pair move.

    Parameters
    ----------
    world
        Poses and boxes of what moves are overwritten.
    begin, end
        Configurations.
    body_poses
        (n, links, 4, 4) T_world_link of the body that moves.
    links, movers, local
        See `place_movers`.
    hits
        Output, (n,).
    """
    solids, meshes, tree = solids_of(world), meshes_of(world), tree_of(world)
    select, scratch = selection_of(selection), scratch_of(world)
    meshed = mesh_scratch_of(world)
    k, block = begin, _MIN_BLOCK
    while k < end:
        last = min(k + block, end)
        middle = (k + last) // 2
        place_movers(body_poses[middle], links, movers, local, solids)
        moved = farthest_moved(
            body_poses, k, last, middle, _FARTHEST, links, movers, solids.bounds
        )
        near = moved > _FARTHEST or touches(
            world, selection, select, margin + 2.0 * moved + _ROUNDING,
            solids, meshes, tree, scratch, meshed,
        )  # fmt: skip
        if near and block > _MIN_BLOCK:
            block //= 2
            continue
        for n in range(k, last):
            hits[n] = False
            if near:
                place_movers(body_poses[n], links, movers, local, solids)
                hits[n] = touches(
                    world, selection, select, margin, solids, meshes, tree, scratch,
                    meshed,
                )  # fmt: skip
        k = last
        block = block if near else min(2 * block, _MAX_BLOCK)
