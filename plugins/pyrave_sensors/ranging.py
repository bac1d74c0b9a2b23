"""Sensors that measure ranges, and are wrong about them on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pyrave.errors import ArgumentError, shown
from pyrave.interfaces.sensor_data import SensorData
from pyrave.interfaces.sensor_geometry import SensorGeometry
from pyrave_sensors.noise import RangeNoise
from pyrave_sensors.traced import TracedSensor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.interfaces.environment import EnvironmentProtocol

__all__ = ["RangingSensor"]

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)


class RangingSensor(TracedSensor[G, D], Generic[G, D]):
    """A sensor that measures how far things are."""

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self._noise = RangeNoise()
        super().__init__(env, *args)

    @property
    def noise(self) -> RangeNoise:
        """Errors of the ranges, none at first; assignable, saved with the scene."""
        return self._noise

    @noise.setter
    def noise(self, noise: RangeNoise) -> None:
        if not isinstance(noise, RangeNoise):
            raise ArgumentError(f"expected a RangeNoise, got {shown(noise)}")
        self._noise = noise
        self.remember(noise.values())

    def settings_read(self, values: Mapping[str, Any]) -> None:
        """Take over the noise."""
        self._noise = RangeNoise.of_values(values)

    def more_state(self) -> dict[str, Any]:
        """Return where everything was, and the noise."""
        return {**super().more_state(), "noise": self._noise}

    def set_more_state(self, state: Any) -> None:
        """Take over what `more_state` of a twin returned."""
        super().set_more_state(state)
        self._noise = state["noise"]
