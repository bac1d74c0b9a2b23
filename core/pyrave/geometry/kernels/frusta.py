"""Frusta, which stand for packets of rays from one point, and boxes.

With the axis that all rays go along most, a frustum is the interval of the slopes along
the two others. A node's eight boxes are tested against it at once, whatever the number
of rays (A. Reshetov, A. Soupikov, J. Hurley, "Multi-level ray tracing algorithm",
SIGGRAPH 2005).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.kernels.aabb import ALLOWANCE, ZERO
from pyrave.geometry.kernels.ray_block import BLOCK
from pyrave.simd import (
    absolute,
    fma,
    largest,
    load8,
    load16,
    maximum,
    minimum,
    movemask,
    smallest,
    spread16,
    store,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64

    View = tuple[
        int, int, int,
        np.float32, np.float32, np.float32, np.float32, np.float32, np.float32,
    ]  # fmt: skip

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {name: {"forceinline": True} for name in ("looking", "boxes_in_frustum")}
JIT_ENTRIES = ()

WIDER = np.float32(2.0**-20)


def frustum(xs: F64, row: int, begin: int, end: int, slopes: F32) -> int:
    """Write the slopes of unit directions and return the axis they go along most.

    Parameters
    ----------
    xs
        (rows, 64); x, y and z are in three rows from `row` on.
    slopes
        Output, (6,): least x y z, largest x y z of d / abs(d[axis]), a little wider.
    """
    sx, sy, sz = 0.0, 0.0, 0.0
    for w in range(begin, end):
        sx += xs[row, w]
        sy += xs[row + 1, w]
        sz += xs[row + 2, w]
    ax, ay, az = abs(sx), abs(sy), abs(sz)
    axis = 0 if ax >= ay and ax >= az else (1 if ay >= az else 2)
    at = BLOCK * row
    w = begin
    big = 1e30
    x0, y0, z0 = spread16(big), spread16(big), spread16(big)
    x1, y1, z1 = spread16(-big), spread16(-big), spread16(-big)
    while w < end:
        along = 1.0 / absolute(load16(xs, at + BLOCK * axis + w))
        x = load16(xs, at + w) * along
        y = load16(xs, at + BLOCK + w) * along
        z = load16(xs, at + 2 * BLOCK + w) * along
        x0, x1 = minimum(x0, x), maximum(x1, x)
        y0, y1 = minimum(y0, y), maximum(y1, y)
        z0, z1 = minimum(z0, z), maximum(z1, z)
        w += 16
    slopes[0] = np.float32(smallest(x0)) - WIDER
    slopes[1] = np.float32(smallest(y0)) - WIDER
    slopes[2] = np.float32(smallest(z0)) - WIDER
    slopes[3] = np.float32(largest(x1)) + WIDER
    slopes[4] = np.float32(largest(y1)) + WIDER
    slopes[5] = np.float32(largest(z1)) + WIDER
    return axis


def looking(
    x: np.float32, y: np.float32, z: np.float32, size: np.float32, axis: int,
    back: bool,
) -> View:  # fmt: skip
    """Return the view of `boxes_in_frustum`: a point and an axis, along or back.

    Parameters
    ----------
    size
        What no coordinate of a box exceeds.
    """
    reach = max(abs(x), abs(y), abs(z), size)
    pad = ALLOWANCE * reach * np.float32(2.0)
    oa, ob, oc = x, y, z
    if axis == 1:
        oa, ob, oc = y, z, x
    elif axis == 2:
        oa, ob, oc = z, x, y
    near, sign = 8 * axis, np.float32(1.0)
    if back:
        near, sign = near + 24, np.float32(-1.0)
    return near, (axis + 1) % 3, (axis + 2) % 3, sign, sign * oa, ob, oc, pad, reach


def boxes_in_frustum(
    planes: F32, row: int, near: int, b: int, c: int,
    sign: np.float32, oa: np.float32, ob: np.float32, oc: np.float32, pad: np.float32,
    b0: np.float32, b1: np.float32, c0: np.float32, c1: np.float32, most: np.float32,
    entry: F32,
) -> int:  # fmt: skip
    """Return, as bits, the boxes that a frustum meets of the node that begins at `row`.

    near says where the row of near planes across the frustum's axis begins; b and c are
    the other axes, b0..b1 and c0..c1 the slopes along them. The rest is as `looking`
    returns it. How deep boxes are is written to `entry`.
    """
    z0 = maximum(fma(load8(planes, row + near), sign, -oa - pad), ZERO)
    far = near + 24 if near < 24 else near - 24
    z1 = fma(load8(planes, row + far), sign, pad - oa)
    x0 = load8(planes, row + 8 * b) - (ob + pad)
    x1 = load8(planes, row + 8 * b + 24) - (ob - pad)
    y0 = load8(planes, row + 8 * c) - (oc + pad)
    y1 = load8(planes, row + 8 * c + 24) - (oc - pad)
    store(entry, 0, z0)
    return movemask(
        (z1 >= z0)
        & (z0 <= most)
        & (maximum(z1 * b1, z0 * b1) >= x0)
        & (minimum(z1 * b0, z0 * b0) <= x1)
        & (maximum(z1 * c1, z0 * c1) >= y0)
        & (minimum(z1 * c0, z0 * c0) <= y1)
    )
