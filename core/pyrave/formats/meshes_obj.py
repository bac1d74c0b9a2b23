"""Wavefront OBJ meshes: vertices and polygons; materials are not read."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.formats.mesh_source import MeshSource
    from pyrave.geometry import Mesh

__all__ = ["ObjFormat"]


class ObjFormat:
    """OBJ; polygons are cut into fans."""

    name = "OBJ"
    suffixes = (".obj",)

    def sniff(self, _head: bytes) -> bool:
        """Return False: OBJ files have no mark, their suffix decides."""
        return False

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh of all groups."""
        from pyrave.geometry import Mesh

        vertices: list[tuple[float, float, float]] = []
        faces: list[tuple[int, int, int]] = []
        for number, line in enumerate(source.data.splitlines(), 1):
            words = line.split()
            if not words:
                continue
            try:
                if words[0] == b"v":
                    x, y, z = map(float, words[1:4])
                    vertices.append((x, y, z))
                elif words[0] == b"f":
                    corners = [_index(word, len(vertices)) for word in words[1:]]
                    for second, third in pairwise(corners[1:]):
                        faces.append((corners[0], second, third))
            except ValueError as error:
                raise source.error(f"not an OBJ line: {error}", line=number) from error
        return Mesh(np.array(vertices), np.array(faces, np.int32))


def _index(word: bytes, count: int) -> int:
    value = int(word.split(b"/")[0])
    index = value - 1 if value > 0 else count + value
    if not 0 <= index < count:
        raise ValueError(f"a face uses vertex {value} of {count}")
    return index
