"""The sensor KeptSensor."""

from __future__ import annotations

import dataclasses

import numpy as np

from pyrave.authoring import PeriodicSensor
from pyrave.interfaces import SensorGeometry, setting
from pyrave.sensing import LaserData


@dataclasses.dataclass(frozen=True)
class Settings(SensorGeometry):
    """Settings of `KeptSensor`: by keyword, as elements and as words."""

    min_range: float = setting(0.01, "shortest distance", unit="m", above=0.0)
    max_range: float = setting(5.0, "longest distance", unit="m", above=0.0)
    time_scan: float = setting(0.05, "between measurements", unit="s", above=0.0)


class KeptSensor(PeriodicSensor[LaserData]):
    """Measures the distance to the nearest body along its +z axis."""

    contract = 2
    data_type = LaserData
    settings_type = Settings

    @property
    def period(self) -> float:
        """Seconds between measurements."""
        return float(self.settings.time_scan)

    def measure(self) -> LaserData:
        """Measure now, without stepping."""
        pose, reach = self.transform, self.settings
        origin, direction = pose[:3, 3], pose[:3, 2]
        hits = self.env.raycast(
            origin[None],
            direction[None],
            min_range=reach.min_range,
            max_range=reach.max_range,
        )
        hit = bool(hits.hit[0])
        distance = float(hits.distance[0]) if hit else reach.max_range
        return self.new_data(
            positions=origin[None],
            ranges=distance * direction[None],
            intensity=np.array([float(hit)]),
            body_ids=hits.id,
        )
