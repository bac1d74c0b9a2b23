"""Nearest and any hit of rays with a two-level scene, in float64.

Level one is a tree over instances; each instance is a primitive or a mesh with a tree
of its own (`pyrave.geometry.tree`). Rays are taken into the frame of an instance by
its rigid inverse pose, so distances are the same in every frame. Nothing here
multiplies before it subtracts in another order (no fast-math): the triangle test is
watertight only if both triangles at an edge round alike.

An interval ``(near, far)`` with ``near > far`` is a miss. The hit of a solid is its
first surface point at or beyond the ray's least distance, so that a ray from inside
meets the far side.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    I32 = NDArray[np.int32]
    U8 = NDArray[np.uint8]
    Interval = tuple[float, float]
    Triple = tuple[float, float, float]

# kinds of instances; `pyrave.geometry.rayscene` uses the same numbers
NOTHING = 0
BOX = 1
SPHERE = 2
CYLINDER = 3
CAPSULE = 4
MESH = 5

STACK = 96
# The exit of a box test may be late by this part, so that it never rejects what the
# triangle test would accept (T. Ize, "Robust BVH ray traversal", JCGT 2(2), 2013).
SLACK = 1.0 + 1e-14


def slab(o: float, d: float, half: float) -> Interval:
    """Return where a ray is within -half..half of one axis; parallel rays included."""
    # a smaller d would overflow; over any finite range such a ray is parallel
    if abs(d) < 1e-280:
        if abs(o) <= half:
            return -np.inf, np.inf
        return np.inf, -np.inf
    a = (-half - o) / d
    b = (half - o) / d
    return min(a, b), max(a, b)


def ray_box(
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    hx: float, hy: float, hz: float,
) -> Interval:  # fmt: skip
    """Return the interval of a ray in a centred box of half extents h."""
    x0, x1 = slab(ox, dx, hx)
    y0, y1 = slab(oy, dy, hy)
    z0, z1 = slab(oz, dz, hz)
    return max(x0, y0, z0), min(x1, y1, z1)


def ray_sphere(
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float, r: float
) -> Interval:
    """Return the interval of a unit ray in a centred sphere.

    The discriminant is taken from the point nearest to the centre, and the nearer
    root from the product of both: no cancellation far from the sphere (Haines et
    al., Ray Tracing Gems, chapter 7).
    """
    b = -(ox * dx + oy * dy + oz * dz)
    px, py, pz = ox + b * dx, oy + b * dy, oz + b * dz
    s = r * r - (px * px + py * py + pz * pz)
    if s < 0.0:
        return np.inf, -np.inf
    h = math.sqrt(s)
    length = math.sqrt(ox * ox + oy * oy + oz * oz)
    c = (length - r) * (length + r)
    return roots(b, h, c, 1.0)


def roots(b: float, h: float, c: float, a: float) -> Interval:
    """Return the roots of a t^2 - 2 b t + c, given h = sqrt(b^2 - a c), ascending."""
    q = b + h if b >= 0.0 else b - h
    if q == 0.0:
        return 0.0, 0.0
    t0, t1 = c / q, q / a
    return min(t0, t1), max(t0, t1)


def ray_tube(ox: float, oy: float, dx: float, dy: float, r: float) -> Interval:
    """Return the interval of a ray in an endless cylinder along z."""
    a = dx * dx + dy * dy
    if a < 1e-280:
        if ox * ox + oy * oy <= r * r:
            return -np.inf, np.inf
        return np.inf, -np.inf
    b = -(ox * dx + oy * dy)
    px, py = ox + b / a * dx, oy + b / a * dy
    s = r * r - (px * px + py * py)
    if s < 0.0:
        return np.inf, -np.inf
    h = math.sqrt(a * s)
    length = math.sqrt(ox * ox + oy * oy)
    c = (length - r) * (length + r)
    return roots(b, h, c, a)


def ray_cylinder(
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    r: float, half: float,
) -> Interval:  # fmt: skip
    """Return the interval of a ray in a centred cylinder along z with flat ends."""
    s0, s1 = ray_tube(ox, oy, dx, dy, r)
    z0, z1 = slab(oz, dz, half)
    return max(s0, z0), min(s1, z1)


def ray_capsule(
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    r: float, half: float,
) -> Interval:  # fmt: skip
    """Return the interval of a unit ray in a centred capsule along z.

    A capsule is convex and the union of a cylinder and two spheres, so its interval
    runs from the first entry to the last exit of the three.
    """
    near, far = ray_cylinder(ox, oy, oz, dx, dy, dz, r, half)
    if near > far:
        near, far = np.inf, -np.inf
    a, b = ray_sphere(ox, oy, oz - half, dx, dy, dz, r)
    if a <= b:
        near, far = min(near, a), max(far, b)
    a, b = ray_sphere(ox, oy, oz + half, dx, dy, dz, r)
    if a <= b:
        near, far = min(near, a), max(far, b)
    return near, far


def solid_normal(
    kind: int, a: float, b: float, c: float, x: float, y: float, z: float
) -> Triple:
    """Return the outward unit normal of a primitive at a point of its surface."""
    if kind == BOX:
        ex, ey, ez = abs(x) - a, abs(y) - b, abs(z) - c
        if ex >= ey and ex >= ez:
            return math.copysign(1.0, x), 0.0, 0.0
        if ey >= ez:
            return 0.0, math.copysign(1.0, y), 0.0
        return 0.0, 0.0, math.copysign(1.0, z)
    if kind == CYLINDER:
        if abs(z) - b >= math.sqrt(x * x + y * y) - a:
            return 0.0, 0.0, math.copysign(1.0, z)
        z = 0.0
    elif kind == CAPSULE:
        z -= min(max(z, -b), b)
    length = math.sqrt(x * x + y * y + z * z)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return x / length, y / length, z / length


def inverse(d: float) -> float:
    """Return 1 / d, finite also for d = 0 (boxes are padded, see the tree's build)."""
    if abs(d) < 1e-150:
        return 1e150
    return 1.0 / d


def box_entry(
    bounds: F64, node: int,
    ox: float, oy: float, oz: float, ix: float, iy: float, iz: float,
    least: float, most: float,
) -> float:  # fmt: skip
    """Return where a ray enters a node's box within least..most, inf if nowhere."""
    a0, a1 = (bounds[node, 0] - ox) * ix, (bounds[node, 3] - ox) * ix
    b0, b1 = (bounds[node, 1] - oy) * iy, (bounds[node, 4] - oy) * iy
    c0, c1 = (bounds[node, 2] - oz) * iz, (bounds[node, 5] - oz) * iz
    near = max(min(a0, a1), min(b0, b1), min(c0, c1))
    far = min(max(a0, a1), max(b0, b1), max(c0, c1))
    if near <= far * SLACK and far * SLACK >= least and near <= most * SLACK:
        entry: float = max(near, least)
        return entry
    return np.inf


def ray_triangle(
    corners: F64, k: int, kx: int, ky: int, kz: int,
    ox: float, oy: float, oz: float, sx: float, sy: float, sz: float,
) -> float:  # fmt: skip
    """Return the distance along a ray to triangle k, inf if it misses.

    S. Woop, C. Benthin, I. Wald, "Watertight ray/triangle intersection", JCGT 2(1),
    2013. Origin and axes come permuted: kz is the direction's largest component, and
    sx, sy, sz shear the ray onto it. Rounding is monotone, so an edge function has the
    right sign or is zero, and zero counts as inside for both triangles of the edge: no
    ray slips through.
    """
    px, py, pz = corners[k, kx] - ox, corners[k, ky] - oy, corners[k, kz] - oz
    qx, qy, qz = (
        corners[k, kx + 3] - ox,
        corners[k, ky + 3] - oy,
        corners[k, kz + 3] - oz,
    )
    rx, ry, rz = (
        corners[k, kx + 6] - ox,
        corners[k, ky + 6] - oy,
        corners[k, kz + 6] - oz,
    )
    px, py = px - sx * pz, py - sy * pz
    qx, qy = qx - sx * qz, qy - sy * qz
    rx, ry = rx - sx * rz, ry - sy * rz
    u = rx * qy - ry * qx
    v = px * ry - py * rx
    w = qx * py - qy * px
    if (u < 0.0 or v < 0.0 or w < 0.0) and (u > 0.0 or v > 0.0 or w > 0.0):
        return np.inf
    det = u + v + w
    if det == 0.0:
        return np.inf
    t: float = (u / det * pz + v / det * qz + w / det * rz) * sz
    return t


def pick(k: int, x: float, y: float, z: float) -> float:
    """Return component k of a vector."""
    if k == 0:
        return x
    return y if k == 1 else z


def cast_mesh(
    bounds: F64, links: I32, corners: F64, numbers: I32, root: int, first: int,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    least: float, most: float, any_hit: bool, stack: I32, entry: F64,
) -> tuple[float, int]:  # fmt: skip
    """Return distance and row in `corners` of the hit with one mesh, or inf and -1.

    `root` and `first` are the rows where this mesh's nodes and triangles begin; its
    links count from there. Of equal distances the lower triangle number wins.
    """
    ax, ay, az = abs(dx), abs(dy), abs(dz)
    kz = 0 if ax >= ay and ax >= az else (1 if ay >= az else 2)
    kx = (kz + 1) % 3
    ky = (kx + 1) % 3
    along = pick(kz, dx, dy, dz)
    sx = pick(kx, dx, dy, dz) / along
    sy = pick(ky, dx, dy, dz) / along
    sz = 1.0 / along
    qx, qy, qz = pick(kx, ox, oy, oz), pick(ky, ox, oy, oz), pick(kz, ox, oy, oz)
    ix, iy, iz = inverse(dx), inverse(dy), inverse(dz)
    best = most
    row = -1
    top = 0
    if box_entry(bounds, root, ox, oy, oz, ix, iy, iz, least, best) < np.inf:
        stack[0] = 0
        entry[0] = least
        top = 1
    while top > 0:
        top -= 1
        if entry[top] > best * SLACK:
            continue
        node = root + stack[top]
        begin = links[node, 0]
        count = links[node, 1]
        if count == 0:
            t0 = box_entry(bounds, root + begin, ox, oy, oz, ix, iy, iz, least, best)
            t1 = box_entry(
                bounds, root + begin + 1, ox, oy, oz, ix, iy, iz, least, best
            )
            # the nearer child goes on top
            swap = 1 if t1 < t0 else 0
            if max(t0, t1) < np.inf:
                stack[top] = begin + 1 - swap
                entry[top] = max(t0, t1)
                top += 1
            if min(t0, t1) < np.inf:
                stack[top] = begin + swap
                entry[top] = min(t0, t1)
                top += 1
            continue
        for k in range(first + begin, first + begin + count):
            t = ray_triangle(corners, k, kx, ky, kz, qx, qy, qz, sx, sy, sz)
            if t < least or t > best:
                continue
            if t < best or row < 0 or numbers[k] < numbers[row]:
                best = t
                row = k
                if any_hit:
                    return best, row
    if row < 0:
        return np.inf, -1
    return best, row


def cast_instance(
    kind: int, a: float, b: float, c: float, root: int, first: int,
    bounds: F64, links: I32, corners: F64, numbers: I32,
    ox: float, oy: float, oz: float, dx: float, dy: float, dz: float,
    least: float, most: float, any_hit: bool, stack: I32, entry: F64,
) -> tuple[float, int]:  # fmt: skip
    """Return distance and triangle row (-1 for primitives) in an instance's frame."""
    if kind == MESH:
        return cast_mesh(
            bounds, links, corners, numbers, root, first,
            ox, oy, oz, dx, dy, dz, least, most, any_hit, stack, entry,
        )  # fmt: skip
    if kind == BOX:
        near, far = ray_box(ox, oy, oz, dx, dy, dz, a, b, c)
    elif kind == SPHERE:
        near, far = ray_sphere(ox, oy, oz, dx, dy, dz, a)
    elif kind == CYLINDER:
        near, far = ray_cylinder(ox, oy, oz, dx, dy, dz, a, b)
    elif kind == CAPSULE:
        near, far = ray_capsule(ox, oy, oz, dx, dy, dz, a, b)
    else:
        return np.inf, -1
    if near > far:
        return np.inf, -1
    t = near if near >= least else far
    if t < least or t > most:
        return np.inf, -1
    return t, -1


def turned_back(poses: F64, i: int, x: float, y: float, z: float) -> Triple:
    """Return a direction of the world in the frame of instance i."""
    return (
        poses[i, 0, 0] * x + poses[i, 1, 0] * y + poses[i, 2, 0] * z,
        poses[i, 0, 1] * x + poses[i, 1, 1] * y + poses[i, 2, 1] * z,
        poses[i, 0, 2] * x + poses[i, 1, 2] * y + poses[i, 2, 2] * z,
    )


def cast(
    origins: F64, directions: F64, least: F64, most: F64, any_hit: bool,
    kinds: I32, dims: F64, poses: F64, roots_of: I32, skip: U8,
    top_bounds: F64, top_links: I32, top_order: I32,
    bounds: F64, links: I32, corners: F64, numbers: I32,
    distance: F64, instance: I32, triangle: I32, normal: F64,
) -> None:  # fmt: skip
    """Cast rays into a scene of instances.

    Parameters
    ----------
    origins, directions
        (n, 3) float64; world frame, directions of unit length.
    least, most
        (n,) float64; finite range in which a hit counts, both ends included.
    any_hit
        Stop at the first hit found, which need not be the nearest.
    kinds, dims, poses, roots_of, skip
        (k,) kind; (k, 3) half extents or radius and half height; (k, 4, 4)
        T_world_shape; (k, 2) rows where the mesh's nodes and triangles begin; (k,) 1
        to leave an instance out.
    top_bounds, top_links, top_order
        Tree over the instances.
    bounds, links, corners, numbers
        Trees of all meshes, one after the other; (m, 9) corners of the triangles in
        tree order and their numbers in their mesh.
    distance, instance, triangle, normal
        Output, (n,), (n,), (n,), (n, 3): inf, -1, -1 and zeros at a miss. Normals
        are unit vectors in the world that face the ray's origin.
    """
    outer = np.empty(STACK, np.int32)
    outer_entry = np.empty(STACK)
    inner = np.empty(STACK, np.int32)
    inner_entry = np.empty(STACK)
    n_nodes = top_links.shape[0]
    for r in range(origins.shape[0]):
        ox, oy, oz = origins[r, 0], origins[r, 1], origins[r, 2]
        dx, dy, dz = directions[r, 0], directions[r, 1], directions[r, 2]
        ix, iy, iz = inverse(dx), inverse(dy), inverse(dz)
        low = least[r]
        best = most[r]
        found = -1
        row = -1
        top = 0
        if n_nodes > 0:
            outer[0] = 0
            outer_entry[0] = low
            top = 1
        while top > 0:
            top -= 1
            if outer_entry[top] > best * SLACK:
                continue
            node = outer[top]
            begin = top_links[node, 0]
            count = top_links[node, 1]
            if count == 0:
                t0 = box_entry(top_bounds, begin, ox, oy, oz, ix, iy, iz, low, best)
                t1 = box_entry(top_bounds, begin + 1, ox, oy, oz, ix, iy, iz, low, best)
                swap = 1 if t1 < t0 else 0
                if max(t0, t1) < np.inf:
                    outer[top] = begin + 1 - swap
                    outer_entry[top] = max(t0, t1)
                    top += 1
                if min(t0, t1) < np.inf:
                    outer[top] = begin + swap
                    outer_entry[top] = min(t0, t1)
                    top += 1
                continue
            for k in range(begin, begin + count):
                i = top_order[k]
                if skip[i] != 0:
                    continue
                lx, ly, lz = turned_back(
                    poses,
                    i,
                    ox - poses[i, 0, 3],
                    oy - poses[i, 1, 3],
                    oz - poses[i, 2, 3],
                )
                ux, uy, uz = turned_back(poses, i, dx, dy, dz)
                t, hit_row = cast_instance(
                    kinds[i], dims[i, 0], dims[i, 1], dims[i, 2],
                    roots_of[i, 0], roots_of[i, 1], bounds, links, corners, numbers,
                    lx, ly, lz, ux, uy, uz, low, best, any_hit, inner, inner_entry,
                )  # fmt: skip
                if t < best or (t == best and (found < 0 or i < found)):
                    best = t
                    found = i
                    row = hit_row
                    if any_hit:
                        break
            if any_hit and found >= 0:
                break
        if found < 0:
            distance[r] = np.inf
            instance[r] = -1
            triangle[r] = -1
            normal[r, 0] = 0.0
            normal[r, 1] = 0.0
            normal[r, 2] = 0.0
            continue
        distance[r] = best
        instance[r] = found
        triangle[r] = -1 if row < 0 else numbers[row]
        if row < 0:
            px, py, pz = turned_back(
                poses, found,
                ox + best * dx - poses[found, 0, 3],
                oy + best * dy - poses[found, 1, 3],
                oz + best * dz - poses[found, 2, 3],
            )  # fmt: skip
            nx, ny, nz = solid_normal(
                kinds[found], dims[found, 0], dims[found, 1], dims[found, 2], px, py, pz
            )
        else:
            nx, ny, nz = triangle_normal(corners, row)
        wx = poses[found, 0, 0] * nx + poses[found, 0, 1] * ny + poses[found, 0, 2] * nz
        wy = poses[found, 1, 0] * nx + poses[found, 1, 1] * ny + poses[found, 1, 2] * nz
        wz = poses[found, 2, 0] * nx + poses[found, 2, 1] * ny + poses[found, 2, 2] * nz
        sign = -1.0 if wx * dx + wy * dy + wz * dz > 0.0 else 1.0
        normal[r, 0] = sign * wx
        normal[r, 1] = sign * wy
        normal[r, 2] = sign * wz


def triangle_normal(corners: F64, k: int) -> Triple:
    """Return the unit normal of triangle k; z for one without area."""
    ax, ay, az = (
        corners[k, 3] - corners[k, 0],
        corners[k, 4] - corners[k, 1],
        corners[k, 5] - corners[k, 2],
    )
    bx, by, bz = (
        corners[k, 6] - corners[k, 0],
        corners[k, 7] - corners[k, 1],
        corners[k, 8] - corners[k, 2],
    )
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    length = math.sqrt(nx * nx + ny * ny + nz * nz)
    if length == 0.0:
        return 0.0, 0.0, 1.0
    return nx / length, ny / length, nz / length
