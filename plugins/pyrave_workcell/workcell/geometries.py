"""Solids of models as geometries of links."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pyrave.scene import (
    GeometryDescription,
    Material,
    MeshReference,
    NoShape,
    RenderMesh,
    TriMesh,
)
from pyrave_workcell.workcell.names import without_blanks
from pyrave_workcell.workcell.shapes import tessellated

if TYPE_CHECKING:
    from pyrave.scene.pose import Vec3
    from pyrave_workcell.workcell.document import Model, Solid

_GREY = (0.6, 0.6, 0.6)


def geometry_of(model: Model, solid: Solid) -> GeometryDescription:
    """Return one solid of a model; what collides with nothing is only shown."""
    shape = solid.shape
    diffuse, transparency = None, 0.0
    if model.color is not None:
        red, green, blue, *alpha = model.color
        diffuse, transparency = (red, green, blue), 1.0 - (alpha[0] if alpha else 1.0)
    elif not (isinstance(shape, TriMesh) and isinstance(shape.mesh, MeshReference)):
        # files have colours of their own
        diffuse = _GREY
    render = None if solid.shown is None else RenderMesh(solid.shown)
    if not model.collides:
        shown = shape.mesh if isinstance(shape, TriMesh) else tessellated(shape)
        render, shape = RenderMesh(shown), NoShape()
    return GeometryDescription(
        shape,
        name=without_blanks(model.name),
        pose=model.pose,
        material=_material(diffuse, transparency),
        render=render,
        visible=model.visible,
        location=model.node.location,
    )


@lru_cache(maxsize=256)
def _material(diffuse: Vec3 | None, transparency: float) -> Material:
    return Material(diffuse=diffuse, transparency=transparency)
