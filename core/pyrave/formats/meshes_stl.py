"""STL meshes, binary and ASCII."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.formats.mesh_source import MeshSource
    from pyrave.geometry import Mesh

__all__ = ["StlFormat"]

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])


class StlFormat:
    """STL; a header that starts with "solid" does not make a binary file ASCII."""

    name = "STL"
    suffixes = (".stl", ".stlb", ".stla")

    def sniff(self, head: bytes) -> bool:
        """Return whether `head` starts an ASCII STL; binary ones have no mark."""
        return head.lstrip()[:5].lower() == b"solid" and b"facet" in head

    def read(self, source: MeshSource) -> Mesh:
        """Return one mesh; coincident corners are merged."""
        from pyrave.geometry import Mesh

        corners = _binary(source.data)
        if corners is None:
            corners = _ascii(source)
        if not np.isfinite(corners).all():
            raise source.error("the mesh has coordinates that are not finite")
        vertices, faces = np.unique(corners, axis=0, return_inverse=True)
        return Mesh(vertices, faces.reshape(-1, 3).astype(np.int32))


def _binary(data: bytes) -> NDArray[np.float64] | None:
    if len(data) < _HEADER:
        return None
    count = int.from_bytes(data[80:_HEADER], "little")
    size = _HEADER + count * _FACET.itemsize
    if len(data) < size or (len(data) != size and data[:5].lower() == b"solid"):
        return None
    facets = np.frombuffer(data, _FACET, count, _HEADER)
    return facets["corners"].reshape(-1, 3).astype(np.float64)


def _ascii(source: MeshSource) -> NDArray[np.float64]:
    data = source.data
    if data.lstrip()[:5].lower() != b"solid":
        raise source.error("the file is neither a whole binary nor an ASCII STL")
    rows: list[list[bytes]] = []
    for number, line in enumerate(data.splitlines(), 1):
        words = line.split()
        if words and words[0].lower() == b"vertex":
            if len(words) != 4:
                raise source.error(
                    f"a vertex has {len(words) - 1} numbers", line=number
                )
            rows.append(words[1:])
    if len(rows) % 3:
        raise source.error(f"it has {len(rows)} vertices, expected 3 for each facet")
    try:
        return np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise source.error(f"a vertex is not a number: {error}") from error
