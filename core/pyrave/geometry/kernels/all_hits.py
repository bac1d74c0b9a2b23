"""All surfaces that rays cross, ray by ray.

Rays walk one after the other, and nothing is left out behind the nearest hit. Answers
are those of `scalar`, in half the time; compiling takes longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.aabb import (
    AIM,
    COLUMNS,
    LINK,
    NODE,
    aim,
    box_intervals,
    octant_of,
)
from pyrave.geometry.kernels.bvh import STACK
from pyrave.geometry.kernels.primitives import MESH, PLANE
from pyrave.geometry.kernels.ray_block import (
    BLOCK,
    DX,
    DY,
    DZ,
    HIGH,
    LANE_ROWS,
    LEAST,
    OX,
    OY,
    OZ,
    exact_distance,
    load,
)
from pyrave.geometry.kernels.scalar_ray import order
from pyrave.geometry.kernels.traversal import aim_in_mesh, crossed
from pyrave.geometry.kernels.triangles import leaf_hits
from pyrave.simd import at, lowest_bit, movemask

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
        I64_1,
        U8_1,
    )

JIT_ENTRIES = ("cross",)
JIT_NO_ARRAYS = ("through", "add", "through_mesh")


def cross(
    origins: F64_2, directions: F64_2, least: F64_1, most: F64_1, first: int, last: int,
    top_planes: F32_3, top_links: I32_1, top_frame: F64_1, endless: I64_1,
    kinds: I32_1, dims: F64_2, poses: F64_3, skip: U8_1, places: I32_2, frames: F64_2,
    planes: F32_3, links: I32_1, groups: F32_3, firsts: I32_1, corners: F64_2,
    numbers: I32_1,
    found_ray: I64_1, found: I32_1, found_row: I32_1, found_distance: F64_1,
    counts: I64_1,
) -> bool:  # fmt: skip
    """Write the crossings of rays first..last; return whether each has a direction.

    Arguments are as in `pyrave.geometry.kernels.scalar.cross`.
    """
    lanes = np.empty((LANE_ROWS, BLOCK))
    stack = np.empty(STACK, np.int32)
    inner = np.empty(STACK, np.int32)
    aims = np.empty((AIM, COLUMNS), np.float32)
    spans = np.empty(16, np.float32)
    ray = np.empty(1, np.int64)
    room = found_ray.shape[0]
    total = 0
    fine = True
    counts[1] = last
    for r in range(first, last):
        ray[0] = r
        if not load(ray, 1, origins, directions, least, most, lanes):
            fine = False
        begin = total
        for k in range(endless.shape[0]):
            i = endless[k]
            if skip[i] == 0:
                total = through(
                    kinds, dims, poses, i, lanes,
                    found, found_row, found_distance, total,
                )  # fmt: skip
        if top_planes.shape[0] > 0:
            aim(
                lanes[OX, 0] - top_frame[0],
                lanes[OY, 0] - top_frame[1],
                lanes[OZ, 0] - top_frame[2],
                lanes[DX, 0], lanes[DY, 0], lanes[DZ, 0],
                top_frame[3], lanes[LEAST, 0], lanes[HIGH, 0], aims, 0,
            )  # fmt: skip
            octant = octant_of(aims, 0)
            stack[0] = 0
            top = 1
            while top > 0:
                top -= 1
                node = NODE * int(stack[top])
                near, far = box_intervals(top_planes, node, octant, aims, 0)
                mask = movemask(near <= far)
                while mask != 0:
                    link = at(top_links, node + LINK + lowest_bit(mask))
                    mask &= mask - 1
                    if link >= 0:
                        stack[top] = link
                        top += 1
                        continue
                    i = ~link
                    if skip[i] != 0 or kinds[i] <= PLANE:
                        continue
                    if kinds[i] == MESH:
                        total = through_mesh(
                            planes, links, groups, firsts, corners, places, frames,
                            poses, i, lanes, inner, aims, spans,
                            found, found_row, found_distance, total,
                        )  # fmt: skip
                    else:
                        total = through(
                            kinds, dims, poses, i, lanes,
                            found, found_row, found_distance, total,
                        )  # fmt: skip
        if total > room:
            # what did not fit was counted only
            counts[0] = begin
            counts[1] = r
            return fine
        order(found, found_row, found_distance, numbers, begin, total)
        for k in range(begin, total):
            found_ray[k] = r
    counts[0] = total
    return fine


def through(
    kinds: I32, dims: F64, poses: F64, i: int, lanes: F64,
    found: I32, found_row: I32, found_distance: F64, total: int,
) -> int:  # fmt: skip
    """Add where the ray of lane 0 enters and leaves a primitive; return the total."""
    near, far = crossed(kinds, dims, poses, i, lanes, 0)
    if near > far:
        return total
    total = add(lanes, i, -1, near, found, found_row, found_distance, total)
    if far > near:
        total = add(lanes, i, -1, far, found, found_row, found_distance, total)
    return total


def add(
    lanes: F64, i: int, k: int, t: float,
    found: I32, found_row: I32, found_distance: F64, total: int,
) -> int:  # fmt: skip
    """Add a crossing if it is in range and there is room; return the total."""
    if not (t >= lanes[LEAST, 0] and t <= lanes[HIGH, 0]):
        return total
    if total < found.shape[0]:
        found[total] = i
        found_row[total] = k
        found_distance[total] = t
    return total + 1


def through_mesh(
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64,
    places: I32, frames: F64, poses: F64, i: int, lanes: F64,
    stack: I32, aims: F32, spans: F32,
    found: I32, found_row: I32, found_distance: F64, total: int,
) -> int:  # fmt: skip
    """Add the triangles of a mesh that the ray of lane 0 crosses; return the total."""
    aim_in_mesh(
        poses, frames, i,
        lanes[OX, 0], lanes[OY, 0], lanes[OZ, 0],
        lanes[DX, 0], lanes[DY, 0], lanes[DZ, 0],
        lanes[LEAST, 0], lanes[HIGH, 0],
        aims, 1,
    )  # fmt: skip
    octant = octant_of(aims, 1)
    first_node, first_group, first_row = places[i, 0], places[i, 1], places[i, 2]
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = NODE * (first_node + int(stack[top]))
        near, far = box_intervals(planes, node, octant, aims, 1)
        mask = movemask(near <= far)
        while mask != 0:
            link = at(links, node + LINK + lowest_bit(mask))
            mask &= mask - 1
            if link >= 0:
                stack[top] = link
                top += 1
                continue
            g = first_group + ~link
            maybe, _ = leaf_hits(groups, g, aims, 1, spans)
            while maybe != 0:
                k = first_row + firsts[g] + lowest_bit(maybe)
                maybe &= maybe - 1
                t = exact_distance(lanes, 0, i, k, poses, corners)
                total = add(lanes, i, k, t, found, found_row, found_distance, total)
    return total
