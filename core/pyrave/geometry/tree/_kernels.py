"""Build a binary bounding-volume tree by a binned surface-area heuristic.

I. Wald, "On fast construction of SAH-based bounding volume hierarchies", 2007.
The same input gives the same tree, bit for bit.

Layout: node k has the box ``bounds[k] = lo x y z, hi x y z`` and
``links[k] = first, count``. A leaf has ``count > 0`` and holds the items
``order[first : first + count]``; an inner node has ``count == 0`` and the children
``first`` and ``first + 1``. Node 0 is the root.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    I32 = NDArray[np.int32]

BINS = 16
# Below this depth the heuristic decides; beyond it halves are equal, so that no
# input can make a tree deeper than DEPTH + 31.
DEPTH = 48
STACK = 96
# A box grows by this part of the largest coordinate: rays that touch a face or lie in
# it stay inside the box whatever the rounding, and flat boxes keep a thickness.
PADDING = 1e-12


def build_tree(
    lo: F64, hi: F64, leaf_size: int, bounds: F64, links: I32, order: I32
) -> int:
    """Build a tree over n boxes and return its number of nodes (0 for n = 0).

    Parameters
    ----------
    lo, hi
        (n, 3) float64, corners of the boxes, finite.
    leaf_size
        Most items in a leaf.
    bounds, links, order
        Output: (2 n, 6) float64, (2 n, 2) int32, (n,) int32.
    """
    n = lo.shape[0]
    if n == 0:
        return 0
    largest = 0.0
    for i in range(n):
        order[i] = i
        for a in range(3):
            largest = max(largest, abs(lo[i, a]), abs(hi[i, a]))
    padding = PADDING * largest + 1e-100
    bin_lo = np.empty((BINS, 3))
    bin_hi = np.empty((BINS, 3))
    bin_count = np.empty(BINS, np.int64)
    bin_area = np.empty(BINS)
    c_lo = np.empty(3)
    c_hi = np.empty(3)
    stack = np.empty((STACK, 4), np.int64)
    stack[0, 0] = 0
    stack[0, 1] = 0
    stack[0, 2] = n
    stack[0, 3] = 0
    top = 1
    nodes = 1
    while top > 0:
        top -= 1
        node = stack[top, 0]
        begin = stack[top, 1]
        end = stack[top, 2]
        depth = stack[top, 3]
        for a in range(3):
            bounds[node, a] = np.inf
            bounds[node, 3 + a] = -np.inf
            c_lo[a] = np.inf
            c_hi[a] = -np.inf
        for k in range(begin, end):
            i = order[k]
            for a in range(3):
                bounds[node, a] = min(bounds[node, a], lo[i, a])
                bounds[node, 3 + a] = max(bounds[node, 3 + a], hi[i, a])
                c = 0.5 * (lo[i, a] + hi[i, a])
                c_lo[a] = min(c_lo[a], c)
                c_hi[a] = max(c_hi[a], c)
        for a in range(3):
            bounds[node, a] -= padding
            bounds[node, 3 + a] += padding
        if end - begin <= leaf_size:
            links[node, 0] = begin
            links[node, 1] = end - begin
            continue
        axis = 0
        for a in range(1, 3):
            if c_hi[a] - c_lo[a] > c_hi[axis] - c_lo[axis]:
                axis = a
        middle = -1
        extent = c_hi[axis] - c_lo[axis]
        if extent > 1e-200 and depth < DEPTH:
            scale = BINS * (1.0 - 1e-9) / extent
            origin = c_lo[axis]
            split = best_split(
                lo, hi, order, begin, end, axis, origin, scale,
                bin_lo, bin_hi, bin_count, bin_area,
            )  # fmt: skip
            if split >= 0:
                middle = partition(
                    lo, hi, order, begin, end, axis, origin, scale, split
                )
        if middle <= begin or middle >= end:
            middle = (begin + end) // 2
        links[node, 0] = nodes
        links[node, 1] = 0
        stack[top, 0] = nodes + 1
        stack[top, 1] = middle
        stack[top, 2] = end
        stack[top, 3] = depth + 1
        stack[top + 1, 0] = nodes
        stack[top + 1, 1] = begin
        stack[top + 1, 2] = middle
        stack[top + 1, 3] = depth + 1
        top += 2
        nodes += 2
    return nodes


def best_split(
    lo: F64,
    hi: F64,
    order: I32,
    begin: int,
    end: int,
    axis: int,
    origin: float,
    scale: float,
    bin_lo: F64,
    bin_hi: F64,
    bin_count: NDArray[np.int64],
    bin_area: F64,
) -> int:
    """Return the last bin of the left side that costs least, -1 if all are in one."""
    for q in range(BINS):
        bin_count[q] = 0
        for a in range(3):
            bin_lo[q, a] = np.inf
            bin_hi[q, a] = -np.inf
    for k in range(begin, end):
        i = order[k]
        q = bin_of(lo, hi, i, axis, origin, scale)
        bin_count[q] += 1
        for a in range(3):
            bin_lo[q, a] = min(bin_lo[q, a], lo[i, a])
            bin_hi[q, a] = max(bin_hi[q, a], hi[i, a])
    # from the right: cost of everything in bins q and above
    x0, y0, z0 = np.inf, np.inf, np.inf
    x1, y1, z1 = -np.inf, -np.inf, -np.inf
    count = 0
    for q in range(BINS - 1, 0, -1):
        count += bin_count[q]
        x0, x1 = min(x0, bin_lo[q, 0]), max(x1, bin_hi[q, 0])
        y0, y1 = min(y0, bin_lo[q, 1]), max(y1, bin_hi[q, 1])
        z0, z1 = min(z0, bin_lo[q, 2]), max(z1, bin_hi[q, 2])
        if count > 0:
            x, y, z = x1 - x0, y1 - y0, z1 - z0
            bin_area[q] = (x * y + y * z + z * x) * count
        else:
            bin_area[q] = 0.0
    best = np.inf
    split = -1
    x0, y0, z0 = np.inf, np.inf, np.inf
    x1, y1, z1 = -np.inf, -np.inf, -np.inf
    count = 0
    for q in range(BINS - 1):
        count += bin_count[q]
        x0, x1 = min(x0, bin_lo[q, 0]), max(x1, bin_hi[q, 0])
        y0, y1 = min(y0, bin_lo[q, 1]), max(y1, bin_hi[q, 1])
        z0, z1 = min(z0, bin_lo[q, 2]), max(z1, bin_hi[q, 2])
        if count == 0 or count == end - begin:
            continue
        x, y, z = x1 - x0, y1 - y0, z1 - z0
        cost = (x * y + y * z + z * x) * count + bin_area[q + 1]
        if cost < best:
            best = cost
            split = q
    return split


def bin_of(lo: F64, hi: F64, i: int, axis: int, origin: float, scale: float) -> int:
    """Return the bin, 0..BINS-1, of the centre of box i."""
    q = int((0.5 * (lo[i, axis] + hi[i, axis]) - origin) * scale)
    return min(max(q, 0), BINS - 1)


def partition(
    lo: F64,
    hi: F64,
    order: I32,
    begin: int,
    end: int,
    axis: int,
    origin: float,
    scale: float,
    split: int,
) -> int:
    """Move the items of bins up to `split` to the front; return the end of those."""
    left = begin
    right = end - 1
    while left <= right:
        if bin_of(lo, hi, order[left], axis, origin, scale) <= split:
            left += 1
        else:
            item = order[left]
            order[left] = order[right]
            order[right] = item
            right -= 1
    return left
