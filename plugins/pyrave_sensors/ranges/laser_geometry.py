"""Geometry of all scanners, and of the planar ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from pyrave_sensors.ranges.beams import Beams, planar_fan, ray_count
from pyrave_sensors.ranges.noise import NO_NOISE, RangeNoise
from pyrave_sensors.settings.fields import (
    DEGREES,
    FAR,
    LONG,
    Conflict,
    CustomReader,
    setting,
)
from pyrave_sensors.settings.file_geometry import FileGeometry
from pyrave_sensors.settings.xml import several

MAX_RAYS = 10_000_000
"""More rays than this in one scan are refused."""
_MAX_ANGLE = 3600.0
_MAX_RANGE_LIMIT = 1e100
# a hundredth of a radian in single precision, as in OpenRAVE
_RESOLUTION = float(np.float32(0.01))


def angle(default: float, name: str, example: str, doc: str) -> Any:
    """Return the setting of an angle: OpenRAVE's two spellings, and ROS's."""
    bound, _ = name.split("_")
    return setting(
        default, f"{name.replace('_', '')} {name} angle_{bound}", example=example,
        least=-_MAX_ANGLE, most=_MAX_ANGLE, unit="degrees", form=DEGREES, doc=doc,
    )  # fmt: skip


def step(default: float, doc: str) -> Any:
    """Return the setting of an angle between rays."""
    return setting(
        default, "resolution resolution angle_increment", example="0.5", above=0.0,
        most=_MAX_ANGLE, unit="degrees", form=DEGREES, doc=doc,
    )  # fmt: skip


def seconds(default: float | None, tags: str, doc: str, **more: Any) -> Any:
    """Return the setting of a time."""
    return setting(
        default, tags, example="0.001", least=0.0, most=LONG, unit="seconds", doc=doc,
        **more,
    )  # fmt: skip


def near_limit(default: float) -> Any:
    """Return the setting of the minimum range."""
    return setting(
        default, "minrange min_range range_min", example="0.03", least=0.0, most=FAR,
        unit="metres", doc="minimum range",
    )  # fmt: skip


@dataclass(frozen=True, repr=False)
class ScannerGeometry(FileGeometry):
    """Angles about z from +x, ranges and errors of any scanner."""

    custom: ClassVar[Mapping[str, CustomReader]] = {
        "angle_range": several("min_angle", "max_angle", centred=True),
        "distance_range": several("min_range", "max_range"),
    }

    # fmt: off
    min_angle: float = angle(-math.pi / 2, "min_angle", "-90", "first angle")
    max_angle: float = angle(math.pi / 2, "max_angle", "90", "last angle")
    min_range: float = near_limit(0.03)
    max_range: float = setting(
        100.0, "maxrange max_range range_max", example="100", least=0.0,
        most=_MAX_RANGE_LIMIT, unit="metres", doc="maximum range")
    time_scan: float = seconds(
        0.0, "scantime time_scan measurement_time", "between scans; 0 is every step")
    include_robot: bool = setting(
        True, example="0",
        doc="0: the robot that carries the scanner is not seen, bodies it holds are")
    intensity_model: str = setting(
        "hit", example="physical", choices=("hit", "physical"),
        doc="`hit` is 1 where something came back; `physical` see below")
    intensity_range: float = setting(
        1.0, example="1", above=0.0, most=FAR, unit="metres",
        doc="range at which a white surface gives intensity 1")
    # fmt: on
    noise: RangeNoise = NO_NOISE

    def beams(self) -> Beams:
        """Return the rays of a scan in the frame of the sensor."""
        raise NotImplementedError

    def conflict(self) -> Conflict | None:
        """Return bounds in the wrong order."""
        return crossed(self, "min_angle", "max_angle") or crossed(
            self, "min_range", "max_range"
        )


def crossed(geometry: FileGeometry, low: str, high: str) -> Conflict | None:
    """Return the conflict of a lower bound above the upper one."""
    lower, upper = getattr(geometry, low), getattr(geometry, high)
    if lower <= upper:
        return None
    defaults = type(geometry)()
    numbers = [lower, upper, getattr(defaults, low), getattr(defaults, high)]
    unit = "metres"
    if low == "min_angle":
        numbers, unit = np.degrees(numbers).tolist(), "degrees"
    return Conflict(
        (low, high),
        f"{low} {numbers[0]:g} is above {high} {numbers[1]:g} ({unit})",
        f"the defaults are {numbers[2]:g} and {numbers[3]:g}",
        all=True,
    )


def too_many_rays(count: int, names: tuple[str, ...], subject: str) -> Conflict | None:
    """Return the conflict of a scan with too many rays."""
    if count <= MAX_RAYS:
        return None
    message = f"{subject} {count:.3g} rays, at most {MAX_RAYS} are allowed"
    return Conflict(names, message)


@dataclass(frozen=True, repr=False)
class LaserGeometry(ScannerGeometry):
    """A laser scanner of one plane."""

    title = "a laser"

    resolution: float = step(_RESOLUTION, "angle between rays")
    time_increment: float = seconds(0.0, "time_increment", "between rays")

    def beams(self) -> Beams:
        """Return a fan of rays in the xy plane, see `planar_fan`."""
        return planar_fan(
            self.min_angle, self.max_angle, self.resolution, self.time_increment
        )

    def conflict(self) -> Conflict | None:
        """Return bounds in the wrong order, or a resolution with too many rays."""
        return ScannerGeometry.conflict(self) or too_many_rays(
            ray_count(self.min_angle, self.max_angle, self.resolution),
            ("resolution",),
            f"a resolution of {math.degrees(self.resolution):g} degrees makes",
        )
