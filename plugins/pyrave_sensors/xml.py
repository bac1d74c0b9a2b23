"""Settings of the built-in sensors as scene files hold them: angles in degrees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pyrave.errors import nearest
from pyrave.scene import Readable, XmlElement

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MAX_RAYS", "LaserReadable", "ReaderContext", "ray_count", "read_laser"]

MAX_RAYS = 10_000_000
"""More rays than this in one scan are refused."""

# Both ids of the sensor know both spellings.
_TAGS = {
    "minangle": "min_angle_deg",
    "min_angle": "min_angle_deg",
    "maxangle": "max_angle_deg",
    "max_angle": "max_angle_deg",
    "resolution": "resolution_deg",
    "minrange": "min_range",
    "min_range": "min_range",
    "maxrange": "max_range",
    "max_range": "max_range",
    "scantime": "time_scan",
    "time_scan": "time_scan",
    "time_increment": "time_increment",
    "color": "color",
    "power": "power",
}
_NOT_NEGATIVE = {"min_range", "max_range", "time_scan", "time_increment"}
# Tags of every sensor: the file's reader takes care of them.
_GENERIC = {
    "translation",
    "quat",
    "rotationaxis",
    "rotationmat",
    "sendcommand",
    "pyrave",
    "name",
}
_OLD = {
    "min_angle_deg": "minangle",
    "max_angle_deg": "maxangle",
    "resolution_deg": "resolution",
    "min_range": "minrange",
    "max_range": "maxrange",
    "time_scan": "scantime",
    "time_increment": "time_increment",
    "color": "color",
    "power": "power",
}
_NEW = _OLD | {
    "min_angle_deg": "min_angle",
    "max_angle_deg": "max_angle",
    "time_scan": "time_scan",
}


class ReaderContext(Protocol):
    """The part of a custom reader's context that is used here."""

    def warn(self, message: str, element: Any = None, hint: str | None = None) -> None:
        """Report a warning at an element."""
        ...


@dataclass(frozen=True, slots=True)
class LaserReadable(Readable):
    """What a file says about a laser; None is left at the sensor's default.

    Parameters
    ----------
    interface
        The id in the file; it decides how tags are spelled when written.
    min_angle_deg, max_angle_deg, resolution_deg
        Degrees, as in the file.
    min_range, max_range
        Metres.
    time_scan, time_increment
        Seconds.
    color
        Red, green, blue of drawn rays, 0 to 1.
    power
        Whether the sensor is switched on.
    extra
        Elements that the reader does not know; they are written back.
    """

    interface: str = "BaseLaser2D"
    min_angle_deg: float | None = None
    max_angle_deg: float | None = None
    resolution_deg: float | None = None
    min_range: float | None = None
    max_range: float | None = None
    time_scan: float | None = None
    time_increment: float | None = None
    color: tuple[float, float, float] | None = None
    power: bool | None = None
    extra: tuple[XmlElement, ...] = ()

    def to_xml(self) -> XmlElement:
        """Return the ``<sensor>`` element with exactly the tags that are set."""
        names = _NEW if "_" in self.interface else _OLD
        children = tuple(
            XmlElement(tag, text=_text(value))
            for field, tag in names.items()
            if (value := getattr(self, field)) is not None
        )
        return XmlElement(
            "sensor", (("type", self.interface),), children=children + self.extra
        )


def ray_count(min_angle: float, max_angle: float, resolution: float) -> int:
    """Return how many rays a scan has: angles in the same unit, resolution > 0."""
    steps = (max_angle - min_angle) / resolution + 0.5
    return 0 if steps < 0 else 1 + int(min(steps, 1e18))


def read_laser(element: Any, context: ReaderContext) -> LaserReadable:
    """Read the ``<sensor>`` element of a laser.

    What has no meaning is reported as a warning and left at its default.
    """
    found: dict[str, Any] = {}
    sources: dict[str, Any] = {}
    extra: list[XmlElement] = []
    for child in element:
        if not isinstance(child.tag, str):
            continue
        tag = child.tag.lower()
        field = _TAGS.get(tag)
        if field is not None:
            value = _value(field, child, context)
            if value is not None:
                found[field], sources[field] = value, child
        elif tag not in _GENERIC:
            _unknown(child, context, (*_TAGS, *_GENERIC))
            extra.append(_plain(child))
    words = (element.get("type") or "").split()
    interface = words[0].rpartition(":")[2] if words else "BaseLaser2D"
    _check(found, sources, element, context)
    return LaserReadable(interface, **found, extra=tuple(extra))


def _value(field: str, child: Any, context: ReaderContext) -> Any:
    tag, text = child.tag, (child.text or "").strip()
    count = 3 if field == "color" else 1
    words = text.split()
    values = [number for word in words if (number := _number(word)) is not None]
    if len(words) != count or len(values) != count:
        expected = "three numbers" if count == 3 else "one number"
        context.warn(
            f"<{tag}> holds {text[:60]!r}, expected {expected}; it is ignored",
            child,
            f"write for example <{tag}>{_EXAMPLES[field]}</{tag}>",
        )
        return None
    if field in _NOT_NEGATIVE and values[0] < 0:
        context.warn(
            f"<{tag}> is {text}, expected 0 or more; it is ignored",
            child,
            "ranges are in metres, times in seconds",
        )
        return None
    if field == "resolution_deg" and values[0] <= 0:
        context.warn(
            f"<{tag}> is {text}, expected more than 0 degrees; it is ignored",
            child,
            "it is the angle between two neighbouring rays",
        )
        return None
    if field == "power":
        return bool(values[0])
    return tuple(values) if field == "color" else values[0]


_EXAMPLES = {
    "min_angle_deg": "-90",
    "max_angle_deg": "90",
    "resolution_deg": "0.5",
    "min_range": "0.03",
    "max_range": "100",
    "time_scan": "0.1",
    "time_increment": "0.0001",
    "color": "0.5 0.5 1",
    "power": "1",
}


def _check(
    found: dict[str, Any],
    sources: dict[str, Any],
    element: Any,
    context: ReaderContext,
) -> None:
    """Report values that have no meaning together, and forget them."""
    for low, high, default in (
        ("min_angle_deg", "max_angle_deg", (-90.0, 90.0)),
        ("min_range", "max_range", (0.03, 100.0)),
    ):
        lower, upper = found.get(low, default[0]), found.get(high, default[1])
        if lower > upper:
            where = sources.get(high, sources.get(low, element))
            context.warn(
                f"the lower bound {lower:g} is above the upper bound {upper:g}; both "
                "are ignored",
                where,
                f"the defaults are {default[0]:g} and {default[1]:g}",
            )
            found.pop(low, None)
            found.pop(high, None)
    step = found.get("resolution_deg")
    if step is None:
        return
    span = (found.get("min_angle_deg", -90.0), found.get("max_angle_deg", 90.0))
    count = ray_count(*span, step)
    if count > MAX_RAYS:
        context.warn(
            f"a resolution of {step:g} degrees makes {count:.3g} rays, at most "
            f"{MAX_RAYS} are allowed; it is ignored",
            sources["resolution_deg"],
            "angles and resolution are in degrees",
        )
        del found["resolution_deg"]


def _unknown(child: Any, context: ReaderContext, known: Iterable[str]) -> None:
    near = nearest(child.tag, known)
    hint = f"did you mean <{near}>?" if near else f"tags are {', '.join(_OLD.values())}"
    context.warn(f"unknown tag <{child.tag}> of a laser", child, hint)


def _plain(element: Any) -> XmlElement:
    children = [child for child in element if isinstance(child.tag, str)]
    return XmlElement(
        element.tag,
        tuple(element.items()),
        _kept(element.text, indents=bool(children)),
        tuple(_plain(child) for child in children),
        _kept(element.tail, indents=True),
    )


def _kept(text: str | None, *, indents: bool) -> str:
    """Return a text, without white space that is only layout."""
    return text if text and (text.strip() or not indents) else ""


def _number(word: str) -> float | None:
    if "_" in word:
        return None
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return " ".join(_text(part) for part in value)
    return repr(float(value))
