"""The sensors."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from acme_rangefinder.readers import ConeData, RangefinderData
from pyrave import (
    ConfigureCommand,
    LaserData,
    NotSupportedError,
    Readable,
    SensorBase,
    SensorData,
    SensorGeometry,
    SensorType,
    command,
    setting,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave import Environment


@dataclass(frozen=True)
class RangefinderGeometry(SensorGeometry):
    """Its range, metres, and the seconds between measurements."""

    max_range: float = setting(5.0, "how far it sees", unit="m", above=0.0)
    time_scan: float = setting(0.1, "between measurements", unit="s", above=0.0)


class Rangefinder(SensorBase):
    """Measures the distance along its +x axis at a fixed rate."""

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.tuning = RangefinderData()
        self._on = False
        self._wait = 0.0
        self._data: LaserData | None = None

    @command(name="GetRate")
    def get_rate(self) -> float:
        """Return the measurements per second."""
        return self.tuning.rate

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over what the scene says."""
        if isinstance(readable, RangefinderData):
            self.tuning = readable

    def configure(self, command: ConfigureCommand, blocking: bool = False) -> int:
        """Switch the power; there is nothing to draw."""
        if command in {ConfigureCommand.POWER_ON, ConfigureCommand.POWER_OFF}:
            self._on = command == ConfigureCommand.POWER_ON
        elif command == ConfigureCommand.POWER_CHECK:
            return int(self._on)
        return 0

    def get_sensor_geometry(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorGeometry:
        """Return the range and the time between measurements."""
        self._require(sensor_type)
        return RangefinderGeometry(
            max_range=self.tuning.max_range, time_scan=1 / self.tuning.rate
        )

    def create_sensor_data(
        self, sensor_type: SensorType = SensorType.INVALID
    ) -> SensorData:
        """Return an empty measurement."""
        self._require(sensor_type)
        return LaserData()

    def get_sensor_data(self, data: SensorData) -> bool:
        """Copy the latest measurement."""
        if self._data is None or not isinstance(data, LaserData):
            return False
        for name in ("stamp", "pose", "positions", "ranges", "intensity", "body_ids"):
            setattr(data, name, copy.deepcopy(getattr(self._data, name)))
        return True

    def supports(self, sensor_type: SensorType) -> bool:
        """Return True for lasers."""
        return sensor_type == SensorType.LASER

    def simulation_step(self, dt: float) -> None:
        """Measure when it is time."""
        if not self._on:
            return
        self._wait -= dt
        if self._wait <= 1e-9:
            self._wait += 1 / self.tuning.rate
            self._wait = max(self._wait, 0.0)
            self._data = self.measure()
            self.publish(self._data)

    def measure(self) -> LaserData:
        """Measure now."""
        pose = self.transform
        origin = pose[:3, 3]
        directions = self._rays() @ pose[:3, :3].T
        limit = self.tuning.max_range
        hits = self.env.raycast(
            np.repeat(origin[None], len(directions), axis=0),
            directions,
            max_range=limit,
        )
        distances = np.where(hits.hit, hits.distance, limit)
        return LaserData(
            stamp=self.env.simulation_time,
            pose=pose,
            positions=origin[None].copy(),
            ranges=distances[:, None] * directions,
            intensity=hits.hit.astype(np.float64),
            body_ids=hits.id.copy(),
        )

    def get_own_state(self) -> Any:
        """Return what changes."""
        return self._on, self._wait, copy.deepcopy(self._data)

    def set_own_state(self, state: Any) -> None:
        """Take it over."""
        self._on, self._wait = state[:2]
        self._data = copy.deepcopy(state[2])

    def _rays(self) -> NDArray[np.float64]:
        """Return unit directions (n, 3) in the sensor frame."""
        return np.array([[1.0, 0.0, 0.0]])

    def _require(self, sensor_type: SensorType) -> None:
        if sensor_type not in {SensorType.INVALID, SensorType.LASER}:
            raise NotSupportedError(f"{self!r} is no {sensor_type.name}")


class Sonar(Rangefinder):
    """Measures along a cone of beams around its +x axis."""

    contract = 2

    def __init__(self, env: Environment, *args: str) -> None:
        super().__init__(env, *args)
        self.cone = ConeData()

    def readable_changed(self, key: str, readable: Readable) -> None:
        """Take over what the scene says."""
        super().readable_changed(key, readable)
        if isinstance(readable, ConeData):
            self.cone = readable

    def _rays(self) -> NDArray[np.float64]:
        half = np.deg2rad(self.cone.angle_deg) / 2
        around = np.arange(self.cone.beams) * 2 * np.pi / self.cone.beams
        columns = [
            np.full(around.shape, np.cos(half)),
            np.sin(half) * np.cos(around),
            np.sin(half) * np.sin(around),
        ]
        return np.stack(columns, axis=1)
