"""A lidar whose lasers turn together."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from pyrave.spatial import Array
from pyrave_sensors.laser2d import BaseLaser2D
from pyrave_sensors.ranges.beams import Beams, ray_count
from pyrave_sensors.ranges.laser_geometry import (
    ScannerGeometry,
    angle,
    near_limit,
    seconds,
    step,
    too_many_rays,
)
from pyrave_sensors.ranges.lidar_presets import PRESETS
from pyrave_sensors.settings.fields import DEGREES, LONG, Conflict, setting

_TURN = 2.0 * math.pi
_MAX_OFFSET = 3600.0
_RESOLUTION = math.radians(0.2)
_LASERS = tuple(math.radians(angle) for angle in range(-15, 16, 2))


@dataclass(frozen=True, repr=False)
class MultiBeamGeometry(ScannerGeometry):
    """Lasers that lie above each other and turn about z together."""

    title = "a multi-beam lidar"

    # fmt: off
    preset: str = setting(
        "", example="VLP-16", choices=tuple(PRESETS), shown="",
        doc="`VLP-16`, `HDL-32E` or `OS1-64`; other tags change it")
    elevations: tuple[float, ...] = setting(
        _LASERS, example="-2 0 2", least=-90.0, most=90.0, unit="degrees",
        form=DEGREES, shown="-15 to 15 by 2", doc="one number a laser")
    azimuth_offsets: tuple[float, ...] = setting(
        (), example="0 0 0", least=-_MAX_OFFSET, most=_MAX_OFFSET, unit="degrees",
        form=DEGREES, doc="one number a laser")
    firing_times: tuple[float, ...] = setting(
        (), example="0 2e-6", least=0.0, most=LONG,
        unit="seconds after the column's first laser", doc="one number a laser")
    min_angle: float = angle(-math.pi, "min_angle", "-180", "first column")
    max_angle: float = angle(
        math.pi, "max_angle", "180", "last column; a full turn has no column twice")
    resolution: float = step(_RESOLUTION, "angle between columns")
    rate: float | None = setting(
        None, example="10", least=1.0 / LONG, most=LONG, unit="turns per second",
        shown="10", doc="sets time_scan to its inverse")
    time_scan: float = seconds(
        0.1, "scantime time_scan measurement_time", "between turns")
    time_increment: float = seconds(
        _RESOLUTION / _TURN * 0.1, "time_increment", "between columns; 0: all at once",
        shown="that of the rate")
    min_range: float = near_limit(0.5)
    # fmt: on

    @classmethod
    def completed(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return a file's values, with those of the preset and the rate."""
        preset, rate = PRESETS.get(given.get("preset", "")), given.get("rate")
        implied: dict[str, Any] = {}
        if preset is not None:
            implied = preset.values(rate)
        elif rate is not None:
            implied = {"time_scan": 1.0 / rate}
        found = {**implied, **given}
        lasers = len(found.get("elevations", _LASERS))
        if "firing_times" not in given and lasers != len(found.get("firing_times", ())):
            # those of a preset whose lasers are replaced
            found["firing_times"] = ()
        timed = {"rate", "time_scan"} & given.keys() and preset is None
        if "time_increment" not in given and ("resolution" in given or timed):
            turn = found.get("resolution", _RESOLUTION) / _TURN
            found["time_increment"] = min(turn * found.get("time_scan", 0.1), LONG)
        return found

    def conflict(self) -> Conflict | None:
        """Return lists of different lengths, or too many rays."""
        lasers = len(self.elevations)
        if lasers == 0:
            return Conflict(("elevations",), "there is no laser")
        for name in ("azimuth_offsets", "firing_times"):
            count = len(getattr(self, name))
            if count not in {0, lasers}:
                message = f"{name} has {count} numbers for {lasers} lasers"
                return Conflict((name, "elevations"), message)
        names = ("resolution", "rate", "elevations", "preset")
        count = column_count(self.min_angle, self.max_angle, self.resolution, _TURN)
        degrees = math.degrees(self.resolution)
        subject = f"{lasers} lasers every {degrees:g} degrees make"
        return too_many_rays(
            count * lasers, names, subject
        ) or ScannerGeometry.conflict(self)

    def beams(self) -> Beams:
        """Return the rays of a turn, column by column, see `turning_columns`."""
        return turning_columns(self)


def column_count(
    min_angle: float, max_angle: float, resolution: float, turn: float
) -> int:
    """Return the number of columns of a scan; a full turn has no last column twice.

    Parameters
    ----------
    turn
        A full turn in the unit of the angles.
    """
    if max_angle - min_angle < turn * (1 - 1e-9):
        return ray_count(min_angle, max_angle, resolution)
    return max(1, math.ceil(min(turn / resolution, 1e18) - 1e-6))


def turning_columns(geometry: MultiBeamGeometry) -> Beams:
    """Return the rays of a turn, column by column.

    Columns are at the angles ``min_angle + k * resolution`` from +x about z (all around
    by default), with one ray a laser, from the lowest to the highest ``ring``: the ray
    of ring j in column k is number ``k * rings + j``. It is cast
    ``k * time_increment + firing_times[j]`` after the scan began, turned by the angle
    that the lidar turns in ``firing_times[j]``. With a `time_increment` of 0 the whole
    scan is one moment.
    """
    g = geometry
    count = column_count(g.min_angle, g.max_angle, g.resolution, _TURN)
    columns, lasers = np.arange(count)[:, None], len(g.elevations)
    fired = _table(g.firing_times, lasers)
    moving = g.time_increment > 0
    # while a column is being fired the lidar turns on
    drift = fired * g.resolution / g.time_increment if moving else 0.0
    azimuths = (
        g.min_angle + columns * g.resolution + _table(g.azimuth_offsets, lasers) + drift
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


def _table(numbers: tuple[float, ...], lasers: int) -> Array:
    return np.asarray(numbers) if numbers else np.zeros(lasers)


class MultiBeamLidar(BaseLaser2D[MultiBeamGeometry]):
    """Measure a sphere's belt with lasers above each other that turn about z.

    A scan is one turn, see `turning_columns`. `rings` and `time_offsets` of the data
    give the laser and the time of each ray. XML tags: see `MultiBeamGeometry`.
    """

    contract = 2
    settings_type = MultiBeamGeometry
