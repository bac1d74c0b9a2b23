"""Manipulators, attached sensors and grippers of robots."""

from __future__ import annotations

from typing import Any

import pyrave
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.objects import as_native, wrap_part
from pyrave_openravepy.api.robots.attached_sensor import AttachedSensor
from pyrave_openravepy.api.robots.infos import (
    described_gripper,
    described_manipulator,
    gripper_info,
    kept_of,
    mount_sensor,
)
from pyrave_openravepy.api.robots.manipulator import (
    KEPT,
    Manipulator,
    wrap_manipulator,
)

__all__ = ["RobotEquipment"]


class RobotEquipment(Guarded):
    """Parts of a robot beside links and joints."""

    _native: pyrave.Robot

    # -- manipulators --------------------------------------------------------------

    def GetManipulators(self, manipname: Any = None) -> list[Any]:
        return [
            wrap_manipulator(one)
            for one in self._native.manipulators
            if manipname is None or one.name == str(manipname)
        ]

    def GetManipulator(self, manipname: str) -> Any:
        """Return the manipulator of a name, None without."""
        found = self._native.manipulators.get(str(manipname))
        return None if found is None else wrap_manipulator(found)

    def GetActiveManipulator(self) -> Any:
        """Return the manipulator that commands act on, None without any."""
        robot = self._native
        if not len(robot.manipulators):
            return None
        return wrap_manipulator(robot.active_manipulator)

    def GetActiveManipulatorIndex(self) -> int:
        """Return the index of the active manipulator, -1 without any."""
        robot = self._native
        if not len(robot.manipulators):
            return -1
        return list(robot.manipulators).index(robot.active_manipulator)

    def SetActiveManipulator(self, manipname: Any) -> Any:
        """Choose a manipulator, by name, object or index, and return it."""
        robot = self._native
        if isinstance(manipname, Manipulator):
            robot.active_manipulator = manipname._native
        elif manipname is None or isinstance(manipname, str):
            robot.active_manipulator = manipname or None
        else:
            robot.active_manipulator = robot.manipulators[int(manipname)]
        return self.GetActiveManipulator()

    def AddManipulator(self, manipinfo: Any, removeduplicate: bool = False) -> Any:
        """Add a manipulator of an info; one of that name is replaced, if so wanted."""
        robot = self._native
        described = described_manipulator(manipinfo)
        if described.name in robot.manipulators and not removeduplicate:
            raise openrave_exception(
                f"{robot!r} has a manipulator {described.name!r} already, expected "
                "another name or removeduplicate=True",
                ErrorCode.InvalidArguments,
            )
        made = robot.add_manipulator(described)
        robot.user_data.setdefault(KEPT, {})[made.name] = kept_of(manipinfo)
        return wrap_manipulator(made)

    def RemoveManipulator(self, manip: Any) -> bool:
        """Remove a manipulator; False if the robot has it no more."""
        native, robot = as_native(manip), self._native
        if not any(one is native for one in robot.manipulators):
            return False
        robot.remove_manipulator(native.name)
        return True

    # -- sensors -------------------------------------------------------------------

    def GetAttachedSensors(self) -> list[Any]:
        return [self._mounted(one) for one in self._native.attached_sensors]

    def GetAttachedSensor(self, sensorname: str) -> Any:
        """Return the attached sensor of a name, None without."""
        found = self._native.attached_sensors.get(str(sensorname))
        return None if found is None else self._mounted(found)

    def GetSensors(self) -> list[Any]:
        return self.GetAttachedSensors()

    def GetSensor(self, sensorname: str) -> Any:
        return self.GetAttachedSensor(sensorname)

    def _mounted(self, native: pyrave.AttachedSensor) -> AttachedSensor:
        return wrap_part(AttachedSensor, native, self._native)

    def AddAttachedSensor(
        self, attachedsensorinfo: Any, removeduplicate: bool = False
    ) -> Any:
        """Add a sensor of an info; one of that name is replaced, if so wanted."""
        robot, name = self._native, str(attachedsensorinfo._name)
        if name in robot.attached_sensors and not removeduplicate:
            raise openrave_exception(
                f"{robot!r} has an attached sensor {name!r} already, expected another "
                "name or removeduplicate=True",
                ErrorCode.InvalidArguments,
            )
        return self._mounted(mount_sensor(robot, attachedsensorinfo))

    def RemoveAttachedSensor(self, attsensor: Any) -> bool:
        """Remove an attached sensor; False if the robot has it no more."""
        native, robot = as_native(attsensor), self._native
        if not any(one is native for one in robot.attached_sensors):
            return False
        robot.remove_attached_sensor(native.name)
        return True

    # -- grippers ------------------------------------------------------------------

    def AddGripperInfo(self, gripperInfo: Any, removeduplicate: bool = False) -> bool:
        """Keep an info of a gripper; one of that name is replaced, if so wanted."""
        described = described_gripper(gripperInfo)
        robot = self._native
        if described.name in robot.grippers and not removeduplicate:
            raise openrave_exception(
                f"{robot!r} has a gripper {described.name!r} already, expected another "
                "name or removeduplicate=True",
                ErrorCode.InvalidArguments,
            )
        robot.grippers.add(described)
        return True

    def RemoveGripperInfo(self, name: str) -> bool:
        grippers = self._native.grippers
        if str(name) not in grippers:
            return False
        grippers.remove(str(name))
        return True

    def GetGripperInfo(self, name: str) -> Any:
        """Return the info of a gripper, None without."""
        found = self._native.grippers.get(str(name))
        return None if found is None else gripper_info(found)

    def GetGripperInfos(self) -> list[Any]:
        return [gripper_info(one) for one in self._native.grippers.values()]
