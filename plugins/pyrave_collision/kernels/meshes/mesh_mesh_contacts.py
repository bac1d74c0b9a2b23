"""Contacts of two triangle meshes.

Each pair of triangles that overlaps makes a contact, as if it were alone; the way out
of a whole mesh has no formula.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrave.geometry.kernels.bvh import WIDTH
from pyrave_collision.kernels.meshes.mesh_convex_contacts import contact_inside
from pyrave_collision.kernels.meshes.mesh_mesh import (
    OTHER,
    contains_a_part,
    gaps_of_triangle,
    no_aim,
    rounding,
)
from pyrave_collision.kernels.meshes.nodes import (
    leaf_against_box,
    moved_triangle,
    node_gaps,
    not_above,
    reversed_pose,
)
from pyrave_collision.kernels.meshes.results import keep_contact, move_contacts
from pyrave_collision.kernels.meshes.triangle_contacts import triangle_pair_contact
from pyrave_collision.kernels.meshes.triangle_pairs import triangles_overlap
from pyrave_collision.kernels.meshes.walks import MEETING, walk_pairs
from pyrave_collision.kernels.shapes import relative

if TYPE_CHECKING:
    from pyrave.jit.arrays import F64
    from pyrave_collision.kernels.meshes.inputs import Meshes, Scratch

JIT_OPTIONS: dict[str, dict[str, object]] = {
    "*": {"fastmath": {"nsz", "contract"}},
    "visit_contacts": {"forceinline": True},
}
JIT_NO_ARRAYS = ("*",)
JIT_ENTRIES = ("meshes_contacts",)


def meshes_contacts(
    meshes: Meshes, a: int, pose_a: F64, b: int, pose_b: F64,
    contacts: F64, scratch: Scratch,
) -> int:  # fmt: skip
    """Write the deepest contacts of two meshes; return how many.

    Parameters
    ----------
    meshes, a, pose_a, b, pose_b
        As in `meshes_overlap`.
    contacts
        (m, `CONTACT`) output in the frame of the poses, m at least 1, deepest first, as
        `triangle_pair_contact` has them; the triangle is that of a. A mesh wholly
        inside a closed one has one contact: a vertex, the way to the nearest triangle,
        and how far that is.
    scratch
        What `SCRATCH` lists.
    """
    frames, closed = meshes[7], meshes[8]
    poses, inner, contact = scratch[1], scratch[3][0], scratch[10]
    relative(pose_a, pose_b, poses[0])
    reversed_pose(poses[0], poses[1])
    slack = rounding(frames, a, pose_a) + rounding(frames, b, pose_b)
    count = surfaces_contacts(meshes, a, b, slack, contacts, scratch)
    if count > 0:
        move_contacts(pose_b, contacts, count)
        return count
    if closed[b] and contains_a_part(meshes, b, a, poses[0], scratch):
        contact_inside(meshes, b, inner[0], inner[1], inner[2], scratch)
        # out of the inner mesh
        for c in range(3, 6):
            contact[c] = -contact[c]
        count = keep_contact(contacts, count, contact)
        move_contacts(pose_b, contacts, count)
        return count
    if closed[a] and contains_a_part(meshes, a, b, poses[1], scratch):
        contact_inside(meshes, a, inner[0], inner[1], inner[2], scratch)
        count = keep_contact(contacts, count, contact)
        move_contacts(pose_a, contacts, count)
    return count


def surfaces_contacts(
    meshes: Meshes, a: int, b: int, slack: float, contacts: F64, scratch: Scratch
) -> int:
    """Write the contacts of triangles of two meshes, in the frame of b.

    Poses in `scratch` are that of a in b, and its inverse.
    """
    _, count = walk_pairs(
        meshes, a, b, slack, MEETING, 0.0,
        node_gaps, no_aim, visit_contacts, (slack, contacts), scratch,
    )  # fmt: skip
    return count


def visit_contacts(
    meshes: Meshes, a: int, leaf_a: int, b: int, leaf_b: int, limit: float, count: int,
    given: tuple[float, F64], scratch: Scratch,
) -> tuple[float, int]:  # fmt: skip
    """Write the contacts of the triangles of two leaves."""
    slack, contacts = given
    groups, corners = meshes[2], meshes[4]
    poses, rows, query, gaps = scratch[1], scratch[2], scratch[5], scratch[6]
    leaf_against_box(groups, leaf_a, query, gaps)
    near_ones = not_above(gaps, limit)
    first = meshes[3][leaf_a]
    for k in range(WIDTH):
        if near_ones >> k & 1:
            row = meshes[6][a, 2] + first + k
            moved_triangle(poses[0], corners, row, rows, int(OTHER))
            count = leaf_contacts(
                meshes, b, leaf_b, first + k, slack, contacts, count, scratch
            )
    return limit, count


def leaf_contacts(
    meshes: Meshes, mesh: int, leaf: int, number: int, slack: float,
    contacts: F64, count: int, scratch: Scratch,
) -> int:  # fmt: skip
    """Write contacts of a triangle with those of a leaf; return how many there are.

    The triangle is row `OTHER` in `scratch`, in the frame of the leaf's mesh.

    Parameters
    ----------
    number
        Of the triangle, for its contacts.
    """
    groups, firsts, corners, begins, frames = (
        meshes[2], meshes[3], meshes[4], meshes[6], meshes[7],
    )  # fmt: skip
    rows, near, gaps, contact = scratch[2], scratch[4], scratch[6], scratch[10]
    gaps_of_triangle(groups, leaf, frames[mesh], rows, slack, scratch[7], gaps)
    row = begins[mesh, 2] + firsts[leaf]
    for k in range(WIDTH):
        if gaps[k] <= 0.0 and triangles_overlap(
            rows, int(OTHER), corners, row + k, slack, near
        ):
            triangle_pair_contact(rows, int(OTHER), corners, row + k, near, contact)
            contact[7] = number
            count = keep_contact(contacts, count, contact)
    return count
