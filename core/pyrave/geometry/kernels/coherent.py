"""Casts of rays from one point, in blocks of 64.

A block whose rays go much the same way is walked as a packet, four packets of 16 if
they spread more. Which it is has no influence on the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.bvh import STACK
from pyrave.geometry.kernels.packets import FLOAT_ROWS, LEAF_SIZE, packet_scene
from pyrave.geometry.kernels.ray_block import (
    BLOCK,
    DX,
    DY,
    DZ,
    LANE_ROWS,
    load,
    report,
    settle_all,
)
from pyrave.simd import load16, movemask, reduce_add, spread16

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F32_1,
        F32_2,
        F32_3,
        F64,
        F64_1,
        F64_2,
        F64_3,
        I32_1,
        I32_2,
        I64,
        I64_1,
        U8_1,
    )

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("cast_coherent",)

TILE = 8
FIRST = 0
# Cosine of the angle between a ray and the mean one up to which 64 rays, or 16, are
# walked together.
NARROW = 0.995
NARROW_16 = 0.9
# What a cast writes on: shapes and types of its last arguments.
SCRATCH = (
    ((LANE_ROWS, BLOCK), np.float64),
    ((FLOAT_ROWS, BLOCK), np.float32),
    ((BLOCK,), np.int64),
    ((BLOCK,), np.int64),
    ((STACK,), np.int32),
    ((STACK,), np.float32),
    ((STACK,), np.int32),
    ((STACK,), np.float32),
    ((8,), np.float32),
    ((6,), np.float32),
    ((LEAF_SIZE,), np.float32),
)


def cast_coherent(
    chosen: I64_1, width: int, first: int, last: int,
    origins: F64_2, directions: F64_2, least: F64_1, most: F64_1, any_hit: bool,
    top_planes: F32_3, top_links: I32_1, top_frame: F64_1, endless: I64_1,
    kinds: I32_1, dims: F64_2, poses: F64_3, skip: U8_1, places: I32_2, frames: F64_2,
    planes: F32_3, links: I32_1, groups: F32_3, firsts: I32_1, corners: F64_2,
    numbers: I32_1,
    ids: I64_1, distance: F64_1, id_: I64_1, instance: I32_1, row: I32_1,
    remaining: I64_1,
    lanes: F64_2, floats: F32_2, rays: I64_1, unsettled: I64_1,
    stack: I32_1, entries: F32_1, inner: I32_1, inner_entries: F32_1, entry: F32_1,
    slopes: F32_1, leaf: F32_1,
) -> int:  # fmt: skip
    """Cast the rays of blocks first..last; return how many remain to be cast apart.

    Parameters
    ----------
    chosen
        (m,) numbers of rays, each a block of its own; of length 0 for all rays.
    width
        If not 0, rays are rows of an image of that width, and blocks are tiles of it.
    remaining
        Output, (64 (last - first),): numbers of rays that are no packet, or meet meshes
        which are far away.

    Returns
    -------
    int
        The number of those; -1 if some ray has no direction.

    The rest is as in `pyrave.geometry.kernels.incoherent`.
    """
    fine = True
    n_left = 0
    for block in range(first, last):
        if chosen.shape[0] > 0:
            rays[0] = chosen[block]
            count = 1
        else:
            count = choose_rays(block, width, directions.shape[0], rays)
        if not load(rays, count, origins, directions, least, most, lanes):
            fine = False
        end = (count + 15) // 16 * 16
        step = coherent(lanes, end)
        done = step > 0
        for begin in range(0, end, max(step, 1)):
            if not done:
                break
            done = packet_scene(
                top_planes, top_links, top_frame, endless,
                kinds, dims, poses, skip, places, frames,
                planes, links, groups, firsts, corners, numbers,
                lanes, begin, min(begin + step, end), any_hit,
                stack, entries, inner, inner_entries, entry, floats, slopes, leaf,
            )  # fmt: skip
        if not done:
            for w in range(count):
                remaining[n_left + w] = rays[w]
            n_left += count
            continue
        settle_all(lanes, count, poses, corners, unsettled)
        report(rays, count, lanes, ids, distance, id_, instance, row)
    return n_left if fine else -1


def choose_rays(block: int, width: int, n: int, rays: I64) -> int:
    """Write the numbers of the rays of a block; return how many there are."""
    if width == 0:
        count = min(BLOCK, n - block * BLOCK)
        for w in range(count):
            rays[w] = block * BLOCK + w
        return count
    across = (width + TILE - 1) // TILE
    x0 = block % across * TILE
    y0 = block // across * TILE
    height = n // width
    count = 0
    # four squares of four by four, so that each half and quarter is compact too
    for quarter in range(4):
        for k in range(16):
            x = x0 + quarter % 2 * 4 + k % 4
            y = y0 + quarter // 2 * 4 + k // 4
            if x < width and y < height:
                rays[count] = y * width + x
                count += 1
    return count


def coherent(lanes: F64, end: int) -> int:
    """Return the number of rays of a block that walk together: 64, 16 or none."""
    if narrow(lanes, int(FIRST), end, NARROW):
        return BLOCK
    for begin in range(0, end, 16):
        if not narrow(lanes, begin, begin + 16, NARROW_16):
            return 0
    return 16


def narrow(lanes: F64, begin: int, end: int, least: float) -> bool:
    """Return True if directions are near their mean, by the cosine of the angle."""
    x, y, z = spread16(0.0), spread16(0.0), spread16(0.0)
    w = begin
    while w < end:
        x = x + load16(lanes, BLOCK * DX + w)
        y = y + load16(lanes, BLOCK * DY + w)
        z = z + load16(lanes, BLOCK * DZ + w)
        w += 16
    sx, sy, sz = reduce_add(x), reduce_add(y), reduce_add(z)
    bound = least * math.sqrt(sx * sx + sy * sy + sz * sz)
    if bound <= 0.0:
        return False
    w = begin
    while w < end:
        along = (
            load16(lanes, BLOCK * DX + w) * sx
            + load16(lanes, BLOCK * DY + w) * sy
            + load16(lanes, BLOCK * DZ + w) * sz
        )
        if movemask(along < bound) != 0:
            return False
        w += 16
    return True
