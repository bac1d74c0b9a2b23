"""Geometries of pyrave from infos, and infos from geometries."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave.scene import (
    Box,
    Cage,
    Capsule,
    Container,
    Cylinder,
    GeometryDescription,
    Material,
    MeshReference,
    Pose,
    Prism,
    RenderMesh,
    Sphere,
    XmlElement,
    XmlReadable,
)
from pyrave.scene import TriMesh as MeshShape
from pyrave_openravepy.api.bodies.boxes import TriMesh, vector_of
from pyrave_openravepy.api.bodies.infos.geometry_info import (
    AxialSlice,
    GeometryInfo,
    SideWall,
)
from pyrave_openravepy.api.bodies.infos.info_shapes import (
    circles_of,
    reference_of,
    shape_of,
    triple_of,
)
from pyrave_openravepy.api.enums import ErrorCode, GeometryType, SideWallType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = [
    "described_geometry",
    "geometry_info",
    "geometry_type",
]

Array = NDArray[np.float64]
_TURNED = "openrave_turned"
"""Key of the readable that keeps the circles of a mesh that stands for them."""
_SEGMENTS = 32
_TYPES = {
    "none": getattr(GeometryType, "None"),
    "box": GeometryType.Box,
    "sphere": GeometryType.Sphere,
    "cylinder": GeometryType.Cylinder,
    "capsule": GeometryType.Capsule,
    "container": GeometryType.Container,
    "cage": GeometryType.Cage,
    "prism": GeometryType.Prism,
    "trimesh": GeometryType.Trimesh,
}


# -- from infos ------------------------------------------------------------------------


def described_geometry(info: Any, group: str = "self") -> GeometryDescription:
    """Return pyrave's description of an info."""
    if not isinstance(info, GeometryInfo):
        raise openrave_exception(
            f"a geometry is {info!r}, expected a KinBody.GeometryInfo",
            ErrorCode.InvalidArguments,
        )
    turned = circles_of(info)
    readables: tuple[tuple[str, XmlReadable], ...] = ()
    if turned:
        rows = " ".join(repr(value) for row in turned for value in row)
        element = XmlElement(_TURNED, (("type", info._type.name),), rows)
        readables = ((_TURNED, XmlReadable(element)),)
    red, green, blue = vector_of(info._vDiffuseColor, 3, "_vDiffuseColor").tolist()
    r, g, b = vector_of(info._vAmbientColor, 3, "_vAmbientColor").tolist()
    return GeometryDescription(
        shape_of(info),
        str(info._name),
        Pose.from_matrix(matrix_of(info._t)),
        Material((red, green, blue), (r, g, b), float(info._fTransparency)),
        _render(info),
        bool(info._bVisible),
        bool(info._bModifiable),
        group,
        readables,
    )


def _render(info: GeometryInfo) -> RenderMesh | None:
    name = str(info._filenamerender)
    if not name or name.startswith("__norenderif__"):
        return None
    known = info.__dict__.get("_render_mesh")
    scale = triple_of(info._vRenderScale)
    if known is not None and (known.mesh.uri, known.mesh.scale) == (name, scale):
        return known  # type: ignore[no-any-return]
    return RenderMesh(reference_of(name, info._vRenderScale))


# -- to infos --------------------------------------------------------------------------


def geometry_type(description: GeometryDescription) -> Any:
    """Return the type of a geometry in OpenRAVE's words."""
    turned = dict(description.readables).get(_TURNED)
    if isinstance(turned, XmlReadable):
        return getattr(GeometryType, turned.element.get("type") or "Axial")
    return _TYPES[description.shape.type]


def geometry_info(native: Any) -> GeometryInfo:
    """Return the info of a geometry of pyrave."""
    description = native.description
    info = GeometryInfo()
    info._name = description.name
    info._id = description.name
    info._t = description.pose.matrix
    info._type = geometry_type(description)
    info._vDiffuseColor = np.array(native.diffuse_color)
    info._vAmbientColor = np.array(native.ambient_color)
    info._fTransparency = float(native.transparency)
    info._bVisible = bool(native.visible)
    info._bModifiable = description.modifiable
    _put_shape(info, description, native)
    _put_render(info, description)
    return info


def _put_shape(info: GeometryInfo, description: Any, native: Any) -> None:
    shape = description.shape
    turned = dict(description.readables).get(_TURNED)
    if isinstance(turned, XmlReadable):
        rows = np.array(turned.element.text.split(), float).reshape(-1, 2)
        if info._type == GeometryType.ConicalFrustum:
            (low, bottom), (high, top) = rows.tolist()
            info._vGeomData = np.array((top, bottom, high - low))
        info._vAxialSlices = []
        for z, radius in rows.tolist():
            one = AxialSlice()
            one.zOffset, one.radius = z, radius
            info._vAxialSlices.append(one)
    elif isinstance(shape, Box):
        info._vGeomData = np.array(shape.half_extents)
    elif isinstance(shape, Sphere):
        info._vGeomData = np.array((shape.radius, 0.0, 0.0))
    elif isinstance(shape, (Cylinder, Capsule)):
        info._vGeomData = np.array((shape.radius, shape.height, 0.0))
    elif isinstance(shape, Container):
        info._vGeomData = np.array(shape.outer_extents)
        info._vGeomData2 = np.array(shape.inner_extents)
        info._vGeomData3 = np.array(shape.bottom_cross)
        info._vGeomData4 = np.array(shape.bottom)
    elif isinstance(shape, Cage):
        info._vGeomData = np.array(shape.half_extents)
        info._vSideWalls = [_wall(k, *one) for k, one in enumerate(shape.walls)]
    elif isinstance(shape, Prism):
        info._vCrossSection = [list(corner) for corner in shape.cross_section]
        info._vGeomData = np.array((0.0, shape.height, 0.0))
    elif isinstance(shape, MeshShape):
        if isinstance(shape.mesh, MeshReference):
            info._filenamecollision = shape.mesh.uri
            info._vCollisionScale = np.array(shape.mesh.scale)
        if not native.unusable:
            mesh = native.mesh
            info._meshcollision = TriMesh(mesh.vertices, mesh.faces)


def _wall(number: int, pose: Pose, extents: Any) -> SideWall:
    wall = SideWall()
    wall.transf = pose.matrix
    wall.vExtents = np.array(extents)
    wall.type = SideWallType(number % 4)
    return wall


def _put_render(info: GeometryInfo, description: GeometryDescription) -> None:
    render, shape = description.render, description.shape
    if render is not None and isinstance(render.mesh, MeshReference):
        info._filenamerender = render.mesh.uri
        info._vRenderScale = np.array(render.mesh.scale)
        # which axis of the file points up is nothing that an info says
        info.__dict__["_render_mesh"] = render
    elif isinstance(shape, MeshShape) and isinstance(shape.mesh, MeshReference):
        info._filenamerender = shape.mesh.uri
        info._vRenderScale = np.array(shape.mesh.scale)
        info.__dict__["_render_mesh"] = RenderMesh(shape.mesh)
