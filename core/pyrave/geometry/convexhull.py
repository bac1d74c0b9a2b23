"""Convex hulls of points, their planes, and hulls at a distance around them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.jit import KernelModule
from pyrave.spatial import as_number, as_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

_kernels = KernelModule("pyrave.geometry.kernels.convex_hull")

_FLAT = 1e-9
"""Thickness of a flat set of points, as a part of its size."""

_PARALLEL = 0.99999
"""Cosine of the angle of planes that count as one."""
_SIMILAR = 0.985
"""The same for planes around a padding, which leaves some freedom: ten degrees."""
_DEEP = 0.1
"""Depth of the origin in the hull of normals: corners are ten times as far at most."""
_ROUNDS = 5
_MITRE = 2.0
"""Times the padding that a corner may be away from what is padded."""
_SAME_CORNER = 1e-9
"""Distance of corners that are one, as a part of the size."""

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


def hull_planes(
    points: Array, faces: NDArray[np.int64], cosine: float = _PARALLEL
) -> Array:
    """Return the planes of a convex hull, each once.

    Parameters
    ----------
    points
        (n, 3) of the hull, or more.
    faces
        (m, 3) triangles, counter-clockwise from outside.
    cosine
        Of the angle between normals from which on two planes are one, that of the
        larger triangle.

    Returns
    -------
    (k, 4) float64 a b c d: ``a x + b y + c z + d <= 0`` for all of the points, and
    a b c is a unit vector to the outside.
    """
    corners = points[faces]
    crosses = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(crosses, axis=1)
    order = np.argsort(-areas, kind="stable")
    left = (crosses / np.where(areas > 0.0, areas, 1.0)[:, None])[order][
        areas[order] > 0.0
    ]
    found = []
    while len(left):
        found.append(left[0])
        left = left[left @ left[0] < cosine]
    normals = np.array(found).reshape(-1, 3)
    return _planes(points, normals)


def _planes(points: Array, normals: Array) -> Array:
    """Return the planes (k, 4) across unit vectors that touch points from outside."""
    offsets = (normals @ points.T).max(axis=1)
    return np.concatenate((normals, -offsets[:, None]), axis=1)


def padded_hull(points: Array, padding: float) -> Array:
    """Return corners (k, 3) of a convex body around the hull of some points.

    All that is `padding` away from the hull is in it, and hardly anything that is twice
    as far away: its planes are those of the hull, moved, one for those that are similar
    where that is enough, and more where these meet too far outside.

    Parameters
    ----------
    points
        (n, 3) different points, not all in one plane.
    padding
        Metres, not negative.

    Raises
    ------
    ArgumentError
        No points, fewer than 4 or all of them in one plane, or a negative padding.
    """
    points, padding = (
        as_rows(points, (3,), "points"),
        as_number(padding, "padding", 0.0),
    )
    faces = hull_faces(points)
    hull = points[np.unique(faces)]
    if padding == 0.0:
        return hull
    for cosine in (_SIMILAR, _PARALLEL):
        planes = hull_planes(points, faces, cosine)
        if not _enclose(planes[:, :3]):
            axes = np.concatenate((np.eye(3), -np.eye(3)))
            planes = np.concatenate((planes, _planes(hull, axes)))
        for _ in range(_ROUNDS):
            corners = _corners(planes - (0.0, 0.0, 0.0, padding), hull.mean(axis=0))
            out = _far_outside(corners, points[faces], hull, _MITRE * padding)
            if not len(out):
                return corners
            # each cuts off a corner at the distance of the padding
            planes = np.concatenate((planes, _planes(hull, out)))
    return corners


def _far_outside(corners: Array, triangles: Array, hull: Array, most: float) -> Array:
    """Return unit vectors towards corners that are too far from a hull, from it."""
    # beside a vertex is not beside an edge: only those that are far from all
    apart = np.linalg.norm(corners[:, None] - hull[None], axis=2).min(axis=1)
    some = corners[apart > most]
    out = some - _nearest_on(triangles, some)
    far = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray((out / far)[far[:, 0] > most])


def _enclose(normals: Array) -> bool:
    """Return True if planes with these normals enclose something, and not far away.

    They do if the hull of the normals has the origin well inside.
    """
    try:
        faces = hull_faces(normals)
    except ArgumentError:
        return False
    return bool((hull_planes(normals, faces)[:, 3] < -_DEEP).all())


def _nearest_on(triangles: Array, points: Array) -> Array:
    """Return the points of triangles (m, 3, 3) nearest to others (k, 3).

    One is within a triangle, or on an edge.
    """
    found = np.empty_like(points)
    for k, point in enumerate(points):
        places = np.concatenate(
            (_on_faces(triangles, point), _on_edges(triangles, point))
        )
        apart = np.linalg.norm(places - point, axis=1)
        found[k] = places[int(np.nanargmin(apart))]
    return found


def _on_faces(triangles: Array, point: Array) -> Array:
    """Return the feet (m, 3) of a point within triangles; nan: it is outside."""
    a, u, v = triangles[:, 0], *(triangles[:, k] - triangles[:, 0] for k in (1, 2))
    uu, uv, vv = ((p * q).sum(axis=1) for p, q in ((u, u), (u, v), (v, v)))
    w = point - a
    wu, wv = (w * u).sum(axis=1), (w * v).sum(axis=1)
    area = uu * vv - uv * uv
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = (vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area
    inside = (s >= 0.0) & (t >= 0.0) & (s + t <= 1.0)
    feet = a + s[:, None] * u + t[:, None] * v
    feet[~inside] = np.nan
    return np.asarray(feet)


def _on_edges(triangles: Array, point: Array) -> Array:
    """Return the nearest points (3 m, 3) of the edges of triangles."""
    starts = triangles.reshape(-1, 3)
    ways = np.roll(triangles, -1, axis=1).reshape(-1, 3) - starts
    lengths = (ways * ways).sum(axis=1)
    along = ((point - starts) * ways).sum(axis=1) / np.where(
        lengths > 0.0, lengths, 1.0
    )
    return np.asarray(starts + np.clip(along, 0.0, 1.0)[:, None] * ways)


def _corners(planes: Array, inside: Array) -> Array:
    """Return the corners (k, 3) of what is within planes, given a point inside.

    They are the planes of the hull of the dual points.
    """
    depths = -(planes[:, :3] @ inside + planes[:, 3])
    dual = planes[:, :3] / depths[:, None]
    triangles = dual[hull_faces(dual)]
    corners = np.linalg.solve(triangles, np.ones((len(triangles), 3, 1)))[..., 0]
    size = float(np.ptp(corners, axis=0).max())
    _, first = np.unique(
        np.round(corners / (_SAME_CORNER * size)), axis=0, return_index=True
    )
    return np.asarray(corners[np.sort(first)] + inside)


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
