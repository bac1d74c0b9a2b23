"""Contacts all over where the faces of two convex solids touch."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.geometry.kernels.primitives import PLANE
from pyrave_collision.kernels.convex.faces import CORNERS, write_face
from pyrave_collision.kernels.convex.polygons import clip
from pyrave_collision.kernels.layout import solids_of
from pyrave_collision.kernels.shapes import KIND, RADIUS

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_2, I64_2

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ("spread_contacts",)
JIT_NO_ARRAYS = ("*",)

ROWS = 6 * CORNERS
"""Rows of 4 numbers of the scratch: two faces, and two polygons clipped by them."""
ALIGNED = 1e-3
"""Largest sine of the angle of a normal, or of two edges, that are as good as one."""
NEAR = 1e-6
"""Length that counts as nothing, as a part of the smaller solid's size."""


def spread_contacts(
    world: I64_2, a: int, b: int, margin: float, contacts: F64_2, scratch: F64_2
) -> int:
    """Write several contacts of the convex solids of two rows; return how many.

    The face of one that looks to the other is the *reference*; the other's face, edge
    or corner is cut off at its sides. What is left of its corners is as deep as it is
    behind the reference. Two edges side by side touch at both ends of what they share.

    Parameters
    ----------
    margin
        Metres that they may be apart.
    contacts
        (m, `CONTACT`) deepest first. The first row is given: the deepest contact, as
        `contacts.pair_contacts` writes it. It stays if no corner is as deep.
    scratch
        (`ROWS`, 4).
    """
    solids = solids_of(world)
    shape_a, shape_b = solids.shapes[a], solids.shapes[b]
    size = min(shape_a[RADIUS], shape_b[RADIUS])
    if not size < math.inf:
        return 1
    origin, normal, depth = contacts[0, :3], contacts[0, 3:6], contacts[0, 6]
    face_a, face_b = scratch[:CORNERS], scratch[CORNERS : 2 * CORNERS]
    found, other = scratch[2 * CORNERS : 4 * CORNERS], scratch[4 * CORNERS :]
    sides_a, ax, ay, az = face_towards(
        shape_a, solids.poses[a], solids.vertices, origin, normal, depth, 1.0, face_a
    )
    sides_b, bx, by, bz = face_towards(
        shape_b, solids.poses[b], solids.vertices, origin, normal, depth, -1.0, face_b
    )
    slope_a = 1.0 - (ax * normal[0] + ay * normal[1] + az * normal[2])
    slope_b = 1.0 + (bx * normal[0] + by * normal[1] + bz * normal[2])
    least = 0.5 * ALIGNED * ALIGNED
    # neither a point nor a line; a plane has no corners
    is_a = (sides_a == 0 or sides_a > 2) and slope_a < least
    is_b = (sides_b == 0 or sides_b > 2) and slope_b < least
    slack = NEAR * size
    if is_a and (not is_b or slope_a <= slope_b):
        count = behind_face(
            face_b, sides_b, face_a, sides_a, ax, ay, az,
            margin + slack, 1e-3 * slack, found, other,
        )  # fmt: skip
    elif is_b:
        count = behind_face(
            face_a, sides_a, face_b, sides_b, bx, by, bz,
            margin + slack, 1e-3 * slack, found, other,
        )  # fmt: skip
        ax, ay, az = -bx, -by, -bz
    else:
        ax, ay, az = normal[0], normal[1], normal[2]
        count = along_edges(face_a, sides_a, face_b, sides_b, normal, found)
    deepest = -math.inf
    for k in range(count):
        deepest = max(deepest, found[k, 3])
    if deepest < depth - slack:
        for i in range(3):
            found[count, i] = 0.0
        found[count, 3] = depth
        count += 1
    return write_spread(found, count, ax, ay, az, 10.0 * slack, origin, contacts)


def face_towards(
    shape: F64, pose: F64, vertices: F64, origin: F64, normal: F64, depth: float,
    sign: float, corners: F64,
) -> tuple[int, float, float, float]:  # fmt: skip
    """Write the face of a solid that looks along ± the normal; a plane has no corners.

    That plane goes through the solid's deepest point.
    """
    if int(shape[KIND]) != PLANE:
        return write_face(shape, pose, vertices, origin, normal, sign, corners)
    x, y, z = sign * normal[0], sign * normal[1], sign * normal[2]
    corners[0, 0], corners[0, 1], corners[0, 2] = (
        0.5 * depth * x,
        0.5 * depth * y,
        0.5 * depth * z,
    )
    return 0, x, y, z


def behind_face(
    polygon: F64, count: int, face: F64, sides: int, x: float, y: float, z: float,
    margin: float, slack: float, found: F64, other: F64,
) -> int:  # fmt: skip
    """Write the corners of a polygon that are over a face and behind it.

    Each row is the point midway to the face, and how deep it is behind it.
    """
    for k in range(count):
        for i in range(3):
            found[k, i] = polygon[k, i]
    if sides > 0:
        count = clip(found, count, face, sides, x, y, z, slack, other)
    level = x * face[0, 0] + y * face[0, 1] + z * face[0, 2]
    kept = 0
    for k in range(count):
        u, v, w = found[k, 0], found[k, 1], found[k, 2]
        depth = level - (u * x + v * y + w * z)
        if depth >= -margin:
            half = 0.5 * depth
            found[kept, 0] = u + half * x
            found[kept, 1] = v + half * y
            found[kept, 2] = w + half * z
            found[kept, 3] = depth
            kept += 1
    return kept


def along_edges(
    face_a: F64, sides_a: int, face_b: F64, sides_b: int, normal: F64, found: F64
) -> int:
    """Write both ends of what two parallel edges share; return how many, 0 or 2."""
    i, j = edge_across(face_a, sides_a, normal, 1.0)
    k, m = edge_across(face_b, sides_b, normal, -1.0)
    if i == j or k == m:
        return 0
    ux, uy, uz = (
        face_a[j, 0] - face_a[i, 0],
        face_a[j, 1] - face_a[i, 1],
        face_a[j, 2] - face_a[i, 2],
    )
    vx, vy, vz = (
        face_b[m, 0] - face_b[k, 0],
        face_b[m, 1] - face_b[k, 1],
        face_b[m, 2] - face_b[k, 2],
    )
    square, with_b = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz
    squares = square * (vx * vx + vy * vy + vz * vz)
    if not with_b * with_b > (1.0 - ALIGNED * ALIGNED) * squares:
        return 0
    # of the edge of a the parts from 0 to 1, of that of b those that are beside them
    first = (
        ux * (face_b[k, 0] - face_a[i, 0])
        + uy * (face_b[k, 1] - face_a[i, 1])
        + uz * (face_b[k, 2] - face_a[i, 2])
    ) / square
    last = first + with_b / square
    low, high = max(0.0, min(first, last)), min(1.0, max(first, last))
    if not high > low:
        return 0
    for end in range(2):
        at = low if end == 0 else high
        beside = (at - first) * square / with_b
        depth = 0.0
        for c in range(3):
            p = face_a[i, c] + at * (face_a[j, c] - face_a[i, c])
            q = face_b[k, c] + beside * (face_b[m, c] - face_b[k, c])
            found[end, c] = 0.5 * (p + q)
            depth += (p - q) * normal[c]
        found[end, 3] = depth
    return 2


def edge_across(face: F64, sides: int, normal: F64, sign: float) -> tuple[int, int]:
    """Return both corners of the edge of a face that is across the normal.

    They are one corner if there is none.
    """
    top, most = 0, -math.inf
    for k in range(sides):
        far = sign * (
            normal[0] * face[k, 0] + normal[1] * face[k, 1] + normal[2] * face[k, 2]
        )
        if far > most:
            top, most = k, far
    found, least = top, ALIGNED
    for step in range(-1, 2, 2):
        k = (top + step) % sides if sides > 0 else top
        square, fall = 0.0, 0.0
        for c in range(3):
            way = face[top, c] - face[k, c]
            square += way * way
            fall += sign * normal[c] * way
        length = math.sqrt(square)
        if length > 0.0 and fall < least * length:
            found, least = k, fall / length
    return top, found


def write_spread(
    found: F64, count: int, x: float, y: float, z: float, apart: float, origin: F64,
    contacts: F64,
) -> int:  # fmt: skip
    """Write points as contacts, deepest first; return how many.

    Points nearer to each other than `apart` are one. If there is no room for all, those
    are taken that are furthest from the ones taken before.
    """
    ox, oy, oz = origin[0], origin[1], origin[2]
    # the fourth number of those that were taken is replaced: it is -inf
    taken, room = 0, contacts.shape[0]
    while taken < room:
        best, chosen = -math.inf, -1
        for k in range(count):
            if found[k, 3] == -math.inf:
                continue
            value = found[k, 3] if taken == 0 else math.inf
            for j in range(taken):
                u = found[k, 0] - (contacts[j, 0] - ox)
                v = found[k, 1] - (contacts[j, 1] - oy)
                w = found[k, 2] - (contacts[j, 2] - oz)
                value = min(value, math.sqrt(u * u + v * v + w * w))
            if value > best:
                best, chosen = value, k
        if chosen < 0 or (taken > 0 and best < apart):
            break
        for i in range(3):
            contacts[taken, i] = found[chosen, i] + (ox, oy, oz)[i]
        contacts[taken, 3], contacts[taken, 4], contacts[taken, 5] = x, y, z
        contacts[taken, 6], contacts[taken, 7] = found[chosen, 3], -1.0
        found[chosen, 3] = -math.inf
        taken += 1
    for k in range(1, taken):
        j = k
        while j > 0 and contacts[j - 1, 6] < contacts[j, 6]:
            for c in range(8):
                contacts[j - 1, c], contacts[j, c] = contacts[j, c], contacts[j - 1, c]
            j -= 1
    return taken
