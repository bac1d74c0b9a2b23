"""Build and widen bounding-volume trees: of triangles, of instances.

The build is binary, by a binned surface-area heuristic (I. Wald, "On fast construction
of SAH-based bounding volume hierarchies", 2007); `widen` then merges nodes to nodes of
eight children (I. Wald, C. Benthin, S. Boulos, "Getting rid of packets", 2008), which
a ray tests by one vector operation each. The same input gives the same tree, bit for
bit.

Boxes are float32, relative to a centre that the caller chooses, and rounded outwards.

Binary layout: node k has the box ``bounds[k] = lo xyz, hi xyz`` and
``links[k] = first, count``. A leaf has ``count > 0`` and holds the items
``order[first : first + count]``; an inner node has ``count == 0`` and the children
``first`` and ``first + 1``. Node 0 is the root.

Wide layout: node k has the planes ``planes[k, row, slot]``, rows lo xyz, hi xyz, and in
row `LINKS`, as integers in the same memory, ``slots[k, LINKS, slot]``: a child node,
or ``~leaf``. Unused slots come last, have an empty box and the link `UNUSED`. Children
have larger numbers than their parent. Row `ORDERS` holds for each octant of directions
(bit a is set if they go down along axis a) all slots from far to near, three bits each,
the first one lowest (V. Fuetterling, C. Lojewski, F.-J. Pfreundt, A. Ebert,
"Accelerated single ray tracing for wide vector units", 2017). A node is four cache
lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F32,
        F32_2,
        F32_3,
        F64,
        F64_1,
        F64_2,
        I32,
        I32_1,
        I32_2,
        I32_3,
        I64,
    )

BINS = 16
# of few boxes, fewer bins tell enough
FEW = 64
BINS_OF_FEW = 8
WIDTH = 8
ROWS = 8
LINKS = 6
ORDERS = 7
UNUSED = -(1 << 31)
# Below this depth the heuristic decides; beyond it halves are equal, so that no
# input can make a tree deeper than DEPTH + 31.
DEPTH = 48
# entries that a walk over a wide tree of that depth may leave behind
STACK = (DEPTH + 32) * (WIDTH - 1) + 1

INFINITY = np.float32(np.inf)
ZERO = np.float32(0.0)
NOTHING = np.float32(np.nan)
ONE = np.float32(1.0)
# Relative and least step by which a float32 is moved outwards when it stands for a
# float64.
ROUNDING = np.float32(2.0**-23)
TINIEST = np.float32(1e-37)
FAR = 1e18
"""Metres: areas of boxes that are no further away are numbers."""
# bins are counted by a factor slightly less than their number
BIN_SCALE = np.float32(1.0 - 1e-6)
THINNEST = np.float32(1e-30)

JIT_NO_ARRAYS = (
    "triangle_boxes",
    "measure",
    "bin_of",
    "half_area",
    "best_split",
    "partition",
    "order_children",
    "pack_triangles",
)
JIT_ENTRIES = (
    "tree_of_boxes",
    "plant_triangles",
    "grow_triangles",
)


def tree_of_boxes(boxes: F32_2, planes: F32_3, slots: I32_3) -> int:
    """Build a wide tree over n boxes, whose leaves are their numbers.

    Parameters
    ----------
    boxes
        (n, 6) float32, lo and hi of each; they are put in another order.
    planes, slots
        Output, n rows; see the layout.
    """
    n = boxes.shape[0]
    if n == 0:
        return 0
    bounds = np.empty((2 * n, 6), np.float32)
    links = np.empty((2 * n, 2), np.int32)
    order = np.empty(n, np.int32)
    build_binary(boxes, 1, bounds, links, order)
    leaves = np.empty((n, 2), np.int32)
    nodes, _ = widen(bounds, links, planes, slots, leaves)
    for node in range(nodes):
        for k in range(WIDTH):
            link = slots[node, LINKS, k]
            if link == UNUSED:
                break
            if link < 0:
                slots[node, LINKS, k] = ~order[leaves[~link, 0]]
    return nodes


def plant_triangles(
    vertices: F64_2, faces: I32_2, centre: F64_1, leaf_size: int,
    bounds: F32_2, links: I32_2, order: I32_1,
) -> int:  # fmt: skip
    """Build the binary tree of a mesh, as `build_binary` does."""
    boxes = np.empty((faces.shape[0], 6), np.float32)
    triangle_boxes(vertices, faces, centre, boxes)
    return build_binary(boxes, leaf_size, bounds, links, order)


def grow_triangles(
    vertices: F64_2, faces: I32_2, centre: F64_1, bounds: F32_2, links: I32_2,
    order: I32_1,
    planes: F32_3, slots: I32_3, groups: F32_3, firsts: I32_1, corners: F64_2,
) -> int:  # fmt: skip
    """Make the wide tree of a mesh from its binary one; return its number of nodes.

    `firsts` gets the first triangle of each leaf; else as `widen`, `pack_triangles`.
    """
    leaves = np.empty((firsts.shape[0], 2), np.int32)
    nodes, _ = widen(bounds, links, planes, slots, leaves)
    pack_triangles(vertices, faces, centre, order, leaves, groups, corners)
    for g in range(leaves.shape[0]):
        firsts[g] = leaves[g, 0]
    return nodes


def triangle_boxes(vertices: F64, faces: I32, centre: F64, boxes: F32) -> None:
    """Write boxes (n, 6) float32, relative to a centre, that hold triangles."""
    for i in range(faces.shape[0]):
        p, q, r = faces[i, 0], faces[i, 1], faces[i, 2]
        for a in range(3):
            x, y, z = vertices[p, a], vertices[q, a], vertices[r, a]
            low = np.float32(min(x, y, z) - centre[a])
            high = np.float32(max(x, y, z) - centre[a])
            boxes[i, a] = low - abs(low) * ROUNDING - TINIEST
            boxes[i, 3 + a] = high + abs(high) * ROUNDING + TINIEST


def build_binary(
    boxes: F32, leaf_size: int, bounds: F32, links: I32, order: I32
) -> int:
    """Build a binary tree over n boxes and return its number of nodes (0 for n = 0).

    Parameters
    ----------
    boxes
        (n, 6) float32, lo and hi of each, finite; they are put in the order of the
        leaves.
    leaf_size
        Most items in a leaf.
    bounds, links, order
        Output: (2 n, 6) float32, (2 n, 2) int32, (n,) int32.
    """
    n = boxes.shape[0]
    if n == 0:
        return 0
    for i in range(n):
        order[i] = i
    bins = np.empty((BINS, 6), np.float32)
    counts = np.empty(BINS, np.int64)
    costs = np.empty(BINS, np.float32)
    stack = np.empty((DEPTH + 34, 4), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, 0, n, 0
    top = 1
    nodes = 1
    while top > 0:
        top -= 1
        node, begin, end, depth = (
            stack[top, 0],
            stack[top, 1],
            stack[top, 2],
            stack[top, 3],
        )
        axis, origin, extent = measure(boxes, begin, end, node, bounds)
        if end - begin <= leaf_size:
            links[node, 0] = begin
            links[node, 1] = end - begin
            continue
        middle = -1
        if extent > THINNEST and depth < DEPTH:
            n_bins = BINS if end - begin > FEW else BINS_OF_FEW
            scale = BIN_SCALE * np.float32(n_bins) / extent
            split = best_split(
                boxes, begin, end, axis, origin, scale, n_bins, bins, counts, costs
            )
            if split >= 0:
                middle = partition(boxes, order, begin, end, axis, origin, scale, split)
        if middle <= begin or middle >= end:
            middle = (begin + end) // 2
        links[node, 0] = nodes
        links[node, 1] = 0
        stack[top, 0], stack[top, 1] = nodes + 1, middle
        stack[top, 2], stack[top, 3] = end, depth + 1
        stack[top + 1, 0], stack[top + 1, 1] = nodes, begin
        stack[top + 1, 2], stack[top + 1, 3] = middle, depth + 1
        top += 2
        nodes += 2
    return nodes


def measure(
    boxes: F32, begin: int, end: int, node: int, bounds: F32
) -> tuple[int, np.float32, np.float32]:
    """Write a node's box; return the axis along which its centres are spread most.

    With it come the least centre along it and their extent, both doubled.
    """
    x0, y0, z0 = INFINITY, INFINITY, INFINITY
    x1, y1, z1 = -INFINITY, -INFINITY, -INFINITY
    p0, q0, r0 = INFINITY, INFINITY, INFINITY
    p1, q1, r1 = -INFINITY, -INFINITY, -INFINITY
    for k in range(begin, end):
        a, b = boxes[k, 0], boxes[k, 3]
        x0, x1 = min(x0, a), max(x1, b)
        p0, p1 = min(p0, a + b), max(p1, a + b)
        a, b = boxes[k, 1], boxes[k, 4]
        y0, y1 = min(y0, a), max(y1, b)
        q0, q1 = min(q0, a + b), max(q1, a + b)
        a, b = boxes[k, 2], boxes[k, 5]
        z0, z1 = min(z0, a), max(z1, b)
        r0, r1 = min(r0, a + b), max(r1, a + b)
    bounds[node, 0], bounds[node, 1], bounds[node, 2] = x0, y0, z0
    bounds[node, 3], bounds[node, 4], bounds[node, 5] = x1, y1, z1
    p, q, r = p1 - p0, q1 - q0, r1 - r0
    if p >= q and p >= r:
        return 0, p0, p
    if q >= r:
        return 1, q0, q
    return 2, r0, r


def bin_of(boxes: F32, k: int, axis: int, origin: np.float32, scale: np.float32) -> int:
    """Return the bin, 0..BINS-1, of the centre of box k."""
    q = int((boxes[k, axis] + boxes[k, 3 + axis] - origin) * scale)
    return min(max(q, 0), BINS - 1)


def half_area(
    x0: np.float32, y0: np.float32, z0: np.float32,
    x1: np.float32, y1: np.float32, z1: np.float32,
) -> np.float32:  # fmt: skip
    """Return half the surface of a box."""
    x, y, z = x1 - x0, y1 - y0, z1 - z0
    return x * y + y * z + z * x


def best_split(
    boxes: F32, begin: int, end: int,
    axis: int, origin: np.float32, scale: np.float32, n_bins: int,
    bins: F32, counts: I64, costs: F32,
) -> int:  # fmt: skip
    """Return the last bin of the left side that costs least, -1 if all are in one."""
    for q in range(n_bins):
        counts[q] = 0
        for a in range(3):
            bins[q, a] = INFINITY
            bins[q, 3 + a] = -INFINITY
    for k in range(begin, end):
        q = bin_of(boxes, k, axis, origin, scale)
        counts[q] += 1
        bins[q, 0] = min(bins[q, 0], boxes[k, 0])
        bins[q, 1] = min(bins[q, 1], boxes[k, 1])
        bins[q, 2] = min(bins[q, 2], boxes[k, 2])
        bins[q, 3] = max(bins[q, 3], boxes[k, 3])
        bins[q, 4] = max(bins[q, 4], boxes[k, 4])
        bins[q, 5] = max(bins[q, 5], boxes[k, 5])
    # from the right: cost of everything in bins q and above
    x0, y0, z0 = INFINITY, INFINITY, INFINITY
    x1, y1, z1 = -INFINITY, -INFINITY, -INFINITY
    count = 0
    for q in range(n_bins - 1, 0, -1):
        count += counts[q]
        x0, x1 = min(x0, bins[q, 0]), max(x1, bins[q, 3])
        y0, y1 = min(y0, bins[q, 1]), max(y1, bins[q, 4])
        z0, z1 = min(z0, bins[q, 2]), max(z1, bins[q, 5])
        costs[q] = ZERO
        if count > 0:
            costs[q] = half_area(x0, y0, z0, x1, y1, z1) * np.float32(count)
    best = INFINITY
    split = -1
    x0, y0, z0 = INFINITY, INFINITY, INFINITY
    x1, y1, z1 = -INFINITY, -INFINITY, -INFINITY
    count = 0
    for q in range(n_bins - 1):
        count += counts[q]
        x0, x1 = min(x0, bins[q, 0]), max(x1, bins[q, 3])
        y0, y1 = min(y0, bins[q, 1]), max(y1, bins[q, 4])
        z0, z1 = min(z0, bins[q, 2]), max(z1, bins[q, 5])
        if count == 0 or count == end - begin:
            continue
        cost = half_area(x0, y0, z0, x1, y1, z1) * np.float32(count) + costs[q + 1]
        if cost < best:
            best = cost
            split = q
    return split


def partition(
    boxes: F32, order: I32, begin: int, end: int,
    axis: int, origin: np.float32, scale: np.float32, split: int,
) -> int:  # fmt: skip
    """Move the items of bins up to `split` to the front; return the end of those."""
    left = begin
    right = end - 1
    while left <= right:
        if bin_of(boxes, left, axis, origin, scale) <= split:
            left += 1
        elif bin_of(boxes, right, axis, origin, scale) > split:
            right -= 1
        else:
            item = order[left]
            order[left] = order[right]
            order[right] = item
            for a in range(6):
                plane = boxes[left, a]
                boxes[left, a] = boxes[right, a]
                boxes[right, a] = plane
            left += 1
            right -= 1
    return left


def widen(
    bounds: F32, links: I32, planes: F32, slots: I32, leaves: I32
) -> tuple[int, int]:
    """Merge a binary tree to nodes of eight; return numbers of nodes and of leaves.

    Parameters
    ----------
    bounds, links
        A binary tree of at least one node.
    planes, slots, leaves
        Output: (nodes, 8, 8) float32, the same memory as int32, and (leaves, 2) int32,
        first item and count. As many rows as the binary tree has nodes suffice.
    """
    source = np.empty(bounds.shape[0], np.int32)
    source[0] = 0
    nodes = 1
    n_leaves = 0
    node = 0
    chosen = np.empty(WIDTH, np.int32)
    order = np.empty(WIDTH, np.int64)
    along = np.empty(WIDTH, np.float32)
    while node < nodes:
        root = source[node]
        chosen[0] = root
        count = 1
        while count < WIDTH:
            # the largest inner node gives way to its children
            widest = -1
            largest = -INFINITY
            for k in range(count):
                c = chosen[k]
                if links[c, 1] == 0:
                    area = half_area(
                        bounds[c, 0], bounds[c, 1], bounds[c, 2],
                        bounds[c, 3], bounds[c, 4], bounds[c, 5],
                    )  # fmt: skip
                    if area > largest:
                        largest = area
                        widest = k
            if widest < 0:
                break
            first = links[chosen[widest], 0]
            chosen[widest] = first
            chosen[count] = first + 1
            count += 1
        for k in range(WIDTH):
            if k >= count:
                slots[node, LINKS, k] = UNUSED
                for a in range(3):
                    planes[node, a, k] = INFINITY
                    planes[node, 3 + a, k] = -INFINITY
                continue
            c = chosen[k]
            for a in range(6):
                planes[node, a, k] = bounds[c, a]
            if links[c, 1] == 0:
                slots[node, LINKS, k] = nodes
                source[nodes] = c
                nodes += 1
            else:
                slots[node, LINKS, k] = ~n_leaves
                leaves[n_leaves, 0] = links[c, 0]
                leaves[n_leaves, 1] = links[c, 1]
                n_leaves += 1
        order_children(planes, slots, node, order, along)
        node += 1
    return nodes, n_leaves


def order_children(planes: F32, slots: I32, node: int, order: I64, places: F32) -> None:
    """Write the orders of a node's slots, from far to near for each octant.

    Parameters
    ----------
    order, places
        Scratch, (8,) each.
    """
    count = 0
    while count < WIDTH and slots[node, LINKS, count] != UNUSED:
        count += 1
    for octant in range(WIDTH // 2):
        x = -ONE if octant & 1 else ONE
        y = -ONE if octant & 2 else ONE
        for k in range(count):
            # where its centre, doubled, lies along the octant
            along = (
                (planes[node, 0, k] + planes[node, 3, k]) * x
                + (planes[node, 1, k] + planes[node, 4, k]) * y
                + (planes[node, 2, k] + planes[node, 5, k])
            )
            place = k
            while place > 0 and places[place - 1] < along:
                places[place] = places[place - 1]
                order[place] = order[place - 1]
                place -= 1
            places[place] = along
            order[place] = k
        forth, back = 0, 0
        for k in range(WIDTH):
            forth |= (order[k] if k < count else k) << (3 * k)
            back |= (order[count - 1 - k] if k < count else k) << (3 * k)
        slots[node, ORDERS, octant] = forth
        slots[node, ORDERS, WIDTH - 1 - octant] = back


def pack_triangles(
    vertices: F64, faces: I32, centre: F64, order: I32, leaves: I32,
    groups: F32, corners: F64,
) -> None:  # fmt: skip
    """Write the triangles of the leaves as `kernels.triangles` reads them.

    Parameters
    ----------
    order, leaves
        Triangles in the order of the leaves; (g, 2) first and count of each leaf, at
        most 8.
    groups
        Output, (g, 10, 8) float32: a corner relative to the centre, the two edges from
        it, and the sum of their absolute components (nan in unused slots).
    corners
        Output, (n, 9) float64: the three corners as they are.
    """
    for k in range(order.shape[0]):
        for j in range(3):
            vertex = faces[order[k], j]
            for a in range(3):
                corners[k, 3 * j + a] = vertices[vertex, a]
    for g in range(leaves.shape[0]):
        first, count = leaves[g, 0], leaves[g, 1]
        for k in range(WIDTH):
            if k >= count:
                for a in range(9):
                    groups[g, a, k] = ZERO
                groups[g, 9, k] = NOTHING
                continue
            size = 0.0
            row = first + k
            for a in range(3):
                x = corners[row, a]
                e1, e2 = corners[row, 3 + a] - x, corners[row, 6 + a] - x
                groups[g, a, k] = np.float32(x - centre[a])
                groups[g, 3 + a, k] = np.float32(e1)
                groups[g, 6 + a, k] = np.float32(e2)
                size += abs(e1) + abs(e2)
            groups[g, 9, k] = np.float32(size)
