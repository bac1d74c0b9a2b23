"""Exact test of a ray against a triangle, in float64, which decides every hit.

S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle intersection", JCGT 2(1), 2013.
Rounding is monotone, so an edge function has the right sign or is zero, and zero counts
as inside for both triangles of the edge: no ray slips through. That holds as long as
both triangles round alike, so nothing of it is fused.

Walks of trees may test in any precision which triangles come into question, with an
allowance for rounding, but answer with these numbers alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

    Triple = tuple[float, float, float]

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {name: {"forceinline": True} for name in ("distance", "turned_back")}
JIT_ENTRIES = ()

# Lengths that directions may have.
SHORTEST = 1e-150
LONGEST = 1e150
# Bound of what rounding of triangles to float32 adds up to in products, in units of
# coordinates times edges and of edges squared: some 30 units in the last place.
BY_PLACE = np.float32(2.0**-18)
BY_EDGE = np.float32(2.0**-20)


def turned_back(poses: F64, i: int, x: float, y: float, z: float) -> Triple:
    """Return a direction of the world in the frame of instance i."""
    return (
        poses[i, 0, 0] * x + poses[i, 1, 0] * y + poses[i, 2, 0] * z,
        poses[i, 0, 1] * x + poses[i, 1, 1] * y + poses[i, 2, 1] * z,
        poses[i, 0, 2] * x + poses[i, 1, 2] * y + poses[i, 2, 2] * z,
    )


def distance(
    corners: F64, k: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
) -> float:  # fmt: skip
    """Return the distance along a unit ray to triangle k, inf if it misses.

    The axes are permuted so that z is the direction's largest component; sx, sy and sz
    shear the ray onto it.
    """
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    by_x = ax >= ay and ax >= az
    by_y = ay >= az
    kz = 0 if by_x else (1 if by_y else 2)
    kx = 1 if by_x else (2 if by_y else 0)
    ky = 2 if by_x else (0 if by_y else 1)
    sz = 1.0 / (dx if by_x else (dy if by_y else dz))
    sx = (dy if by_x else (dz if by_y else dx)) * sz
    sy = (dz if by_x else (dx if by_y else dy)) * sz
    x = oy if by_x else (oz if by_y else ox)
    y = oz if by_x else (ox if by_y else oy)
    z = ox if by_x else (oy if by_y else oz)
    pz, qz, rz = corners[k, kz] - z, corners[k, kz + 3] - z, corners[k, kz + 6] - z
    px, py = corners[k, kx] - x - sx * pz, corners[k, ky] - y - sy * pz
    qx, qy = corners[k, kx + 3] - x - sx * qz, corners[k, ky + 3] - y - sy * qz
    rx, ry = corners[k, kx + 6] - x - sx * rz, corners[k, ky + 6] - y - sy * rz
    # edge functions; t = sz (u p_z + v q_z + w r_z) / (u + v + w)
    u = rx * qy - ry * qx
    v = px * ry - py * rx
    w = qx * py - qy * px
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return np.inf
    det = u + v + w
    if det == 0.0:
        return np.inf
    t: float = (u * pz + v * qz + w * rz) / det * sz
    return t
