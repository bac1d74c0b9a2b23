"""`Robot.ConnectedBody`: a tool, for example, that may be connected to a link."""

from __future__ import annotations

import copy
import hashlib
import json
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.kinematics.formula import Renaming
from pyrave.scene import (
    AttachedSensorDescription,
    JointDescription,
    Pose,
    RobotDescription,
)
from pyrave.spatial import wxyz_xyz_from_pose
from pyrave_openravepy.api.bodies.body_factory import described_body
from pyrave_openravepy.api.bodies.infos.joint_descriptions import joint_info
from pyrave_openravepy.api.bodies.infos.link_info import link_info
from pyrave_openravepy.api.bodies.joint import Joint
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import wrap, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.robots.attached_sensor import AttachedSensor
from pyrave_openravepy.api.robots.infos import (
    ConnectedBodyInfo,
    described_manipulator,
)
from pyrave_openravepy.api.robots.manipulator import wrap_manipulator

__all__ = ["ConnectedBody", "RobotConnections"]

Array = NDArray[np.float64]


class ConnectedBody(Guarded):
    """Links, joints, manipulators and sensors that a robot has while they are active.

    Their names begin with that of the connected body. A robot in an environment does
    not change: it is made active or not before it is added.

    Parameters
    ----------
    native
        pyrave's connected body.
    info
        The info that it was made of, None of one of a file or a clone.
    """

    def __init__(
        self, native: pyrave.ConnectedBody, info: ConnectedBodyInfo | None = None
    ) -> None:
        if not hasattr(native, "local_transform"):
            raise TypeError(f"found {native!r:.80}; Robot.AddConnectedBody makes these")
        self._native = native
        self._info = copy.deepcopy(info)
        self._asked = info is None or int(info._bIsActive) >= 0

    def GetId(self) -> str:
        return (str(self._info._id) if self._info else "") or self.GetName()

    def GetName(self) -> str:
        return self._native.name

    def GetInfo(self) -> ConnectedBodyInfo:
        info = copy.deepcopy(self._info)
        if info is None:
            known = self._native.description
            info = ConnectedBodyInfo()
            info._id = info._name = known.name
            info._linkname = known.link
            info._trelative = np.array(self._native.local_transform)
            info._linkInfos = [link_info(one) for one in self._native.links]
            info._jointInfos = [joint_info(one) for one in self._native.joints]
        info._bIsActive = self.IsActive()
        return info

    def GetRobot(self) -> Any:
        return wrap(self._native.robot)

    def IsActive(self) -> int:
        """Return 1 if it is active, 0 if not, -1 if nobody has said yet."""
        return int(self._native.active) if self._asked else -1

    def SetActive(self, active: Any) -> bool:
        """Connect the body or not; False if nothing changes."""
        wanted, before = int(active), self.IsActive()
        if wanted == before:
            return False
        self._native.active = wanted > 0
        self._asked = wanted >= 0
        for one in self._info._attachedSensorInfos if self._info else ():
            if one._sensorgeometry is not None and wanted > 0:
                name = named(self.GetName(), one._name)
                found = self._native.robot.attached_sensors[name]
                if found.has_sensor:
                    wrap(found.sensor).SetSensorGeometry(one._sensorgeometry)
        return True

    def CanProvideManipulator(self, manipname: str) -> bool:
        """Return True if it has a manipulator of that name while it is active."""
        body = self._native.description.body
        return str(manipname) in {one.name for one in body.manipulators}

    # -- its parts -----------------------------------------------------------------

    def GetResolvedLinks(self) -> list[Any]:
        native = self._native
        return [wrap_part(Link, one, native.robot) for one in native.links]

    def GetResolvedJoints(self) -> list[Any]:
        native = self._native
        return [wrap_part(Joint, one, native.robot) for one in native.joints]

    def GetResolvedManipulators(self) -> list[Any]:
        return [wrap_manipulator(one) for one in self._native.manipulators]

    def GetResolvedAttachedSensors(self) -> list[Any]:
        native = self._native
        return [
            wrap_part(AttachedSensor, one, native.robot)
            for one in native.attached_sensors
        ]

    def GetResolvedGripperInfos(self) -> list[Any]:
        info = self._info
        return list(info._gripperInfos) if info and self._native.active else []

    def SetLinkEnable(self, enable: Any) -> None:
        for link in self._native.links:
            link.enabled = bool(enable)

    def SetLinkVisible(self, visible: Any) -> None:
        for link in self._native.links:
            link.visible = bool(visible)

    # -- where it is ---------------------------------------------------------------

    def GetRelativeTransform(self) -> Array:
        return np.array(self._native.local_transform)

    def GetRelativeTransformPose(self) -> Array:
        return np.array(wxyz_xyz_from_pose(self._native.local_transform))

    def GetTransform(self) -> Array:
        return np.array(self._native.transform)

    def GetTransformPose(self) -> Array:
        return np.array(wxyz_xyz_from_pose(self._native.transform))

    def GetInfoHash(self) -> str:
        data = json.dumps(self.GetInfo().SerializeJSON(), sort_keys=True)
        return hashlib.md5(data.encode(), usedforsecurity=False).hexdigest()

    def __str__(self) -> str:
        return f"<connectedbody:{self.GetName()}, parent={self._native.robot.name}>"

    def __unicode__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"{wrap(self._native.robot)!r}.GetConnectedBody('{self.GetName()}')"


def named(body: str, part: Any) -> str:
    """Return the name that a part of a connected body has in the robot."""
    return f"{body}_{part}"


def _described(info: ConnectedBodyInfo) -> RobotDescription:
    """Return pyrave's description of an info, its names with that of the body."""
    name = str(info._name)
    made = described_body(name, info._linkInfos, info._jointInfos)
    links = {one.name for one in made.links}
    formulas = Renaming.of_joints(made.joints, lambda joint: named(name, joint))

    def end(link: str) -> str:
        return named(name, link) if link in links else link

    arms = [described_manipulator(one) for one in info._manipulatorInfos]
    return RobotDescription(
        name,
        tuple(replace(one, name=named(name, one.name)) for one in made.links),
        tuple(_joint(name, one, formulas) for one in made.joints),
        adjacent=frozenset((named(name, a), named(name, b)) for a, b in made.adjacent),
        manipulators=tuple(
            replace(
                arm,
                name=named(name, arm.name),
                base=end(arm.base),
                end_effector=end(arm.end_effector),
                gripper_joints=tuple(named(name, one) for one in arm.gripper_joints),
            )
            for arm in arms
        ),
        attached_sensors=tuple(
            AttachedSensorDescription(
                named(name, one._name),
                end(str(one._linkname)),
                Pose.from_matrix(matrix_of(one._trelative)),
                str(one._sensorname),
            )
            for one in info._attachedSensorInfos
        ),
    )


def _joint(body: str, joint: JointDescription, formulas: Renaming) -> JointDescription:
    return replace(
        formulas.joint(joint),
        name=named(body, joint.name),
        parent=named(body, joint.parent),
        child=named(body, joint.child),
    )


class RobotConnections(Guarded):
    """The connected bodies of a robot."""

    _native: pyrave.Robot

    def AddConnectedBody(
        self, connectedbodyinfo: Any, removeduplicate: bool = False
    ) -> ConnectedBody:
        """Add a body that may be connected; at once if its info says so.

        A connected body of that name is replaced, if so wanted.
        """
        if not isinstance(connectedbodyinfo, ConnectedBodyInfo):
            raise openrave_exception(
                f"the body is {connectedbodyinfo!r}, expected a "
                "Robot.ConnectedBodyInfo",
                ErrorCode.InvalidArguments,
            )
        robot = self._native
        name = str(connectedbodyinfo._name)
        before = self.GetConnectedBody(name)
        if robot.id >= 0 or not name or (before is not None and not removeduplicate):
            raise openrave_exception(
                f"{robot!r} takes no connected body {name!r}: expected a robot in no "
                "environment, and a name that it has not yet or removeduplicate=True",
                ErrorCode.InvalidState,
            )
        if before is not None:
            self.RemoveConnectedBody(before)
        native = robot.connected_bodies.add(
            name,
            _described(connectedbodyinfo),
            str(connectedbodyinfo._linkname),
            matrix_of(connectedbodyinfo._trelative),
            active=False,
        )
        made = ConnectedBody(native, connectedbodyinfo)
        _known(robot)[name] = made
        if int(connectedbodyinfo._bIsActive) > 0:
            made.SetActive(1)
        return made

    def RemoveConnectedBody(self, connectedbody: Any) -> bool:
        """Remove a connected body; False if the robot has it no more."""
        if connectedbody not in self.GetConnectedBodies():
            return False
        self._native.connected_bodies.remove(connectedbody.GetName())
        del _known(self._native)[connectedbody.GetName()]
        return True

    def GetConnectedBodies(self) -> list[Any]:
        return [self.GetConnectedBody(name) for name in self._native.connected_bodies]

    def GetConnectedBody(self, bodyname: str) -> Any:
        """Return the connected body of a name, None without."""
        bodies, known, name = (
            self._native.connected_bodies,
            _known(self._native),
            str(bodyname),
        )
        if name not in bodies:
            return None
        if name not in known:
            known[name] = ConnectedBody(bodies[name])
        return known[name]

    def GetConnectedBodyActiveStates(self) -> NDArray[np.int8]:
        """Return 1 for each that is active, 0 for those that are not, -1 if unknown."""
        states = [one.IsActive() for one in self.GetConnectedBodies()]
        return np.array(states, dtype=np.int8)

    def SetConnectedBodyActiveStates(self, activestates: Any) -> None:
        bodies, states = self.GetConnectedBodies(), [int(one) for one in activestates]
        if len(states) != len(bodies):
            raise openrave_exception(
                f"{len(states)} states of connected bodies, expected {len(bodies)}",
                ErrorCode.InvalidArguments,
            )
        for body, state in zip(bodies, states, strict=True):
            body.SetActive(state)


def _known(robot: pyrave.Robot) -> dict[str, ConnectedBody]:
    """Return the objects of the API for the connected bodies of a robot."""
    known: dict[str, ConnectedBody] = robot.user_data.setdefault(
        "openravepy connected bodies", {}
    )
    return known
