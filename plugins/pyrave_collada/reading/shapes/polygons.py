"""Meshes of geometries: triangles by material, whatever polygons are written."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.coercion import HUGE
from pyrave.errors import ArgumentError
from pyrave.geometry import triangulate_faces
from pyrave_collada.document.extras import exact_part
from pyrave_collada.document.faults import ElementError
from pyrave_collada.document.numbers import parse_numbers
from pyrave_collada.document.parsed import child, children

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from pyrave.spatial import Array

    Whole = NDArray[np.int64]

_POLYGONS = ("triangles", "polylist", "polygons", "tristrips", "trifans")
_INDEXED = ("indexed", "unshared")
_MAX_INPUTS = 1000
# farther repetitions of an image are beyond single precision
_FARTHEST = 1e6
_ODD = np.array(
    (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9), dtype=np.uint64
)
_HALF = np.uint64(32)


@dataclass(frozen=True, slots=True, eq=False)
class MeshPart:
    """Triangles of one material.

    Parameters
    ----------
    vertices
        (n, 3) in units of the document.
    faces
        (m, 3).
    symbol
        Name that instances bind a material to, or empty.
    places
        (m, 3, 2) where corners lie in images, or None.
    """

    vertices: Array
    faces: NDArray[np.int32]
    symbol: str
    places: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class _Polygons:
    """Polygons of one element: vertices, corners, how many each has, places."""

    points: Array
    corners: Whole
    counts: Whole
    places: Array | None


def read_parts(
    geometry: Any,
    target: Callable[[Any, str], Any],
    note: Callable[[str, Any], None],
    *,
    textured: bool = False,
) -> list[MeshPart]:
    """Return the triangles of a ``<geometry>``, one part for each material.

    Parameters
    ----------
    target
        ``(element, attribute) -> element`` that a URL leads to, or None.
    note
        Told of what is passed over.
    textured
        Whether it matters where corners lie in images.

    Raises
    ------
    ElementError
        Something in it is wrong.
    """
    mesh = next(children(geometry, "mesh", "convex_mesh"), None)
    if mesh is None:
        note(f"geometry {geometry.get('id')!r} is no mesh", geometry)
        return []
    hull = mesh.get("convex_hull_of")
    if hull:
        geometry = target(mesh, "convex_hull_of")
        whole = None if geometry is None else child(geometry, "mesh")
        if whole is None:
            raise ElementError(f"{hull!r} is no mesh of this file", mesh)
        mesh = whole
    parts = _MeshReader(mesh, target, note, textured=textured).parts()
    if _is_indexed(geometry):
        return parts
    # polygons of two corners are lines
    solid = [part for part in parts if len(part.faces)]
    if len(solid) < len(parts):
        note(f"geometry {geometry.get('id')!r} has polygons without area", geometry)
    return [_compact(part) for part in solid]


class _MeshReader:
    """Reads one ``<mesh>``."""

    def __init__(
        self,
        mesh: Any,
        target: Callable[[Any, str], Any],
        note: Callable[[str, Any], None],
        *,
        textured: bool,
    ) -> None:
        self.textured = textured
        self.mesh = mesh
        self.target = target
        self.note = note
        self.known: dict[tuple[Any, int], Array] = {}

    def parts(self) -> list[MeshPart]:
        found: dict[str, list[_Polygons]] = {}
        for primitive in children(self.mesh, *_POLYGONS):
            one = self.primitive(primitive)
            if one is not None:
                found.setdefault(primitive.get("material") or "", []).append(one)
        parts = []
        for symbol, several in found.items():
            groups: dict[int, list[_Polygons]] = {}
            for one in several:
                groups.setdefault(id(one.points), []).append(one)
            vertices, faces, places, first = [], [], [], 0
            for group in groups.values():
                try:
                    triangles, laid = _triangles(group)
                except ArgumentError as error:
                    raise ElementError(str(error), self.mesh) from error
                vertices.append(group[0].points)
                faces.append(triangles + first)
                places.append(laid)
                first += len(group[0].points)
            points = vertices[0] if len(vertices) == 1 else np.concatenate(vertices)
            of_corners = [one for one in places if one is not None]
            parts.append(
                MeshPart(
                    points,
                    np.concatenate(faces),
                    symbol,
                    np.concatenate(of_corners) if of_corners == places else None,
                )
            )
        return parts

    def primitive(self, primitive: Any) -> _Polygons | None:
        """Return the polygons of an element; None if there are none."""
        offset, stride, vertices = 0, 1, None
        laid: Any = None
        for given in children(primitive, "input"):
            place = self.whole(given.get("offset") or "0", given)
            if not 0 <= place < _MAX_INPUTS:
                raise ElementError(f"an input has the offset {place}", given)
            stride = max(stride, place + 1)
            if given.get("semantic") == "VERTEX":
                offset, vertices = place, self.positions(given)
            elif given.get("semantic") == "TEXCOORD" and laid is None:
                # the first ones, as nearly all files have one set
                laid = given if self.textured else None
        rings = self.rings(primitive, stride)
        if not sum(map(len, rings)):
            return None
        if vertices is None:
            raise ElementError("the polygons have no input VERTEX", primitive)
        # a row for each corner
        rows = [ring.reshape(-1, stride) for ring in rings]
        tag = primitive.tag
        if tag == "triangles":
            rows = [one[: len(one) // 3 * 3] for one in rows]
            counts = [np.full(len(one) // 3, 3, np.int64) for one in rows]
        elif tag == "polylist":
            counts = [self.vcount(primitive, sum(map(len, rows)))]
        elif tag == "polygons":
            counts = [np.array([len(one)], np.int64) for one in rows]
        else:
            strip = tag == "tristrips"
            rows = [one[_cut(np.arange(len(one)), strip=strip)] for one in rows]
            counts = [np.full(len(one) // 3, 3, np.int64) for one in rows]
        all_rows = np.concatenate(rows)
        joined = all_rows[:, offset]
        if not len(joined):
            return None
        if joined.min() < 0 or joined.max() >= len(vertices):
            wrong = joined.min() if joined.min() < 0 else joined.max()
            raise ElementError(
                f"<p> refers to the vertex {int(wrong)}, but there are {len(vertices)}",
                primitive,
            )
        places = None if laid is None else self.places(laid, all_rows)
        return _Polygons(vertices, joined, np.concatenate(counts), places)

    def places(self, given: Any, rows: Whole) -> Array | None:
        """Return image coordinates of corners, (k, 2); None if they are not usable."""
        try:
            known = self.points(given, 2)
            index = rows[:, self.whole(given.get("offset") or "0", given)]
        except ElementError as error:
            self.note(f"images are not shown: {error}", given)
            return None
        if len(index) and not 0 <= index.min() <= index.max() < len(known):
            self.note(
                f"images are not shown: <p> refers to the place {int(index.max())}, "
                f"but there are {len(known)}",
                given,
            )
            return None
        return known[index].clip(-_FARTHEST, _FARTHEST)

    def rings(self, primitive: Any, stride: int) -> list[Whole]:
        """Return the whole numbers of each <p>; holes of polygons are filled."""
        elements = list(children(primitive, "p"))
        for holed in children(primitive, "ph"):
            self.note("a hole of a polygon is filled", holed)
            elements += children(holed, "p")
        rings = []
        for element in elements:
            ring = parse_numbers(element, np.int64)
            if len(ring) % stride:
                raise ElementError(
                    f"<p> has {len(ring)} numbers, not a multiple of {stride}", element
                )
            rings.append(ring)
        return rings

    def vcount(self, primitive: Any, corners: int) -> Whole:
        """Return the number of corners of each polygon, of so many in all."""
        element = child(primitive, "vcount")
        counts: Whole = np.zeros(0, np.int64)
        if element is not None:
            counts = parse_numbers(element, np.int64)
        if (counts < 0).any():
            raise ElementError("<vcount> has a negative number", element)
        total = counts.sum(dtype=np.float64)  # 64 bits need not hold it
        if total != corners:
            raise ElementError(
                f"<vcount> adds up to {total:.0f} corners, but <p> has {corners}",
                primitive,
            )
        return counts

    def positions(self, given: Any) -> Array:
        """Return the positions (n, 3) behind an input VERTEX.

        Old writers give a malformed URL there: a mesh has one ``<vertices>``.
        """
        vertices = child(self.mesh, "vertices")
        if vertices is None:
            vertices = self.target(given, "source")
        if vertices is None:
            raise ElementError("the mesh has no <vertices>", given)
        for one in children(vertices, "input"):
            if one.get("semantic") == "POSITION":
                return self.points(one)
        raise ElementError("<vertices> have no POSITION", vertices)

    def points(self, given: Any, width: int = 3) -> Array:
        source = None
        name = (given.get("source") or "").removeprefix("#")
        for one in children(self.mesh, "source"):  # ids repeat between meshes
            if one.get("id") == name:
                source = one
        if source is None:
            source = self.target(given, "source")
        if source is None:
            raise ElementError(f"{name!r} is no source of this file", given)
        known = self.known.get((source, width))
        if known is None:
            known = self.known[source, width] = self._points(source, width)
        return known

    def _points(self, source: Any, width: int) -> Array:
        array = child(source, "float_array")
        if array is None:
            raise ElementError("a source of positions has no <float_array>", source)
        values = parse_numbers(array, np.float64)
        if values.size and not np.abs(values).max() <= HUGE:
            raise ElementError(
                "<float_array> holds a number that is not finite or absurdly large",
                array,
            )
        accessor = source.find("technique_common/accessor")
        get = source.get if accessor is None else accessor.get
        stride = self.whole(get("stride") or str(width), source)
        offset = self.whole(get("offset") or "0", source)
        if not width <= stride <= _MAX_INPUTS or offset < 0:
            raise ElementError(
                f"positions have stride {stride}, offset {offset}", source
            )
        values = values[offset:]
        rows = (len(values) + stride - width) // stride
        padded = np.zeros(rows * stride)
        padded[: min(len(values), len(padded))] = values[: len(padded)]
        return padded.reshape(rows, stride)[:, :width]

    def whole(self, text: str, element: Any) -> int:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not abs(value) < 1e15:
            raise ElementError(f"{text[:40]!r} is not a usable number", element)
        return int(value)


def _is_indexed(geometry: Any) -> bool:
    """Return True if vertices are to stay as they are, as pyrave's writer says."""
    exact = exact_part(geometry)
    return exact is not None and any(True for _ in children(exact, *_INDEXED))


def _compact(part: MeshPart) -> MeshPart:
    """Return a part of the vertices that its faces use, equal ones merged."""
    used = part.vertices[part.faces.reshape(-1)] + 0.0  # no negative zeros
    keys = _hashes(used)
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    sizes = np.diff(starts, append=len(order))
    first = order[starts]
    group = np.empty(len(order), np.int64)
    group[order] = np.repeat(np.arange(len(first)), sizes)
    if not np.array_equal(used[first[group]], used):
        _, first, group = np.unique(
            used, axis=0, return_index=True, return_inverse=True
        )
    # in the order of the file
    kept = np.argsort(first)
    place = np.empty(len(kept), np.int32)
    place[kept] = np.arange(len(kept), dtype=np.int32)
    faces = place[group].reshape(-1, 3)
    return MeshPart(used[first[kept]], faces, part.symbol, part.places)


def _hashes(rows: Array) -> NDArray[np.uint64]:
    """Return one number for each row of three: sorting those takes a tenth of the time.

    A product alone would give mirrored rows, which differ in two signs, one number.
    """
    bits = rows.view(np.uint64)
    found: NDArray[np.uint64] = bits[:, 0] * _ODD[0]
    for i in (1, 2):
        found ^= found >> _HALF
        found += bits[:, i]
        found *= _ODD[i]
    return found ^ (found >> _HALF)


def _triangles(
    group: list[_Polygons],
) -> tuple[NDArray[np.int32], NDArray[np.float32] | None]:
    """Return triangles of polygons with the same vertices, and where corners lie."""
    points = group[0].points
    corners = np.concatenate([one.corners for one in group])
    counts = np.concatenate([one.counts for one in group])
    places = [one.places for one in group if one.places is not None]
    if len(places) < len(group):
        return triangulate_faces(points, corners, counts)[0], None
    # corners by number: each has a place in the image, too
    numbers, _ = triangulate_faces(points[corners], np.arange(len(corners)), counts)
    laid = np.concatenate(places).astype(np.float32)[numbers]
    return corners[numbers].astype(np.int32), laid


def _cut(ring: Whole, *, strip: bool) -> Whole:
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
