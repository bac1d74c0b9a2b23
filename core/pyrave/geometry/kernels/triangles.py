"""Rays and triangles: an exact test in float64, and a float32 one that picks for it.

The exact test decides every hit: S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle
intersection", JCGT 2(1), 2013. Rounding is monotone, so an edge function has the right
sign or is zero, and zero counts as inside for both triangles of the edge: no ray slips
through. That holds as long as both triangles round alike, so nothing of it is fused.

Walks of trees look at eight triangles at a time in float32, with an allowance for all
rounding that has gone into it: what it rejects the exact test would reject, and what it
calls sure the exact test would accept. So the answer of a cast does not depend on how
the tree was walked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.aabb import DIRECTION, FARTHEST, ORIGIN, REACH
from pyrave.simd import absolute, fma, load8, movemask, store, where

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64

# arrays are borrowed from the caller: no counting of references
JIT_OPTIONS: dict[str, dict[str, bool]] = {
    "*": {"_nrt": False},
    **{name: {"forceinline": True} for name in ("leaf_hits", "distance")},
}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}

# Bound of what rounding in float32 adds up to, in units of coordinates times edges and
# of edges squared: products of two vectors lose some 30 units in the last place.
BY_PLACE = np.float32(2.0**-18)
BY_EDGE = np.float32(2.0**-20)
ZERO = np.float32(0.0)
UP = np.float32(1.0 + 2.0**-20)
DOWN = np.float32(1.0 - 2.0**-20)
GROUP = 80  # numbers of a leaf: ten rows of eight


def distance(
    corners: F64, k: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
) -> float:  # fmt: skip
    """Return the distance along a unit ray to triangle k, inf if it misses.

    The axes are permuted so that z is the direction's largest component; sx, sy and sz
    shear the ray onto it.
    """
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    by_x = ax >= ay and ax >= az
    by_y = ay >= az
    kz = 0 if by_x else (1 if by_y else 2)
    kx = 1 if by_x else (2 if by_y else 0)
    ky = 2 if by_x else (0 if by_y else 1)
    sz = 1.0 / (dx if by_x else (dy if by_y else dz))
    sx = (dy if by_x else (dz if by_y else dx)) * sz
    sy = (dz if by_x else (dx if by_y else dy)) * sz
    x = oy if by_x else (oz if by_y else ox)
    y = oz if by_x else (ox if by_y else oy)
    z = ox if by_x else (oy if by_y else oz)
    pz, qz, rz = corners[k, kz] - z, corners[k, kz + 3] - z, corners[k, kz + 6] - z
    px, py = corners[k, kx] - x - sx * pz, corners[k, ky] - y - sy * pz
    qx, qy = corners[k, kx + 3] - x - sx * qz, corners[k, ky + 3] - y - sy * qz
    rx, ry = corners[k, kx + 6] - x - sx * rz, corners[k, ky + 6] - y - sy * rz
    u = rx * qy - ry * qx
    v = px * ry - py * rx
    w = qx * py - qy * px
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return np.inf
    det = u + v + w
    if det == 0.0:
        return np.inf
    t: float = (u * pz + v * qz + w * rz) / det * sz
    return t


def leaf_hits(groups: F32, g: int, aims: F32, k: int, spans: F32) -> tuple[int, int]:
    """Return, as bits, the triangles of a leaf that a ray may hit, and surely hits.

    T. Moeller, B. Trumbore, "Fast, minimum storage ray/triangle intersection", 1997,
    with allowance.

    Parameters
    ----------
    groups
        As `pyrave.geometry.tree` packs them.
    aims, k
        Rays as `kernels.aabb` aims them, and the column of this one.
    spans
        Output, (16,): least and largest distance of the eight, for those that are hit.
    """
    ox, oy, oz = aims[ORIGIN, k], aims[ORIGIN + 1, k], aims[ORIGIN + 2, k]
    dx, dy, dz = aims[DIRECTION, k], aims[DIRECTION + 1, k], aims[DIRECTION + 2, k]
    row = GROUP * g
    ax, ay, az = (
        ox - load8(groups, row),
        oy - load8(groups, row + 8),
        oz - load8(groups, row + 16),
    )
    e1x, e1y, e1z = (
        load8(groups, row + 24),
        load8(groups, row + 32),
        load8(groups, row + 40),
    )
    e2x, e2y, e2z = (
        load8(groups, row + 48),
        load8(groups, row + 56),
        load8(groups, row + 64),
    )
    size = load8(groups, row + 72)
    slack = size * fma(size, BY_EDGE, BY_PLACE * aims[REACH, k])
    px = fma(e2z, dy, -(e2y * dz))
    py = fma(e2x, dz, -(e2z * dx))
    pz = fma(e2y, dx, -(e2x * dy))
    det = fma(e1x, px, fma(e1y, py, e1z * pz))
    qx = fma(ay, e1z, -(az * e1y))
    qy = fma(az, e1x, -(ax * e1z))
    qz = fma(ax, e1y, -(ay * e1x))
    u = fma(ax, px, fma(ay, py, az * pz))
    v = fma(qx, dx, fma(qy, dy, qz * dz))
    t = fma(e2x, qx, fma(e2y, qy, e2z * qz))
    back = det < ZERO
    u, v, t = where(back, -u, u), where(back, -v, v), where(back, -t, t)
    det = absolute(det)
    above, below = det + slack, det - slack
    deep = slack * size
    maybe = movemask(
        (u >= -slack)
        & (v >= -slack)
        & (u + v <= above)
        & (t >= -deep)
        & (t <= fma(above, aims[FARTHEST, k], deep))
    )
    sure = 0
    if maybe != 0:
        sure = movemask(
            (u > slack) & (v > slack) & (u + v < below) & (below > slack) & (t > deep)
        )
        store(spans, 0, (t - deep) / above * DOWN)
        store(spans, 8, (t + deep) / below * UP)
    return maybe, sure
