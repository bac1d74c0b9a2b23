"""State of the 64 rays of a block while they are cast, one lane per ray.

``lanes`` is (rows, 64) float64. `LOW` and `HIGH` hold the distance of the nearest hit
so far: equal if it is known exactly; otherwise the hit is triangle `ROW` of instance
`INSTANCE`, found in float32, and its distance is somewhere between. It is worked out
only when another hit comes that near, or at the end, for all rays of the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.exact import LONGEST, SHORTEST, distance, turned_back
from pyrave.simd import load16, movemask, prefetch, sqrt, store, where

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32, I64

BLOCK = 64
# rows: unit direction and origin in the world, range, nearest hit
DX, DY, DZ = 0, 1, 2
OX, OY, OZ = 3, 4, 5
LEAST = 6
LOW = 7
HIGH = 8
INSTANCE = 9
ROW = 10
# direction in the frame of an instance; triangle of the mesh that is being walked
UX, UY, UZ = 11, 12, 13
CHOSEN = 14
LANE_ROWS = 15
NO_TRIANGLE = -1

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {
    name: {"forceinline": True} for name in ("exact_distance", "settle", "settle_all")
}
JIT_ENTRIES = ()


def load(
    rays: I64, count: int, origins: F64, directions: F64, least: F64, most: F64,
    lanes: F64,
) -> bool:  # fmt: skip
    """Load rays to lanes; return whether each has a direction.

    Lanes beyond the last, up to 16, are copies of the first that hit nothing.
    """
    end = (count + 15) // 16 * 16
    for w in range(count):
        r = rays[w]
        lanes[DX, w] = directions[r, 0]
        lanes[DY, w] = directions[r, 1]
        lanes[DZ, w] = directions[r, 2]
    if origins.shape[0] == 1:
        x, y, z = origins[0, 0], origins[0, 1], origins[0, 2]
        for w in range(count):
            lanes[OX, w] = x
            lanes[OY, w] = y
            lanes[OZ, w] = z
    else:
        for w in range(count):
            r = rays[w]
            lanes[OX, w] = origins[r, 0]
            lanes[OY, w] = origins[r, 1]
            lanes[OZ, w] = origins[r, 2]
    s = 0 if least.shape[0] == 1 else 1
    e = 0 if most.shape[0] == 1 else 1
    for w in range(count):
        lanes[LEAST, w] = least[rays[w] * s]
        lanes[HIGH, w] = most[rays[w] * e]
    for w in range(count, end):
        for row in range(LEAST + 1):
            lanes[row, w] = lanes[row, 0]
        lanes[HIGH, w] = -1.0
    for w in range(end):
        lanes[LOW, w] = lanes[HIGH, w]
        lanes[INSTANCE, w] = -1.0
        lanes[ROW, w] = -1.0
    fine = True
    for w in range(0, end, 16):
        x = load16(lanes, BLOCK * DX + w)
        y = load16(lanes, BLOCK * DY + w)
        z = load16(lanes, BLOCK * DZ + w)
        length = sqrt(x * x + y * y + z * z)
        valid = (length > SHORTEST) & (length < LONGEST)
        fine = fine and movemask(valid) == 0xFFFF
        scale = 1.0 / length
        store(lanes, BLOCK * DX + w, where(valid, x * scale, 1.0))
        store(lanes, BLOCK * DY + w, where(valid, y * scale, 0.0))
        store(lanes, BLOCK * DZ + w, where(valid, z * scale, 0.0))
    return fine


def exact_distance(
    lanes: F64, w: int, i: int, k: int, poses: F64, corners: F64
) -> float:
    """Return the distance of the ray in lane w to triangle k of instance i."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, w] - poses[i, 0, 3],
        lanes[OY, w] - poses[i, 1, 3],
        lanes[OZ, w] - poses[i, 2, 3],
    )
    dx, dy, dz = turned_back(poses, i, lanes[DX, w], lanes[DY, w], lanes[DZ, w])
    return distance(corners, k, ox, oy, oz, dx, dy, dz)


def settle(lanes: F64, w: int, poses: F64, corners: F64) -> None:
    """Work out the distance of the nearest hit in lane w exactly."""
    if lanes[LOW, w] < lanes[HIGH, w]:
        t = exact_distance(
            lanes, w, int(lanes[INSTANCE, w]), int(lanes[ROW, w]), poses, corners
        )
        lanes[LOW, w] = t
        lanes[HIGH, w] = t


def settle_all(
    lanes: F64, count: int, poses: F64, corners: F64, unsettled: I64
) -> None:
    """Work out the distances of the nearest hits in lanes 0..count exactly.

    Which they are is found first: nothing branches while triangles are fetched.
    """
    n = 0
    for w in range(count):
        unsettled[n] = w
        n += int(lanes[LOW, w] < lanes[HIGH, w])
    for c in range(n):
        row = 9 * int(lanes[ROW, unsettled[c]])
        prefetch(corners, row)
        prefetch(corners, row + 8)
    for c in range(n):
        w = int(unsettled[c])
        t = exact_distance(
            lanes, w, int(lanes[INSTANCE, w]), int(lanes[ROW, w]), poses, corners
        )
        lanes[LOW, w] = t
        lanes[HIGH, w] = t


def report(
    rays: I64, count: int, lanes: F64, ids: I64,
    distance: F64, id_: I64, instance: I32, row: I32,
) -> None:  # fmt: skip
    """Write the hits of rays; instance and row of the triangle only if wanted."""
    for w in range(count):
        r = rays[w]
        i = int(lanes[INSTANCE, w])
        distance[r] = lanes[LOW, w] if i >= 0 else np.inf
        id_[r] = ids[i] if i >= 0 else -1
    if instance.shape[0] > 0:
        for w in range(count):
            instance[rays[w]] = int(lanes[INSTANCE, w])
            row[rays[w]] = int(lanes[ROW, w])


def offer(
    lanes: F64, w: int, i: int, k: int, t: float,
    poses: F64, corners: F64, numbers: I32,
) -> bool:  # fmt: skip
    """Take a hit at distance t in lane w if it is nearer than the one that is known.

    Parameters
    ----------
    k
        Row in `corners`, -1 for a primitive. Of equal distances the lower instance, and
        of one instance the lower triangle number wins.
    """
    if not t >= lanes[LEAST, w] or t > lanes[HIGH, w]:
        return False
    settle(lanes, w, poses, corners)
    known = lanes[LOW, w]
    if t > known:
        return False
    if t == known and lanes[INSTANCE, w] >= 0.0:
        j = int(lanes[INSTANCE, w])
        if i > j or (i == j and k >= 0 and numbers[k] >= numbers[int(lanes[ROW, w])]):
            return False
    lanes[LOW, w] = t
    lanes[HIGH, w] = t
    lanes[INSTANCE, w] = i
    lanes[ROW, w] = k
    return True
