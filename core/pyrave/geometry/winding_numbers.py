"""Winding numbers of triangles around points, and orientation of mesh parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pyrave.geometry.mesh import Mesh

if TYPE_CHECKING:
    from pyrave.spatial import Array

_CHUNK = 1 << 16


def winding_number(triangles: Array, point: Array) -> float:
    """Return the winding number of closed triangles: 1 inside, 0 outside.

    The sum of the solid angles of all triangles (A. van Oosterom, J. Strackee, "The
    solid angle of a plane triangle", 1983), as a part of the whole sphere.

    Parameters
    ----------
    triangles
        (m, 3, 3) corners, counter-clockwise from outside.
    point
        (3,) in their frame.
    """
    angles = sum(
        _solid_angles(triangles[begin : begin + _CHUNK] - point)
        for begin in range(0, len(triangles), _CHUNK)
    )
    return angles / (4.0 * np.pi)


def wound_outwards(mesh: Mesh) -> Mesh:
    """Return a closed mesh whose parts enclose volumes that add up.

    A part that is inside out is turned, unless it is within another one: then it is a
    cavity. Meshes that are not closed are returned as they are.
    """
    if not (mesh.is_watertight and mesh.is_winding_consistent):
        return mesh
    parts = mesh.components()
    inwards = [part.volume < 0.0 for part in parts]
    if not any(inwards) or len(parts) == 1:
        return mesh
    return Mesh.merge(
        [
            Mesh(part.vertices, part.faces[:, ::-1])
            if turned and not any(_is_within(part, other) for other in parts)
            else part
            for part, turned in zip(parts, inwards, strict=True)
        ]
    )


def _is_within(part: Mesh, other: Mesh) -> bool:
    if other is part:
        return False
    return abs(winding_number(other.triangles(), part.vertices[0])) > 0.5


def _solid_angles(corners: Array) -> float:
    """Return the sum of the signed solid angles of (m, 3, 3) triangles at 0."""
    a, b, c = corners[:, 0], corners[:, 1], corners[:, 2]
    la, lb, lc = (np.linalg.norm(one, axis=1) for one in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    dots = (
        la * lb * lc
        + np.einsum("ij,ij->i", a, b) * lc
        + np.einsum("ij,ij->i", b, c) * la
        + np.einsum("ij,ij->i", c, a) * lb
    )
    return float(2.0 * np.arctan2(volume, dots).sum())
