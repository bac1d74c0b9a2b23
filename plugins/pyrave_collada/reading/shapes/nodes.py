"""Visual scenes: nodes in place of their instances, and what hangs on them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.coercion import HUGE
from pyrave.spatial import Array, matrix_from_axis_angle
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.numbers import parse_numbers
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyrave_collada.document.references import Found

TRANSFORMS = {
    "translate": 3,
    "rotate": 4,
    "matrix": 16,
    "scale": 3,
    "skew": 7,
    "lookat": 9,
}
_MAX_DEPTH = 200
_MAX_NODES = 200_000
# of all nodes together: the place of each one is a product of as many matrices
_MAX_LEVELS = 2_000_000
# products of larger numbers have no value
_MAX_REACH = 1e100
_EYE = np.eye(4)
_EYE.setflags(write=False)
_DEFORMING = frozenset({"matrix", "scale", "skew"})
_INSTANCES = ("instance_geometry", "instance_controller")


@dataclass(eq=False, slots=True)
class VisualNode:
    """A node in its place.

    Parameters
    ----------
    element
        Its ``<node>``.
    via
        The ``<instance_node>`` that put it here, or None.
    transforms
        Its transforms and their (4, 4) matrices, in order, in metres.
    geometries
        Its ``<instance_geometry>`` and ``<instance_controller>``.
    suffix
        What the ids of this use of the node end with (``<extra type="idsuffix">``).
    reach
        Bounds of what its matrix in the world scales by, and of its translation.
    """

    element: Any
    via: Any
    parent: VisualNode | None
    transforms: list[tuple[Any, Array]] = field(default_factory=list)
    geometries: list[Any] = field(default_factory=list)
    children: list[VisualNode] = field(default_factory=list)
    suffix: str = ""
    reach: tuple[float, float] = (1.0, 0.0)

    def local(self, skipped: Callable[[Any], bool]) -> Array:
        """Return T_parent_node (4, 4) with some transforms as if they were none."""
        total = _EYE
        for element, matrix in self.transforms:
            if not skipped(element):
                total = total @ matrix
        return total

    def world(self, skipped: Callable[[Any], bool]) -> Array:
        """Return T_world_node (4, 4), perhaps with scaling."""
        total = self.local(skipped)
        for above in self.ancestors():
            total = above.local(skipped) @ total
        return total

    def ancestors(self) -> Iterator[VisualNode]:
        """Yield the nodes above this one, the nearest first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    def is_below(self, top: VisualNode) -> bool:
        """Return True if the node is another one, or hangs below it."""
        return self is top or top in self.ancestors()

    def walk(self) -> Iterator[VisualNode]:
        """Yield this node and all below it, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def postorder(self) -> Iterator[VisualNode]:
        """Yield this node and all below it, parents last."""
        waiting, found = [self], []
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(node.children)
        yield from reversed(found)

    def is_reached_by(self, element: Any, found: Found) -> bool:
        """Return True if a path leads here: to or through an element.

        Parameters
        ----------
        element
            The node's, or what instantiates it.
        """
        if self.element is not element and self.via is not element:
            return False
        passed = {one for one in found.trail if one.tag == "instance_node"}
        return passed <= {self.via, *(above.via for above in self.ancestors())}


def visual_scene(root: Any, target: Callable[[Any, str], Any]) -> tuple[Any, Any]:
    """Return the visual scene of a document and what instantiates it, None for neither.

    A document whose ``<scene>`` has none shows the first one of its libraries.

    Parameters
    ----------
    target
        ``(element, attribute) -> element`` that a URL leads to, or None.
    """
    instance = root.find("scene/instance_visual_scene")
    if instance is not None:
        return target(instance, "url"), instance
    return root.find("library_visual_scenes/visual_scene"), None


def read_nodes(
    holder: Any,
    target: Callable[[Any, str], Any],
    unit: Callable[[Any], float],
    note: Callable[[str, Any], None],
) -> list[VisualNode]:
    """Return the nodes of a ``<visual_scene>`` with instances in place.

    Parameters
    ----------
    target
        ``(element, attribute) -> element`` that a URL leads to, or None.
    unit
        Metres of one unit of length at an element.
    note
        Told of what is passed over.
    """
    roots: list[VisualNode] = []
    count = levels = 0
    waiting: list[tuple[Any, Any, VisualNode | None, int]] = [
        (one, None, None, 0) for one in reversed(list(children(holder, "node")))
    ]
    while waiting:
        element, via, parent, depth = waiting.pop()
        count, levels = count + 1, levels + depth
        if count > _MAX_NODES or levels > _MAX_LEVELS:
            note(
                f"the scene has more than {_MAX_NODES} nodes, or too many of them deep "
                "in others; the rest is left out",
                element,
            )
            break
        if depth > _MAX_DEPTH:
            note(f"nodes are nested over {_MAX_DEPTH} levels, or in a circle", element)
            continue
        node = VisualNode(element, via, parent)
        node.suffix = _suffix(via) + ("" if parent is None else parent.suffix)
        (roots if parent is None else parent.children).append(node)
        below: list[tuple[Any, Any, VisualNode | None, int]] = []
        for one in children(element):
            if one.tag in TRANSFORMS:
                try:
                    node.transforms.append((one, _matrix(one, unit(one))))
                except ElementError as error:
                    note(str(error), one)
            elif one.tag in _INSTANCES:
                node.geometries.append(one)
            elif one.tag == "node":
                below.append((one, None, node, depth + 1))
            elif one.tag == "instance_node":
                there = target(one, "url")
                if there is None:
                    note(f"the node {one.get('url')!r} is not found", one)
                else:
                    below.append((there, one, node, depth + 1))
        node.reach = _reach(node)
        if max(node.reach) <= _MAX_REACH:
            waiting.extend(reversed(below))
            continue
        note("the transforms of the node are absurdly large; it is left out", element)
        (roots if parent is None else parent.children).pop()
    return roots


def shown_geometry(
    instance: Any,
    target: Callable[[Any, str], Any],
    unit: Callable[[Any], float],
    note: Callable[[str, Any], None],
) -> tuple[Any, Array]:
    """Return the ``<geometry>`` that an instance shows, or None, and its place.

    Of a controller that is what its skin covers, at rest.

    Parameters
    ----------
    target, unit, note
        As for `read_nodes`.

    Returns
    -------
    geometry
        The element, or None.
    T_node_geometry : (4, 4) float64, metres
    """
    geometry, place = target(instance, "url"), np.eye(4)
    if geometry is None or geometry.tag != "controller":
        return geometry, place
    skin = child(geometry, "skin")
    if skin is None:
        return None, place
    shape = child(skin, "bind_shape_matrix")
    if shape is not None:
        try:
            place = _matrix(shape, unit(shape))
        except ElementError as error:
            note(str(error), shape)
    return target(skin, "source"), place


def _reach(node: VisualNode) -> tuple[float, float]:
    """Return bounds of the scale and translation of transforms up to a node."""
    scale, length = (1.0, 0.0) if node.parent is None else node.parent.reach
    for element, matrix in node.transforms:
        length += scale * float(np.abs(matrix[:3, 3]).sum())
        if element.tag in _DEFORMING:
            scale *= max(1.0, float(np.linalg.norm(matrix[:3, :3], 2)))
    return scale, length


def _suffix(instance: Any) -> str:
    """Return the suffix of an ``<instance_node>`` for the ids of its nodes."""
    for extra in () if instance is None else children(instance, "extra"):
        if extra.get("type") == "idsuffix":
            return (extra.get("name") or "").strip()
    return ""


def _matrix(element: Any, unit: float) -> Array:
    """Return one transform as (4, 4) in metres."""
    n = parse_numbers(element, np.float64)
    count = TRANSFORMS.get(element.tag, 16)
    if len(n) != count:
        raise ElementError(
            f"<{element.tag}> has {len(n)} numbers, expected {count}", element
        )
    if not np.abs(n).max() <= HUGE:
        raise ElementError(
            f"<{element.tag}> holds a number that is not finite or absurdly large",
            element,
        )
    matrix = np.eye(4)
    match element.tag:
        case "translate":
            matrix[:3, 3] = n * unit
        case "rotate":
            length = math.hypot(*n[:3])
            if length > 0.0:
                turn = n[:3] / length * math.radians(n[3])
                matrix[:3, :3] = matrix_from_axis_angle(turn)
        case "matrix" | "bind_shape_matrix":
            matrix[:3] = n[:12].reshape(3, 4)
            matrix[:3, 3] *= unit
        case "scale":
            matrix[:3, :3] = np.diag(n)
        case "skew":
            matrix[:3, :3] = _skew(n)
        case "lookat":
            return _look_at(n, unit)
    return matrix


def _skew(n: Array) -> Array:
    """Return the shear of angle, rotation axis, translation axis (RenderMan)."""
    angle = math.radians(n[0])
    lengths = np.linalg.norm(n[1:4]), np.linalg.norm(n[4:7])
    if not min(lengths):
        return np.eye(3)
    turned, along = n[1:4] / lengths[0], n[4:7] / lengths[1]
    across = turned - (turned @ along) * along
    size = float(np.linalg.norm(across))
    if not size:
        return np.eye(3)
    across /= size
    start = math.atan2(float(turned @ across), float(turned @ along))
    slope = 1.0 / math.tan(start - angle) - 1.0 / math.tan(start)
    return np.asarray(np.eye(3) + slope * np.outer(along, across))


def _look_at(n: Array, unit: float) -> Array:
    eye, there, up = n[:3], n[3:6], n[6:9]
    back = eye - there
    side = np.cross(up, back)
    matrix = np.eye(4)
    matrix[:3, 3] = eye * unit
    if not np.linalg.norm(back) or not np.linalg.norm(side):
        return matrix
    z = back / np.linalg.norm(back)
    x = side / np.linalg.norm(side)
    matrix[:3, 0], matrix[:3, 1], matrix[:3, 2] = x, np.cross(z, x), z
    return matrix
