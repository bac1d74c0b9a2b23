"""Rows of the packed world as solids, and solids at other poses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.collision.selection import Probe
from pyrave.errors import ArgumentError
from pyrave.geometry import Cone, Mesh, Plane
from pyrave.geometry.kernels import primitives as kinds
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.world import COLLISION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.geometry import Solid
    from pyrave.spatial import Array
    from pyrave.world import PackedWorld


def solid_of_row(world: PackedWorld, row: int) -> Solid | None:
    """Return the solid of a row; None for one without extent.

    A mesh is the object that all rows of this mesh share.
    """
    table = world.tables.geometries
    a, b, c = table.sizes[row].tolist()
    match int(table.kind[row]):
        case kinds.BOX:
            return Box((a, b, c))
        case kinds.SPHERE:
            return Sphere(a)
        case kinds.CYLINDER:
            return Cylinder(a, 2.0 * b)
        case kinds.CAPSULE:
            return Capsule(a, 2.0 * b)
        case kinds.CONE:
            return Cone(a, 2.0 * c, b)
        case kinds.PLANE:
            return Plane()
        case kinds.MESH:
            return world.meshes[int(table.mesh[row])]
    return None


def moved_links(world: PackedWorld, links: Iterable[tuple[int, Array]]) -> Probe:
    """Return what rows of links carry, as if these were at other poses.

    Parameters
    ----------
    links
        Row and T_world_link (4, 4) of each; disabled ones are left out.
    """
    table = world.tables.geometries
    solids, rows = [], []
    for link, pose in links:
        if not world.tables.links.enabled[link]:
            continue
        for row in np.flatnonzero(table.link == link).tolist():
            solid = solid_of_row(world, row)
            if solid is not None and table.mask[row] & COLLISION:
                solids.append((solid, pose @ table.T_link_geometry[row]))
                rows.append(row)
    return Probe(tuple(solids), tuple(rows))


def mesh_probe(mesh: Mesh, pose: Array) -> Probe:
    """Return a mesh at a pose; ArgumentError for one without triangles."""
    if not isinstance(mesh, Mesh):
        raise ArgumentError(
            f"mesh is {mesh!r}, expected a pyrave.geometry.Mesh, for example "
            "geometry.mesh"
        )
    if not len(mesh.faces):
        raise ArgumentError(f"{mesh!r} has no triangles, so nothing can touch it")
    return Probe(((mesh, pose),), (-1,))


def box_probe(centre: Array, half_extents: Array, pose: Array) -> Probe:
    """Return a box whose centre is given in the frame of a pose."""
    x, y, z = half_extents.tolist()
    if not (x >= 0 and y >= 0 and z >= 0):
        raise ArgumentError(
            f"half_extents are {[x, y, z]}, expected three lengths of 0 m or more"
        )
    placed = pose.copy()
    placed[:3, 3] += pose[:3, :3] @ centre
    return Probe(((Box((x, y, z)), placed),), (-1,))
