"""`KinBody.Link`: a rigid part of a body."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.bodies.boxes import (
    AABB,
    TriMesh,
    box_of,
    pose_of,
    vector_of,
)
from pyrave_openravepy.api.bodies.forces import push
from pyrave_openravepy.api.bodies.geometry import Geometry
from pyrave_openravepy.api.bodies.infos.geometry_info import GeometryInfo
from pyrave_openravepy.api.bodies.infos.geometry_shapes import (
    described_geometry,
    geometry_info,
)
from pyrave_openravepy.api.bodies.infos.link_info import (
    LinkInfo,
    inertial_of,
    link_info,
)
from pyrave_openravepy.api.bodies.infos.parameters import Parameters
from pyrave_openravepy.api.enums import ErrorCode, GeometryType
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.objects import wrap, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interface import ReadableInterface, environment_text

__all__ = ["Link"]

Array = NDArray[np.float64]


class LinkGeometries(ReadableInterface):
    """The geometries of a link; a part of `Link`."""

    def GetGeometries(self) -> list[Any]:
        native = self._native
        return [wrap_part(Geometry, one, native.body) for one in native.geometries]

    def GetGeometry(self, geomname: str) -> Any:
        native = self._native
        for one in native.geometries:
            if one.name == geomname:
                return wrap_part(Geometry, one, native.body)
        return None

    def InitGeometries(self, geometries: Any) -> None:
        self._native.set_geometries([described_geometry(one) for one in geometries])

    def AddGeometry(self, geometryinfo: GeometryInfo, addToGroups: bool = True) -> None:
        """Add a geometry, to all groups as well unless that is not wanted."""
        native = self._native
        groups = native.geometry_groups if addToGroups else ()
        for group in dict.fromkeys(("self", *groups)):
            native.add_geometry(described_geometry(geometryinfo, group))

    def AddGeometryToGroup(self, geometryinfo: GeometryInfo, groupname: str) -> None:
        made = described_geometry(geometryinfo, str(groupname) or "self")
        self._native.add_geometry(made)

    def RemoveGeometryByName(
        self, geometryname: str, removeFromAllGroups: bool = True
    ) -> None:
        native = self._native
        for one in native.all_geometries:
            there = removeFromAllGroups or one.description.group == "self"
            if there and one.name == geometryname:
                native.remove_geometry(one)

    def SetGeometriesFromGroup(self, name: str) -> None:
        if name and name != "self":
            self._native.use_geometry_group(str(name))

    def GetGeometriesFromGroup(self, name: str) -> list[GeometryInfo]:
        native, group = self._native, str(name) or "self"
        if group not in native.geometry_groups:
            known = ", ".join(native.geometry_groups) or "none"
            raise openrave_exception(
                f"{self!r} has no geometries of group {name!r}, it has {known}",
                ErrorCode.InvalidArguments,
            )
        return [geometry_info(one) for one in native.group_geometries(group)]

    def SetGroupGeometries(self, name: str, geometries: Any) -> None:
        group = str(name) or "self"
        made = [described_geometry(one, group) for one in geometries]
        self._native.set_geometries(made, group)

    def GetGroupNumGeometries(self, geometries: str = "") -> int:
        """Return the number of geometries of a group, -1 if there is no such group."""
        native, group = self._native, str(geometries) or "self"
        if group not in native.geometry_groups:
            return 0 if group == "self" else -1
        return len(native.group_geometries(group))

    def GetCollisionData(self) -> TriMesh:
        """Return the triangles of all geometries in the link's frame."""
        vertices, indices, first = [np.zeros((0, 3))], [np.zeros((0, 3), int)], 0
        for one in self._native.geometries:
            if one.type == "none" or one.unusable:
                continue
            mesh, pose = one.mesh, one.transform
            vertices.append(mesh.vertices @ pose[:3, :3].T + pose[:3, 3])
            indices.append(np.asarray(mesh.faces) + first)
            first += len(mesh.vertices)
        return TriMesh(np.concatenate(vertices), np.concatenate(indices))

    # -- boxes ---------------------------------------------------------------------

    def ComputeAABB(self) -> AABB:
        return self.ComputeAABBFromTransform(self._native.transform)

    def ComputeLocalAABB(self) -> AABB:
        return self.ComputeAABBFromTransform(np.eye(4))

    def ComputeAABBFromTransform(self, transform: Any) -> AABB:
        return self._box("self", transform)

    def ComputeAABBForGeometryGroup(self, geomgroupname: str) -> AABB:
        return self._box(geomgroupname, self._native.transform)

    def ComputeLocalAABBForGeometryGroup(self, geomgroupname: str) -> AABB:
        return self._box(geomgroupname, np.eye(4))

    def ComputeAABBForGeometryGroupFromTransform(
        self, geomgroupname: str, transform: Any
    ) -> AABB:
        return self._box(geomgroupname, transform)

    def _box(self, group: str, transform: Any) -> AABB:
        where = matrix_of(transform)
        listed = self._native.group_geometries(str(group) or "self")
        boxes = [one.aabb_in(where @ one.transform) for one in listed]
        known = [AABB(*one) for one in boxes if one is not None]
        # what has no size counts where there is nothing else only
        known = [one for one in known if one._extents.any()] or known
        if not known:
            return box_of(None, where[:3, 3])
        found = known[0]
        for one in known[1:]:
            found = found.GetCombined(one)
        return found


class LinkMass(ReadableInterface):
    """Mass, pose and velocity of a link; a part of `Link`."""

    def GetTransform(self) -> Array:
        return self._native.transform  # type: ignore[no-any-return]

    def GetTransformPose(self) -> Array:
        return pose_of(self._native.transform)

    def SetTransform(self, transform: Any) -> None:
        """Place this link alone; the others stay where they are."""
        body = self._native.body
        poses = body.link_transforms
        poses[self._native.index] = matrix_of(transform)
        body.set_link_transforms(poses)

    def GetVelocity(self) -> Array:
        return np.array(self._native.velocity)

    def SetVelocity(self, linear: Any, angular: Any) -> None:
        """Set the velocity of the link; that of a base is the body's."""
        native = self._native
        parts = vector_of(linear, 3, "linear"), vector_of(angular, 3, "angular")
        if native.index == 0:
            native.body.base_velocity = np.concatenate(parts)
        else:
            native.velocity = np.concatenate(parts)

    def GetCOMOffset(self) -> Array:
        return self.GetLocalCOM()

    def GetLocalCOM(self) -> Array:
        return np.array(self._native.local_com)

    def GetGlobalCOM(self) -> Array:
        return np.array(self._native.global_com)

    def GetLocalInertia(self) -> Array:
        return np.array(self._native.local_inertia)

    def GetGlobalInertia(self) -> Array:
        return np.array(self._native.global_inertia)

    def GetPrincipalMomentsOfInertia(self) -> Array:
        return np.array(self._native.principal_moments)

    def GetLocalMassFrame(self) -> Array:
        return np.array(self._native.principal_frame)

    def GetGlobalMassFrame(self) -> Array:
        return np.array(self._native.transform @ self._native.principal_frame)

    def GetMass(self) -> float:
        return float(self._native.mass)

    def SetMass(self, mass: float) -> None:
        self._native.mass = float(mass)

    def SetLocalMassFrame(self, massframe: Any) -> None:
        self._set_inertia(massframe, self._native.principal_moments)

    def SetPrincipalMomentsOfInertia(self, inertiamoments: Any) -> None:
        self._set_inertia(self._native.principal_frame, inertiamoments)

    def _set_inertia(self, frame: Any, moments: Any) -> None:
        native = self._native
        made = inertial_of(native.mass, frame, moments)
        native.local_com = made.com
        native.local_inertia = np.array(made.inertia).reshape(3, 3)

    def SetForce(self, force: Any, pos: Any, add: bool = False) -> None:
        push(self._native.set_force, force, pos, add=bool(add))

    def SetTorque(self, torque: Any, add: bool = False) -> None:
        push(self._native.set_torque, torque, add=bool(add))


class Link(Parameters, LinkGeometries, LinkMass):
    """A rigid part of a body."""

    GeometryInfo = GeometryInfo
    LinkInfo = LinkInfo
    Geometry = Geometry
    # names of earlier versions
    GeomProperties = Geometry
    GeomType = GeometryType

    def GetId(self) -> str:
        return self.GetName()

    def GetName(self) -> str:
        return str(self._native.name)

    def GetIndex(self) -> int:
        return int(self._native.index)

    def GetParent(self, resolve: bool = True) -> Any:
        return wrap(self._native.body)

    # -- what it is for ------------------------------------------------------------

    def Enable(self, enable: bool) -> bool:
        """Enable or disable it; return True if that changed it."""
        native = self._native
        changes = bool(native.enabled) != bool(enable)
        if changes:
            native.enabled = bool(enable)
        return changes

    def IsEnabled(self) -> bool:
        return bool(self._native.enabled)

    def SetIgnoreSelfCollision(self, ignore: bool) -> None:
        """Leave its pairs with all other links out of self collision queries.

        They are adjacent from then on, which nothing takes back.
        """
        native = self._native
        if ignore:
            others = [one for one in native.body.links if one is not native]
            pairs = [(native.index, one.index) for one in others]
            native.body.structure.declare_adjacent(pairs)

    def IsSelfCollisionIgnored(self) -> bool:
        native = self._native
        body = native.body
        pairs = body.adjacent_links
        adjacent = int((pairs == native.index).any(axis=1).sum()) if len(pairs) else 0
        return len(body.links) > 1 and adjacent == len(body.links) - 1

    def IsStatic(self) -> bool:
        return bool(self._native.static)

    def SetStatic(self, static: bool) -> None:
        self._native.static = bool(static)

    def SetVisible(self, visible: bool) -> bool:
        native = self._native
        changes = any(one.visible != bool(visible) for one in native.geometries)
        native.visible = bool(visible)
        return changes

    def IsVisible(self) -> bool:
        return bool(self._native.visible)

    # -- neighbours ----------------------------------------------------------------

    def GetParentLinks(self) -> list[Any]:
        native = self._native
        return [wrap_part(Link, one, native.body) for one in native.parent_links]

    def IsParentLink(self, link: Any) -> bool:
        return any(one is link._native for one in self._native.parent_links)

    def GetRigidlyAttachedLinks(self) -> list[Any]:
        native = self._native
        return [wrap_part(Link, one, native.body) for one in native.rigidly_attached]

    def IsRigidlyAttached(self, link: Any) -> bool:
        return any(one is link._native for one in self._native.rigidly_attached)

    # -- data ----------------------------------------------------------------------

    def GetInfo(self) -> Any:
        return link_info(self._native)

    def UpdateInfo(self) -> None:
        """Do nothing: infos are made when they are asked for."""

    def UpdateAndGetInfo(self) -> Any:
        return link_info(self._native)

    def __repr__(self) -> str:
        body = self._native.body
        return (
            f"{environment_text(body.env)}.GetKinBody('{body.name}')"
            f".GetLink('{self._native.name}')"
        )

    def __str__(self) -> str:
        native = self._native
        return f"<link:{native.name} ({native.index}), parent={native.body.name}>"
