"""COLLADA (1.4 and 1.5) as a mesh: the geometries of its scene, in metres."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.formats import XmlLimits, local_name, parse_document
from pyrave.geometry import Mesh, triangulate_faces
from pyrave.scene import Material
from pyrave.spatial import matrix_from_axis_angle
from pyrave_meshes.text import parse_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pyrave.errors import SceneError
    from pyrave.formats import MeshSource
    from pyrave.spatial import Array

__all__ = ["ColladaMeshFormat"]

_ROOT = re.compile(rb"<(?:\w+:)?COLLADA[\s>]")
_LIMITS = XmlLimits(file_bytes=512 * 1024 * 1024, long_texts=True)
_MAX_DEPTH = 100
_MAX_NODES = 200_000
_MAX_TRIANGLES = 50_000_000
_POLYGONS = ("triangles", "polylist", "polygons", "tristrips", "trifans")
_SHADINGS = ("phong", "lambert", "blinn", "constant")


class ColladaMeshFormat:
    """COLLADA: triangles and polygons of the scene, with the colours of effects.

    Robots, joints and physics are a matter of scene formats.
    """

    name = "COLLADA mesh"
    suffixes = (".dae",)
    is_scene = False

    def sniff(self, head: bytes) -> bool:
        """Return whether `head` is XML with the root COLLADA."""
        return _ROOT.search(head) is not None

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of everything in the scene; axes stay as written."""
        return _Document(source).read()


@dataclass(frozen=True, slots=True)
class _Part:
    """Triangles of one primitive of a geometry."""

    mesh: Mesh
    symbol: str


class _Document:
    """The elements of a file by their ids, and what was read of them."""

    def __init__(self, source: MeshSource) -> None:
        self.source = source
        document = parse_document(source.data, source.file, _LIMITS)
        self.root = document.root
        if local_name(self.root).rpartition(":")[2] != "collada":
            raise self.error(f"the root is {self.root.tag}, not COLLADA", self.root)
        self.by_id = {
            element.get("id"): element
            for element in self.root.iter("*")
            if element.get("id") is not None
        }
        self.geometries: dict[Any, list[_Part]] = {}
        self.materials: dict[Any, Material] = {}
        self.nodes_left = _MAX_NODES
        self.triangles_left = _MAX_TRIANGLES

    def error(self, message: str, element: Any) -> SceneError:
        return self.source.error(message, line=element.sourceline)

    def read(self) -> Mesh:
        unit = _find(self.root, "asset", "unit")
        scale = 1.0 if unit is None else self.number(unit, unit.get("meter", "1"))
        if not scale > 0.0:
            raise self.error(f"the unit has {scale} metres", unit)
        parts = list(self.scene(np.diag([scale, scale, scale, 1.0])))
        return Mesh.merge(parts)

    def scene(self, matrix: Array) -> Iterator[Mesh]:
        """Yield the meshes of the scene, or of all geometries if there is none."""
        instance = _find(self.root, "scene", "instance_visual_scene")
        if instance is not None:
            scene = self.target(instance, "url")
        else:
            scene = _find(self.root, "library_visual_scenes", "visual_scene")
        if scene is None:
            for library in _children(self.root, "library_geometries"):
                for geometry in _children(library, "geometry"):
                    yield from self.place(geometry, matrix, {})
            return
        for node in _children(scene, "node"):
            yield from self.node(node, matrix, 0)

    def node(self, node: Any, parent: Array, depth: int) -> Iterator[Mesh]:
        """Yield the meshes of a node and the nodes below it."""
        self.nodes_left -= 1
        if depth > _MAX_DEPTH or self.nodes_left < 0:
            raise self.error(
                f"nodes are nested over {_MAX_DEPTH} levels, or in a circle"
                if depth > _MAX_DEPTH
                else f"the scene has more than {_MAX_NODES} nodes",
                node,
            )
        matrix = parent @ self.transform(node)
        for child in node.iterchildren("*"):
            tag = _tag(child)
            if tag == "node":
                yield from self.node(child, matrix, depth + 1)
            elif tag == "instance_node":
                target = self.target(child, "url")
                if target is not None:
                    yield from self.node(target, matrix, depth + 1)
            elif tag == "instance_geometry":
                target = self.target(child, "url")
                if target is not None:
                    yield from self.place(target, matrix, self.bound(child))
            elif tag == "instance_controller":
                yield from self.skin(child, matrix)

    def skin(self, instance: Any, matrix: Array) -> Iterator[Mesh]:
        """Yield the geometry of a skin as it is before it is bent."""
        controller = self.target(instance, "url")
        skin = None if controller is None else _find(controller, "skin")
        geometry = None if skin is None else self.target(skin, "source")
        if geometry is None:
            return
        shape = _find(skin, "bind_shape_matrix")
        if shape is not None:
            matrix = matrix @ self.numbers(shape, 16).reshape(4, 4)
        yield from self.place(geometry, matrix, self.bound(instance))

    def place(
        self, geometry: Any, matrix: Array, materials: dict[str, Material]
    ) -> Iterator[Mesh]:
        """Yield the triangles of a geometry at a place."""
        if geometry not in self.geometries:
            self.geometries[geometry] = list(self.geometry(geometry))
        for part in self.geometries[geometry]:
            self.triangles_left -= len(part.mesh.faces)
            if self.triangles_left < 0:
                raise self.error(
                    f"the scene has more than {_MAX_TRIANGLES} triangles", geometry
                )
            material = materials.get(part.symbol, Material())
            mesh = Mesh(part.mesh.vertices, part.mesh.faces, (material,))
            try:
                yield mesh.transformed(matrix)
            except ArgumentError as error:
                raise self.error(str(error), geometry) from error

    # -- transforms ----------------------------------------------------------------

    def transform(self, node: Any) -> Array:
        """Return the (4, 4) product of a node's transforms, in their order."""
        matrix = np.eye(4)
        for child in node.iterchildren("*"):
            tag = _tag(child)
            step = np.eye(4)
            if tag == "matrix":
                step = self.numbers(child, 16).reshape(4, 4)
                step[3] = (0.0, 0.0, 0.0, 1.0)
            elif tag == "translate":
                step[:3, 3] = self.numbers(child, 3)
            elif tag == "scale":
                step[:3, :3] = np.diag(self.numbers(child, 3))
            elif tag == "rotate":
                *axis, angle_deg = self.numbers(child, 4)
                length = math.hypot(*axis)
                if length > 0.0:
                    turn = np.array(axis) / length * math.radians(angle_deg)
                    step[:3, :3] = matrix_from_axis_angle(turn)
            elif tag in {"skew", "lookat"}:
                raise self.error(f"<{tag}> is not read", child)
            else:
                continue
            matrix = matrix @ step
        return matrix

    # -- geometry ------------------------------------------------------------------

    def geometry(self, geometry: Any) -> Iterator[_Part]:
        mesh = _find(geometry, "mesh")
        if mesh is None:
            self.source.warn(
                f"geometry {geometry.get('id')!r} is no mesh", line=geometry.sourceline
            )
            return
        for child in mesh.iterchildren("*"):
            if _tag(child) in _POLYGONS:
                part = self.primitive(child)
                if part is not None:
                    yield part

    def primitive(self, primitive: Any) -> _Part | None:
        """Return the triangles of one element of polygons."""
        offset, stride, vertices = 0, 1, None
        for given in _children(primitive, "input"):
            place = int(self.number(given, given.get("offset", "0")))
            if not 0 <= place < 1000:
                raise self.error(f"an input has the offset {place}", given)
            stride = max(stride, place + 1)
            if given.get("semantic") == "VERTEX":
                offset, vertices = place, self.positions(given)
        if vertices is None:
            raise self.error("the polygons have no input VERTEX", primitive)
        rings = self.rings(primitive, stride)
        corners = [ring[offset::stride] for ring in rings]
        tag = _tag(primitive)
        if tag == "triangles":
            counts = [np.full(len(ring) // 3, 3) for ring in corners]
            corners = [ring[: len(ring) // 3 * 3] for ring in corners]
        elif tag == "polylist":
            counts = [self.vcount(primitive)]
            if corners and len(corners[0]) != counts[0].sum():
                raise self.error(
                    f"<vcount> adds up to {counts[0].sum()} corners, but <p> has "
                    f"{len(corners[0])}",
                    primitive,
                )
        elif tag == "polygons":
            counts = [np.array([len(ring)]) for ring in corners]
        else:
            corners = [_cut(ring, strip=tag == "tristrips") for ring in corners]
            counts = [np.full(len(ring) // 3, 3) for ring in corners]
        if not corners or not sum(map(len, corners)):
            return None
        try:
            triangles, _ = triangulate_faces(
                vertices, np.concatenate(corners), np.concatenate(counts)
            )
            return _Part(Mesh(vertices, triangles), primitive.get("material", ""))
        except ArgumentError as error:
            raise self.error(str(error), primitive) from error

    def rings(self, primitive: Any, stride: int) -> list[NDArray[np.int64]]:
        """Return the whole numbers of each <p>; holes of polygons are filled."""
        elements = list(_children(primitive, "p"))
        for holed in _children(primitive, "ph"):
            self.source.warn("a hole of a polygon is filled", line=holed.sourceline)
            elements += _children(holed, "p")
        rings = []
        for element in elements:
            ring = self.whole_numbers(element)
            if len(ring) % stride:
                raise self.error(
                    f"<p> has {len(ring)} numbers, not a multiple of {stride}", element
                )
            rings.append(ring)
        return rings

    def vcount(self, primitive: Any) -> NDArray[np.int64]:
        element = _find(primitive, "vcount")
        counts = (
            np.zeros(0, np.int64) if element is None else self.whole_numbers(element)
        )
        if (counts < 0).any():
            raise self.error("<vcount> has a negative number", element)
        return counts

    def positions(self, given: Any) -> Array:
        """Return the positions (n, 3) behind an input VERTEX."""
        vertices = self.target(given, "source", needed=True)
        for one in _children(vertices, "input"):
            if one.get("semantic") == "POSITION":
                return self.points(self.target(one, "source", needed=True))
        raise self.error("<vertices> have no POSITION", vertices)

    def points(self, source: Any) -> Array:
        array = _find(source, "float_array")
        if array is None:
            raise self.error("a source of positions has no <float_array>", source)
        values = self.numbers(array)
        accessor = _find(source, "technique_common", "accessor")
        get = (lambda *_: None) if accessor is None else accessor.get
        stride = int(self.number(source, get("stride") or "3"))
        offset = int(self.number(source, get("offset") or "0"))
        if not 3 <= stride <= 1000 or offset < 0:
            raise self.error(f"positions have stride {stride}, offset {offset}", source)
        values = values[offset:]
        rows = (len(values) + stride - 3) // stride
        padded = np.zeros(rows * stride)
        padded[: min(len(values), len(padded))] = values[: len(padded)]
        return padded.reshape(rows, stride)[:, :3]

    # -- materials -----------------------------------------------------------------

    def bound(self, instance: Any) -> dict[str, Material]:
        """Return the materials that an instance binds to symbols."""
        found = {}
        technique = _find(instance, "bind_material", "technique_common")
        for one in (
            () if technique is None else _children(technique, "instance_material")
        ):
            target = self.target(one, "target")
            if target is not None:
                found[one.get("symbol", "")] = self.material(target)
        return found

    def material(self, element: Any) -> Material:
        if element not in self.materials:
            self.materials[element] = self._material(element)
        return self.materials[element]

    def _material(self, element: Any) -> Material:
        instance = _find(element, "instance_effect")
        effect = None if instance is None else self.target(instance, "url")
        technique = (
            None if effect is None else _find(effect, "profile_common", "technique")
        )
        if technique is None:
            return Material()
        shading = next(
            (c for c in technique.iterchildren("*") if _tag(c) in _SHADINGS), None
        )
        if shading is None:
            return Material()
        return Material(
            self.colour(_find(shading, "diffuse")),
            self.colour(_find(shading, "ambient")),
            self.transparency(shading),
        )

    def colour(self, element: Any) -> tuple[float, float, float] | None:
        """Return the colour of an effect's property; textures have none."""
        given = None if element is None else _find(element, "color")
        if given is None:
            return None
        red, green, blue = np.clip(self.numbers(given)[:3], 0.0, 1.0).tolist()
        return red, green, blue

    def transparency(self, shading: Any) -> float:
        """Return 0 opaque to 1 invisible, from <transparent> and <transparency>."""
        transparent = _find(shading, "transparent")
        amount = _find(shading, "transparency", "float")
        share = 1.0 if amount is None else float(self.numbers(amount, 1)[0])
        given = None if transparent is None else _find(transparent, "color")
        if given is None:
            return 0.0
        colour = np.append(self.numbers(given), (1.0,) * 4)[:4]
        if transparent.get("opaque", "A_ONE") == "RGB_ZERO":
            # luminance, COLLADA 1.4.1 release notes
            value = share * float(colour[:3] @ (0.212671, 0.715160, 0.072169))
        else:
            value = 1.0 - share * float(colour[3])
        return min(max(value, 0.0), 1.0)

    # -- values --------------------------------------------------------------------

    def target(self, element: Any, attribute: str, *, needed: bool = False) -> Any:
        """Return what ``#id`` stands for; None, with a warning, if it is nothing."""
        name = element.get(attribute, "")
        found = self.by_id.get(name.removeprefix("#"))
        if found is None:
            message = f"{name!r} is not the id of an element of this file"
            if needed:
                raise self.error(message, element)
            self.source.warn(message, line=element.sourceline)
        return found

    def number(self, element: Any, text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not abs(value) < 1e15:
            raise self.error(f"{text[:40]!r} is not a usable number", element)
        return value

    def numbers(self, element: Any, count: int | None = None) -> Array:
        """Return the numbers of an element's text."""
        values = self._parse(element, np.float64)
        if count is not None and len(values) != count:
            raise self.error(
                f"<{_tag(element)}> has {len(values)} numbers, expected {count}",
                element,
            )
        if not np.isfinite(values).all():
            raise self.error(f"<{_tag(element)}> is not finite", element)
        return values

    def whole_numbers(self, element: Any) -> NDArray[np.int64]:
        return self._parse(element, np.int64)

    def _parse(self, element: Any, dtype: type[np.generic]) -> NDArray[Any]:
        found = parse_numbers((element.text or "").encode(), dtype)
        if found is None:
            kind = "whole number" if dtype is np.int64 else "number"
            raise self.error(f"a word of <{_tag(element)}> is no {kind}", element)
        return found


def _tag(element: Any) -> str:
    return local_name(element).rpartition(":")[2]


def _children(element: Any, tag: str) -> Iterator[Any]:
    return (child for child in element.iterchildren("*") if _tag(child) == tag)


def _find(element: Any, *path: str) -> Any:
    """Return the first element at a path of tags, or None."""
    for tag in path:
        element = next(_children(element, tag), None)
        if element is None:
            return None
    return element


def _cut(ring: NDArray[np.int64], *, strip: bool) -> NDArray[np.int64]:
    """Return the triangles of a strip or a fan, one after the other."""
    if len(ring) < 3:
        return ring[:0]
    if not strip:
        first = np.broadcast_to(ring[:1], len(ring) - 2)
        return np.stack((first, ring[1:-1], ring[2:]), axis=1).reshape(-1)
    found = np.stack((ring[:-2], ring[1:-1], ring[2:]), axis=1)
    # every second triangle of a strip runs the other way
    found[1::2] = found[1::2, ::-1]
    return found.reshape(-1)
