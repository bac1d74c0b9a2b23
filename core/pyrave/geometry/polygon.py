"""Triangulation of simple polygons by ear clipping."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

__all__ = ["triangulate"]

_Point = tuple[float, float]


def triangulate(points: Array) -> tuple[Array, NDArray[np.int64]]:
    """Cut a simple polygon into triangles.

    Ear clipping (G. H. Meisters, "Polygons have ears", 1975).

    Parameters
    ----------
    points
        (n, 2) corners in either direction; corners that repeat their predecessor
        are dropped.

    Returns
    -------
    corners, triangles
        (m, 2) the corners that are used, counter-clockwise, and (m - 2, 3) indices,
        counter-clockwise.

    Raises
    ------
    ArgumentError
        Fewer than 3 different corners, no area, or edges that cross.
    """
    ring = [tuple(map(float, p)) for p in points]
    ring = [p for k, p in enumerate(ring) if p != ring[k - 1]]
    if len(ring) < 3:
        raise ArgumentError(f"a polygon needs 3 different corners, found {len(ring)}")
    corners = np.array(ring)
    area = _signed_area(corners)
    if area == 0.0:
        raise ArgumentError("the polygon has no area")
    if area < 0:
        corners = corners[::-1].copy()
    if _crosses_itself(corners):
        raise ArgumentError("the polygon crosses itself")
    plain = [(float(x), float(y)) for x, y in corners]
    remaining = list(range(len(plain)))
    triangles: list[tuple[int, int, int]] = []
    while len(remaining) > 3:
        ear = _find_ear(plain, remaining)
        if ear is None:
            raise ArgumentError("the polygon crosses itself")
        n = len(remaining)
        triangles.append((remaining[ear - 1], remaining[ear], remaining[(ear + 1) % n]))
        del remaining[ear]
    triangles.append((remaining[0], remaining[1], remaining[2]))
    return corners, np.array(triangles)


def _crosses_itself(corners: Array) -> bool:
    """Whether the inside of an edge meets the inside of another one."""
    ends = np.roll(corners, -1, axis=0)
    along = ends - corners
    for start, end, edge in zip(corners, ends, along, strict=True):
        # on which side of this edge the others begin and end, and the reverse
        begins = _cross(edge, corners - start)
        stops = _cross(edge, ends - start)
        here = _cross(along, start - corners)
        there = _cross(along, end - corners)
        if ((begins * stops < 0) & (here * there < 0)).any():
            return True
    return False


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _find_ear(points: list[_Point], ring: list[int]) -> int | None:
    """Return the position in `ring` of a corner that can be cut off, or None.

    A corner on a straight line is cut as an empty triangle only if no proper ear is
    left: a closed surface needs it as a vertex of the walls.
    """
    n = len(ring)
    flat = None
    for k in range(n):
        a, b, c = points[ring[k - 1]], points[ring[k]], points[ring[(k + 1) % n]]
        turn = _turn(a, b, c)
        if turn < 0.0:
            continue
        inside = any(
            _in_triangle(points[ring[j % n]], a, b, c) for j in range(k + 2, k + n - 1)
        )
        if inside:
            continue
        if turn > 0.0:
            return k
        if flat is None:
            flat = k
    return flat


def _in_triangle(p: _Point, a: _Point, b: _Point, c: _Point) -> bool:
    """Whether p is in the closed triangle a b c, but not at one of its corners."""
    if p in {a, b, c}:
        return False
    return _turn(a, b, p) >= 0.0 and _turn(b, c, p) >= 0.0 and _turn(c, a, p) >= 0.0


def _turn(a: _Point, b: _Point, c: _Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _signed_area(points: Array) -> float:
    x, y = points[:, 0] - points[0, 0], points[:, 1] - points[0, 1]
    return float(0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
