"""`Robot.ConnectedBody`: a tool, for example, that may be connected to a link."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.scene import JointDescription, LinkDescription, MimicFormula, Pose
from pyrave.spatial import wxyz_xyz_from_pose
from pyrave_openravepy.api.bodies.body_factory import described_body
from pyrave_openravepy.api.bodies.joint import Joint
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import wrap, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.robots.attached_sensor import AttachedSensor
from pyrave_openravepy.api.robots.connected import (
    active_states,
    connected_bodies,
    set_active_states,
)
from pyrave_openravepy.api.robots.infos import (
    ConnectedBodyInfo,
    described_manipulator,
    mount_sensor,
)
from pyrave_openravepy.api.robots.manipulator import wrap_manipulator

__all__ = ["ConnectedBody", "RobotConnections"]

Array = NDArray[np.float64]


class ConnectedBody(Guarded):
    """Links, joints, manipulators and sensors that a robot has while they are active.

    Their names begin with that of the connected body. A robot in an environment does
    not change: it is made active or not before it is added.
    """

    def __init__(self, robot: pyrave.Robot, info: ConnectedBodyInfo) -> None:
        self._robot = robot
        self._info = copy.deepcopy(info)
        self._active = -1

    def GetId(self) -> str:
        return str(self._info._id) or self.GetName()

    def GetName(self) -> str:
        return str(self._info._name)

    def GetInfo(self) -> ConnectedBodyInfo:
        info = copy.deepcopy(self._info)
        info._bIsActive = self._active
        return info

    def GetRobot(self) -> Any:
        return wrap(self._robot)

    def IsActive(self) -> int:
        """Return 1 if it is active, 0 if not, -1 if nobody has said yet."""
        return self._active

    def SetActive(self, active: Any) -> bool:
        """Connect the body or not; False if nothing changes."""
        wanted = int(active)
        if wanted == self._active:
            return False
        if self._robot.id >= 0:
            raise openrave_exception(
                f"{self!r} cannot become {'active' if wanted > 0 else 'inactive'}: its "
                "robot is in an environment; remove it first",
                ErrorCode.InvalidState,
            )
        if wanted > 0:
            self._connect()
        elif self._active > 0:
            self._disconnect()
        self._active = wanted
        return True

    def CanProvideManipulator(self, manipname: str) -> bool:
        """Return True if it has a manipulator of that name while it is active."""
        mine = [self._named(one._name) for one in self._info._manipulatorInfos]
        return str(manipname) in mine

    # -- its parts -----------------------------------------------------------------

    def _named(self, name: Any) -> str:
        return f"{self.GetName()}_{name}"

    def _there(self, infos: Any, parts: Any) -> list[Any]:
        """Return the parts of the robot that are of these infos."""
        names = [self._named(one._name) for one in infos] if self._active > 0 else []
        known = {one.name: one for one in parts}
        return [known[name] for name in names if name in known]

    def _links(self) -> list[pyrave.Link]:
        return self._there(self._info._linkInfos, self._robot.links)

    def GetResolvedLinks(self) -> list[Any]:
        return [wrap_part(Link, one, self._robot) for one in self._links()]

    def GetResolvedJoints(self) -> list[Any]:
        found = self._there(self._info._jointInfos, self._robot.all_joints)
        return [wrap_part(Joint, one, self._robot) for one in found]

    def GetResolvedManipulators(self) -> list[Any]:
        infos = self._info._manipulatorInfos
        return [
            wrap_manipulator(one)
            for one in self._there(infos, self._robot.manipulators)
        ]

    def GetResolvedAttachedSensors(self) -> list[Any]:
        infos = self._info._attachedSensorInfos
        found = self._there(infos, self._robot.attached_sensors)
        return [wrap_part(AttachedSensor, one, self._robot) for one in found]

    def GetResolvedGripperInfos(self) -> list[Any]:
        return list(self._info._gripperInfos) if self._active > 0 else []

    def SetLinkEnable(self, enable: Any) -> None:
        for link in self._links():
            link.enabled = bool(enable)

    def SetLinkVisible(self, visible: Any) -> None:
        for link in self._links():
            link.visible = bool(visible)

    # -- where it is ---------------------------------------------------------------

    def GetRelativeTransform(self) -> Array:
        return matrix_of(self._info._trelative)

    def GetRelativeTransformPose(self) -> Array:
        return np.array(wxyz_xyz_from_pose(self.GetRelativeTransform()))

    def GetTransform(self) -> Array:
        link = self._robot.links[str(self._info._linkname)]
        return np.asarray(link.transform @ self.GetRelativeTransform())

    def GetTransformPose(self) -> Array:
        return np.array(wxyz_xyz_from_pose(self.GetTransform()))

    def GetInfoHash(self) -> str:
        data = json.dumps(self._info.SerializeJSON(), sort_keys=True)
        return hashlib.md5(data.encode(), usedforsecurity=False).hexdigest()

    def __str__(self) -> str:
        return f"<connectedbody:{self.GetName()}, parent={self._robot.name}>"

    def __unicode__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"{wrap(self._robot)!r}.GetConnectedBody('{self.GetName()}')"

    # -- steps ---------------------------------------------------------------------

    def _connect(self) -> None:
        """Give the robot the links, joints, manipulators and sensors of the body."""
        info, robot = self._info, self._robot
        base = str(info._linkname)
        known = robot.describe()
        carrier = next((one for one in known.links if one.name == base), None)
        if carrier is None:
            raise openrave_exception(
                f"{self!r} is to be connected to link {base!r}, the robot has "
                f"{', '.join(one.name for one in known.links)}",
                ErrorCode.InvalidArguments,
            )
        made = described_body(self.GetName(), info._linkInfos, info._jointInfos)
        local = Pose.from_matrix(self.GetRelativeTransform()) @ made.pose
        links = [self._link(one, carrier.pose @ local) for one in made.links]
        joints = [self._joint(one) for one in made.joints]
        joints.append(
            JointDescription(
                self._named("connection"), "fixed", base, links[0].name, local
            )
        )
        pairs = frozenset(
            (self._named(first), self._named(second)) for first, second in made.adjacent
        )
        whole = replace(
            known,
            links=(*known.links, *links),
            joints=(*known.joints, *joints),
            adjacent=known.adjacent | pairs,
            dof_values=None,
        )
        self._rebuild(whole)
        for one in info._manipulatorInfos:
            arm = described_manipulator(one)
            robot.add_manipulator(
                replace(
                    arm,
                    name=self._named(arm.name),
                    base=self._end(arm.base),
                    end_effector=self._end(arm.end_effector),
                    gripper_joints=tuple(self._named(j) for j in arm.gripper_joints),
                )
            )
        for one in info._attachedSensorInfos:
            sensor = copy.deepcopy(one)
            sensor._name = self._named(one._name)
            sensor._linkname = self._named(one._linkname)
            mount_sensor(robot, sensor)

    def _disconnect(self) -> None:
        """Take away from the robot what `_connect` gave it."""
        info, robot = self._info, self._robot
        for one in info._manipulatorInfos:
            robot.remove_manipulator(self._named(one._name))
        for one in info._attachedSensorInfos:
            robot.remove_attached_sensor(self._named(one._name))
        known = robot.describe()
        links = {self._named(one._name) for one in info._linkInfos}
        joints = {self._named(one._name) for one in info._jointInfos}
        joints.add(self._named("connection"))
        self._rebuild(
            replace(
                known,
                links=tuple(one for one in known.links if one.name not in links),
                joints=tuple(one for one in known.joints if one.name not in joints),
                adjacent=frozenset(one for one in known.adjacent if not links & {*one}),
                dof_values=None,
            )
        )

    def _rebuild(self, description: Any) -> None:
        robot = self._robot
        values = {one.name: one.values for one in robot.joints}
        robot.init(description)
        for joint in robot.joints:
            if joint.name in values:
                robot.set_dof_values(values[joint.name], joint.dof_indices)

    def _link(self, link: LinkDescription, place: Pose) -> LinkDescription:
        return replace(link, name=self._named(link.name), pose=place @ link.pose)

    def _joint(self, joint: JointDescription) -> JointDescription:
        names = [str(one._name) for one in self._info._jointInfos]
        axes = tuple(
            replace(axis, mimic=self._formula(axis.mimic, names)) for axis in joint.axes
        )
        return replace(
            joint,
            name=self._named(joint.name),
            parent=self._named(joint.parent),
            child=self._named(joint.child),
            axes=axes,
        )

    def _formula(
        self, formula: MimicFormula | None, names: list[str]
    ) -> MimicFormula | None:
        if formula is None:
            return None
        words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        inner = re.compile(rf"(?<!\w)({words})(?!\w)")

        def renamed(text: str) -> str:
            return inner.sub(lambda found: self._named(found.group()), text)

        return MimicFormula(
            renamed(formula.position),
            renamed(formula.velocity),
            renamed(formula.acceleration),
        )

    def _end(self, link: str) -> str:
        """Return the name of a link of the connected body, or of one of the robot."""
        mine = {str(one._name) for one in self._info._linkInfos}
        return self._named(link) if link in mine else link


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
        made = ConnectedBody(robot, connectedbodyinfo)
        connected_bodies(robot).append(made)
        if int(connectedbodyinfo._bIsActive) >= 0:
            made.SetActive(int(connectedbodyinfo._bIsActive))
        return made

    def RemoveConnectedBody(self, connectedbody: Any) -> bool:
        """Remove a connected body; False if the robot has it no more."""
        known = connected_bodies(self._native)
        if connectedbody not in known:
            return False
        connectedbody.SetActive(0)
        known.remove(connectedbody)
        return True

    def GetConnectedBodies(self) -> list[Any]:
        return list(connected_bodies(self._native))

    def GetConnectedBody(self, bodyname: str) -> Any:
        """Return the connected body of a name, None without."""
        known = connected_bodies(self._native)
        return next((one for one in known if one.GetName() == str(bodyname)), None)

    def GetConnectedBodyActiveStates(self) -> NDArray[np.int8]:
        """Return 1 for each that is active, 0 for those that are not, -1 if unknown."""
        return np.array(active_states(self._native), dtype=np.int8)

    def SetConnectedBodyActiveStates(self, activestates: Any) -> None:
        set_active_states(self._native, activestates)
