"""`Robot.AttachedSensor`: a sensor that a link carries."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave.spatial import wxyz_xyz_from_pose
from pyrave_openravepy.api.bodies.link import Link
from pyrave_openravepy.api.foundation.objects import ApiObject, wrap, wrap_part
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["AttachedSensor"]

Array = NDArray[np.float64]


class AttachedSensor(ApiObject):
    """A frame on a link of a robot, and the sensor in it."""

    _native: pyrave.AttachedSensor

    def GetSensor(self) -> Any:
        """Return the sensor, None of a bare frame."""
        native = self._native
        return wrap(native.sensor) if native.has_sensor else None

    def GetAttachingLink(self) -> Any:
        return wrap_part(Link, self._native.link, self._native.robot)

    def GetRelativeTransform(self) -> Array:
        return np.array(self._native.local_transform)

    def SetRelativeTransform(self, transform: Any) -> None:
        self._native.local_transform = matrix_of(transform)

    def GetTransform(self) -> Array:
        return np.array(self._native.transform)

    def GetTransformPose(self) -> Array:
        return np.array(wxyz_xyz_from_pose(self._native.transform))

    def GetRobot(self) -> Any:
        return wrap(self._native.robot)

    def GetId(self) -> str:
        return self._native.name

    def GetName(self) -> str:
        return self._native.name

    def GetData(self) -> Any:
        """Return the latest measurement, None without a sensor."""
        sensor = self.GetSensor()
        return None if sensor is None else sensor.GetSensorData()

    def GetStructureHash(self) -> str:
        native = self._native
        pose = np.round(native.local_transform, 6) + 0.0
        text = f"{native.description.interface} {pose.tolist()}"
        return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

    def UpdateInfo(self, type: Any = 0) -> None:
        """Bring infos up to date, which are made anew whenever they are asked for."""

    def GetInfo(self) -> Any:
        from pyrave_openravepy.api.robots.infos import sensor_info

        return sensor_info(self._native)

    def UpdateAndGetInfo(self, type: Any = 0) -> Any:
        return self.GetInfo()

    def __repr__(self) -> str:
        robot = wrap(self._native.robot)
        return f"{robot!r}.GetAttachedSensor('{self._native.name}')"

    def __str__(self) -> str:
        native = self._native
        return f"<attachedsensor:{native.name}, parent={native.robot.name}>"

    def __unicode__(self) -> str:
        return str(self)
