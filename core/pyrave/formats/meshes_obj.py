"""Wavefront OBJ meshes: vertices and polygons; materials are not read."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Problem, SceneError, Severity

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ObjFormat"]


class ObjFormat:
    """OBJ; polygons are cut into fans."""

    name = "OBJ"
    suffixes = (".obj",)

    def sniff(self, _head: bytes) -> bool:
        """Return False: OBJ files have no mark, their suffix decides."""
        return False

    def read(
        self, data: bytes, name: str
    ) -> list[tuple[NDArray[np.float64], NDArray[np.int32]]]:
        """Return one mesh of all groups.

        Raises
        ------
        SceneError
            If a number or an index has no meaning; names the line.
        """
        vertices: list[tuple[float, float, float]] = []
        faces: list[tuple[int, int, int]] = []
        for number, line in enumerate(data.splitlines(), 1):
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
                problem = Problem(
                    Severity.ERROR,
                    f"not an OBJ line: {error}",
                    file=name,
                    line=number,
                    code="bad-mesh",
                )
                raise SceneError(problem) from error
        return [
            (
                np.array(vertices, dtype=np.float64).reshape(-1, 3),
                np.array(faces, dtype=np.int32).reshape(-1, 3),
            )
        ]


def _index(word: bytes, count: int) -> int:
    value = int(word.split(b"/")[0])
    index = value - 1 if value > 0 else count + value
    if not 0 <= index < count:
        raise ValueError(f"a face uses vertex {value} of {count}")
    return index
