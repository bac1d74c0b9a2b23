"""Casts of rays that have nothing in common: each is walked alone.

Those that start near each other and go much the same way are walked one after another,
so that what one has looked at is still at hand for the next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.rays.lanes._kernels import (
    BLOCK,
    HIGH,
    LANE_ROWS,
    LOW,
    ROW,
    SHORTEST,
    load,
    report,
    settle,
)
from pyrave.geometry.rays.single._kernels import walk_scene
from pyrave.geometry.tree._kernels import STACK
from pyrave.simd import prefetch

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    F32 = NDArray[np.float32]
    I32 = NDArray[np.int32]
    I64 = NDArray[np.int64]
    U8 = NDArray[np.uint8]

# arrays are borrowed from the caller: no counting of references
JIT_OPTIONS: dict[str, dict[str, bool]] = {"*": {"_nrt": False}}
JIT_ENTRIES = {"cast_apart": ("casts of single rays", 7)}

# Rays that are put in order at once, cells along an axis, and all cells of octants.
SORTED = 4096
CELLS = 4
BUCKETS = 8 * CELLS**3
# What a cast writes on: shapes and types of its last arguments.
SCRATCH = (
    ((LANE_ROWS, BLOCK), np.float64),
    ((SORTED,), np.int64),
    ((BLOCK,), np.int64),
    ((SORTED,), np.int64),
    ((BUCKETS,), np.int64),
    ((STACK,), np.int32),
    ((STACK,), np.float32),
    ((STACK,), np.int32),
    ((STACK,), np.float32),
    ((8,), np.float32),
    ((16,), np.float32),
)


def cast_apart(
    chosen: I64, first: int, last: int,
    origins: F64, directions: F64, least: F64, most: F64, any_hit: bool,
    top_planes: F32, top_links: I32, top_frame: F64, endless: I64,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    ids: I64, distance: F64, id_: I64, instance: I32, row: I32,
    lanes: F64, order: I64, rays: I64, buckets: I64, ends: I64,
    stack: I32, entries: F32, inner: I32, inner_entries: F32, entry: F32, spans: F32,
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
    for begin in range(first, last, SORTED):
        n = min(last - begin, SORTED)
        sort(chosen, begin, n, origins, directions, order, buckets, ends)
        for start in range(0, n, BLOCK):
            count = min(n - start, BLOCK)
            for w in range(count):
                rays[w] = order[start + w]
            if not load(rays, count, origins, directions, least, most, lanes):
                fine = False
            for w in range(count):
                walk_scene(
                    top_planes, top_links, top_frame, endless,
                    kinds, dims, poses, skip, places, frames,
                    planes, links, groups, firsts, corners, numbers,
                    lanes, w, any_hit, stack, entries, inner, inner_entries, entry,
                    spans,
                )  # fmt: skip
                if lanes[LOW, w] < lanes[HIGH, w]:
                    prefetch(corners, 9 * int(lanes[ROW, w]))
                    prefetch(corners, 9 * int(lanes[ROW, w]) + 8)
            for w in range(count):
                settle(lanes, w, poses, corners)
            report(rays, count, lanes, ids, distance, id_, instance, row)
    return fine


def sort(
    chosen: I64, begin: int, n: int, origins: F64, directions: F64,
    order: I64, buckets: I64, ends: I64,
) -> None:  # fmt: skip
    """Write n rays in the order of the cells they start in and of their octants."""
    all_rays = chosen.shape[0] == 0
    o = 0 if origins.shape[0] == 1 else 1
    x0, y0, z0 = np.inf, np.inf, np.inf
    x1, y1, z1 = -np.inf, -np.inf, -np.inf
    for k in range(n):
        r = begin + k if all_rays else chosen[begin + k]
        order[k] = r
        x, y, z = origins[r * o, 0], origins[r * o, 1], origins[r * o, 2]
        x0, x1 = min(x0, x), max(x1, x)
        y0, y1 = min(y0, y), max(y1, y)
        z0, z1 = min(z0, z), max(z1, z)
    if n <= BLOCK:
        return
    # a little less than the number of cells: none lies beyond the last
    sx = 0.999 * CELLS / (x1 - x0) if x1 - x0 > SHORTEST else 0.0
    sy = 0.999 * CELLS / (y1 - y0) if y1 - y0 > SHORTEST else 0.0
    sz = 0.999 * CELLS / (z1 - z0) if z1 - z0 > SHORTEST else 0.0
    for q in range(BUCKETS):
        ends[q] = 0
    for k in range(n):
        r = order[k]
        x, y, z = origins[r * o, 0] - x0, origins[r * o, 1] - y0, origins[r * o, 2] - z0
        q = (int(z * sz) * CELLS + int(y * sy)) * CELLS + int(x * sx)
        for a in range(3):
            q = 2 * q + int(directions[r, a] < 0.0)
        buckets[k] = q
        ends[q] += 1
    total = 0
    for q in range(BUCKETS):
        total += ends[q]
        ends[q] = total - ends[q]
    for k in range(n):
        q = buckets[k]
        order[ends[q]] = begin + k if all_rays else chosen[begin + k]
        ends[q] += 1
