"""Settings of stereo cameras, and the two cameras that files name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self, cast

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.scene import Location, XmlElement
from pyrave.sensing.geometry import StereoCameraGeometry
from pyrave_sensors.optics.camera_settings import CameraSettings
from pyrave_sensors.settings.fields import (
    Conflict,
    CustomReader,
    ReaderContext,
    setting,
)

Homography = tuple[tuple[float, ...], ...]
_IDENTITY: Homography = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class StereoPart:
    """One ``<instance_sensor>``: a camera's name, and its rectification or None.

    Without a name it is the stereo camera itself, or its second one.
    """

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
    _kind: Any, child: Any, values: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Return the ``<instance_sensor>`` elements so far, with one more."""
    known: tuple[StereoPart, ...] = values.get("instance_sensor", ())
    url = (child.get("url") or "").strip()
    if not url or len(known) == 2:
        found = "a third camera" if url else "no attribute url"
        context.warn(
            f"<{child.tag}> has {found}, expected two of them that name a camera each; "
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
    part = StereoPart(url.rpartition("#")[2], homography, context.location(child))
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


@dataclass(frozen=True)
class StereoCameraSettings(CameraSettings):
    """Settings of stereo cameras."""

    title = "a stereo camera"
    geometry_type = StereoCameraGeometry
    custom: ClassVar[Mapping[str, CustomReader]] = {
        **CameraSettings.custom,
        "instance_sensor": read_stereo_part,
    }

    # fmt: off
    baseline: float = setting(
        0.1, example="0.1", above=0.0, unit="metres",
        doc="distance to the second camera, if none are named")
    instance_sensor: tuple[StereoPart, ...] = setting(
        (), example="", shown="side by side", values="two cameras, or none",
        doc='twice, `url="#left"`: cameras of the same robot or of the environment')
    # fmt: on

    def conflict(self) -> Conflict | None:
        """Return a single camera, or a conflict of any camera."""
        if sum(bool(part.name) for part in self.instance_sensor) == 1:
            why = "<instance_sensor> names one camera, expected two or none"
            return Conflict(("instance_sensor",), why)
        return CameraSettings.conflict(self)

    def geometry(self) -> StereoCameraGeometry:
        """Return the geometry with these values."""
        made = cast("StereoCameraGeometry", CameraSettings.geometry(self))
        made.cameras = tuple(part.name for part in self.instance_sensor if part.name)
        given = [part.rectification for part in self.instance_sensor]
        if any(given):
            made.rectifications = tuple(one or _IDENTITY for one in given)
        return made

    def with_geometry(self, geometry: Any) -> Self:
        """Return settings with the values of a geometry."""
        for name in ("cameras", "rectifications"):
            value = getattr(geometry, name)
            if len(value) not in {0, 2}:
                raise ArgumentError(f"{name} are {len(value)}, expected two or none")
        for matrix in geometry.rectifications:
            array = np.asarray(matrix, dtype=np.float64)
            if array.shape != (3, 3) or not np.isfinite(array).all():
                raise ArgumentError(
                    f"a rectification has shape {array.shape}, expected (3, 3), finite"
                )
        known = {part.name: part.location for part in self.instance_sensor}
        parts = tuple(
            StereoPart(name, one, known.get(name))
            for name, one in zip(
                geometry.cameras or ("", ""),
                geometry.rectifications or (None, None),
                strict=True,
            )
            if name or one
        )
        new = CameraSettings.with_geometry(self, geometry)
        return replace(new, instance_sensor=parts)
