"""Parts of polygons that are over others (I. Sutherland, G. Hodgman, CACM 17, 1974)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)


def clip(
    polygon: F64, count: int, face: F64, sides: int,
    mx: float, my: float, mz: float, slack: float, other: F64,
) -> int:  # fmt: skip
    """Leave of a polygon what is over a convex face; return how many corners.

    Parameters
    ----------
    polygon, count
        Rows that begin with x, y, z, and how many are in use; overwritten. There is
        room for one more for each side of the face.
    face, sides, mx, my, mz
        Corners of the face, one after the other around it, how many, and its normal.
    slack
        Metres that points may be outside of it.
    other
        Scratch like the polygon.
    """
    cx, cy, cz = 0.0, 0.0, 0.0
    for k in range(sides):
        cx, cy, cz = cx + face[k, 0], cy + face[k, 1], cz + face[k, 2]
    cx, cy, cz = cx / sides, cy / sides, cz / sides
    for k in range(sides):
        j = k + 1 if k + 1 < sides else 0
        x, y, z = face[k, 0], face[k, 1], face[k, 2]
        u, v, w = face[j, 0] - x, face[j, 1] - y, face[j, 2] - z
        # out of the face, across the side
        ox, oy, oz = v * mz - w * my, w * mx - u * mz, u * my - v * mx
        length = math.sqrt(ox * ox + oy * oy + oz * oz)
        if not length > 0.0:
            continue
        if ox * (x - cx) + oy * (y - cy) + oz * (z - cz) < 0.0:
            length = -length
        ox, oy, oz = ox / length, oy / length, oz / length
        limit = ox * x + oy * y + oz * z + slack
        count = clip_by_plane(polygon, count, ox, oy, oz, limit, other)
        for i in range(count):
            for c in range(3):
                polygon[i, c] = other[i, c]
    return count


def clip_by_plane(
    polygon: F64, count: int, ox: float, oy: float, oz: float, limit: float, other: F64
) -> int:
    """Write the part of a polygon that is not beyond a plane; return its corners."""
    kept = 0
    for k in range(count):
        j = k - 1 if k > 0 else count - 1
        before = ox * polygon[j, 0] + oy * polygon[j, 1] + oz * polygon[j, 2] - limit
        here = ox * polygon[k, 0] + oy * polygon[k, 1] + oz * polygon[k, 2] - limit
        if (before > 0.0) != (here > 0.0):
            part = before / (before - here)
            for c in range(3):
                other[kept, c] = polygon[j, c] + part * (polygon[k, c] - polygon[j, c])
            kept += 1
        if not here > 0.0:
            for c in range(3):
                other[kept, c] = polygon[k, c]
            kept += 1
    return kept
