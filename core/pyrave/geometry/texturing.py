"""What lies on the surfaces that rays meet: the colours of images at their hits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.geometry.mesh import Mesh
    from pyrave.spatial import Array

    Pixels = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Covering:
    """Images on the faces of a mesh.

    Parameters
    ----------
    images
        Of each material, (h, w, 3 or more) uint8, rows from the top; None where there
        is none.
    mesh
        Its faces, which material they have, and where images lie on them.
    """

    images: tuple[Pixels | None, ...]
    mesh: Mesh

    def colours(self, points: Array, faces: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the colours of images at points, (n, 3) 0..1; white without image.

        Parameters
        ----------
        points
            (n, 3) on the surface, axes of the mesh.
        faces
            (n,) on which face each is.
        """
        mesh = self.mesh
        places = np.einsum(
            "nk,nkc->nc",
            _weights(points, mesh.vertices[mesh.faces[faces]]),
            mesh.coordinates_of_corners[faces],
        )
        material = mesh.material_of_faces[faces]
        found = np.ones((len(points), 3), np.float32)
        for number, image in enumerate(self.images):
            here = np.flatnonzero(material == number)
            if image is not None and len(here):
                found[here] = sampled(image, places[here])
        return found


def sampled(image: Pixels, places: Array) -> NDArray[np.float32]:
    """Return colours of an image, (n, 3) 0..1, between pixels in proportion.

    Parameters
    ----------
    places
        (n, 2), see `Mesh.texture_coordinates`.
    """
    height, width = image.shape[:2]
    inside = places - np.floor(places)
    x = inside[:, 0] * width - 0.5
    y = (1.0 - inside[:, 1]) * height - 0.5
    left, top = np.floor(x), np.floor(y)
    across, down = (x - left)[:, None], (y - top)[:, None]
    columns = [(left.astype(np.int64) + k) % width for k in range(2)]
    rows = [(top.astype(np.int64) + k) % height for k in range(2)]
    upper, lower = (
        (1.0 - across) * image[row, columns[0], :3]
        + across * image[row, columns[1], :3]
        for row in rows
    )
    return np.asarray(((1.0 - down) * upper + down * lower) / 255.0, np.float32)


def _weights(points: Array, corners: Array) -> Array:
    """Return how near points (n, 3) are to corners (n, 3, 3) of triangles, (n, 3).

    Weights add up to one; a triangle without an area has its first corner.
    """
    first = corners[:, 0]
    along, beside, here = corners[:, 1] - first, corners[:, 2] - first, points - first
    aa = np.einsum("ni,ni->n", along, along)
    ab = np.einsum("ni,ni->n", along, beside)
    bb = np.einsum("ni,ni->n", beside, beside)
    ha = np.einsum("ni,ni->n", here, along)
    hb = np.einsum("ni,ni->n", here, beside)
    size = aa * bb - ab * ab
    size = np.where(size > 0.0, size, np.inf)
    second = (bb * ha - ab * hb) / size
    third = (aa * hb - ab * ha) / size
    return np.column_stack((1.0 - second - third, second, third))
