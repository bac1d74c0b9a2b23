"""What scene files say about these sensors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from pyrave import Readable, XmlElement

# tags that every sensor element may have
_COMMON = {"translation", "quat", "rotationaxis", "rotationmat", "sendcommand", "power"}


def _positive(text: str | None, what: str, element: Any, context: Any) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if math.isfinite(value) and value > 0:
        return value
    context.error(f"{what} is {text!r}, expected a number above 0", element)
    return None


@dataclass(frozen=True)
class RangefinderData(Readable):
    """The element of a range finder: metres, hertz."""

    max_range: float = 10.0
    rate: float = 20.0

    def to_xml(self) -> XmlElement:
        """Return the tags inside of the sensor's element."""
        return XmlElement(
            "sensor",
            children=(
                XmlElement("max_range", text=repr(self.max_range)),
                XmlElement("rate", text=repr(self.rate)),
            ),
        )


@dataclass(frozen=True)
class ConeData(Readable):
    """``<acme_cone angle="DEGREES" beams="N"/>``."""

    angle_deg: float = 20.0
    beams: int = 8

    def to_xml(self) -> XmlElement:
        """Return the tag."""
        return XmlElement(
            "acme_cone", (("angle", repr(self.angle_deg)), ("beams", str(self.beams)))
        )


def read_rangefinder(element: Any, context: Any) -> RangefinderData | None:
    """Read the children of the sensor's element."""
    values: dict[str, float] = {}
    for child in element:
        tag = str(child.tag).lower()
        if tag in {"max_range", "rate"}:
            value = _positive(child.text, f"<{tag}>", child, context)
            if value is None:
                return None
            values[tag] = value
        elif tag not in _COMMON:
            context.warn(f"unknown tag <{tag}> of an AcmeRangefinder", child)
    return RangefinderData(**values)


def read_cone(element: Any, context: Any) -> ConeData | None:
    """Read the one tag."""
    angle = _positive(element.get("angle", "20"), "angle", element, context)
    beams = _positive(element.get("beams", "8"), "beams", element, context)
    if angle is None or beams is None:
        return None
    return ConeData(angle, int(beams))
