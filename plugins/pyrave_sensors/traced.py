"""Sensors that may move while they measure."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pyrave.interfaces.sensor_data import SensorData
from pyrave.interfaces.sensor_geometry import SensorGeometry
from pyrave_sensors.measuring import MeasuringSensor
from pyrave_sensors.pose_history import PoseHistory

if TYPE_CHECKING:
    from pyrave.interfaces.environment import EnvironmentProtocol

__all__ = ["TracedSensor"]

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)


class TracedSensor(MeasuringSensor[G, D], Generic[G, D]):
    """A sensor whose measurement takes time: it knows where it was meanwhile."""

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self.trace = PoseHistory()
        """Where the sensor was while it was switched on."""
        super().__init__(env, *args)

    @property
    @abstractmethod
    def duration(self) -> float:
        """Seconds that a measurement takes; it ends at the stamp. 0: a moment."""

    def restart(self) -> None:
        """Forget where the sensor was."""
        super().restart()
        self.trace.clear()

    def simulation_step(self, dt: float) -> None:
        """Note where the sensor is, and measure if it is time."""
        if self._power:
            self._note_pose()
        super().simulation_step(dt)

    def moved(self) -> bool:
        """Return whether the sensor moved during a measurement that ends now."""
        begin = self._note_pose()
        return begin < self.env.simulation_time and self.trace.moved_since(begin)

    def _note_pose(self) -> float:
        """Note the present pose; return when a measurement that ends now began."""
        now, duration = self.env.simulation_time, self.duration
        begin = now - duration * 1e6
        if duration > 0:
            self.trace.record(now, self._pose.copy())
            self.trace.drop_before(begin)
        return begin

    def more_state(self) -> dict[str, Any]:
        """Return where the sensor was."""
        return {"trace": self.trace.items}

    def set_more_state(self, state: Any) -> None:
        """Take over where a twin was."""
        self.trace = PoseHistory(state["trace"])
