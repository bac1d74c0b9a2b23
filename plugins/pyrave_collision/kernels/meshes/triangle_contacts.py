"""Contact of two overlapping triangles."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave_collision.kernels.meshes.triangle_pairs import (
    TRIANGLE,
    along,
    cross,
    is_over,
    normal,
    simplex_distance,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

# squared sine of an angle between edges that gives no axis
PARALLEL = 1e-14


def triangle_pair_contact(
    P: F64, i: int, Q: F64, j: int, near: F64, contact: F64
) -> None:
    """Write the contact of triangles that overlap.

    Position: the middle of where their edges cross the other one; where none does, of
    the nearest points. Normal: out of triangle i, along the axis, of those of the
    separating-axis test, on which they overlap least; depth: by how much.

    Parameters
    ----------
    P, i, Q, j
        As in `triangles_overlap`.
    near
        Scratch, (6,).
    contact
        (`CONTACT`,) output.
    """
    for a in range(3, 6):
        contact[a] = 0.0
    contact[6] = math.inf
    x, y, z = normal(P, i)
    shallower(P, i, Q, j, x, y, z, 0.0, contact)
    x, y, z = normal(Q, j)
    shallower(P, i, Q, j, x, y, z, 0.0, contact)
    for k in range(3):
        ex, ey, ez = along(P, i, 3 * k, 3 * ((k + 1) % 3))
        for h in range(3):
            fx, fy, fz = along(Q, j, 3 * h, 3 * ((h + 1) % 3))
            x, y, z = cross(ex, ey, ez, fx, fy, fz)
            least = (ex * ex + ey * ey + ez * ez) * (fx * fx + fy * fy + fz * fz)
            shallower(P, i, Q, j, x, y, z, PARALLEL * least, contact)
    if contact[6] == math.inf:
        contact[6] = 0.0
    contact[0] = contact[1] = contact[2] = 0.0
    count = add_crossings(P, i, Q, j, contact) + add_crossings(Q, j, P, i, contact)
    if count > 0:
        for a in range(3):
            contact[a] /= count
        return
    simplex_distance(P, i, int(TRIANGLE), Q, j, math.inf, near)
    for a in range(3):
        contact[a] = 0.5 * (near[a] + near[3 + a])


def shallower(
    P: F64, i: int, Q: F64, j: int,
    x: float, y: float, z: float, least: float, contact: F64,
) -> None:  # fmt: skip
    """Write depth and normal along an axis if triangles overlap less on it.

    Parameters
    ----------
    least
        Squared length above which the axis counts.
    """
    squared = x * x + y * y + z * z
    if not squared > least:
        return
    scale = 1.0 / math.sqrt(squared)
    x, y, z = scale * x, scale * y, scale * z
    top, bottom, above, below = -math.inf, math.inf, -math.inf, math.inf
    for c in range(0, 9, 3):
        at = (
            x * (P[i, c] - Q[j, 0])
            + y * (P[i, c + 1] - Q[j, 1])
            + z * (P[i, c + 2] - Q[j, 2])
        )
        top, bottom = max(top, at), min(bottom, at)
        at = (
            x * (Q[j, c] - Q[j, 0])
            + y * (Q[j, c + 1] - Q[j, 1])
            + z * (Q[j, c + 2] - Q[j, 2])
        )
        above, below = max(above, at), min(below, at)
    # what the second triangle has to go up, or down, to get out
    up, down = max(top - below, 0.0), max(above - bottom, 0.0)
    depth, sign = (up, 1.0) if up <= down else (down, -1.0)
    if depth < contact[6]:
        contact[3], contact[4], contact[5] = sign * x, sign * y, sign * z
        contact[6] = depth


def add_crossings(P: F64, i: int, Q: F64, j: int, total: F64) -> int:
    """Add where edges of P cross the face of Q to a sum (3,); return how many do."""
    nx, ny, nz = normal(Q, j)
    count = 0
    for k in range(3):
        s = 3 * k
        dx, dy, dz = along(P, i, s, 3 * ((k + 1) % 3))
        x, y, z = P[i, s], P[i, s + 1], P[i, s + 2]
        at = nx * (x - Q[j, 0]) + ny * (y - Q[j, 1]) + nz * (z - Q[j, 2])
        change = nx * dx + ny * dy + nz * dz
        if at * (at + change) <= 0.0 and change != 0.0:
            by = -at / change
            x, y, z = x + by * dx, y + by * dy, z + by * dz
            if is_over(Q, j, nx, ny, nz, x, y, z):
                total[0] += x
                total[1] += y
                total[2] += z
                count += 1
    return count
