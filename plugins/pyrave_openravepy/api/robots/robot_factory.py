"""Making a robot of infos, and the info of a robot."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pyrave
from pyrave_openravepy.api.bodies.body_factory import BodyFactory
from pyrave_openravepy.api.enums import ExtractInfoOptions
from pyrave_openravepy.api.robots.infos import (
    RobotBaseInfo,
    described_manipulator,
    kept_of,
    manipulator_info,
    mount_sensor,
    sensor_info,
)
from pyrave_openravepy.api.robots.manipulator import KEPT

__all__ = ["RobotFactory"]

_Infos = Iterable[Any]


class RobotFactory(BodyFactory):
    """Making a robot of data, and data of it; a part of `Robot`."""

    _native: pyrave.Robot

    def Init(  # type: ignore[override]
        self,
        linkinfos: _Infos,
        jointinfos: _Infos,
        manipinfos: _Infos = (),
        attachedsensorinfos: _Infos = (),
        uri: str = "",
    ) -> bool:
        """Become a robot of links, joints, manipulators and sensors."""
        as_of_body = isinstance(manipinfos, str)
        super().Init(linkinfos, jointinfos, str(manipinfos) if as_of_body else uri)
        self._equip(() if as_of_body else manipinfos, attachedsensorinfos)
        return True

    def InitFromRobotInfo(self, info: Any) -> bool:
        super().InitFromKinBodyInfo(info)
        self._equip_from(info)
        return True

    def _remake(self, info: Any) -> None:
        super()._remake(info)
        if isinstance(info, RobotBaseInfo):
            self._equip_from(info)

    def _equip_from(self, info: Any) -> None:
        robot: Any = self
        self._equip(
            getattr(info, "_vManipulatorInfos", ()),
            getattr(info, "_vAttachedSensorInfos", ()),
        )
        for gripper in getattr(info, "_vGripperInfos", ()):
            robot.AddGripperInfo(gripper, True)
        for connected in getattr(info, "_vConnectedBodyInfos", ()):
            robot.AddConnectedBody(connected, True)

    def _equip(self, manipinfos: _Infos, attachedsensorinfos: _Infos) -> None:
        robot = self._native
        for info in manipinfos:
            made = robot.add_manipulator(described_manipulator(info))
            robot.user_data.setdefault(KEPT, {})[made.name] = kept_of(info)
        for info in attachedsensorinfos:
            mount_sensor(robot, info)

    def ExtractInfo(self, options: int = int(ExtractInfoOptions.Everything)) -> Any:
        """Return the info of the robot, see `KinBody.ExtractInfo`."""
        info, robot = RobotBaseInfo(), self._native
        self._put_info(info, int(options))
        kept = robot.user_data.get(KEPT, {})
        info._vManipulatorInfos = [
            manipulator_info(arm, kept.get(arm.name, {})) for arm in robot.manipulators
        ]
        info._vAttachedSensorInfos = [
            sensor_info(one) for one in robot.attached_sensors
        ]
        api: Any = self
        info._vGripperInfos = api.GetGripperInfos()
        info._vConnectedBodyInfos = [one.GetInfo() for one in api.GetConnectedBodies()]
        return info
