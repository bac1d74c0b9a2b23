"""The point of a simplex that is nearest to the origin.

Regions are told apart by signs of areas, and the nearest point of a triangle's plane is
taken along its normal. So its direction is exact to rounding however near the origin
is, where a sum of corners with weights would lose it (compare M. Montanari, N.
Petrinic, E. Barbieri, "Improving the GJK algorithm for faster and more reliable
distance queries between convex objects", ACM TOG 36(3), 2017). Simplices without an
extent fall back on their sides.

A simplex is a flat array with six numbers a corner: the point x, y, z of the difference
of two solids, and the point of the first solid that it comes from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

    Nearest = tuple[float, float, float, int]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}
JIT_NO_ARRAYS = (
    "on_segment",
    "on_triangle",
    "on_tetrahedron",
    "kept",
    "nearest",
    "weights",
)

STRIDE = 6
"""Numbers of a corner."""
THIN = 1e-16
"""Squared sine of an angle from which on a triangle is a segment."""
FLAT = 1e-22
"""Squared sine of an angle from which on a tetrahedron is a triangle."""
INSIDE = 15
"""All four corners."""


def on_segment(s: F64, i: int, j: int) -> Nearest:
    """Return the nearest point of corners i, j and the bits 1, 2 of those it needs."""
    i, j = STRIDE * i, STRIDE * j
    ax, ay, az = s[i], s[i + 1], s[i + 2]
    bx, by, bz = s[j], s[j + 1], s[j + 2]
    ex, ey, ez = bx - ax, by - ay, bz - az
    along = -(ax * ex + ay * ey + az * ez)
    length = ex * ex + ey * ey + ez * ez
    if along <= 0.0:
        return ax, ay, az, 1
    if along >= length:
        return bx, by, bz, 2
    t = along / length
    if t <= 0.5:
        return ax + t * ex, ay + t * ey, az + t * ez, 3
    t = 1.0 - t
    return bx - t * ex, by - t * ey, bz - t * ez, 3


def on_triangle(s: F64, i: int, j: int, k: int) -> Nearest:
    """Return the nearest point of corners i, j, k and the bits 1, 2, 4 of the needed.

    Where the origin is not above the triangle, the nearest point is on a side that the
    origin is outside of.
    """
    a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
    ax, ay, az = s[a], s[a + 1], s[a + 2]
    bx, by, bz = s[b], s[b + 1], s[b + 2]
    cx, cy, cz = s[c], s[c + 1], s[c + 2]
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    uu, vv = ux * ux + uy * uy + uz * uz, vx * vx + vy * vy + vz * vz
    # twice the areas of the triangles that the origin's projection makes with a side
    on_ab = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz)
    on_ab += nz * (ax * uy - ay * ux)
    on_ac = nx * (az * vy - ay * vz) + ny * (ax * vz - az * vx)
    on_ac += nz * (ay * vx - ax * vy)
    px, py, pz = cx - bx, cy - by, cz - bz
    on_bc = nx * (by * pz - bz * py) + ny * (bz * px - bx * pz)
    on_bc += nz * (bx * py - by * px)
    thin = nn <= THIN * uu * vv
    if on_ab > 0.0 and on_ac > 0.0 and on_bc > 0.0 and not thin:
        h = (nx * ax + ny * ay + nz * az) / nn
        return h * nx, h * ny, h * nz, 7
    x, y, z, mask = ax, ay, az, 1
    best = ax * ax + ay * ay + az * az
    if on_ab <= 0.0 or thin:
        qx, qy, qz, bits = on_segment(s, i, j)
        qq = qx * qx + qy * qy + qz * qz
        if qq < best:
            x, y, z, best, mask = qx, qy, qz, qq, bits
    if on_ac <= 0.0 or thin:
        qx, qy, qz, bits = on_segment(s, i, k)
        qq = qx * qx + qy * qy + qz * qz
        if qq < best:
            x, y, z, best, mask = qx, qy, qz, qq, (bits & 1) | (bits & 2) << 1
    if on_bc <= 0.0 or thin:
        qx, qy, qz, bits = on_segment(s, j, k)
        qq = qx * qx + qy * qy + qz * qz
        if qq < best:
            x, y, z, mask = qx, qy, qz, bits << 1
    return x, y, z, mask


def on_tetrahedron(s: F64) -> Nearest:
    """Return the nearest point of corners 0 to 3 and the bits 1 to 8 of the needed.

    `INSIDE` if the origin is inside. Corner 3 is the newest: the origin is known to be
    on its side of the others. A flat tetrahedron is inside of nothing.
    """
    best = 1e300
    x, y, z, mask = 0.0, 0.0, 0.0, INSIDE
    d = 3 * STRIDE
    dx, dy, dz = s[d], s[d + 1], s[d + 2]
    i, j, k = 0, 1, 2
    for _ in range(3):
        # the side of corners 3, i, j, and corner k opposite of it
        a, b, c = STRIDE * i, STRIDE * j, STRIDE * k
        ux, uy, uz = s[a] - dx, s[a + 1] - dy, s[a + 2] - dz
        vx, vy, vz = s[b] - dx, s[b + 1] - dy, s[b + 2] - dz
        ox, oy, oz = s[c] - dx, s[c + 1] - dy, s[c + 2] - dz
        nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
        opposite = nx * ox + ny * oy + nz * oz
        origin = -(nx * dx + ny * dy + nz * dz)
        nn = nx * nx + ny * ny + nz * nz
        oo = ox * ox + oy * oy + oz * oz
        flat = opposite * opposite <= FLAT * nn * oo
        if flat or opposite * origin < 0.0:
            qx, qy, qz, bits = on_triangle(s, i, j, 3)
            qq = qx * qx + qy * qy + qz * qz
            if qq < best:
                best = qq
                x, y, z = qx, qy, qz
                mask = (bits & 1) << i | (bits >> 1 & 1) << j | (bits & 4) << 1
        i, j, k = j, k, i
    return x, y, z, mask


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
    """Reduce a simplex of n corners to those that its nearest point needs.

    Returns
    -------
    The point, and the number of corners that are left, at the front of `s`.
    """
    if n == 1:
        return s[0], s[1], s[2], 1
    if n == 2:
        x, y, z, mask = on_segment(s, 0, 1)
    elif n == 3:
        x, y, z, mask = on_triangle(s, 0, 1, 2)
    else:
        x, y, z, mask = on_tetrahedron(s)
    return x, y, z, kept(s, n, mask)


def weights(s: F64, n: int) -> tuple[float, float, float]:
    """Return the parts that corners 0, 1, 2 have in the nearest point; sum 1.

    Parameters
    ----------
    s, n
        A simplex of 1 to 3 corners that `nearest` has reduced.
    """
    if n == 1:
        return 1.0, 0.0, 0.0
    ax, ay, az = s[0], s[1], s[2]
    bx, by, bz = s[6], s[7], s[8]
    ux, uy, uz = bx - ax, by - ay, bz - az
    if n == 2:
        along = -(ax * ux + ay * uy + az * uz)
        t = along / (ux * ux + uy * uy + uz * uz)
        return 1.0 - t, t, 0.0
    cx, cy, cz = s[12], s[13], s[14]
    vx, vy, vz = cx - ax, cy - ay, cz - az
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    nn = nx * nx + ny * ny + nz * nz
    q = nx * (ay * uz - az * uy) + ny * (az * ux - ax * uz) + nz * (ax * uy - ay * ux)
    p = nx * (az * vy - ay * vz) + ny * (ax * vz - az * vx) + nz * (ay * vx - ax * vy)
    q, p = q / nn, p / nn
    return 1.0 - p - q, p, q
