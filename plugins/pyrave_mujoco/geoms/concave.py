"""Convex pieces in place of meshes in MuJoCo, whose geoms are convex."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import convex_pieces
from pyrave_mujoco.geoms.facets import facets_of

if TYPE_CHECKING:
    from pyrave.geometry import Mesh
    from pyrave.spatial import Array
    from pyrave_mujoco.settings import Concave

MOST_STATIC = 20_000
"""Faces up to which a mesh that stays where it is put collides as it is."""
MOST_MOVING = 4_000
"""The same of a body that moves, divided by the square of the number of its links."""
_FLAT = 1e-3
"""Half thickness of what stands for solids without thickness, metres."""
_THINNEST = 1e-5
_NEARLY = 1e-4
"""Largest gap to the hull of a mesh that counts as convex, as a part of its size."""
_NEARLY_ALL = 0.99


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """A convex part of what stands for a mesh.

    Parameters
    ----------
    points
        (n, 3) corners in the axes of the mesh, metres.
    box
        Pose (4, 4) and half extents (3,), if it is a box.
    """

    points: Array
    box: tuple[Array, Array] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Convex pieces in place of a mesh.

    Parameters
    ----------
    parts
        All of it.
    is_exact
        Whether it neither fills hollows nor stands out.
    """

    parts: tuple[Block, ...]
    is_exact: bool = True


_known: weakref.WeakKeyDictionary[Mesh, dict[str, Blocks]] = weakref.WeakKeyDictionary()


def blocks_of(mesh: Mesh, concave: Concave, most: int) -> Blocks:
    """Return the convex parts that stand for a mesh.

    Parameters
    ----------
    concave
        How, if the mesh is concave.
    most
        Parts beyond which ``"faces"`` is ``"hull"`` for a body that moves, and
        ``"pieces"`` for one that stays, if the library for these is installed.
    """
    if not len(mesh.faces):
        return Blocks(())
    found = _known.setdefault(mesh, {})
    kind: str = "hull" if mesh.is_convex else concave
    if kind == "faces":
        # triangles become fewer when they are merged, but not by so much
        if len(mesh.faces) <= 4 * most:
            blocks = found.get(kind)
            if blocks is None:
                blocks = found[kind] = _faces(mesh)
            if len(blocks.parts) <= most:
                return blocks
        heavy = most >= MOST_STATIC and find_spec("coacd") is not None
        kind = "pieces" if heavy else "hull"
    blocks = found.get(kind)
    if blocks is None:
        if kind == "pieces":
            parts = tuple(Block(points) for points in convex_pieces(mesh))
            blocks = Blocks(parts, is_exact=False)
        else:
            is_exact = mesh.is_convex or _is_flat(mesh)
            blocks = Blocks((Block(_hull(mesh)),), is_exact)
        found[kind] = blocks
    return blocks


def _faces(mesh: Mesh) -> Blocks:
    """Return hulls of the convex parts of a mesh, and the facets of the others."""
    found: list[Block] = []
    solid = mesh.is_watertight and mesh.volume > 0.0
    parts = mesh.components() if solid else [mesh]
    if any(part.volume < 0.0 for part in parts):
        parts = [mesh]  # which has hollows inside
    for part in parts:
        if solid and _is_nearly_convex(part):
            found.append(Block(_hull(part)))
        else:
            found += [Block(one.points(), one.as_box()) for one in facets_of(part)]
    return Blocks(tuple(found))


def _is_nearly_convex(mesh: Mesh) -> bool:
    """Return True if the hull of a closed mesh stands out nowhere worth a word."""
    if mesh.is_convex:
        return True
    try:
        hull = mesh.convex_hull()
    except ArgumentError:
        return False
    if mesh.volume < _NEARLY_ALL * hull.volume:
        return False
    normals = hull.face_normals
    offsets = np.einsum("ij,ij->i", normals, hull.triangles()[:, 0])
    points = np.concatenate((mesh.vertices, mesh.triangles().mean(axis=1)))
    most = _NEARLY * float(np.abs(mesh.aabb[1]).max())
    for begin in range(0, len(points), 256):
        depths = offsets - points[begin : begin + 256] @ normals.T
        if depths.min(axis=1).max() > most:
            return False
    return True


def _is_flat(mesh: Mesh) -> bool:
    try:
        mesh.convex_hull()
    except ArgumentError:
        return True
    return False


def _hull(mesh: Mesh) -> Array:
    """Return (n, 3) corners of the convex hull; those of a slab for a flat mesh."""
    try:
        return mesh.convex_hull().vertices
    except ArgumentError:
        points = np.unique(mesh.vertices[np.unique(mesh.faces)], axis=0)
        middle = points.mean(axis=0)
        size = max(float(np.abs(points - middle).max()), _THINNEST)
        spreads, axes = np.linalg.eigh((points - middle).T @ (points - middle))
        for axis in axes.T[spreads <= len(points) * (1e-6 * size) ** 2]:
            points = np.concatenate((points - _FLAT * axis, points + _FLAT * axis))
        return np.asarray(points)
