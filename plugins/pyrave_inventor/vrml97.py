"""The shapes and materials of VRML 97 (ISO/IEC 14772-1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave_inventor import solids
from pyrave_inventor.extrusion import extrude
from pyrave_inventor.polygons import split_faces
from pyrave_inventor.shapes import (
    cut_faces,
    draw_faces,
    entries,
    places_of,
    size_of,
    spender,
)
from pyrave_inventor.state import Image, Look
from pyrave_inventor.tree import InventorNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave_inventor.mesh_builder import MeshBuilder
    from pyrave_inventor.state import State

    Indices = NDArray[np.int64]

_IMAGE = "ImageTexture"
_WHITE = np.ones((1, 3))
_SQUARE = np.array([[1, 1], [1, -1], [-1, -1], [-1, 1], [1, 1]], np.float64)
_UPRIGHT = np.array([[0, 0, 0], [0, 1, 0]], np.float64)


def look_of(appearance: object) -> Look:
    """Return the material of an ``Appearance``; white without light if it has none."""
    material = (
        appearance.get("material") if isinstance(appearance, InventorNode) else None
    )
    if not isinstance(material, InventorNode):
        return Look(diffuse=_WHITE, ambient=None, ambient_part=0.2)
    return Look(
        diffuse=np.reshape(material.get("diffuseColor", [0.8, 0.8, 0.8]), (1, 3)),
        ambient=None,
        transparency=np.array([material.get("transparency", 0.0)]),
        ambient_part=material.get("ambientIntensity", 0.2),
    )


def image_of(appearance: object) -> Image | None:
    """Return the image of an ``Appearance``, or None."""
    held = appearance.get("texture") if isinstance(appearance, InventorNode) else None
    if (
        not isinstance(held, InventorNode)
        or held.type.name.removeprefix("VRML") != _IMAGE
    ):
        return None
    return Image(held, tuple(held.get("url", ())))


def _colours(node: InventorNode, state: State) -> Look | None:
    """Return the look of a geometry with colours of its own, or None."""
    colours = _held(node, "color", "color", 3)
    return replace(state.look, diffuse=colours) if len(colours) else None


def _held(node: InventorNode, field: str, values: str, width: int) -> NDArray[Any]:
    """Return the values of a node in a field, (0, width) where there is none."""
    held = node.get(field)
    found = held.get(values) if isinstance(held, InventorNode) else None
    return np.zeros((0, width)) if found is None else found


def _face_set(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    indices = node.get("coordIndex", np.zeros(0, np.int64))
    places, faces = split_faces(indices)
    state = state.saved()
    state.points = _held(node, "coord", "point", 3)
    state.clockwise = not node.get("ccw", True)
    look = _colours(node, state)
    per_vertex = node.get("colorPerVertex", True)
    chosen_by = node.get("colorIndex", np.zeros(0, np.int64))
    by_index = bool((chosen_by >= 0).any())

    def chosen(first: Indices, owners: Indices) -> Indices | int:
        if look is None:
            return 0
        if not per_vertex:
            return entries(chosen_by, owners) if by_index else owners
        return entries(chosen_by if by_index else indices, places[first])

    laid = None
    if state.image is not None and len(indices):
        state.places = _held(node, "texCoord", "point", 2)
        by_corner = node.get("texCoordIndex", np.zeros(0, np.int64))
        by_corner = by_corner if len(by_corner) else indices
        laid = places_of(node, state, builder, entries(by_corner, places))
    if laid is not None:
        # the image is there in place of colours
        state.look = replace(state.look, diffuse=_WHITE)
    elif look is not None:
        state.look = look
    draw_faces(node, state, builder, indices[places], faces, chosen, laid=laid)


def _grid(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    columns, rows = node.get("xDimension", 0), node.get("zDimension", 0)
    heights = node.get("height", np.zeros(0))
    if min(columns, rows) < 0 or columns * rows > len(heights):
        raise node.document.error(
            f"a grid of {columns} x {rows} has {len(heights)} heights", node.at
        )
    spender(node, builder, "corners")(columns * rows)
    if columns < 2 or rows < 2:
        return
    x, z = np.meshgrid(
        size_of(node, "xSpacing", 1.0) * np.arange(columns),
        size_of(node, "zSpacing", 1.0) * np.arange(rows),
    )
    y = heights[: rows * columns].reshape(rows, columns)
    points = np.stack((x, y, z), axis=-1).reshape(-1, 3)
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b = number[:-1, :-1], number[:-1, 1:]
    c, d = number[1:, 1:], number[1:, :-1]
    triangles = np.stack((a, d, c, a, c, b), axis=-1).reshape(-1, 3)
    quads = np.repeat(np.arange(len(triangles) // 2), 2)
    look = _colours(node, state)
    choice = triangles[:, 0] if node.get("colorPerVertex", True) else quads
    builder.add(
        node,
        state,
        points,
        triangles,
        0 if look is None else choice,
        look=look,
        clockwise=not node.get("ccw", True),
    )


def _extrusion(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    section = node.get("crossSection", _SQUARE)
    spine = node.get("spine", _UPRIGHT)
    if len(section) < 2 or len(spine) < 2:
        return
    spender(node, builder, "corners")(len(section) * len(spine))
    points, quads = extrude(
        section,
        spine,
        node.get("scale", np.ones((1, 2))),
        node.get("orientation", np.array([[0.0, 0.0, 1.0, 0.0]])),
    )
    pieces = [quads[:, ((0, 1, 2), (0, 2, 3))].reshape(-1, 3)]
    closed = bool((section[0] == section[-1]).all())
    ring = np.arange(len(section) - closed)
    last = (len(spine) - 1) * len(section)
    # sections turn counter-clockwise seen from where the spine leads to
    caps = (("beginCap", ring[::-1]), ("endCap", last + ring))
    for name, corners in caps:
        if node.get(name, True) and len(ring) > 2:
            _, one = split_faces(corners)
            triangles, _ = cut_faces(node, builder, points[corners], one)
            pieces.append(corners[triangles])
    builder.add(
        node,
        state,
        points,
        np.concatenate(pieces),
        clockwise=not node.get("ccw", True),
    )


# --- solids


def _box(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    sizes = node.get("size", np.full(3, 2.0))
    if (sizes < 0.0).any():
        raise node.document.error(
            f"the size of a Box is {sizes.tolist()}, expected 0 or more", node.at
        )
    solid = solids.box(*sizes.tolist())
    builder.add(node, state, solid.points, solid.triangles)


def _cylinder(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    parts = tuple(node.get(name, True) for name in ("side", "top", "bottom"))
    radius, height = size_of(node, "radius", 1.0), size_of(node, "height", 2.0)
    solid = solids.cylinder(radius, height, parts)
    builder.add(node, state, solid.points, solid.triangles)


def _cone(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    parts = tuple(node.get(name, True) for name in ("side", "bottom"))
    radius, height = size_of(node, "bottomRadius", 1.0), size_of(node, "height", 2.0)
    solid = solids.cone(radius, height, parts)
    builder.add(node, state, solid.points, solid.triangles)


DRAWN: dict[str, Callable[[InventorNode, State, MeshBuilder], None]] = {
    "vrml_face_set": _face_set,
    "vrml_grid": _grid,
    "vrml_extrusion": _extrusion,
    "vrml_box": _box,
    "vrml_cylinder": _cylinder,
    "vrml_cone": _cone,
}
"""Functions that draw the nodes of each role."""
