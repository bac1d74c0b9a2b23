"""STL meshes, binary and ASCII."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Problem, SceneError, Severity

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    def read(
        self, data: bytes, name: str
    ) -> list[tuple[NDArray[np.float64], NDArray[np.int32]]]:
        """Return one mesh; coincident corners are merged.

        Raises
        ------
        SceneError
            If the file is cut off or is no STL.
        """
        corners = _binary(data)
        if corners is None:
            corners = _ascii(data, name)
        if not np.isfinite(corners).all():
            raise _error(name, "the mesh has coordinates that are not finite")
        vertices, faces = np.unique(corners, axis=0, return_inverse=True)
        return [(vertices, faces.reshape(-1, 3).astype(np.int32))]


def _binary(data: bytes) -> NDArray[np.float64] | None:
    if len(data) < _HEADER:
        return None
    count = int.from_bytes(data[80:_HEADER], "little")
    size = _HEADER + count * _FACET.itemsize
    if len(data) < size or (len(data) != size and data[:5].lower() == b"solid"):
        return None
    facets = np.frombuffer(data, _FACET, count, _HEADER)
    return facets["corners"].reshape(-1, 3).astype(np.float64)


def _ascii(data: bytes, name: str) -> NDArray[np.float64]:
    if data.lstrip()[:5].lower() != b"solid":
        raise _error(name, "the file is neither a whole binary nor an ASCII STL")
    rows: list[list[bytes]] = []
    for number, line in enumerate(data.splitlines(), 1):
        words = line.split()
        if words and words[0].lower() == b"vertex":
            if len(words) != 4:
                raise _error(name, f"a vertex has {len(words) - 1} numbers", number)
            rows.append(words[1:])
    if len(rows) % 3:
        raise _error(name, f"it has {len(rows)} vertices, expected 3 for each facet")
    try:
        return np.array(rows, dtype=np.float64).reshape(-1, 3)
    except ValueError as error:
        raise _error(name, f"a vertex is not a number: {error}") from error


def _error(name: str, message: str, line: int | None = None) -> SceneError:
    return SceneError(
        Problem(Severity.ERROR, message, file=name, line=line, code="bad-mesh")
    )
