"""Support points of convex solids: their furthest points along a direction.

A sphere is a point and a capsule is a segment, both with their radius as a margin
around this core; margins are added by the caller. Solids of the kind ``MESH`` are the
convex hulls of ranges of a vertex array. Large hulls are climbed from vertex to vertex
along their edges (D. Dobkin, D. Kirkpatrick, "Determining the separation of
preprocessed polyhedra", ICALP 1990, without their hierarchy).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.primitives import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    MESH,
    SPHERE,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32

    Point = tuple[float, float, float, int]

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    # its many arguments take longer to hand over than to use
    "support": {"forceinline": True},
}
JIT_ENTRIES = ()
JIT_NO_ARRAYS = ("*",)

CLIMBED = 160
"""Hulls of more vertices are climbed, which needs their neighbours."""
FIRST = 14
"""Number of a large hull's vertices that are compared before the climb."""
# indices that are unsigned are not looked at for counting from the end
_STEP, _ONE, _TWO = np.uint64(3), np.uint64(1), np.uint64(2)


def radius_around(kind: int, size: float) -> float:
    """Return the margin of a solid around its core: the radius of a round one."""
    return size if kind in (SPHERE, CAPSULE) else 0.0


def furthest(
    vertices: F64, begin: int, end: int, row: int, dx: float, dy: float, dz: float
) -> int:
    """Return the vertex of begin..end that is furthest along d.

    With a good guess in `row` few branches are mispredicted.
    """
    k = 3 * row
    best = vertices[k] * dx + vertices[k + 1] * dy + vertices[k + 2] * dz
    x, y, z = np.uint64(3 * begin), np.uint64(3 * begin + 1), np.uint64(3 * begin + 2)
    for i in range(begin, end):
        h = vertices[x] * dx + vertices[y] * dy + vertices[z] * dz
        if h > best:
            best, row = h, i
        x, y, z = x + _STEP, y + _STEP, z + _STEP
    return row


def climbed(
    vertices: F64, starts: I32, neighbours: I32, row: int,
    dx: float, dy: float, dz: float,
) -> int:  # fmt: skip
    """Return the furthest vertex of a hull along d, from a vertex over its edges."""
    k = 3 * row
    best = vertices[k] * dx + vertices[k + 1] * dy + vertices[k + 2] * dz
    while True:
        here = row
        for j in range(starts[here], starts[here + 1]):
            i = neighbours[j]
            x = _STEP * np.uint64(i)
            h = vertices[x] * dx + vertices[x + _ONE] * dy + vertices[x + _TWO] * dz
            if h > best:
                best, row = h, int(i)
        if row == here:
            return row


def support(
    kind: int, s0: float, s1: float, s2: float,
    vertices: F64, begin: int, end: int, starts: I32, neighbours: I32, hint: int,
    dx: float, dy: float, dz: float,
) -> Point:  # fmt: skip
    """Return the point of a solid's core that is furthest along d, in its frame.

    Parameters
    ----------
    kind, s0, s1, s2
        As in `pyrave.world.tables.GeometryTable`.
    vertices, begin, end
        (3 n,) coordinates x, y, z of one vertex after the other, and the numbers of
        a hull's first vertex and of the one after its last.
    starts, neighbours
        Numbers of the vertices next to vertex i: neighbours[starts[i]:starts[i + 1]];
        read for hulls of more than `CLIMBED` vertices.
    hint
        Vertex that may be near the one looked for; `end` if none is known.
    dx, dy, dz
        Direction of any length but 0.

    Returns
    -------
    The point, and the number of a hull's vertex, a hint for a direction near this one.
    """
    if kind == MESH:
        known = begin <= hint < end
        row = hint if known else begin
        climbs = end - begin > CLIMBED
        if not climbs or not known:
            to = begin + FIRST if climbs else end
            row = furthest(vertices, begin, to, row, dx, dy, dz)
        if climbs:
            row = climbed(vertices, starts, neighbours, row, dx, dy, dz)
        k = 3 * row
        return vertices[k], vertices[k + 1], vertices[k + 2], row
    if kind == BOX:
        return (
            s0 if dx > 0.0 else -s0,
            s1 if dy > 0.0 else -s1,
            s2 if dz > 0.0 else -s2,
            0,
        )
    if kind == CAPSULE:
        return 0.0, 0.0, (s1 if dz > 0.0 else -s1), 0
    if kind in (CYLINDER, CONE):
        across = math.sqrt(dx * dx + dy * dy)
        if kind == CYLINDER:
            radius, z = s0, (s1 if dz > 0.0 else -s1)
        elif s1 * across + s2 * dz > s0 * across - s2 * dz:
            radius, z = s1, s2
        else:
            radius, z = s0, -s2
        if across > 0.0:
            scale = radius / across
            return dx * scale, dy * scale, z, 0
        return 0.0, 0.0, z, 0
    return 0.0, 0.0, 0.0, 0
