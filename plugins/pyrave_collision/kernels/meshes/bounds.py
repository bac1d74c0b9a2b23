"""Lower bounds of distances from eight nodes, or eight triangles, of a mesh's tree.

Boxes, queries and allowances as in `nodes`. A bound is the squared distance of two
boxes along the axes of the mesh, along those of the query, or along the way between the
nearest points so far, whichever is largest: of boxes with centres `c` and half extents
`h`, projected on a unit axis `n`,

    gap(n) = |n (c_a - c_b)| - sum_i h_a,i |n u_a,i| - sum_i h_b,i |n u_b,i|

(Gottschalk, Lin and Manocha, "OBBTree", SIGGRAPH 1996, section 5, where the sign of it
tells of overlap), and the gaps along three orthogonal axes add up as squares. So boxes
that grow by a margin meet along a diagonal long before their bound is within it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave_collision.kernels.meshes.nodes import REACH, WAY, span

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ()

ABOVE = 1.0 + 2.0**-20
"""Factor that is more than the rounding of a square to float32."""


def bound_of(distance: float) -> float:
    """Return the bound of what may be within a distance, metres."""
    return 4.0 * ABOVE * distance * distance


def node_bounds(planes: F32, node: int, query: F32, bounds: F32) -> None:
    """Write bounds of a box's distances from the children of a node.

    Parameters
    ----------
    bounds
        Output, (8,): squared metres, four times as large; inf or nan for slots without
        a child.
    """
    cx, cy, cz = query[0], query[1], query[2]
    gx, gy, gz = query[3], query[4], query[5]
    gx, gy, gz = gx + gx, gy + gy, gz + gz
    a0, a1, a2 = query[6], query[7], query[8]
    b0, b1, b2 = query[9], query[10], query[11]
    c0, c1, c2 = query[12], query[13], query[14]
    h0, h1, h2 = query[15], query[16], query[17]
    wx, wy, wz = query[WAY], query[WAY + 1], query[WAY + 2]
    reach = query[REACH] + query[REACH]
    none = gx - gx
    for k in range(planes.shape[2]):
        x0, x1 = planes[node, 0, k] - cx, planes[node, 3, k] - cx
        y0, y1 = planes[node, 1, k] - cy, planes[node, 4, k] - cy
        z0, z1 = planes[node, 2, k] - cz, planes[node, 5, k] - cz
        p, q, r = max(x0, -x1), max(y0, -y1), max(z0, -z1)
        p, q, r = max(p + p - gx, none), max(q + q - gy, none), max(r + r - gz, none)
        x, y, z = x0 + x1, y0 + y1, z0 + z1
        u, v, w = x1 - x0, y1 - y0, z1 - z0
        of_mesh = p * p + q * q + r * r
        p = abs(a0 * x + b0 * y + c0 * z)
        q = abs(a1 * x + b1 * y + c1 * z)
        r = abs(a2 * x + b2 * y + c2 * z)
        p = max(p - (abs(a0) * u + abs(b0) * v + abs(c0) * w + h0), none)
        q = max(q - (abs(a1) * u + abs(b1) * v + abs(c1) * w + h1), none)
        r = max(r - (abs(a2) * u + abs(b2) * v + abs(c2) * w + h2), none)
        of_box = p * p + q * q + r * r
        p = wx * x + wy * y + wz * z
        p = max(p - (abs(wx) * u + abs(wy) * v + abs(wz) * w + reach), none)
        # what is computed from slots without a child is inf, or nan, which is not more
        bounds[k] = max(of_mesh, of_box, p * p)


def leaf_bounds(groups: F32, leaf: int, query: F32, bounds: F32) -> None:
    """Write bounds of a box's distances from the triangles of a leaf.

    Parameters
    ----------
    bounds
        Output, (8,): squared metres, four times as large; nan in slots without one.
    """
    cx, cy, cz = query[0], query[1], query[2]
    gx, gy, gz = query[3], query[4], query[5]
    a0, a1, a2 = query[6], query[7], query[8]
    b0, b1, b2 = query[9], query[10], query[11]
    c0, c1, c2 = query[12], query[13], query[14]
    h0, h1, h2 = query[15], query[16], query[17]
    wx, wy, wz, reach = query[WAY], query[WAY + 1], query[WAY + 2], query[REACH]
    none = gx - gx
    for k in range(groups.shape[2]):
        x, y, z = groups[leaf, 0, k], groups[leaf, 1, k], groups[leaf, 2, k]
        x, y, z = x - cx, y - cy, z - cz
        ex, ey, ez = groups[leaf, 3, k], groups[leaf, 4, k], groups[leaf, 5, k]
        fx, fy, fz = groups[leaf, 6, k], groups[leaf, 7, k], groups[leaf, 8, k]
        size = groups[leaf, 9, k]
        least, most = span(ex, fx, none)
        p = max(x + least - gx, -x - most - gx, none)
        least, most = span(ey, fy, none)
        q = max(y + least - gy, -y - most - gy, none)
        least, most = span(ez, fz, none)
        r = max(z + least - gz, -z - most - gz, none)
        of_mesh = p * p + q * q + r * r
        of_mesh = of_mesh + of_mesh
        of_mesh = of_mesh + of_mesh
        at = a0 * x + b0 * y + c0 * z
        least, most = span(
            a0 * ex + b0 * ey + c0 * ez, a0 * fx + b0 * fy + c0 * fz, none
        )
        p = max(at + least, -at - most)
        at = a1 * x + b1 * y + c1 * z
        least, most = span(
            a1 * ex + b1 * ey + c1 * ez, a1 * fx + b1 * fy + c1 * fz, none
        )
        q = max(at + least, -at - most)
        at = a2 * x + b2 * y + c2 * z
        least, most = span(
            a2 * ex + b2 * ey + c2 * ez, a2 * fx + b2 * fy + c2 * fz, none
        )
        r = max(at + least, -at - most)
        p, q, r = max(p + p - h0, none), max(q + q - h1, none), max(r + r - h2, none)
        of_box = p * p + q * q + r * r
        e, f = wx * ex + wy * ey + wz * ez, wx * fx + wy * fy + wz * fz
        least, most = span(e, f, none)
        p = max(wx * x + wy * y + wz * z + least - reach, none)
        p = p + p
        bounds[k] = max(of_mesh, of_box, p * p) + (size - size)


def triangle_bounds(
    groups: F32, leaf: int, corners: F32, query: F32, allowance: np.float32,
    bounds: F32,
) -> None:  # fmt: skip
    """Write bounds of a triangle's distances from the triangles of a leaf.

    Parameters
    ----------
    corners
        (9,), in the centred frame of the leaf's mesh.
    query
        Of which the way counts, from the triangle to the mesh.
    allowance
        Metres, for rounding of both.
    bounds
        Output, (8,): squared metres; nan in slots without one.
    """
    ax, ay, az = corners[0], corners[1], corners[2]
    none = ax - ax
    bx, by, bz = corners[3] - ax, corners[4] - ay, corners[5] - az
    cx, cy, cz = corners[6] - ax, corners[7] - ay, corners[8] - az
    x0, x1 = span(bx, cx, none)
    y0, y1 = span(by, cy, none)
    z0, z1 = span(bz, cz, none)
    x0, y0, z0 = x0 - allowance, y0 - allowance, z0 - allowance
    x1, y1, z1 = x1 + allowance, y1 + allowance, z1 + allowance
    wx, wy, wz = query[WAY], query[WAY + 1], query[WAY + 2]
    e, f = wx * bx + wy * by + wz * bz, wx * cx + wy * cy + wz * cz
    least, most = span(e, f, none)
    reach = most + allowance
    for k in range(groups.shape[2]):
        x, y, z = groups[leaf, 0, k], groups[leaf, 1, k], groups[leaf, 2, k]
        x, y, z = x - ax, y - ay, z - az
        ex, ey, ez = groups[leaf, 3, k], groups[leaf, 4, k], groups[leaf, 5, k]
        fx, fy, fz = groups[leaf, 6, k], groups[leaf, 7, k], groups[leaf, 8, k]
        size = groups[leaf, 9, k]
        least, most = span(ex, fx, none)
        p = max(x + least - x1, x0 - x - most, none)
        least, most = span(ey, fy, none)
        q = max(y + least - y1, y0 - y - most, none)
        least, most = span(ez, fz, none)
        r = max(z + least - z1, z0 - z - most, none)
        bound = p * p + q * q + r * r
        e, f = wx * ex + wy * ey + wz * ez, wx * fx + wy * fy + wz * fz
        least, most = span(e, f, none)
        p = max(wx * x + wy * y + wz * z + least - reach, none)
        bounds[k] = max(p * p, bound) + (size - size)
