"""Rows of the packed world as solids, and solids at other poses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.collision.engine_queries import Probe
from pyrave.errors import ArgumentError
from pyrave.geometry import Cone, Mesh, Plane
from pyrave.geometry.kernels import primitives as kinds
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.world import COLLISION

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from pyrave.geometry import Solid
    from pyrave.spatial import Array, Indices
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


def moved_links(
    world: PackedWorld, links: Iterable[tuple[int, Array]], *, disabled: bool = False
) -> Probe:
    """Return the solids of rows of links, moved to other poses.

    Parameters
    ----------
    links
        Row and T_world_link (4, 4) of each.
    disabled
        Whether disabled links count.
    """
    table = world.tables.geometries
    solids, rows = [], []
    for link, pose in links:
        if not (disabled or world.tables.links.enabled[link]):
            continue
        for row in np.flatnonzero(table.link == link).tolist():
            solid = solid_of_row(world, row)
            if solid is not None and table.mask[row] & COLLISION:
                solids.append((solid, pose @ table.T_link_geometry[row]))
                rows.append(row)
    return Probe(tuple(solids), tuple(rows))


def near_pairs(
    world: PackedWorld, first_link: int, link_poses: Array, pairs: Indices
) -> NDArray[np.bool_]:
    """Return for which pairs of links of a body balls around them overlap.

    Parameters
    ----------
    first_link
        Row of the body's first link.
    link_poses
        (n_links, 4, 4) in any frame.
    pairs
        (k, 2) indices of links.
    """
    table = world.tables.geometries
    n = len(link_poses)
    low, high = np.full((n, 3), np.inf), np.full((n, 3), -np.inf)
    for row in np.flatnonzero((table.mask & COLLISION) != 0).tolist():
        link = int(table.link[row]) - first_link
        if 0 <= link < n and table.kind[row] != kinds.NOTHING:
            # the box of a solid in its link has the ball of the box in the world
            pose = table.T_link_geometry[row]
            centre = pose[:3, 3] + pose[:3, :3] @ table.centre[row]
            reach = 0.5 * np.linalg.norm(table.bounds[row, 3:] - table.bounds[row, :3])
            np.minimum(low[link], centre - reach, out=low[link])
            np.maximum(high[link], centre + reach, out=high[link])
    used = (low <= high).all(axis=1)
    low[~used], high[~used] = 0.0, 0.0
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    radius = np.where(used, np.linalg.norm(half, axis=1), -np.inf)
    turned = np.einsum("kij,kj->ki", link_poses[:, :3, :3], middle)
    places = link_poses[:, :3, 3] + turned
    one, other = pairs[:, 0], pairs[:, 1]
    apart = np.linalg.norm(places[one] - places[other], axis=1)
    near: NDArray[np.bool_] = apart <= radius[one] + radius[other]
    return near


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
