"""Renderable shapes of a body: solids with colours in link frames."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from pyrave.errors import Error
from pyrave.geometry import Mesh, colors_of, ray_instances, shape_mesh
from pyrave.scene import Box, Capsule, Cylinder, Sphere, TriMesh
from pyrave_viser.shown.surfaces import LookPart, parts_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave.bodies import Geometry, KinBody
    from pyrave.geometry import Solid
    from pyrave.spatial import Array

_COLLISION_COLORS = (
    (0.90, 0.45, 0.20), (0.25, 0.60, 0.85), (0.35, 0.70, 0.40), (0.80, 0.65, 0.20),
    (0.60, 0.45, 0.80), (0.80, 0.40, 0.55),
)  # fmt: skip
_COLLISION_OPACITY = 0.6
_SEE_THROUGH = 0.35
_SIDES = 48


class Shapes(enum.Enum):
    """Kinds of shapes that are shown."""

    VISUAL = "visual"
    COLLISION = "collision"
    BOTH = "both"
    SEE_THROUGH = "see-through"


@dataclass(frozen=True, eq=False)
class ShownSolid:
    """Triangles of one colour in a link.

    Parameters
    ----------
    part
        Triangles; those of solids that are alike are one object.
    link, geometry
        Indices: of the link in its body, and of the geometry in the link.
    T_link_solid
        (4, 4).
    scale
        (3,) by which the triangles are stretched.
    color
        (3,) red, green, blue 0..1.
    opacity
        0..1.
    """

    part: LookPart
    link: int
    geometry: int
    T_link_solid: Array
    scale: Array
    color: Array
    opacity: float


def solids_of(body: KinBody, shapes: Shapes) -> list[ShownSolid]:
    """Return the shown solids of a body. Meshes that cannot be read are left out."""
    found: list[ShownSolid] = []
    for link in body.links:
        for number, geometry in enumerate(link.geometries):
            try:
                if shapes is not Shapes.COLLISION:
                    dim = _SEE_THROUGH if shapes is Shapes.SEE_THROUGH else 1.0
                    found += _visual(geometry, link.index, number, dim)
                if shapes in {Shapes.COLLISION, Shapes.BOTH}:
                    found += _collision(geometry, link.index, number)
            except Error:
                # the environment has a problem of it, which the panel shows
                continue
    return found


def _visual(
    geometry: Geometry, link: int, number: int, dim: float
) -> Iterator[ShownSolid]:
    opacity = dim * (1.0 - geometry.transparency)
    if not geometry.visible or opacity <= 0.0:
        return
    material = geometry.description.material
    plain = tuple(geometry.diffuse_color.tolist())
    mesh = geometry.render_mesh
    if mesh is None:
        for solid, pose in _collides(geometry):
            colors: tuple[tuple[float, ...], ...] = (plain,)
            if material.diffuse is None and isinstance(solid, Mesh) and solid.materials:
                colors = colors_of(solid.materials, plain)
            yield from _shown(solid, pose, link, number, colors, opacity)
        return
    # a render mesh comes with its own colours, as in pictures
    colors = colors_of(mesh.materials, plain) or (plain,)
    yield from _shown(mesh, geometry.transform, link, number, colors, opacity)


def _collision(geometry: Geometry, link: int, number: int) -> Iterator[ShownSolid]:
    color = _COLLISION_COLORS[link % len(_COLLISION_COLORS)]
    for solid, pose in _collides(geometry):
        yield from _shown(solid, pose, link, number, (color,), _COLLISION_OPACITY)


def _collides(geometry: Geometry) -> Iterator[tuple[Solid, Array]]:
    if geometry.unusable or geometry.description.group != "self":
        return
    shape = geometry.description.shape
    local = geometry.transform
    own = geometry.mesh if isinstance(shape, TriMesh) else None
    for one in ray_instances(shape, local, 0, own):
        yield one.solid, local if one.offset is None else local @ np.array(one.offset)


def _shown(
    solid: Solid,
    pose: Array,
    link: int,
    geometry: int,
    colors: tuple[tuple[float, ...], ...],
    opacity: float,
) -> Iterator[ShownSolid]:
    mesh, scale = _triangles(solid)
    for part in parts_of(mesh):
        color = np.array(colors[min(part.material, len(colors) - 1)])
        yield ShownSolid(part, link, geometry, pose, scale, color, opacity)


def _triangles(solid: Solid) -> tuple[Mesh, Array]:
    """Return triangles and how they are stretched.

    Boxes, balls and cylinders are stretched ones of one size.
    """
    match solid:
        case Box(half_extents):
            return _unit("box"), np.array(half_extents)
        case Sphere(radius):
            return _unit("sphere"), np.full(3, radius)
        case Cylinder(radius, height):
            return _unit("cylinder"), np.array((radius, radius, height))
        case Capsule(radius, height):
            return _capsule(radius, height), np.ones(3)
        case Mesh():
            return solid, np.ones(3)
        case _:
            return Mesh.empty(), np.ones(3)


@lru_cache(maxsize=8)
def _unit(kind: str) -> Mesh:
    shapes: dict[str, Box | Sphere | Cylinder] = {
        "box": Box((1.0, 1.0, 1.0)),
        "sphere": Sphere(1.0),
        "cylinder": Cylinder(1.0, 1.0),
    }
    return shape_mesh(shapes[kind], _SIDES)


@lru_cache(maxsize=256)
def _capsule(radius: float, height: float) -> Mesh:
    return shape_mesh(Capsule(radius, height), _SIDES)
