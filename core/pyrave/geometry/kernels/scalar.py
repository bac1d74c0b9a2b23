"""Casts of rays one by one, in plain arithmetic that any numba compiles, and soon.

They answer what `coherent` and `incoherent` answer, bit by bit, which are quicker but
take long to compile, and need `pyrave.simd` to be compiled at all. Where a scene has no
meshes, or nothing else, `scalar_none` takes the place of what meets those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.bvh import STACK, WIDTH
from pyrave.geometry.kernels.exact import turned_back
from pyrave.geometry.kernels.primitives import MESH, PLANE
from pyrave.geometry.kernels.scalar_mesh import meet_mesh
from pyrave.geometry.kernels.scalar_primitive import meet_primitive
from pyrave.geometry.kernels.scalar_ray import (
    ALL,
    ANY,
    COUNT,
    INSTANCE,
    MOST,
    NEAREST,
    NO_TRIANGLE,
    RAY,
    ROW,
    SCENE,
    D,
    O,
    aim,
    load,
    order,
    push,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import (
        F32,
        F32_3,
        F64,
        F64_1,
        F64_2,
        F64_3,
        I32,
        I32_1,
        I32_2,
        I64,
        I64_1,
        U8,
        U8_1,
    )

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("cast", "cross")

# What casts write on: shapes and types of their last arguments. A tree's links lie
# above those of the scene; nodes write all their slots.
SCRATCH = (
    ((RAY,), np.float64),
    ((3,), np.int64),
    ((2 * STACK + WIDTH,), np.int64),
    ((2 * STACK + WIDTH,), np.float64),
    ((2, WIDTH), np.float64),
)


def cast(
    chosen: I64_1, first: int, last: int,
    origins: F64_2, directions: F64_2, least: F64_1, most: F64_1, any_hit: bool,
    top_planes: F32_3, top_links: I32_1, top_frame: F64_1, endless: I64_1,
    kinds: I32_1, dims: F64_2, poses: F64_3, skip: U8_1, places: I32_2, frames: F64_2,
    planes: F32_3, links: I32_1, groups: F32_3, firsts: I32_1, corners: F64_2,
    numbers: I32_1,
    ids: I64_1, distance: F64_1, id_: I64_1, instance: I32_1, row: I32_1,
    ray: F64_1, hit: I64_1, stack: I64_1, entries: F64_1, slots: F64_2,
) -> bool:  # fmt: skip
    """Cast rays first..last; return whether each has a direction.

    Arguments are as in `pyrave.geometry.kernels.incoherent`.
    """
    mode = ANY if any_hit else NEAREST
    fine = True
    for c in range(first, last):
        r = chosen[c] if chosen.shape[0] > 0 else c
        if not load(r, origins, directions, least, most, ray):
            fine = False
        hit[INSTANCE] = -1
        hit[ROW] = NO_TRIANGLE
        walk(
            mode, top_planes, top_links, top_frame, endless,
            kinds, dims, poses, skip, places, frames,
            planes, links, groups, firsts, corners, numbers,
            instance, row, distance, ray, hit, stack, entries, slots,
        )  # fmt: skip
        i = hit[INSTANCE]
        distance[r] = ray[MOST] if i >= 0 else np.inf
        id_[r] = ids[i] if i >= 0 else -1
        if instance.shape[0] > 0:
            instance[r] = i
            row[r] = hit[ROW]
    return fine


def cross(
    origins: F64_2, directions: F64_2, least: F64_1, most: F64_1, first: int, last: int,
    top_planes: F32_3, top_links: I32_1, top_frame: F64_1, endless: I64_1,
    kinds: I32_1, dims: F64_2, poses: F64_3, skip: U8_1, places: I32_2, frames: F64_2,
    planes: F32_3, links: I32_1, groups: F32_3, firsts: I32_1, corners: F64_2,
    numbers: I32_1,
    found_ray: I64_1, found: I32_1, found_row: I32_1, found_distance: F64_1,
    counts: I64_1,
    ray: F64_1, hit: I64_1, stack: I64_1, entries: F64_1, slots: F64_2,
) -> bool:  # fmt: skip
    """Write the crossings of rays first..last; return whether each has a direction.

    Parameters
    ----------
    found_ray, found, found_row, found_distance
        Output, (m,) each: number of the ray; instance; row of its triangle, or -1;
        distance. Sorted by ray, then distance, instance and triangle.
    counts
        Output, (2,): the number of crossings, and the first ray that had no room.

    The rest is as in `pyrave.geometry.kernels.incoherent`.
    """
    fine = True
    hit[COUNT] = 0
    counts[1] = last
    for r in range(first, last):
        if not load(r, origins, directions, least, most, ray):
            fine = False
        begin = hit[COUNT]
        walk(
            ALL, top_planes, top_links, top_frame, endless,
            kinds, dims, poses, skip, places, frames,
            planes, links, groups, firsts, corners, numbers,
            found, found_row, found_distance, ray, hit, stack, entries, slots,
        )  # fmt: skip
        if hit[COUNT] > found.shape[0]:
            # what did not fit was counted only
            counts[0] = begin
            counts[1] = r
            return fine
        order(found, found_row, found_distance, numbers, begin, hit[COUNT])
        for k in range(begin, hit[COUNT]):
            found_ray[k] = r
    counts[0] = hit[COUNT]
    return fine


def walk(
    mode: int, top_planes: F32, top_links: I32, top_frame: F64, endless: I64,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    found: I32, found_row: I32, found_distance: F64,
    ray: F64, hit: I64, stack: I64, entries: F64, slots: F64,
) -> None:  # fmt: skip
    """Let a ray meet what is in the scene, until it has met what it looks for."""
    n = endless.shape[0]
    i: Any
    top = 0
    if top_planes.shape[0] > 0:
        aim(
            ray[O] - top_frame[0], ray[O + 1] - top_frame[1], ray[O + 2] - top_frame[2],
            ray[D], ray[D + 1], ray[D + 2], top_frame[3], ray, SCENE,
        )  # fmt: skip
        stack[0] = 0
        entries[0] = 0.0
        top = 1
    while top > 0 or n > 0:
        if n > 0:
            n -= 1
            i = endless[n]
        else:
            top -= 1
            if entries[top] > ray[MOST]:
                continue
            link = stack[top]
            if link >= 0:
                top = push(
                    top_planes,
                    top_links,
                    link,
                    ray,
                    SCENE,
                    top,
                    stack,
                    entries,
                    slots,
                )
                continue
            i = ~link
            if kinds[i] <= PLANE:  # the tree holds a point for what is endless
                continue
        if skip[i] != 0:
            continue
        ox, oy, oz = turned_back(
            poses, i,
            ray[O] - poses[i, 0, 3], ray[O + 1] - poses[i, 1, 3],
            ray[O + 2] - poses[i, 2, 3],
        )  # fmt: skip
        dx, dy, dz = turned_back(poses, i, ray[D], ray[D + 1], ray[D + 2])
        if kinds[i] == MESH:
            meet_mesh(
                mode, i, ox, oy, oz, dx, dy, dz, places, frames,
                planes, links, groups, firsts, corners, numbers,
                found, found_row, found_distance,
                ray, hit, top, stack, entries, slots,
            )  # fmt: skip
        else:
            meet_primitive(
                mode, i, ox, oy, oz, dx, dy, dz, kinds, dims, numbers,
                found, found_row, found_distance, ray, hit,
            )  # fmt: skip
        if mode == ANY and hit[INSTANCE] >= 0:
            return
