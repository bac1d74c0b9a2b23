"""The point of a simplex that is nearest to the origin.

Regions are distinguished by the signs of areas, and the nearest point of a triangle's
plane is taken along its normal. So its direction is exact to rounding however near the
origin is, where a weighted sum of corners would lose it (compare M. Montanari, N.
Petrinic, E. Barbieri, "Improving the GJK algorithm for faster and more reliable
distance queries between convex objects", ACM TOG 36(3), 2017). Simplices without an
extent fall back on their sides.

A simplex is a flat array with six numbers a corner: the point x, y, z of the difference
of two solids, and the point of the first solid that it comes from. Masks have the bit
``1 << i`` for corner i.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

    Nearest = tuple[float, float, float, int]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

STRIDE = 6
"""Numbers of a corner."""
THIN = 1e-16
"""Squared sine of an angle from which on a triangle is a segment."""
FLAT = 1e-22
"""Squared sine of an angle from which on a tetrahedron is a triangle."""
INSIDE = 15
"""All four corners."""


def on_segment(s: F64, i: int, j: int) -> Nearest:
    """Return the nearest point of corners i and j, and the mask of those it needs."""
    a, b = STRIDE * i, STRIDE * j
    ax, ay, az = s[a], s[a + 1], s[a + 2]
    bx, by, bz = s[b], s[b + 1], s[b + 2]
    ex, ey, ez = bx - ax, by - ay, bz - az
    along = -(ax * ex + ay * ey + az * ez)
    length = ex * ex + ey * ey + ez * ez
    if along <= 0.0:
        return ax, ay, az, 1 << i
    if along >= length:
        return bx, by, bz, 1 << j
    t = along / length
    if t <= 0.5:
        return ax + t * ex, ay + t * ey, az + t * ez, 1 << i | 1 << j
    t = 1.0 - t
    return bx - t * ex, by - t * ey, bz - t * ez, 1 << i | 1 << j


def on_triangle(s: F64, i: int, j: int, k: int) -> Nearest:
    """Return the nearest point of corners i, j, k, and the mask of those it needs.

    Where the origin is not above the triangle, the nearest point is on a side that the
    origin is outside of.
    """
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ax, ay, az = s[a], s[a + 1], s[a + 2]
    bx, by, bz = s[b], s[b + 1], s[b + 2]
    cx, cy, cz = s[c], s[c + 1], s[c + 2]
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - bx, cy - by, cz - bz
    wx, wy, wz = ax - cx, ay - cy, az - cz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    # areas of the triangles that the origin's projection makes with the sides, times
    # |n|: n (a x u) of the side u from a; all are positive if it is inside, and then
    # the nearest point is (n a / n n) n
    ab = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz) + nz * (ax * uy - ay * ux)
    bc = nx * (by * vz - bz * vy) + ny * (bz * vx - bx * vz) + nz * (bx * vy - by * vx)
    ca = nx * (cy * wz - cz * wy) + ny * (cz * wx - cx * wz) + nz * (cx * wy - cy * wx)
    thin = nn <= THIN * uu * vv
    if min(ab, bc, ca) > 0.0 and not thin:
        h = (nx * ax + ny * ay + nz * az) / nn
        return h * nx, h * ny, h * nz, 1 << i | 1 << j | 1 << k
    x, y, z, mask, best = 0.0, 0.0, 0.0, 0, math.inf
    for _ in range(3):
        if ab <= 0.0 or thin:
            px, py, pz, bits = on_segment(s, i, j)
            pp = px * px + py * py + pz * pz
            if pp < best:
                x, y, z, mask, best = px, py, pz, bits, pp
        i, j, k = j, k, i
        ab, bc, ca = bc, ca, ab
    return x, y, z, mask


def on_sides(s: F64, n: int) -> Nearest:
    """Return the nearest point of 3 or 4 corners, and the mask of those it needs.

    All four are needed if the origin is inside of the tetrahedron. Corner 3 is the
    newest: the origin is known to be on its side of the others. A flat tetrahedron is
    inside of nothing.
    """
    x, y, z, mask, best = 0.0, 0.0, 0.0, INSIDE, math.inf
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        if n == 3 or is_beyond(s, i, j, k):
            px, py, pz, bits = on_triangle(s, i, j, k if n == 3 else 3)
            pp = px * px + py * py + pz * pz
            if pp < best:
                x, y, z, mask, best = px, py, pz, bits, pp
            if n == 3:
                break
    return x, y, z, mask


def is_beyond(s: F64, i: int, j: int, k: int) -> bool:
    """Return True if the plane of corners 3, i, j parts the origin from corner k.

    True also if the four are in one plane.
    """
    a, b, c, d = STRIDE * i, STRIDE * j, STRIDE * k, STRIDE * 3
    dx, dy, dz = s[d], s[d + 1], s[d + 2]
    ux, uy, uz = s[a] - dx, s[a + 1] - dy, s[a + 2] - dz
    vx, vy, vz = s[b] - dx, s[b + 1] - dy, s[b + 2] - dz
    wx, wy, wz = s[c] - dx, s[c + 1] - dy, s[c + 2] - dz
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    height = nx * wx + ny * wy + nz * wz
    origin = -(nx * dx + ny * dy + nz * dz)
    nn, ww = nx * nx + ny * ny + nz * nz, wx * wx + wy * wy + wz * wz
    return bool(height * origin < 0.0 or height * height <= FLAT * nn * ww)


def kept(s: F64, n: int, mask: int) -> int:
    """Move the corners of the mask to the front; return how many they are."""
    m = 0
    for i in range(n):
        if mask >> i & 1:
            if i != m:
                for k in range(STRIDE):
                    s[STRIDE * m + k] = s[STRIDE * i + k]
            m += 1
    return m


def nearest(s: F64, n: int) -> Nearest:
    """Return the nearest point of n corners, and the mask of those it needs.

    `kept` reduces the simplex to them.
    """
    if n == 1:
        return s[0], s[1], s[2], 1
    if n == 2:
        return on_segment(s, n - 2, n - 1)
    return on_sides(s, n)


def weights(s: F64, n: int, i: int, j: int, k: int) -> tuple[float, float, float]:
    """Return the parts that the first n of corners i, j, k have in the nearest point.

    They are those of the origin's projection, which lies within a reduced simplex.
    """
    if n == 1:
        return 1.0, 0.0, 0.0
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ax, ay, az = s[a], s[a + 1], s[a + 2]
    ux, uy, uz = s[b] - ax, s[b + 1] - ay, s[b + 2] - az
    if n == 2:
        t = -(ax * ux + ay * uy + az * uz) / (ux * ux + uy * uy + uz * uz)
        return 1.0 - t, t, 0.0
    vx, vy, vz = s[c] - ax, s[c + 1] - ay, s[c + 2] - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    q = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz) + nz * (ax * uy - ay * ux)
    p = nx * (az * vy - ay * vz) + ny * (ax * vz - az * vx) + nz * (ay * vx - ax * vy)
    return 1.0 - (p + q) / nn, p / nn, q / nn


def witness(s: F64, n: int, i: int, j: int, k: int) -> tuple[float, float, float]:
    """Return the point of the first solid that the nearest point comes from."""
    p, q, r = weights(s, n, i, j, k)
    a, b, c = STRIDE * i + 3, STRIDE * j + 3, STRIDE * k + 3
    x, y, z = p * s[a], p * s[a + 1], p * s[a + 2]
    if n > 1:
        x, y, z = x + q * s[b], y + q * s[b + 1], z + q * s[b + 2]
    if n > 2:
        x, y, z = x + r * s[c], y + r * s[c + 1], z + r * s[c + 2]
    return x, y, z
