"""A lidar whose lasers turn together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.sensor_geometry import MultiBeamGeometry
from pyrave.spatial import Array
from pyrave_sensors.angles import degrees
from pyrave_sensors.lidar_presets import PRESETS
from pyrave_sensors.measuring import require_finite
from pyrave_sensors.scanning import Beams, Scanner
from pyrave_sensors.tables_laser import LONG, MAX_RAYS, MULTI_BEAM, column_count

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave_sensors.settings import SettingTable

__all__ = ["MultiBeamLidar"]

_TURN = 2.0 * math.pi
_RATE = 10.0
_RESOLUTION = math.radians(0.2)
_LASERS = ("elevations", "azimuth_offsets")


class MultiBeamLidar(Scanner[MultiBeamGeometry]):
    """Measure a sphere's belt with lasers that lie above each other and turn about z.

    A scan is one turn: columns at the angles ``min_angle + k * resolution`` from +x
    about z (all around by default), in each of them one ray a laser, from the lowest to
    the highest ``ring``: the ray of ring j in column k is number ``k * rings + j``. It
    is cast ``k * time_increment + firing_times[j]`` after the scan began, turned on by
    the angle that the lidar turns in ``firing_times[j]``. With a `time_increment` of 0
    the whole scan is one moment. `rings` and `time_offsets` of the data say which laser
    and when.

    XML tags: ``preset`` (VLP-16, HDL-32E or OS1-64, see `lidar_presets`) and what
    differs from it: ``elevations``, ``azimuth_offsets`` (degrees, one number a laser),
    ``firing_times`` (seconds), ``minangle`` (-180), ``maxangle`` (180), ``resolution``
    (0.2 degrees), ``minrange`` (0.5), ``maxrange`` (100), ``rate`` (10 turns a second)
    or ``scantime``, ``time_increment`` (that of the resolution and the rate).
    """

    contract = 1
    geometry_type = MultiBeamGeometry
    settings: ClassVar[SettingTable] = MULTI_BEAM
    plain_fields = ("firing_times",)

    def default_geometry(self) -> MultiBeamGeometry:
        """Return 16 lasers from -15 to 15 degrees, 1800 columns."""
        angles = tuple(math.radians(angle) for angle in range(-15, 16, 2))
        return MultiBeamGeometry(
            min_angle=(-math.pi, angles[0]),
            max_angle=(math.pi, angles[-1]),
            resolution=(_RESOLUTION, 0.0),
            min_range=0.5,
            max_range=100.0,
            time_increment=_RESOLUTION / _TURN / _RATE,
            time_scan=1.0 / _RATE,
            elevations=angles,
        )

    def geometry_of(self, values: Mapping[str, Any]) -> MultiBeamGeometry:
        """Return the geometry that a file's values mean."""
        geometry = self.default_geometry()
        preset, rate = PRESETS.get(values.get("preset", "")), values.get("rate")
        if preset is not None:
            geometry = preset.geometry(rate)
        elif rate is not None:
            geometry.time_scan = 1.0 / rate
        self.fill(geometry, values)
        for name in _LASERS:
            if name in values:
                setattr(geometry, name, tuple(map(math.radians, values[name])))
        if len(geometry.firing_times) != len(geometry.elevations):
            # those of a preset whose lasers are replaced
            geometry.firing_times = ()
        timed = {"rate", "time_scan"} & values.keys() and preset is None
        if "time_increment" not in values and ("resolution" in values or timed):
            turn = geometry.resolution[0] / _TURN
            geometry.time_increment = min(turn * geometry.time_scan, LONG)
        return geometry

    def values_of(self, geometry: MultiBeamGeometry) -> dict[str, Any]:
        """Return a geometry as values of a file; it says all that a preset would."""
        values = super().values_of(geometry) | {"preset": None, "rate": None}
        values["time_increment"] = geometry.time_increment
        plain = self.default_geometry()
        for name in _LASERS:
            angles = getattr(geometry, name)
            same = angles == getattr(plain, name)
            values[name] = None if same else tuple(map(degrees, angles))
        return values

    def check_geometry(self, geometry: MultiBeamGeometry) -> None:
        """Raise ArgumentError if a geometry makes no sense."""
        self.check_ranges(geometry)
        self.check_angles(geometry)
        lasers = len(geometry.elevations)
        for name in ("azimuth_offsets", "firing_times"):
            count = len(getattr(geometry, name))
            if count not in {0, lasers}:
                raise ArgumentError(
                    f"{name} has {count} numbers, expected one for each of {lasers} "
                    "lasers, or none"
                )
        require_finite(
            geometry,
            *geometry.elevations,
            *geometry.azimuth_offsets,
            *geometry.firing_times,
        )
        if not all(0 <= time <= LONG for time in geometry.firing_times):
            raise ArgumentError(f"firing_times must be 0 to {LONG:g} s")
        step = geometry.resolution[0]
        columns = _columns(geometry)
        if not 0 < columns * lasers <= MAX_RAYS:
            raise ArgumentError(
                f"{lasers} lasers every {step:g} rad make {columns * lasers:.3g} rays, "
                f"expected 1 to {MAX_RAYS}"
            )

    def geometry_changed(self) -> None:
        """Forget the rays of the old geometry, and say the range of elevations."""
        super().geometry_changed()
        _complete(self._geometry)

    def make_beams(self) -> Beams:
        """Return the rays of a turn, column by column."""
        g = self._geometry
        columns, lasers = np.arange(_columns(g))[:, None], len(g.elevations)
        fired = _table(g.firing_times, lasers)
        moving = g.time_increment > 0
        # while a column is being fired the lidar turns on
        drift = fired * g.resolution[0] / g.time_increment if moving else 0.0
        azimuths = (
            g.min_angle[0]
            + columns * g.resolution[0]
            + _table(g.azimuth_offsets, lasers)
            + drift
        )
        elevations = np.asarray(g.elevations)
        directions = np.empty((*azimuths.shape, 3))
        directions[..., 0] = np.cos(elevations) * np.cos(azimuths)
        directions[..., 1] = np.cos(elevations) * np.sin(azimuths)
        directions[..., 2] = np.sin(elevations)
        ages = None
        if moving:
            times = (columns * g.time_increment + fired).ravel()
            ages = times.max() - times
        rings = np.tile(np.arange(lasers), len(columns))
        rays = directions.reshape(-1, 3)
        return Beams(rays, ages=ages, rings=rings, grid=(len(columns), lasers))


def _columns(geometry: MultiBeamGeometry) -> int:
    bounds = geometry.min_angle[0], geometry.max_angle[0]
    return column_count(*bounds, geometry.resolution[0], _TURN)


def _table(numbers: tuple[float, ...], lasers: int) -> Array:
    return np.asarray(numbers) if numbers else np.zeros(lasers)


def _complete(geometry: MultiBeamGeometry) -> None:
    """Say the elevations of the lowest and the highest laser as angles, too."""
    geometry.min_angle = geometry.min_angle[0], min(geometry.elevations)
    geometry.max_angle = geometry.max_angle[0], max(geometry.elevations)
    geometry.resolution = geometry.resolution[0], 0.0
