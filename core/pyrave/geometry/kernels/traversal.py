"""Walks of rays through the tree of a scene and the trees of its meshes.

A walk waits: for a node to come from memory, for one result to say what to look at
next. So a few rays of a block walk at a time, a step each in turn, and what one waits
for is hidden by the steps of the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.geometry.kernels.aabb import (
    AIM,
    COLUMNS,
    FARTHEST,
    LINK,
    NODE,
    ZERO,
    aim,
    beyond,
    octant_of,
    stacked,
)
from pyrave.geometry.kernels.bvh import STACK, UNUSED, WIDTH
from pyrave.geometry.kernels.exact import turned_back
from pyrave.geometry.kernels.primitives import MESH, PLANE, interval
from pyrave.geometry.kernels.ray_block import (
    BLOCK,
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
)
from pyrave.geometry.kernels.triangles import leaf_hits
from pyrave.simd import (
    absolute,
    at,
    load16,
    lowest_bit,
    maximum,
    prefetch,
    spread16,
    store,
    where,
)

if TYPE_CHECKING:
    from pyrave.jit.arrays import F32, F64, I32, I64, U8

# arrays are borrowed from the caller: no counting of references
JIT_NO_ARRAYS = ("*",)
JIT_OPTIONS = {
    **{
        name: {"forceinline": True}
        for name in (
            "walk", "enter_mesh", "leave_mesh", "go_to_root", "meet_leaf",
            "meet", "crossed", "aim_in_mesh",
        )
    },
}  # fmt: skip
JIT_ENTRIES = ()

# Rays that walk at a time.
WALKS = 4
# Links that a walk may leave behind: those of a mesh lie above those of the scene.
DEPTH = 2 * STACK + WIDTH
# Columns of `states`, (WALKS, STATE): the top of a walk's links and what is below them
# all; its lane; how many endless instances it has met; the instance whose mesh it is
# in, or `OUTSIDE`; where nodes, leaves and triangles of the tree begin; the column of
# `aims`, and the octant of the direction.
TOP, BOTTOM, LANE, MET, INSIDE = 0, 1, 2, 3, 4
NODES, LEAVES, ROWS, AIMED, OCTANT = 5, 6, 7, 8, 9
STATE = 10
OUTSIDE = -1
NOBODY = -1
# A ray that starts this many sizes of a mesh away is first brought near: by this part
# of its way, so that what rounds in float64 on that way is little in float32 after it.
FAR = 32.0
NEARLY = 1.0 - 2.0**-26
# What walks write on: links, and where their boxes are entered; states; aims, of lanes
# in the scene (in the mesh, if that is all there is), then of walks in meshes; from
# which distance along the ray on each aim counts; distances of a leaf's triangles.
SCRATCH = (
    ((WALKS * DEPTH,), np.int32),
    ((WALKS * DEPTH,), np.float32),
    ((WALKS, STATE), np.int64),
    ((AIM, COLUMNS), np.float32),
    ((COLUMNS,), np.float64),
    ((16,), np.float32),
)


def walk(
    top_planes: F32, top_links: I32, top_frame: F64, endless: I64,
    kinds: I32, dims: F64, poses: F64, skip: U8, places: I32, frames: F64,
    planes: F32, links: I32, groups: F32, firsts: I32, corners: F64, numbers: I32,
    lanes: F64, count: int, any_hit: bool,
    stack: I32, entries: F32, states: I64, aims: F32, shifts: F64, spans: F32,
) -> None:  # fmt: skip
    """Walk the rays of lanes 0..count through the scene."""
    lone = lone_mesh(top_planes, top_links, kinds, skip)
    if lone != OUTSIDE:
        aim_at_mesh(poses, frames, lone, lanes, count, aims, shifts)
    else:
        aim_at_scene(top_frame, lanes, count, aims, shifts)
    walks = min(count, WALKS)
    for s in range(walks):
        states[s, TOP] = DEPTH * s
        states[s, BOTTOM] = DEPTH * s
        states[s, LANE] = NOBODY
    begun = 0
    walking = walks
    while walking > 0:
        for s in range(walks):
            if states[s, TOP] == states[s, BOTTOM]:
                if states[s, BOTTOM] > DEPTH * s:
                    leave_mesh(lanes, s, states, aims)
                elif begun < count:
                    states[s, LANE] = begun
                    states[s, MET] = 0
                    if top_planes.shape[0] > 0:
                        go_to_root(places, lone, begun, s, stack, entries, states, aims)
                    begun += 1
                elif states[s, LANE] != NOBODY:
                    states[s, LANE] = NOBODY
                    walking -= 1
                if states[s, TOP] == states[s, BOTTOM]:
                    continue
            column = states[s, AIMED]
            top = states[s, TOP]
            unmet = states[s, MET] < endless.shape[0]
            if unmet:
                link = ~int(endless[states[s, MET]])
                states[s, MET] += 1
            else:
                top -= 1
                states[s, TOP] = top
                if entries[top] > aims[FARTHEST, column]:
                    continue
                link = int(stack[top])
            inside = states[s, INSIDE]
            if link >= 0:
                # one node, of either tree
                within = inside != OUTSIDE
                states[s, TOP] = stacked(
                    planes if within else top_planes,
                    links if within else top_links,
                    NODE * (link + states[s, NODES]), states[s, OCTANT],
                    aims, column, top, stack, entries,
                )  # fmt: skip
                continue
            w = states[s, LANE]
            if inside != OUTSIDE:
                hit = meet_leaf(
                    groups, firsts, corners, numbers, poses, inside, ~link,
                    lanes, w, any_hit, s, states, aims, shifts, spans,
                )  # fmt: skip
            else:
                i = ~link
                # for what is endless the tree holds a point
                if skip[i] != 0 or (kinds[i] <= PLANE) != unmet:
                    continue
                if kinds[i] == MESH:
                    enter_mesh(
                        places, frames, poses, i, lanes, w,
                        s, stack, entries, states, aims, shifts,
                    )  # fmt: skip
                    continue
                hit = meet(kinds, dims, poses, i, lanes, w, corners, numbers)
                aims[FARTHEST, column] = beyond(lanes[HIGH, w])
            if hit and any_hit:
                states[s, TOP] = DEPTH * s
                states[s, BOTTOM] = DEPTH * s


def lone_mesh(top_planes: F32, top_links: I32, kinds: I32, skip: U8) -> int:
    """Return the instance that is all of a scene with a box if it is a mesh.

    Its own tree says as much as its box.
    """
    if top_planes.shape[0] == 0 or at(top_links, LINK + 1) != UNUSED:
        return int(OUTSIDE)
    i = ~int(at(top_links, LINK))
    return i if kinds[i] == MESH and skip[i] == 0 else int(OUTSIDE)


def aim_at_scene(
    top_frame: F64, lanes: F64, count: int, aims: F32, shifts: F64
) -> None:
    """Aim the rays of lanes 0..count at the tree of the scene."""
    for w in range(0, count, 16):
        aim(
            load16(lanes, BLOCK * OX + w) - top_frame[0],
            load16(lanes, BLOCK * OY + w) - top_frame[1],
            load16(lanes, BLOCK * OZ + w) - top_frame[2],
            load16(lanes, BLOCK * DX + w),
            load16(lanes, BLOCK * DY + w),
            load16(lanes, BLOCK * DZ + w),
            top_frame[3],
            load16(lanes, BLOCK * LEAST + w),
            load16(lanes, BLOCK * HIGH + w),
            aims,
            w,
        )
        store(shifts, w, spread16(0.0))


def aim_at_mesh(
    poses: F64, frames: F64, i: int, lanes: F64, count: int, aims: F32, shifts: F64
) -> None:
    """Aim the rays of lanes 0..count at the tree of instance i, a mesh."""
    for w in range(0, count, 16):
        shift = aim_in_mesh(
            poses, frames, i,
            load16(lanes, BLOCK * OX + w),
            load16(lanes, BLOCK * OY + w),
            load16(lanes, BLOCK * OZ + w),
            load16(lanes, BLOCK * DX + w),
            load16(lanes, BLOCK * DY + w),
            load16(lanes, BLOCK * DZ + w),
            load16(lanes, BLOCK * LEAST + w),
            load16(lanes, BLOCK * HIGH + w),
            aims, w,
        )  # fmt: skip
        store(shifts, w, shift)


def aim_in_mesh(
    poses: F64, frames: F64, i: int,
    ox: Any, oy: Any, oz: Any, dx: Any, dy: Any, dz: Any, least: Any, most: Any,
    aims: F32, column: int,
) -> Any:  # fmt: skip
    """Aim a ray, or 16, at the tree of instance i, a mesh.

    Return from which distance on the aim counts: from a point nearer to the mesh, if
    the ray comes from afar.
    """
    x, y, z = turned_back(
        poses, i, ox - poses[i, 0, 3], oy - poses[i, 1, 3], oz - poses[i, 2, 3]
    )
    x, y, z = x - frames[i, 0], y - frames[i, 1], z - frames[i, 2]
    ux, uy, uz = turned_back(poses, i, dx, dy, dz)
    size = frames[i, 3]
    far = maximum(maximum(absolute(x), absolute(y)), absolute(z)) > FAR * size
    ahead = maximum(-(x * ux + y * uy + z * uz) * NEARLY - 2.0 * size, 0.0)
    shift = where(far, ahead, 0.0)
    aim(
        x + ux * shift, y + uy * shift, z + uz * shift, ux, uy, uz, size,
        least - shift, most - shift, aims, column,
    )  # fmt: skip
    return shift


def enter_mesh(
    places: I32, frames: F64, poses: F64, i: int, lanes: F64, w: int,
    s: int, stack: I32, entries: F32, states: I64, aims: F32, shifts: F64,
) -> None:  # fmt: skip
    """Let walk s go on in the tree of instance i, a mesh."""
    column = BLOCK + s
    shifts[column] = aim_in_mesh(
        poses, frames, i,
        lanes[OX, w], lanes[OY, w], lanes[OZ, w],
        lanes[DX, w], lanes[DY, w], lanes[DZ, w],
        lanes[LEAST, w], lanes[HIGH, w],
        aims, column,
    )  # fmt: skip
    states[s, BOTTOM] = states[s, TOP]
    go_to_root(places, i, column, s, stack, entries, states, aims)


def leave_mesh(lanes: F64, s: int, states: I64, aims: F32) -> None:
    """Let walk s go on in the tree of the scene."""
    w = states[s, LANE]
    states[s, INSIDE] = OUTSIDE
    states[s, BOTTOM] = DEPTH * s
    states[s, NODES] = 0
    states[s, AIMED] = w
    states[s, OCTANT] = octant_of(aims, w)
    aims[FARTHEST, w] = beyond(lanes[HIGH, w])


def go_to_root(
    places: I32, i: int, column: int,
    s: int, stack: I32, entries: F32, states: I64, aims: F32,
) -> None:  # fmt: skip
    """Let walk s begin in the tree of the scene or of instance i, aimed already."""
    states[s, INSIDE] = i
    states[s, NODES] = places[i, 0] if i != OUTSIDE else 0
    states[s, LEAVES] = places[i, 1] if i != OUTSIDE else 0
    states[s, ROWS] = places[i, 2] if i != OUTSIDE else 0
    states[s, AIMED] = column
    states[s, OCTANT] = octant_of(aims, column)
    top = states[s, TOP]
    states[s, TOP] = top + 1
    stack[top] = 0
    entries[top] = ZERO


def meet_leaf(
    groups: F32, firsts: I32, corners: F64, numbers: I32, poses: F64, i: int, leaf: int,
    lanes: F64, w: int, any_hit: bool,
    s: int, states: I64, aims: F32, shifts: F64, spans: F32,
) -> bool:  # fmt: skip
    """Let the ray of lane w meet the triangles of a leaf; return whether it hit."""
    g = states[s, LEAVES] + leaf
    column = states[s, AIMED]
    maybe, sure = leaf_hits(groups, g, aims, column, spans)
    shift = shifts[column]
    hit = False
    while maybe != 0:
        j = lowest_bit(maybe)
        maybe &= maybe - 1
        k = states[s, ROWS] + firsts[g] + j
        if (sure >> j) & 1:
            t0, t1 = spans[j] + shift, spans[8 + j] + shift
            if t0 > lanes[LEAST, w] and t1 < lanes[LOW, w]:
                lanes[LOW, w] = t0
                lanes[HIGH, w] = t1
                lanes[INSTANCE, w] = i
                lanes[ROW, w] = k
                # where its exact distance will be worked out from
                prefetch(corners, 9 * k)
                prefetch(corners, 9 * k + 8)
                aims[FARTHEST, column] = beyond(spans[8 + j])
                hit = True
                if any_hit:
                    break
                continue
            if t0 > lanes[HIGH, w] or t1 < lanes[LEAST, w]:
                continue
        t = exact_distance(lanes, w, i, k, poses, corners)
        if offer(lanes, w, i, k, t, poses, corners, numbers):
            aims[FARTHEST, column] = beyond(lanes[HIGH, w] - shift)
            hit = True
            if any_hit:
                break
    return hit


def meet(
    kinds: I32, dims: F64, poses: F64, i: int, lanes: F64, w: int,
    corners: F64, numbers: I32,
) -> bool:  # fmt: skip
    """Let the ray of lane w meet instance i, a primitive; return whether it hit."""
    near, far = crossed(kinds, dims, poses, i, lanes, w)
    if near > far:
        return False
    t = near if near >= lanes[LEAST, w] else far
    return offer(lanes, w, i, int(NO_TRIANGLE), t, poses, corners, numbers)


def crossed(
    kinds: I32, dims: F64, poses: F64, i: int, lanes: F64, w: int
) -> tuple[float, float]:
    """Return the interval of the ray of lane w in instance i, a primitive."""
    ox, oy, oz = turned_back(
        poses,
        i,
        lanes[OX, w] - poses[i, 0, 3],
        lanes[OY, w] - poses[i, 1, 3],
        lanes[OZ, w] - poses[i, 2, 3],
    )
    dx, dy, dz = turned_back(poses, i, lanes[DX, w], lanes[DY, w], lanes[DZ, w])
    return interval(
        kinds[i], dims[i, 0], dims[i, 1], dims[i, 2], ox, oy, oz, dx, dy, dz
    )
