"""Settings of cameras, and the lens that they describe."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from pyrave.errors import ArgumentError
from pyrave.geometry import Lens
from pyrave.geometry.camera import check_image_size
from pyrave.sensing.geometry import CameraGeometry
from pyrave_sensors.optics.camera_options import CameraOptions
from pyrave_sensors.optics.lens import DistortedLens
from pyrave_sensors.ranges.noise import NO_NOISE, RangeNoise
from pyrave_sensors.settings.fields import (
    Conflict,
    CustomReader,
    ReaderContext,
    SensorSettings,
    setting,
)
from pyrave_sensors.settings.xml import several

_FORMATS = (
    "uint8", "uint16", "uint32", "int8", "int16", "int32", "float32", "float64",
)  # fmt: skip
_WIDTH, _HEIGHT = 640, 480
_FRAMERATE = 5.0
_OPTIONS = CameraOptions()
# checked together; the last one that is given is to blame
_TOGETHER = (
    ("kk",),
    ("intrinsic",),
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


@dataclass(frozen=True)
class CameraSettings(SensorSettings):
    """Settings of cameras."""

    title = "a camera"
    geometry_type = CameraGeometry
    custom: ClassVar[Mapping[str, CustomReader]] = {
        "image_dimensions": several("width", "height", "channels", optional=1),
        "distortion_model": read_distortion_model,
    }

    # fmt: off
    kk: tuple[float, float, float, float] | None = setting(
        None, example="640 640 320 240", unit="pixels", shown="", doc="fx fy cx cy")
    intrinsic: tuple[float, float, float, float, float, float] | None = setting(
        None, example="640 0 320 0 640 240", unit="pixels", shown="",
        doc="fx skew cx 0 fy cy; of both tags the later one counts")
    focal_length: float = setting(
        0.01, example="0.01", above=0.0, unit="metres", doc="of the lens; only kept")
    distortion_model: str = setting(
        "", example="plumb_bob",
        doc="`plumb_bob`, `rational_polynomial`, `equidistant`; also `radtan`, "
        "`fisheye`")
    distortion_coeffs: tuple[float, ...] = setting(
        (), example="0.1 0 0 0 0",
        doc="k1 k2 p1 p2 k3; k1 k2 p1 p2 k3 k4 k5 k6; k1 k2 k3 k4")
    width: int | None = setting(
        None, example="640", above=0, unit="pixels", shown="",
        doc="columns; 640 unless given")
    height: int | None = setting(
        None, example="480", above=0, unit="pixels", shown="",
        doc="rows; 480 unless given")
    channels: int = setting(
        3, example="3", choices=(1, 3), doc="3 is red green blue, 1 the luminance")
    format: str = setting(
        "uint8", example="uint8", choices=_FORMATS,
        doc="`uint8`, `uint16`, `uint32`, `int8`, `int16`, `int32`: white is the "
        "largest number; `float32`, `float64`: white is 1")
    gain: float = setting(1.0, example="1", least=0.0, doc="factor of the light")
    framerate: float | None = setting(
        None, example="5", above=0.0, unit="images a second", shown="5",
        doc="of simulated time")
    measurement_time: float | None = setting(
        None, example="0.2", least=0.0, unit="seconds", shown="",
        doc="between images, unless `framerate` is given")
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

    @classmethod
    def completed(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return a file's values with one description of the lens: the later."""
        both = [name for name in given if name in {"kk", "intrinsic"}]
        for name in both[:-1]:
            del given[name]
        return given

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
                made = replace(plain, **part).geometry()
                check_image_size(*image_size(made))
                lens_of(made)
            except ArgumentError as error:
                return Conflict(tuple(reversed(part)), str(error))
        return None

    def geometry(self) -> CameraGeometry:
        """Return the geometry with these values."""
        made: CameraGeometry = SensorSettings.geometry(self)
        k = made.intrinsics
        if self.kk is not None:
            k.fx, k.fy, k.cx, k.cy = self.kk
        elif self.intrinsic is not None:
            k.fx, k.skew, k.cx, _, k.fy, k.cy = self.intrinsic
        k.focal_length = self.focal_length
        k.distortion_model = self.distortion_model
        k.distortion_coeffs = self.distortion_coeffs
        if self.framerate is None:
            made.framerate = _implied_rate(self.measurement_time)
        return made

    def with_geometry(self, geometry: Any) -> Self:
        """Return settings with the values of a geometry."""
        k = geometry.intrinsics
        given = (k.fx, k.fy, k.cx, k.cy, k.skew) != (0.0,) * 5
        new = replace(
            SensorSettings.with_geometry(self, geometry),
            width=geometry.width or None,
            height=geometry.height or None,
            kk=(k.fx, k.fy, k.cx, k.cy) if given and k.skew == 0 else None,
            intrinsic=(k.fx, k.skew, k.cx, 0.0, k.fy, k.cy) if k.skew != 0 else None,
            focal_length=k.focal_length,
            distortion_model=k.distortion_model,
            distortion_coeffs=k.distortion_coeffs,
        )
        if new.measurement_time == CameraGeometry().measurement_time:
            new = replace(new, measurement_time=None)
        if new.framerate == _implied_rate(new.measurement_time):
            new = replace(new, framerate=None)
        return new


def _implied_rate(between: float | None) -> float:
    """Return the images per second that a time between images means."""
    return 1.0 / between if between else _FRAMERATE


def image_size(geometry: CameraGeometry) -> tuple[int, int]:
    """Return width and height, pixels; 640 x 480 by default."""
    return geometry.width or _WIDTH, geometry.height or _HEIGHT


def lens_of(geometry: CameraGeometry) -> Lens:
    """Return the lens of a camera.

    Without focal lengths they are the image's width, and the principal point is the
    middle. Without a distortion model its name follows from the coefficients: up to
    five are ``plumb_bob``, up to eight ``rational_polynomial``.
    """
    k = geometry.intrinsics
    width, height = image_size(geometry)
    model = k.distortion_model.strip()
    if not model and k.distortion_coeffs:
        model = "plumb_bob" if len(k.distortion_coeffs) <= 5 else "rational_polynomial"
    if k.fx == 0 and k.fy == 0:
        plain = Lens.centred(width, height, width)
        place = (plain.fx, plain.fy, plain.cx, plain.cy)
    else:
        place = (k.fx, k.fy, k.cx, k.cy)
    if not model:
        return Lens(*place, k.skew)
    return DistortedLens(*place, k.skew, model, k.distortion_coeffs)
