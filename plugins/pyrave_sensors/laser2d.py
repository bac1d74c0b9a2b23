"""A planar range finder by ray casting."""

from __future__ import annotations

import numpy as np

from pyrave.sensing.geometry import LaserGeometry
from pyrave_sensors.ranges.scanner import Beams, Scanner
from pyrave_sensors.ranges.scanner_settings import LaserSettings, ray_count


def planar_fan(geometry: LaserGeometry) -> Beams:
    """Return a fan of rays in the xy plane.

    Ray i leaves the origin at the angle ``min_angle + i * resolution`` from +x, turned
    about z; there are ``int((max_angle - min_angle) / resolution + 0.5) + 1`` of them.
    With a `time_increment` ray i is cast ``(n - 1 - i) * time_increment`` before the
    stamp.
    """
    low, high = geometry.min_angle[0], geometry.max_angle[0]
    count = ray_count(low, high, geometry.resolution[0])
    angles = low + np.arange(count) * geometry.resolution[0]
    directions = np.stack(
        (np.cos(angles), np.sin(angles), np.zeros_like(angles)), axis=1
    )
    if geometry.time_increment == 0:
        return Beams(directions)
    ages = np.arange(count - 1, -1, -1.0) * geometry.time_increment
    return Beams(directions, ages=ages)


class BaseLaser2D(Scanner[LaserGeometry]):
    """Measure distances in the sensor's xy plane with a fan of rays, see `planar_fan`.

    While it is switched on it measures every `time_scan` seconds, or in every step if
    that is 0. XML tags: see `LaserSettings`.
    """

    contract = 2
    settings_type = LaserSettings

    def make_beams(self) -> Beams:
        """Return the fan in the xy plane."""
        return planar_fan(self._geometry)
