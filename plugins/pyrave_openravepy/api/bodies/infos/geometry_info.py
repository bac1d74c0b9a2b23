"""`KinBody.GeometryInfo`: the shape of a geometry and its looks, as data."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.boxes import AABB, TriMesh, box_of
from pyrave_openravepy.api.bodies.infos.info import (
    Field,
    Info,
    array,
    infos,
    mesh,
    number,
    plain,
    pose,
    word,
)
from pyrave_openravepy.api.enums import ErrorCode, GeometryType, SideWallType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["AxialSlice", "GeometryInfo", "SideWall"]

Array = NDArray[np.float64]
_NONE = getattr(GeometryType, "None")
_WORDS = {
    "none": _NONE,
    "box": GeometryType.Box,
    "sphere": GeometryType.Sphere,
    "cylinder": GeometryType.Cylinder,
    "trimesh": GeometryType.Trimesh,
    "mesh": GeometryType.Trimesh,
    "container": GeometryType.Container,
    "cage": GeometryType.Cage,
    "calibrationboard": GeometryType.CalibrationBoard,
    "axial": GeometryType.Axial,
    "conicalFrustum": GeometryType.ConicalFrustum,
    "prism": GeometryType.Prism,
    "capsule": GeometryType.Capsule,
}
_SIDES = {"nx": 0, "px": 1, "ny": 2, "py": 3}


class SideWall(Info):
    """A wall of a cage."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        pose("transf", "transform"),
        array("vExtents", "halfExtents", (0, 0, 0)),
        word(
            "type",
            "type",
            SideWallType.NX,
            {name: SideWallType(code) for name, code in _SIDES.items()},
        ),
    )


class AxialSlice(Info):
    """A circle of a shape that is turned about z."""

    FIELDS: ClassVar[tuple[Field, ...]] = (
        number("zOffset", "zOffset"),
        number("radius", "radius"),
    )


class GeometryInfo(Info):
    """The shape of a geometry, where it is in its link, and its looks."""

    SideWall = SideWall
    AxialSlice = AxialSlice
    SideWallType = SideWallType

    FIELDS: ClassVar[tuple[Field, ...]] = (
        plain("_id", "id", ""),
        plain("_name", "name", ""),
        pose("_t", "transform"),
        word("_type", "type", _NONE, _WORDS),
        array("_vGeomData", "", (0, 0, 0)),
        array("_vGeomData2", "", (0, 0, 0)),
        array("_vGeomData3", "", (0, 0, 0)),
        array("_vGeomData4", "", (0, 0, 0)),
        infos("_vSideWalls", "sideWalls", SideWall),
        infos("_vAxialSlices", "axialSlices", AxialSlice),
        plain("_vCrossSection", "crossSection", []),
        mesh("_meshcollision", "mesh"),
        plain("_filenamerender", "filenameRender", ""),
        plain("_filenamecollision", "filenameCollision", ""),
        array("_vRenderScale", "renderScale", (1, 1, 1)),
        array("_vCollisionScale", "collisionScale", (1, 1, 1)),
        array("_vDiffuseColor", "diffuseColor", (1, 1, 1)),
        array("_vAmbientColor", "ambientColor", (0, 0, 0)),
        number("_fTransparency", "transparency"),
        plain("_bVisible", "visible", True),
        plain("_bModifiable", "modifiable", True),
        plain("_calibrationBoardParameters", "calibrationBoardParameters", None),
        *(
            array(f"_v{sign}CropContainer{empty}Margins", "", (0, 0, 0))
            for sign in ("Negative", "Positive")
            for empty in ("", "Empty")
        ),
    )

    # -- JSON ----------------------------------------------------------------------

    def SerializeJSON(self, unitScale: float = 1.0, options: Any = None) -> Any:
        found = super().SerializeJSON(unitScale, options)
        kept = _KEYS.get(int(self._type), {})
        for key, (name, index) in kept.items():
            values = np.asarray(getattr(self, name), float)
            found[key] = values.tolist() if index is None else float(values[index])
        for name in ("crossSection", "sideWalls", "axialSlices"):
            if not found.get(name):
                found.pop(name, None)
        return found

    def DeserializeJSON(
        self, obj: Any, unitScale: float = 1.0, options: Any = None
    ) -> bool:
        import json

        data = json.loads(obj) if isinstance(obj, str) else obj
        super().DeserializeJSON(data, unitScale, options)
        for key, (name, index) in _KEYS.get(int(self._type), {}).items():
            if key not in data:
                continue
            values = np.array(getattr(self, name), float)
            values[slice(None) if index is None else index] = data[key]
            setattr(self, name, values)
        return True

    def ConvertUnitScale(self, unitScale: float) -> None:
        """Multiply all lengths."""
        where = matrix_of(self.__dict__["_t"])
        where[:3, 3] *= unitScale
        self._t = where
        for name in ("_vGeomData", "_vGeomData2", "_vGeomData3", "_vGeomData4"):
            setattr(self, name, np.array(getattr(self, name), float) * unitScale)
        mesh: Any = self.__dict__["_meshcollision"]
        if mesh is not None:
            vertices = np.array(mesh.vertices, np.float64) * unitScale
            self._meshcollision = TriMesh(vertices, mesh.indices)
        for wall in self._vSideWalls:
            wall.transf = matrix_of(wall.transf)
            wall.transf[:3, 3] *= unitScale
            wall.vExtents = np.array(wall.vExtents, float) * unitScale
        for one in self._vAxialSlices:
            one.zOffset *= unitScale
            one.radius *= unitScale

    # -- sizes ---------------------------------------------------------------------

    def GetBoxHalfExtents(self) -> Array:
        return self._sizes("_vGeomData", GeometryType.Box)

    def SetBoxHalfExtents(self, halfExtents: Any) -> None:
        self._vGeomData = np.array(halfExtents, float)

    def GetCageBaseHalfExtents(self) -> Array:
        return self._sizes("_vGeomData", GeometryType.Cage)

    def SetCageBaseHalfExtents(self, halfExtents: Any) -> None:
        self._vGeomData = np.array(halfExtents, float)

    def GetContainerOuterExtents(self) -> Array:
        return self._sizes("_vGeomData", GeometryType.Container)

    def SetContainerOuterExtents(self, outerExtents: Any) -> None:
        self._vGeomData = np.array(outerExtents, float)

    def GetContainerInnerExtents(self) -> Array:
        return self._sizes("_vGeomData2", GeometryType.Container)

    def SetContainerInnerExtents(self, innerExtents: Any) -> None:
        self._vGeomData2 = np.array(innerExtents, float)

    def GetCylinderRadius(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.Cylinder)[0])

    def GetCylinderHeight(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.Cylinder)[1])

    def GetSphereRadius(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.Sphere)[0])

    def GetCapsuleRadius(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.Capsule)[0])

    def GetCapsuleHeight(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.Capsule)[1])

    def GetConicalFrustumTopRadius(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.ConicalFrustum)[0])

    def GetConicalFrustumBottomRadius(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.ConicalFrustum)[1])

    def GetConicalFrustumHeight(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.ConicalFrustum)[2])

    def GetPrismHeight(self) -> float:
        return float(self._sizes("_vGeomData", GeometryType.Prism)[1])

    def _sizes(self, name: str, kind: Any) -> Array:
        if self._type != kind:
            raise openrave_exception(
                f"the geometry {self._name!r} is a {self._type!s}, expected a "
                f"{kind.name}",
                ErrorCode.InvalidArguments,
            )
        return np.array(getattr(self, name), float)

    # -- shape ---------------------------------------------------------------------

    def ComputeAABB(self, transform: Any) -> AABB:
        """Return the box around it where its link is at a pose."""
        from pyrave_openravepy.api.bodies.infos.info_shapes import box_of_info

        where = matrix_of(transform) @ matrix_of(self._t)
        return box_of(box_of_info(self, where), where[:3, 3])

    def ComputeInnerEmptyVolume(self) -> tuple[Any, Any] | None:
        """Return the pose and half extents of the hollow of a container, or None."""
        return inner_volume(self)

    def GetCollisionMesh(self) -> Any:
        """Return the triangles of the shape in its own frame."""
        from pyrave_openravepy.api.bodies.infos.info_shapes import mesh_of_info

        if self._meshcollision is not None:
            return TriMesh(self._meshcollision.vertices, self._meshcollision.indices)
        return mesh_of_info(self)


_KEYS: dict[int, dict[str, tuple[str, int | None]]] = {
    GeometryType.Box: {"halfExtents": ("_vGeomData", None)},
    GeometryType.Sphere: {"radius": ("_vGeomData", 0)},
    GeometryType.Cylinder: {"radius": ("_vGeomData", 0), "height": ("_vGeomData", 1)},
    GeometryType.Capsule: {"radius": ("_vGeomData", 0), "height": ("_vGeomData", 1)},
    GeometryType.Prism: {"height": ("_vGeomData", 1)},
    GeometryType.ConicalFrustum: {
        "topRadius": ("_vGeomData", 0),
        "bottomRadius": ("_vGeomData", 1),
        "height": ("_vGeomData", 2),
    },
    GeometryType.Container: {
        "outerExtents": ("_vGeomData", None),
        "innerExtents": ("_vGeomData2", None),
        "bottomCross": ("_vGeomData3", None),
        "bottom": ("_vGeomData4", None),
    },
    GeometryType.Cage: {
        "baseExtents": ("_vGeomData", None),
        "innerSize": ("_vGeomData2", None),
    },
}


def inner_volume(info: GeometryInfo) -> tuple[Any, Any] | None:
    """Return the pose (4, 4) and half extents (3,) of a hollow, None without."""
    if info._type == GeometryType.Container:
        outer = np.array(info._vGeomData, float)
        hollow = np.array(info._vGeomData2, float)
        where = np.eye(4)
        # the origin is the centre of the outer bottom
        where[2, 3] = outer[2] - hollow[2] / 2
        return matrix_of(info._t) @ where, hollow / 2
    if info._type != GeometryType.Cage:
        return None
    base = np.array(info._vGeomData, float)
    walls = [
        (matrix_of(wall.transf), np.array(wall.vExtents, float))
        for wall in info._vSideWalls
    ]
    if not walls:
        return None
    size = np.array(info._vGeomData2, float)
    half = np.where(size > 0, size / 2, base)
    if not size[2] > 0:
        half[2] = max(its[2] for _, its in walls)
    where = np.eye(4)
    where[2, 3] = base[2] * 2 + half[2]
    return matrix_of(info._t) @ where, half
