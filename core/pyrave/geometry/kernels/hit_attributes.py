"""Attributes of hits: points, normals, weights of corners."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.exact import turned_back
from pyrave.geometry.kernels.primitives import BOX, CAPSULE, CONE, CYLINDER, PLANE

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_1, F64_2, F64_3, I32, I32_1, I64_1

    Triple = tuple[float, float, float]

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {
    name: {"forceinline": True}
    for name in ("world_normal", "triangle_normal", "barycentric")
}
# where the coordinates of corners are in a row
FIRST, SECOND, THIRD = 0, 3, 6
JIT_ENTRIES = ("describe",)


def describe(
    which: I64_1, first: int, last: int, origins: F64_2, directions: F64_2,
    kinds: I32_1, dims: F64_2, poses: F64_3, corners: F64_2, numbers: I32_1,
    distance: F64_1, instance: I32_1, row: I32_1,
    triangle: I32_1, position: F64_2, normal: F64_2, weights: F64_2,
) -> None:  # fmt: skip
    """Write the wanted attributes of hits first..last.

    Parameters
    ----------
    which
        (m,) ray of each hit; of length 0 if hit k is that of ray k.
    distance, instance, row
        (m,) each, as casts write them; the others are as for casts.
    triangle, position, normal, weights
        Output, (m,) or (m, 3), or of length 0 if not wanted: -1, nan, 0 and nan at a
        miss. Normals are unit vectors in the world that face the ray's origin, weights
        those of a triangle's corners.
    """
    o = 0 if origins.shape[0] == 1 else 1
    for h in range(first, last):
        i, k = instance[h], row[h]
        t = distance[h] if i >= 0 else 0.0
        r = which[h] if which.shape[0] > 0 else h
        if triangle.shape[0] > 0:
            triangle[h] = numbers[k] if k >= 0 else -1
        dx, dy, dz = directions[r, 0], directions[r, 1], directions[r, 2]
        scale = 1.0 / math.sqrt(dx * dx + dy * dy + dz * dz)
        dx, dy, dz = dx * scale, dy * scale, dz * scale
        x = origins[r * o, 0] + t * dx
        y = origins[r * o, 1] + t * dy
        z = origins[r * o, 2] + t * dz
        if position.shape[0] > 0:
            position[h, 0] = x if i >= 0 else np.nan
            position[h, 1] = y if i >= 0 else np.nan
            position[h, 2] = z if i >= 0 else np.nan
        if normal.shape[0] > 0:
            nx, ny, nz = 0.0, 0.0, 0.0
            if i >= 0:
                nx, ny, nz = world_normal(kinds, dims, poses, corners, i, k, x, y, z)
                if nx * dx + ny * dy + nz * dz > 0.0:
                    nx, ny, nz = -nx, -ny, -nz
            normal[h, 0] = nx
            normal[h, 1] = ny
            normal[h, 2] = nz
        if weights.shape[0] > 0:
            a, b, c = np.nan, np.nan, np.nan
            if k >= 0:
                a, b, c = barycentric(poses, corners, i, k, x, y, z)
            weights[h, 0] = a
            weights[h, 1] = b
            weights[h, 2] = c


def world_normal(
    kinds: I32, dims: F64, poses: F64, corners: F64, i: int, k: int,
    x: float, y: float, z: float,
) -> Triple:  # fmt: skip
    """Return the normal of instance i, triangle k or none, at a point of the world."""
    if k >= 0:
        nx, ny, nz = triangle_normal(corners, k)
    else:
        px, py, pz = turned_back(
            poses, i, x - poses[i, 0, 3], y - poses[i, 1, 3], z - poses[i, 2, 3]
        )
        nx, ny, nz = solid_normal(
            kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], px, py, pz
        )
    return (
        poses[i, 0, 0] * nx + poses[i, 0, 1] * ny + poses[i, 0, 2] * nz,
        poses[i, 1, 0] * nx + poses[i, 1, 1] * ny + poses[i, 1, 2] * nz,
        poses[i, 2, 0] * nx + poses[i, 2, 1] * ny + poses[i, 2, 2] * nz,
    )


def solid_normal(
    kind: int, a: float, b: float, c: float, x: float, y: float, z: float
) -> Triple:
    """Return the outward unit normal of a primitive at a point of its surface."""
    if kind == BOX:
        ex, ey, ez = abs(x) - a, abs(y) - b, abs(z) - c
        if ex >= ey and ex >= ez:
            return math.copysign(1.0, x), 0.0, 0.0
        if ey >= ez:
            return 0.0, math.copysign(1.0, y), 0.0
        return 0.0, 0.0, math.copysign(1.0, z)
    if kind == PLANE:
        return 0.0, 0.0, 1.0
    if kind == CYLINDER:
        if abs(z) - b >= math.sqrt(x * x + y * y) - a:
            return 0.0, 0.0, math.copysign(1.0, z)
        z = 0.0
    elif kind == CONE:
        slope = 0.5 * (b - a) / c
        beyond = math.sqrt(x * x + y * y) - 0.5 * (a + b) - slope * z
        if abs(z) - c >= beyond / math.sqrt(1.0 + slope * slope):
            return 0.0, 0.0, math.copysign(1.0, z)
        z = -slope * math.sqrt(x * x + y * y)
    elif kind == CAPSULE:
        z -= min(max(z, -b), b)
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return x / length, y / length, z / length


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


def barycentric(
    poses: F64, corners: F64, i: int, k: int, x: float, y: float, z: float
) -> Triple:
    """Return the weights of the corners of triangle k at a point of the world."""
    px, py, pz = turned_back(
        poses, i, x - poses[i, 0, 3], y - poses[i, 1, 3], z - poses[i, 2, 3]
    )
    nx, ny, nz = triangle_normal(corners, k)
    p, q, r = FIRST, SECOND, THIRD
    a = signed_area(corners, k, q, r, px, py, pz, nx, ny, nz)
    b = signed_area(corners, k, r, p, px, py, pz, nx, ny, nz)
    c = signed_area(corners, k, p, q, px, py, pz, nx, ny, nz)
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
