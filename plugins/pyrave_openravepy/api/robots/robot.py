"""`Robot`: a body with manipulators, sensors and a controller."""

from __future__ import annotations

import hashlib
from typing import Any

import pyrave
from pyrave_openravepy.api.bodies.kinbody import KinBody
from pyrave_openravepy.api.bodies.savers import ROBOT_PARTS
from pyrave_openravepy.api.enums import DOFAffine
from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.robots.active import RobotActive
from pyrave_openravepy.api.robots.affine import RobotAffine
from pyrave_openravepy.api.robots.attached_sensor import AttachedSensor
from pyrave_openravepy.api.robots.connected_body import ConnectedBody, RobotConnections
from pyrave_openravepy.api.robots.control import RobotControl
from pyrave_openravepy.api.robots.equipment import RobotEquipment
from pyrave_openravepy.api.robots.infos import (
    AttachedSensorInfo,
    ConnectedBodyInfo,
    GripperInfo,
    ManipulatorInfo,
    RobotBaseInfo,
)
from pyrave_openravepy.api.robots.manipulator import Manipulator
from pyrave_openravepy.api.robots.robot_factory import RobotFactory
from pyrave_openravepy.api.robots.saver import RobotStateSaver

__all__ = ["Robot"]


class Robot(
    RobotFactory,
    RobotEquipment,
    RobotConnections,
    RobotActive,
    RobotAffine,
    RobotControl,
    KinBody,
):
    """A body with manipulators, sensors and a controller."""

    _native: pyrave.Robot
    _with_parts = ROBOT_PARTS

    Manipulator = Manipulator
    AttachedSensor = AttachedSensor
    ConnectedBody = ConnectedBody
    ManipulatorInfo = ManipulatorInfo
    AttachedSensorInfo = AttachedSensorInfo
    ConnectedBodyInfo = ConnectedBodyInfo
    GripperInfo = GripperInfo
    RobotBaseInfo = RobotBaseInfo
    RobotStateSaver: Any = RobotStateSaver
    DOFAffine = DOFAffine

    def CreateRobotStateSaver(self, options: Any = None) -> Any:
        return RobotStateSaver(self, options)

    def CheckLinkSelfCollision(
        self, linkindex: int, linktrans: Any, report: Any = None
    ) -> bool:
        """Return True if a link, at another pose, hits other links of the robot."""
        robot = self._native
        link = robot.links[int(linkindex)]
        native = None if report is None else report._native
        checker = robot.env.collision_checker
        return bool(
            checker.check_link_self_collision(link, matrix_of(linktrans), native)
        )

    def GetRobotStructureHash(self) -> str:
        robot = self._native
        parts = [self.GetKinematicsGeometryHash()]
        parts += [f"{arm.name} {arm.kinematics_hash}" for arm in robot.manipulators]
        text = "\n".join(parts)
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


register_kind("robot", Robot)
