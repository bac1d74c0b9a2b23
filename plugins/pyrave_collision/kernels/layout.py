"""The arrays of a query, and where they are in bundles (`pyrave.jit.bundles`).

A *world* bundle has the arrays of `Solids`, `meshes.Meshes`, `Tree`, `Scratch` and
`meshes.Scratch`, in this order. A *selection* bundle has those of `Selection`, groups
of the pairs of a body that moves, and pairs that may touch. A *carried* bundle has
those of `Carried`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pyrave.jit.bundles import (
    f32_1,
    f32_3,
    f64_1,
    f64_2,
    i32_1,
    i32_2,
    i64_1,
    u8_1,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64, U8
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

SHAPES, POSES, BOUNDS = 0, 1, 2
"""Slots of these fields of `Solids` in a world bundle."""
SLOTS = 6
"""Slot of the slots of `Solids` in a world bundle."""
NODES = 7
"""Slot of the mesh nodes in a world bundle; empty if all solids are convex."""

GROUPS = 3
"""Slot of the groups of pairs in the selection of a body that moves, (k, 4): two
links, -1 for none, the first pair and the one after the last."""
PAIRS_THAT_TOUCH, DEPTHS, IS_DEEPER = 4, 5, 6
"""Slots of a selection for pairs that may touch: their sorted codes (see
`touching_pairs`), how deep each may be, metres, and (1,) the address of
`touching.is_deeper`."""


class Solids(NamedTuple):
    """All solids by their rows.

    Parameters
    ----------
    shapes
        (G, `shapes.SHAPE`).
    poses
        (G, 16) T_world_solid.
    bounds
        (G, 6) lower and upper corners of their boxes in the world, metres.
    vertices, starts, neighbours
        See `pyrave_collision.convexity.HullPool`.
    slots
        (G,) number in the pool of meshes of a solid that is not convex, else -1.
    """

    shapes: F64
    poses: F64
    bounds: F64
    vertices: F64
    starts: I32
    neighbours: I32
    slots: I32


class Tree(NamedTuple):
    """The broad phase.

    Parameters
    ----------
    listed, stale
        (n,) rows that are looked at one by one, and (G,) 1 for those of them that are
        leaves of the tree, too.
    planes, links, frame
        See `pyrave.geometry.mesh_bvh.BoxTree`; no planes if all solids are listed.
    leaves
        (n,) row of each leaf.
    """

    listed: I32
    stale: U8
    planes: F32
    links: I32
    frame: F64
    leaves: I32


class Scratch(NamedTuple):
    """Scratch arrays of queries.

    Parameters
    ----------
    columns, rows, near
        (16, max(G, 10)), (G,) and (G,): boxes, four rows for anything, boxes.
    stack
        (`pyrave.geometry.kernels.bvh.STACK`,).
    pair
        (`solid_distances.SCRATCH`,).
    members
        (G,) rows of the last six rows of the columns.
    """

    columns: F64
    rows: I32
    near: I32
    stack: I32
    pair: F64
    members: I32


class Selection(NamedTuple):
    """Pairs of solids of a query.

    Parameters
    ----------
    first, wanted
        (n,) rows, each against all that (G,) flags name.
    pairs
        (p, 2) rows.
    """

    first: I32
    wanted: U8
    pairs: I32


class Carried(NamedTuple):
    """Solids that move with a body.

    Parameters
    ----------
    links, rows, local
        (m,) links in their order, (m,) rows of the solids they carry, and (m, 16)
        T_link_solid.
    starts
        (n_links + 1,) where the solids of each link begin.
    numbers
        (G,) which of the solids a row is, -1 for all others.
    first, meeting
        (m,) 1 for solids that are first ones of the selection, and (n_links,) 1 for
        links that carry such.
    chains
        (n_links, n_links) 1 where the first link carries the second one, or is rigidly
        attached to it.
    extents
        (n_links, 6) middle and half sizes, in its frame, of a box around what a link
        carries.
    boxes, reaches, placed
        (n_links, 6), (n_links,) and (n_links,) scratch.
    still, none
        (n_links, 7) zeros, and (1,) scratch: no motion, and room for no pairs.
    """

    links: I32
    rows: I32
    local: F64
    starts: I32
    numbers: I32
    first: I32
    meeting: I32
    chains: I32
    extents: F64
    boxes: F64
    reaches: F64
    placed: I32
    still: F64
    none: I32


def solids_of(world: I64) -> Solids:
    """Return the solids of a world bundle."""
    return Solids(
        f64_2(world, 0), f64_2(world, 1), f64_2(world, 2),
        f64_1(world, 3), i32_1(world, 4), i32_1(world, 5), i32_1(world, 6),
    )  # fmt: skip


def meshes_of(world: I64) -> Meshes:
    """Return the meshes of a world bundle."""
    return (
        f32_3(world, 7), i32_1(world, 8), f32_3(world, 9), i32_1(world, 10),
        f64_2(world, 11), f64_1(world, 12), i32_2(world, 13), f64_2(world, 14),
        u8_1(world, 15), f64_2(world, 16), i32_1(world, 17),
    )  # fmt: skip


def tree_of(world: I64) -> Tree:
    """Return the broad phase of a world bundle."""
    return Tree(
        i32_1(world, 18), u8_1(world, 19), f32_3(world, 20), i32_1(world, 21),
        f64_1(world, 22), i32_1(world, 23),
    )  # fmt: skip


def scratch_of(world: I64) -> Scratch:
    """Return the scratch arrays for queries about a world bundle."""
    return Scratch(
        f64_2(world, 24), i32_1(world, 25), i32_1(world, 26), i32_1(world, 27),
        f64_1(world, 28), i32_1(world, 29),
    )  # fmt: skip


def mesh_scratch_of(world: I64) -> MeshScratch:
    """Return the scratch arrays for tests of meshes."""
    return (
        i64_1(world, 30), f64_2(world, 31), f64_2(world, 32), f64_2(world, 33),
        f64_1(world, 34), f32_1(world, 35), f32_1(world, 36), f32_1(world, 37),
        f64_1(world, 38), f32_1(world, 39), f64_1(world, 40), f64_1(world, 41),
    )  # fmt: skip


def selection_of(selection: I64) -> Selection:
    """Return the pairs of a selection bundle."""
    return Selection(i32_1(selection, 0), u8_1(selection, 1), i32_2(selection, 2))


def carried_of(carried: I64) -> Carried:
    """Return the solids that move with a body."""
    return Carried(
        i32_1(carried, 0), i32_1(carried, 1), f64_2(carried, 2), i32_1(carried, 3),
        i32_1(carried, 4), i32_1(carried, 5), i32_1(carried, 6), i32_2(carried, 7),
        f64_2(carried, 8), f64_2(carried, 9), f64_1(carried, 10), i32_1(carried, 11),
        f64_2(carried, 12), i32_1(carried, 13),
    )  # fmt: skip
