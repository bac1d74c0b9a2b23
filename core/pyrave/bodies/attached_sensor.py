"""Sensors that a link of a robot carries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pyrave.argument_names import methods_suggest
from pyrave.attributes import ClosedView, answers_other_names
from pyrave.errors import ArgumentError, NotSupportedError
from pyrave.interfaces.sensor import Data, SensorBase
from pyrave.scene import Pose
from pyrave.spatial import Array, as_pose
from pyrave.world.body_state import BodyChange

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from pyrave.bodies.robot import Robot
    from pyrave.bodies.views.link import Link
    from pyrave.scene import AttachedSensorDescription
    from pyrave.sensing import SensorData


@methods_suggest
@answers_other_names
class AttachedSensor(ClosedView):
    """A mounting frame on a link, and the sensor in it if one could be created."""

    __slots__ = ("__weakref__", "_local", "_robot", "_sensor", "description")
    _carries = "sensor"

    def __init__(self, robot: Robot, description: AttachedSensorDescription) -> None:
        self._robot = robot
        self._sensor: SensorBase | None = None
        self._local = description.pose.matrix
        self.description = description
        """The description it was made from, with later edits; frozen."""

    @property
    def robot(self) -> Robot:
        """The robot that carries it."""
        return self._robot

    @property
    def name(self) -> str:
        """Name, unique among the robot's sensors."""
        return self.description.name

    @property
    def link(self) -> Link:
        """The carrying link."""
        return self.robot.links[self.description.link]

    @property
    def local_transform(self) -> Array:
        """(4, 4) T_link_sensor; assignable."""
        return self._local.copy()

    @local_transform.setter
    def local_transform(self, transform: ArrayLike | Pose) -> None:
        pose = Pose.from_matrix(as_pose(transform, f"local_transform of {self!r}"))
        self.description = replace(self.description, pose=pose)
        self._local = pose.matrix
        self.robot.attached_sensor_edited()

    @property
    def transform(self) -> Array:
        """(4, 4) T_world_sensor."""
        robot = self._robot
        index = robot.model.link_index[self.description.link]
        return np.asarray(robot.transforms_view[index] @ self._local)

    @property
    def has_sensor(self) -> bool:
        """True unless it is a bare frame, or the sensor's plugin is not installed."""
        return self._sensor is not None

    @property
    def sensor(self) -> SensorBase:
        """The sensor; assignable, None leaves a bare frame.

        Raises
        ------
        NotSupportedError
            There is none, see `has_sensor`.
        """
        if self._sensor is None:
            wanted = self.description.interface or "none"
            raise NotSupportedError(
                f"{self!r} has no sensor object (its file asks for {wanted!r}); "
                "`pyrave plugins` lists the sensors that are installed"
            )
        return self._sensor

    @sensor.setter
    def sensor(self, sensor: SensorBase | None) -> None:
        robot = self.robot
        if sensor is not None and (
            not isinstance(sensor, SensorBase) or sensor.env is not robot.env
        ):
            raise ArgumentError(
                f"{sensor!r} is not a sensor made for the environment of {robot!r}"
            )
        self.release()
        self._sensor = sensor
        if sensor is not None:
            sensor.mounted(self)
        self.rename()
        robot.notify(BodyChange.SENSORS)

    def release(self) -> None:
        """Unmount the sensor."""
        if self._sensor is not None and self._sensor.mounting is self:
            self._sensor.mounted(None)

    def rename(self) -> None:
        """Name the sensor after the robot and this mounting (``robot:sensor``)."""
        if self._sensor is not None:
            self._sensor.name = f"{self.robot.name}:{self.name}"

    @overload
    def read(self) -> Any: ...
    @overload
    def read(self, kind: type[Data]) -> Data: ...
    def read(self, kind: type[SensorData] | None = None) -> SensorData:
        """Return the sensor's latest measurement, see `SensorBase.read`."""
        sensor = self.sensor
        return sensor.read() if kind is None else sensor.read(kind)

    def measure(self) -> Any:
        """Measure now, without stepping the simulation."""
        return self.sensor.measure()

    def __repr__(self) -> str:
        return f"<attached sensor {self._robot.name}/{self.name}>"
