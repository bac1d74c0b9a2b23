"""Topology of a mesh: equal vertices, edges, connected components."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

# odd 64-bit constants with about as many ones as zeros
_MIX = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], dtype=np.uint64
)
_SHIFT = np.uint64(29)


def weld(points: Array) -> tuple[Array, NDArray[np.intp]]:
    """Return the different points and which of them each point is.

    Parameters
    ----------
    points
        (n, 3) float64, finite; points are equal if all coordinates are.

    Returns
    -------
    different, index
        (k, 3), in the order of their first occurrence, and (n,).
    """
    points = np.ascontiguousarray(points, dtype=np.float64) + 0.0  # -0.0 is 0.0
    # a sort of whole numbers that stand for the points is many times faster than one
    # of rows; different points with one number are found below
    bits = points.view(np.uint64)
    key = np.zeros(len(points), np.uint64)
    for axis in range(3):
        key ^= bits[:, axis] * _MIX[axis]
        key ^= key >> _SHIFT
        key *= _MIX[axis]
    _, first, index = np.unique(key, return_index=True, return_inverse=True)
    index = index.reshape(-1)
    if not (points[first[index]] == points).all():
        _, first, index = np.unique(
            points, axis=0, return_index=True, return_inverse=True
        )
        index = index.reshape(-1)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return points[first[order]], rank[index]


def directed_edges(faces: NDArray[np.integer]) -> tuple[NDArray[np.int64], ...]:
    """Return the start and end vertices of the edges of triangles (m, 3), (3 m,)."""
    wide = faces.astype(np.int64)
    return wide.reshape(-1), np.roll(wide, -1, axis=1).reshape(-1)


def component_of_vertices(
    faces: NDArray[np.integer], n_vertices: int
) -> NDArray[np.int64]:
    """Return for each vertex the smallest vertex that it is connected with.

    Labels are handed over along edges, and each time followed to their own label
    (Shiloach and Vishkin, "An O(log n) parallel connectivity algorithm", 1982).
    """
    starts, ends = directed_edges(faces)
    label = np.arange(n_vertices)
    while True:
        a, b = label[starts], label[ends]
        if (a == b).all():
            return label
        np.minimum.at(label, np.maximum(a, b), np.minimum(a, b))
        while True:
            further = label[label]
            if (further == label).all():
                break
            label = further
