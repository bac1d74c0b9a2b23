"""The walk of one ray through the tree of a scene and the trees of its meshes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.rays.boxes._kernels import (
    DOWN,
    FAR,
    LINK,
    NODE,
    ZERO,
    aimed,
    beyond,
    entered,
    pushed,
)
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
    turned,
    turned_back,
)
from pyrave.geometry.rays.solids._kernels import MESH, PLANE, interval
from pyrave.geometry.rays.triangles._kernels import leaf_hits
from pyrave.geometry.tree._kernels import UNUSED
from pyrave.simd import at, first, load4, lowest_bit, second, third, triple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    F64 = NDArray[np.float64]
    F32 = NDArray[np.float32]
    I32 = NDArray[np.int32]
    I64 = NDArray[np.int64]
    U8 = NDArray[np.uint8]

# arrays are borrowed from the caller: no counting of references
JIT_OPTIONS: dict[str, dict[str, bool]] = {
    "*": {"_nrt": False},
    **{name: {"forceinline": True} for name in ("walk_mesh", "meet", "walk_scene")},
}
JIT_ENTRIES: dict[str, tuple[str, int]] = {}


def walk_mesh(
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    places: I32, frames: F64, poses: F64, i: int, lanes: F64, w: int, any_hit: bool,
    stack: I32, entries: F32, entry: F32, spans: F32,
) -> bool:  # fmt: skip
    """Walk the ray of lane w through instance i, a mesh; return whether it hit."""
    o = turned(
        poses,
        i,
        lanes[OX, w] - poses[i, 0, 3],
        lanes[OY, w] - poses[i, 1, 3],
        lanes[OZ, w] - poses[i, 2, 3],
    ) - load4(frames, 4 * i)
    d = turned(poses, i, lanes[DX, w], lanes[DY, w], lanes[DZ, w])
    size = frames[i, 3]
    # distances are counted from a point `shift` along the ray
    shift = 0.0
    if max(abs(first(o)), abs(second(o)), abs(third(o))) > FAR * size:
        along = first(o) * first(d) + second(o) * second(d) + third(o) * third(d)
        shift = max(-along - 2.0 * size, 0.0)
        o = o + d * shift
    nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, reach = aimed(o, d, size)
    x, y, z = np.float32(first(o)), np.float32(second(o)), np.float32(third(o))
    ux, uy, uz = np.float32(first(d)), np.float32(second(d)), np.float32(third(d))
    least = lanes[LEAST, w]
    low = max(np.float32(least - shift) * DOWN, ZERO)
    high = beyond(lanes[HIGH, w] - shift)
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
            row = NODE * (first_node + node)
            mask = entered(
                planes, row, nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz,
                low, high, entry,
            )  # fmt: skip
            if mask == 0:
                break
            node, top = pushed(links, row, mask, top, stack, entries, entry)
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
                    high = beyond(spans[8 + j])
                    found = True
                    if any_hit:
                        return True
                    continue
                if t0 > lanes[HIGH, w] or t1 < least:
                    continue
            t = exact_distance(lanes, w, i, k, poses, corners)
            if offer(lanes, w, i, k, t, poses, corners, numbers):
                high = beyond(lanes[HIGH, w] - shift)
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
    top_planes: F32, top_links: I32, top_frame: F64, endless: I64,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    lanes: F64, w: int, any_hit: bool,
    stack: I32, entries: F32, inner: I32, inner_entries: F32, entry: F32, spans: F32,
) -> None:  # fmt: skip
    """Walk the ray of lane w through the scene."""
    nx, ny, nz = 0, 0, 0
    ix, iy, iz, ax, ay, az = ZERO, ZERO, ZERO, ZERO, ZERO, ZERO
    bx, by, bz = ZERO, ZERO, ZERO
    low = np.float32(lanes[LEAST, w]) * DOWN
    high = beyond(lanes[HIGH, w])
    top, met = 0, 0
    stack[0] = 0
    entries[0] = ZERO
    if top_planes.shape[0] > 0:
        top = 1
        if at(top_links, LINK + 1) == UNUSED:
            # of one instance the own tree says as much as its box
            stack[0] = at(top_links, LINK)
        else:
            o = triple(
                lanes[OX, w] - top_frame[0],
                lanes[OY, w] - top_frame[1],
                lanes[OZ, w] - top_frame[2],
            )
            d = triple(lanes[DX, w], lanes[DY, w], lanes[DZ, w])
            nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz, _ = aimed(
                o, d, top_frame[3]
            )
    while True:
        i = -1
        if met < endless.shape[0]:
            i = int(endless[met])
            met += 1
        while i < 0:
            if top == 0:
                return
            top -= 1
            if entries[top] > high:
                continue
            node = int(stack[top])
            while node >= 0:
                row = NODE * node
                mask = entered(
                    top_planes, row, nx, ny, nz, ix, iy, iz, ax, ay, az, bx, by, bz,
                    low, high, entry,
                )  # fmt: skip
                if mask == 0:
                    break
                node, top = pushed(top_links, row, mask, top, stack, entries, entry)
            # the tree holds a point for what is endless
            if node < 0 and kinds[~node] > PLANE:
                i = ~node
        if skip[i] != 0:
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
            high = beyond(lanes[HIGH, w])
