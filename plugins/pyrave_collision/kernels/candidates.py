"""Which solids of a packed world may touch one solid: the broad phase.

Solids that are *listed* are looked at one by one; all others are leaves of a tree, in
the wide layout of `pyrave.geometry.kernels.bvh`. Solids that moved since the tree was
fitted are listed until it is fitted again.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import LINKS, UNUSED, WIDTH

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.layout import Scratch, Selection, Tree

JIT_ENTRIES: dict[str, tuple[str, int]] = {}
JIT_NO_ARRAYS = ("columns_of", "near_rows", "listed_near", "leaves_near", "box_gap")

# what bounds relative to the centre of the tree are rounded by, in units of its size
_ROUNDING = 1e-14
_GAPS = 6
"""Row of the columns that is scratch."""


def columns_of(select: Selection, tree: Tree, scratch: Scratch, bounds: F64) -> int:
    """Write the boxes of the listed solids that are wanted as columns.

    So a loop over them is one over neighbours in memory. Returns how many there are.
    """
    count = 0
    for k in range(tree.listed.shape[0]):
        b = tree.listed[k]
        if select.wanted[b]:
            for i in range(6):
                scratch.columns[i, count] = bounds[b, i]
            scratch.rows[count] = b
            count += 1
    return count


def near_rows(
    select: Selection,
    tree: Tree,
    scratch: Scratch,
    bounds: F64,
    a: int,
    margin: float,
    count: int,
) -> int:
    """Write the rows whose boxes are within a margin of that of row a to `near`.

    Parameters
    ----------
    bounds
        (G, 6) lower and upper corners of the boxes of all solids.
    margin
        Metres.
    count
        From `columns_of`.

    Returns
    -------
    int
        How many there are.
    """
    found = listed_near(scratch, bounds, a, margin, count)
    if tree.planes.shape[0] == 0:
        return found
    return leaves_near(select, tree, scratch, bounds, a, margin, found)


def listed_near(
    scratch: Scratch, bounds: F64, a: int, margin: float, count: int
) -> int:
    """Do the part of `near_rows` that is about listed solids."""
    x0, y0, z0 = bounds[a, 0] - margin, bounds[a, 1] - margin, bounds[a, 2] - margin
    x1, y1, z1 = bounds[a, 3] + margin, bounds[a, 4] + margin, bounds[a, 5] + margin
    columns = scratch.columns
    for j in range(count):
        x = max(columns[0, j] - x1, x0 - columns[3, j])
        y = max(columns[1, j] - y1, y0 - columns[4, j])
        z = max(columns[2, j] - z1, z0 - columns[5, j])
        columns[_GAPS, j] = max(x, y, z)
    found = 0
    for j in range(count):
        if columns[_GAPS, j] <= 0.0 and scratch.rows[j] != a:
            scratch.near[found] = scratch.rows[j]
            found += 1
    return found


def leaves_near(
    select: Selection,
    tree: Tree,
    scratch: Scratch,
    bounds: F64,
    a: int,
    margin: float,
    found: int,
) -> int:
    """Do the part of `near_rows` that is about leaves; `found` rows are there."""
    planes, links, frame = tree.planes, tree.links, tree.frame
    slack = margin + _ROUNDING * frame[3]
    x0, x1 = bounds[a, 0] - frame[0] - slack, bounds[a, 3] - frame[0] + slack
    y0, y1 = bounds[a, 1] - frame[1] - slack, bounds[a, 4] - frame[1] + slack
    z0, z1 = bounds[a, 2] - frame[2] - slack, bounds[a, 5] - frame[2] + slack
    scratch.stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = scratch.stack[top]
        for j in range(WIDTH):
            link = links[(node * WIDTH + LINKS) * WIDTH + j]
            if link == UNUSED:
                break
            if (
                planes[node, 0, j] > x1
                or planes[node, 3, j] < x0
                or planes[node, 1, j] > y1
                or planes[node, 4, j] < y0
                or planes[node, 2, j] > z1
                or planes[node, 5, j] < z0
            ):
                continue
            if link >= 0:
                scratch.stack[top] = link
                top += 1
                continue
            b = tree.leaves[~link]
            if select.wanted[b] and not tree.stale[b] and b != a:
                scratch.near[found] = b
                found += 1
    return found


def box_gap(bounds: F64, a: int, b: int) -> float:
    """Return the distance of two boxes along the axes of the world, 0 if they meet."""
    total = 0.0
    for i in range(3):
        gap = max(bounds[b, i] - bounds[a, 3 + i], bounds[a, i] - bounds[b, 3 + i])
        if gap > 0.0:
            total += gap * gap
    return math.sqrt(total)
