"""The two mesh formats, distinguished by the first line of a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave_inventor.document import family_of

if TYPE_CHECKING:
    from pyrave.formats import MeshSource
    from pyrave.geometry import Mesh


@dataclass(frozen=True, slots=True)
class SceneGraphFormat:
    """Inventor or VRML, plain or compressed with gzip; reads either of them.

    Parameters
    ----------
    name
        ``"Inventor"`` or ``"VRML"``.
    suffixes
        Lower-case suffixes; a file's first line decides, its suffix comes second.
    """

    name: str
    suffixes: Sequence[str]

    def sniff(self, head: bytes) -> bool:
        """Return True if `head`, inflated if need be, starts such a file."""
        return family_of(head) == self.name

    def read(self, source: MeshSource) -> Mesh:
        """Return all triangles of a file in metres, with their materials.

        Faces turn counter-clockwise seen from outside, as the file declares them.
        Coordinates have the single precision that the formats define.

        Raises
        ------
        SceneError
            The file is malformed, or too large once expanded; names the line and
            column, or the byte.
        """
        from pyrave_inventor.traversal import read_mesh

        return read_mesh(source)


INVENTOR = SceneGraphFormat("Inventor", (".iv", ".iv.gz"))
VRML = SceneGraphFormat("VRML", (".wrl", ".vrml", ".wrz", ".wrl.gz"))
