"""Shapes with an axis: cones, frusta, vases, as meshes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.scene.geometry import MeshData, TriMesh
from pyrave.spatial import as_number, as_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_LEAST, _MOST = 3, 10_000
_SLICES = 10_000


def revolved_shape(slices: ArrayLike, *, segments: int = 64) -> TriMesh:
    """Return a closed mesh about the z axis, of radii at heights.

    Between two heights the radius changes evenly: two of them are a frustum, a cone
    where one radius is 0. The mesh lies inside of the round shape.

    Parameters
    ----------
    slices
        (n, 2) height z and radius there, metres, from below to above. Equal heights
        with different radii are a step.
    segments
        Number of corners around the axis.

    Raises
    ------
    ArgumentError
        Fewer than two slices, heights that fall, radii below 0, or no volume.
    """
    rows = as_numbers(slices, "slices")
    if rows.ndim != 2 or rows.shape[1] != 2 or not 2 <= len(rows) <= _SLICES:
        raise ArgumentError(
            f"slices have the shape {rows.shape}, expected (n, 2): height and radius "
            f"of 2 to {_SLICES} slices"
        )
    heights, radii = rows.T
    if not np.isfinite(rows).all() or (np.diff(heights) < 0.0).any():
        raise ArgumentError("heights of slices fall or are not finite")
    if (radii < 0.0).any():
        raise ArgumentError(f"a radius is {radii.min()}, expected 0 or more")
    areas = radii[1:] ** 2 + radii[1:] * radii[:-1] + radii[:-1] ** 2
    if not (np.diff(heights) * areas).sum() > 0.0:
        raise ArgumentError("slices enclose no volume: all radii or heights are alike")
    count = int(as_number(segments, "segments", _LEAST, _MOST))
    angles = 2.0 * np.pi * np.arange(count) / count
    circle = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    first, last = heights[0], heights[-1]
    vertices, rings = [np.array([[0.0, 0.0, first], [0.0, 0.0, last]])], []
    total = 2
    for height, radius in rows.tolist():
        ring = np.zeros((count if radius else 1, 3))
        ring[:, 2] = height
        if radius:
            ring[:, :2] = radius * circle
        vertices.append(ring)
        rings.append(np.arange(total, total + len(ring)))
        total += len(ring)
    # the discs at both ends are bands to their centres
    bands = [np.array([0]), *rings, np.array([1])]
    faces = [face for low, high in pairwise(bands) for face in _band(low, high, count)]
    used, packed = np.unique(np.array(faces), return_inverse=True)
    corners = packed.reshape(-1, 3).astype(np.int32)
    return TriMesh(MeshData(np.concatenate(vertices)[used], corners))


def _band(low: NDArray[np.intp], high: NDArray[np.intp], count: int) -> list[list[int]]:
    """Return the triangles between two rings, of which either may be a point."""
    found: list[list[int]] = []
    for k in range(count):
        after = (k + 1) % count
        if len(low) > 1:
            found.append([low[k], low[after], high[k % len(high)]])
        if len(high) > 1:
            found.append([low[after % len(low)], high[after], high[k]])
    return found
