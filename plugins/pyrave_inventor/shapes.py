"""The shapes of Inventor and VRML 1.0."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import triangulate_faces
from pyrave_inventor import solids
from pyrave_inventor.mesh_builder import projected
from pyrave_inventor.polygons import Faces, cut_strips, split_faces
from pyrave_inventor.tree import InventorNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave_inventor.mesh_builder import MeshBuilder
    from pyrave_inventor.solids import Solid
    from pyrave_inventor.state import State

    Indices = NDArray[np.int64]

_REST = -1
# farther repetitions of an image are beyond single precision
_FARTHEST = 1e6


def apply_vertex_property(node: InventorNode, state: State) -> None:
    """Let coordinates and colours of a ``VertexProperty`` be those of the state."""
    points = node.get("vertex")
    if points is not None and len(points):
        state.points = points
    colours = node.get("orderedRGBA")
    if colours is not None and len(colours):
        state.look = replace(state.look, diffuse=colours)
        state.binding = node.get("materialBinding", "OVERALL")


def _own_state(node: InventorNode, state: State) -> State:
    """Return the state of a shape with the properties that it holds itself."""
    held = node.get("vertexProperty")
    if not isinstance(held, InventorNode):
        return state
    state = state.saved()
    apply_vertex_property(held, state)
    return state


def spender(
    node: InventorNode, builder: MeshBuilder, name: str
) -> Callable[[int], None]:
    """Return a function that takes an amount off the budget of that name."""

    def spend(amount: int) -> None:
        builder.budget.spend(name, amount, node.document, node.at)

    return spend


def _placed_corners(
    node: InventorNode, points: NDArray[np.float64], corners: Indices
) -> NDArray[np.float64]:
    """Return the place of each corner, (k, 3).

    Raises
    ------
    SceneError
        A corner has no point.
    """
    if len(corners) and int(corners.max()) >= len(points):
        raise node.document.error(
            f"{node.type.name} uses point {int(corners.max())}, but there are "
            f"{len(points)} (points count from 0)",
            node.at,
        )
    return np.asarray(points[corners])


def cut_faces(
    node: InventorNode, builder: MeshBuilder, places: NDArray[np.float64], faces: Faces
) -> tuple[Indices, Indices]:
    """Cut polygons into triangles.

    Parameters
    ----------
    places
        (k, 3) or homogeneous (k, 4) place of each corner.

    Returns
    -------
    triangles, owners
        (m, 3) corners, turning like their face, and (m,) faces, in their order.

    Raises
    ------
    SceneError
        The concave faces of the file have too many corners.
    """
    if places.shape[1] == 4:
        places = projected(places)
    corners = np.arange(len(places))
    try:
        triangles, owners = triangulate_faces(
            places, corners, faces.sizes, builder.budget.clipping
        )
    except ArgumentError as error:
        raise node.document.error(str(error), node.at, code="file-too-large") from error
    return triangles.astype(np.int64), owners


def draw_faces(
    node: InventorNode,
    state: State,
    builder: MeshBuilder,
    corners: Indices,
    faces: Faces,
    chosen: Callable[[Indices, Indices], Indices | int],
    *,
    strips: bool = False,
    laid: NDArray[np.float64] | None = None,
) -> None:
    """Cut faces or strips and add their triangles.

    Parameters
    ----------
    corners
        (k,) the point of each corner.
    chosen
        From the triangles' first corners and faces to the indices of their materials.
    laid
        (k, 2) where corners lie in the image of the state, or None.
    """
    spender(node, builder, "corners")(len(corners))
    places = _placed_corners(node, state.points, corners)
    if strips:
        triangles, owners = cut_strips(faces)
    else:
        triangles, owners = cut_faces(node, builder, places, faces)
    builder.add(
        node,
        state,
        state.points,
        corners[triangles],
        chosen(triangles[:, 0], owners),
        clockwise=state.clockwise,
        laid=None if laid is None else laid[triangles],
    )


def places_of(
    node: InventorNode,
    state: State,
    builder: MeshBuilder,
    index: Indices,
) -> NDArray[np.float64] | None:
    """Return image coordinates of corners, (k, 2); None without an image.

    Without places for corners, which formats then spread over the shape's box, it is
    shown without its image.

    Parameters
    ----------
    index
        (k,) which place of the state each corner has.
    """
    if state.image is None or not len(state.places) or not len(index):
        return None
    if index.min() < 0 or index.max() >= len(state.places):
        message = (
            f"{node.type.name} is shown without its image: corners have places up to "
            f"{index.max(initial=-1)}, but there are {len(state.places)}"
        )
        builder.budget.warn_once(message, node.document, node.at)
        return None
    if builder.texture(state.image) is None:
        return None
    found = np.nan_to_num(state.places[index]).clip(-_FARTHEST, _FARTHEST)
    return np.asarray(found)


def _run_lengths(node: InventorNode, state: State) -> tuple[int, Indices]:
    """Return the first point and the sizes of the faces of a set without indices."""
    start = node.get("startIndex", 0)
    sizes = node.get("numVertices", np.array([_REST])).copy()
    if start < 0 or (sizes < _REST).any():
        raise node.document.error(
            f"{node.type.name} starts at point {start} and has faces of "
            f"{sizes.min(initial=0)} corners",
            node.at,
        )
    if len(sizes) and sizes[-1] == _REST:
        sizes[-1] = max(len(state.points) - start - int(sizes[:-1].sum()), 0)
    # sums of wild numbers wrap around
    total = float(sizes.astype(np.float64).sum()) + start
    if (sizes < 0).any() or total > len(state.points):
        raise node.document.error(
            f"{node.type.name} needs {total:.0f} points, but there are "
            f"{len(state.points)}",
            node.at,
        )
    return start, sizes


def _face_set(
    node: InventorNode, state: State, builder: MeshBuilder, *, strips: bool = False
) -> None:
    state = _own_state(node, state)
    start, sizes = _run_lengths(node, state)
    faces = Faces(sizes)
    corners = start + np.arange(int(sizes.sum()))

    def chosen(first: Indices, owners: Indices) -> Indices | int:
        binding = state.binding
        if binding.startswith("PER_PART") or (
            binding.startswith("PER_FACE") and not strips
        ):
            return owners
        if binding.startswith("PER_FACE"):
            return np.arange(len(first))
        return first if binding.startswith("PER_VERTEX") else 0

    draw_faces(node, state, builder, corners, faces, chosen, strips=strips)


def _indexed_set(
    node: InventorNode, state: State, builder: MeshBuilder, *, strips: bool = False
) -> None:
    state = _own_state(node, state)
    indices = node.get("coordIndex", np.zeros(1, np.int64))
    materials = node.get("materialIndex", np.zeros(0, np.int64))
    if not (materials >= 0).any():
        materials = indices
    places, faces = split_faces(indices)

    def chosen(first: Indices, owners: Indices) -> Indices | int:
        binding = state.binding
        indexed = binding.endswith("_INDEXED")
        if binding.startswith("PER_VERTEX"):
            return entries(materials, places[first]) if indexed else first
        if binding.startswith("PER_FACE") and strips:
            owners = np.arange(len(first))
        elif not binding.startswith(("PER_FACE", "PER_PART")):
            return 0
        return entries(materials, owners) if indexed else owners

    laid = None
    if state.image is not None and len(indices):
        by_corner = node.get("textureCoordIndex", np.zeros(0, np.int64))
        by_corner = by_corner if (by_corner >= 0).any() else indices
        laid = places_of(node, state, builder, entries(by_corner, places))
    draw_faces(
        node,
        state,
        builder,
        indices[places],
        faces,
        chosen,
        strips=strips,
        laid=laid,
    )


def entries(values: Indices, at: Indices) -> Indices:
    """Return the values at some places, the last one for places beyond it."""
    return np.asarray(values[np.minimum(at, len(values) - 1)])


def _quad_mesh(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    state = _own_state(node, state)
    start = node.get("startIndex", 0)
    rows, columns = node.get("verticesPerColumn", 1), node.get("verticesPerRow", 1)
    n_points = len(state.points)
    if min(start, rows, columns) < 0 or start + rows * columns > n_points:
        raise node.document.error(
            f"a mesh of {rows} x {columns} points from point {start} needs "
            f"{start + max(rows, 0) * max(columns, 0)} points, but there are "
            f"{n_points}",
            node.at,
        )
    spender(node, builder, "corners")(rows * columns)
    grid = start + np.arange(rows * columns).reshape(rows, columns)
    a, b = grid[:-1, :-1], grid[:-1, 1:]
    c, d = grid[1:, 1:], grid[1:, :-1]
    quads = np.stack((a, d, c, a, c, b), axis=-1).reshape(-1, 3)
    number = np.repeat(np.arange(len(quads) // 2), 2)
    binding = state.binding
    if binding.startswith("PER_PART"):
        choice: Indices | int = number // max(columns - 1, 1)
    elif binding.startswith("PER_FACE"):
        choice = number
    else:
        choice = quads[:, 0] - start if binding.startswith("PER_VERTEX") else 0
    builder.add(node, state, state.points, quads, choice, clockwise=state.clockwise)


# --- solids


def _draw_solid(
    node: InventorNode, state: State, builder: MeshBuilder, solid: Solid
) -> None:
    per_part = state.binding.startswith("PER_PART")
    builder.add(
        node, state, solid.points, solid.triangles, solid.parts if per_part else 0
    )


def size_of(node: InventorNode, name: str, default: float) -> float:
    """Return a length that a field gives.

    Raises
    ------
    SceneError
        It is negative.
    """
    value = float(node.get(name, default))
    if value < 0.0:
        raise node.document.error(
            f"the {name} of {node.type.name} is {value:g}, expected 0 or more", node.at
        )
    return value


def _cube(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    sizes = [size_of(node, name, 2.0) for name in ("width", "height", "depth")]
    _draw_solid(node, state, builder, solids.box(*sizes))


def _sphere(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    _draw_solid(node, state, builder, solids.sphere(size_of(node, "radius", 1.0)))


def _cylinder(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    radius, height = size_of(node, "radius", 1.0), size_of(node, "height", 2.0)
    parts = _parts(node, ("SIDES", "TOP", "BOTTOM"))
    _draw_solid(node, state, builder, solids.cylinder(radius, height, parts))


def _cone(node: InventorNode, state: State, builder: MeshBuilder) -> None:
    radius, height = size_of(node, "bottomRadius", 1.0), size_of(node, "height", 2.0)
    parts = _parts(node, ("SIDES", "BOTTOM"))
    _draw_solid(node, state, builder, solids.cone(radius, height, parts))


def _parts(node: InventorNode, names: tuple[str, ...]) -> tuple[bool, ...]:
    given = node.get("parts", {"ALL"})
    return tuple("ALL" in given or name in given for name in names)


DRAWN: dict[str, Callable[[InventorNode, State, MeshBuilder], None]] = {
    "face_set": _face_set,
    "triangle_strip_set": partial(_face_set, strips=True),
    "indexed_face_set": _indexed_set,
    "indexed_strip_set": partial(_indexed_set, strips=True),
    "quad_mesh": _quad_mesh,
    "cube": _cube,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "cone": _cone,
}
"""Functions that draw the nodes of each role."""
