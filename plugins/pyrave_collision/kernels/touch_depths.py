"""Pairs of solids that may touch as deep as they are given, and no deeper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.jit.bundles import f64_1, i64_1
from pyrave_collision.kernels.convex.distances import convex_distance
from pyrave_collision.kernels.layout import (
    DEPTHS,
    PAIRS_THAT_TOUCH,
    mesh_scratch_of,
    meshes_of,
    scratch_of,
    solids_of,
)
from pyrave_collision.kernels.meshes.mesh_solid_depths import mesh_depth
from pyrave_collision.kernels.meshes.results import CONTACT, NEAREST
from pyrave_collision.kernels.touching_pairs import place_of

if TYPE_CHECKING:
    from pyrave.jit.arrays import I64_2

JIT_ENTRIES = ("pair_depth", "is_deeper")
JIT_NO_ARRAYS = ("*",)

_CONTACT, _NEAR = 8, 7
"""Rows of the scratch columns that are written on."""


def is_deeper(world: I64_2, selection: I64_2, a: int, b: int, way: float) -> bool:
    """Return True if two solids get deeper than a selection lets them.

    Parameters
    ----------
    way
        By how much they may come nearer to each other, metres.
    """
    place = place_of(i64_1(selection, PAIRS_THAT_TOUCH), a, b)
    most = f64_1(selection, DEPTHS)[place]
    return bool(pair_depth(world, a, b, way) + way > most)


def pair_depth(world: I64_2, a: int, b: int, limit: float) -> float:
    """Return the penetration depth of the solids of two rows, metres.

    Minus their distance if they are apart; those beyond the limit are not told apart.
    """
    solids, meshes = solids_of(world), meshes_of(world)
    scratch = scratch_of(world)
    near = scratch.columns[_NEAR, :NEAREST]
    if solids.slots[a] >= 0 or solids.slots[b] >= 0:
        return mesh_depth(
            a, b, limit, solids, meshes, mesh_scratch_of(world),
            scratch.columns[_CONTACT : _CONTACT + 1, :CONTACT], near,
        )  # fmt: skip
    return -convex_distance(
        solids.shapes[a], solids.poses[a], solids.shapes[b], solids.poses[b],
        solids.vertices, solids.starts, solids.neighbours, limit, scratch.pair, near,
    )  # fmt: skip
