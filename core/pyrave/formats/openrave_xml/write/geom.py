"""``<geom>`` elements from geometries."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats.openrave_xml.transforms import unit_quaternion
from pyrave.formats.openrave_xml.values import single_text
from pyrave.formats.openrave_xml.write.tags import (
    WrittenElement,
    add,
    add_pose,
    set_attributes,
)
from pyrave.formats.output.numbers import numbers
from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    Material,
    MeshData,
    MeshReference,
    NoShape,
    Pose,
    Prism,
    RenderMesh,
    Shape,
    Sphere,
    TriMesh,
)

if TYPE_CHECKING:
    from pyrave.formats.openrave_xml.write.state import Writing
    from pyrave.scene.pose import Matrix3

# The transpose of the turn that the reader gives to cylinders.
_UNTURN = Pose((1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0))


def geometry_node(geometry: GeometryDescription, writing: Writing) -> WrittenElement:
    """Return the ``<geom>`` of a geometry."""
    geometry = _as_turned(geometry, writing)
    shape = geometry.shape
    element = etree.Element("geom")
    set_attributes(
        element,
        type=shape.type,
        name=geometry.name,
        render="" if geometry.visible else "false",
        modifiable="" if geometry.modifiable else "false",
        group="" if geometry.group == "self" else geometry.group,
    )
    pose = geometry.pose
    if isinstance(shape, Cylinder):
        turned = Pose(pose.rotation) @ _UNTURN
        pose = Pose(turned.rotation, pose.translation)
    add_pose(element, pose)
    _add_shape(element, shape, writing)
    _add_material(element, geometry.material)
    if geometry.render is not None and isinstance(geometry.render.mesh, MeshReference):
        writing.mesh(element, "render", geometry.render.mesh)
    writing.readables(element, geometry.readables, "geom")
    return WrittenElement(element)


def _as_turned(geometry: GeometryDescription, writing: Writing) -> GeometryDescription:
    """Return a geometry whose COLLADA files may be named.

    OpenRAVE turns them until y points up; where they are taken as they are, the pose of
    the geometry turns them back.
    """
    shape, render = geometry.shape, geometry.render
    own = shape.mesh if isinstance(shape, TriMesh) else None
    shown = None if render is None else render.mesh
    meshes = [one for one in (own, shown) if isinstance(one, MeshReference)]
    turns = {writing.turn_of(one) for one in meshes}
    if turns <= {None}:
        return geometry
    alone = isinstance(shape, NoShape) or isinstance(own, MeshReference)
    names = ", ".join(one.written or one.uri for one in meshes)
    if len(turns) > 1 or not alone:
        what = "meshes that OpenRAVE turns until y points up"
        writing.losses.add(what, names, kind="written-otherwise")
        return geometry
    what = (
        "meshes that OpenRAVE turns until y points up are turned back, and so are the "
        "frames of their geometries there"
    )
    writing.losses.add(what, names, kind="written-otherwise")
    (turn,) = turns
    assert turn is not None  # noqa: S101 - it is not the empty set
    back = Pose(turn).inverse()
    return replace(
        geometry,
        pose=geometry.pose @ back,
        shape=TriMesh(_upright(own, turn)) if isinstance(own, MeshReference) else shape,
        render=RenderMesh(_upright(shown, turn))
        if isinstance(shown, MeshReference)
        else render,
    )


def _upright(mesh: MeshReference, turn: Matrix3) -> MeshReference:
    """Return a mesh that is turned before it is scaled: the factors go with axes."""
    rows = (turn[0:3], turn[3:6], turn[6:9])
    x, y, z = (
        sum(abs(one) * factor for one, factor in zip(row, mesh.scale, strict=True))
        for row in rows
    )
    return replace(mesh, scale=(x, y, z), y_up=True)


def _add_shape(element: Any, shape: Shape, writing: Writing) -> None:
    if isinstance(shape, (Box, Cage)):
        add(element, "extents", numbers(shape.half_extents))
        for pose, half in shape.walls if isinstance(shape, Cage) else ():
            wall = add(element, "sidewall")
            turn = unit_quaternion(pose.rotation)
            add(wall, "transf", numbers((*turn, *pose.translation)))
            add(wall, "vextents", numbers(half))
    elif isinstance(shape, Sphere):
        add(element, "radius", numbers((shape.radius,)))
    elif isinstance(shape, (Cylinder, Capsule)):
        add(element, "radius", numbers((shape.radius,)))
        add(element, "height", numbers((shape.height,)))
    elif isinstance(shape, Container):
        add(element, "outer_extents", numbers(shape.outer_extents))
        add(element, "inner_extents", numbers(shape.inner_extents))
        add(element, "bottom_cross", numbers(shape.bottom_cross))
        add(element, "bottom", numbers(shape.bottom))
    elif isinstance(shape, Prism):
        flat = [value for corner in shape.cross_section for value in corner]
        add(element, "crosssection", numbers(flat))
        add(element, "height", numbers((shape.height,)))
    elif isinstance(shape, TriMesh):
        if isinstance(shape.mesh, MeshReference):
            writing.mesh(element, "data", shape.mesh)
        else:
            add(element, "vertices", _corners(shape.mesh))


def _add_material(element: Any, material: Material) -> None:
    if material.diffuse is not None:
        add(element, "diffusecolor", _color(material.diffuse))
    if material.ambient is not None:
        add(element, "ambientcolor", _color(material.ambient))
    if material.transparency:
        add(element, "transparency", single_text(material.transparency))


def _color(values: Iterable[float]) -> str:
    return " ".join(map(single_text, values))


def _corners(mesh: MeshData) -> str:
    return numbers(mesh.vertices[mesh.faces].reshape(-1).tolist())
