"""Solids of the packed world as geoms of MuJoCo."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pyrave.geometry import Cone, Mesh
from pyrave.scene import Box, Capsule, Cylinder, Sphere
from pyrave.spatial import quat_from_matrix
from pyrave_mujoco.geoms.concave import Block, blocks_of
from pyrave_mujoco.library import mujoco

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.geometry import Solid
    from pyrave.spatial import Array
    from pyrave_mujoco.settings import Concave

_EYE = np.eye(4)
_SIDES = 48
_THINNEST = 1e-5
"""Half extents of boxes and round solids below this count as none, metres."""
_FLAT = 1e-3
"""Half thickness of what stands for solids without thickness, metres."""


class Shape(NamedTuple):
    """Geoms in place of a solid.

    Parameters
    ----------
    geoms
        Of MuJoCo's specification.
    is_exact
        Whether they neither fill hollows of a mesh nor stand out of it.
    """

    geoms: list[Any]
    is_exact: bool = True


class Shapes:
    """Adds geoms to bodies; meshes become assets of the model, once each.

    Parameters
    ----------
    spec
        The specification of the model.
    concave
        How concave meshes collide.
    """

    def __init__(self, spec: Any, concave: Concave) -> None:
        self._spec = spec
        self._concave: Concave = concave
        self._meshes: dict[object, str] = {}
        self._kept: list[object] = []

    def add(self, body: Any, solid: Solid, place: Array | None, most: int) -> Shape:
        """Add the geoms of a solid to a body, none if it has nothing to touch.

        Parameters
        ----------
        place
            (4, 4) where it is in the body, None for no transformation.
        most
            Parts that a concave mesh may have at most, see `blocks_of`.
        """
        if isinstance(solid, Mesh):
            return self._add_mesh(body, solid, place, most)
        kinds = mujoco().mjtGeom
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
            case Cone():
                name = self._asset(solid, lambda: _cone(solid))
                return Shape([_geom(body, place, kinds.mjGEOM_MESH, meshname=name)])
            case _:
                return Shape([])
        return Shape([_geom(body, place, kind, size=size)])

    def _add_mesh(self, body: Any, mesh: Mesh, place: Array | None, most: int) -> Shape:
        kinds = mujoco().mjtGeom
        blocks = blocks_of(mesh, self._concave, most)
        here = _EYE if place is None else place
        geoms = []
        for block in blocks.parts:
            if block.box is not None:
                pose, half = block.box
                geoms.append(_geom(body, here @ pose, kinds.mjGEOM_BOX, size=half))
                continue
            # MuJoCo keeps corners in single precision: they are near their middle
            middle = block.points.mean(axis=0)
            name = self._asset(block, lambda: block.points - middle)  # noqa: B023
            pose = here.copy()
            pose[:3, 3] += here[:3, :3] @ middle
            geoms.append(_geom(body, pose, kinds.mjGEOM_MESH, meshname=name))
        return Shape(geoms, blocks.is_exact)

    def _asset(self, solid: object, points: Callable[[], Array]) -> str:
        """Return the name of the asset that stands for a convex solid."""
        key: object = id(solid) if isinstance(solid, Block) else solid
        name = self._meshes.get(key)
        if name is None:
            name = self._meshes[key] = f"mesh{len(self._meshes)}"
            asset = self._spec.add_mesh(name=name)
            asset.uservert = points().ravel()
            # thin ones have no volume to speak of; masses are those of links
            asset.inertia = mujoco().mjtMeshInertia.mjMESH_INERTIA_SHELL
            self._kept.append(solid)  # so that no other gets its id
        return name


def _geom(body: Any, place: Array | None, kind: Any, **values: Any) -> Any:
    geom = body.add_geom()  # which takes arguments of its own at twice the price
    geom.type = kind
    for name, value in values.items():
        setattr(geom, name, value)
    if place is not None:
        geom.pos, geom.quat = place[:3, 3], quat_from_matrix(place[:3, :3])
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
