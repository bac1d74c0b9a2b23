"""Two triangles, or a triangle and a point, a segment or a box, in float64.

Triangles are rows of nine coordinates, three corners, all in one frame. A *simplex* is
such a row of which the first one, two or three corners count.

Overlap is decided by separating axes (S. Gottschalk, M. C. Lin, D. Manocha, "OBBTree",
SIGGRAPH 1996; C. Ericson, "Real-Time Collision Detection", 2005, sections 5.2.1 and
5.2.9). Projections that are apart on an axis prove the triangles apart however the axis
was rounded; so a `slack`, in metres, covers the rounding of coordinates, and what
touches overlaps. Distances are the least over pairs of edges and over corners and faces
(Ericson, sections 5.1.9 and 5.1.10), and 0 where an edge crosses a face.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

    Triple = tuple[float, float, float]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("simplex_distance", "triangle_box_overlap", "triangles_overlap")

INFINITY = math.inf
# corners of simplices
POINT, SEGMENT, TRIANGLE = 1, 2, 3
# columns of a pair of points
OF_P, OF_Q = 0, 3
# rounding of a product of three lengths, in units of that product
ROUNDING = 2.0**-50
# a shorter normal, in units of the edges squared, has no direction
FLAT = 1e-8


def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Triple:
    """Return the cross product of two vectors."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


def along(P: F64, i: int, s: int, t: int) -> Triple:
    """Return the vector between two corners, at columns s and t of row i."""
    return P[i, t] - P[i, s], P[i, t + 1] - P[i, s + 1], P[i, t + 2] - P[i, s + 2]


def normal(P: F64, i: int) -> Triple:
    """Return the normal of a triangle; its length is twice the area."""
    x, y, z = P[i, 0], P[i, 1], P[i, 2]
    return cross(
        P[i, 3] - x, P[i, 4] - y, P[i, 5] - z, P[i, 6] - x, P[i, 7] - y, P[i, 8] - z
    )


def triangles_overlap(P: F64, i: int, Q: F64, j: int, slack: float, near: F64) -> bool:
    """Return True if triangles come within a slack of each other.

    Axes are the normals, the cross products of edges and, for coplanar triangles, the
    normals of edges within the planes; 17 in all. Where a triangle has no normal the
    distance decides.

    Parameters
    ----------
    P, i, Q, j
        Triangle i of P and triangle j of Q.
    slack
        Metres; the answer is exact but for gaps of up to three times as much, and of
        1e-8 of the triangles' extent for edges or planes that are parallel but for
        less than that.
    near
        Scratch, (6,).
    """
    nx, ny, nz = normal(P, i)
    mx, my, mz = normal(Q, j)
    p, q, size = 0.0, 0.0, 0.0
    for a in range(3):
        p += abs(P[i, 3 + a] - P[i, a]) + abs(P[i, 6 + a] - P[i, a])
        q += abs(Q[j, 3 + a] - Q[j, a]) + abs(Q[j, 6 + a] - Q[j, a])
        size += abs(P[i, a] - Q[j, a])
    size = ROUNDING * (size + p + q)
    n, m = abs(nx) + abs(ny) + abs(nz), abs(mx) + abs(my) + abs(mz)
    if beyond_face(P, i, Q, j, mx, my, mz, slack * m + q * q * size):
        return False
    if beyond_face(Q, j, P, i, nx, ny, nz, slack * n + p * p * size):
        return False
    for k in range(3):
        s = 3 * k
        ex, ey, ez = along(P, i, s, 3 * ((k + 1) % 3))
        # where the third corners are, from the edges
        of_q = ex * mx + ey * my + ez * mz
        for h in range(3):
            u = 3 * h
            fx, fy, fz = along(Q, j, u, 3 * ((h + 1) % 3))
            of_p = -(fx * nx + fy * ny + fz * nz)
            x, y, z = cross(ex, ey, ez, fx, fy, fz)
            at = (
                x * (P[i, s] - Q[j, u])
                + y * (P[i, s + 1] - Q[j, u + 1])
                + z * (P[i, s + 2] - Q[j, u + 2])
            )
            allowed = slack * (abs(x) + abs(y) + abs(z)) + p * q * size
            if (
                at + min(of_p, 0.0) > max(of_q, 0.0) + allowed
                or at + max(of_p, 0.0) < min(of_q, 0.0) - allowed
            ):
                return False
    if n <= FLAT * p * p or m <= FLAT * q * q:
        most = slack * slack
        return simplex_distance(P, i, int(TRIANGLE), Q, j, INFINITY, near) <= most
    return not (
        beyond_an_edge(P, i, Q, j, mx, my, mz, slack)
        or beyond_an_edge(Q, j, P, i, nx, ny, nz, slack)
    )


def beyond_face(
    P: F64, i: int, Q: F64, j: int, x: float, y: float, z: float, allowed: float
) -> bool:
    """Return True if all corners of P are on one side of Q's plane, of normal x y z."""
    least, most = INFINITY, -INFINITY
    for k in range(0, 9, 3):
        at = (
            x * (P[i, k] - Q[j, 0])
            + y * (P[i, k + 1] - Q[j, 1])
            + z * (P[i, k + 2] - Q[j, 2])
        )
        least, most = min(least, at), max(most, at)
    return least > allowed or most < -allowed


def beyond_an_edge(
    P: F64, i: int, Q: F64, j: int, nx: float, ny: float, nz: float, slack: float
) -> bool:
    """Return True if P is wholly beyond an edge of Q, along Q's plane of normal n."""
    for h in range(3):
        u = 3 * h
        fx, fy, fz = along(Q, j, u, 3 * ((h + 1) % 3))
        x, y, z = cross(fx, fy, fz, nx, ny, nz)
        least = INFINITY
        for k in range(0, 9, 3):
            at = (
                x * (P[i, k] - Q[j, u])
                + y * (P[i, k + 1] - Q[j, u + 1])
                + z * (P[i, k + 2] - Q[j, u + 2])
            )
            least = min(least, at)
        if least > slack * (abs(x) + abs(y) + abs(z)):
            return True
    return False


def triangle_box_overlap(
    P: F64, i: int, hx: float, hy: float, hz: float, slack: float
) -> bool:
    """Return True if a triangle comes within a slack of a centred solid box.

    The 13 axes of T. Akenine-Moeller, "Fast 3D triangle-box overlap testing", 2001;
    they suffice for triangles without a normal, too.

    Parameters
    ----------
    P, i
        Triangle i, in the box's frame.
    hx, hy, hz
        Half extents, metres.
    slack
        Metres, as for `triangles_overlap`.
    """
    for a in range(3):
        h = slack + (hx if a == 0 else (hy if a == 1 else hz))
        if min(P[i, a], P[i, 3 + a], P[i, 6 + a]) > h:
            return False
        if max(P[i, a], P[i, 3 + a], P[i, 6 + a]) < -h:
            return False
    hx, hy, hz = hx + slack, hy + slack, hz + slack
    x, y, z = normal(P, i)
    at = abs(x * P[i, 0] + y * P[i, 1] + z * P[i, 2])
    size = 0.0
    for a in range(3):
        size += abs(P[i, 3 + a] - P[i, a]) + abs(P[i, 6 + a] - P[i, a])
    allowed = ROUNDING * size * size * (size + hx + hy + hz)
    if at > hx * abs(x) + hy * abs(y) + hz * abs(z) + allowed:
        return False
    for k in range(3):
        s, t = 3 * k, 3 * ((k + 2) % 3)
        ex, ey, ez = along(P, i, s, 3 * ((k + 1) % 3))
        # an axis of the box times the edge; both ends of that project to one place
        at = P[i, s + 2] * ey - P[i, s + 1] * ez
        third = P[i, t + 2] * ey - P[i, t + 1] * ez
        h = hy * abs(ez) + hz * abs(ey)
        if min(at, third) > h or max(at, third) < -h:
            return False
        at = P[i, s] * ez - P[i, s + 2] * ex
        third = P[i, t] * ez - P[i, t + 2] * ex
        h = hx * abs(ez) + hz * abs(ex)
        if min(at, third) > h or max(at, third) < -h:
            return False
        at = P[i, s + 1] * ex - P[i, s] * ey
        third = P[i, t + 1] * ex - P[i, t] * ey
        h = hx * abs(ey) + hy * abs(ex)
        if min(at, third) > h or max(at, third) < -h:
            return False
    return True


def simplex_distance(
    P: F64, i: int, corners: int, Q: F64, j: int, most: float, near: F64
) -> float:
    """Return the squared distance of a simplex and a triangle.

    Parameters
    ----------
    P, i, corners
        Row i, of which 1 to 3 corners count: a point, a segment or a triangle. Edges
        may be of no length.
    Q, j
        Triangle j.
    most
        What is not nearer, squared, is of no interest.
    near
        Output, (6,): the nearest points, of P and of Q. It is written if the distance
        is less than `most`; else `most` is returned.
    """
    best = most
    for k in range(1 if corners < 3 else 3):
        s, t = 3 * k, 3 * ((k + 1) % corners)
        dx, dy, dz = along(P, i, s, t)
        for h in range(3):
            u = 3 * h
            ex, ey, ez = along(Q, j, u, 3 * ((h + 1) % 3))
            rx, ry, rz = (
                P[i, s] - Q[j, u],
                P[i, s + 1] - Q[j, u + 1],
                P[i, s + 2] - Q[j, u + 2],
            )
            v, w = nearest_of_segments(dx, dy, dz, ex, ey, ez, rx, ry, rz)
            x, y, z = rx + v * dx - w * ex, ry + v * dy - w * ey, rz + v * dz - w * ez
            squared = x * x + y * y + z * z
            if squared < best:
                best = squared
                near[0], near[1] = P[i, s] + v * dx, P[i, s + 1] + v * dy
                near[2] = P[i, s + 2] + v * dz
                near[3], near[4] = Q[j, u] + w * ex, Q[j, u + 1] + w * ey
                near[5] = Q[j, u + 2] + w * ez
    best = nearest_to_face(P, i, corners, Q, j, best, near, int(OF_P))
    if corners == 3:
        best = nearest_to_face(Q, j, corners, P, i, best, near, int(OF_Q))
    return best


def nearest_of_segments(
    dx: float, dy: float, dz: float, ex: float, ey: float, ez: float,
    rx: float, ry: float, rz: float,
) -> tuple[float, float]:  # fmt: skip
    """Return s and t in 0..1 for which r + s d and t e are nearest.

    C. Ericson, "Real-Time Collision Detection", section 5.1.9: with a = d d, b = d e,
    c = e e, f = d r, g = e r they are, before they are clamped,

        s = (b g - c f) / (a c - b^2),  t = (b s + g) / c,  s = (b t - f) / a

    Of parallel ones s is found again from t, which corrects what cancelled.
    """
    a, b, c = (
        dx * dx + dy * dy + dz * dz,
        dx * ex + dy * ey + dz * ez,
        ex * ex + ey * ey + ez * ez,
    )
    f, g = dx * rx + dy * ry + dz * rz, ex * rx + ey * ry + ez * rz
    bottom = a * c - b * b
    s = clamped((b * g - c * f) / bottom) if bottom > 0.0 else 0.0
    t = clamped((b * s + g) / c) if c > 0.0 else 0.0
    s = clamped((b * t - f) / a) if a > 0.0 else 0.0
    return s, t


def clamped(x: float) -> float:
    """Return x within 0..1."""
    return min(max(x, 0.0), 1.0)


def nearest_to_face(
    P: F64, i: int, corners: int, Q: F64, j: int, best: float, near: F64, first: int
) -> float:
    """Return the squared distance of a simplex and the inner part of a triangle.

    Parameters
    ----------
    best
        Squared; what is not nearer is of no interest.
    near, first
        The point of P goes to column `first` of the pair, that of Q to the other one.
    """
    nx, ny, nz = normal(Q, j)
    squared = nx * nx + ny * ny + nz * nz
    if squared == 0.0:
        return best
    for k in range(corners):
        s, t = 3 * k, 3 * ((k + 1) % corners)
        x, y, z = P[i, s], P[i, s + 1], P[i, s + 2]
        at = nx * (x - Q[j, 0]) + ny * (y - Q[j, 1]) + nz * (z - Q[j, 2])
        if at * at < best * squared and is_over(Q, j, nx, ny, nz, x, y, z):
            best = at * at / squared
            by = at / squared
            store_pair(near, first, x, y, z, x - by * nx, y - by * ny, z - by * nz)
        if corners == 1:
            return best
        dx, dy, dz = along(P, i, s, t)
        change = nx * dx + ny * dy + nz * dz
        if at * (at + change) <= 0.0 and change != 0.0:
            by = -at / change
            x, y, z = x + by * dx, y + by * dy, z + by * dz
            if is_over(Q, j, nx, ny, nz, x, y, z):
                store_pair(near, first, x, y, z, x, y, z)
                return 0.0
    return best


def is_over(
    Q: F64, j: int, nx: float, ny: float, nz: float, x: float, y: float, z: float
) -> bool:
    """Return True if a point is over a triangle along its normal n, edges included."""
    for h in range(3):
        u = 3 * h
        fx, fy, fz = along(Q, j, u, 3 * ((h + 1) % 3))
        ax, ay, az = cross(nx, ny, nz, fx, fy, fz)
        if ax * (x - Q[j, u]) + ay * (y - Q[j, u + 1]) + az * (z - Q[j, u + 2]) < 0.0:
            return False
    return True


def store_pair(
    near: F64, first: int,
    px: float, py: float, pz: float, qx: float, qy: float, qz: float,
) -> None:  # fmt: skip
    """Write two points, p from column `first` on and q at the other half."""
    near[first], near[first + 1], near[first + 2] = px, py, pz
    near[3 - first], near[4 - first], near[5 - first] = qx, qy, qz
