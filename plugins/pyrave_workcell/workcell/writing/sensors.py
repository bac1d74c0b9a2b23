"""Cameras and scanners as properties of frames."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyrave.formats.numbers import plain_floats
from pyrave.formats.output.numbers import numbers, rounded
from pyrave.scene import XmlElement
from pyrave_workcell.workcell.sensors import FAN, LENS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import (
        AttachedSensorDescription,
        InterfaceDescription,
        Pose,
    )
    from pyrave.scene import (
        XmlElement as Element,
    )

_CAMERAS = {"basecamera": "Camera", "baseflashlidar3d": "Scanner25D"}
_SCANNER = "baselaser2d"
_KNOWN_CAMERA = frozenset({"width", "height", "kk"})
_KNOWN_SCANNER = frozenset({"minangle", "maxangle", "resolution"})
_OFF = "lenses off the centre of the image, or not square, are not written"
_ASKEW = "the fan of scanners is turned until it is even on both sides"
_MORE = "settings of sensors beyond angles and counts are not written"


@dataclass(frozen=True, slots=True)
class SensorProperty:
    """The property of a frame that means a sensor.

    Parameters
    ----------
    turn
        T_frame_sensor.
    lost
        What it does not say.
    """

    name: str
    numbers: tuple[float, ...]
    turn: Pose
    lost: tuple[str, ...] = ()

    def element(self) -> Element:
        """Return it as RobWork writes properties."""
        attributes = (("name", self.name), ("type", "string"))
        return XmlElement("Property", attributes, numbers(self.numbers))


def property_of(
    sensor: AttachedSensorDescription | InterfaceDescription,
) -> SensorProperty | None:
    """Return the property that means a sensor, None if there is none."""
    kind = sensor.interface.partition(" ")[0].lower()
    settings: dict[str, str] = {}
    for _, readable in sensor.readables:
        xml = readable.to_xml()
        for child in () if xml is None else xml.children:
            settings[child.tag.lower()] = child.text
    if kind in _CAMERAS:
        return _camera(_CAMERAS[kind], settings)
    if kind == _SCANNER:
        return _scanner(settings)
    return None


def _camera(name: str, settings: Mapping[str, str]) -> SensorProperty | None:
    width, height = (numbers_in(settings.get(one, "")) for one in ("width", "height"))
    lens = numbers_in(settings.get("kk", settings.get("intrinsic", "")))
    if len(lens) == 6:
        lens = lens[0], lens[4], lens[2], lens[5]
    if len(width) != 1 or len(height) != 1 or len(lens) != 4 or lens[1] <= 0.0:
        return None
    fx, fy, cx, cy = lens
    w, h = width[0], height[0]
    lost = []
    if max(abs(fx - fy), abs(cx - 0.5 * w), abs(cy - 0.5 * h)) > 1e-9 * max(w, h):
        lost.append(_OFF)
    if settings.keys() - _KNOWN_CAMERA - {"intrinsic"}:
        lost.append(_MORE)
    angle = rounded(math.degrees(2.0 * math.atan(0.5 * h / fy)))
    return SensorProperty(name, (angle, w, h), LENS, tuple(lost))


def _scanner(settings: Mapping[str, str]) -> SensorProperty | None:
    low, high, step = (
        numbers_in(settings.get(one, ""))
        for one in ("minangle", "maxangle", "resolution")
    )
    if len(low) != 1 or len(high) != 1 or not low[0] < high[0]:
        return None
    fan = high[0] - low[0]
    count = 1.0
    if len(step) == 1 and step[0] > 0.0:
        count = 1.0 + round(fan / step[0])
    lost = []
    if abs(low[0] + high[0]) > 1e-9 * fan:
        lost.append(_ASKEW)
    if settings.keys() - _KNOWN_SCANNER:
        lost.append(_MORE)
    if not fan < 180.0:
        return None
    return SensorProperty("Scanner2D", (rounded(fan), count), FAN, tuple(lost))


def numbers_in(text: str) -> tuple[float, ...]:
    """Return the numbers of a text, none at all if it holds anything else."""
    try:
        return plain_floats(text)
    except ValueError:
        return ()
