"""Wavefront OBJ with its material files."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error
from pyrave.formats import MeshSource, write_bytes
from pyrave.geometry import Mesh, triangulate_faces
from pyrave.scene import Material
from pyrave_meshes.colours import colour_materials, used_materials
from pyrave_meshes.text import Lines, Table
from pyrave_meshes.writing import lost, number_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.errors import Problem
    from pyrave.formats import Target, WriteContext
    from pyrave.spatial import Array

_BLANK, _SLASH = 32, ord("/")
_SLAB = 1 << 23


class ObjFormat:
    """OBJ: polygons of all groups; diffuse and ambient colours, transparency."""

    name = "OBJ"
    suffixes = (".obj",)

    def sniff(self, head: bytes) -> bool:
        """Return False: OBJ files have no mark, their suffix decides."""
        return False

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of all groups."""
        lines = Lines(source, _joined(source.data))
        vertex_lines = lines.starting_with(b"v")
        face_lines = lines.starting_with(b"f")
        vertex_table = lines.table(vertex_lines, 1)
        vertices = vertex_table.columns(3, "a vertex")
        faces = lines.table(face_lines, 1)
        slashed = faces.with_text(_without_slashes(faces))
        corners = _corners(slashed, vertex_lines, len(vertices))
        triangles, owner = triangulate_faces(vertices, corners, slashed.counts)
        materials, of_lines = _materials(lines, faces.rows)
        if of_lines is None:
            coloured = _vertex_colours(vertex_table, triangles)
        else:
            coloured = used_materials(materials, of_lines[owner])
        return Mesh(vertices, triangles, *coloured)

    def write(
        self,
        mesh: Mesh,
        target: Target,
        context: WriteContext,
    ) -> list[Problem]:
        """Write vertices and faces, and a material file of the same name beside."""
        losses = []
        parts = [b"# written by pyrave\n"]
        named = any(material != Material() for material in mesh.materials)
        if named and isinstance(target, (str, os.PathLike)):
            path = Path(target).with_suffix(".mtl")
            write_bytes(path, _material_file(mesh.materials))
            parts.append(f"mtllib {path.name}\n".encode())
        elif named:
            named = False
            losses.append(
                lost("a file object has no place for a material file", target)
            )
        parts.append(number_rows(b"v", mesh.vertices))
        if named:
            order = np.argsort(mesh.material_of_faces, kind="stable")
            of_faces = mesh.material_of_faces[order]
            cuts = np.flatnonzero(np.diff(of_faces, prepend=-1, append=-1))
            for begin, end in pairwise(cuts):
                parts += [
                    f"usemtl material{of_faces[begin]}\n".encode(),
                    number_rows(b"f", mesh.faces[order[begin:end]] + 1),
                ]
        else:
            parts.append(number_rows(b"f", mesh.faces + 1))
        write_bytes(target, b"".join(parts))
        return losses


def _joined(data: bytes) -> bytes:
    """Return the text with continued lines joined, each byte where it was."""
    return data.replace(b"\\\r\n", b" \v ").replace(b"\\\n", b"\v ")


def _without_slashes(faces: Table) -> NDArray[np.uint8]:
    """Return the bytes of face lines with all but the vertex of ``v/vt/vn`` blanked."""
    text = faces.text.copy()
    if not (text == _SLASH).any():
        return text
    begin = 0
    while begin < len(text):
        # in parts, each whole lines, so that the places need little memory
        part = text[begin : begin + _SLAB]
        if begin + len(part) < len(text):
            ends = np.flatnonzero(part == ord("\n"))
            part = part[: int(ends[-1]) + 1] if len(ends) else text[begin:]
        place = np.arange(len(part))
        slash = np.maximum.accumulate(np.where(part == _SLASH, place, -1))
        blank = np.maximum.accumulate(np.where(part <= _BLANK, place, -1))
        part[slash > blank] = _BLANK
        begin += len(part)
    return text


def _corners(
    faces: Table, vertex_lines: NDArray[np.bool_], n_vertices: int
) -> NDArray[np.int64]:
    """Return the vertices of all faces; a negative index counts back from its line."""
    written = faces.values(np.int64)
    known = np.cumsum(vertex_lines)[faces.rows]
    corners = np.where(written > 0, written - 1, written)
    negative = written < 0
    if negative.any():
        corners[negative] += np.repeat(known, faces.counts)[negative]
    wrong = (written == 0) | (corners < 0) | (corners >= n_vertices)
    if wrong.any():
        word = int(np.argmax(wrong))
        raise faces.error(
            faces.row_of_word(word),
            f"a face uses vertex {written[word]} of {n_vertices} "
            "(indices count from 1)",
        )
    return corners


def _vertex_colours(
    table: Table, triangles: NDArray[np.int32]
) -> tuple[tuple[Material, ...], NDArray[np.int32] | None]:
    """Return materials if vertices have colours after their coordinates."""
    counts = table.counts
    if len(counts) == 0 or not (counts == 6).all():
        return (), None
    return colour_materials(table.values().reshape(-1, 6)[triangles[:, 0], 3:])


def _materials(
    lines: Lines, face_rows: NDArray[np.intp]
) -> tuple[tuple[Material, ...], NDArray[np.int32] | None]:
    """Return the materials and that of each face line."""
    uses = np.flatnonzero(lines.starting_with(b"usemtl"))
    if len(uses) == 0:
        return (), None
    library: dict[str, Material] = {}
    for row in np.flatnonzero(lines.starting_with(b"mtllib")):
        name = _rest(lines.line(int(row)))
        try:
            library.update(_read_library(lines.source.sibling(name)))
        except Error as error:
            lines.source.warn(
                f"its materials are not known: {error}", line=lines.number(int(row))
            )
    # faces before the first use have the material that says nothing
    names = [""]
    found: dict[str, int] = {"": 0}
    index = np.zeros(len(uses) + 1, np.int32)
    for k, row in enumerate(uses, 1):
        name = _rest(lines.line(int(row)))
        if name not in found:
            found[name] = len(names)
            names.append(name)
            if library and name not in library:
                lines.source.warn(
                    f"no material file has {name!r}", line=lines.number(int(row))
                )
        index[k] = found[name]
    materials = tuple(library.get(name, Material()) for name in names)
    return materials, index[np.searchsorted(uses, face_rows)]


def _rest(line: bytes) -> str:
    """Return what follows the first word of a line."""
    _, _, rest = line.partition(line.split()[0])
    return rest.strip().decode("utf-8", "replace")


def _read_library(source: MeshSource) -> dict[str, Material]:
    """Return the materials of an MTL file by name."""
    found: dict[str, Material] = {}
    name = None
    values: dict[str, Array] = {}
    for number, line in enumerate([*source.data.splitlines(), b"newmtl"], 1):
        words = line.split()
        if not words:
            continue
        keyword = words[0].lower().decode("ascii", "replace")
        if keyword == "newmtl":
            if name is not None:
                found[name] = _material(values)
            name, values = _rest(line), {}
        elif keyword in {"kd", "ka", "d", "tr"}:
            count = 3 if keyword.startswith("k") else 1
            try:
                numbers = np.array([float(word) for word in words[1 : count + 1]])
            except ValueError:
                # a spectral or XYZ colour, or a halo: nothing that a Material says
                continue
            if len(numbers) == count and np.isfinite(numbers).all():
                values[keyword] = np.clip(numbers, 0.0, 1.0)
            else:
                source.warn(f"{keyword} does not have {count} numbers", line=number)
    return found


def _material(values: dict[str, Array]) -> Material:
    def colour(keyword: str) -> tuple[float, float, float] | None:
        if keyword not in values:
            return None
        red, green, blue = (float(value) for value in values[keyword])
        return red, green, blue

    transparency = 0.0
    if "d" in values:
        transparency = 1.0 - float(values["d"][0])
    elif "tr" in values:
        transparency = float(values["tr"][0])
    return Material(colour("kd"), colour("ka"), transparency)


def _material_file(materials: tuple[Material, ...]) -> bytes:
    lines = ["# written by pyrave"]
    for k, material in enumerate(materials):
        lines.append(f"newmtl material{k}")
        for keyword, colour in (("Kd", material.diffuse), ("Ka", material.ambient)):
            if colour is not None:
                lines.append(" ".join((keyword, *(repr(float(v)) for v in colour))))
        if material.transparency:
            lines.append(f"d {1.0 - material.transparency!r}")
    return "\n".join([*lines, ""]).encode()
