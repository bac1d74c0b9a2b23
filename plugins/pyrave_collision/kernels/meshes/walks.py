"""The two walks through trees of triangles, which all queries about meshes take.

Of what is left the nearest comes first, and what is not below a limit is left out:
branch and bound where what a visit finds lowers the limit (C. Ericson, "Real-Time
Collision Detection", 2005, section 6.3), and a plain search where it does not. What is
looked for is said by functions, for which numba compiles a walk of its own:

* ``children(planes, node, query, bounds)`` writes for the children of a node how near
  they are: a bound of the distance, or a gap that is not positive where boxes meet;
* ``visit(...)`` compares the triangles of a leaf. It returns the new limit, and what it
  makes of what was `found` so far: a count, or 1.

`given` is a tuple of what else a visit needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.bvh import LINKS, WIDTH
from pyrave_collision.kernels.meshes.nodes import (
    box_of_child,
    box_of_root,
    centred_pose,
    set_query,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.jit.arrays import F32, F64, I32, I64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "walk_tree": {"forceinline": True},
    "walk_pairs": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

ROOT = -1
"""The child that the root of a tree is."""
ONLY = 0
"""The column of the children where there is one tree."""
MEETING = 1e-45
"""The limit of gaps: not more than 0."""
DONE = -np.inf
"""The limit of a visit that ends the walk."""


def walk_tree(
    meshes: Meshes, mesh: int, limit: float, enough: float,
    children: Callable[..., None], visit: Callable[..., tuple[float, int]],
    given: Any, scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Visit the leaves of a mesh whose bounds are below a limit.

    Parameters
    ----------
    limit, enough
        What bounds have to be below; the walk ends once that is not more than `enough`.
    children, visit, given
        See above: ``visit(meshes, mesh, leaf, limit, found, given, scratch)``. Both use
        the query in `scratch`, which the caller has set.

    Returns
    -------
    limit, found
        What the last visit returned.
    """
    planes, links, begins = meshes[0], meshes[1], meshes[6]
    stack, query, bounds, floors = scratch[0], scratch[5], scratch[6], scratch[9]
    stack[0], floors[0] = ROOT, np.float32(DONE)
    top, found = 1, 0
    while top > 0 and limit > enough:
        top -= 1
        if not floors[top] < limit:
            continue
        link = link_at(links, stack[2 * top])
        if link < 0:
            leaf = begins[mesh, 1] + ~link
            limit, found = visit(meshes, mesh, leaf, limit, found, given, scratch)
            continue
        node = begins[mesh, 0] + link
        children(planes, node, query, bounds)
        top = push_nearest(
            bounds, WIDTH * node, int(ROOT), int(ONLY), limit, stack, floors, top
        )
    return limit, found


def walk_pairs(
    meshes: Meshes, a: int, b: int, grown: float, limit: float, enough: float,
    children: Callable[..., None], aim: Callable[..., None],
    visit: Callable[..., tuple[float, int]], given: Any, scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Visit the pairs of leaves of two meshes whose bounds are below a limit.

    Both trees are walked at once: of a pair of nodes the larger one gives way to its
    children (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree", SIGGRAPH 1996, section
    5), whose boxes are compared with the other one along the axes of both.

    Parameters
    ----------
    a, b
        Numbers of the meshes. The first two poses in `scratch` are that of a in b, and
        its inverse.
    grown
        Metres by which boxes grow.
    limit, enough
        As of `walk_tree`.
    children, aim, visit, given
        See above: ``visit(meshes, a, leaf_a, b, leaf_b, limit, found, given, scratch)``
        has the query of the box of b's leaf in a. ``aim(query, side, scratch)`` sets
        the way of a query in the frame of a, if the side is 0, or in that of b.

    Returns
    -------
    limit, found
        As of `walk_tree`.
    """
    planes, links, begins, frames = meshes[0], meshes[1], meshes[6], meshes[7]
    stack, poses, boxes, query = scratch[0], scratch[1], scratch[3], scratch[5]
    bounds, floors = scratch[6], scratch[9]
    centred_pose(poses[0], frames[b], frames[a], poses[2])
    centred_pose(poses[1], frames[a], frames[b], poses[3])
    stack[0], stack[1], floors[0] = ROOT, ROOT, np.float32(DONE)
    top, found = 1, 0
    while top > 0 and limit > enough:
        top -= 1
        if not floors[top] < limit:
            continue
        u, v = stack[2 * top], stack[2 * top + 1]
        link_a, link_b = link_at(links, u), link_at(links, v)
        box_at(planes, begins[b, 0], v, boxes[1])
        if link_a < 0 and link_b < 0:
            set_query(poses[3], boxes[1], grown, frames[a, 3], query)
            aim(query, 0, scratch)
            leaf_a, leaf_b = begins[a, 1] + ~link_a, begins[b, 1] + ~link_b
            limit, found = visit(
                meshes, a, leaf_a, b, leaf_b, limit, found, given, scratch
            )
            continue
        box_at(planes, begins[a, 0], u, boxes[0])
        if link_b < 0 or (link_a >= 0 and extent(boxes[0]) >= extent(boxes[1])):
            node, other, side = begins[a, 0] + link_a, v, 0
            set_query(poses[3], boxes[1], grown, frames[a, 3], query)
        else:
            node, other, side = begins[b, 0] + link_b, u, 1
            set_query(poses[2], boxes[0], grown, frames[b, 3], query)
        aim(query, side, scratch)
        children(planes, node, query, bounds)
        top = push_nearest(bounds, WIDTH * node, other, side, limit, stack, floors, top)
    return limit, found


def push_nearest(
    bounds: F32, first: int, other: int, side: int, most: float,
    stack: I64, floors: F32, top: int,
) -> int:  # fmt: skip
    """Push pairs whose bound is below a limit, the nearest last; return the new top.

    Parameters
    ----------
    first, other, side
        Child 0 of the node that gave way; the other node of the pairs; the column of
        the children.
    most
        What bounds must be below.
    stack, floors, top
        Pairs, two numbers each, their bounds, and how many they are.
    """
    begin = top
    for k in range(WIDTH):
        bound = bounds[k]
        if not bound < most:
            continue
        place = top
        while place > begin and floors[place - 1] < bound:
            floors[place] = floors[place - 1]
            stack[2 * place + side] = stack[2 * place - 2 + side]
            place -= 1
        floors[place] = bound
        stack[2 * place + side] = first + k
        stack[2 * top + 1 - side] = other
        top += 1
    return top


def link_at(links: I32, child: int) -> int:
    """Return the link of child k of a node, 8 node + k, or that of a root."""
    if child == ROOT:
        return 0
    row = WIDTH * WIDTH * (child // WIDTH) + WIDTH * LINKS
    return int(links[row + child % WIDTH])


def box_at(planes: F32, root: int, child: int, box: F64) -> None:
    """Write the box of a child or of a root."""
    if child == ROOT:
        box_of_root(planes, root, box)
    else:
        box_of_child(planes, child // WIDTH, child % WIDTH, box)


def extent(box: F64) -> float:
    """Return half the sum of a box's edges."""
    return float(box[3] + box[4] + box[5])
