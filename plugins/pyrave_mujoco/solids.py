"""Solids of the packed world as geoms of MuJoCo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.geometry import Cone, Mesh
from pyrave.scene import Box, Capsule, Cylinder, Sphere
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
    """Writes shapes of geoms; meshes become assets of the model, once each."""

    def __init__(self, spec: Any) -> None:
        self._spec = spec
        self._meshes: dict[object, str] = {}
        self._kept: list[object] = []

    def write(self, geom: Any, solid: Solid) -> bool:
        """Give a geom the shape of a solid; False if it has nothing to touch."""
        kinds = mujoco().mjtGeom
        match solid:
            case Box():
                geom.type = kinds.mjGEOM_BOX
                geom.size = [_thick(half) for half in solid.half_extents]
            case Sphere():
                geom.type = kinds.mjGEOM_SPHERE
                geom.size[0] = _thick(solid.radius)
            case Cylinder():
                geom.type = kinds.mjGEOM_CYLINDER
                geom.size[0] = _thick(solid.radius)
                geom.size[1] = _thick(0.5 * solid.height)
            case Capsule():
                geom.type = kinds.mjGEOM_CAPSULE
                geom.size[0] = _thick(solid.radius)
                geom.size[1] = _thick(0.5 * solid.height)
            case Cone() | Mesh():
                name = self._mesh(solid)
                geom.type, geom.meshname = kinds.mjGEOM_MESH, name
                return bool(name)
            case _:
                return False
        return True

    def _mesh(self, solid: Cone | Mesh) -> str:
        """Return the name of the asset for the convex hull of a solid."""
        key: object = id(solid) if isinstance(solid, Mesh) else solid
        name = self._meshes.get(key)
        if name is None:
            points = _cone(solid) if isinstance(solid, Cone) else _hull(solid)
            name = f"mesh{len(self._meshes)}" if len(points) else ""
            if name:
                asset = self._spec.add_mesh(name=name)
                asset.uservert = points.ravel()
                asset.inertia = mujoco().mjtMeshInertia.mjMESH_INERTIA_CONVEX
            self._meshes[key] = name
            self._kept.append(solid)  # so that no other gets its id
        return name


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
    if not len(mesh.faces):
        return np.empty((0, 3))
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
