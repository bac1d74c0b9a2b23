"""A planar range finder by ray casting."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.sensor_geometry import LaserGeometry
from pyrave_sensors.scanning import Beams, Scanner
from pyrave_sensors.tables_laser import LASER_2D, MAX_RAYS, ray_count

if TYPE_CHECKING:
    from pyrave_sensors.settings import SettingTable

__all__ = ["BaseLaser2D", "PlanarScanner"]

G = TypeVar("G", bound=LaserGeometry)

# A hundredth of a radian in single precision, as OpenRAVE has it
DEFAULT_RESOLUTION = float(np.float32(0.01))


class PlanarScanner(Scanner[G], Generic[G]):
    """A fan of rays in a plane.

    Ray i leaves the origin at the angle ``min_angle + i * resolution`` from +x, turned
    about z; there are ``int((max_angle - min_angle) / resolution + 0.5) + 1`` of them.
    With a `time_increment` ray i is cast ``(n - 1 - i) * time_increment`` before the
    stamp.
    """

    def default_geometry(self) -> G:
        """Return 180 degrees ahead, up to 100 m."""
        geometry = cast("G", self.geometry_type())
        geometry.min_angle = -math.pi / 2, 0.0
        geometry.max_angle = math.pi / 2, 0.0
        geometry.resolution = DEFAULT_RESOLUTION, 0.0
        geometry.min_range, geometry.max_range = 0.03, 100.0
        return geometry

    def check_geometry(self, geometry: G) -> None:
        """Raise ArgumentError if a geometry makes no sense."""
        self.check_ranges(geometry)
        self.check_angles(geometry)
        names = ("min_angle", "max_angle", "resolution")
        elevations = [getattr(geometry, name)[1] for name in names]
        if any(elevations):
            raise ArgumentError(
                f"{', '.join(names)} have the elevations {elevations}, expected 0: a "
                "laser of one plane has none; a MultiBeamLidar has"
            )
        step = geometry.resolution[0]
        count = ray_count(geometry.min_angle[0], geometry.max_angle[0], step)
        if count > MAX_RAYS:
            raise ArgumentError(
                f"the resolution {step:g} rad makes {count:.3g} rays, at most "
                f"{MAX_RAYS} are allowed"
            )

    def make_beams(self) -> Beams:
        """Return the fan in the xy plane."""
        g = self._geometry
        low, high, step = g.min_angle[0], g.max_angle[0], g.resolution[0]
        count = ray_count(low, high, step)
        angles = low + np.arange(count) * step
        directions = np.stack(
            (np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1
        )
        if g.time_increment == 0:
            return Beams(directions)
        return Beams(directions, ages=np.arange(count - 1, -1, -1.0) * g.time_increment)


class BaseLaser2D(PlanarScanner[LaserGeometry]):
    """Measure distances in the sensor's xy plane with a fan of rays.

    While it is switched on it measures every `time_scan` seconds, or in every step if
    that is 0. XML tags (angles and resolution in degrees): ``minangle`` (-90),
    ``maxangle`` (90), ``resolution`` (0.573), ``minrange`` (0.03), ``maxrange`` (100),
    ``scantime`` (0), ``time_increment`` (0), ``color`` (0.5 0.5 1), ``power`` (0);
    ``min_angle``, ``max_angle``, ``time_scan`` and COLLADA's names are understood too.
    """

    contract = 1
    geometry_type = LaserGeometry
    settings: ClassVar[SettingTable] = LASER_2D
