"""Solids of the packed world as geoms of MuJoCo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import Cone, Mesh
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave_mujoco.geoms.convex_pieces import convex_pieces
from pyrave_mujoco.library import mujoco

if TYPE_CHECKING:
    from pyrave.geometry import Solid
    from pyrave.spatial import Array

_SIDES = 48
_THINNEST = 1e-5
"""Half extents of boxes and round solids below this count as none, metres."""
_FLAT = 1e-3
"""Half thickness of what stands for solids without thickness, metres."""


class Shapes:
    """Adds geoms to bodies; meshes become assets of the model, once each.

    Parameters
    ----------
    spec
        The specification of the model.
    pieces
        Whether concave meshes are cut into convex pieces; else they are their hulls.
    """

    def __init__(self, spec: Any, *, pieces: bool) -> None:
        self._spec = spec
        self._pieces = pieces
        self._meshes: dict[object, list[str]] = {}
        self._kept: list[object] = []

    def add(self, body: Any, solid: Solid) -> list[Any]:
        """Return new geoms of a body for a solid, none if it has nothing to touch."""
        kinds = mujoco().mjtGeom
        if isinstance(solid, (Cone, Mesh)):
            return [
                _geom(body, kinds.mjGEOM_MESH, meshname=name)
                for name in self._assets(solid)
            ]
        size = np.zeros(3)
        match solid:
            case Box():
                kind = kinds.mjGEOM_BOX
                size[:] = [_thick(half) for half in solid.half_extents]
            case Sphere():
                kind = kinds.mjGEOM_SPHERE
                size[0] = _thick(solid.radius)
            case Cylinder() | Capsule():
                is_round = isinstance(solid, Capsule)
                kind = kinds.mjGEOM_CAPSULE if is_round else kinds.mjGEOM_CYLINDER
                size[:2] = _thick(solid.radius), _thick(0.5 * solid.height)
            case _:
                return []
        return [_geom(body, kind, size=size)]

    def _assets(self, solid: Cone | Mesh) -> list[str]:
        """Return the names of the assets that stand for a solid."""
        key: object = id(solid) if isinstance(solid, Mesh) else solid
        names = self._meshes.get(key)
        if names is None:
            names = self._meshes[key] = []
            for k, points in enumerate(self._convex(solid)):
                name = f"mesh{len(self._meshes)}.{k}"
                asset = self._spec.add_mesh(name=name)
                asset.uservert = points.ravel()
                names.append(name)
            self._kept.append(solid)  # so that no other gets its id
        return names

    def _convex(self, solid: Cone | Mesh) -> tuple[Array, ...]:
        if isinstance(solid, Cone):
            return (_cone(solid),)
        if not len(solid.faces):
            return ()
        if self._pieces and not solid.is_convex:
            return convex_pieces(solid)
        return (_hull(solid),)


def _geom(body: Any, kind: Any, **values: Any) -> Any:
    geom = body.add_geom()  # which takes arguments of its own at twice the price
    geom.type = kind
    for name, value in values.items():
        setattr(geom, name, value)
    return geom


def _thick(half: float) -> float:
    return half if half > _THINNEST else _FLAT


def _cone(solid: Cone) -> Array:
    angles = np.arange(_SIDES) * (2.0 * math.pi / _SIDES)
    ring = np.stack((np.cos(angles), np.sin(angles)), axis=1)
    half = 0.5 * solid.height
    rows = [
        np.column_stack((radius * ring, np.full(_SIDES, z)))
        for radius, z in ((solid.radius, -half), (solid.top_radius, half))
        if radius > 0.0
    ]
    tip = [] if solid.top_radius > 0.0 else [[[0.0, 0.0, half]]]
    foot = [] if solid.radius > 0.0 else [[[0.0, 0.0, -half]]]
    return np.concatenate((*rows, *tip, *foot))


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
