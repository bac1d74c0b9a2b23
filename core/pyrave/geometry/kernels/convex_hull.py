"""Build the convex hull of points by quickhull, in three dimensions.

C. Barber, D. Dobkin, H. Huhdanpaa, "The quickhull algorithm for convex hulls", ACM
TOMS 22(4), 1996.

Faces are rows of arrays: ``corners[f]`` the three points, counter-clockwise from
outside; ``across[f, k]`` the face behind the edge from corner k to corner k + 1;
``planes[f]`` unit normal and offset; ``heads[f]`` the first point outside of it, which
``chain`` leads to the others. Rows of faces that are gone are used again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I64

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)


def set_plane(points: F64, corners: I64, planes: F64, f: int) -> None:
    """Write the plane of a face; a face without area has a plane of zeros."""
    a, b, c = corners[f, 0], corners[f, 1], corners[f, 2]
    ux = points[b, 0] - points[a, 0]
    uy = points[b, 1] - points[a, 1]
    uz = points[b, 2] - points[a, 2]
    vx = points[c, 0] - points[a, 0]
    vy = points[c, 1] - points[a, 1]
    vz = points[c, 2] - points[a, 2]
    nx = uy * vz - uz * vy
    ny = uz * vx - ux * vz
    nz = ux * vy - uy * vx
    length = np.sqrt(nx * nx + ny * ny + nz * nz)
    if length > 0.0:
        nx /= length
        ny /= length
        nz /= length
    planes[f, 0] = nx
    planes[f, 1] = ny
    planes[f, 2] = nz
    planes[f, 3] = -(nx * points[a, 0] + ny * points[a, 1] + nz * points[a, 2])


def height(points: F64, planes: F64, f: int, p: int) -> float:
    """Return the height of a point above a face's plane."""
    return float(
        planes[f, 0] * points[p, 0]
        + planes[f, 1] * points[p, 1]
        + planes[f, 2] * points[p, 2]
        + planes[f, 3]
    )


def hang(
    points: F64,
    planes: F64,
    heads: I64,
    chain: I64,
    faces: I64,
    n: int,
    p: int,
    eps: float,
) -> None:
    """Give a point to the face of the first `n` that it lies furthest outside of."""
    best, found = eps, -1
    for k in range(n):
        h = height(points, planes, faces[k], p)
        if h > best:
            best, found = h, faces[k]
    if found >= 0:
        chain[p] = heads[found]
        heads[found] = p


def convex_hull(
    points: F64,
    simplex: I64,
    eps: float,
    corners: I64,
    across: I64,
    planes: F64,
    heads: I64,
    chain: I64,
    marks: I64,
    work: I64,
) -> int:
    """Build the hull and return how many rows of `corners` are in use.

    Rows of faces that are gone have the corner -1. Points within `eps` of a face do
    not make new ones, so they may stand out that far.

    Parameters
    ----------
    points
        (n, 3).
    simplex
        (4,) points of a tetrahedron with a volume: the fourth lies on the inner side
        of the first three.
    corners, across, planes, heads, chain, marks
        Outputs and scratch: (c, 3), (c, 3), (c, 4), (c,), (n,), (c,) with c at least
        8 n + 64.
    work
        (9, c) zeros, scratch: todo, visible, free, edges' start, end, face, new; by
        vertex; whether a row is in todo, so that it is there once.
    """
    n = len(points)
    todo, visible, free = work[0], work[1], work[2]
    edge_start, edge_end, edge_face = work[3], work[4], work[5]
    fresh, at_vertex, queued = work[6], work[7], work[8]
    marks[:] = -1
    heads[:] = -1
    chain[:] = -1
    at_vertex[:] = -1
    # the faces of a tetrahedron, each without one of its points
    a, b, c, d = simplex[0], simplex[1], simplex[2], simplex[3]
    corners[0] = (a, b, c)
    corners[1] = (a, d, b)
    corners[2] = (b, d, c)
    corners[3] = (c, d, a)
    across[0] = (1, 2, 3)
    across[1] = (3, 2, 0)
    across[2] = (1, 3, 0)
    across[3] = (2, 1, 0)
    rows, n_free, n_todo = 4, 0, 0
    for f in range(4):
        set_plane(points, corners, planes, f)
        fresh[f] = f
    for p in range(n):
        hang(points, planes, heads, chain, fresh, 4, p, eps)
    for f in range(4):
        if heads[f] >= 0:
            todo[n_todo] = f
            queued[f] = 1
            n_todo += 1
    stamp = 0
    while n_todo:
        n_todo -= 1
        f = todo[n_todo]
        queued[f] = 0
        if corners[f, 0] < 0 or heads[f] < 0:
            continue
        # the furthest point of the face is on the hull
        p, best, before, last = heads[f], -1.0, -1, -1
        q = heads[f]
        while q >= 0:
            h = height(points, planes, f, q)
            if h > best:
                best, p, before = h, q, last
            last = q
            q = chain[q]
        if before < 0:
            heads[f] = chain[p]
        else:
            chain[before] = chain[p]
        chain[p] = -1
        # all faces that the point sees, and the edges around them
        stamp += 1
        marks[f] = stamp
        visible[0] = f
        n_visible, n_edges, k = 1, 0, 0
        while k < n_visible:
            g = visible[k]
            k += 1
            for e in range(3):
                other = across[g, e]
                if marks[other] == stamp:
                    continue
                if height(points, planes, other, p) > eps:
                    marks[other] = stamp
                    visible[n_visible] = other
                    n_visible += 1
        for k in range(n_visible):
            g = visible[k]
            for e in range(3):
                if marks[across[g, e]] != stamp:
                    edge_start[n_edges] = corners[g, e]
                    edge_end[n_edges] = corners[g, (e + 1) % 3]
                    edge_face[n_edges] = across[g, e]
                    n_edges += 1
        # rounding may let the point see around a face: then the border is no ring,
        # and the point, which is hardly outside, is given up
        is_ring = n_edges >= 3
        for k in range(n_edges):
            if at_vertex[edge_start[k]] >= 0:
                is_ring = False
            at_vertex[edge_start[k]] = k
        if is_ring:
            seen, k = 0, 0
            while True:
                k = at_vertex[edge_end[k]]
                if k < 0:
                    is_ring = False
                    break
                seen += 1
                if k == 0 or seen > n_edges:
                    break
            is_ring = is_ring and seen == n_edges
        if not is_ring:
            for k in range(n_edges):
                at_vertex[edge_start[k]] = -1
            if heads[f] >= 0:
                todo[n_todo] = f
                queued[f] = 1
                n_todo += 1
            continue
        # a cone from the border to the point
        for k in range(n_edges):
            if n_free:
                n_free -= 1
                g = free[n_free]
            else:
                g = rows
                rows += 1
            fresh[k] = g
        for k in range(n_edges):
            g, other = fresh[k], edge_face[k]
            corners[g, 0], corners[g, 1], corners[g, 2] = edge_start[k], edge_end[k], p
            across[g, 0] = other
            across[g, 1] = fresh[at_vertex[edge_end[k]]]
            across[fresh[at_vertex[edge_end[k]]], 2] = g
            heads[g] = -1
            marks[g] = -1
            set_plane(points, corners, planes, g)
            for e in range(3):
                if corners[other, e] == edge_end[k]:
                    across[other, e] = g
        for k in range(n_edges):
            at_vertex[edge_start[k]] = -1
        # what was outside of the faces that are gone is outside of new ones, or inside
        for k in range(n_visible):
            g = visible[k]
            q = heads[g]
            while q >= 0:
                following = chain[q]
                chain[q] = -1
                hang(points, planes, heads, chain, fresh, n_edges, q, eps)
                q = following
            heads[g] = -1
            corners[g, 0] = -1
            free[n_free] = g
            n_free += 1
        for k in range(n_edges):
            if heads[fresh[k]] >= 0 and not queued[fresh[k]]:
                todo[n_todo] = fresh[k]
                queued[fresh[k]] = 1
                n_todo += 1
    return rows
