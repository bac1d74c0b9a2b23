"""A body that moves among all others: whether it collides, and which pairs may soon.

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
    group_size,
    near_group,
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
from pyrave_collision.kernels.movers import place_mover, place_movers
from pyrave_collision.kernels.queries import others_touch
from pyrave_collision.kernels.shapes import RADIUS
from pyrave_collision.kernels.solids import solids_overlap

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64, I32, I64
    from pyrave_collision.kernels.layout import Carried, Scratch, Solids
    from pyrave_collision.kernels.meshes import Meshes
    from pyrave_collision.kernels.meshes import Scratch as MeshScratch

JIT_ENTRIES = {
    "collides": ("collisions of a body", 6),
    "sift": ("collisions of motions", 8),
}
JIT_NO_ARRAYS = (
    "collides",
    "sift",
    "place_links",
    "links_near",
    "link_approach",
    "approach",
    "write_reaches",
    "way_of",
    "solid_way",
    "remains",
    "place_row",
)

BEND = 6
"""Column of a link's motion behind its twist: how far off a turn that goes on so its
points may come, metres."""
_ROUNDING = 1e-9


def collides(world: I64, selection: I64, carried: I64, link_poses: F64) -> bool:
    """Return whether a body collides whose links are at (n, 4, 4) T_world_link.

    Poses and boxes of what moves are overwritten in the world.
    """
    solids, meshes, scratch = solids_of(world), meshes_of(world), scratch_of(world)
    meshed, select, body = (
        mesh_scratch_of(world), selection_of(selection), carried_of(carried),
    )  # fmt: skip
    place_links(link_poses, body, solids)
    groups = i32_2(selection, GROUPS)
    for g in range(groups.shape[0]):
        if not links_near(body, groups[g, 0], groups[g, 1], 0.0):
            continue
        for p in range(groups[g, 2], groups[g, 3]):
            a, b = select.pairs[p, 0], select.pairs[p, 1]
            if boxes_near(solids.bounds, a, b, 0.0) and solids_overlap(
                a, b, 0.0, solids, meshes, scratch, meshed
            ):
                return True
    return others_touch(select, 0.0, solids, meshes, tree_of(world), scratch, meshed)


def sift(
    world: I64, selection: I64, carried: I64, link_poses: F64, motions: F64, left: I32
) -> bool:
    """Return whether a body collides, and find which pairs may do so in a motion.

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
    solids, meshes, scratch = solids_of(world), meshes_of(world), scratch_of(world)
    meshed, body, count = mesh_scratch_of(world), carried_of(carried), left[0]
    if count >= 0:
        left[0] = 0
        for p in range(count):
            a, b = left[1 + 2 * p], left[2 + 2 * p]
            place_row(a, link_poses, body, solids)
            place_row(b, link_poses, body, solids)
            way = approach(body, motions, solids, a, b)
            if remains(a, b, way, solids, meshes, scratch, meshed, left):
                return True
        return False
    left[0] = 0
    place_links(link_poses, body, solids)
    select, groups = selection_of(selection), i32_2(selection, GROUPS)
    for g in range(groups.shape[0]):
        one, other = groups[g, 0], groups[g, 1]
        if not links_near(body, one, other, link_approach(body, motions, one, other)):
            continue
        for p in range(groups[g, 2], groups[g, 3]):
            a, b = select.pairs[p, 0], select.pairs[p, 1]
            way = approach(body, motions, solids, a, b)
            if remains(a, b, way, solids, meshes, scratch, meshed, left):
                return True
    if select.first.shape[0] > 0:
        write_reaches(body, motions, solids)
        tree, size, met = tree_of(world), group_size(select), 0
        count = columns_of(select, tree, scratch, solids.bounds)
        for k in range(select.first.shape[0]):
            if k % size == 0:
                way = 0.0
                for j in range(k, min(k + size, select.first.shape[0])):
                    way = max(way, body.reaches[body.numbers[select.first[j]]])
                met = near_group(select, tree, scratch, solids.bounds, k, way, count)
            a = select.first[k]
            way = body.reaches[body.numbers[a]]
            near = near_rows(select, tree, scratch, solids.bounds, a, way, count, met)
            for j in range(near):
                b = scratch.near[j]
                if remains(a, b, way, solids, meshes, scratch, meshed, left):
                    return True
    if 2 * left[0] >= left.shape[0]:
        left[0] = -1
    return False


def remains(
    a: int, b: int, way: float,
    solids: Solids, meshes: Meshes, scratch: Scratch, meshed: MeshScratch, left: I32,
) -> bool:  # fmt: skip
    """Return whether two solids touch; note them if they are within a margin."""
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


def place_row(g: int, link_poses: F64, body: Carried, solids: Solids) -> None:
    """Write the pose and box of a row, if it moves."""
    i = body.numbers[g]
    if i >= 0:
        place_mover(i, link_poses, body.links, body.rows, body.local, solids)


def place_links(link_poses: F64, body: Carried, solids: Solids) -> None:
    """Write the poses and boxes of all that moves, and the boxes of the links."""
    place_movers(link_poses, body.links, body.rows, body.local, solids)
    boxes, bounds = body.boxes, solids.bounds
    for n in range(boxes.shape[0]):
        for r in range(3):
            boxes[n, r], boxes[n, 3 + r] = math.inf, -math.inf
    for i in range(body.rows.shape[0]):
        n, g = body.links[i], body.rows[i]
        for r in range(3):
            boxes[n, r] = min(boxes[n, r], bounds[g, r])
            boxes[n, 3 + r] = max(boxes[n, 3 + r], bounds[g, 3 + r])


def links_near(body: Carried, one: int, other: int, way: float) -> bool:
    """Return whether boxes of two links are within a margin; -1 is no link."""
    return one < 0 or other < 0 or boxes_near(body.boxes, one, other, way)


def way_of(
    motions: F64, base: int, link: int, x: float, y: float, z: float, radius: float
) -> float:
    """Return how far points around one of a link go relative to another link, or -1.

    As far as a turn that goes on takes them.
    """
    m = motions
    vx, vy, vz, wx, wy, wz = (
        m[link, 0], m[link, 1], m[link, 2], m[link, 3], m[link, 4], m[link, 5],
    )  # fmt: skip
    if base >= 0:
        vx, vy, vz = vx - m[base, 0], vy - m[base, 1], vz - m[base, 2]
        wx, wy, wz = wx - m[base, 3], wy - m[base, 4], wz - m[base, 5]
    vx, vy, vz = vx + wy * z - wz * y, vy + wz * x - wx * z, vz + wx * y - wy * x
    return math.sqrt(vx * vx + vy * vy + vz * vz) + radius * math.sqrt(
        wx * wx + wy * wy + wz * wz
    )


def link_approach(body: Carried, motions: F64, one: int, other: int) -> float:
    """Return by how much two links come nearer to each other; see `approach`."""
    if one < 0 or other < 0:
        return math.inf
    total = 0.0
    for link, base in ((one, other), (other, one)):
        if body.chains[link, base] > 0:
            continue  # the other one is what moves
        box, extent = body.boxes[link], 0.0
        for r in range(3):
            extent += (box[3 + r] - box[r]) ** 2
        total += motions[link, BEND] + way_of(
            motions, base if body.chains[base, link] > 0 else -1, link,
            0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5]),
            0.5 * math.sqrt(extent),
        )  # fmt: skip
    return total + _ROUNDING


def approach(body: Carried, motions: F64, solids: Solids, a: int, b: int) -> float:
    """Return by how much two solids come nearer to each other in half a motion.

    If one link carries the other, by how the latter moves relative to the former.
    """
    total = 0.0
    for g, h in ((a, b), (b, a)):
        i, j = body.numbers[g], body.numbers[h]
        if i < 0:
            continue
        link, base = body.links[i], -1
        if j >= 0:
            other = body.links[j]
            if body.chains[link, other] > 0:
                continue  # the other one is what moves
            if body.chains[other, link] > 0:
                base = other
        total += motions[link, BEND] + solid_way(motions, base, link, solids, g)
    return total + _ROUNDING


def solid_way(motions: F64, base: int, link: int, solids: Solids, g: int) -> float:
    """Return how far points of a solid go relative to a link, see `way_of`."""
    box = solids.bounds[g]
    radius = solids.shapes[g, RADIUS]
    if solids.slots[g] >= 0:  # a mesh that is not convex
        extent = 0.0
        for r in range(3):
            extent += (box[3 + r] - box[r]) ** 2
        radius = 0.5 * math.sqrt(extent)
    return way_of(
        motions, base, link,
        0.5 * (box[0] + box[3]), 0.5 * (box[1] + box[4]), 0.5 * (box[2] + box[5]),
        radius,
    )  # fmt: skip


def write_reaches(body: Carried, motions: F64, solids: Solids) -> None:
    """Write how far points of each solid that moves go in the world, at most."""
    for i in range(body.rows.shape[0]):
        link = body.links[i]
        way = solid_way(motions, -1, link, solids, body.rows[i])
        body.reaches[i] = way + motions[link, BEND] + _ROUNDING
