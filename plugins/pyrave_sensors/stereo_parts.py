"""The two cameras that a stereo camera refers to, as files name them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.scene import XmlElement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyrave.scene import Location
    from pyrave_sensors.settings import ReaderContext

__all__ = ["Homography", "StereoPart", "read_stereo_part"]

Homography = tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class StereoPart:
    """One ``<instance_sensor>``: the camera's name, and its rectification or None."""

    name: str
    rectification: Homography | None = None
    location: Location | None = field(default=None, compare=False, repr=False)

    def to_xml(self, tag: str) -> XmlElement:
        """Return the element."""
        attributes = (("url", f"#{self.name}"),)
        if self.rectification is None:
            return XmlElement(tag, attributes)
        text = " ".join(repr(value) for row in self.rectification for value in row)
        child = XmlElement("rectification", text=text)
        return XmlElement(tag, attributes, children=(child,))


def read_stereo_part(
    child: Any, values: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Read an ``<instance_sensor>`` and return all that were read so far."""
    known: tuple[StereoPart, ...] = values.get("instance_sensor", ())
    name = (child.get("url") or "").strip().rpartition("#")[2]
    if not name or len(known) == 2:
        what = "a third camera" if name else "no attribute url"
        context.warn(
            f"<{child.tag}> has {what}, expected two of them that name a camera each; "
            "it is ignored",
            child,
            f"write for example <{child.tag} url='#left_camera'/>",
        )
        return {}
    homography = None
    for inner in child:
        if not isinstance(inner.tag, str):
            continue
        if inner.tag.lower() != "rectification":
            context.warn(
                f"unknown tag <{inner.tag}> of <{child.tag}>",
                inner,
                "the only tag is <rectification>",
            )
            continue
        homography = _homography(inner, context)
    part = StereoPart(name, homography, context.location(child))
    return {"instance_sensor": (*known, part)}


def _homography(element: Any, context: ReaderContext) -> Homography | None:
    try:
        numbers = [float(word) for word in (element.text or "").split()]
    except ValueError:
        numbers = []
    if len(numbers) != 9 or not all(map(math.isfinite, numbers)) or _flat(numbers):
        context.warn(
            f"<{element.tag}> holds {(element.text or '').strip()[:60]!r}, expected "
            "the nine numbers of an invertible 3x3 matrix, row by row; it is ignored",
            element,
            "1 0 0 0 1 0 0 0 1 leaves an image as it is",
        )
        return None
    return tuple(tuple(numbers[i : i + 3]) for i in (0, 3, 6))


def _flat(numbers: list[float]) -> bool:
    matrix = np.array(numbers).reshape(3, 3)
    scale = float(np.abs(matrix).max())
    return scale == 0.0 or abs(float(np.linalg.det(matrix / scale))) < 1e-15
