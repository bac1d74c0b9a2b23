"""`KinBody.Link.Geometry`: a shape of a link."""

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
    MeshData,
    MeshReference,
    Prism,
    RenderMesh,
    Sphere,
)
from pyrave.scene import TriMesh as MeshShape
from pyrave_openravepy.api.bodies.boxes import AABB, TriMesh, box_of, pose_of, vector_of
from pyrave_openravepy.api.bodies.infos.geometry_info import GeometryInfo, inner_volume
from pyrave_openravepy.api.bodies.infos.geometry_shapes import (
    geometry_info,
    geometry_type,
)
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import ApiObject
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["Geometry"]

Array = NDArray[np.float64]
_MARGINS = "_margins"


class GeometrySizes(ApiObject):
    """Sizes of a shape; a part of `Geometry`. Errors say which shape it has."""

    def GetBoxExtents(self) -> Array:
        return np.array(self._shape(Box).half_extents)

    def GetSphereRadius(self) -> float:
        return float(self._shape(Sphere).radius)

    def GetCylinderRadius(self) -> float:
        return float(self._shape(Cylinder).radius)

    def GetCylinderHeight(self) -> float:
        return float(self._shape(Cylinder).height)

    def GetCapsuleRadius(self) -> float:
        return float(self._shape(Capsule).radius)

    def GetCapsuleHeight(self) -> float:
        return float(self._shape(Capsule).height)

    def GetPrismHeight(self) -> float:
        return float(self._shape(Prism).height)

    def GetConicalFrustumTopRadius(self) -> float:
        return self.GetInfo().GetConicalFrustumTopRadius()

    def GetConicalFrustumBottomRadius(self) -> float:
        return self.GetInfo().GetConicalFrustumBottomRadius()

    def GetConicalFrustumHeight(self) -> float:
        return self.GetInfo().GetConicalFrustumHeight()

    def GetNumberOfAxialSlices(self) -> int:
        return len(self.GetInfo()._vAxialSlices)

    def GetContainerOuterExtents(self) -> Array:
        return np.array(self._shape(Container).outer_extents)

    def GetContainerInnerExtents(self) -> Array:
        return np.array(self._shape(Container).inner_extents)

    def GetContainerBottomCross(self) -> Array:
        return np.array(self._shape(Container).bottom_cross)

    def GetContainerBottom(self) -> Array:
        return np.array(self._shape(Container).bottom)

    def GetSideWallExists(self) -> int:
        """Return the sides of a cage that have a wall, as bits."""
        shape = self._native.description.shape
        walls = len(shape.walls) if isinstance(shape, Cage) else 0
        return sum(1 << side for side in range(min(walls, 4)))

    def ComputeInnerEmptyVolume(self) -> tuple[Any, Any] | None:
        return inner_volume(self.GetInfo())

    def GetInfo(self) -> GeometryInfo:
        return geometry_info(self._native)

    def _shape(self, kind: Any) -> Any:
        native = self._native
        if not isinstance(native.description.shape, kind):
            raise openrave_exception(
                f"geometry {native.name!r} of link {native.link.name!r} is a "
                f"{native.type}, expected a {kind.type}",
                ErrorCode.InvalidArguments,
            )
        return native.description.shape


class GeometryLook(ApiObject):
    """Colours and margins of a geometry; a part of `Geometry`."""

    def SetDraw(self, draw: bool) -> None:
        self._native.visible = bool(draw)

    def SetVisible(self, visible: bool) -> bool:
        changes = bool(self._native.visible) != bool(visible)
        self._native.visible = bool(visible)
        return changes

    def IsDraw(self) -> bool:
        return bool(self._native.visible)

    def IsVisible(self) -> bool:
        return bool(self._native.visible)

    def SetTransparency(self, transparency: float) -> None:
        self._native.transparency = min(max(float(transparency), 0.0), 1.0)

    def GetTransparency(self) -> float:
        return float(self._native.transparency)

    def SetDiffuseColor(self, color: Any) -> None:
        self._native.diffuse_color = _color(color)

    def GetDiffuseColor(self) -> Array:
        return np.array(self._native.diffuse_color)

    def SetAmbientColor(self, color: Any) -> None:
        self._native.ambient_color = _color(color)

    def GetAmbientColor(self) -> Array:
        return np.array(self._native.ambient_color)

    # margins of containers and data of boards are kept for who asks for them again

    def SetNegativeCropContainerMargins(
        self, negativeCropContainerMargins: Any
    ) -> None:
        self._set_margins("negative", negativeCropContainerMargins)

    def SetPositiveCropContainerMargins(
        self, positiveCropContainerMargins: Any
    ) -> None:
        self._set_margins("positive", positiveCropContainerMargins)

    def SetNegativeCropContainerEmptyMargins(
        self, negativeCropContainerEmptyMargins: Any
    ) -> None:
        self._set_margins("negative empty", negativeCropContainerEmptyMargins)

    def SetPositiveCropContainerEmptyMargins(
        self, positiveCropContainerEmptyMargins: Any
    ) -> None:
        self._set_margins("positive empty", positiveCropContainerEmptyMargins)

    def GetNegativeCropContainerMargins(self) -> Array:
        return self._margins("negative")

    def GetPositiveCropContainerMargins(self) -> Array:
        return self._margins("positive")

    def GetNegativeCropContainerEmptyMargins(self) -> Array:
        return self._margins("negative empty")

    def GetPositiveCropContainerEmptyMargins(self) -> Array:
        return self._margins("positive empty")

    def _set_margins(self, name: str, given: Any) -> None:
        known = self.__dict__.setdefault(_MARGINS, {})
        known[name] = vector_of(given, 3, f"{name} margins")

    def _margins(self, name: str) -> Array:
        known = self.__dict__.get(_MARGINS, {})
        return np.array(known.get(name, np.zeros(3)))


def _color(given: Any) -> Array:
    """Return red, green, blue from 0 to 1; a fourth number is left out."""
    color = np.array(given, dtype=np.float64).reshape(-1)
    if len(color) not in {3, 4}:
        raise openrave_exception(
            f"a color is {given!r}, expected red, green and blue from 0 to 1",
            ErrorCode.InvalidArguments,
        )
    return np.clip(color[:3], 0.0, 1.0)


class Geometry(GeometrySizes, GeometryLook):
    """A shape of a link."""

    def GetId(self) -> str:
        return self.GetName()

    def GetName(self) -> str:
        return str(self._native.name)

    def SetName(self, name: str) -> None:
        self._native.edit(name=str(name))

    def GetType(self) -> Any:
        return geometry_type(self._native.description)

    def IsModifiable(self) -> bool:
        return bool(self._native.description.modifiable)

    def GetTransform(self) -> Array:
        return np.array(self._native.transform)

    def GetTransformPose(self) -> Array:
        return pose_of(self._native.transform)

    def ComputeAABB(self, transform: Any) -> AABB:
        """Return the box around it where its link is at a pose."""
        where = matrix_of(transform) @ self._native.transform
        return box_of(self._native.aabb_in(where), where[:3, 3])

    # -- meshes --------------------------------------------------------------------

    def GetCollisionMesh(self) -> TriMesh:
        native = self._native
        if native.type == "none" or native.unusable:
            return TriMesh()
        mesh = native.mesh
        return TriMesh(mesh.vertices, mesh.faces)

    def SetCollisionMesh(self, trimesh: TriMesh) -> None:
        """Give a mesh other triangles."""
        native = self._native
        if not native.description.modifiable:
            raise openrave_exception(
                f"geometry {native.name!r} is not modifiable", ErrorCode.InvalidState
            )
        data = MeshData(trimesh.vertices, trimesh.indices)
        native.edit(shape=MeshShape(data))

    def InitCollisionMesh(self, tesselation: float = 1.0) -> bool:
        """Return True: triangles are made when they are asked for."""
        return bool(self._native.type != "none")

    def GetRenderFilename(self) -> str:
        return str(self.GetInfo()._filenamerender) if self._has_file() else ""

    def GetRenderScale(self) -> Array:
        description = self._native.description
        mesh = getattr(description.render or description.shape, "mesh", None)
        scale = mesh.scale if isinstance(mesh, MeshReference) else (1.0, 1.0, 1.0)
        return np.array(scale)

    def SetRenderFilename(self, color: str) -> None:
        """Show a mesh of a file instead of the shape; ``""`` shows the shape."""
        name = str(color)
        mesh = MeshReference(name, tuple(self.GetRenderScale().tolist()), name)
        self._native.edit(render=RenderMesh(mesh) if name else None)

    def _has_file(self) -> bool:
        description = self._native.description
        shown = description.render or description.shape
        return isinstance(getattr(shown, "mesh", None), MeshReference)

    # -- calibration boards, which nothing here reads ------------------------------

    def _board(self) -> Any:
        raise openrave_exception(
            f"geometry {self._native.name!r} is a {self._native.type}, expected a "
            "calibration board",
            ErrorCode.InvalidArguments,
        )

    def GetCalibrationBoardNumDots(self) -> Any:
        return self._board()

    def GetCalibrationBoardDotsDistances(self) -> Any:
        return self._board()

    def GetCalibrationBoardDotColor(self) -> Any:
        return self._board()

    def GetCalibrationBoardPatternName(self) -> Any:
        return self._board()

    def GetCalibrationBoardDotDiameterDistanceRatios(self) -> Any:
        return self._board()

    def __repr__(self) -> str:
        native = self._native
        return f"<geometry:{native.name} ({native.type}), parent={native.link.name}>"
