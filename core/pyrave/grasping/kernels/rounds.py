"""Points and ellipses, which are edges of friction cones among wrenches.

An ellipse i has its middle at ``normals[i]``, (d,), and half axes ``tangents[i]``,
(2, d); zeros make it a point. One point of it is a choice: i, and the cosine and sine
of how far round it is.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64


def farthest(normals: F64, tangents: F64, direction: F64, choice: F64) -> float:
    """Write the choice that is farthest in a direction (d,); return how far it is."""
    n, d = normals.shape
    best = -math.inf
    for i in range(n):
        along = x = y = 0.0
        for j in range(d):
            along += normals[i, j] * direction[j]
            x += tangents[i, 0, j] * direction[j]
            y += tangents[i, 1, j] * direction[j]
        size = math.sqrt(x * x + y * y)
        if along + size > best:
            best = along + size
            choice[0] = i
            choice[1] = x / size if size > 0.0 else 1.0
            choice[2] = y / size if size > 0.0 else 0.0
    return best


def point_of(normals: F64, tangents: F64, choice: F64, point: F64) -> None:
    """Write the point (d,) of a choice."""
    i = int(choice[0])
    for j in range(point.shape[0]):
        point[j] = (
            normals[i, j]
            + choice[1] * tangents[i, 0, j]
            + choice[2] * tangents[i, 1, j]
        )
