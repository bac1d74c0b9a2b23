"""Cast rays at a scene of instances, in blocks of 64.

A block whose rays start at one point and go much the same way is walked as a packet,
four packets of 16 if they spread more, and ray by ray otherwise. Which it is has no
influence on the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

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
    settle,
    turned_back,
)
from pyrave.geometry.rays.packets._kernels import FLOAT_ROWS, LEAF_SIZE, packet_scene
from pyrave.geometry.rays.single._kernels import walk_scene
from pyrave.geometry.rays.solids._kernels import solid_normal
from pyrave.geometry.tree._kernels import STACK
from pyrave.simd import bits, choose, load16, prefetch, root, spread16, store, total

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    F32 = NDArray[np.float32]
    I32 = NDArray[np.int32]
    I64 = NDArray[np.int64]
    U8 = NDArray[np.uint8]
    Triple = tuple[float, float, float]

# arrays are borrowed from the caller: no counting of references
JIT_OPTIONS: dict[str, dict[str, bool]] = {"*": {"_nrt": False}, "cast": {"_nrt": True}}
JIT_ENTRIES = {"cast": ("ray casts", 20)}

TILE = 8
# Cosine of the angle between a ray and the mean one up to which 64 rays, or 16, are
# walked together.
NARROW = 0.995
NARROW_16 = 0.9
SHORTEST = 1e-150
LONGEST = 1e150
# Coordinates and ranges are at most so large, metres.
LIMIT = 1e12


def cast(
    origins: F64, directions: F64, least: F64, most: F64, width: int,
    first: int, last: int, any_hit: bool,
    top_planes: F32, top_links: I32, top_frame: F64, endless: I32,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64, ids: I64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    distance: F64, id_: I64, instance: I32, triangle: I32,
    position: F64, normal: F64, weights: F64,
) -> int:  # fmt: skip
    """Cast the rays of blocks first..last; return one that is none, or -1.

    Parameters
    ----------
    origins, directions
        (1, 3) or (n, 3), and (n, 3) float64; world frame, of any length but 0.
    least, most
        (1,) or (n,) float64; range in which a hit counts, both ends included.
    width
        If not 0, rays are rows of an image of that width, and blocks are tiles of it.
    any_hit
        Whether any hit will do.
    top_planes, top_links, top_frame
        Tree over the instances, and centre and size of its boxes.
    endless
        Instances without a box.
    kinds, dims, poses, skip, ids
        (k,) kind; (k, 3) sizes; (k, 4, 4) T_world_solid; (k,) 1 to leave it out; (k,)
        number that hits report.
    places, frames
        (k, 3) where the nodes, leaves and triangles of its mesh begin; (k, 4)
        centre and size of the mesh.
    planes, links, groups, firsts, corners, numbers
        Trees of all meshes, one after the other.
    distance, id_
        Output, (n,): inf and -1 at a miss.
    instance, triangle, position, normal, weights
        Output, (n,) or (n, 3), or of length 0 if not wanted: -1, -1, nan, 0 and nan at
        a miss. Normals are unit vectors in the world that face the ray's origin,
        weights those of a triangle's corners.
    """
    lanes = np.empty((LANE_ROWS, BLOCK))
    floats = np.empty((FLOAT_ROWS, BLOCK), np.float32)
    stack = np.empty(STACK, np.int32)
    entries = np.empty(STACK, np.float32)
    inner = np.empty(STACK, np.int32)
    inner_entries = np.empty(STACK, np.float32)
    entry = np.empty(8, np.float32)
    spans = np.empty(16, np.float32)
    slopes = np.empty(6, np.float32)
    leaf = np.empty(LEAF_SIZE, np.float32)
    rays = np.empty(BLOCK, np.int64)
    bad = -1
    for block in range(first, last):
        count = choose_rays(block, width, directions.shape[0], rays)
        wrong, common = load(rays, count, origins, directions, least, most, lanes)
        if wrong >= 0 and bad < 0:
            bad = wrong
        step = coherent(lanes, count) if common else 0
        if step == 0:
            for w in range(count):
                walk_scene(
                    top_planes, top_links, top_frame, endless,
                    kinds, dims, poses, skip, places, frames,
                    planes, links, groups, firsts, corners, numbers,
                    lanes, w, any_hit, stack, entries, inner, inner_entries, entry,
                    spans,
                )  # fmt: skip
        else:
            for begin in range(0, count, step):
                packet_scene(
                    top_planes, top_links, top_frame, endless,
                    kinds, dims, poses, skip, places, frames,
                    planes, links, groups, firsts, corners, numbers,
                    lanes, begin, min(begin + step, (count + 15) // 16 * 16), any_hit,
                    stack, entries, inner, inner_entries, entry, spans,
                    floats, slopes, leaf,
                )  # fmt: skip
        for w in range(count):
            if lanes[LOW, w] < lanes[HIGH, w]:
                k = int(lanes[ROW, w])
                prefetch(corners, 9 * k)
                prefetch(corners, 9 * k + 8)
        for w in range(count):
            settle(lanes, w, poses, corners)
        for w in range(count):
            r = rays[w]
            i = int(lanes[INSTANCE, w])
            if i < 0:
                distance[r] = np.inf
                id_[r] = -1
            else:
                distance[r] = lanes[LOW, w]
                id_[r] = ids[i]
        if instance.shape[0] > 0:
            for w in range(count):
                instance[rays[w]] = int(lanes[INSTANCE, w])
        if triangle.shape[0] > 0:
            for w in range(count):
                k = int(lanes[ROW, w])
                triangle[rays[w]] = numbers[k] if k >= 0 else -1
        if position.shape[0] > 0:
            for w in range(count):
                t = lanes[LOW, w] if lanes[INSTANCE, w] >= 0.0 else np.nan
                position[rays[w], 0] = lanes[OX, w] + t * lanes[DX, w]
                position[rays[w], 1] = lanes[OY, w] + t * lanes[DY, w]
                position[rays[w], 2] = lanes[OZ, w] + t * lanes[DZ, w]
        if normal.shape[0] > 0:
            for w in range(count):
                nx, ny, nz = facing(lanes, w, kinds, dims, poses, corners)
                normal[rays[w], 0] = nx
                normal[rays[w], 1] = ny
                normal[rays[w], 2] = nz
        if weights.shape[0] > 0:
            for w in range(count):
                a, b, c = barycentric(lanes, w, poses, corners)
                weights[rays[w], 0] = a
                weights[rays[w], 1] = b
                weights[rays[w], 2] = c
    return bad


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


def load(
    rays: I64, count: int, origins: F64, directions: F64, least: F64, most: F64,
    lanes: F64,
) -> tuple[int, bool]:  # fmt: skip
    """Load rays to lanes; return the first that is none, or -1.

    The other result is whether all start at one point.

    Lanes beyond the last are copies of the first that hit nothing.
    """
    for w in range(count):
        r = rays[w]
        lanes[DX, w] = directions[r, 0]
        lanes[DY, w] = directions[r, 1]
        lanes[DZ, w] = directions[r, 2]
    common, fine = load_origins(rays, count, origins, lanes)
    one = least.shape[0] == 1
    for w in range(count):
        lanes[LEAST, w] = least[0 if one else rays[w]]
    fine = fine and all_within(lanes, int(LEAST), 1 if one else count)
    one = most.shape[0] == 1
    for w in range(count):
        lanes[HIGH, w] = most[0 if one else rays[w]]
    fine = fine and all_within(lanes, int(HIGH), 1 if one else count)
    end = (count + 15) // 16 * 16
    for w in range(count, end):
        for row in range(LEAST):
            lanes[row, w] = lanes[row, 0]
        lanes[LEAST, w] = 0.0
        lanes[HIGH, w] = -1.0
    w = 0
    while w < end:
        x = load16(lanes, BLOCK * DX + w)
        y = load16(lanes, BLOCK * DY + w)
        z = load16(lanes, BLOCK * DZ + w)
        length = root(x * x + y * y + z * z)
        valid = (length > SHORTEST) & (length < LONGEST)
        fine = fine and bits(valid) == 0xFFFF
        scale = 1.0 / length
        store(lanes, BLOCK * DX + w, choose(valid, x * scale, 1.0))
        store(lanes, BLOCK * DY + w, choose(valid, y * scale, 0.0))
        store(lanes, BLOCK * DZ + w, choose(valid, z * scale, 0.0))
        store(lanes, BLOCK * LOW + w, load16(lanes, BLOCK * HIGH + w))
        w += 16
    for w in range(end):
        lanes[INSTANCE, w] = -1.0
        lanes[ROW, w] = -1.0
    if fine:
        return -1, common
    return first_wrong(rays, count, origins, directions, lanes), False


def load_origins(rays: I64, count: int, origins: F64, lanes: F64) -> tuple[bool, bool]:
    """Load origins; return whether they are one point, and none too far."""
    x, y, z = origins[0, 0], origins[0, 1], origins[0, 2]
    if origins.shape[0] == 1:
        for w in range(count):
            lanes[OX, w] = x
            lanes[OY, w] = y
            lanes[OZ, w] = z
        return True, abs(x) <= LIMIT and abs(y) <= LIMIT and abs(z) <= LIMIT
    x, y, z = origins[rays[0], 0], origins[rays[0], 1], origins[rays[0], 2]
    common = True
    fine = True
    for w in range(count):
        r = rays[w]
        ox, oy, oz = origins[r, 0], origins[r, 1], origins[r, 2]
        lanes[OX, w] = ox
        lanes[OY, w] = oy
        lanes[OZ, w] = oz
        common = common and ox == x and oy == y and oz == z
        fine = fine and abs(ox) <= LIMIT and abs(oy) <= LIMIT and abs(oz) <= LIMIT
    return common, fine


def all_within(lanes: F64, row: int, count: int) -> bool:
    """Return whether a range of rays is a number from 0 to the limit."""
    fine = True
    for w in range(count):
        fine = fine and lanes[row, w] >= 0.0 and lanes[row, w] <= LIMIT
    return fine


def first_wrong(
    rays: I64, count: int, origins: F64, directions: F64, lanes: F64
) -> int:
    """Return the first ray of a block that is none; none of those will hit."""
    wrong = -1
    for w in range(count):
        r = rays[w]
        k = 0 if origins.shape[0] == 1 else r
        length = math.sqrt(
            directions[r, 0] ** 2 + directions[r, 1] ** 2 + directions[r, 2] ** 2
        )
        if not (
            SHORTEST < length < LONGEST
            and abs(origins[k, 0]) <= LIMIT
            and abs(origins[k, 1]) <= LIMIT
            and abs(origins[k, 2]) <= LIMIT
            and 0.0 <= lanes[LEAST, w] <= LIMIT
            and 0.0 <= lanes[HIGH, w] <= LIMIT
        ):
            lanes[HIGH, w] = -1.0
            lanes[LOW, w] = -1.0
            lanes[OX, w] = 0.0
            lanes[OY, w] = 0.0
            lanes[OZ, w] = 0.0
            wrong = r if wrong < 0 else min(wrong, r)
    return wrong


def coherent(lanes: F64, count: int) -> int:
    """Return how many rays of a block to walk together: 64, 16 or none."""
    # lanes beyond the last are copies of the first
    end = (count + 15) // 16 * 16
    if count < 8:
        return 0
    if narrow(lanes, 0, end, NARROW):
        return BLOCK
    for begin in range(0, end, 16):
        if not narrow(lanes, begin, begin + 16, NARROW_16):
            return 0
    return 16


def narrow(lanes: F64, begin: int, end: int, least: float) -> bool:
    """Return whether directions are near their mean, by the cosine of the angle."""
    x, y, z = spread16(0.0), spread16(0.0), spread16(0.0)
    w = begin
    while w < end:
        x = x + load16(lanes, BLOCK * DX + w)
        y = y + load16(lanes, BLOCK * DY + w)
        z = z + load16(lanes, BLOCK * DZ + w)
        w += 16
    sx, sy, sz = total(x), total(y), total(z)
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
        if bits(along < bound) != 0:
            return False
        w += 16
    return True


def facing(
    lanes: F64, w: int, kinds: I32, dims: F64, poses: F64, corners: F64
) -> Triple:
    """Return the normal of what lane w hit, turned towards the ray's origin; or 0."""
    if lanes[INSTANCE, w] < 0.0:
        return 0.0, 0.0, 0.0
    i, k, t = int(lanes[INSTANCE, w]), int(lanes[ROW, w]), lanes[LOW, w]
    dx, dy, dz = lanes[DX, w], lanes[DY, w], lanes[DZ, w]
    if k >= 0:
        nx, ny, nz = triangle_normal(corners, k)
    else:
        px, py, pz = turned_back(
            poses,
            i,
            lanes[OX, w] + t * dx - poses[i, 0, 3],
            lanes[OY, w] + t * dy - poses[i, 1, 3],
            lanes[OZ, w] + t * dz - poses[i, 2, 3],
        )
        nx, ny, nz = solid_normal(
            kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], px, py, pz
        )
    x = poses[i, 0, 0] * nx + poses[i, 0, 1] * ny + poses[i, 0, 2] * nz
    y = poses[i, 1, 0] * nx + poses[i, 1, 1] * ny + poses[i, 1, 2] * nz
    z = poses[i, 2, 0] * nx + poses[i, 2, 1] * ny + poses[i, 2, 2] * nz
    sign = -1.0 if x * dx + y * dy + z * dz > 0.0 else 1.0
    return sign * x, sign * y, sign * z


def triangle_normal(corners: F64, k: int) -> Triple:
    """Return the unit normal of triangle k; z for one without area."""
    ax, ay, az = (
        corners[k, 3] - corners[k, 0],
        corners[k, 4] - corners[k, 1],
        corners[k, 5] - corners[k, 2],
    )
    bx, by, bz = (
        corners[k, 6] - corners[k, 0],
        corners[k, 7] - corners[k, 1],
        corners[k, 8] - corners[k, 2],
    )
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return nx / length, ny / length, nz / length


def barycentric(lanes: F64, w: int, poses: F64, corners: F64) -> Triple:
    """Return the weights of the corners of what lane w hit, nan if no triangle."""
    k = int(lanes[ROW, w])
    if k < 0:
        return np.nan, np.nan, np.nan
    i, t = int(lanes[INSTANCE, w]), lanes[LOW, w]
    px, py, pz = turned_back(
        poses,
        i,
        lanes[OX, w] + t * lanes[DX, w] - poses[i, 0, 3],
        lanes[OY, w] + t * lanes[DY, w] - poses[i, 1, 3],
        lanes[OZ, w] + t * lanes[DZ, w] - poses[i, 2, 3],
    )
    nx, ny, nz = triangle_normal(corners, k)
    a = signed_area(corners, k, 3, 6, px, py, pz, nx, ny, nz)
    b = signed_area(corners, k, 6, 0, px, py, pz, nx, ny, nz)
    c = signed_area(corners, k, 0, 3, px, py, pz, nx, ny, nz)
    total = a + b + c
    if total == 0.0:
        return 1.0, 0.0, 0.0
    return a / total, b / total, c / total


def signed_area(
    corners: F64, k: int, p: int, q: int,
    x: float, y: float, z: float, nx: float, ny: float, nz: float,
) -> float:  # fmt: skip
    """Return twice the area of a point and two corners of triangle k, p and q."""
    ax, ay, az = corners[k, p] - x, corners[k, p + 1] - y, corners[k, p + 2] - z
    bx, by, bz = corners[k, q] - x, corners[k, q + 1] - y, corners[k, q + 2] - z
    area: float = (
        nx * (ay * bz - az * by) + ny * (az * bx - ax * bz) + nz * (ax * by - ay * bx)
    )
    return area
