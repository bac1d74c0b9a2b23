"""Tags of the built-in scanners: OpenRAVE's old and new ones, and COLLADA's."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from pyrave_sensors.lidar_presets import PRESETS
from pyrave_sensors.settings import (
    Kind,
    Range,
    Setting,
    SettingTable,
    SeveralSettings,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

__all__ = [
    "FAR",
    "FLASH_LIDAR",
    "LASER_2D",
    "LEAST_FOCAL_LENGTH",
    "LONG",
    "MAX_RAYS",
    "MOST_ANGLE",
    "MOST_MAX_RANGE",
    "MULTI_BEAM",
    "RANGE_NOISE",
    "SPINNING_LASER",
    "column_count",
    "ray_count",
]

MAX_RAYS = 10_000_000
"""More rays than this in one scan are refused."""
MOST_ANGLE = 3600.0
"""Degrees: ten turns."""
FAR = 1e9
"""No length is longer, metres, but the maximum range."""
MOST_MAX_RANGE = 1e100
"""Files write large numbers for no bound; see `scanning.REACH`."""
LONG = 1e6
"""No time is longer, seconds."""
LEAST_FOCAL_LENGTH = 1e-6
"""Pixels."""
_DEGREES = "degrees"
_COLUMN_STEP = 0.2
_LASERS = range(16)


def ray_count(min_angle: float, max_angle: float, resolution: float) -> int:
    """Return how many rays a scan has: angles in the same unit, resolution > 0."""
    steps = (max_angle - min_angle) / resolution + 0.5
    return 0 if steps < 0 else 1 + int(min(steps, 1e18))


def column_count(
    min_angle: float, max_angle: float, resolution: float, turn: float
) -> int:
    """Return how many columns a scan has; one that goes all around has no last twice.

    Parameters
    ----------
    turn
        A full turn in the unit of the angles.
    """
    if max_angle - min_angle < turn * (1 - 1e-9):
        return ray_count(min_angle, max_angle, resolution)
    return max(1, math.ceil(min(turn / resolution, 1e18) - 1e-6))


def _too_many(count: int, name: str, what: str) -> tuple[str, str] | None:
    """Return the setting and what is wrong with it if there are too many rays."""
    if count <= MAX_RAYS:
        return None
    return name, f"{what} {count:.3g} rays, at most {MAX_RAYS} are allowed"


def _few_rays(values: Mapping[str, Any]) -> tuple[str, str] | None:
    step = values.get("resolution")
    if step is None:
        return None
    bounds = values.get("min_angle", -90), values.get("max_angle", 90)
    what = f"a resolution of {step:g} degrees makes"
    return _too_many(ray_count(*bounds, step), "resolution", what)


def _spinning(values: Mapping[str, Any]) -> tuple[str, str] | None:
    if not any(values.get("spin_axis", (1, 0, 0))):
        return "spin_axis", "the axis has no direction"
    return _few_rays(values)


def _pinhole(values: Mapping[str, Any]) -> tuple[str, str] | None:
    if min(map(abs, values.get("kk", (1, 1))[:2])) < LEAST_FOCAL_LENGTH:
        return "kk", f"fx and fy are {values['kk'][:2]}, less than {LEAST_FOCAL_LENGTH}"
    width, height = values.get("width", 64), values.get("height", 64)
    name = "width" if width > height else "height"
    return _too_many(width * height, name, f"{width} x {height} pixels make")


def _multi_beam(values: Mapping[str, Any]) -> tuple[str, str] | None:
    preset = PRESETS.get(values.get("preset", ""))
    lasers = len(values.get("elevations", preset.elevations if preset else _LASERS))
    if lasers == 0:
        return "elevations", "there is no laser"
    for name in ("azimuth_offsets", "firing_times"):
        count = len(values.get(name, ()))
        if count not in {0, lasers}:
            return name, f"{count} numbers are given and there are {lasers} lasers"
    step, name = values.get("resolution", _COLUMN_STEP), "resolution"
    if name not in values:
        name = "elevations"
        if preset is not None and "rate" in values:
            name = "rate"
            step = math.degrees(preset.geometry(values[name]).resolution[0])
    low, high = values.get("min_angle", -180), values.get("max_angle", 180)
    count = column_count(low, high, step, 360.0) * lasers
    return _too_many(count, name, f"{lasers} lasers every {step:g} degrees make")


def _angle(name: str, example: str, *other: str) -> Setting:
    tags = (name.replace("_", ""), name, *other)
    return Setting(
        name, tags, example, least=-MOST_ANGLE, most=MOST_ANGLE, unit=_DEGREES
    )


def _metres(name: str, example: str, *tags: str, most: float = FAR) -> Setting:
    return Setting(name, tags or (name,), example, least=0.0, most=most, unit="metres")


def _seconds(name: str, example: str, *tags: str) -> Setting:
    tags = tags or (name,)
    return Setting(name, tags, example, least=0.0, most=LONG, unit="seconds")


def _chance(name: str, example: str) -> Setting:
    return Setting(name, (name,), example, least=0.0, most=1.0)


def _numbers(
    name: str,
    tag: str,
    example: str,
    *,
    most: float,
    unit: str = "",
    count: int | None = None,
) -> Setting:
    return Setting(
        name,
        (tag,),
        example,
        Kind.NUMBERS,
        count,
        least=-most,
        most=most,
        unit=unit,
    )


_ANGLES = (
    _angle("min_angle", "-90", "angle_min"),
    _angle("max_angle", "90", "angle_max"),
)
_RESOLUTION = Setting(
    "resolution",
    ("resolution", "resolution", "angle_increment"),
    "0.5",
    above=0.0,
    most=MOST_ANGLE,
    unit=_DEGREES,
)
_INCREMENT = _seconds("time_increment", "0.0001")
_RANGES_AND_TIME = (
    _metres("min_range", "0.03", "minrange", "min_range", "range_min"),
    _metres(
        "max_range", "100", "maxrange", "max_range", "range_max", most=MOST_MAX_RANGE
    ),
    _seconds("time_scan", "0.1", "scantime", "time_scan", "measurement_time"),
)
RANGE_NOISE = (
    Setting(
        "noise_bias", ("noise_bias",), "0.005", least=-FAR, most=FAR, unit="metres"
    ),
    _metres("noise_sigma", "0.01"),
    Setting(
        "noise_sigma_relative", ("noise_sigma_relative",), "0.001", least=0, most=LONG
    ),
    _metres("noise_quantisation", "0.002"),
    _chance("outlier_rate", "0.001"),
    _chance("dropout_rate", "0.01"),
    Setting(
        "dropout_angle",
        ("dropout_angle",),
        "75",
        least=0.0,
        most=90.0,
        unit="degrees from the surface's normal",
    ),
    _chance("dropout_reflectivity", "0.1"),
)
"""Settings of `RangeNoise`."""
_MODEL = (
    Setting(
        "intensity_model",
        ("intensity_model",),
        "physical",
        Kind.TEXT,
        choices=("hit", "physical"),
    ),
    Setting(
        "intensity_range",
        ("intensity_range",),
        "1",
        above=0.0,
        most=FAR,
        unit="metres",
    ),
    Setting("include_robot", ("include_robot",), "0", Kind.SWITCH),
)


def _scanner(
    what: str,
    settings: Iterable[Setting],
    check: Callable[[Mapping[str, Any]], tuple[str, str] | None],
    *,
    angles: tuple[float, float] = (-90.0, 90.0),
    distances: tuple[float, float] = (0.03, 100.0),
) -> SettingTable:
    return SettingTable(
        what,
        (*settings, *_RANGES_AND_TIME, *RANGE_NOISE, *_MODEL),
        several=(
            SeveralSettings("angle_range", ("min_angle", "max_angle"), centred=True),
            SeveralSettings("distance_range", ("min_range", "max_range")),
        ),
        ranges=(
            Range("min_angle", "max_angle", angles),
            Range("min_range", "max_range", distances),
        ),
        check=check,
    )


LASER_2D = _scanner("a laser", (*_ANGLES, _RESOLUTION, _INCREMENT), _few_rays)

SPINNING_LASER = _scanner(
    "a spinning laser",
    (
        *_ANGLES,
        _RESOLUTION,
        _INCREMENT,
        _numbers("spin_axis", "spinaxis", "1 0 0", most=FAR, count=3),
        _numbers("spin_position", "spinpos", "0 0 0", most=FAR, unit="metres", count=3),
        Setting(
            "spin_speed",
            ("spinspeed",),
            "0.5",
            least=-FAR,
            most=FAR,
            unit="radians per second",
        ),
    ),
    _spinning,
)

FLASH_LIDAR = _scanner(
    "a flash lidar",
    (
        *_ANGLES,
        _numbers("kk", "kk", "500 500 32 32", most=FAR, unit="pixels", count=4),
        Setting("width", ("width",), "64", Kind.INTEGER, least=1.0),
        Setting("height", ("height",), "64", Kind.INTEGER, least=1.0),
    ),
    _pinhole,
    distances=(0.0, 100.0),
)

MULTI_BEAM = _scanner(
    "a multi-beam lidar",
    (
        *_ANGLES,
        _RESOLUTION,
        _INCREMENT,
        Setting("preset", ("preset",), "VLP-16", Kind.TEXT, choices=tuple(PRESETS)),
        _numbers("elevations", "elevations", "-2 0 2", most=90.0, unit=_DEGREES),
        _numbers(
            "azimuth_offsets",
            "azimuth_offsets",
            "0 0 0",
            most=MOST_ANGLE,
            unit=_DEGREES,
        ),
        Setting(
            "firing_times",
            ("firing_times",),
            "0 2e-6",
            Kind.NUMBERS,
            least=0.0,
            most=LONG,
            unit="seconds after the column's first",
        ),
        Setting(
            "rate",
            ("rate",),
            "10",
            least=1.0 / LONG,
            most=LONG,
            unit="turns per second",
        ),
    ),
    _multi_beam,
    angles=(-180.0, 180.0),
    distances=(0.5, 100.0),
)
