"""`Sensor`: who measures something."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import pyrave
from pyrave_openravepy.api import enums
from pyrave_openravepy.api.enums import SensorType
from pyrave_openravepy.api.foundation.objects import register_kind
from pyrave_openravepy.api.foundation.poses import matrix_of
from pyrave_openravepy.api.instruments import sensor_data as data
from pyrave_openravepy.api.instruments import sensor_geometry as geometry
from pyrave_openravepy.api.interface import Interface

__all__ = ["Sensor"]


class Sensor(Interface):
    """Measures something while the environment steps."""

    Type = enums.SensorType
    ConfigureCommand = enums.ConfigureCommand
    CameraIntrinsics = data.CameraIntrinsics
    SensorData = data.SensorData
    LaserSensorData = data.LaserSensorData
    CameraSensorData = data.CameraSensorData
    JointEncoderSensorData = data.JointEncoderSensorData
    Force6DSensorData = data.Force6DSensorData
    IMUSensorData = data.IMUSensorData
    OdometrySensorData = data.OdometrySensorData
    TactileSensorData = data.TactileSensorData
    ActuatorSensorData = data.ActuatorSensorData
    SensorGeometry = geometry.SensorGeometry
    LaserGeomData = geometry.LaserGeomData
    CameraGeomData = geometry.CameraGeomData
    JointEncoderGeomData = geometry.JointEncoderGeomData
    Force6DGeomData = geometry.Force6DGeomData
    IMUGeomData = geometry.IMUGeomData
    OdometryGeomData = geometry.OdometryGeomData
    TactileGeomData = geometry.TactileGeomData
    ActuatorGeomData = geometry.ActuatorGeomData

    def Configure(self, command: int, blocking: bool = False) -> int:
        native = pyrave.ConfigureCommand(int(command))
        return int(self._native.configure(native, bool(blocking)) or 0)

    def SimulationStep(self, timeelapsed: float) -> None:
        self._native.simulation_step(float(timeelapsed))

    def GetSensorData(self, type: int = SensorType.Invalid) -> Any:
        return data.sensor_data(self._native, type)

    def CreateSensorData(self, type: int = SensorType.Invalid) -> Any:
        own = int(self._native.create_sensor_data().sensor_type)
        return data.empty_data(int(type) or own)

    def GetSensorGeometry(self, type: int = SensorType.Invalid) -> Any:
        return geometry.geometry_of(self._native, type)

    def SetSensorGeometry(self, geometry_data: Any) -> None:
        made = geometry.native_geometry(geometry_data, self._native)
        self._native.set_sensor_geometry(made)

    def SetTransform(self, transform: Any) -> None:
        self._native.set_transform(matrix_of(transform))

    def GetTransform(self) -> NDArray[np.float64]:
        return np.array(self._native.get_transform())

    def GetTransformPose(self) -> NDArray[np.float64]:
        from pyrave.spatial import wxyz_xyz_from_pose

        return np.array(wxyz_xyz_from_pose(self._native.get_transform()))

    def GetName(self) -> str:
        return str(self._native.name)

    def SetName(self, name: str) -> None:
        self._native.name = str(name)

    def Supports(self, type: int) -> bool:
        return bool(self._native.supports(pyrave.SensorType(int(type))))


register_kind("sensor", Sensor)
