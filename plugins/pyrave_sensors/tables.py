"""Tags of the built-in sensors: OpenRAVE's old and new ones, and COLLADA's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_sensors.settings import (
    Range,
    Setting,
    SettingTable,
    SeveralSettings,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LASER_2D", "MAX_RAYS", "ray_count"]

MAX_RAYS = 10_000_000
"""More rays than this in one scan are refused."""
_DEGREES = "degrees"


def ray_count(min_angle: float, max_angle: float, resolution: float) -> int:
    """Return how many rays a scan has: angles in the same unit, resolution > 0."""
    steps = (max_angle - min_angle) / resolution + 0.5
    return 0 if steps < 0 else 1 + int(min(steps, 1e18))


def _few_rays(values: Mapping[str, Any]) -> tuple[str, str] | None:
    step = values.get("resolution")
    if step is None:
        return None
    count = ray_count(values.get("min_angle", -90), values.get("max_angle", 90), step)
    if count <= MAX_RAYS:
        return None
    rays = f"{count:.3g} rays, at most {MAX_RAYS} are allowed"
    return "resolution", f"a resolution of {step:g} degrees makes {rays}"


_ANGLES = (
    Setting("min_angle", ("minangle", "min_angle", "angle_min"), "-90", unit=_DEGREES),
    Setting("max_angle", ("maxangle", "max_angle", "angle_max"), "90", unit=_DEGREES),
    Setting(
        "resolution",
        ("resolution", "resolution", "angle_increment"),
        "0.5",
        above=0.0,
        unit=_DEGREES,
    ),
)
_RANGES = (
    Setting(
        "min_range",
        ("minrange", "min_range", "range_min"),
        "0.03",
        least=0.0,
        unit="metres",
    ),
    Setting(
        "max_range",
        ("maxrange", "max_range", "range_max"),
        "100",
        least=0.0,
        unit="metres",
    ),
)
_TIMES = (
    Setting(
        "time_scan",
        ("scantime", "time_scan", "measurement_time"),
        "0.1",
        least=0.0,
        unit="seconds",
    ),
    Setting("time_increment", ("time_increment",), "0.0001", least=0.0, unit="seconds"),
)

LASER_2D = SettingTable(
    "a laser",
    (*_ANGLES, *_RANGES, *_TIMES),
    several=(
        SeveralSettings("angle_range", ("min_angle", "max_angle")),
        SeveralSettings("distance_range", ("min_range", "max_range")),
    ),
    ranges=(
        Range("min_angle", "max_angle", (-90.0, 90.0)),
        Range("min_range", "max_range", (0.03, 100.0)),
    ),
    check=_few_rays,
)
