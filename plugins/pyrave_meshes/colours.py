"""Colours of faces and vertices as materials."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.scene import Material

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pyrave.spatial import Array

_MAX_MATERIALS = 256


def material_of(colour: Array) -> Material:
    """Return the material of a colour red green blue [alpha], 0..1."""
    clipped = np.clip(np.nan_to_num(colour), 0.0, 1.0)
    red, green, blue = (float(value) for value in clipped[:3])
    transparency = 1.0 - float(clipped[3]) if len(clipped) > 3 else 0.0
    return Material((red, green, blue), transparency=transparency)


def colour_materials(
    colours: Array,
) -> tuple[tuple[Material, ...], NDArray[np.int32] | None]:
    """Return materials and the index of each face from the colours of all faces.

    A mesh with very many colours, such as a scan, gets their mean: materials are what
    a few parts of a mesh are made of.

    Parameters
    ----------
    colours
        (m, 3) or (m, 4), 0..1.
    """
    if len(colours) == 0:
        return (), None
    # to 8 bits, which is what files hold
    rounded = np.round(np.clip(np.nan_to_num(colours), 0.0, 1.0) * 255.0)
    keys = rounded.astype(np.int64) @ (256 ** np.arange(colours.shape[1]))
    _, first, index = np.unique(keys, return_index=True, return_inverse=True)
    if len(first) > _MAX_MATERIALS:
        return (material_of(colours.mean(axis=0)),), None
    materials = [material_of(colours[k]) for k in first]
    return used_materials(materials, index.reshape(-1))


def used_materials(
    materials: Sequence[Material], of_faces: NDArray[np.integer]
) -> tuple[tuple[Material, ...], NDArray[np.int32] | None]:
    """Return the materials that faces have, in the order of the faces, and of each.

    The first one stands for the mesh as a whole, so it must be one that is seen.

    Parameters
    ----------
    of_faces
        (m,) index of each face.
    """
    if len(of_faces) == 0:
        return (), None
    used, first, index = np.unique(of_faces, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    found = tuple(materials[k] for k in used[order])
    if len(found) == 1:
        return found, None
    return found, rank[index.reshape(-1)].astype(np.int32)
