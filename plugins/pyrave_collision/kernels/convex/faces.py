"""The face, edge or corner of a convex solid that looks along a direction.

Round rims are polygons of `RIM` corners on them. Faces of hulls are found from their
vertices alone: the support plane is turned about the furthest vertex until it meets
another one, then about that edge.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import BOX, CAPSULE, CONE, CYLINDER, MESH
from pyrave_collision.kernels.convex.support import furthest
from pyrave_collision.kernels.shapes import BEGIN, END, HALF, KIND, SIZES

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

    Vector = tuple[float, float, float]
    Face = tuple[int, float, float, float]

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

CORNERS = 128
"""Corners that a face can have; of one with more these are spread around it."""
RIM = 16
FLAT = 1e-7
"""Depth under a face that still belongs to it, as a part of the hull's size."""
STRAIGHT = 1e-16
"""Squared sine of the angle of edges that are one."""


def write_face(
    shape: F64, pose: F64, vertices: F64, origin: F64, towards: F64, sign: float,
    corners: F64,
) -> Face:  # fmt: skip
    """Write the corners of the face that looks most along a direction.

    Parameters
    ----------
    shape, pose, vertices
        A solid as in `shapes`, no plane, and the vertices of all hulls.
    origin
        (3,) point that the corners are relative to, in the frame of the pose.
    towards, sign
        (3,) unit direction in that frame, and 1 or -1: the way it is meant.
    corners
        (`CORNERS`, 4) output: x, y, z of each, around the face. Two are an edge, or a
        line on a round side; one is a point.

    Returns
    -------
    How many corners there are, and the unit normal out of the face.
    """
    d0, d1, d2 = sign * towards[0], sign * towards[1], sign * towards[2]
    x = pose[0] * d0 + pose[4] * d1 + pose[8] * d2
    y = pose[1] * d0 + pose[5] * d1 + pose[9] * d2
    z = pose[2] * d0 + pose[6] * d1 + pose[10] * d2
    kind = int(shape[KIND])
    if kind == BOX:
        count, x, y, z = face_of_box(shape, x, y, z, corners)
    elif kind == MESH:
        count, x, y, z = face_of_hull(shape, vertices, x, y, z, corners)
    elif kind in (CYLINDER, CONE, CAPSULE):
        count, x, y, z = face_of_round(kind, shape, x, y, z, corners)
    else:
        radius = shape[SIZES]
        corners[0, 0], corners[0, 1], corners[0, 2] = radius * x, radius * y, radius * z
        count = 1
    dx, dy, dz = pose[3] - origin[0], pose[7] - origin[1], pose[11] - origin[2]
    for k in range(count):
        u, v, w = corners[k, 0], corners[k, 1], corners[k, 2]
        corners[k, 0] = pose[0] * u + pose[1] * v + pose[2] * w + dx
        corners[k, 1] = pose[4] * u + pose[5] * v + pose[6] * w + dy
        corners[k, 2] = pose[8] * u + pose[9] * v + pose[10] * w + dz
    return (
        count,
        pose[0] * x + pose[1] * y + pose[2] * z,
        pose[4] * x + pose[5] * y + pose[6] * z,
        pose[8] * x + pose[9] * y + pose[10] * z,
    )


def face_of_box(shape: F64, x: float, y: float, z: float, corners: F64) -> Face:
    """Write the face of a box, in its frame."""
    axis, along = 0, x
    if abs(y) > abs(along):
        axis, along = 1, y
    if abs(z) > abs(along):
        axis, along = 2, z
    side = 1.0 if along > 0.0 else -1.0
    one, other = (axis + 1) % 3, (axis + 2) % 3
    for k in range(4):
        corners[k, axis] = side * shape[SIZES + axis]
        corners[k, one] = shape[SIZES + one] * (1.0 if k in (0, 3) else -1.0)
        corners[k, other] = shape[SIZES + other] * (1.0 if k < 2 else -1.0)
    return (
        4,
        side if axis == 0 else 0.0,
        side if axis == 1 else 0.0,
        side if axis == 2 else 0.0,
    )


def face_of_round(
    kind: int, shape: F64, x: float, y: float, z: float, corners: F64
) -> Face:
    """Write the end of a cylinder, cone or capsule, or the line on its side."""
    bottom, top, half = shape[SIZES], shape[SIZES], shape[SIZES + 1]
    if kind == CONE:
        top, half = shape[SIZES + 1], shape[SIZES + 2]
    across = math.sqrt(x * x + y * y)
    ux, uy = (x / across, y / across) if across > 0.0 else (1.0, 0.0)
    end = 1.0 if z > 0.0 else -1.0
    # the side's normal, outwards and upwards
    length = math.sqrt(4.0 * half * half + (bottom - top) * (bottom - top))
    out, up = (
        (2.0 * half / length, (bottom - top) / length) if length > 0.0 else (1.0, 0.0)
    )
    if kind == CAPSULE:
        if half * across <= FLAT * bottom:
            corners[0, 0], corners[0, 1] = bottom * x, bottom * y
            corners[0, 2] = end * half + bottom * z
            return 1, x, y, z
    else:
        radius = top if z > 0.0 else bottom
        if radius > 0.0 and end * z >= out * across + up * z:
            for k in range(RIM):
                angle = 2.0 * math.pi * k / RIM
                c, s = radius * math.cos(angle), radius * math.sin(angle)
                corners[k, 0], corners[k, 1] = c * ux - s * uy, c * uy + s * ux
                corners[k, 2] = end * half
            return RIM, 0.0, 0.0, end
    corners[0, 0], corners[0, 1], corners[0, 2] = bottom * ux, bottom * uy, -half
    corners[1, 0], corners[1, 1], corners[1, 2] = top * ux, top * uy, half
    return 2, out * ux, out * uy, up


def face_of_hull(
    shape: F64, vertices: F64, dx: float, dy: float, dz: float, corners: F64
) -> Face:
    """Write the face of a hull, in its frame."""
    begin, end = int(shape[BEGIN]), int(shape[END])
    size = max(shape[HALF], shape[HALF + 1], shape[HALF + 2])
    first = furthest(vertices, begin, end, begin, dx, dy, dz)
    x, y, z = (vertices[3 * first], vertices[3 * first + 1], vertices[3 * first + 2])
    # the edge that falls least, seen along the direction
    least, ex, ey, ez = math.inf, 0.0, 0.0, 0.0
    for k in range(begin, end):
        u, v, w = vertices[3 * k] - x, vertices[3 * k + 1] - y, vertices[3 * k + 2] - z
        down = -(u * dx + v * dy + w * dz)
        length = math.sqrt(u * u + v * v + w * w)
        if length > FLAT * size and down < least * length:
            least, ex, ey, ez = down / length, u / length, v / length, w / length
    # the plane through it that looks most along the direction, turned about the edge
    along = ex * dx + ey * dy + ez * dz
    mx, my, mz = unit(dx - along * ex, dy - along * ey, dz - along * ez)
    sx, sy, sz = my * ez - mz * ey, mz * ex - mx * ez, mx * ey - my * ex
    best, side, fall = math.inf, 1.0, 0.0
    for k in range(begin, end):
        u, v, w = vertices[3 * k] - x, vertices[3 * k + 1] - y, vertices[3 * k + 2] - z
        aside = u * sx + v * sy + w * sz
        down = -(u * mx + v * my + w * mz)
        if abs(aside) > FLAT * size and down < best * abs(aside):
            best, side, fall = down / abs(aside), math.copysign(1.0, aside), down
    tilt = side * max(best, 0.0) if fall > 0.0 else 0.0
    mx, my, mz = unit(mx + tilt * sx, my + tilt * sy, mz + tilt * sz)
    level = mx * x + my * y + mz * z - FLAT * size
    count = walk_around(vertices, begin, end, first, level, mx, my, mz, corners)
    return count, mx, my, mz


def walk_around(
    vertices: F64, begin: int, end: int, first: int, level: float,
    mx: float, my: float, mz: float, corners: F64,
) -> int:  # fmt: skip
    """Write the corners of the hull of all vertices above a level; return how many.

    Parameters
    ----------
    level, mx, my, mz
        Vertices that are as far along the unit vector m as the level are of the face.
    """
    ux, uy, uz = any_across(mx, my, mz)
    vx, vy, vz = my * uz - mz * uy, mz * ux - mx * uz, mx * uy - my * ux
    edge = furthest_above(vertices, begin, end, first, level, mx, my, mz, ux, uy, uz)
    # it may be within an edge, but the one after it is a corner
    here = next_around(vertices, begin, end, edge, level, mx, my, mz)
    start, count = here, 0
    while count < CORNERS:
        for i in range(3):
            corners[count, i] = vertices[3 * here + i]
        count += 1
        here = next_around(vertices, begin, end, here, level, mx, my, mz)
        if here == start:
            return count
    # too many: those that are furthest around
    count, last = 0, -1
    for k in range(CORNERS):
        angle = 2.0 * math.pi * k / CORNERS
        c, s = math.cos(angle), math.sin(angle)
        row = furthest_above(
            vertices, begin, end, first, level, mx, my, mz,
            c * ux + s * vx, c * uy + s * vy, c * uz + s * vz,
        )  # fmt: skip
        if row != last:
            for i in range(3):
                corners[count, i] = vertices[3 * row + i]
            count, last = count + 1, row
    return count


def next_around(
    vertices: F64, begin: int, end: int, here: int, level: float,
    mx: float, my: float, mz: float,
) -> int:  # fmt: skip
    """Return the corner after one, so that all others are on one side of the way."""
    x, y, z = vertices[3 * here], vertices[3 * here + 1], vertices[3 * here + 2]
    after, ax, ay, az, square = here, 0.0, 0.0, 0.0, 0.0
    for k in range(begin, end):
        p, q, r = vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]
        if k == here or p * mx + q * my + r * mz < level:
            continue
        u, v, w = p - x, q - y, r - z
        turn = (ay * w - az * v) * mx + (az * u - ax * w) * my + (ax * v - ay * u) * mz
        length = u * u + v * v + w * w
        if turn * turn <= STRAIGHT * square * length:
            better = length > square and u * ax + v * ay + w * az >= 0.0
        else:
            better = turn < 0.0
        if better:
            after, ax, ay, az, square = k, u, v, w, length
    return after


def furthest_above(
    vertices: F64, begin: int, end: int, first: int, level: float,
    mx: float, my: float, mz: float, ux: float, uy: float, uz: float,
) -> int:  # fmt: skip
    """Return the vertex of a face that is furthest along u, of which `first` is one."""
    found, most = first, -math.inf
    for k in range(begin, end):
        p, q, r = vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]
        far = p * ux + q * uy + r * uz
        if far > most and p * mx + q * my + r * mz >= level:
            found, most = k, far
    return found


def any_across(x: float, y: float, z: float) -> Vector:
    """Return a unit vector across another one."""
    if abs(x) < 0.6:
        return unit(0.0, z, -y)
    return unit(-z, 0.0, x)


def unit(x: float, y: float, z: float) -> Vector:
    """Return a vector of length 1 along another one, which is not 0."""
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length
