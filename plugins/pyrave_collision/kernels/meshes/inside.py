"""Test of a point for being inside a closed mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import LINKS, WIDTH

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64
    from pyrave_collision.kernels.meshes.inputs import Meshes

JIT_OPTIONS = {"*": {"fastmath": {"nsz", "contract"}}}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("is_inside",)

# Rays that are tried. One that grazes an edge is rare unless the point is special.
ATTEMPTS = 12
# what a ray is called that says nothing, and one that begins on the surface
GRAZED = 1 << 30
ON_SURFACE = 1 << 29
# of float32 coordinates, and of float64 ones, in units of the largest
ROUNDING = 2.0**-16
EXACT = 2.0**-46
# of a ray in single precision: origin, reciprocal direction, allowance for rounding
ORIGIN, INVERSE, ALLOWANCE = 0, 3, 6


def is_inside(
    meshes: Meshes, mesh: int, x: float, y: float, z: float,
    stack: I64, ray: F32, gaps: F32,
) -> bool:  # fmt: skip
    """Return True if a point is inside a closed mesh, or on it.

    It is if a ray from it leaves the mesh more often than it enters, or less often. For
    meshes without overlapping parts that is the parity of crossings. The directions of
    rays are skew, and one that grazes an edge gives way to the next.

    Parameters
    ----------
    mesh
        Number of the mesh, which is closed.
    x, y, z
        The point, in the mesh's frame, metres.
    stack, ray, gaps
        Scratch: ``(STACK,)``; (9,) and (8,) float32.
    """
    planes, links, groups, firsts, corners, _, begins, frames, _, _, _ = meshes
    u, v, w = x - frames[mesh, 0], y - frames[mesh, 1], z - frames[mesh, 2]
    reach = frames[mesh, 3]
    if not max(abs(u), abs(v), abs(w)) <= reach * (1.0 + ROUNDING):
        return False
    slack = EXACT * (reach + max(abs(x), abs(y), abs(z)))
    ray[0], ray[1], ray[2] = u, v, w
    ray[ALLOWANCE] = ROUNDING * reach
    for attempt in range(ATTEMPTS):
        # steps that never meet: the golden section, the square root of two
        dx = 0.45 + 0.55 * ((0.318 + 0.6180339887498949 * attempt) % 1.0)
        dy = 0.45 + 0.55 * ((0.737 + 0.4142135623730951 * attempt) % 1.0)
        ray[3], ray[4], ray[5] = 1.0 / dx, 1.0 / dy, 1.0
        total = winding(
            planes, links, groups, firsts, corners,
            begins[mesh, 0], begins[mesh, 1], begins[mesh, 2],
            x, y, z, dx, dy, slack, stack, ray, gaps,
        )  # fmt: skip
        if total != GRAZED:
            return total != 0
    return False


def winding(
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64,
    node: int, leaf: int, first: int,
    x: float, y: float, z: float, dx: float, dy: float, slack: float,
    stack: I64, ray: F32, gaps: F32,
) -> int:  # fmt: skip
    """Return the number of exits of a ray from a mesh less that of entries.

    `ON_SURFACE` if it begins there, `GRAZED` if the ray does not tell.

    Parameters
    ----------
    node, leaf, first
        Where the nodes, leaves and triangles of the mesh begin.
    x, y, z, dx, dy
        The ray, of direction dx, dy, 1.
    """
    stack[0] = 0
    top = 1
    total = 0
    while top > 0:
        top -= 1
        link = stack[top]
        if link >= 0:
            ray_gaps(planes, node + link, ray, gaps)
            row = WIDTH * (WIDTH * (node + link) + LINKS)
            for k in range(WIDTH):
                stack[top] = links[row + k]
                top += 1 if gaps[k] <= 0.0 else 0
            continue
        row = first + firsts[leaf + ~link]
        for k in range(WIDTH):
            if not groups[leaf + ~link, 9, k] >= 0.0:
                break
            found = crossing(corners, row + k, x, y, z, dx, dy, slack)
            if found >= ON_SURFACE:
                return found
            total += found
    return total


def ray_gaps(planes: F32, node: int, ray: F32, gaps: F32) -> None:
    """Find the children of a node that a ray may meet: none with a positive gap."""
    x, y, z = ray[0], ray[1], ray[2]
    ix, iy, iz = ray[3], ray[4], ray[5]
    allowance = ray[ALLOWANCE]
    none = x - x
    for k in range(planes.shape[2]):
        begin = max(
            (planes[node, 0, k] - x) * ix,
            (planes[node, 1, k] - y) * iy,
            (planes[node, 2, k] - z) * iz,
            none,
        )
        end = min(
            (planes[node, 3, k] - x) * ix,
            (planes[node, 4, k] - y) * iy,
            (planes[node, 5, k] - z) * iz,
        )
        gaps[k] = begin - end - allowance


def crossing(
    corners: F64, row: int,
    x: float, y: float, z: float, dx: float, dy: float, slack: float,
) -> int:  # fmt: skip
    """Return 1 or -1 if a ray crosses a triangle one way or the other, 0 if it misses.

    The ray is sheared onto the z axis (S. Woop, C. Benthin, I. Wald, "Watertight
    ray/triangle intersection", JCGT 2(1), 2013). `GRAZED` and `ON_SURFACE` as in
    `winding`.

    Parameters
    ----------
    slack
        Rounding of the coordinates, metres.
    """
    pz, qz, rz = corners[row, 2] - z, corners[row, 5] - z, corners[row, 8] - z
    if max(pz, qz, rz) < -slack:
        return 0
    px, py = corners[row, 0] - x - dx * pz, corners[row, 1] - y - dy * pz
    qx, qy = corners[row, 3] - x - dx * qz, corners[row, 4] - y - dy * qz
    rx, ry = corners[row, 6] - x - dx * rz, corners[row, 7] - y - dy * rz
    if (
        min(px, qx, rx) > slack or max(px, qx, rx) < -slack
        or min(py, qy, ry) > slack or max(py, qy, ry) < -slack
    ):  # fmt: skip
        return 0
    size = max(abs(px) + abs(py), abs(qx) + abs(qy), abs(rx) + abs(ry))
    sure = 4.0 * slack * size
    # U = r x q, V = p x r, W = q x p after the shear; t = (U p_z + V q_z + W r_z) / det
    u, v, w = rx * qy - ry * qx, px * ry - py * rx, qx * py - qy * px
    least, most = min(u, v, w), max(u, v, w)
    if least < -sure and most > sure:
        return 0
    if least <= sure and most >= -sure:
        return GRAZED
    det = u + v + w
    at = (u * pz + v * qz + w * rz) / det
    # what the place on the triangle is not known by, along the ray
    blur = slack + 3.0 * sure / abs(det) * (max(pz, qz, rz) - min(pz, qz, rz))
    if abs(at) > blur:
        return 0 if at < 0.0 else (1 if det > 0.0 else -1)
    return ON_SURFACE if blur <= 64.0 * slack else GRAZED
