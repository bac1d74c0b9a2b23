"""Concave meshes as they are: each flat part of the surface with what lies behind it.

MuJoCo knows convex geoms only. Triangles that lie in one plane are merged into convex
polygons (Hertel and Mehlhorn, "Fast triangulation of the plane with respect to simple
polygons", 1983). Behind each one there is as much of the solid as a convex geom can
fill; so nothing stands out of the mesh, and no hollow is filled.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry import RayInstance, RayScene

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.geometry import Mesh
    from pyrave.spatial import Array

_PLANAR = 1e-4
"""Angle between normals of triangles that are in one plane, radians."""
_STRAIGHT = 1e-6
"""Sine of the angle of edges that are in line, or at right angles."""
_DEEPEST = 0.05
"""Largest depth of a facet's convex part in the solid, metres."""
_THIN = 1e-5
"""Least thickness of that, and half of that of surfaces that enclose nothing."""
_SMALLEST = 1e-12
"""Area of triangles that are none, square metres."""
_MAX_DISTANCES = 3e8
"""Facets times vertices up to which all distances are looked at."""


@dataclass(frozen=True, slots=True, eq=False)
class Facet:
    """A flat convex part of a surface with a part of the solid behind it.

    Parameters
    ----------
    corners
        (n, 3) counter-clockwise from outside, metres, on the surface.
    normal
        (3,) unit, out of the solid.
    depth
        How far it goes inwards, metres; 0 where the surface encloses nothing.
    inset
        What corners come nearer to the middle inside, as a share of their distance.
    """

    corners: Array
    normal: Array
    depth: float
    inset: float = 0.0

    def points(self) -> Array:
        """Return the corners (2 n, 3) of the convex solid."""
        if self.depth <= 0.0:
            half = _THIN * self.normal
            return np.concatenate((self.corners + half, self.corners - half))
        middle = self.corners.mean(axis=0)
        inner = middle + (1.0 - self.inset) * (self.corners - middle)
        return np.concatenate((self.corners, inner - self.depth * self.normal))

    def as_box(self) -> tuple[Array, Array] | None:
        """Return the pose (4, 4) and half extents (3,), None for what is no box."""
        corners = _without_straight(self.corners, self.normal)
        if len(corners) != 4 or self.inset:
            return None
        one, other = corners[1] - corners[0], corners[3] - corners[0]
        sizes = np.linalg.norm(one), np.linalg.norm(other)
        if np.abs(corners[0] + one + other - corners[2]).max() > _STRAIGHT * max(sizes):
            return None
        if abs(one @ other) > _STRAIGHT * sizes[0] * sizes[1]:
            return None
        x = one / sizes[0]
        pose = np.eye(4)
        pose[:3, 0], pose[:3, 2] = x, self.normal
        pose[:3, 1] = np.cross(self.normal, x)
        half = max(0.5 * self.depth, _THIN)
        pose[:3, 3] = corners.mean(axis=0)
        if self.depth > 0.0:
            pose[:3, 3] -= half * self.normal
        return pose, np.array((0.5 * sizes[0], 0.5 * sizes[1], half))


def facets_of(mesh: Mesh) -> tuple[Facet, ...]:
    """Return the facets of a mesh.

    They go inwards if it is a solid, as `pyrave.geometry.Mesh` and collision checkers
    define that: closed, and with a positive volume.
    """
    welded = mesh.welded()
    keep = welded.face_areas > _SMALLEST
    vertices, faces = welded.vertices, welded.faces[keep]
    normals = welded.face_normals[keep]
    if not len(faces):
        return ()
    polygons, planes = _merged(vertices, faces, normals)
    loops = [vertices[one] for one in polygons]
    if not (mesh.is_watertight and mesh.volume > 0.0):
        return tuple(
            Facet(corners, normal, 0.0)
            for corners, normal in zip(loops, planes, strict=True)
        )
    depths = _free_depths(mesh, loops, planes)
    if len(loops) * len(vertices) <= _MAX_DISTANCES:
        _spare_vertices(depths, vertices, loops, planes)
    else:
        depths = np.minimum(depths, 2e-3)
    slopes = _slopes(vertices, faces, normals, polygons, planes)
    found = []
    for corners, normal, depth, slope in zip(
        loops, planes, depths.tolist(), slopes.tolist(), strict=True
    ):
        deep, inset = depth, 0.0
        if slope < math.inf:
            # an edge comes nearer by depth / tan(angle), and the middle stays
            radius = _inner_radius(corners)
            deep = min(depth, 0.5 * radius * slope)
            inset = min(deep / (slope * radius), 0.9) if radius > 0.0 else 0.9
        found.append(Facet(corners, normal, max(deep, _THIN), inset))
    return tuple(found)


def _merged(
    vertices: Array, faces: NDArray[np.int32], normals: Array
) -> tuple[list[list[int]], Array]:
    """Return convex polygons, as vertices in order, and their normals (n, 3)."""
    loops: list[list[int]] = faces.tolist()
    owner = list(range(len(loops)))

    def find(k: int) -> int:
        while owner[k] != k:
            owner[k] = owner[owner[k]]
            k = owner[k]
        return k

    for a, b, one, other in _flat_edges(vertices, faces, normals):
        p, q = find(one), find(other)
        if p == q or normals[p] @ normals[q] < math.cos(_PLANAR):
            continue
        joined = _joined(loops[p], loops[q], a, b)
        if joined is not None and _is_convex(vertices[joined], normals[p]):
            loops[p], owner[q] = joined, p
    kept = [k for k in range(len(loops)) if owner[k] == k]
    return [loops[k] for k in kept], normals[kept]


def _flat_edges(
    vertices: Array, faces: NDArray[np.int32], normals: Array
) -> list[tuple[int, int, int, int]]:
    """Return edges within planes, the longest first.

    Returns
    -------
    list
        Start, end, the triangle that runs along it and the one that runs back.
    """
    starts = faces.ravel().astype(np.int64)
    ends = np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    n, triangle = len(vertices), np.repeat(np.arange(len(faces)), 3)
    along, back = starts * n + ends, ends * n + starts
    order = np.argsort(along, kind="stable")
    place = np.searchsorted(along[order], back)
    place[place == len(order)] = 0
    twin = order[place]
    single = np.ones(len(along), bool)
    repeated = along[order][1:] == along[order][:-1]
    single[order[1:][repeated]] = single[order[:-1][repeated]] = False
    chosen = (along[twin] == back) & (starts < ends) & single & single[twin]
    one, other = triangle[chosen], triangle[twin[chosen]]
    flat = np.einsum("ij,ij->i", normals[one], normals[other]) > math.cos(_PLANAR)
    rows = np.column_stack((starts[chosen], ends[chosen], one, other))[flat]
    lengths = np.linalg.norm(vertices[rows[:, 0]] - vertices[rows[:, 1]], axis=1)
    return [tuple(row) for row in rows[np.argsort(-lengths, kind="stable")].tolist()]


def _joined(one: list[int], other: list[int], a: int, b: int) -> list[int] | None:
    """Return two loops without the edge from a to b that they share, or None."""
    if a not in one or b not in one or a not in other or b not in other:
        return None  # an earlier joint took it away
    k = one.index(b)
    first = one[k:] + one[:k]
    k = other.index(a)
    second = other[k:] + other[:k]
    if first[-1] != a or second[-1] != b:
        return None
    loop = first + second[1:-1]
    while len(loop) > 3:
        n = len(loop)
        spur = next((k for k in range(n) if loop[k - 1] == loop[(k + 1) % n]), None)
        if spur is None:
            break
        loop = [v for k, v in enumerate(loop) if k not in {spur, (spur + 1) % n}]
    return loop if len(set(loop)) == len(loop) else None


def _is_convex(corners: Array, normal: Array) -> bool:
    edges = np.roll(corners, -1, axis=0) - corners
    edges /= np.linalg.norm(edges, axis=1)[:, None]
    turns = np.cross(edges, np.roll(edges, -1, axis=0)) @ normal
    ahead = np.einsum("ij,ij->i", edges, np.roll(edges, -1, axis=0))
    return bool((turns > -_STRAIGHT).all() and (ahead > -1.0 + _STRAIGHT).all())


def _without_straight(corners: Array, normal: Array) -> Array:
    edges = np.roll(corners, -1, axis=0) - corners
    edges = edges / np.linalg.norm(edges, axis=1)[:, None]
    turns = np.cross(np.roll(edges, 1, axis=0), edges) @ normal
    return corners[turns > _STRAIGHT]


def _inner_radius(corners: Array) -> float:
    """Return the least distance of the mean of the corners from an edge."""
    middle = corners.mean(axis=0)
    edges = np.roll(corners, -1, axis=0) - corners
    areas = np.linalg.norm(np.cross(edges, middle - corners), axis=1)
    return float((areas / np.linalg.norm(edges, axis=1)).min())


def _free_depths(mesh: Mesh, loops: list[Array], planes: Array) -> Array:
    """Return the depths of facets up to half the way to what is behind them."""
    samples, rows = [], []
    for k, corners in enumerate(loops):
        middle = corners.mean(axis=0)
        sides = 0.5 * (corners + np.roll(corners, -1, axis=0))
        points = np.concatenate((corners, sides))
        samples.append(np.vstack((middle, middle + 0.98 * (points - middle))))
        rows.append(np.full(len(points) + 1, k))
    row = np.concatenate(rows)
    down = -planes[row]
    size = float(np.abs(mesh.aabb[1]).max())
    origins = np.concatenate(samples) + 1e-9 * size * down
    hits = RayScene([RayInstance(mesh)]).cast(origins, down, 2.0 * _DEEPEST)
    depths = np.full(len(loops), _DEEPEST)
    distance = np.where(np.isfinite(hits.distance), hits.distance, np.inf)
    np.minimum.at(depths, row, 0.5 * distance)
    return depths


def _spare_vertices(
    depths: Array, vertices: Array, loops: list[Array], planes: Array
) -> None:
    """Let facets end before half of the way to each vertex that lies behind them."""
    squares = np.einsum("ij,ij->i", vertices, vertices)
    for k, (corners, normal) in enumerate(zip(loops, planes, strict=True)):
        middle = corners.mean(axis=0)
        below = (middle @ normal) - vertices @ normal
        radius = ((corners - middle) ** 2).sum(axis=1).max()
        near = squares - 2.0 * (vertices @ middle) + middle @ middle
        found = np.flatnonzero(
            (below > _THIN)
            & (below < 2.0 * depths[k])
            & (near - below * below < radius * (1.0 - _STRAIGHT))
        )
        if not len(found):
            continue
        edges = np.roll(corners, -1, axis=0) - corners
        inward = np.cross(normal, edges)
        inward /= np.linalg.norm(inward, axis=1)[:, None]
        sides = vertices[found] @ inward.T - np.einsum("ij,ij->i", corners, inward)
        within = sides.min(axis=1) > _THIN
        if within.any():
            depths[k] = min(depths[k], 0.5 * below[found[within]].min())


def _slopes(
    vertices: Array,
    faces: NDArray[np.int32],
    normals: Array,
    polygons: list[list[int]],
    planes: Array,
) -> Array:
    """Return of facets the tangent of the sharpest angle inside, inf from 90 degrees.

    At an edge where the solid is sharper than that, a neighbour runs under the facet.
    """
    n = len(vertices)
    starts = faces.ravel().astype(np.int64)
    ends = np.roll(faces, -1, axis=1).ravel().astype(np.int64)
    key = starts * n + ends
    order = np.argsort(key, kind="stable")
    triangle = np.repeat(np.arange(len(faces)), 3)[order]
    counts = np.array([len(one) for one in polygons])
    row = np.repeat(np.arange(len(polygons)), counts)
    one = np.concatenate([np.array(loop) for loop in polygons])
    other = np.concatenate([np.roll(loop, -1) for loop in polygons])
    place = np.searchsorted(key[order], other * n + one)
    place[place == len(order)] = 0
    known = key[order][place] == other * n + one
    neighbour = normals[triangle[place]]
    own = planes[row]
    cosine = np.einsum("ij,ij->i", own, neighbour)
    # of an edge that stands out: the neighbour's normal leans along the way out of it
    outward = np.cross(vertices[other] - vertices[one], own)
    sharp = (
        known
        & (cosine < -_STRAIGHT)
        & (np.einsum("ij,ij->i", outward, neighbour) > 0.0)
    )
    angle = np.pi - np.arccos(np.clip(cosine[sharp], -1.0, 1.0))
    found = np.full(len(polygons), np.inf)
    np.minimum.at(found, row[sharp], np.tan(np.maximum(angle, 1e-3)))
    return found
