"""A planar range finder by ray casting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.commands import command
from pyrave.interfaces.sensor_data import LaserData
from pyrave.interfaces.sensor_geometry import LaserGeometry
from pyrave.spatial import Array
from pyrave_sensors.measuring import MeasuringSensor, require_finite
from pyrave_sensors.tables import LASER_2D, MAX_RAYS, ray_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.interfaces.environment import EnvironmentProtocol
    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseLaser2D"]

# A hundredth of a radian in single precision, as OpenRAVE has it
_DEFAULT_RESOLUTION = float(np.float32(0.01))
_ANGLES = ("min_angle", "max_angle", "resolution")
_PLAIN = ("min_range", "max_range", "time_scan", "time_increment")


class BaseLaser2D(MeasuringSensor[LaserGeometry, LaserData]):
    """Measure distances in the sensor's xy plane with a fan of rays.

    Ray i leaves the origin at the angle ``min_angle + i * resolution`` from +x, turned
    about z; there are ``int((max_angle - min_angle) / resolution + 0.5) + 1`` of them.
    A ray sees surfaces between minimum and maximum range. A hit gives the vector from
    the origin to the surface, intensity 1 and the body's index in ``env.bodies``; a
    miss the vector to maximum range, intensity 0 and -1. Bodies that carry the sensor
    are seen like all others.

    While it is switched on it measures every `time_scan` seconds, or in every step if
    that is 0. XML tags (angles and resolution in degrees): ``minangle`` (-90),
    ``maxangle`` (90), ``resolution`` (0.573), ``minrange`` (0.03), ``maxrange`` (100),
    ``scantime`` (0), ``time_increment`` (0), ``color`` (0.5 0.5 1), ``power`` (0);
    ``min_angle``, ``max_angle`` and ``time_scan`` are understood too.
    """

    contract = 1
    geometry_type = LaserGeometry
    data_type = LaserData
    settings: ClassVar[SettingTable] = LASER_2D

    def __init__(self, env: EnvironmentProtocol, *args: str) -> None:
        self._rays: Array | None = None
        super().__init__(env, *args)

    # -- commands ------------------------------------------------------------------

    @command(name="render")
    def render(self, on: bool = True) -> bool:
        """Draw the measured rays (1) or not (0)."""
        self._render_data = on
        return True

    @command(name="collidingbodies")
    def colliding_bodies(self, unique: bool = False) -> list[int]:
        """Return which body each ray of the last scan hit.

        One number a ray: 0 for none, k for the k-th body of the environment, counted
        from 1. With `unique` each body that was seen once, in increasing order.
        """
        if self.latest is None:
            return []
        numbers = self.latest.body_ids + 1
        if unique:
            numbers = np.unique(numbers[numbers > 0])
        return [int(number) for number in numbers]

    # -- settings ------------------------------------------------------------------

    def default_geometry(self) -> LaserGeometry:
        """Return 180 degrees ahead, up to 100 m."""
        return LaserGeometry(
            min_angle=(-math.pi / 2, 0.0),
            max_angle=(math.pi / 2, 0.0),
            resolution=(_DEFAULT_RESOLUTION, 0.0),
            min_range=0.03,
            max_range=100.0,
        )

    def geometry_of(self, values: Mapping[str, Any]) -> LaserGeometry:
        """Return the geometry that a file's values mean."""
        geometry = self.default_geometry()
        for name in _ANGLES:
            if name in values:
                setattr(geometry, name, (math.radians(values[name]), 0.0))
        for name in _PLAIN:
            if name in values:
                setattr(geometry, name, values[name])
        return geometry

    def values_of(self, geometry: LaserGeometry) -> dict[str, Any]:
        """Return a geometry as values of a file."""
        plain = self.default_geometry()
        values: dict[str, Any] = dict.fromkeys((*_ANGLES, *_PLAIN))
        for name in values:
            value = getattr(geometry, name)
            if value != getattr(plain, name):
                values[name] = math.degrees(value[0]) if name in _ANGLES else value
        return values

    def check_geometry(self, geometry: LaserGeometry) -> None:
        """Raise ArgumentError if a geometry makes no sense."""
        low, high = geometry.min_angle[0], geometry.max_angle[0]
        step = geometry.resolution[0]
        ranges = geometry.min_range, geometry.max_range
        times = geometry.time_scan, geometry.time_increment
        require_finite(geometry, low, high, step, *ranges, *times)
        if low > high or step <= 0:
            raise ArgumentError(
                f"a laser scans from min_angle {low:g} up to max_angle {high:g} in "
                f"steps of resolution {step:g} > 0 (radians)"
            )
        if not 0 <= geometry.min_range <= geometry.max_range:
            raise ArgumentError(
                f"min_range is {geometry.min_range:g}, expected 0 to max_range "
                f"{geometry.max_range:g} (metres)"
            )
        if min(times) < 0:
            raise ArgumentError(
                "time_scan and time_increment must be 0 s or more, got "
                f"{geometry.time_scan:g} and {geometry.time_increment:g}"
            )
        count = ray_count(low, high, step)
        if count > MAX_RAYS:
            raise ArgumentError(
                f"the resolution {step:g} rad makes {count:.3g} rays, at most "
                f"{MAX_RAYS} are allowed"
            )

    def geometry_changed(self) -> None:
        """Forget the rays of the old geometry."""
        self._rays = None

    # -- measuring -----------------------------------------------------------------

    @property
    def period(self) -> float:
        """Seconds between scans; 0: every step measures."""
        return self._geometry.time_scan

    def sample(self, stamp: int, pose: Array) -> LaserData:
        """Cast the rays."""
        geometry = self._geometry
        directions = self._local_rays() @ pose[:3, :3].T
        origin = pose[:3, 3]
        hits = self.env.raycast(
            np.broadcast_to(origin, directions.shape),
            directions,
            max_range=geometry.max_range,
            min_range=geometry.min_range,
        )
        distances = np.where(hits.hit, hits.distance, geometry.max_range)
        return LaserData(
            stamp=stamp,
            pose=pose.copy(),
            positions=origin[None].copy(),
            ranges=directions * distances[:, None],
            intensity=hits.hit.astype(np.float64),
            body_ids=np.where(hits.hit, hits.id, -1).astype(np.int64),
        )

    def _local_rays(self) -> Array:
        """Return the unit directions (n, 3) in the sensor's frame."""
        if self._rays is None:
            g = self._geometry
            low, high, step = g.min_angle[0], g.max_angle[0], g.resolution[0]
            angles = low + np.arange(ray_count(low, high, step)) * step
            self._rays = np.stack(
                (np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1
            )
        return self._rays
