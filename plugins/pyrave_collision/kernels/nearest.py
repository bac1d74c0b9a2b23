"""The nearest pair of solids of a packed world.

Bounds of all pairs come from boxes along the axes of the world; the pair with the least
one is measured first, so that few of the others have to be.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import LINKS, UNUSED, WIDTH
from pyrave_collision.kernels.candidates import columns_of, leaves_near
from pyrave_collision.kernels.layout import (
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
    from pyrave.jit.arrays import F64, I32, I64
    from pyrave_collision.kernels.layout import Scratch, Selection, Solids, Tree
    from pyrave_collision.kernels.meshes import Meshes
    from pyrave_collision.kernels.meshes import Scratch as MeshScratch

JIT_ENTRIES = {
    "nearest_pair": ("smallest distances", 12),
    "configuration_distances": ("distances of configurations", 12),
}
JIT_NO_ARRAYS = (
    "nearest_pair",
    "configuration_distances",
    "nearest",
    "measure",
    "box_bound",
    "nearest_leaf",
    "is_spared",
)

FOUND = 10
"""Numbers of a result: those of `solids_distance`, and the distance."""
DISTANCE = 9


def nearest_pair(
    world: I64, selection: I64, spared: I32, limit: float, out: F64, pair: I32
) -> None:
    """Write the least signed distance of a selection, and of which pair it is.

    Parameters
    ----------
    spared
        (s, 2) pairs of rows that do not count.
    limit
        Distances beyond are of no interest, metres.
    out
        (`FOUND`,) output: see `solids_distance`; the last number is the distance, or
        the limit if there is none below.
    pair
        (2,) output, -1 if there is none.
    """
    nearest(
        selection_of(selection), spared, limit, solids_of(world), meshes_of(world),
        tree_of(world), scratch_of(world), mesh_scratch_of(world), out, pair,
    )  # fmt: skip


def configuration_distances(
    world: I64, selection: I64, begin: int, end: int,
    body_poses: F64, links: I32, movers: I32, local: F64, spared: I32, limit: float,
    found: F64, pairs: I32,
) -> None:  # fmt: skip
    """Do what `nearest_pair` does for many configurations.

    Parameters
    ----------
    begin, end, body_poses, links, movers, local
        As in `pyrave_collision.kernels.queries.configurations`.
    found, pairs
        Output, (n, `FOUND`) and (n, 2).
    """
    solids, meshes, tree = solids_of(world), meshes_of(world), tree_of(world)
    select, scratch = selection_of(selection), scratch_of(world)
    meshed = mesh_scratch_of(world)
    for k in range(begin, end):
        place_movers(body_poses[k], links, movers, local, solids)
        nearest(
            select, spared, limit, solids, meshes, tree, scratch, meshed, found[k],
            pairs[k],
        )  # fmt: skip


def nearest(
    select: Selection, spared: I32, limit: float,
    solids: Solids, meshes: Meshes, tree: Tree, scratch: Scratch, meshed: MeshScratch,
    out: F64, pair: I32,
) -> None:  # fmt: skip
    """Write the nearest pair."""
    out[DISTANCE] = limit
    pair[0] = pair[1] = -1
    bounds = solids.bounds
    count = 0
    if select.first.shape[0] > 0:
        count = columns_of(select, tree, scratch, bounds)
    least, a, b = math.inf, -1, -1
    for p in range(select.pairs.shape[0]):
        bound = box_bound(bounds, select.pairs[p, 0], select.pairs[p, 1])
        if bound < least:
            least, a, b = bound, select.pairs[p, 0], select.pairs[p, 1]
    for k in range(select.first.shape[0]):
        row = select.first[k]
        for j in range(count):
            bound = box_bound(bounds, row, scratch.rows[j])
            if bound < least and scratch.rows[j] != row:
                least, a, b = bound, row, scratch.rows[j]
        if tree.planes.shape[0] > 0:
            leaf = nearest_leaf(select, tree, scratch, bounds, row, least)
            if leaf >= 0:
                least, a, b = box_bound(bounds, row, leaf), row, leaf
    if a >= 0:
        measure(a, b, spared, solids, meshes, scratch, meshed, out, pair)
    for p in range(select.pairs.shape[0]):
        one, other = select.pairs[p, 0], select.pairs[p, 1]
        if box_bound(bounds, one, other) < out[DISTANCE]:
            measure(one, other, spared, solids, meshes, scratch, meshed, out, pair)
    for k in range(select.first.shape[0]):
        row = select.first[k]
        for j in range(count):
            other = scratch.rows[j]
            if other != row and box_bound(bounds, row, other) < out[DISTANCE]:
                measure(row, other, spared, solids, meshes, scratch, meshed, out, pair)
        if tree.planes.shape[0] > 0:
            margin = max(out[DISTANCE], 0.0)
            found = leaves_near(select, tree, scratch, bounds, row, margin, 0)
            for j in range(found):
                other = scratch.near[j]
                if box_bound(bounds, row, other) < out[DISTANCE]:
                    measure(
                        row, other, spared, solids, meshes, scratch, meshed, out, pair
                    )


def measure(
    a: int, b: int, spared: I32, solids: Solids, meshes: Meshes, scratch: Scratch,
    meshed: MeshScratch, out: F64, pair: I32,
) -> None:  # fmt: skip
    """Take a pair if it is nearer than what is known."""
    if is_spared(a, b, spared):
        return
    result = scratch.columns[7]
    distance = solids_distance(
        a, b, out[DISTANCE], solids, meshes, scratch, meshed, result
    )
    if distance < out[DISTANCE]:
        for i in range(9):
            out[i] = result[i]
        out[DISTANCE] = distance
        pair[0], pair[1] = a, b


def is_spared(a: int, b: int, spared: I32) -> bool:
    """Return whether a pair does not count."""
    for s in range(spared.shape[0]):
        if spared[s, 0] == a and spared[s, 1] == b:
            return True
    return False


def box_bound(bounds: F64, a: int, b: int) -> float:
    """Return what the signed distance of two solids is not less than.

    The distance of their boxes; if these overlap, minus the least overlap along an
    axis, which is a way out.
    """
    total, largest = 0.0, -math.inf
    for i in range(3):
        gap = max(bounds[b, i] - bounds[a, 3 + i], bounds[a, i] - bounds[b, 3 + i])
        largest = max(largest, gap)
        if gap > 0.0:
            total += gap * gap
    return math.sqrt(total) if total > 0.0 else largest


def nearest_leaf(
    select: Selection, tree: Tree, scratch: Scratch, bounds: F64, a: int, least: float
) -> int:
    """Return the leaf of which the box is nearest to that of row a.

    -1 if all bounds are at least `least`. Nodes are searched depth first.
    """
    planes, links, frame = tree.planes, tree.links, tree.frame
    stack = scratch.stack
    stack[0] = 0
    top, best = 1, -1
    while top > 0:
        top -= 1
        node = stack[top]
        for j in range(WIDTH):
            link = links[(node * WIDTH + LINKS) * WIDTH + j]
            if link == UNUSED:
                break
            if link < 0:
                b = tree.leaves[~link]
                if select.wanted[b] and not tree.stale[b] and b != a:
                    bound = box_bound(bounds, a, b)
                    if bound < least:
                        least, best = bound, b
                continue
            total = 0.0
            for i in range(3):
                low = planes[node, i, j] + frame[i] - bounds[a, 3 + i]
                gap = max(low, bounds[a, i] - planes[node, 3 + i, j] - frame[i])
                if gap > 0.0:
                    total += gap * gap
            if total <= max(least, 0.0) * max(least, 0.0):
                stack[top] = link
                top += 1
    return best
