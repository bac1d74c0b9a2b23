"""Geometry of stereo cameras, and the two cameras that files name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.scene import Location, XmlElement
from pyrave_sensors.optics.camera_geometry import CameraGeometry
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

    def __post_init__(self) -> None:
        if self.rectification is None:
            return
        try:
            matrix = np.array(self.rectification, np.float64)
        except (TypeError, ValueError, OverflowError):
            matrix = np.empty(0)
        if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
            raise ArgumentError(
                f"a rectification is {shown(self.rectification)}, expected 3 x 3 "
                "numbers"
            )
        rows = tuple(map(tuple, matrix.tolist()))
        object.__setattr__(self, "rectification", rows)

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
    known: tuple[StereoPart, ...] = values.get("cameras", ())
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
    return {"cameras": (*known, part)}


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


@dataclass(frozen=True, repr=False)
class StereoCameraGeometry(CameraGeometry):
    """Two cameras; the frame of the first one is that of the sensor."""

    title = "a stereo camera"
    custom: ClassVar[Mapping[str, CustomReader]] = {
        **CameraGeometry.custom,
        "instance_sensor": read_stereo_part,
    }

    # fmt: off
    baseline: float = setting(
        0.1, example="0.1", above=0.0, unit="metres",
        doc="distance to the second camera, if none are named")
    cameras: tuple[StereoPart, ...] = setting(
        (), "instance_sensor", example="", shown="side by side",
        values="two cameras, or none",
        doc='twice, `url="#left"`: cameras of the same robot or of the environment')
    # fmt: on

    def __post_init__(self) -> None:
        super().__post_init__()
        given = self.cameras
        if not isinstance(given, (tuple, list)) or len(given) > 2:
            raise ArgumentError(f"cameras is {shown(given)}, expected two, or none")
        object.__setattr__(self, "cameras", tuple(map(_as_part, given)))

    def conflict(self) -> Conflict | None:
        """Return a single camera, or a conflict of any camera."""
        if len(self.cameras) == 1 or len(self.named) == 1:
            why = "<instance_sensor> names one camera, expected two or none"
            return Conflict(("cameras",), why)
        return CameraGeometry.conflict(self)

    @property
    def named(self) -> tuple[StereoPart, ...]:
        """The two cameras, if they are other sensors; else empty."""
        return tuple(part for part in self.cameras if part.name)

    @property
    def rectifications(self) -> tuple[Homography, ...]:
        """Two homographies; empty: they are found from the places of the cameras."""
        given = [part.rectification for part in self.cameras]
        return tuple(one or _IDENTITY for one in given) if any(given) else ()


def _as_part(given: Any) -> StereoPart:
    """Return a camera that is given by its name, or as it is."""
    if isinstance(given, str):
        return StereoPart(given)
    if isinstance(given, StereoPart):
        return given
    raise ArgumentError(
        f"a camera is {shown(given)}, expected its name or a StereoPart"
    )
