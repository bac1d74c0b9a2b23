"""Poses of a sensor, and of what it sees, during a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_sensors.tracks.history import ticks_of
from pyrave_sensors.tracks.pose_history import PoseHistory
from pyrave_sensors.tracks.scene_trace import SceneTrace

if TYPE_CHECKING:
    from pyrave import Environment
    from pyrave.bodies.views.link import Link
    from pyrave.interfaces import SensorBase


class Trail:
    """Poses of a sensor whose measurement takes time, and of all links meanwhile."""

    def __init__(self) -> None:
        self.poses = PoseHistory()
        """Poses of the sensor since it was switched on."""
        self.scene = SceneTrace()
        """Poses of the links of all bodies in that time."""

    def clear(self) -> None:
        """Forget where everything was."""
        self.poses.clear()
        self.scene.clear()

    def record(self, sensor: SensorBase, duration: float) -> float:
        """Record all poses; return the begin of a measurement that ends now, ticks.

        Parameters
        ----------
        duration
            Of the measurement, seconds; 0: it is a moment, and nothing is recorded.
        """
        now = ticks_of(sensor.env)
        begin = now - duration * 1e6
        if duration:
            self.poses.record(now, sensor.transform)
            self.poses.drop_before(begin)
            self.scene.record(sensor.env, begin)
        return begin

    def moved(self, sensor: SensorBase, duration: float) -> bool:
        """Return True if the sensor moved during a measurement that ends now."""
        begin = self.record(sensor, duration)
        return begin < ticks_of(sensor.env) and self.poses.moved_since(begin)

    def moving_links(
        self, env: Environment, duration: float
    ) -> list[tuple[Link, PoseHistory]]:
        """Return the links that moved in the last seconds, and where they were."""
        if duration == 0:
            return []
        return list(self.scene.moved(env, ticks_of(env) - duration * 1e6))

    @property
    def state(self) -> Any:
        """The recorded poses, for copies; assign those of a copy."""
        return self.poses.items, self.scene.state

    @state.setter
    def state(self, state: Any) -> None:
        poses, scene = state
        self.poses, self.scene = PoseHistory(poses), SceneTrace(scene)
