"""PLY (the Stanford polygon format), text and binary of both byte orders."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.formats import write_bytes
from pyrave.geometry import Mesh, triangulate_faces
from pyrave.records import Record
from pyrave_meshes.colours import colour_materials
from pyrave_meshes.mesh_output import loss, lost_images
from pyrave_meshes.text import Lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.errors import Problem
    from pyrave.formats import MeshSource, Target, WriteContext
    from pyrave.scene import Material
    from pyrave.spatial import Array

_TYPES = {
    name: code
    for code, names in {
        "i1": "char int8",
        "u1": "uchar uint8",
        "i2": "short int16",
        "u2": "ushort uint16",
        "i4": "int int32",
        "u4": "uint uint32",
        "f4": "float float32",
        "f8": "double float64",
    }.items()
    for name in names.split()
}
_ORDERS = {"ascii": "", "binary_little_endian": "<", "binary_big_endian": ">"}
_MAX_HEADER = 1 << 20
_MAX_WALKED = 10_000_000
"""Rows of different lengths, which are read one by one."""

_MAX_PROPERTIES = 256
_LISTS = ("vertex_indices", "vertex_index")
_COLOURS = (("red", "green", "blue"), ("diffuse_red", "diffuse_green", "diffuse_blue"))


@dataclass(frozen=True, slots=True)
class _Property:
    name: str
    code: str
    count_code: str = ""


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    count: int
    line: int
    properties: tuple[_Property, ...]

    @property
    def has_lists(self) -> bool:
        return any(one.count_code for one in self.properties)


@dataclass(slots=True)
class _Columns(Record):
    """Data of an element: numbers by property, and lists as flat arrays."""

    numbers: dict[str, NDArray[Any]]
    lists: dict[str, tuple[NDArray[Any], NDArray[np.int64]]]


class PlyFormat:
    """PLY: vertices and polygons; colours of faces, or else of vertices."""

    name = "PLY"
    suffixes = (".ply",)

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` starts a PLY file."""
        return head.startswith((b"ply\n", b"ply\r"))

    def read(self, source: MeshSource) -> Mesh:
        """Return the mesh; polygons are cut into triangles."""
        order, elements, start = _header(source)
        found: dict[str, _Columns] = {}
        if order:
            for element in elements:
                found[element.name], start = _binary(source, element, order, start)
        else:
            first = source.data.count(b"\n", 0, start)
            lines = Lines(source, source.data[start:], first)
            row = 0
            for element in elements:
                found[element.name], row = _ascii(lines, element, row)
        return _mesh(source, found)

    def write(
        self,
        mesh: Mesh,
        target: Target,
        context: WriteContext,
    ) -> list[Problem]:
        """Write binary PLY with coordinates as they are and colours of the faces."""
        colours = [material.diffuse for material in mesh.materials]
        header = [
            "ply",
            "format binary_little_endian 1.0",
            "comment written by pyrave",
            f"element vertex {len(mesh.vertices)}",
            *(f"property double {axis}" for axis in "xyz"),
            f"element face {len(mesh.faces)}",
            "property list uchar int vertex_indices",
        ]
        fields: list[tuple[Any, ...]] = [("count", "u1"), ("corners", "<i4", 3)]
        coloured = any(colour is not None for colour in colours)
        if coloured:
            header += [f"property uchar {name}" for name in ("red", "green", "blue")]
            fields.append(("colour", "u1", 3))
        faces = np.zeros(len(mesh.faces), np.dtype(fields))
        faces["count"], faces["corners"] = 3, mesh.faces
        losses = []
        if coloured:
            table = np.array([(1.0,) * 3 if one is None else one for one in colours])
            rounded = np.round(np.clip(table, 0.0, 1.0) * 255.0)
            faces["colour"] = rounded[mesh.material_of_faces]
            if not np.allclose(rounded / 255.0, table, rtol=0.0, atol=1e-9):
                losses.append(loss("colours are rounded to 8 bits", target))
        if any(one.ambient or one.transparency for one in mesh.materials):
            losses.append(loss("PLY has no ambient colour and transparency", target))
        losses += lost_images(mesh, "PLY", target)
        text = "\n".join([*header, "end_header", ""]).encode()
        points = mesh.vertices.astype("<f8").tobytes()
        write_bytes(target, text + points + faces.tobytes())
        return losses


def _header(source: MeshSource) -> tuple[str, list[_Element], int]:
    """Return the byte order, the elements and where their data start."""
    head = source.data[:_MAX_HEADER]
    end = head.find(b"end_header")
    start = head.find(b"\n", end) + 1
    if end < 0 or not start:
        raise source.error("the header has no end", line=1)
    order: str | None = None
    elements: list[_Element] = []
    # only files from very old systems have carriage returns alone
    for number, line in enumerate(head[:end].splitlines(), 1):
        words = line.decode("ascii", "replace").split()
        if not words or words[0] in {"ply", "comment", "obj_info"}:
            continue
        problem = None
        if words[0] == "format" and len(words) > 1 and words[1] in _ORDERS:
            order = _ORDERS[words[1]]
        elif words[0] == "element" and len(words) == 3 and words[2].isdigit():
            # more digits than any file has things
            elements.append(_Element(words[1], int(words[2][:18]), number, ()))
        elif words[0] == "property" and elements:
            problem = _add_property(elements, words[1:])
        else:
            problem = f"{line[:60].decode('ascii', 'replace')!r} is no line of a header"
        if problem:
            raise source.error(problem, line=number)
    if order is None:
        raise source.error("the header does not say its format", line=1)
    return order, elements, start


def _add_property(elements: list[_Element], words: list[str]) -> str | None:
    """Add a property to the last element, or say what is wrong with it."""
    element = elements[-1]
    types = words[1:3] if words[:1] == ["list"] else words[:1]
    if len(words) != len(types) + 1 + (words[:1] == ["list"]):
        return "a property has a type and a name, or list, two types and a name"
    unknown = next((name for name in types if name not in _TYPES), None)
    if unknown is not None:
        return f"{unknown!r} is no type of PLY"
    codes = [_TYPES[name] for name in types]
    if len(codes) == 2 and codes[0].startswith("f"):
        return "the count of a list is a whole number"
    if len(element.properties) >= _MAX_PROPERTIES:
        return f"an element has more than {_MAX_PROPERTIES} properties"
    one = _Property(words[-1], codes[-1], codes[0] if len(codes) == 2 else "")
    elements[-1] = _Element(
        element.name, element.count, element.line, (*element.properties, one)
    )
    return None


def _binary(
    source: MeshSource, element: _Element, order: str, start: int
) -> tuple[_Columns, int]:
    if not element.has_lists:
        record = np.dtype(
            [(f"{k}", order + one.code) for k, one in enumerate(element.properties)]
        )
        size = record.itemsize * element.count
        _check_room(source, element, start, size)
        if not record.itemsize:
            return _Columns({}, {}), start
        table = np.frombuffer(source.data, record, element.count, start)
        numbers = {one.name: table[f"{k}"] for k, one in enumerate(element.properties)}
        return _Columns(numbers, {}), start + size
    found = _uniform(source, element, order, start)
    return found or _walk(source, element, order, start)


def _uniform(
    source: MeshSource, element: _Element, order: str, start: int
) -> tuple[_Columns, int] | None:
    """Return an element whose lists are as long as in its first row, or None."""
    fields: list[tuple[Any, ...]] = []
    position = start
    for k, one in enumerate(element.properties):
        if not one.count_code:
            fields.append((f"{k}", order + one.code))
            position += np.dtype(one.code).itemsize
            continue
        count = np.dtype(order + one.count_code)
        if position + count.itemsize > len(source.data):
            return None
        length = int(np.frombuffer(source.data, count, 1, position)[0])
        width = np.dtype(one.code).itemsize
        if length < 0 or length * width > len(source.data) - position:
            return None
        fields += [(f"n{k}", count), (f"{k}", order + one.code, (length,))]
        position += count.itemsize + length * width
    record = np.dtype(fields)
    size = record.itemsize * element.count
    if start + size > len(source.data):
        return None
    table = np.frombuffer(source.data, record, element.count, start)
    columns = _Columns({}, {})
    for k, one in enumerate(element.properties):
        if one.count_code:
            if (table[f"n{k}"] != table[f"n{k}"][:1]).any():
                return None
            lengths = table[f"n{k}"].astype(np.int64)
            columns.lists[one.name] = (table[f"{k}"].reshape(-1), lengths)
        else:
            columns.numbers[one.name] = table[f"{k}"]
    return columns, start + size


def _walk(
    source: MeshSource, element: _Element, order: str, start: int
) -> tuple[_Columns, int]:
    """Return an element with lists of different lengths, row by row."""
    if element.count > _MAX_WALKED:
        raise source.error(
            f"{element.count} of {element.name!r} with lists of different lengths are "
            f"too many, at most {_MAX_WALKED} are read",
            line=element.line,
            code="file-too-large",
        )
    smallest = sum(
        np.dtype(one.count_code or one.code).itemsize for one in element.properties
    )
    _check_room(source, element, start, smallest * element.count)
    data = source.data
    big = order == ">"
    # where each number is, and where each list starts and how long it is
    places: list[list[int]] = [[] for _ in element.properties]
    lengths: list[list[int]] = [[] for _ in element.properties]
    steps = [
        (
            k,
            np.dtype(one.code).itemsize,
            np.dtype(one.count_code).itemsize if one.count_code else 0,
            one.count_code.startswith("i"),
        )
        for k, one in enumerate(element.properties)
    ]
    byte_order: Any = "big" if big else "little"
    position = start
    for _ in range(element.count):
        for k, width, count_width, signed in steps:
            length = 1
            if count_width:
                raw = data[position : position + count_width]
                length = int.from_bytes(raw, byte_order, signed=signed)
                position += count_width
                lengths[k].append(length)
            places[k].append(position)
            position += length * width
            if length < 0 or position > len(data):
                raise source.error(
                    f"element {element.name!r} has a list of {length} numbers, but the "
                    "file ends before",
                    offset=places[k][-1],
                )
    columns = _Columns({}, {})
    everything = np.frombuffer(data, np.uint8)
    for k, one in enumerate(element.properties):
        width = np.dtype(one.code).itemsize
        sizes = np.array(lengths[k] or [1] * element.count, np.int64)
        begins = np.array(places[k], np.int64)
        # one place for each number of each list
        inside = np.arange(int(sizes.sum())) - np.repeat(
            np.cumsum(sizes) - sizes, sizes
        )
        first = np.repeat(begins, sizes) + inside * width
        raw_bytes = everything[first[:, None] + np.arange(width)]
        values = np.ascontiguousarray(raw_bytes).view(order + one.code).reshape(-1)
        if one.count_code:
            columns.lists[one.name] = (values, sizes)
        else:
            columns.numbers[one.name] = values
    return columns, position


def _check_room(source: MeshSource, element: _Element, start: int, size: int) -> None:
    if start + size > len(source.data):
        raise source.error(
            f"{element.count} of {element.name!r} need {size} bytes, but the file has "
            f"{len(source.data) - start} more",
            offset=start,
        )


def _ascii(lines: Lines, element: _Element, row: int) -> tuple[_Columns, int]:
    end = row + element.count
    if end > len(lines):
        raise lines.source.error(
            f"{element.count} of {element.name!r} are announced, but only "
            f"{max(len(lines) - row, 0)} lines are left",
            line=element.line,
        )
    chosen = np.zeros(len(lines), np.bool_)
    chosen[row:end] = True
    table = lines.table(chosen)
    words, values = table.counts, table.values()
    starts = np.cumsum(words) - words
    used = np.zeros(element.count, np.int64)

    def need(more: NDArray[np.int64]) -> None:
        wrong = (more < 0) | (used + more > words)
        if wrong.any():
            bad = int(np.argmax(wrong))
            raise table.error(
                bad, f"{element.name!r} has {words[bad]} numbers, expected more"
            )

    columns = _Columns({}, {})
    for one in element.properties:
        need(np.ones_like(used))
        here = values[starts + used] if element.count else np.zeros(0)
        used += 1
        if not one.count_code:
            columns.numbers[one.name] = here
            continue
        sizes = np.where(np.abs(here) < 2**31, here, -1).astype(np.int64)
        need(sizes)
        inside = np.arange(int(sizes.sum())) - np.repeat(
            np.cumsum(sizes) - sizes, sizes
        )
        columns.lists[one.name] = (
            values[np.repeat(starts + used, sizes) + inside],
            sizes,
        )
        used += sizes
    return columns, end


def _mesh(source: MeshSource, found: dict[str, _Columns]) -> Mesh:
    points = found.get("vertex")
    if points is None or not {"x", "y", "z"} <= set(points.numbers):
        raise source.error("the header has no vertices with x, y and z", line=1)
    vertices = np.stack([points.numbers[axis] for axis in "xyz"], axis=1).astype(
        np.float64
    )
    faces = found.get("face")
    name = next((n for n in _LISTS if faces and n in faces.lists), None)
    if faces is None or name is None:
        raise source.error(
            "the file holds no faces with vertex_indices", code="empty-mesh"
        )
    corners, counts = faces.lists[name]
    wide = corners.astype(np.int64)
    if corners.dtype.kind == "f" and (wide != corners).any():
        raise source.error("the vertices of a face are not whole numbers")
    triangles, owner = triangulate_faces(vertices, wide, counts)
    materials: tuple[Material, ...] = ()
    of_faces: NDArray[np.int32] | None = None
    of_face, of_vertex = _colours(faces), _colours(points)
    if of_face is not None:
        materials, of_faces = colour_materials(of_face[owner])
    elif of_vertex is not None and len(triangles):
        materials, of_faces = colour_materials(of_vertex[triangles[:, 0]])
    return Mesh(vertices, triangles, materials, of_faces)


def _colours(columns: _Columns) -> Array | None:
    """Return colours 0..1 of an element, (n, 3), if it has them."""
    for names in _COLOURS:
        if set(names) <= set(columns.numbers):
            parts = [columns.numbers[name] for name in names]
            table = np.stack(parts, axis=1).astype(np.float64)
            # whole numbers are bytes; text files do not keep the type
            is_byte = parts[0].dtype.kind in "ui" or (len(table) and table.max() > 1.0)
            return table / 255.0 if is_byte else table
    return None
