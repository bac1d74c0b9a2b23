"""Rays and eight triangles at a time in float32, to pick some for the exact test.

There is an allowance for all rounding that has gone into it: what it rejects the exact
test would reject, and what it calls sure the exact test would accept. So the answer of
a cast does not depend on how the tree was walked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.aabb import DIRECTION, FARTHEST, ORIGIN, REACH
from pyrave.geometry.kernels.exact import BY_EDGE, BY_PLACE
from pyrave.simd import absolute, fma, load8, movemask, store, where

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {
    "leaf_hits": {"forceinline": True},
}
JIT_ENTRIES = ()

ZERO = np.float32(0.0)
UP = np.float32(1.0 + 2.0**-20)
DOWN = np.float32(1.0 - 2.0**-20)
GROUP = 80  # numbers of a leaf: ten rows of eight


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
    # p = d x e2, det = e1.p, u = a.p / det; q = a x e1, v = d.q / det, t = e2.q / det
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
