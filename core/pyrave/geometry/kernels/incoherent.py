"""Casts of rays that have nothing in common, in blocks of 64."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.ray_block import (
    BLOCK,
    LANE_ROWS,
    load,
    report,
    settle_all,
)
from pyrave.geometry.kernels.traversal import SCRATCH as WALK_SCRATCH
from pyrave.geometry.kernels.traversal import walk

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F32_1,
        F32_2,
        F32_3,
        F64_1,
        F64_2,
        F64_3,
        I32_1,
        I32_2,
        I64_1,
        I64_2,
        U8_1,
    )

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("cast_incoherent",)

# What a cast writes on: shapes and types of its last arguments.
SCRATCH = (
    ((LANE_ROWS, BLOCK), np.float64),
    ((BLOCK,), np.int64),
    ((BLOCK,), np.int64),
    *WALK_SCRATCH,
)


def cast_incoherent(
    chosen: I64_1, first: int, last: int,
    origins: F64_2, directions: F64_2, least: F64_1, most: F64_1, any_hit: bool,
    top_planes: F32_3, top_links: I32_1, top_frame: F64_1, endless: I64_1,
    kinds: I32_1, dims: F64_2, poses: F64_3, skip: U8_1, places: I32_2, frames: F64_2,
    planes: F32_3, links: I32_1, groups: F32_3, firsts: I32_1, corners: F64_2,
    numbers: I32_1,
    ids: I64_1, distance: F64_1, id_: I64_1, instance: I32_1, row: I32_1,
    lanes: F64_2, rays: I64_1, unsettled: I64_1,
    stack: I32_1, entries: F32_1, states: I64_2, aims: F32_2, shifts: F64_1,
    spans: F32_1,
) -> bool:  # fmt: skip
    """Cast rays first..last; return whether each has a direction.

    Parameters
    ----------
    chosen
        (m,) numbers of rays, of which first..last are cast; of length 0 for all rays.
    origins, directions
        (1, 3) or (n, 3), and (n, 3) float64; world frame, of any length but 0.
    least, most
        (1,) or (n,) float64; range in which a hit counts, both ends included.
    any_hit
        Whether any hit will do.
    top_planes, top_links, top_frame
        Tree over the instances, and centre and size of its boxes. Links are the flat
        memory of the planes.
    endless
        Instances without a box.
    kinds, dims, poses, skip
        (k,) kind; (k, 3) sizes; (k, 4, 4) T_world_solid; (k,) 1 to leave it out.
    places, frames
        (k, 3) where the nodes, leaves and triangles of its mesh begin; (k, 4)
        centre and size of the mesh.
    planes, links, groups, firsts, corners, numbers
        Trees of all meshes, one after the other.
    ids
        (k,) number that hits report.
    distance, id_
        Output, (n,): inf and -1 at a miss.
    instance, row
        Output, (n,), or of length 0 if not wanted: what was hit and the row of its
        triangle in `corners`, -1 if there is none.
    """
    fine = True
    for begin in range(first, last, BLOCK):
        count = min(last - begin, BLOCK)
        for w in range(count):
            rays[w] = chosen[begin + w] if chosen.shape[0] > 0 else begin + w
        if not load(rays, count, origins, directions, least, most, lanes):
            fine = False
        walk(
            top_planes, top_links, top_frame, endless,
            kinds, dims, poses, skip, places, frames,
            planes, links, groups, firsts, corners, numbers,
            lanes, count, any_hit,
            stack, entries, states, aims, shifts, spans,
        )  # fmt: skip
        settle_all(lanes, count, poses, corners, unsettled)
        report(rays, count, lanes, ids, distance, id_, instance, row)
    return fine
