"""Geometry of cameras, and the lens that it describes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pyrave.errors import ArgumentError
from pyrave.geometry import Lens
from pyrave.geometry.camera import check_image_size
from pyrave_sensors.optics.camera_options import CameraOptions
from pyrave_sensors.optics.lens import DistortedLens
from pyrave_sensors.ranges.noise import NO_NOISE, RangeNoise
from pyrave_sensors.settings.fields import (
    Conflict,
    CustomReader,
    FileSetting,
    ReaderContext,
    setting,
)
from pyrave_sensors.settings.file_geometry import FileGeometry
from pyrave_sensors.settings.xml import read_numbers, several

_FORMATS = (
    "uint8", "uint16", "uint32", "int8", "int16", "int32", "float32", "float64",
)  # fmt: skip
_KK = FileSetting(
    ("kk",), "fx fy cx cy", "640 640 320 240", unit="pixels", kind=tuple, count=4
)
_INTRINSIC = FileSetting(
    ("intrinsic",), "fx skew cx 0 fy cy", "640 0 320 0 640 240", unit="pixels",
    kind=tuple, count=6,
)  # fmt: skip
_PERIOD = FileSetting(
    ("measurement_time",), "between images", "0.2", unit="seconds", least=0.0
)
_OPTIONS = CameraOptions()
# checked together; the last one that is given is to blame
_TOGETHER = (
    ("kk",),
    ("skew",),
    ("height", "width"),
    ("distortion_model",),
    ("distortion_model", "distortion_coeffs"),
)


def read_distortion_model(
    _kind: Any, child: Any, _values: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Read a model's name, or its coefficients if the name is in an attribute."""
    text = (child.text or "").strip()
    model = child.get("type")
    if model is None:
        return {"distortion_model": text}
    try:
        numbers = tuple(map(float, text.split()))
    except ValueError:
        numbers = (math.nan,)
    if not all(map(math.isfinite, numbers)):
        context.warn(
            f"<{child.tag}> holds {text[:60]!r}, expected the model's coefficients; "
            "it is ignored",
            child,
            "write for example <distortion_model type='plumb_bob'>0.1 0 0 0 0"
            "</distortion_model>",
        )
        return {}
    found: dict[str, Any] = {"distortion_model": model.strip()}
    return found | ({"distortion_coeffs": numbers} if numbers else {})


def read_lens(
    _kind: Any, child: Any, values: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Read ``<kk>`` or ``<intrinsic>``; of both the later one counts."""
    one = _KK if child.tag.lower() == "kk" else _INTRINSIC
    numbers = read_numbers(one, (child.text or "").strip(), child, context)
    if numbers is None:
        return {}
    if one is _KK:
        return {"kk": numbers} | ({"skew": 0.0} if "skew" in values else {})
    fx, skew, cx, _, fy, cy = numbers
    found = {"kk": (fx, fy, cx, cy)}
    return found | ({"skew": skew} if skew or "skew" in values else {})


def read_period(
    _kind: Any, child: Any, values: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Read the time between images; a frame rate counts before it."""
    between = read_numbers(_PERIOD, (child.text or "").strip(), child, context)
    return {"framerate": 1.0 / between} if between and "framerate" not in values else {}


@dataclass(frozen=True, repr=False)
class CameraGeometry(FileGeometry):
    """Lens, image and exposure of a camera, and what is made of a view."""

    title = "a camera"
    custom: ClassVar[Mapping[str, CustomReader]] = {
        "kk": read_lens,
        "intrinsic": read_lens,
        "measurement_time": read_period,
        "image_dimensions": several("width", "height", "channels", optional=1),
        "distortion_model": read_distortion_model,
    }

    # fmt: off
    kk: tuple[float, float, float, float] | None = setting(
        None, example="640 640 320 240", unit="pixels", shown="",
        doc="fx fy cx cy; whole numbers are the middles of pixels")
    skew: float = setting(
        0.0, example="0.1", unit="pixels",
        doc="that a column moves per unit of y / z; also in `<intrinsic>`: fx skew cx "
        "0 fy cy")
    focal_length: float = setting(
        0.01, example="0.01", above=0.0, unit="metres", doc="of the lens; only kept")
    distortion_model: str = setting(
        "", example="plumb_bob",
        doc="`plumb_bob`, `rational_polynomial`, `equidistant`; also `radtan`, "
        "`fisheye`")
    distortion_coeffs: tuple[float, ...] = setting(
        (), example="0.1 0 0 0 0",
        doc="k1 k2 p1 p2 k3; k1 k2 p1 p2 k3 k4 k5 k6; k1 k2 k3 k4")
    width: int = setting(640, example="640", above=0, unit="pixels", doc="columns")
    height: int = setting(480, example="480", above=0, unit="pixels", doc="rows")
    channels: int = setting(
        3, example="3", choices=(1, 3), doc="3 is red green blue, 1 the luminance")
    format: str = setting(
        "uint8", example="uint8", choices=_FORMATS,
        doc="`uint8`, `uint16`, `uint32`, `int8`, `int16`, `int32`: white is the "
        "largest number; `float32`, `float64`: white is 1")
    gain: float = setting(1.0, example="1", least=0.0, doc="factor of the light")
    framerate: float = setting(
        5.0, example="5", above=0.0, unit="images a second",
        doc="of simulated time; `<measurement_time>` is the time between them")
    exposure_time: float = setting(
        0.0, example="0.01", least=0.0, unit="seconds",
        doc="that one image takes; it ends at the stamp")
    target_region: str = setting(
        "", example="#part", attribute="url", doc="kept for planners")
    sensor_reference: str = setting(
        "", example="#camera", attribute="url", doc="kept")
    # fmt: on
    options: CameraOptions = _OPTIONS
    noise: RangeNoise = NO_NOISE

    def conflict(self) -> Conflict | None:
        """Return values of which no lens, or no image, can be made."""
        plain = type(self)()
        for names in _TOGETHER:
            part = {
                name: getattr(self, name)
                for name in names
                if getattr(self, name) != getattr(plain, name)
            }
            if not part:
                continue
            try:
                made = replace(plain, **part)
                check_image_size(made.width, made.height)
                made.lens  # noqa: B018 - is it one?
            except ArgumentError as error:
                return Conflict(tuple(reversed(part)), str(error))
        return None

    @property
    def lens(self) -> Lens:
        """The lens.

        Without focal lengths they are the image's width, and the principal point is the
        middle. Without a distortion model its name follows from the coefficients: up to
        five are ``plumb_bob``, up to eight ``rational_polynomial``.

        Raises
        ------
        ArgumentError
            There is no such lens.
        """
        model, coefficients = self.distortion_model.strip(), self.distortion_coeffs
        if not model and coefficients:
            model = "plumb_bob" if len(coefficients) <= 5 else "rational_polynomial"
        place = self.kk
        if place is None:
            plain = Lens.centred(self.width, self.height, self.width)
            place = (plain.fx, plain.fy, plain.cx, plain.cy)
        if not model:
            return Lens(*place, self.skew)
        return DistortedLens(*place, self.skew, model, coefficients)
