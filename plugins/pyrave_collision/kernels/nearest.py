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
from pyrave_collision.kernels.shapes import HALF, RADIUS
from pyrave_collision.kernels.solid_distances import solids_distance

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F64,
        F64_1,
        F64_2,
        F64_4,
        I32,
        I32_1,
        I32_2,
        I64_2,
    )
    from pyrave_collision.kernels.layout import Scratch, Selection, Solids, Tree
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

JIT_ENTRIES = ("nearest_pair", "configuration_distances")
JIT_NO_ARRAYS = ("*",)

FOUND = 10
"""Numbers of a result: those of `solids_distance`, and the distance."""
DISTANCE = 9
# rows of the columns that are for anything
_BOUND, _RESULT, _LEAST, _RADIUS = 6, 7, 8, 9


def nearest_pair(
    world: I64_2, selection: I64_2, spared: I32_2, limit: float, out: F64_1, pair: I32_1
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
    world: I64_2, selection: I64_2, begin: int, end: int,
    body_poses: F64_4, links: I32_1, movers: I32_1, local: F64_2, spared: I32_2,
    limit: float, found: F64_2, pairs: I32_2,
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
    least, best = math.inf, -1
    for p in range(select.pairs.shape[0]):
        bound = pair_bound(solids, select.pairs[p, 0], select.pairs[p, 1])
        if bound < least:
            least, best = bound, p
    if best >= 0:
        a, b = select.pairs[best, 0], select.pairs[best, 1]
        measure(a, b, spared, solids, meshes, scratch, meshed, out, pair)
    for p in range(select.pairs.shape[0]):
        a, b = select.pairs[p, 0], select.pairs[p, 1]
        if p != best and pair_bound(solids, a, b) < out[DISTANCE]:
            measure(a, b, spared, solids, meshes, scratch, meshed, out, pair)
    if select.first.shape[0] > 0:
        nearest_of_sides(
            select, spared, solids, meshes, tree, scratch, meshed, out, pair
        )


def nearest_of_sides(
    select: Selection, spared: I32,
    solids: Solids, meshes: Meshes, tree: Tree, scratch: Scratch, meshed: MeshScratch,
    out: F64, pair: I32,
) -> None:  # fmt: skip
    """Do the part of `nearest` that is about first solids and second ones."""
    count = columns_of(select, tree, scratch, solids.bounds)
    leasts, first = scratch.columns[_LEAST], select.first
    for j in range(count):
        scratch.columns[_RADIUS, j] = around(solids.shapes, scratch.rows[j])
    for k in range(first.shape[0]):
        listed_bounds(first[k], count, solids, scratch)
        leasts[k] = math.inf
        for j in range(count):
            leasts[k] = min(leasts[k], scratch.columns[_BOUND, j])
        if tree.planes.shape[0] > 0:
            leaf = nearest_leaf(
                select, tree, scratch, solids.bounds, first[k], leasts[k]
            )
            if leaf >= 0:
                leasts[k] = box_bound(solids.bounds, first[k], leaf)
                measure(
                    first[k], leaf, spared, solids, meshes, scratch, meshed, out, pair
                )
    for _ in range(first.shape[0]):
        k = 0
        for i in range(1, first.shape[0]):
            if leasts[i] < leasts[k]:
                k = i
        if not leasts[k] < out[DISTANCE]:
            return
        leasts[k] = math.inf
        nearest_to(
            first[k], count, select, spared, solids, meshes, tree, scratch, meshed, out,
            pair,
        )  # fmt: skip


def nearest_to(
    a: int, count: int, select: Selection, spared: I32,
    solids: Solids, meshes: Meshes, tree: Tree, scratch: Scratch, meshed: MeshScratch,
    out: F64, pair: I32,
) -> None:  # fmt: skip
    """Measure one first solid and the second ones, the least bounds first."""
    near, bounds = scratch.near, scratch.columns[_BOUND]
    listed_bounds(a, count, solids, scratch)
    found = 0
    for j in range(count):
        if bounds[j] < out[DISTANCE]:
            near[found], bounds[found] = scratch.rows[j], bounds[j]
            found += 1
    if tree.planes.shape[0] > 0:
        margin, listed, box = max(out[DISTANCE], 0.0), found, solids.bounds[a]
        found = leaves_near(
            select, tree, scratch, box[0] - margin, box[1] - margin, box[2] - margin,
            box[3] + margin, box[4] + margin, box[5] + margin, a, found,
        )  # fmt: skip
        for j in range(listed, found):
            bounds[j] = pair_bound(solids, a, near[j])
    for _ in range(found):
        best = 0
        for j in range(1, found):
            if bounds[j] < bounds[best]:
                best = j
        if not bounds[best] < out[DISTANCE]:
            return
        bounds[best] = math.inf
        measure(a, near[best], spared, solids, meshes, scratch, meshed, out, pair)


def measure(
    a: int, b: int, spared: I32, solids: Solids, meshes: Meshes, scratch: Scratch,
    meshed: MeshScratch, out: F64, pair: I32,
) -> None:  # fmt: skip
    """Take a pair if it is nearer than what is known."""
    if is_spared(a, b, spared):
        return
    result = scratch.columns[_RESULT]
    distance = solids_distance(
        a, b, out[DISTANCE], solids, meshes, scratch, meshed, result
    )
    if distance < out[DISTANCE]:
        for i in range(9):
            out[i] = result[i]
        out[DISTANCE] = distance
        pair[0], pair[1] = a, b


def is_spared(a: int, b: int, spared: I32) -> bool:
    """Return True if a pair does not count."""
    for s in range(spared.shape[0]):
        if spared[s, 0] == a and spared[s, 1] == b:
            return True
    return False


def pair_bound(solids: Solids, a: int, b: int) -> float:
    """Return a lower bound of the signed distance of two solids.

    By their boxes, and by spheres around the centres of those.
    """
    bounds, total = solids.bounds, 0.0
    for i in range(3):
        way = bounds[a, i] + bounds[a, 3 + i] - bounds[b, i] - bounds[b, 3 + i]
        total += way * way
    spheres = around(solids.shapes, a) + around(solids.shapes, b)
    return max(box_bound(bounds, a, b), 0.5 * math.sqrt(total) - spheres)


def listed_bounds(a: int, count: int, solids: Solids, scratch: Scratch) -> None:
    """Write `pair_bound` of row a and each of the columns, infinite for itself.

    Without branches, so that a compiler makes vectors of it.
    """
    columns = scratch.columns
    bound = columns[_BOUND]
    x0, y0, z0 = solids.bounds[a, 0], solids.bounds[a, 1], solids.bounds[a, 2]
    x1, y1, z1 = solids.bounds[a, 3], solids.bounds[a, 4], solids.bounds[a, 5]
    radius = around(solids.shapes, a)
    for j in range(count):
        x = max(columns[0, j] - x1, x0 - columns[3, j])
        y = max(columns[1, j] - y1, y0 - columns[4, j])
        z = max(columns[2, j] - z1, z0 - columns[5, j])
        u = columns[0, j] + columns[3, j] - (x0 + x1)
        v = columns[1, j] + columns[4, j] - (y0 + y1)
        w = columns[2, j] + columns[5, j] - (z0 + z1)
        spheres = 0.5 * math.sqrt(u * u + v * v + w * w) - radius - columns[_RADIUS, j]
        inside = min(max(x, y, z), 0.0)
        x, y, z = max(x, 0.0), max(y, 0.0), max(z, 0.0)
        bound[j] = max(math.sqrt(x * x + y * y + z * z) + inside, spheres)
    for j in range(count):
        if scratch.rows[j] == a:
            bound[j] = math.inf


def around(shapes: F64, a: int) -> float:
    """Return the radius of a sphere around the centre of a solid's box."""
    if shapes[a, RADIUS] > 0.0:
        return float(shapes[a, RADIUS])
    x, y, z = shapes[a, HALF], shapes[a, HALF + 1], shapes[a, HALF + 2]
    return math.sqrt(x * x + y * y + z * z)


def box_bound(bounds: F64, a: int, b: int) -> float:
    """Return a lower bound of the signed distance of two solids.

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
