"""Object File Format: OFF and its kinds with colours and normals."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry import Mesh, triangulate_faces
from pyrave_meshes.colours import colour_materials
from pyrave_meshes.text import Lines, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.formats import MeshSource
    from pyrave.scene import Material
    from pyrave.spatial import Array

_MARK = re.compile(rb"\s*(?:#[^\n]*\n\s*)*(ST)?(C)?(N)?(4)?(n)?OFF\b[ \t]*(BINARY)?")


class OffFormat:
    """OFF with one vertex and one face a line; colours of faces and vertices."""

    name = "OFF"
    suffixes = (".off", ".coff")

    def sniff(self, head: bytes) -> bool:
        """Return True if `head` starts with OFF, or with a kind such as COFF."""
        return _MARK.match(head) is not None

    def read(self, source: MeshSource) -> Mesh:
        """Return the mesh; polygons are cut into triangles."""
        mark = _MARK.match(source.data)
        if mark is None:
            raise source.error("the file does not start with OFF", line=1)
        _texture, coloured, normal, fourth, any_size, binary = (
            part is not None for part in mark.groups()
        )
        if fourth or any_size or binary:
            kind = mark[0].decode("ascii", "replace").strip()
            raise source.error(
                f"the kind {kind!r} is not read, only OFF with C, N and ST",
                line=source.data[: mark.end()].count(b"\n") + 1,
            )
        # the counts may follow on the line of the mark
        first = source.data.count(b"\n", 0, mark.end())
        lines = Lines(source, source.data[mark.end() :], first)
        rows = np.flatnonzero(lines.filled)
        if len(rows) == 0:
            raise source.error("the file ends before its counts")
        counts = _chosen(lines, rows[:1]).columns(2, "the line of counts")[0]
        n_vertices, n_faces = _count(lines, rows, counts)
        points = _chosen(lines, rows[1 : 1 + n_vertices])
        vertices = points.columns(3, "a vertex")
        faces = _chosen(lines, rows[1 + n_vertices : 1 + n_vertices + n_faces])
        corners, sizes, colours = _faces(faces, n_vertices)
        triangles, owner = triangulate_faces(vertices, corners, sizes)
        materials: tuple[Material, ...] = ()
        of_faces: NDArray[np.int32] | None = None
        if colours is not None:
            materials, of_faces = colour_materials(colours[owner])
        elif coloured and len(triangles):
            skip = 3 + 3 * normal
            materials, of_faces = colour_materials(
                _vertex_colours(points, skip)[triangles[:, 0]]
            )
        return Mesh(vertices, triangles, materials, of_faces)


def _chosen(lines: Lines, rows: NDArray[np.intp]) -> Table:
    mask = np.zeros(len(lines), np.bool_)
    mask[rows] = True
    return lines.table(mask)


def _count(lines: Lines, rows: NDArray[np.intp], counts: Array) -> tuple[int, int]:
    number = lines.number(int(rows[0]))
    if not (counts >= 0).all() or not (counts == np.floor(counts)).all():
        raise lines.source.error(
            "the counts of vertices and faces are not whole numbers", line=number
        )
    n_vertices, n_faces = (min(int(count), 2**62) for count in counts)
    if n_vertices + n_faces > len(rows) - 1:
        raise lines.source.error(
            f"{n_vertices} vertices and {n_faces} faces are announced, but only "
            f"{len(rows) - 1} lines follow; pyrave reads one of them a line",
            line=number,
        )
    return n_vertices, n_faces


def _faces(
    faces: Table, n_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array | None]:
    """Return corners, corners of each face, and colours (m, 3), if all have one."""
    words = faces.counts
    values = faces.values()
    starts = np.cumsum(words) - words
    sizes = values[starts] if len(starts) else np.zeros(0)
    wrong = ~((sizes >= 0) & (sizes == np.floor(sizes)) & (sizes < words))
    if wrong.any():
        bad = int(np.argmax(wrong))
        raise faces.error(
            bad, f"a face says {sizes[bad]:g} corners, but has {words[bad] - 1} numbers"
        )
    size = sizes.astype(np.int64)
    place = np.arange(len(values)) - np.repeat(starts, words)
    is_corner = (place > 0) & (place <= np.repeat(size, words))
    written = values[is_corner]
    wrong = ~((written >= 0) & (written < n_vertices) & (written == np.floor(written)))
    if wrong.any():
        bad = int(np.argmax(wrong))
        row = int(np.searchsorted(np.cumsum(size), bad, side="right"))
        raise faces.error(
            row,
            f"a face uses vertex {written[bad]:g} of {n_vertices} "
            "(indices count from 0)",
        )
    rest = words - size - 1
    colours = None
    # one number would be an index into a table that is not in the file
    if len(rest) and (rest >= 3).all():
        colours = _scaled(values[(starts + size + 1)[:, None] + np.arange(3)])
    return written.astype(np.int64), size, colours


def _vertex_colours(points: Table, skip: int) -> Array:
    counts = points.counts
    short = counts < skip + 3
    if short.any():
        bad = int(np.argmax(short))
        raise points.error(
            bad, f"a vertex has {counts[bad]} numbers, expected a colour after {skip}"
        )
    starts = np.cumsum(counts) - counts
    return _scaled(points.values()[(starts + skip)[:, None] + np.arange(3)])


def _scaled(colours: Array) -> Array:
    """Return colours 0..1; files have 0..255 too."""
    return colours / 255.0 if len(colours) and colours.max() > 1.0 else colours
