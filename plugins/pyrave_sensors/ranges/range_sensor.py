"""Base of the sensors that measure ranges, possibly while they move."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pyrave.sensing.data import SensorData
from pyrave.sensing.geometry import SensorGeometry
from pyrave_sensors.ranges.noise import RangeNoise
from pyrave_sensors.sensor_base import MeasuringSensor, SettingProperty
from pyrave_sensors.tracks.history import ticks_of
from pyrave_sensors.tracks.pose_history import PoseHistory
from pyrave_sensors.tracks.scene_trace import SceneTrace

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.views.link import Link

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)


class RangingSensor(MeasuringSensor[G, D], Generic[G, D]):
    """A sensor whose measurement takes time: records the poses of all links."""

    noise: SettingProperty[RangeNoise] = SettingProperty(
        "Errors of the ranges, none at first; assignable, saved with the scene."
    )

    def __init__(self, env: Environment, *args: str) -> None:
        self.trace = PoseHistory()
        """Poses of the sensor since it was switched on."""
        self.scene_trace = SceneTrace()
        """Poses of the links of all bodies in that time."""
        super().__init__(env, *args)

    @property
    @abstractmethod
    def duration(self) -> float:
        """Seconds that a measurement takes; it ends at the stamp. 0: a moment."""

    def restart(self) -> None:
        """Forget where everything was."""
        super().restart()
        self.trace.clear()
        self.scene_trace.clear()

    def simulation_step(self, dt: float) -> None:
        """Record all poses, and measure if it is time."""
        if self.is_on and self.duration:
            self.note_poses()
        super().simulation_step(dt)

    def moved(self) -> bool:
        """Return True if the sensor moved during a measurement that ends now."""
        begin = self.note_poses()
        return begin < ticks_of(self.env) and self.trace.moved_since(begin)

    def moving_links(self, duration: float) -> list[tuple[Link, PoseHistory]]:
        """Return the links that moved in the last seconds, and where they were."""
        if duration == 0:
            return []
        begin = ticks_of(self.env) - duration * 1e6
        return list(self.scene_trace.moved(self.env, begin))

    def note_poses(self) -> float:
        """Record all poses; return the begin of a measurement that ends now."""
        now, duration = ticks_of(self.env), self.duration
        begin = now - duration * 1e6
        if duration:
            self.trace.record(now, self.transform)
            self.trace.drop_before(begin)
            self.scene_trace.record(self.env, begin)
        return begin

    def more_state(self) -> dict[str, Any]:
        """Return the recorded poses."""
        return {"trace": self.trace.items, "scene": self.scene_trace.state}

    def set_more_state(self, state: Any) -> None:
        """Adopt the `more_state` of a copy."""
        self.trace = PoseHistory(state["trace"])
        self.scene_trace = SceneTrace(state["scene"])
