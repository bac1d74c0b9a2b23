"""Meshes as text: files in ``.keptmesh``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry import Mesh

if TYPE_CHECKING:
    from pyrave.formats import MeshSource

_MARK = b"# keptmesh"
_NUMBERS = 9


class KeptmeshMesh:
    """A triangle in each line: nine numbers, metres."""

    name = "keptmesh"
    suffixes = (".keptmesh",)

    def sniff(self, head: bytes) -> bool:
        """Return True if a file that starts with `head` is of this format."""
        return head.startswith(_MARK)

    def read(self, source: MeshSource) -> Mesh:
        """Return the triangles; what is wrong is ``source.error``."""
        corners = []
        for number, line in enumerate(source.data.splitlines()[1:], 2):
            words = line.split()
            if len(words) != _NUMBERS:
                raise source.error(f"{len(words)} numbers, expected 9", line=number)
            try:
                corners.append([float(word) for word in words])
            except ValueError:
                raise source.error(f"{line!r} is no triangle", line=number) from None
        vertices = np.array(corners).reshape(-1, 3)
        faces = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
        return Mesh(vertices, faces)
