"""Triangulation: of simple polygons by ear clipping, of the faces of meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_MAX_WORK = 300_000_000
"""Corners looked at while ears are searched; a few seconds."""

_FLAT_FAN = 1e-12
"""Share of a face's area by which a triangle of its fan may be folded over."""


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
    triangles = _clip(corners, ClippingBudget())
    if triangles is None:
        raise ArgumentError("the polygon crosses itself")
    return corners, np.array(triangles)


def triangulate_faces(
    vertices: Array,
    corners: NDArray[np.integer],
    counts: NDArray[np.integer],
    work: ClippingBudget | None = None,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Cut the polygons of a mesh into triangles that keep their direction.

    A polygon whose fan around its first corner does not fold over becomes that fan;
    others are cut by ear clipping in the plane of their two larger extents. A polygon
    that crosses itself has no inside to keep to, and is cut in some way.

    Parameters
    ----------
    vertices
        (n, 3) float64.
    corners
        (k,) vertex indices of all polygons, one after the other.
    counts
        (p,) corners of each polygon; those with fewer than 3 give nothing.
    work
        What several calls may do together; by default each has its own limit.

    Returns
    -------
    triangles, polygons
        (m, 3) int32 vertex indices, in the order of the polygons, and (m,) the
        polygon that each comes from.

    Raises
    ------
    ArgumentError
        Indices out of range, or concave polygons with an absurd number of corners.
    """
    corners, counts = np.asarray(corners), np.asarray(counts)
    if corners.size and not (corners.min() >= 0 and corners.max() < len(vertices)):
        wrong = int(corners.min()) if corners.min() < 0 else int(corners.max())
        raise ArgumentError(
            f"a face uses vertex {wrong}, but there are {len(vertices)} vertices "
            "(indices count from 0)"
        )
    if (counts == 3).all():
        return corners.reshape(-1, 3).astype(np.int32), np.arange(len(counts))
    starts = np.cumsum(counts) - counts
    work = ClippingBudget() if work is None else work
    triangles, owners = [], []
    for n in np.unique(counts[counts >= 3]):
        polygons = np.flatnonzero(counts == n)
        indices = corners[starts[polygons][:, None] + np.arange(n)]
        # fan[i, k] is the triangle of corners 0, k + 1, k + 2
        fan = np.stack(
            (
                np.broadcast_to(indices[:, :1], (len(polygons), n - 2)),
                indices[:, 1:-1],
                indices[:, 2:],
            ),
            axis=2,
        )
        for k in np.flatnonzero(_folded_fans(vertices[indices])):
            cut = _clip_face(vertices[indices[k]], work)
            if cut is not None:
                fan[k] = indices[k][cut]
        triangles.append(fan.reshape(-1, 3))
        owners.append(np.repeat(polygons, n - 2))
    if not triangles:
        return np.zeros((0, 3), np.int32), np.zeros(0, np.int64)
    polygon = np.concatenate(owners)
    order = np.argsort(polygon, kind="stable")
    return np.concatenate(triangles)[order].astype(np.int32), polygon[order]


class ClippingBudget:
    """Counts what is done, so that no file keeps a reader busy without end."""

    def __init__(self) -> None:
        self.left = _MAX_WORK

    def spend(self, amount: int) -> None:
        """Take off an amount of corners.

        Raises
        ------
        ArgumentError
            None are left.
        """
        self.left -= amount
        if self.left < 0:
            raise ArgumentError("concave polygons have too many corners to be cut")


def _folded_fans(points: Array) -> NDArray[np.bool_]:
    """Return for each of (k, n, 3) polygons whether its fan folds over."""
    edges = points[:, 1:] - points[:, :1]
    crosses = np.cross(edges[:, :-1], edges[:, 1:])
    normal = crosses.sum(axis=1)
    share = np.einsum("knc,kc->kn", crosses, normal)
    square = np.einsum("kc,kc->k", normal, normal)
    folded: NDArray[np.bool_] = (share < -_FLAT_FAN * square[:, None]).any(axis=1)
    return folded


def _clip_face(points: Array, work: ClippingBudget) -> NDArray[np.int64] | None:
    """Return the triangles (n - 2, 3) of a polygon in space, or None."""
    edges = points[1:] - points[0]
    normal = np.cross(edges[:-1], edges[1:]).sum(axis=0)
    drop = int(np.argmax(np.abs(normal)))
    # the two axes left are in an order that keeps the direction
    first, second = (drop + 1) % 3, (drop + 2) % 3
    if normal[drop] < 0:
        first, second = second, first
    found = _clip(points[:, (first, second)], work)
    return None if found is None else np.array(found)


def _clip(points: Array, work: ClippingBudget) -> list[tuple[int, int, int]] | None:
    """Return the triangles of a counter-clockwise ring of (n, 2) points, or None.

    A corner on a straight line is cut as an empty triangle only if no proper ear is
    left: a closed surface needs it as a vertex of the walls.
    """
    ring = list(range(len(points)))
    alive = np.ones(len(points), dtype=np.bool_)
    triangles: list[tuple[int, int, int]] = []
    k = tries = 0
    while len(ring) > 3:
        n = len(ring)
        if tries >= 2 * n:
            return None
        k %= n
        a, b, c = ring[k - 1], ring[k], ring[(k + 1) % n]
        turn = float(_cross(points[b] - points[a], points[c] - points[a]))
        # a second round takes flat corners too
        if turn > 0.0 or (turn == 0.0 and tries >= n):
            work.spend(len(points))
            if not _holds_another(points, alive, (a, b, c)):
                triangles.append((a, b, c))
                alive[b] = False
                del ring[k]
                tries = 0
                continue
        k += 1
        tries += 1
    triangles.append((ring[0], ring[1], ring[2]))
    return triangles


def _holds_another(
    points: Array, alive: NDArray[np.bool_], corners: tuple[int, int, int]
) -> bool:
    """Return True if another point is in the closed triangle, not at a corner."""
    inside = alive.copy()
    for start, end in zip(corners, (*corners[1:], corners[0]), strict=True):
        edge = points[end] - points[start]
        inside &= _cross(edge, points - points[start]) >= 0.0
    if not inside.any():
        return False
    found = points[inside]
    at_corner = np.zeros(len(found), dtype=np.bool_)
    for corner in corners:
        at_corner |= (found == points[corner]).all(axis=1)
    return not at_corner.all()


def _crosses_itself(corners: Array) -> bool:
    """Return True if the interiors of two edges meet."""
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


def _signed_area(points: Array) -> float:
    x, y = points[:, 0] - points[0, 0], points[:, 1] - points[0, 1]
    return float(0.5 * (x * np.roll(y, -1) - np.roll(x, -1) * y).sum())
