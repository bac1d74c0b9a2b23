"""The walk of a packet of rays from one point through a scene and its meshes.

A frustum stands for the packet while trees are walked. Triangles that it meets, and
primitives, are then tested against 16 rays at a time.

From one point o, three normals of a triangle do: those of the planes through o and two
of its edges, and its own. They are the triangle's, so that a ray costs three products
(A. Kensler, P. Shirley, "Optimizing ray-triangle intersection via automated search",
2006).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.aabb import (
    DOWN,
    NODE,
    UP,
    ZERO,
    beyond,
    pushed,
)
from pyrave.geometry.kernels.exact import BY_EDGE, BY_PLACE, turned_back
from pyrave.geometry.kernels.frusta import boxes_in_frustum, frustum, looking
from pyrave.geometry.kernels.primitives import MESH, PLANE, interval
from pyrave.geometry.kernels.ray_block import (
    BLOCK,
    CHOSEN,
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
    UX,
    UY,
    UZ,
    exact_distance,
    offer,
)
from pyrave.geometry.kernels.triangles import GROUP
from pyrave.simd import (
    absolute,
    fma,
    largest,
    load8,
    load16,
    lowest_bit,
    maximum,
    minimum,
    movemask,
    single,
    spread16,
    store,
    where,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64, U8

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {
    name: {"forceinline": True}
    for name in (
        "prepare",
        "fits",
        "farthest",
        "test_lanes",
        "packet_mesh",
        "packet_meet",
        "packet_scene",
    )
}
JIT_ENTRIES = ()

# rows of (rows, 64) float32: direction in the mesh's frame; bounds of what is known
FX, FY, FZ = 0, 1, 2
FLOW, FHIGH, FLEAST = 3, 4, 5
FLOAT_ROWS = 6
# rows of (rows, 8) float32 that describe a leaf's triangles to a packet: normal of the
# triangle, normals of two edges, volume, slack of products, of the volume
NX, NY, NZ = 0, 8, 16
VX, VY, VZ = 24, 32, 40
WX, WY, WZ = 48, 56, 64
VOLUME, SLACK, DEEP = 72, 80, 88
LEAF_SIZE = 96

NO_ROW = -2.0
# Triangles of a mesh that is this many of its sizes away are better met by single rays,
# which are first brought near.
FAR_AWAY = 1024.0


def prepare(
    groups: F32, g: int, x: np.float32, y: np.float32, z: np.float32,
    reach: np.float32, slopes: F32, leaf: F32,
) -> int:  # fmt: skip
    """Describe a leaf's triangles as seen from a point; return those in a frustum."""
    row = GROUP * g
    ax, ay, az = (
        load8(groups, row) - x,
        load8(groups, row + 8) - y,
        load8(groups, row + 16) - z,
    )
    e1x, e1y, e1z = (
        load8(groups, row + 24),
        load8(groups, row + 32),
        load8(groups, row + 40),
    )
    e2x, e2y, e2z = (
        load8(groups, row + 48),
        load8(groups, row + 56),
        load8(groups, row + 64),
    )
    size = load8(groups, row + 72)
    nx = fma(e1y, e2z, -(e1z * e2y))
    ny = fma(e1z, e2x, -(e1x * e2z))
    nz = fma(e1x, e2y, -(e1y * e2x))
    volume = fma(ax, nx, fma(ay, ny, az * nz))
    back = volume < ZERO
    # turned so that the volume is positive
    sign = where(back, -1.0, size * ZERO + np.float32(1.0))
    nx, ny, nz, volume = nx * sign, ny * sign, nz * sign, volume * sign
    vx = fma(e2y, az, -(e2z * ay)) * sign
    vy = fma(e2z, ax, -(e2x * az)) * sign
    vz = fma(e2x, ay, -(e2y * ax)) * sign
    wx = fma(ay, e1z, -(az * e1y)) * sign
    wy = fma(az, e1x, -(ax * e1z)) * sign
    wz = fma(ax, e1y, -(ay * e1x)) * sign
    slack = size * fma(size, BY_EDGE, BY_PLACE * reach)
    store(leaf, NX, nx)
    store(leaf, NY, ny)
    store(leaf, NZ, nz)
    store(leaf, VX, vx)
    store(leaf, VY, vy)
    store(leaf, VZ, vz)
    store(leaf, WX, wx)
    store(leaf, WY, wy)
    store(leaf, WZ, wz)
    store(leaf, VOLUME, volume)
    store(leaf, SLACK, slack)
    store(leaf, DEEP, slack * size)
    # a plane of which the whole frustum is outside; slopes are no longer than 2
    lowest = slack * np.float32(-4.0)
    ux, uy, uz = nx - vx - wx, ny - vy - wy, nz - vz - wz
    return movemask(
        (fits(vx, vy, vz, slopes) >= lowest)
        & (fits(wx, wy, wz, slopes) >= lowest)
        & (fits(ux, uy, uz, slopes) >= lowest)
        | (volume <= slack * size)
    )


def fits(nx: Any, ny: Any, nz: Any, slopes: F32) -> Any:
    """Return the largest product of normals with directions of a frustum."""
    return (
        maximum(nx * slopes[0], nx * slopes[3])
        + maximum(ny * slopes[1], ny * slopes[4])
        + maximum(nz * slopes[2], nz * slopes[5])
    )


def farthest(floats: F32, axis: int, begin: int, end: int) -> np.float32:
    """Return the largest depth along an axis at which a packet may still hit."""
    most = spread16(ZERO)
    w = begin
    while w < end:
        along = absolute(load16(floats, BLOCK * axis + w))
        most = maximum(most, load16(floats, BLOCK * FHIGH + w) * along)
        w += 16
    return beyond(float(largest(most)))


def packet_mesh(
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    places: I32, frames: F64, poses: F64, i: int, lanes: F64, begin: int, end: int,
    stack: I32, entries: F32, entry: F32, floats: F32, slopes: F32, leaf: F32,
) -> bool:  # fmt: skip
    """Walk the rays of lanes begin..end through instance i, a mesh, if it is near."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, begin] - poses[i, 0, 3],
        lanes[OY, begin] - poses[i, 1, 3],
        lanes[OZ, begin] - poses[i, 2, 3],
    )
    ox, oy, oz = ox - frames[i, 0], oy - frames[i, 1], oz - frames[i, 2]
    size = frames[i, 3]
    if max(abs(ox), abs(oy), abs(oz)) > FAR_AWAY * size:
        return False
    w = begin
    while w < end:
        dx = load16(lanes, BLOCK * DX + w)
        dy = load16(lanes, BLOCK * DY + w)
        dz = load16(lanes, BLOCK * DZ + w)
        ux = poses[i, 0, 0] * dx + poses[i, 1, 0] * dy + poses[i, 2, 0] * dz
        uy = poses[i, 0, 1] * dx + poses[i, 1, 1] * dy + poses[i, 2, 1] * dz
        uz = poses[i, 0, 2] * dx + poses[i, 1, 2] * dy + poses[i, 2, 2] * dz
        store(lanes, BLOCK * UX + w, ux)
        store(lanes, BLOCK * UY + w, uy)
        store(lanes, BLOCK * UZ + w, uz)
        store(lanes, BLOCK * CHOSEN + w, spread16(NO_ROW))
        store(floats, BLOCK * FX + w, single(ux))
        store(floats, BLOCK * FY + w, single(uy))
        store(floats, BLOCK * FZ + w, single(uz))
        store(floats, BLOCK * FLOW + w, single(load16(lanes, BLOCK * LOW + w)) * DOWN)
        store(floats, BLOCK * FHIGH + w, single(load16(lanes, BLOCK * HIGH + w)) * UP)
        store(floats, BLOCK * FLEAST + w, single(load16(lanes, BLOCK * LEAST + w)) * UP)
        w += 16
    axis = frustum(lanes, int(UX), begin, end, slopes)
    x, y, z = np.float32(ox), np.float32(oy), np.float32(oz)
    near, b, c, sign, oa, ob, oc, pad, reach = looking(
        x, y, z, np.float32(size), axis, lanes[UX + axis, begin] < 0.0
    )
    b0, b1, c0, c1 = slopes[b], slopes[b + 3], slopes[c], slopes[c + 3]
    most = farthest(floats, axis, begin, end)
    first_node, first_group, first_row = places[i, 0], places[i, 1], places[i, 2]
    stack[0] = 0
    entries[0] = ZERO
    top = 1
    while top > 0:
        top -= 1
        if entries[top] > most:
            continue
        node = int(stack[top])
        while node >= 0:
            row = NODE * (first_node + node)
            mask = boxes_in_frustum(
                planes, row, near, b, c, sign, oa, ob, oc, pad, b0, b1, c0, c1, most,
                entry,
            )  # fmt: skip
            if mask == 0:
                break
            node, top = pushed(links, row, mask, top, stack, entries, entry)
        if node >= 0:
            continue
        g = first_group + ~node
        mask = prepare(groups, g, x, y, z, reach, slopes, leaf)
        changed = False
        while mask != 0:
            j = lowest_bit(mask)
            mask &= mask - 1
            if test_lanes(
                leaf, j, first_row + firsts[g] + j, i, lanes, floats, begin, end,
                poses, corners, numbers,
            ):  # fmt: skip
                changed = True
        if changed:
            most = farthest(floats, axis, begin, end)
    for w in range(begin, end):
        if lanes[CHOSEN, w] >= 0.0:
            lanes[LOW, w] = floats[FLOW, w]
            lanes[HIGH, w] = floats[FHIGH, w]
            lanes[INSTANCE, w] = i
            lanes[ROW, w] = lanes[CHOSEN, w]
    return True


def test_lanes(
    leaf: F32, j: int, k: int, i: int, lanes: F64, floats: F32, begin: int, end: int,
    poses: F64, corners: F64, numbers: I32,
) -> bool:  # fmt: skip
    """Test triangle j of a leaf, row k; return whether any ray of a packet hit."""
    nx, ny, nz = leaf[NX + j], leaf[NY + j], leaf[NZ + j]
    vx, vy, vz = leaf[VX + j], leaf[VY + j], leaf[VZ + j]
    wx, wy, wz = leaf[WX + j], leaf[WY + j], leaf[WZ + j]
    volume, slack, deep = leaf[VOLUME + j], leaf[SLACK + j], leaf[DEEP + j]
    changed = False
    lane = begin
    while lane < end:
        dx = load16(floats, BLOCK * FX + lane)
        dy = load16(floats, BLOCK * FY + lane)
        dz = load16(floats, BLOCK * FZ + lane)
        high = load16(floats, BLOCK * FHIGH + lane)
        v = fma(dx, vx, fma(dy, vy, dz * vz))
        w = fma(dx, wx, fma(dy, wy, dz * wz))
        det = fma(dx, nx, fma(dy, ny, dz * nz))
        u = det - v - w
        inner = minimum(minimum(u, v), w)
        above = det + slack
        if volume <= deep:
            # the point may be on either side of the triangle's plane
            outer = maximum(maximum(u, v), w)
            maybe = (inner >= -slack) | (outer <= slack)
        else:
            maybe = (inner >= -slack) & (fma(above, high, deep) >= volume)
        mask = movemask(maybe)
        if mask == 0:
            lane += 16
            continue
        below = det - slack
        low = load16(floats, BLOCK * FLOW + lane)
        t0 = (volume - deep) / above * DOWN
        t1 = (volume + deep) / below * UP
        sure = maybe & (inner > slack) & (below > slack) & (t0 > ZERO)
        nearer = sure & (t1 < low) & (t0 > load16(floats, BLOCK * FLEAST + lane))
        taken = movemask(nearer)
        if taken != 0:
            changed = True
            store(floats, BLOCK * FLOW + lane, where(nearer, t0, low))
            store(floats, BLOCK * FHIGH + lane, where(nearer, t1, high))
            store(
                lanes,
                BLOCK * CHOSEN + lane,
                where(nearer, float(k), load16(lanes, BLOCK * CHOSEN + lane)),
            )
        mask &= ~(taken | movemask(sure & (t0 > high)))
        while mask != 0:
            r = lane + lowest_bit(mask)
            mask &= mask - 1
            if lanes[HIGH, r] < 0.0:
                continue
            if lanes[CHOSEN, r] >= 0.0:
                lanes[LOW, r] = floats[FLOW, r]
                lanes[HIGH, r] = floats[FHIGH, r]
                lanes[INSTANCE, r] = i
                lanes[ROW, r] = lanes[CHOSEN, r]
                lanes[CHOSEN, r] = NO_ROW
            t = exact_distance(lanes, r, i, k, poses, corners)
            offer(lanes, r, i, k, t, poses, corners, numbers)
            # even if it was not taken, what is known may have become exact
            floats[FLOW, r] = np.float32(lanes[LOW, r]) * DOWN
            floats[FHIGH, r] = np.float32(lanes[HIGH, r]) * UP
            changed = True
        lane += 16
    return changed


def packet_meet(
    kinds: I32, dims: F64, poses: F64, i: int, lanes: F64, begin: int, end: int,
    corners: F64, numbers: I32,
) -> None:  # fmt: skip
    """Let the rays of lanes begin..end meet instance i, a primitive."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, begin] - poses[i, 0, 3],
        lanes[OY, begin] - poses[i, 1, 3],
        lanes[OZ, begin] - poses[i, 2, 3],
    )
    lane = begin
    while lane < end:
        dx = load16(lanes, BLOCK * DX + lane)
        dy = load16(lanes, BLOCK * DY + lane)
        dz = load16(lanes, BLOCK * DZ + lane)
        ux = poses[i, 0, 0] * dx + poses[i, 1, 0] * dy + poses[i, 2, 0] * dz
        uy = poses[i, 0, 1] * dx + poses[i, 1, 1] * dy + poses[i, 2, 1] * dz
        uz = poses[i, 0, 2] * dx + poses[i, 1, 2] * dy + poses[i, 2, 2] * dz
        near, far = interval(
            kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], ox, oy, oz, ux, uy, uz
        )
        least = load16(lanes, BLOCK * LEAST + lane)
        low = load16(lanes, BLOCK * LOW + lane)
        high = load16(lanes, BLOCK * HIGH + lane)
        t = where(near >= least, near, far)
        met = (near <= far) & (t >= least) & (t <= high)
        nearer = met & (t < low)
        taken = movemask(nearer)
        if taken != 0:
            store(lanes, BLOCK * LOW + lane, where(nearer, t, low))
            store(lanes, BLOCK * HIGH + lane, where(nearer, t, high))
            store(
                lanes,
                BLOCK * INSTANCE + lane,
                where(nearer, float(i), load16(lanes, BLOCK * INSTANCE + lane)),
            )
            store(
                lanes,
                BLOCK * ROW + lane,
                where(nearer, -1.0, load16(lanes, BLOCK * ROW + lane)),
            )
        mask = movemask(met) & ~taken
        if mask != 0:
            store(lanes, BLOCK * UX + lane, t)
            while mask != 0:
                w = lane + lowest_bit(mask)
                mask &= mask - 1
                offer(
                    lanes, w, i, int(NO_TRIANGLE), lanes[UX, w], poses, corners, numbers
                )
        lane += 16


def packet_scene(
    top_planes: F32, top_links: I32, top_frame: F64, endless: I64,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    lanes: F64, begin: int, end: int, any_hit: bool,
    stack: I32, entries: F32, inner: I32, inner_entries: F32, entry: F32,
    floats: F32, slopes: F32, leaf: F32,
) -> bool:  # fmt: skip
    """Walk the rays of lanes begin..end, from one point, through the scene.

    Returns
    -------
    bool
        Whether that was done; not if a mesh is far away.
    """
    axis = frustum(lanes, int(DX), begin, end, slopes)
    near, b, c, sign, oa, ob, oc, pad, _ = looking(
        np.float32(lanes[OX, begin] - top_frame[0]),
        np.float32(lanes[OY, begin] - top_frame[1]),
        np.float32(lanes[OZ, begin] - top_frame[2]),
        np.float32(top_frame[3]),
        axis,
        lanes[DX + axis, begin] < 0.0,
    )
    b0, b1, c0, c1 = slopes[b], slopes[b + 3], slopes[c], slopes[c + 3]
    most = reachable(lanes, axis, begin, end)
    top, met = 0, 0
    stack[0] = 0
    entries[0] = ZERO
    if top_planes.shape[0] > 0:
        top = 1
    while True:
        i = -1
        if met < endless.shape[0]:
            i = int(endless[met])
            met += 1
        while i < 0:
            if top == 0:
                return True
            top -= 1
            if entries[top] > most:
                continue
            node = int(stack[top])
            while node >= 0:
                row = NODE * node
                mask = boxes_in_frustum(
                    top_planes, row, near, b, c, sign, oa, ob, oc, pad,
                    b0, b1, c0, c1, most, entry,
                )  # fmt: skip
                if mask == 0:
                    break
                node, top = pushed(top_links, row, mask, top, stack, entries, entry)
            # the tree holds a point for what is endless
            if node < 0 and kinds[~node] > PLANE:
                i = ~node
        if skip[i] != 0:
            continue
        if kinds[i] != MESH:
            packet_meet(kinds, dims, poses, i, lanes, begin, end, corners, numbers)
        elif not packet_mesh(
            planes, links, groups, firsts, corners, numbers, places, frames, poses, i,
            lanes, begin, end, inner, inner_entries, entry, floats, slopes, leaf,
        ):  # fmt: skip
            return False
        most = reachable(lanes, axis, begin, end)
        if any_hit and all_hit(lanes, begin, end):
            return True


def reachable(lanes: F64, axis: int, begin: int, end: int) -> np.float32:
    """Return the largest depth along an axis at which a packet may still hit."""
    most = spread16(0.0)
    w = begin
    while w < end:
        along = absolute(load16(lanes, BLOCK * (DX + axis) + w))
        most = maximum(most, load16(lanes, BLOCK * HIGH + w) * along)
        w += 16
    return beyond(float(largest(most)))


def all_hit(lanes: F64, begin: int, end: int) -> bool:
    """Return True if every ray of a packet has hit something."""
    for w in range(begin, end):
        if lanes[INSTANCE, w] < 0.0 and lanes[HIGH, w] >= 0.0:
            return False
    return True
