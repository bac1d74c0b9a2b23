"""All surfaces that rays cross, ray by ray.

The walk is that of a single ray, with nothing left out behind the nearest hit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.rays._kernels import barycentric, facing, load
from pyrave.geometry.rays.lanes._kernels import (
    BLOCK,
    DX,
    DY,
    DZ,
    HIGH,
    INSTANCE,
    LANE_ROWS,
    LEAST,
    LOW,
    OX,
    OY,
    OZ,
    ROW,
    exact_distance,
    turned_back,
)
from pyrave.geometry.rays.single._kernels import DOWN, FAR, UP, ZERO, aimed, entered
from pyrave.geometry.rays.solids._kernels import MESH, PLANE, interval
from pyrave.geometry.rays.triangles._kernels import leaf_hits
from pyrave.geometry.tree._kernels import LINKS, STACK
from pyrave.simd import lowest_bit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    F32 = NDArray[np.float32]
    I32 = NDArray[np.int32]
    I64 = NDArray[np.int64]
    U8 = NDArray[np.uint8]

JIT_ENTRIES = {
    "cross": ("ray crossings", 8),
    "describe": ("what is known of ray crossings", 2),
}


def cross(
    origins: F64, directions: F64, least: F64, most: F64, first: int, last: int,
    top_planes: F32, top_links: I32, top_frame: F64, endless: I32,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    found_ray: I64, found: I32, found_distance: F64, counts: I64,
) -> int:  # fmt: skip
    """Write the crossings of rays first..last; return one that is none, or -1.

    Parameters
    ----------
    found_ray, found, found_distance
        Output, (m,) number of the ray; (m, 2) instance and row of its triangle or -1;
        (m,) distance. Sorted by ray, then distance, instance and triangle.
    counts
        Output, (2,): the number of crossings, and the first ray that had no room.

    The rest is as in `pyrave.geometry.rays`.
    """
    lanes = np.empty((LANE_ROWS, BLOCK))
    stack = np.empty(STACK, np.int32)
    inner = np.empty(STACK, np.int32)
    entry = np.empty(8, np.float32)
    spans = np.empty(16, np.float32)
    ray = np.empty(1, np.int64)
    room = found_ray.shape[0]
    total = 0
    bad = -1
    counts[1] = last
    for r in range(first, last):
        ray[0] = r
        wrong, _ = load(ray, 1, origins, directions, least, most, lanes)
        if wrong >= 0:
            bad = wrong if bad < 0 else bad
            continue
        begin = total
        for k in range(endless.shape[0]):
            i = endless[k]
            if skip[i] == 0:
                total = through(
                    kinds, dims, poses, i, lanes, found, found_distance, total
                )
        if top_planes.shape[0] > 0:
            x = np.float32(lanes[OX, 0] - top_frame[0])
            y = np.float32(lanes[OY, 0] - top_frame[1])
            z = np.float32(lanes[OZ, 0] - top_frame[2])
            nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, _ = aimed(
                x, y, z, lanes[DX, 0], lanes[DY, 0], lanes[DZ, 0], top_frame[3]
            )
            low = np.float32(lanes[LEAST, 0]) * DOWN
            high = np.float32(lanes[HIGH, 0]) * UP
            stack[0] = 0
            top = 1
            while top > 0:
                top -= 1
                node = stack[top]
                mask = entered(
                    top_planes, node, nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz,
                    low, high, entry,
                )  # fmt: skip
                while mask != 0:
                    link = top_links[node, LINKS, lowest_bit(mask)]
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
                            poses, i, lanes, inner, entry, spans,
                            found, found_distance, total,
                        )  # fmt: skip
                    else:
                        total = through(
                            kinds, dims, poses, i, lanes, found, found_distance, total
                        )
        if total > room:
            # what did not fit was counted only
            counts[0] = begin
            counts[1] = r
            return bad
        order(found, found_distance, numbers, begin, total)
        for k in range(begin, total):
            found_ray[k] = r
    counts[0] = total
    return bad


def through(
    kinds: I32, dims: F64, poses: F64, i: int, lanes: F64,
    found: I32, found_distance: F64, total: int,
) -> int:  # fmt: skip
    """Add where the ray of lane 0 enters and leaves a primitive; return the total."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, 0] - poses[i, 0, 3],
        lanes[OY, 0] - poses[i, 1, 3],
        lanes[OZ, 0] - poses[i, 2, 3],
    )
    dx, dy, dz = turned_back(poses, i, lanes[DX, 0], lanes[DY, 0], lanes[DZ, 0])
    near, far = interval(
        kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], ox, oy, oz, dx, dy, dz
    )
    if near > far:
        return total
    total = add(lanes, i, -1, near, found, found_distance, total)
    if far > near:
        total = add(lanes, i, -1, far, found, found_distance, total)
    return total


def add(
    lanes: F64, i: int, k: int, t: float, found: I32, found_distance: F64, total: int
) -> int:
    """Add a crossing if it is in range and there is room; return the total."""
    if not (t >= lanes[LEAST, 0] and t <= lanes[HIGH, 0]):
        return total
    if total < found.shape[0]:
        found[total, 0] = i
        found[total, 1] = k
        found_distance[total] = t
    return total + 1


def through_mesh(
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64,
    places: I32, frames: F64, poses: F64, i: int, lanes: F64,
    stack: I32, entry: F32, spans: F32,
    found: I32, found_distance: F64, total: int,
) -> int:  # fmt: skip
    """Add the triangles of a mesh that the ray of lane 0 crosses; return the total."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, 0] - poses[i, 0, 3],
        lanes[OY, 0] - poses[i, 1, 3],
        lanes[OZ, 0] - poses[i, 2, 3],
    )
    dx, dy, dz = turned_back(poses, i, lanes[DX, 0], lanes[DY, 0], lanes[DZ, 0])
    ox, oy, oz = ox - frames[i, 0], oy - frames[i, 1], oz - frames[i, 2]
    size = frames[i, 3]
    shift = 0.0
    if max(abs(ox), abs(oy), abs(oz)) > FAR * size:
        shift = max(-(ox * dx + oy * dy + oz * dz) - 2.0 * size, 0.0)
        ox, oy, oz = ox + shift * dx, oy + shift * dy, oz + shift * dz
    x, y, z = np.float32(ox), np.float32(oy), np.float32(oz)
    ux, uy, uz = np.float32(dx), np.float32(dy), np.float32(dz)
    nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, reach = aimed(
        x, y, z, dx, dy, dz, size
    )
    low = max(np.float32(lanes[LEAST, 0] - shift) * DOWN, ZERO)
    high = np.float32(lanes[HIGH, 0] - shift) * UP
    first_node, first_group, first_row = places[i, 0], places[i, 1], places[i, 2]
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = first_node + stack[top]
        mask = entered(
            planes, node, nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz,
            low, high, entry,
        )  # fmt: skip
        while mask != 0:
            link = links[node, LINKS, lowest_bit(mask)]
            mask &= mask - 1
            if link >= 0:
                stack[top] = link
                top += 1
                continue
            g = first_group + ~link
            maybe, _ = leaf_hits(groups, g, x, y, z, ux, uy, uz, reach, high, spans)
            while maybe != 0:
                k = first_row + firsts[g] + lowest_bit(maybe)
                maybe &= maybe - 1
                t = exact_distance(lanes, 0, i, k, poses, corners)
                total = add(lanes, i, k, t, found, found_distance, total)
    return total


def order(found: I32, found_distance: F64, numbers: I32, begin: int, end: int) -> None:
    """Sort the crossings of one ray, of which there are few, by insertion."""
    for k in range(begin + 1, end):
        t, i, row = found_distance[k], found[k, 0], found[k, 1]
        number = numbers[row] if row >= 0 else -1
        j = k
        while j > begin:
            before = found_distance[j - 1]
            if before < t:
                break
            if before == t:
                other = numbers[found[j - 1, 1]] if found[j - 1, 1] >= 0 else -1
                if found[j - 1, 0] < i or (found[j - 1, 0] == i and other <= number):
                    break
            found_distance[j] = before
            found[j, 0] = found[j - 1, 0]
            found[j, 1] = found[j - 1, 1]
            j -= 1
        found_distance[j] = t
        found[j, 0] = i
        found[j, 1] = row


def describe(
    origins: F64, directions: F64, least: F64, most: F64,
    kinds: I32, dims: F64, poses: F64, ids: I64, corners: F64, numbers: I32,
    found_ray: I64, found: I32, found_distance: F64,
    id_: I64, instance: I32, triangle: I32, position: F64, normal: F64, weights: F64,
) -> None:  # fmt: skip
    """Write what is wanted of m crossings; as `pyrave.geometry.rays` does."""
    lanes = np.empty((LANE_ROWS, BLOCK))
    ray = np.empty(1, np.int64)
    for c in range(found_ray.shape[0]):
        i, k, t = found[c, 0], found[c, 1], found_distance[c]
        if c == 0 or found_ray[c] != found_ray[c - 1]:
            ray[0] = found_ray[c]
            load(ray, 1, origins, directions, least, most, lanes)
        lanes[LOW, 0] = t
        lanes[INSTANCE, 0] = i
        lanes[ROW, 0] = k
        id_[c] = ids[i]
        if instance.shape[0] > 0:
            instance[c] = i
        if triangle.shape[0] > 0:
            triangle[c] = numbers[k] if k >= 0 else -1
        if position.shape[0] > 0:
            position[c, 0] = lanes[OX, 0] + t * lanes[DX, 0]
            position[c, 1] = lanes[OY, 0] + t * lanes[DY, 0]
            position[c, 2] = lanes[OZ, 0] + t * lanes[DZ, 0]
        if normal.shape[0] > 0:
            x, y, z = facing(lanes, 0, kinds, dims, poses, corners)
            normal[c, 0], normal[c, 1], normal[c, 2] = x, y, z
        if weights.shape[0] > 0:
            x, y, z = barycentric(lanes, 0, poses, corners)
            weights[c, 0], weights[c, 1], weights[c, 2] = x, y, z
