"""Texture colours at the hits of rays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
        Of each material, see `levels_of`; None where there is none.
    mesh
        Its faces, which material they have, and where images lie on them.
    """

    images: tuple[tuple[Pixels, ...] | None, ...]
    mesh: Mesh

    def colours(
        self, points: Array, faces: NDArray[np.int32], sizes: Array
    ) -> NDArray[np.float32]:
        """Return the colours of images at points, (n, 3) 0..1; white without image.

        Parameters
        ----------
        points
            (n, 3) on the surface, axes of the mesh.
        faces
            (n,) on which face each is.
        sizes
            (n,) how large the part of the surface is that is seen, metres.
        """
        mesh = self.mesh
        corners = mesh.vertices[mesh.faces[faces]]
        laid = mesh.coordinates_of_corners[faces]
        places = np.einsum("nk,nkc->nc", _weights(points, corners), laid)
        # images that lie on a square metre
        u, v = (laid[:, 1:] - laid[:, :1]).swapaxes(0, 1).astype(np.float64)
        covered = np.abs(u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0])
        area = 2.0 * mesh.face_areas[faces]
        dense = covered / np.where(area > 0.0, area, np.inf)
        material = mesh.material_of_faces[faces]
        found = np.ones((len(points), 3), np.float32)
        for number, image in enumerate(self.images):
            here = np.flatnonzero(material == number)
            if image is not None and len(here):
                height, width = image[0].shape[:2]
                pixels = sizes[here] * np.sqrt(dense[here] * width * height)
                found[here] = _averaged(image, places[here], pixels)
        return found


def levels_of(image: Pixels) -> tuple[Pixels, ...]:
    """Return an image in smaller and smaller versions, down to one pixel.

    Whatever is far off takes the colour of a version whose pixels are as large as those
    of the picture (L. Williams, "Pyramidal parametrics", SIGGRAPH 1983).

    Parameters
    ----------
    image
        (h, w, 3 or more) uint8, rows from the top.
    """
    levels = [np.ascontiguousarray(image[..., :3])]
    while max(levels[-1].shape[:2]) > 1:
        levels.append(_halved(levels[-1]))
    return tuple(levels)


def _halved(image: Pixels) -> Pixels:
    sums, count = image.astype(np.uint16), 1
    height, width = (size // 2 * 2 for size in image.shape[:2])
    if height:
        sums, count = sums[:height:2] + sums[1:height:2], 2
    if width:
        sums, count = sums[:, :width:2] + sums[:, 1:width:2], 2 * count
    return ((sums + count // 2) // count).astype(np.uint8)


def _averaged(
    levels: tuple[Pixels, ...], places: Array, pixels: Array
) -> NDArray[np.float32]:
    """Return colours of an image, each the mean over a square of so many pixels."""
    level = np.log2(np.maximum(pixels, 1.0)).clip(0.0, len(levels) - 1.0)
    lower = np.floor(level).astype(np.int64)
    share = (level - lower).astype(np.float32)[:, None]
    found = np.empty((len(places), 3), np.float32)
    for k in np.unique(lower).tolist():
        here = lower == k
        found[here] = sampled(levels[k], places[here])
        if k + 1 < len(levels):
            coarse = sampled(levels[k + 1], places[here])
            found[here] += share[here] * (coarse - found[here])
    return found


def sampled(image: Pixels, places: Array) -> NDArray[np.float32]:
    """Return colours of an image, (n, 3) 0..1, between pixels in proportion.

    Parameters
    ----------
    image
        (h, w, 3) uint8, rows from the top.
    places
        (n, 2), see `Mesh.texture_coordinates`.
    """
    height, width = image.shape[:2]
    inside = places - np.floor(places)
    x = inside[:, 0] * width - 0.5
    y = (1.0 - inside[:, 1]) * height - 0.5
    left, top = np.floor(x), np.floor(y)
    across = (x - left).astype(np.float32)[:, None]
    down = (y - top).astype(np.float32)[:, None]
    columns = [(left.astype(np.intp) + k) % width for k in range(2)]
    rows = [(top.astype(np.intp) + k) % height * width for k in range(2)]
    pixels = image.reshape(-1, 3)
    upper, lower = (
        _between(pixels[row + columns[0]], pixels[row + columns[1]], across)
        for row in rows
    )
    return _between(upper, lower, down) / np.float32(255.0)


def _between(one: Any, other: Any, share: NDArray[np.float32]) -> NDArray[np.float32]:
    found: NDArray[np.float32] = one.astype(np.float32)
    found += share * (other - found)
    return found


def _weights(points: Array, corners: Array) -> Array:
    """Return barycentric weights (n, 3) of points (n, 3) in triangles (n, 3, 3).

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
