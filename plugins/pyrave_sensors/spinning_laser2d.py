"""A planar range finder whose plane turns."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.spatial import matrix_from_axis_angle, skew
from pyrave_sensors.laser2d import BaseLaser2D
from pyrave_sensors.ranges.beams import Beams
from pyrave_sensors.ranges.laser_geometry import LaserGeometry
from pyrave_sensors.settings.fields import FAR, Conflict, setting

if TYPE_CHECKING:
    from pyrave import Environment


@dataclass(frozen=True, repr=False)
class SpinningLaserGeometry(LaserGeometry):
    """A planar laser that turns about a line in the frame of the sensor."""

    title = "a spinning laser"

    # fmt: off
    spin_axis: tuple[float, float, float] = setting(
        (1.0, 0.0, 0.0), "spinaxis", example="1 0 0", least=-FAR, most=FAR,
        doc="direction of the line")
    spin_position: tuple[float, float, float] = setting(
        (0.0, 0.0, 0.0), "spinpos", example="0 0 0", least=-FAR, most=FAR,
        unit="metres", doc="a point on the line")
    spin_speed: float = setting(
        0.0, "spinspeed", example="0.5", least=-FAR, most=FAR,
        unit="radians per second", doc="how fast the plane turns")
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return an axis without direction, or a conflict of any laser."""
        if not any(self.spin_axis):
            return Conflict(("spin_axis",), "spin_axis 0 0 0 has no direction")
        return LaserGeometry.conflict(self)


class BaseSpinningLaser2D(BaseLaser2D[SpinningLaserGeometry]):
    """A 2D laser that turns evenly about a line while it is switched on.

    The plane is turned by ``spin_speed`` times the time since it was switched on
    about the line through ``spin_position`` along ``spin_axis``, in the sensor's frame.
    As in OpenRAVE the pose of the data is that of the sensor, which does not turn;
    `positions` say where the rays begin. With a `time_increment` the plane turns on
    from ray to ray.

    XML tags: see `SpinningLaserGeometry`.
    """

    contract = 2
    settings_type = SpinningLaserGeometry

    def __init__(self, env: Environment, *args: str) -> None:
        self._angle = 0.0
        super().__init__(env, *args)

    @property
    def spin_angle(self) -> float:
        """Current angle of the plane, radians, 0 to a full turn."""
        return self._angle

    def restart(self) -> None:
        """Turn the plane back, and forget where the scanner was."""
        super().restart()
        self._angle = 0.0

    def simulation_step(self, dt: float) -> None:
        """Turn, and measure if it is time."""
        if self.power:
            turned = self._angle + self.geometry.spin_speed * dt
            self._angle = math.fmod(turned, 2.0 * math.pi)
        super().simulation_step(dt)

    def beams(self) -> Beams:
        """Return the fan as it is turned now."""
        fan = self.fan
        g = self.geometry
        axis = np.asarray(g.spin_axis) / math.hypot(*g.spin_axis)
        point = np.asarray(g.spin_position)
        if fan.ages is None or g.spin_speed == 0:
            turn = matrix_from_axis_angle(axis, self._angle)
            origins = point - turn @ point if point.any() else None
            return Beams(fan.directions @ turn.T, origins, fan.ages)
        angles = self._angle - g.spin_speed * fan.ages
        cross = skew(axis)
        turns = (
            np.eye(3)
            + np.sin(angles)[:, None, None] * cross
            + (1.0 - np.cos(angles))[:, None, None] * (cross @ cross)
        )
        directions = np.einsum("nij,nj->ni", turns, fan.directions)
        origins = point - turns @ point if point.any() else None
        return Beams(directions, origins, fan.ages)

    def get_own_state(self) -> Any:
        """Return the state of all scanners, and the angle."""
        return super().get_own_state(), self._angle

    def set_own_state(self, state: Any) -> None:
        """Adopt the `get_own_state` of a copy."""
        trail, self._angle = state
        super().set_own_state(trail)
