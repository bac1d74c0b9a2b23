"""The arrays of the packed world, as kernels take them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyrave.records import compared_by_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array

    Ints = NDArray[np.int64]
    Rows = NDArray[np.int32]
    Flags = NDArray[np.uint8]

COLLISION = 1
"""Bit of `GeometryTable.mask`: the solid collides and is met by rays."""
VISUAL = 2
"""Bit of `GeometryTable.mask`: the solid is shown."""


class BodyTable(NamedTuple):
    """A row per body; rows that are not in use have the id -1 and no links.

    Parameters
    ----------
    id
        (B,) int64.
    first_link, n_links, first_geometry, n_geometries
        (B,) int32, the rows of its links and solids.
    """

    id: Ints
    first_link: Rows
    n_links: Rows
    first_geometry: Rows
    n_geometries: Rows


@compared_by_items
class LinkTable(NamedTuple):
    """A row per link.

    Parameters
    ----------
    id
        (L,) int64, -1 in rows that are not in use.
    body
        (L,) int32, row of its body.
    node
        (L,) int32, position among the links of its body.
    enabled
        (L,) uint8, 1 if it takes part in collision and ray queries.
    poses
        (L, 4, 4) T_world_link.
    """

    id: Ints
    body: Rows
    node: Rows
    enabled: Flags
    poses: Array


@compared_by_items
class GeometryTable(NamedTuple):
    """A row per solid; a geometry is one solid, or several if it has hollows.

    Parameters
    ----------
    id
        (G,) int64, id of the geometry, -1 in rows that are not in use.
    body, link
        (G,) int32, rows of its body and link.
    kind
        (G,) int32, a constant of `pyrave.geometry.kernels.primitives`.
    sizes
        (G, 3) metres: half extents of boxes and of the bounding boxes of meshes;
        radius, and half height, of round solids.
    centre
        (G, 3) centre of a mesh's bounding box in its frame; 0 for primitives.
    mesh
        (G,) int32, index in `PackedWorld.meshes`, -1 for primitives.
    mask
        (G,) uint8, bits `COLLISION` and `VISUAL`.
    colour
        (G, 4) red, green, blue and opacity, 0 to 1.
    T_link_geometry, poses
        (G, 4, 4) pose of the solid in its link and in the world.
    bounds
        (G, 6) lower and upper corner of its box in the world, metres.
    """

    id: Ints
    body: Rows
    link: Rows
    kind: Rows
    sizes: Array
    centre: Array
    mesh: Rows
    mask: Flags
    colour: Array
    T_link_geometry: Array
    poses: Array
    bounds: Array


class WorldTables(NamedTuple):
    """All rows of a packed world.

    The arrays are those of the world itself: they show moves and masks at once. Bodies
    that come or change their shapes may put others in their place.
    """

    bodies: BodyTable
    links: LinkTable
    geometries: GeometryTable


Column = tuple[tuple[int, ...], Any, Any]
BODY_COLUMNS: dict[str, Column] = {
    "id": ((), np.int64, -1),
    **dict.fromkeys(BodyTable._fields[1:], ((), np.int32, 0)),
}
LINK_COLUMNS: dict[str, Column] = {
    "id": ((), np.int64, -1),
    "body": ((), np.int32, -1),
    "node": ((), np.int32, -1),
    "enabled": ((), np.uint8, 0),
    "poses": ((4, 4), np.float64, 0.0),
}
GEOMETRY_COLUMNS: dict[str, Column] = {
    "id": ((), np.int64, -1),
    "body": ((), np.int32, -1),
    "link": ((), np.int32, -1),
    "kind": ((), np.int32, 0),
    "sizes": ((3,), np.float64, 0.0),
    "centre": ((3,), np.float64, 0.0),
    "mesh": ((), np.int32, -1),
    "mask": ((), np.uint8, 0),
    "colour": ((4,), np.float64, 0.0),
    "T_link_geometry": ((4, 4), np.float64, 0.0),
    "poses": ((4, 4), np.float64, 0.0),
    "bounds": ((6,), np.float64, 0.0),
}
