"""A planar range finder whose plane turns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.sensor_geometry import SpinningLaserGeometry
from pyrave.spatial import matrix_from_axis_angle, skew
from pyrave_sensors.laser2d import PlanarScanner
from pyrave_sensors.measuring import require_finite
from pyrave_sensors.scanning import Beams
from pyrave_sensors.tables_laser import FAR, SPINNING_LASER

if TYPE_CHECKING:
    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseSpinningLaser2D"]


class BaseSpinningLaser2D(PlanarScanner[SpinningLaserGeometry]):
    """A 2D laser that turns evenly about a line while it is switched on.

    The plane is turned by ``spin_speed`` times the time since it was switched on
    about the line through ``spin_position`` along ``spin_axis``, in the sensor's frame.
    As in OpenRAVE the pose of the data is that of the sensor, which does not turn;
    `positions` say where the rays begin. With a `time_increment` the plane turns on
    from ray to ray.

    XML tags: those of the 2D laser, ``spinaxis`` (1 0 0), ``spinpos`` (0 0 0, metres),
    ``spinspeed`` (0, radians per second).
    """

    contract = 1
    geometry_type = SpinningLaserGeometry
    settings: ClassVar[SettingTable] = SPINNING_LASER
    plain_fields = ("spin_axis", "spin_position", "spin_speed")

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self._angle = 0.0
        super().__init__(env, *args)

    @property
    def spin_angle(self) -> float:
        """How far the plane is turned now, radians, 0 to a full turn."""
        return self._angle

    def check_geometry(self, geometry: SpinningLaserGeometry) -> None:
        """Raise ArgumentError if a geometry makes no sense."""
        super().check_geometry(geometry)
        axis = geometry.spin_axis
        require_finite(geometry, *axis, *geometry.spin_position, geometry.spin_speed)
        if len(axis) != 3 or len(geometry.spin_position) != 3 or not any(axis):
            raise ArgumentError(
                f"the laser spins about the axis {axis} through "
                f"{geometry.spin_position}, expected three numbers each and a direction"
            )
        if max(map(abs, (*geometry.spin_position, geometry.spin_speed))) > FAR:
            raise ArgumentError(
                f"the laser spins about {geometry.spin_position} metres at "
                f"{geometry.spin_speed:g} rad/s, expected at most {FAR:g}"
            )

    def restart(self) -> None:
        """Turn the plane back, and forget where the scanner was."""
        super().restart()
        self._angle = 0.0

    def simulation_step(self, dt: float) -> None:
        """Turn, and measure if it is time."""
        if self.power:
            turned = self._angle + self._geometry.spin_speed * dt
            self._angle = math.fmod(turned, 2.0 * math.pi)
        super().simulation_step(dt)

    def beams(self) -> Beams:
        """Return the fan as it is turned now."""
        fan = self.fan
        g = self._geometry
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

    def more_state(self) -> dict[str, Any]:
        """Return what all scanners have, and the angle."""
        return super().more_state() | {"angle": self._angle}

    def set_more_state(self, state: Any) -> None:
        """Take over what `more_state` of a twin returned."""
        super().set_more_state(state)
        self._angle = state["angle"]
