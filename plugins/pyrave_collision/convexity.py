"""Tests of meshes for being closed and convex, and convex hulls for the kernels.

A mesh is **closed**, and so a solid, if each edge belongs to exactly two triangles,
which run along it in opposite ways, and if its volume is positive. Vertices at one
place count as one. A closed mesh is **convex** if it is one piece, no edge is deeper
than `TOLERANCE` of its size, and its volume is that of its convex hull to the same
depth everywhere.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry.convexhull import hull_faces
from pyrave.geometry.topology import component_of_vertices, directed_edges, weld
from pyrave.jit import KernelModule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.geometry.mesh import Mesh
    from pyrave.jit.arrays import I32, I64
    from pyrave.spatial import Array

TOLERANCE = 1e-6
"""Depth of dents that are not seen, as a part of the mesh's largest half extent."""

MOST_VERTICES = 100_000
"""Meshes of more vertices are not looked at as hulls; their trees are as good."""

_kernels = KernelModule("pyrave_collision.kernels.meshes.edges")
_MILLISECONDS_PER_TRIANGLE = 0.03
# the first vertices of a hull are furthest in these directions
_AROUND = np.array(
    [
        (x, y, z)
        for x in (-1.0, 0.0, 1.0)
        for y in (-1.0, 0.0, 1.0)
        for z in (-1.0, 0.0, 1.0)
        if abs(x) + abs(y) + abs(z) in {1.0, 3.0}
    ]
)


@dataclass(frozen=True, eq=False)
class Hull:
    """The convex hull of a mesh that is convex.

    Parameters
    ----------
    vertices
        (n, 3) float64, metres, frame of the mesh. The first are far from each other.
    starts, neighbours
        (n + 1,) and (e,) int32: ``neighbours[starts[i]:starts[i + 1]]`` are the
        vertices that edges of the hull lead to from vertex i.
    """

    vertices: Array
    starts: I32
    neighbours: I32


@dataclass(frozen=True, eq=False)
class HullPool:
    """Several hulls, one after the other, as the kernels read them.

    Parameters
    ----------
    vertices
        (3 n,) float64 coordinates x, y, z of one vertex after the other.
    starts, neighbours
        As of `Hull`, with numbers of vertices that count through all hulls.
    ranges
        (hulls, 2) int64 first vertex of each, and the one after its last.
    """

    vertices: Array
    starts: I32
    neighbours: I32
    ranges: I64

    @classmethod
    def from_hulls(cls, hulls: Sequence[Hull]) -> HullPool:
        """Join hulls in the order given; none make a pool with no vertices."""
        ends = np.cumsum([0, *(len(hull.vertices) for hull in hulls)])
        links = np.cumsum([0, *(len(hull.neighbours) for hull in hulls)])
        parts = list(zip(hulls, ends, links, strict=False))
        return cls(
            np.concatenate([np.empty(0), *(hull.vertices.ravel() for hull in hulls)]),
            np.concatenate(
                [hull.starts[:-1] + link for hull, _, link in parts] + [links[-1:]]
            ).astype(np.int32),
            np.concatenate(
                [np.empty(0, np.int32)] + [h.neighbours + end for h, end, _ in parts]
            ).astype(np.int32),
            np.column_stack((ends[:-1], ends[1:])).astype(np.int64),
        )


@dataclass(frozen=True, eq=False)
class _Solidity:
    """Result of the tests of a mesh: whether it is closed, and its hull if convex."""

    closed: bool = False
    hull: Hull | None = None


_known: weakref.WeakKeyDictionary[Mesh, _Solidity] = weakref.WeakKeyDictionary()
_lock = threading.Lock()


def closed(mesh: Mesh) -> bool:
    """Return True if a mesh is a solid; found once per mesh."""
    return _solidity(mesh).closed


def convex_parts(mesh: Mesh) -> Hull | None:
    """Return the hull of a mesh that is a convex solid, else None; found once per mesh.

    Threads may share it. Memory is some 100 bytes a triangle while it is looked for.
    """
    return _solidity(mesh).hull


def _solidity(mesh: Mesh) -> _Solidity:
    with _lock:
        found = _known.get(mesh)
    if found is not None:
        return found
    looked = _look(mesh)
    with _lock:
        # two threads may have looked at the same mesh; both keep the first result
        return _known.setdefault(mesh, looked)


def _look(mesh: Mesh) -> _Solidity:
    points, index = weld(mesh.vertices)
    faces = index[mesh.faces].astype(np.int32)
    proper = (faces != np.roll(faces, -1, axis=1)).all(axis=1)
    faces = faces if proper.all() else faces[proper]
    if len(faces) < 4 or len(faces) % 2:
        return _Solidity()
    kernels = _kernels.auto(_MILLISECONDS_PER_TRIANGLE * len(faces))
    partners = np.empty_like(faces)
    slots = np.full(1 << (2 * len(faces)).bit_length(), -1, np.int32)
    if not kernels.pair_edges(faces, slots, partners):
        return _Solidity()
    centre, half = mesh.aabb
    size = float(half.max())
    # as large as 1, so that nothing overflows
    local = (points - centre) / (size or 1.0)
    volume, area, depth = kernels.measure(local, faces, partners)
    if not volume > 0.0:
        return _Solidity()
    if depth > TOLERANCE:
        return _Solidity(closed=True)
    return _Solidity(closed=True, hull=_hull(points, local, faces, volume, area))


def _hull(
    points: Array, local: Array, faces: I32, volume: float, area: float
) -> Hull | None:
    """Return the hull of the points, if it is of the same volume."""
    used = np.unique(faces)
    if len(used) > MOST_VERTICES:
        return None
    if (component_of_vertices(faces, len(points))[used] != used[0]).any():
        return None
    try:
        triangles = used[hull_faces(local[used])]
    except ArgumentError:  # as good as flat
        return None
    a, b, c = (local[triangles[:, k]] for k in range(3))
    whole = float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0)
    if abs(whole - volume) > TOLERANCE * area:
        return None
    kept = _first_apart(local, np.unique(triangles))
    number = np.empty(len(points), np.int64)
    number[kept] = np.arange(len(kept))
    starts, ends = directed_edges(number[triangles])
    order = np.lexsort((ends, starts))
    return Hull(
        np.ascontiguousarray(points[kept]),
        np.searchsorted(starts[order], np.arange(len(kept) + 1)).astype(np.int32),
        ends[order].astype(np.int32),
    )


def _first_apart(points: Array, kept: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the kept points with those first that are furthest around."""
    furthest = np.argmax(points[kept] @ _AROUND.T, axis=0)
    _, first = np.unique(furthest, return_index=True)
    first = furthest[np.sort(first)]
    return np.concatenate((kept[first], np.delete(kept, first)))
