"""Convex hulls of points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_kernels = KernelModule("pyrave.geometry.kernels.convex_hull")

_FLAT = 1e-9
"""Thickness of a flat set of points, as a part of its size."""

_STANDS_OUT = 1e-11
"""Distance by which points may stand out of the hull, as a part of its size."""


def hull_faces(points: Array) -> NDArray[np.int64]:
    """Return the triangles of the convex hull of different points.

    Parameters
    ----------
    points
        (n, 3) finite float64, no two of them equal.

    Returns
    -------
    (m, 3) int64 indices into `points`, counter-clockwise from outside.

    Raises
    ------
    ArgumentError
        Fewer than 4 points, or all of them in one plane.
    """
    if len(points) < 4:
        raise ArgumentError(f"a convex hull needs 4 points, found {len(points)}")
    lo, hi = points.min(axis=0), points.max(axis=0)
    size = float((hi - lo).max())
    # about its centre and as large as 1, so that tolerances have a meaning
    local = np.ascontiguousarray((points - 0.5 * (lo + hi)) / (size or 1.0))
    simplex = _simplex(local)
    n = len(local)
    capacity = 8 * n + 64
    corners = np.empty((capacity, 3), np.int64)
    rows = _kernels.auto(cost=n / 4).convex_hull(
        local,
        simplex,
        _STANDS_OUT,
        corners,
        np.empty((capacity, 3), np.int64),
        np.empty((capacity, 4)),
        np.empty(capacity, np.int64),
        np.empty(n, np.int64),
        np.empty(capacity, np.int64),
        np.zeros((9, capacity), np.int64),
    )
    found = corners[:rows]
    return np.asarray(found[found[:, 0] >= 0])


def _simplex(points: Array) -> NDArray[np.int64]:
    """Return four points far from each other, the fourth below the other three."""
    ends = np.concatenate((points.argmin(axis=0), points.argmax(axis=0)))
    apart = np.linalg.norm(points[ends][:, None] - points[ends][None], axis=2)
    i, j = np.unravel_index(int(np.argmax(apart)), apart.shape)
    a, b = int(ends[i]), int(ends[j])
    along = points[b] - points[a]
    from_line = np.linalg.norm(np.cross(points - points[a], along), axis=1)
    c = int(np.argmax(from_line))
    normal = np.cross(along, points[c] - points[a])
    length = float(np.linalg.norm(normal))
    thickness = (points - points[a]) @ (normal / (length or 1.0))
    d = int(np.argmax(np.abs(thickness)))
    if length < _FLAT or abs(thickness[d]) < _FLAT:
        raise ArgumentError("the points lie in one plane, so their hull has no volume")
    if thickness[d] > 0:
        a, b = b, a
    return np.array((a, b, c, d))
