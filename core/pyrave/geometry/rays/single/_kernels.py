"""The walk of one ray through the tree of a scene and the trees of its meshes.

Boxes are tested in float32, eight at a time, with the ray's origin moved by an
allowance for all rounding: no box is missed that holds a hit (T. Ize, "Robust BVH ray
traversal", JCGT 2(2), 2013).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.rays.lanes._kernels import (
    DX,
    DY,
    DZ,
    HIGH,
    INSTANCE,
    LEAST,
    LOW,
    NO_TRIANGLE,
    OX,
    OY,
    OZ,
    ROW,
    exact_distance,
    offer,
    turned_back,
)
from pyrave.geometry.rays.solids._kernels import MESH, PLANE, interval
from pyrave.geometry.rays.triangles._kernels import leaf_hits
from pyrave.geometry.tree._kernels import LINKS, UNUSED
from pyrave.simd import bits, fused, greater, lesser, load8, lowest_bit, store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    F32 = NDArray[np.float32]
    I32 = NDArray[np.int32]
    U8 = NDArray[np.uint8]

# arrays are borrowed from the caller: no counting of references
JIT_OPTIONS: dict[str, dict[str, bool]] = {
    "*": {"_nrt": False},
    **{
        name: {"forceinline": True}
        for name in (
            "aimed",
            "entered",
            "reciprocal",
            "pushed",
            "walk_mesh",
            "meet",
            "walk_scene",
        )
    },
}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}

# A ray's origin moves by this part of the largest coordinate when boxes are tested.
ALLOWANCE = np.float32(2.0**-21)
# Smallest component of a direction in float32: over the extent of a tree, a smaller one
# is far below the allowance.
FLATTEST = 1e-18
ZERO = np.float32(0.0)
UP = np.float32(1.0 + 2.0**-20)
DOWN = np.float32(1.0 - 2.0**-20)
# A ray that starts this many sizes of a mesh away is first brought near.
FAR = 32.0
NODE = 64  # numbers of a node of a tree


def reciprocal(d: float) -> np.float32:
    """Return 1 / d in float32, finite for any d."""
    if abs(d) < FLATTEST:
        d = -FLATTEST if d < 0.0 else FLATTEST
    return np.float32(1.0 / d)


def aimed(
    x: np.float32, y: np.float32, z: np.float32, dx: float, dy: float, dz: float,
    size: float,
) -> tuple[
    int, int, int, np.float32, np.float32, np.float32, np.float32, np.float32,
    np.float32, np.float32, np.float32, np.float32, np.float32,
]:  # fmt: skip
    """Return what `entered` needs of a ray, and the largest coordinate.

    Parameters
    ----------
    size
        What no coordinate of a box exceeds.
    """
    ix, iy, iz = reciprocal(dx), reciprocal(dy), reciprocal(dz)
    reach = max(abs(x), abs(y), abs(z), np.float32(size))
    pad = ALLOWANCE * reach
    nx, ny, nz = 0, 8, 16
    px, py, pz = pad, pad, pad
    if ix < ZERO:
        nx, px = 24, -pad
    if iy < ZERO:
        ny, py = 32, -pad
    if iz < ZERO:
        nz, pz = 40, -pad
    ax, ay, az = -(x + px) * ix, -(y + py) * iy, -(z + pz) * iz
    bx, by, bz = -(x - px) * ix, -(y - py) * iy, -(z - pz) * iz
    return nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, reach


def entered(
    planes: F32, node: int, nx: int, ny: int, nz: int,
    ix: np.float32, iy: np.float32, iz: np.float32,
    ax: np.float32, ay: np.float32, az: np.float32,
    bx: np.float32, by: np.float32, bz: np.float32,
    least: np.float32, most: np.float32, entry: F32,
) -> int:  # fmt: skip
    """Return, as bits, the children whose boxes a ray meets; write where to `entry`.

    nx, ny, nz say where the rows of near planes begin; a and b are the origin times
    minus the reciprocal direction i, moved towards near and far planes.
    """
    row = NODE * node
    near = greater(
        greater(
            fused(load8(planes, row + nx), ix, ax),
            fused(load8(planes, row + ny), iy, ay),
        ),
        greater(fused(load8(planes, row + nz), iz, az), least),
    )
    far = lesser(
        lesser(
            fused(load8(planes, row + 24 - nx), ix, bx),
            fused(load8(planes, row + 40 - ny), iy, by),
        ),
        lesser(fused(load8(planes, row + 56 - nz), iz, bz), most),
    )
    store(entry, 0, near)
    return bits(near <= far)


def pushed(
    links: I32, node: int, mask: int, top: int, stack: I32, entries: F32, entry: F32
) -> tuple[int, int]:
    """Push the children of a mask but the nearest; return that and the stack's top."""
    j = lowest_bit(mask)
    mask &= mask - 1
    child = int(links[node, LINKS, j])
    nearest = entry[j]
    while mask != 0:
        j = lowest_bit(mask)
        mask &= mask - 1
        t = entry[j]
        if t < nearest:
            stack[top] = child
            entries[top] = nearest
            nearest = t
            child = int(links[node, LINKS, j])
        else:
            stack[top] = links[node, LINKS, j]
            entries[top] = t
        top += 1
    return child, top


def walk_mesh(
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    places: I32, frames: F64, poses: F64, i: int, lanes: F64, w: int, any_hit: bool,
    stack: I32, entries: F32, entry: F32, spans: F32,
) -> bool:  # fmt: skip
    """Walk the ray of lane w through instance i, a mesh; return whether it hit."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, w] - poses[i, 0, 3],
        lanes[OY, w] - poses[i, 1, 3],
        lanes[OZ, w] - poses[i, 2, 3],
    )
    dx, dy, dz = turned_back(poses, i, lanes[DX, w], lanes[DY, w], lanes[DZ, w])
    ox, oy, oz = ox - frames[i, 0], oy - frames[i, 1], oz - frames[i, 2]
    size = frames[i, 3]
    # distances are counted from a point `shift` along the ray
    shift = 0.0
    if max(abs(ox), abs(oy), abs(oz)) > FAR * size:
        shift = max(-(ox * dx + oy * dy + oz * dz) - 2.0 * size, 0.0)
        ox, oy, oz = ox + shift * dx, oy + shift * dy, oz + shift * dz
    x, y, z = np.float32(ox), np.float32(oy), np.float32(oz)
    ux, uy, uz = np.float32(dx), np.float32(dy), np.float32(dz)
    nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, reach = aimed(
        x, y, z, dx, dy, dz, size
    )
    least = lanes[LEAST, w]
    low = max(np.float32(least - shift) * DOWN, ZERO)
    high = np.float32(lanes[HIGH, w] - shift) * UP
    if high < ZERO:
        return False
    found = False
    first_node, first_group, first_row = places[i, 0], places[i, 1], places[i, 2]
    stack[0] = 0
    entries[0] = ZERO
    top = 1
    while top > 0:
        top -= 1
        if entries[top] > high:
            continue
        node = int(stack[top])
        while node >= 0:
            k = first_node + node
            mask = entered(
                planes, k, nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz,
                low, high, entry,
            )  # fmt: skip
            if mask == 0:
                break
            node, top = pushed(links, k, mask, top, stack, entries, entry)
        if node >= 0:
            continue
        g = first_group + ~node
        maybe, sure = leaf_hits(groups, g, x, y, z, ux, uy, uz, reach, high, spans)
        while maybe != 0:
            j = lowest_bit(maybe)
            maybe &= maybe - 1
            k = first_row + firsts[g] + j
            if (sure >> j) & 1:
                t0, t1 = spans[j] + shift, spans[8 + j] + shift
                if t0 > least and t1 < lanes[LOW, w]:
                    lanes[LOW, w] = t0
                    lanes[HIGH, w] = t1
                    lanes[INSTANCE, w] = i
                    lanes[ROW, w] = k
                    high = spans[8 + j] * UP
                    found = True
                    if any_hit:
                        return True
                    continue
                if t0 > lanes[HIGH, w] or t1 < least:
                    continue
            t = exact_distance(lanes, w, i, k, poses, corners)
            if offer(lanes, w, i, k, t, poses, corners, numbers):
                high = np.float32(lanes[HIGH, w] - shift) * UP
                found = True
                if any_hit:
                    return True
    return found


def meet(
    kinds: I32, dims: F64, poses: F64, i: int, lanes: F64, w: int,
    corners: F64, numbers: I32,
) -> bool:  # fmt: skip
    """Let the ray of lane w meet instance i, a primitive; return whether it hit."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, w] - poses[i, 0, 3],
        lanes[OY, w] - poses[i, 1, 3],
        lanes[OZ, w] - poses[i, 2, 3],
    )
    dx, dy, dz = turned_back(poses, i, lanes[DX, w], lanes[DY, w], lanes[DZ, w])
    near, far = interval(
        kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], ox, oy, oz, dx, dy, dz
    )
    if near > far:
        return False
    t = near if near >= lanes[LEAST, w] else far
    return offer(lanes, w, i, int(NO_TRIANGLE), t, poses, corners, numbers)


def walk_scene(
    top_planes: F32, top_links: I32, top_frame: F64, endless: I32,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    lanes: F64, w: int, any_hit: bool,
    stack: I32, entries: F32, inner: I32, inner_entries: F32, entry: F32, spans: F32,
) -> None:  # fmt: skip
    """Walk the ray of lane w through the scene."""
    for k in range(endless.shape[0]):
        i = int(endless[k])
        if (
            skip[i] == 0
            and meet(kinds, dims, poses, i, lanes, w, corners, numbers)
            and any_hit
        ):
            return
    if top_planes.shape[0] == 0:
        return
    # of one instance the own tree says as much as its box
    start = 0
    if top_links.shape[0] == 1 and top_links[0, LINKS, 1] == UNUSED:
        start = top_links[0, LINKS, 0]
    nx, ny, nz = 0, 0, 0
    ix, iy, iz, ax, ay, az = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    bx, by, bz = ZERO, ZERO, ZERO
    if start == 0:
        x = np.float32(lanes[OX, w] - top_frame[0])
        y = np.float32(lanes[OY, w] - top_frame[1])
        z = np.float32(lanes[OZ, w] - top_frame[2])
        nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, _ = aimed(
            x, y, z, lanes[DX, w], lanes[DY, w], lanes[DZ, w], top_frame[3]
        )
    low = np.float32(lanes[LEAST, w]) * DOWN
    high = np.float32(lanes[HIGH, w]) * UP
    stack[0] = start
    entries[0] = ZERO
    top = 1
    while top > 0:
        top -= 1
        if entries[top] > high:
            continue
        node = int(stack[top])
        while node >= 0:
            mask = entered(
                top_planes, node, nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz,
                low, high, entry,
            )  # fmt: skip
            if mask == 0:
                break
            node, top = pushed(top_links, node, mask, top, stack, entries, entry)
        if node >= 0:
            continue
        i = ~node
        if skip[i] != 0 or kinds[i] <= PLANE:
            continue
        if kinds[i] == MESH:
            hit = walk_mesh(
                planes, links, groups, firsts, corners, numbers,
                places, frames, poses, i, lanes, w, any_hit,
                inner, inner_entries, entry, spans,
            )  # fmt: skip
        else:
            hit = meet(kinds, dims, poses, i, lanes, w, corners, numbers)
        if hit:
            if any_hit:
                return
            high = np.float32(lanes[HIGH, w]) * UP
