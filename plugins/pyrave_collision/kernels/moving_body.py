"""Collisions of a moving body with all others, now and nearby.

What is known of the motion of a link, and which pairs of links are on one chain, bounds
how much nearer two solids come to each other; pairs that are further apart need not be
looked at again for the length of that motion (F. Schwarzer, M. Saha, J.-C. Latombe,
"Adaptive dynamic collision checking for single and multiple articulated robots in
complex environments", IEEE Transactions on Robotics 21(3), 2005).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pyrave.jit.bundles import i32_2
from pyrave_collision.kernels.candidates import (
    boxes_near,
    columns_of,
    near_box,
    near_rows,
)
from pyrave_collision.kernels.layout import (
    GROUPS,
    carried_of,
    mesh_scratch_of,
    meshes_of,
    scratch_of,
    selection_of,
    solids_of,
    tree_of,
)
from pyrave_collision.kernels.movers import place_mover
from pyrave_collision.kernels.shapes import HALF, RADIUS
from pyrave_collision.kernels.solids import solids_overlap
from pyrave_collision.kernels.touching_pairs import is_allowed

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, F64_2, F64_3, I32, I32_1, I64, I64_2
    from pyrave_collision.kernels.layout import Carried, Scratch, Solids
    from pyrave_collision.kernels.meshes.inputs import Meshes
    from pyrave_collision.kernels.meshes.inputs import Scratch as MeshScratch

# their many arguments take longer to hand over than to use
JIT_OPTIONS = {
    name: {"forceinline": True}
    for name in ("approach", "link_approach", "link_way", "solid_way", "way_of")
}
JIT_ENTRIES = ("collides", "sift")
JIT_NO_ARRAYS = ("*",)

BEND = 6
"""Column of a link's motion behind its twist: how far off a turn that goes on so its
points may come, metres."""
_ROUNDING = 1e-9


def collides(world: I64_2, selection: I64_2, carried: I64_2, link_poses: F64_3) -> bool:
    """Return True if a body collides whose links are at (n, 4, 4) T_world_link.

    Poses and boxes of what moves are overwritten in the world.
    """
    body = carried_of(carried)
    return sifted(world, selection, body, link_poses, body.still, body.none)


def sift(
    world: I64_2,
    selection: I64_2,
    carried: I64_2,
    link_poses: F64_3,
    motions: F64_2,
    left: I32_1,
) -> bool:
    """Return True if a body collides, and find which pairs may do so in a motion.

    Poses and boxes of what moves are overwritten in the world.

    Parameters
    ----------
    link_poses
        (n, 4, 4) T_world_link in the middle of the motion.
    motions
        (n, `BEND` + 1 or more) of each link in half the motion: its twist times the
        time, in world axes at the world's origin, linear part first; and how far its
        points get from where that takes them, relative to any link that carries it.
    left
        (1 + 2 m,) how many pairs are looked at, and their rows; -1 stands for all of
        the selection. If nothing collides it is written: the pairs that are not sure to
        stay apart; -1 if these are more than m.
    """
    body, count = carried_of(carried), left[0]
    if count < 0:
        return sifted(world, selection, body, link_poses, motions, left)
    solids, meshes, scratch = solids_of(world), meshes_of(world), scratch_of(world)
    meshed = mesh_scratch_of(world)
    left[0] = 0
    for p in range(count):
        a, b = left[1 + 2 * p], left[2 + 2 * p]
        place_row(a, link_poses, body, solids)
        place_row(b, link_poses, body, solids)
        way = approach(body, motions, solids, a, b)
        if remains(a, b, way, solids, meshes, scratch, meshed, left) and not may_touch(
            world, selection, a, b, way, left
        ):
            return True
    return False


def sifted(
    world: I64, selection: I64, body: Carried, link_poses: F64, motions: F64, left: I32
) -> bool:
    """Do as `sift` for all pairs of a selection.

    What a link carries is placed if a box around it is near anything.
    """
    solids, meshes, scratch = solids_of(world), meshes_of(world), scratch_of(world)
    meshed, boxes, reaches = mesh_scratch_of(world), body.boxes, body.reaches
    left[0] = 0
    place_links(link_poses, body)
    for n in range(reaches.shape[0]):
        reaches[n] = link_way(body, motions, -1, n) + _ROUNDING
    select, groups = selection_of(selection), i32_2(selection, GROUPS)
    for g in range(groups.shape[0]):
        one, other = groups[g, 0], groups[g, 1]
        most = math.inf
        if one >= 0 and other >= 0:
            most = reaches[one] + reaches[other]
            if not boxes_near(boxes, one, other, most):
                continue
            most = min(most, link_approach(body, motions, one, other))
            if not boxes_near(boxes, one, other, most):
                continue
        place_link(one, link_poses, body, solids)
        place_link(other, link_poses, body, solids)
        if most < math.inf and not boxes_near(boxes, one, other, most):
            continue
        for p in range(groups[g, 2], groups[g, 3]):
            a, b = select.pairs[p, 0], select.pairs[p, 1]
            if not boxes_near(solids.bounds, a, b, most):
                continue
            way = approach(body, motions, solids, a, b)
            if remains(
                a, b, way, solids, meshes, scratch, meshed, left
            ) and not may_touch(world, selection, a, b, way, left):
                return True
    if select.first.shape[0] > 0:
        tree = tree_of(world)
        count = columns_of(select, tree, scratch, solids.bounds)
        for n in range(boxes.shape[0]):
            if body.meeting[n] == 0:
                continue
            way = reaches[n]
            met = near_box(
                select, tree, scratch, solids.bounds, count,
                boxes[n, 0] - way, boxes[n, 1] - way, boxes[n, 2] - way,
                boxes[n, 3] + way, boxes[n, 4] + way, boxes[n, 5] + way,
            )  # fmt: skip
            if met == 0:
                continue
            place_link(n, link_poses, body, solids)
            for i in range(body.starts[n], body.starts[n + 1]):
                a = body.rows[i]
                if not body.first[i]:
                    continue
                way = solid_way(motions, -1, n, solids, a) + _ROUNDING
                near = near_rows(
                    select, tree, scratch, solids.bounds, a, way, count, met
                )
                for j in range(near):
                    b = scratch.near[j]
                    if remains(
                        a, b, way, solids, meshes, scratch, meshed, left
                    ) and not may_touch(world, selection, a, b, way, left):
                        return True
    if 2 * left[0] >= left.shape[0]:
        left[0] = -1
    return False


def remains(
    a: int, b: int, way: float,
    solids: Solids, meshes: Meshes, scratch: Scratch, meshed: MeshScratch, left: I32,
) -> bool:  # fmt: skip
    """Return True if two solids touch; note them if they are within a margin."""
    if not boxes_near(solids.bounds, a, b, way):
        return False
    if not solids_overlap(a, b, way, solids, meshes, scratch, meshed):
        return False
    kept = left[0]
    if 2 * kept + 2 < left.shape[0]:
        left[1 + 2 * kept], left[2 + 2 * kept] = a, b
    left[0] = kept + 1
    return boxes_near(solids.bounds, a, b, 0.0) and solids_overlap(
        a, b, 0.0, solids, meshes, scratch, meshed
    )


def may_touch(
    world: I64, selection: I64, a: int, b: int, way: float, left: I32
) -> bool:
    """Return True if two solids that touch may do so; else they collide.

    They were noted, and no longer are if they are not too deep for the whole motion.
    """
    if not is_allowed(world, selection, a, b, 0.0):
        return False
    if is_allowed(world, selection, a, b, way):
        left[0] -= 1
    return True


def place_row(g: int, link_poses: F64, body: Carried, solids: Solids) -> None:
    """Write the pose and box of a row, if it moves."""
    i = body.numbers[g]
    if i >= 0:
        place_mover(i, link_poses, body.links, body.rows, body.local, solids)


def place_links(link_poses: F64, body: Carried) -> None:
    """Write boxes around links along the world's axes; what they carry is elsewhere."""
    extents, boxes = body.extents, body.boxes
    for n in range(boxes.shape[0]):
        body.placed[n] = 0
        for r in range(3):
            half, middle = 0.0, link_poses[n, r, 3]
            for c in range(3):
                entry = link_poses[n, r, c]
                middle += entry * extents[n, c]
                half += abs(entry) * extents[n, 3 + c]
            boxes[n, r], boxes[n, 3 + r] = middle - half, middle + half


def place_link(n: int, link_poses: F64, body: Carried, solids: Solids) -> None:
    """Write the poses and boxes of what a link carries, and its box; -1 is none."""
    if n < 0 or body.placed[n]:
        return
    body.placed[n] = 1
    boxes, bounds = body.boxes, solids.bounds
    for r in range(3):
        boxes[n, r], boxes[n, 3 + r] = math.inf, -math.inf
    for i in range(body.starts[n], body.starts[n + 1]):
        g = body.rows[i]
        place_mover(i, link_poses, body.links, body.rows, body.local, solids)
        for r in range(3):
            boxes[n, r] = min(boxes[n, r], bounds[g, r])
            boxes[n, 3 + r] = max(boxes[n, 3 + r], bounds[g, 3 + r])


def way_of(
    motions: F64, base: int, link: int, x: float, y: float, z: float, radius: float
) -> float:
    """Return the way of points around a link's one relative to another link, or -1.

    For a twist (v, w) over the whole motion no point within r of c goes further than

        |v + w x c| + r |w|

    and by how much the link leaves such a motion. Schwarzer, Saha and Latombe bound the
    lengths of the curves that points follow in the same way.
    """
    m = motions
    vx, vy, vz, wx, wy, wz = (
        m[link, 0], m[link, 1], m[link, 2], m[link, 3], m[link, 4], m[link, 5],
    )  # fmt: skip
    if base >= 0:
        vx, vy, vz = vx - m[base, 0], vy - m[base, 1], vz - m[base, 2]
        wx, wy, wz = wx - m[base, 3], wy - m[base, 4], wz - m[base, 5]
    vx, vy, vz = vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x
    turn = math.sqrt(wx * wx + wy * wy + wz * wz)
    way = math.sqrt(vx * vx + vy * vy + vz * vz) + radius * turn + m[link, BEND]
    return float(way)


def link_approach(body: Carried, motions: F64, one: int, other: int) -> float:
    """Return by how much two links come nearer to each other; see `approach`."""
    total = _ROUNDING
    for link, base in ((one, other), (other, one)):
        if not body.chains[link, base]:  # else the other one is what moves
            carrier = base if body.chains[base, link] else -1
            total += link_way(body, motions, carrier, link)
    return total


def approach(body: Carried, motions: F64, solids: Solids, a: int, b: int) -> float:
    """Return by how much two solids come nearer to each other in half a motion.

    If one link carries the other, by how the latter moves relative to the former.
    """
    total = _ROUNDING
    for g, h in ((a, b), (b, a)):
        i, j = body.numbers[g], body.numbers[h]
        if i < 0:
            continue
        link, carrier = body.links[i], -1
        if j >= 0:
            other = body.links[j]
            if body.chains[link, other]:
                continue  # the other one is what moves
            if body.chains[other, link]:
                carrier = other
        total += solid_way(motions, carrier, link, solids, g)
    return total


def link_way(body: Carried, motions: F64, base: int, link: int) -> float:
    """Return the way of a link's solids relative to another link, or -1."""
    box, extents = body.boxes[link], body.extents[link]
    return way_of(
        motions, base, link,
        0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5]),
        math.sqrt(extents[3] ** 2 + extents[4] ** 2 + extents[5] ** 2),
    )  # fmt: skip


def solid_way(motions: F64, base: int, link: int, solids: Solids, g: int) -> float:
    """Return the way of a solid of a link relative to another link, or -1."""
    box, shape = solids.bounds[g], solids.shapes[g]
    radius = float(shape[RADIUS])
    if solids.slots[g] >= 0:  # a mesh that is not convex
        x, y, z = shape[HALF], shape[HALF + 1], shape[HALF + 2]
        radius = math.sqrt(x * x + y * y + z * z)
    return way_of(
        motions, base, link,
        0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5]),
        radius,
    )  # fmt: skip
