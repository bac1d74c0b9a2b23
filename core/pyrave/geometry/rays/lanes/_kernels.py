"""What is known of the 64 rays of a block while they are cast, one lane per ray.

``lanes`` is (rows, 64) float64. `LOW` and `HIGH` hold the distance of the nearest hit
so far: equal if it is known exactly; otherwise the hit is triangle `ROW` of instance
`INSTANCE`, found in float32, and its distance is somewhere between. It is worked out
only when another hit comes that near, or at the end, for all rays of the block.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.rays.triangles._kernels import distance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    I32 = NDArray[np.int32]
    Triple = tuple[float, float, float]

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
JIT_OPTIONS: dict[str, dict[str, bool]] = {
    "*": {"_nrt": False},
    **{
        name: {"forceinline": True}
        for name in ("turned_back", "exact_distance", "settle")
    },
}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}


def turned_back(poses: F64, i: int, x: float, y: float, z: float) -> Triple:
    """Return a direction of the world in the frame of instance i."""
    return (
        poses[i, 0, 0] * x + poses[i, 1, 0] * y + poses[i, 2, 0] * z,
        poses[i, 0, 1] * x + poses[i, 1, 1] * y + poses[i, 2, 1] * z,
        poses[i, 0, 2] * x + poses[i, 1, 2] * y + poses[i, 2, 2] * z,
    )


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
