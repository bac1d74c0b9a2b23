"""Broad phase: candidates of a packed world that may touch one solid.

Solids that are *listed* are looked at one by one; all others are leaves of a tree, in
the wide layout of `pyrave.geometry.kernels.bvh`. Solids that moved since the tree was
fitted are listed until it is fitted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import LINKS, UNUSED, WIDTH

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32
    from pyrave_collision.kernels.layout import Scratch, Selection, Tree

JIT_ENTRIES = ()
JIT_OPTIONS = {"near_rows": {"inline": "always"}}
JIT_NO_ARRAYS = ("*",)

# what bounds relative to the centre of the tree are rounded by, in units of its size
_ROUNDING = 1e-14
_GAPS, _MEMBERS = 6, 10
"""Rows of the columns: scratch, and the first of the boxes of a group's neighbours."""
_GROUP = 8
"""Number of solids that are tested together, if there are twice as many."""


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
    select: Selection, tree: Tree, scratch: Scratch, bounds: F64,
    a: int, margin: float, count: int, met: int,
) -> int:  # fmt: skip
    """Write the rows whose boxes are within a margin of that of row a to `near`.

    Parameters
    ----------
    bounds
        (G, 6) lower and upper corners of the boxes of all solids.
    margin
        Metres.
    count
        From `columns_of`.
    met
        From `near_group`, of the group that row a is in; -1 without one.

    Returns
    -------
    int
        How many there are.
    """
    x0, y0, z0 = bounds[a, 0] - margin, bounds[a, 1] - margin, bounds[a, 2] - margin
    x1, y1, z1 = bounds[a, 3] + margin, bounds[a, 4] + margin, bounds[a, 5] + margin
    if met >= 0:
        return listed_near(
            scratch.columns, _MEMBERS, scratch.members, met, x0, y0, z0, x1, y1, z1, a,
            scratch.near,
        )  # fmt: skip
    found = listed_near(
        scratch.columns, 0, scratch.rows, count, x0, y0, z0, x1, y1, z1, a, scratch.near
    )
    if tree.planes.shape[0] == 0:
        return found
    return leaves_near(select, tree, scratch, x0, y0, z0, x1, y1, z1, a, found)


def group_size(select: Selection) -> int:
    """Return the number of consecutive first solids that form a group.

    Those of a link follow each other: what is far from all is found once.
    """
    return _GROUP if select.first.shape[0] >= 2 * _GROUP else 1


def near_group(
    select: Selection, tree: Tree, scratch: Scratch, bounds: F64,
    begin: int, margin: float, count: int,
) -> int:  # fmt: skip
    """Write the neighbours of the group of first solids from `begin` as columns.

    Returns how many rows there are, -1 if the group is one solid.
    """
    size = group_size(select)
    if size == 1:
        return -1
    a = select.first[begin]
    x0, y0, z0 = bounds[a, 0], bounds[a, 1], bounds[a, 2]
    x1, y1, z1 = bounds[a, 3], bounds[a, 4], bounds[a, 5]
    for k in range(begin + 1, min(begin + size, select.first.shape[0])):
        a = select.first[k]
        x0, y0, z0 = min(x0, bounds[a, 0]), min(y0, bounds[a, 1]), min(z0, bounds[a, 2])
        x1, y1, z1 = max(x1, bounds[a, 3]), max(y1, bounds[a, 4]), max(z1, bounds[a, 5])
    return near_box(
        select, tree, scratch, bounds, count,
        x0 - margin, y0 - margin, z0 - margin, x1 + margin, y1 + margin, z1 + margin,
    )  # fmt: skip


def near_box(
    select: Selection, tree: Tree, scratch: Scratch, bounds: F64, count: int,
    x0: float, y0: float, z0: float, x1: float, y1: float, z1: float,
) -> int:  # fmt: skip
    """Write the rows that a box meets as columns; return how many there are."""
    members, columns = scratch.members, scratch.columns
    met = listed_near(
        columns, 0, scratch.rows, count, x0, y0, z0, x1, y1, z1, -1, members
    )
    if tree.planes.shape[0] > 0:
        listed = met
        for k in range(listed):
            scratch.near[k] = members[k]
        met = leaves_near(select, tree, scratch, x0, y0, z0, x1, y1, z1, -1, met)
        for k in range(listed, met):
            members[k] = scratch.near[k]
    for k in range(met):
        for i in range(6):
            columns[_MEMBERS + i, k] = bounds[members[k], i]
    return met


def listed_near(
    columns: F64, begin: int, rows: I32, count: int,
    x0: float, y0: float, z0: float, x1: float, y1: float, z1: float,
    a: int, near: I32,
) -> int:  # fmt: skip
    """Write the rows but a whose boxes, columns from `begin` on, meet a box."""
    for j in range(count):
        x = max(columns[begin, j] - x1, x0 - columns[begin + 3, j])
        y = max(columns[begin + 1, j] - y1, y0 - columns[begin + 4, j])
        z = max(columns[begin + 2, j] - z1, z0 - columns[begin + 5, j])
        columns[_GAPS, j] = max(x, y, z)
    found = 0
    for j in range(count):
        if columns[_GAPS, j] <= 0.0 and rows[j] != a:
            near[found] = rows[j]
            found += 1
    return found


def leaves_near(
    select: Selection, tree: Tree, scratch: Scratch,
    low_x: float, low_y: float, low_z: float,
    high_x: float, high_y: float, high_z: float, a: int, found: int,
) -> int:  # fmt: skip
    """Write the leaves but a whose boxes meet a box; `found` rows are there."""
    planes, links, frame = tree.planes, tree.links, tree.frame
    slack = _ROUNDING * frame[3]
    x0, x1 = low_x - frame[0] - slack, high_x - frame[0] + slack
    y0, y1 = low_y - frame[1] - slack, high_y - frame[1] + slack
    z0, z1 = low_z - frame[2] - slack, high_z - frame[2] + slack
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


def boxes_near(bounds: F64, a: int, b: int, margin: float) -> bool:
    """Return True if two boxes along the axes of the world are within a margin."""
    for i in range(3):
        if bounds[b, i] - bounds[a, 3 + i] > margin:
            return False
        if bounds[a, i] - bounds[b, 3 + i] > margin:
            return False
    return True
