"""STL, binary and ASCII, and the comment lines that CAD programs put before it."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from pyrave.formats import write_bytes
from pyrave.geometry import Mesh, weld
from pyrave.scene import Material
from pyrave.spatial import matrix_from_axis_angle
from pyrave_meshes.colours import material_of
from pyrave_meshes.mesh_output import loss, lost_materials
from pyrave_meshes.text import Lines

if TYPE_CHECKING:
    from pyrave.errors import Problem
    from pyrave.formats import MeshSource, Target, WriteContext
    from pyrave.spatial import Array

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
_COLOUR = re.compile(rb"COLOR=(....)", re.DOTALL)
_CAD_GREY = np.full(3, 0.8)


class StlFormat:
    """STL; a header that starts with "solid" does not make a binary file ASCII."""

    name = "STL"
    suffixes = (".stl", ".stlb", ".stla")

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` starts an ASCII STL; binary ones have no mark."""
        text = head.lstrip()
        if text.startswith(b"#"):
            return re.search(rb"^\s*solid\b", text, re.MULTILINE) is not None
        return text[:5].lower() == b"solid" and b"facet" in text.lower()

    def read(self, source: MeshSource) -> Mesh:
        """Return the triangles; corners at the same place become one vertex."""
        material = None
        matrix = np.eye(4)
        if _is_binary(source.data):
            corners, material = _binary(source)
        else:
            matrix, material = _cad_header(source)
            corners = _ascii(source)
        if not np.isfinite(corners).all():
            facet = int(np.argmin(np.isfinite(corners).all(axis=1))) // 3
            raise source.error(f"facet {facet} has coordinates that are not finite")
        vertices, index = weld(corners)
        mesh = Mesh(
            vertices,
            index.reshape(-1, 3).astype(np.int32),
            () if material is None else (material,),
        )
        return mesh if (matrix == np.eye(4)).all() else mesh.transformed(matrix)

    def write(
        self,
        mesh: Mesh,
        target: Target,
        context: WriteContext,
    ) -> list[Problem]:
        """Write a binary STL; colours and bits beyond single precision are lost."""
        facets = np.zeros(len(mesh.faces), _FACET)
        facets["normal"] = mesh.face_normals
        facets["corners"] = mesh.triangles()
        header = b"written by pyrave".ljust(80) + len(facets).to_bytes(4, "little")
        write_bytes(target, header + facets.tobytes())
        losses = lost_materials(mesh, self.name, target)
        if (mesh.vertices.astype(np.float32) != mesh.vertices).any():
            losses.append(loss("coordinates are rounded to single precision", target))
        return losses


def _is_binary(data: bytes) -> bool:
    """Return True if the file has room for the number of facets in its header."""
    if len(data) < _HEADER:
        return False
    count = int.from_bytes(data[80:_HEADER], "little")
    size = _HEADER + count * _FACET.itemsize
    if data[:5].lower() == b"solid":
        return len(data) == size or b"\0" in data[:_HEADER]
    return len(data) >= size or b"\0" in data[:_HEADER]


def _binary(source: MeshSource) -> tuple[Array, Material | None]:
    data = source.data
    count = int.from_bytes(data[80:_HEADER], "little")
    there = (len(data) - _HEADER) // _FACET.itemsize
    if count > there:
        raise source.error(
            f"the header says {count} facets, but the file ends after {there}",
            offset=len(data),
        )
    facets = np.frombuffer(data, _FACET, count, _HEADER)
    # Materialise Magics puts a colour for the whole mesh into the header
    mark = _COLOUR.search(data[:80])
    colour = None if mark is None else np.frombuffer(mark[1], np.uint8) / 255.0
    return (
        facets["corners"].reshape(-1, 3).astype(np.float64),
        None if colour is None else material_of(colour),
    )


def _cad_header(source: MeshSource) -> tuple[Array, Material | None]:
    """Return the placement and colour that comment lines before the solid give.

    The location is where the part stands in its assembly, millimetres or whatever the
    file's unit is, and degrees about y, then x, then z; the mesh is moved back from
    there, as in OpenRAVE.
    """
    colour = None
    placed = np.eye(4)
    if not source.data.lstrip().startswith(b"#"):
        return placed, None
    for number, line in enumerate(source.data.splitlines(), 1):
        text = line.strip()
        if text[:5].lower() == b"solid":
            break
        for tag, count in ((b"<CURRENT_LOCATION>", 6), (b"<COLOR_INFORMATION>", 3)):
            _, found, rest = text.partition(tag)
            if not found or not text.startswith(b"#"):
                continue
            try:
                values = np.array([float(word) for word in rest.split()[:count]])
            except ValueError:
                values = np.zeros(0)
            if len(values) != count or not np.isfinite(values).all():
                shown = tag.decode()
                source.warn(f"{shown} does not have {count} numbers", line=number)
            elif count == 3:
                colour = values
            else:
                about_x, about_y, about_z = (math.radians(v) for v in values[3:])
                placed[:3, :3] = (
                    matrix_from_axis_angle((0.0, 0.0, about_z))
                    @ matrix_from_axis_angle((about_x, 0.0, 0.0))
                    @ matrix_from_axis_angle((0.0, about_y, 0.0))
                )
                placed[:3, 3] = values[:3]
    material = material_of(_CAD_GREY if colour is None else colour)
    return np.asarray(np.linalg.inv(placed), np.float64), material


def _ascii(source: MeshSource) -> Array:
    lines = Lines(source)
    is_vertex = lines.starting_with(b"vertex")
    if not lines.starting_with(b"solid").any():
        raise source.error("the file is neither a whole binary nor an ASCII STL")
    is_facet = lines.starting_with(b"facet")
    facets = np.flatnonzero(is_facet)
    found = np.cumsum(is_vertex)
    total = int(found[-1])
    before = np.concatenate((found[facets], [total]))
    corners = np.diff(before)
    if before[0] or (corners != 3).any():
        wrong = int(np.argmax(corners != 3)) if len(facets) and not before[0] else None
        raise source.error(
            "a vertex is in no facet"
            if wrong is None
            else f"a facet has {corners[wrong]} vertices, expected 3",
            line=lines.number(
                int(np.argmax(is_vertex)) if wrong is None else int(facets[wrong])
            ),
        )
    return lines.table(is_vertex, len("vertex")).columns(3, "a vertex")
