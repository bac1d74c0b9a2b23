"""Making a body of boxes, spheres, meshes and infos, and infos of a body."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyrave.scene import (
    BodyDescription,
    LinkDescription,
    Pose,
    body_from_boxes,
    body_from_mesh,
    body_from_spheres,
)
from pyrave_openravepy.api.bodies.boxes import AABB, OrientedBox, TriMesh
from pyrave_openravepy.api.bodies.infos.body_info import (
    KinBodyInfo,
    grab_of,
    grabbed_info,
    values_by_axis,
)
from pyrave_openravepy.api.bodies.infos.geometry_shapes import described_geometry
from pyrave_openravepy.api.bodies.infos.joint_descriptions import (
    described_joint,
    joint_info,
)
from pyrave_openravepy.api.bodies.infos.joint_info import JointInfo
from pyrave_openravepy.api.bodies.infos.link_info import (
    LinkInfo,
    described_link,
    link_info,
)
from pyrave_openravepy.api.bodies.replacement import out_of_environment, renamed
from pyrave_openravepy.api.enums import (
    ErrorCode,
    ExtractInfoOptions,
    UpdateFromInfoResult,
)
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.interface import Interface
from pyrave_openravepy.api.readables import Readable, native_readable

__all__ = ["BodyFactory", "described_body"]

_Infos = Iterable[Any]


class BodyFactory(Interface):
    """Making a body of data, and data of it; a part of `KinBody`."""

    # -- shapes --------------------------------------------------------------------

    def InitFromBoxes(self, boxes: Any, draw: bool = True, uri: str = "") -> bool:
        """Become a body of boxes: rows (n, 6) of centre and half extents, or boxes."""
        listed = boxes if isinstance(boxes, np.ndarray) else list(boxes)
        if any(isinstance(one, OrientedBox) for one in listed):
            infos = [_box_info(one, draw=draw) for one in listed]
            return self.InitFromGeometries(infos, uri)
        rows = [
            np.concatenate((one.pos(), one.extents())) if isinstance(one, AABB) else one
            for one in listed
        ]
        self._become(body_from_boxes(self._native.name, rows, visible=bool(draw)), uri)
        return True

    def InitFromSpheres(self, spherex: Any, draw: bool = True, uri: str = "") -> bool:
        """Become a body of spheres: rows (n, 4) of centre and radius."""
        native = self._native
        self._become(body_from_spheres(native.name, spherex, visible=bool(draw)), uri)
        return True

    def InitFromTrimesh(self, trimesh: Any, draw: bool = True, uri: str = "") -> bool:
        if not isinstance(trimesh, TriMesh):
            raise openrave_exception(
                f"trimesh is {trimesh!r:.80}, expected a TriMesh",
                ErrorCode.InvalidArguments,
            )
        vertices, faces = np.asarray(trimesh.vertices), np.asarray(trimesh.indices)
        made = body_from_mesh(
            self._native.name, vertices, faces.astype(np.int64), visible=bool(draw)
        )
        self._become(made, uri)
        return True

    def InitFromGeometries(self, geometries: _Infos, uri: str = "") -> bool:
        made = tuple(described_geometry(one) for one in geometries)
        link = LinkDescription("base", geometries=made, static=True)
        self._become(BodyDescription(self._native.name, (link,)), uri)
        return True

    # -- infos ---------------------------------------------------------------------

    def InitFromLinkInfos(self, linkInfos: _Infos, uri: str = "") -> bool:
        return self.Init(linkInfos, (), uri)

    def Init(self, linkinfos: _Infos, jointinfos: _Infos, uri: str = "") -> bool:
        name = self._native.name
        self._become(described_body(name, list(linkinfos), list(jointinfos)), uri)
        return True

    def InitFromKinBodyInfo(self, info: KinBodyInfo) -> bool:
        native = self._native
        name = str(info._name) or native.name
        made = described_body(name, info._vLinkInfos, info._vJointInfos)
        pose = Pose.from_matrix(matrix_of(info._transform)) @ made.pose
        readables = tuple(
            (key, native_readable(one))
            for key, one in dict(info._readableInterfaces).items()
        )
        self._become(replace(made, pose=pose, readables=readables), str(info._uri))
        self._reference_uri = str(info._referenceUri)
        self._take_values(info)
        return True

    def UpdateFromKinBodyInfo(self, info: KinBodyInfo) -> Any:
        """Become what an info says; return what that took."""
        native = self._native
        if self.ExtractInfo() == info:
            return UpdateFromInfoResult.NoChange
        grabs = [grab_of(one) for one in info._vGrabbedInfos]
        if info._name and info._name != native.name:
            renamed(native, str(info._name))
        out_of_environment(native, lambda: self._remake(info))
        native.grabs.info = grabs
        return UpdateFromInfoResult.Success

    def _remake(self, info: KinBodyInfo) -> None:
        self.InitFromKinBodyInfo(info)

    def ExtractInfo(self, options: int = int(ExtractInfoOptions.Everything)) -> Any:
        """Return the info of the body.

        Links are where they are while the body is at the origin with all values zero;
        `_transform` and `_dofValues` say where it is now.
        """
        info = KinBodyInfo()
        self._put_info(info, int(options))
        return info

    def _put_info(self, info: Any, options: int) -> None:
        native = self._native
        info._name = info._id = native.name
        info._uri = native.uri
        info._referenceUri = self.GetReferenceURI()
        info._interfaceType = native.interface_id
        info._isRobot = bool(native.is_robot)
        info._transform = np.array(native.transform)
        info._vLinkInfos = [link_info(link) for link in native.links]
        info._vJointInfos = [joint_info(joint) for joint in native.all_joints]
        poses, values = _at_zero(native)
        for one, pose in zip(info._vLinkInfos, poses, strict=True):
            one._t = pose
        for one, its in zip(info._vJointInfos, values, strict=True):
            one._vcurrentvalues = its
        info._vGrabbedInfos = [grabbed_info(one) for one in native.grabs.info]
        info._readableInterfaces = {
            key: Readable(key, one) for key, one in native.readables.items()
        }
        if not options & ExtractInfoOptions.SkipDOFValues:
            info._dofValues = [
                ((joint.name, k), float(value))
                for joint in native.joints
                for k, value in enumerate(joint.values)
            ]

    def GetReferenceURI(self) -> str:
        return str(self.__dict__.get("_reference_uri", ""))

    # -- steps ---------------------------------------------------------------------

    def _become(self, description: BodyDescription, uri: str) -> None:
        native = self._native
        if native in native.env.bodies:
            raise openrave_exception(
                f"{self!r} is in an environment; remove it to make it anew",
                ErrorCode.InvalidState,
            )
        known = native.description
        if native.is_robot and not hasattr(description, "manipulators"):
            shared = {
                name: getattr(description, name)
                for name in BodyDescription.__dataclass_fields__
            }
            description = type(known)(**shared)
        native.init(replace(description, uri=str(uri), interface=known.interface))

    def _take_values(self, info: KinBodyInfo) -> None:
        native, given = self._native, values_by_axis(info)
        values = native.dof_values
        for joint in native.joints:
            for k, index in enumerate(joint.dof_indices.tolist()):
                values[index] = given.get((joint.name, k), values[index])
        if len(values):
            native.set_dof_values(values)


def _box_info(given: Any, *, draw: bool) -> Any:
    from pyrave_openravepy.api.bodies.infos.geometry_info import GeometryInfo
    from pyrave_openravepy.api.enums import GeometryType

    info = GeometryInfo()
    info._type = GeometryType.Box
    info._t = given.transform()
    info._vGeomData = given.extents()
    info._bVisible = bool(draw)
    return info


def _at_zero(native: Any) -> tuple[list[Any], list[Any]]:
    """Return link poses in the body and joint values while all values are zero."""
    from pyrave import LimitCheck

    with native.preserve_state():
        native.transform = np.eye(4)
        native.set_dof_values(np.zeros(native.dof), limits=LimitCheck.NONE)
        poses = list(native.link_transforms)
        return poses, [np.array(joint.values) for joint in native.all_joints]


def _check_kinds(infos: Sequence[Any], kind: type) -> None:
    for info in infos:
        if not isinstance(info, kind):
            raise openrave_exception(
                f"an info is {info!r:.80}, expected a KinBody.{kind.__name__}",
                ErrorCode.InvalidArguments,
            )


def described_body(
    name: str, linkinfos: Sequence[Any], jointinfos: Sequence[Any]
) -> BodyDescription:
    """Return pyrave's description of a body of links and joints.

    Its frame is that of the first link.
    """
    if not linkinfos:
        raise openrave_exception(
            f"body {name!r} is given no links, expected one at least",
            ErrorCode.InvalidArguments,
        )
    _check_kinds(linkinfos, LinkInfo)
    _check_kinds(jointinfos, JointInfo)
    places = [Pose.from_matrix(matrix_of(info._t)) for info in linkinfos]
    base = places[0].inverse()
    links = tuple(
        described_link(info, base @ place if k else Pose())
        for k, (info, place) in enumerate(zip(linkinfos, places, strict=True))
    )
    by_name = {link.name: place for link, place in zip(links, places, strict=True)}
    joints = []
    for info in jointinfos:
        ends = [by_name.get(str(one)) for one in (info._linkname0, info._linkname1)]
        if ends[0] is None or ends[1] is None:
            raise openrave_exception(
                f"joint {info._name!r} connects links {info._linkname0!r} and "
                f"{info._linkname1!r}, the body has {', '.join(by_name)}",
                ErrorCode.InvalidArguments,
            )
        joints.append(described_joint(info, ends[0].inverse() @ ends[1]))
    adjacent = {
        tuple(sorted((str(info._name), str(other))))
        for info in linkinfos
        for other in info._vForcedAdjacentLinks
        if str(other) in by_name
    }
    for info in linkinfos:
        if info._bIgnoreSelfCollision:
            own = str(info._name)
            adjacent |= {tuple(sorted((own, one))) for one in by_name if one != own}
    return BodyDescription(
        name,
        links,
        tuple(joints),
        places[0],
        adjacent=frozenset(adjacent),  # type: ignore[arg-type]
    )
