"""Walking a tree of nodes with the state that they change."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ResourceError, SceneError
from pyrave_inventor import shapes, vrml97
from pyrave_inventor.binary import BinaryParser
from pyrave_inventor.document import open_document
from pyrave_inventor.mesh_builder import MeshBuilder
from pyrave_inventor.state import (
    UNITS,
    Image,
    Look,
    State,
    affine,
    rotation,
    scale_rotate_translate,
)
from pyrave_inventor.text import TextParser
from pyrave_inventor.tree import MAX_DEPTH, Budget, InventorNode

if TYPE_CHECKING:
    from pyrave.formats import MeshSource
    from pyrave.geometry import Mesh
    from pyrave.spatial import Array

_SWITCH_NONE, _SWITCH_INHERIT, _SWITCH_ALL = -1, -2, -3
# fields of transforms, and what the function that combines them calls them
_PARTS = {
    "translation": "translation",
    "rotation": "turn",
    "scaleFactor": "scale",
    "scale": "scale",
    "scaleOrientation": "scale_turn",
    "center": "center",
}
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


def read_mesh(source: MeshSource, budget: Budget | None = None) -> Mesh:
    """Return all triangles of a file, with their materials.

    Parameters
    ----------
    budget
        What the file may become; by default far more than any that is in use.

    Raises
    ------
    SceneError
        The file is malformed or too large.
    """
    budget = Budget() if budget is None else budget
    nodes = read_nodes(source, budget)
    traversal = Traversal(budget)
    traversal.all(nodes, State())
    return traversal.builder.mesh()


def read_nodes(
    source: MeshSource, budget: Budget, depth: int = 0
) -> list[InventorNode]:
    """Return the nodes at the top of a file of either encoding."""
    document = open_document(source)
    parser = BinaryParser if document.binary else TextParser
    return parser(document, budget, depth).nodes()


class Traversal:
    """One walk: what it may cost, what it found, which files it included.

    Nodes live as long as the walk, so that their ids name them.
    """

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.builder = MeshBuilder(budget)
        self.looks: dict[int, Look] = {}
        self._depth = 0
        self._included: dict[int, list[InventorNode]] = {}

    def all(self, nodes: Iterable[InventorNode], state: State) -> None:
        """Visit nodes from left to right."""
        for node in nodes:
            self.visit(node, state)

    def visit(self, node: InventorNode, state: State) -> None:
        """Let a node act on the state, and the builder take its triangles.

        Raises
        ------
        SceneError
            The file grows too large, or uses coordinates that it does not have.
        """
        role = _ROLES.get(node.type.role)
        if role is None:
            return
        self.budget.spend("visits", 1, node.document, node.at)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise node.document.error(
                f"nodes are nested deeper than {MAX_DEPTH}", node.at
            )
        role(self, node, state)
        self._depth -= 1

    def included(self, node: InventorNode, names: Iterable[str]) -> list[InventorNode]:
        """Return the nodes of the first file of a list that is there, read once."""
        if id(node) not in self._included:
            self._included[id(node)] = self._include(node, list(names))
        return self._included[id(node)]

    def _include(self, node: InventorNode, names: list[str]) -> list[InventorNode]:
        reason = "it names no file"
        for name in names:
            self.budget.spend("inclusions", 1, node.document, node.at)
            scheme, colon, _ = name.partition(":")
            if colon and len(scheme) > 1 and scheme.lower() != "file":
                reason = f"{name!r} is not a local file"
                continue
            try:
                source = node.document.source.sibling(name)
            except ResourceError as error:
                reason = str(error)
                continue
            except SceneError as error:
                if error.first.code:
                    raise  # the file is there, and something is wrong with it
                reason = error.first.message
                continue
            return read_nodes(source, self.budget, self._depth)
        message = f"what {node.type.name} includes is missing: {reason}"
        self.budget.warn_once(message, node.document, node.at)
        return []


_Role = Callable[[Traversal, InventorNode, State], None]


# --- groups


def _group(walk: Traversal, node: InventorNode, state: State) -> None:
    walk.all(node.get("children", node.children), state)


def _separator(walk: Traversal, node: InventorNode, state: State) -> None:
    walk.all(node.children, state.saved())


def _transform_separator(walk: Traversal, node: InventorNode, state: State) -> None:
    matrix = state.matrix
    walk.all(node.children, state)
    state.matrix = matrix


def _switch(walk: Traversal, node: InventorNode, state: State) -> None:
    which = node.get("whichChild", _SWITCH_NONE)
    if which == _SWITCH_INHERIT:
        which = state.which
    state.which = which
    if which == _SWITCH_ALL:
        walk.all(node.children, state)
    elif 0 <= which < len(node.children):
        walk.visit(node.children[which], state)


def _first_child(walk: Traversal, node: InventorNode, state: State) -> None:
    walk.all(node.children[:1], state)


def _array(walk: Traversal, node: InventorNode, state: State) -> None:
    counts = [node.get(f"numElements{k}", 1) for k in (1, 2, 3)]
    steps = [node.get(f"separation{k}", np.eye(3)[k - 1]) for k in (1, 2, 3)]
    share = {"CENTER": 0.5, "LAST": 1.0}.get(node.get("origin", "FIRST"), 0.0)
    start = -share * sum(
        (count - 1) * step for count, step in zip(counts, steps, strict=True)
    )
    if not node.children:
        return
    for k in range(max(counts[2], 0)):
        for j in range(max(counts[1], 0)):
            for i in range(max(counts[0], 0)):
                walk.budget.spend("visits", 1, node.document, node.at)
                shift = start + i * steps[0] + j * steps[1] + k * steps[2]
                copied = state.saved()
                copied.matrix = state.matrix @ affine(shift=shift)
                copied.which = i
                walk.all(node.children, copied)


def _multiple_copy(walk: Traversal, node: InventorNode, state: State) -> None:
    for index, rows in enumerate(node.get("matrix", np.eye(4).reshape(1, 16))):
        walk.budget.spend("visits", 1, node.document, node.at)
        copied = state.saved()
        copied.matrix = state.matrix @ rows.reshape(4, 4).T
        copied.which = index
        walk.all(node.children, copied)


def _include(walk: Traversal, node: InventorNode, state: State) -> None:
    name = node.get("name")
    names = node.get("url", []) if name is None else [name]
    found = walk.included(node, names)
    if not found and isinstance(node.get("alternateRep"), InventorNode):
        found = [node.get("alternateRep")]
    # an Inventor file acts like a group; an inlined one is a scene of its own
    walk.all(found, state if node.type.name == "File" else state.saved())


# --- frames


def _transform(_: Traversal, node: InventorNode, state: State) -> None:
    state.matrix = state.matrix @ _frame(node)


def _frame(node: InventorNode) -> Array:
    parts = {
        _PARTS[name]: value for name, value in node.fields.items() if name in _PARTS
    }
    return scale_rotate_translate(**parts)


def _rotation_xyz(_: Traversal, node: InventorNode, state: State) -> None:
    axis = _AXES.get(node.get("axis", "X"))
    if axis is None:
        raise node.document.error(
            f"the axis is {node.get('axis')!r}, expected X, Y or Z", node.at
        )
    turn = rotation((*axis, node.get("angle", 0.0)))
    state.matrix = state.matrix @ affine(turn)


def _matrix_transform(_: Traversal, node: InventorNode, state: State) -> None:
    rows = node.get("matrix", np.eye(4))
    # the file has vectors on the left of matrices
    state.matrix = state.matrix @ rows.reshape(4, 4).T


def _reset_transform(_: Traversal, node: InventorNode, state: State) -> None:
    if "TRANSFORM" in node.get("whatToReset", {"TRANSFORM"}):
        state.matrix = np.eye(4)


def _units(_: Traversal, node: InventorNode, state: State) -> None:
    name = node.get("units", "METERS")
    if name not in UNITS:
        raise node.document.error(
            f"the unit {name!r} is not known, expected one of {', '.join(UNITS)}",
            node.at,
        )
    factor = UNITS[name] / state.units
    state.matrix = state.matrix @ affine(factor * np.eye(3))
    state.units = UNITS[name]


# --- properties of shapes


def _coordinates(_: Traversal, node: InventorNode, state: State) -> None:
    state.points = node.get("point", np.zeros((1, 3)))


def _material(walk: Traversal, node: InventorNode, state: State) -> None:
    if id(node) not in walk.looks:
        walk.looks[id(node)] = _look_of(node)
    state.look = walk.looks[id(node)]


def _look_of(node: InventorNode) -> Look:
    unsaid = Look()

    def given(name: str, default: Any) -> Any:
        values = node.get(name)
        return default if values is None or not len(values) else values

    return Look(
        given("diffuseColor", unsaid.diffuse),
        given("ambientColor", unsaid.ambient),
        given("transparency", unsaid.transparency),
    )


def _base_color(_: Traversal, node: InventorNode, state: State) -> None:
    colours = node.get("rgb")
    if colours is not None and len(colours):
        state.look = replace(state.look, diffuse=colours)


def _packed_color(_: Traversal, node: InventorNode, state: State) -> None:
    colours = node.get("orderedRGBA", node.get("rgba"))
    if colours is not None and len(colours):
        state.look = replace(state.look, diffuse=colours)


def _image(_: Traversal, node: InventorNode, state: State) -> None:
    state.image = Image(node, (node.get("filename", ""),))


def _image_places(_: Traversal, node: InventorNode, state: State) -> None:
    state.places = node.get("point", np.zeros((0, 2)))


def _material_binding(_: Traversal, node: InventorNode, state: State) -> None:
    state.binding = node.get("value", "OVERALL")


def _shape_hints(_: Traversal, node: InventorNode, state: State) -> None:
    state.clockwise = node.get("vertexOrdering") == "CLOCKWISE"


def _vertex_property(_: Traversal, node: InventorNode, state: State) -> None:
    shapes.apply_vertex_property(node, state)


def _not_drawn(walk: Traversal, node: InventorNode, _: State) -> None:
    message = f"{node.type.name} is not drawn"
    walk.budget.warn_once(message, node.document, node.at)


def _shape(draw: Callable[[InventorNode, State, MeshBuilder], None]) -> _Role:
    def visit(walk: Traversal, node: InventorNode, state: State) -> None:
        draw(node, state, walk.builder)

    return visit


def _vrml_transform(walk: Traversal, node: InventorNode, state: State) -> None:
    copied = state.saved()
    copied.matrix = state.matrix @ _frame(node)
    walk.all(node.get("children", ()), copied)


def _vrml_switch(walk: Traversal, node: InventorNode, state: State) -> None:
    choices = node.get("choice", [])
    which = node.get("whichChoice", -1)
    if 0 <= which < len(choices):
        walk.visit(choices[which], state)


def _vrml_lod(walk: Traversal, node: InventorNode, state: State) -> None:
    walk.all(node.get("level", [])[:1], state)


def _vrml_shape(walk: Traversal, node: InventorNode, state: State) -> None:
    geometry = node.get("geometry")
    if geometry is not None:
        copied = state.saved()
        appearance = node.get("appearance")
        copied.look = vrml97.look_of(appearance)
        copied.image = vrml97.image_of(appearance)
        copied.clockwise = False
        walk.visit(geometry, copied)


_ROLES: dict[str, _Role] = {
    "group": _group,
    "separator": _separator,
    "transform_separator": _transform_separator,
    "switch": _switch,
    "first_child": _first_child,
    "array": _array,
    "multiple_copy": _multiple_copy,
    "include": _include,
    "transform": _transform,
    "rotation_xyz": _rotation_xyz,
    "matrix_transform": _matrix_transform,
    "reset_transform": _reset_transform,
    "units": _units,
    "coordinates": _coordinates,
    "material": _material,
    "base_color": _base_color,
    "packed_color": _packed_color,
    "image": _image,
    "image_places": _image_places,
    "material_binding": _material_binding,
    "shape_hints": _shape_hints,
    "vertex_property": _vertex_property,
    "not_drawn": _not_drawn,
    "vrml_transform": _vrml_transform,
    "vrml_switch": _vrml_switch,
    "vrml_lod": _vrml_lod,
    "vrml_shape": _vrml_shape,
    **{name: _shape(draw) for name, draw in shapes.DRAWN.items()},
    **{name: _shape(draw) for name, draw in vrml97.DRAWN.items()},
}
