"""Runs of corners in lists of indices, and strips of triangles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Indices = NDArray[np.int64]


class Faces:
    """Runs of corners, one after the other.

    Parameters
    ----------
    sizes
        (f,) number of corners of each face.
    """

    def __init__(self, sizes: Indices) -> None:
        self.sizes = sizes
        self.starts = np.cumsum(sizes) - sizes

    def __len__(self) -> int:
        return len(self.sizes)


def split_faces(indices: Indices) -> tuple[Indices, Faces]:
    """Split a list of indices at its negative ones.

    Returns
    -------
    places, faces
        (k,) place in `indices` of each corner, and the faces they make; empty faces
        are left out.
    """
    ends = np.flatnonzero(np.append(indices, -1) < 0)
    sizes = np.diff(ends, prepend=-1) - 1
    return np.flatnonzero(indices >= 0), Faces(sizes[sizes > 0])


def cut_strips(faces: Faces) -> tuple[Indices, Indices]:
    """Cut strips, of which each three corners in a row are a triangle.

    Returns
    -------
    triangles, owners
        (m, 3) corners, all turning like the first of their strip, and (m,) strips.
    """
    counts = np.maximum(faces.sizes - 2, 0)
    owners = np.repeat(np.arange(len(faces)), counts)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first = faces.starts[owners] + within
    odd = within % 2
    return np.stack((first + odd, first + 1 - odd, first + 2), axis=1), owners
