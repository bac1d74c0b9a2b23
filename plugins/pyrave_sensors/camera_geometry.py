"""What cameras are like: geometry, lens, and how files say both."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from pyrave.errors import ArgumentError
from pyrave.geometry import Lens
from pyrave.geometry.camera import check_image_size
from pyrave.interfaces.sensor_geometry import CameraGeometry

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FORMATS",
    "check_camera",
    "fill_camera",
    "image_size",
    "lens_of",
    "lens_of_values",
    "values_of_camera",
]

G = TypeVar("G", bound=CameraGeometry)

FORMATS = (
    "uint8", "uint16", "uint32", "int8", "int16", "int32", "float32", "float64",
)  # fmt: skip
"""Types that an image's numbers may have."""

# what a camera has about which nothing is said
_WIDTH, _HEIGHT = 640, 480
_PLAIN = (
    "width", "height", "channels", "format", "gain", "measurement_time",
    "exposure_time", "target_region", "sensor_reference",
)  # fmt: skip
_FRAMERATE = 5.0


def image_size(geometry: CameraGeometry) -> tuple[int, int]:
    """Return width and height, pixels; 640 x 480 where nothing is said."""
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
    return Lens(*place, k.skew, model, k.distortion_coeffs)


def check_camera(geometry: CameraGeometry) -> None:
    """Raise ArgumentError if a geometry makes no sense."""
    if min(geometry.width, geometry.height) < 0:
        raise ArgumentError(
            f"the image has {geometry.width} x {geometry.height} pixels, expected "
            "positive numbers, or 0 for the default"
        )
    check_image_size(*image_size(geometry))
    lens_of(geometry)
    if geometry.format not in FORMATS:
        raise ArgumentError(
            f"the format is {geometry.format!r}, expected one of {', '.join(FORMATS)}"
        )
    if geometry.channels not in {1, 3}:
        raise ArgumentError(f"channels is {geometry.channels!r}, expected 1 or 3")
    for name, least in _LEAST.items():
        value = getattr(geometry, name)
        if not (least <= value < math.inf) or (least and value == 0):
            raise ArgumentError(f"{name} is {value!r}, expected {least:g} or more")


_LEAST = {
    "gain": 0.0,
    "measurement_time": 0.0,
    "exposure_time": 0.0,
    # slower would be a mistake in the unit
    "framerate": 1e-6,
}


def fill_camera(geometry: G, values: Mapping[str, Any]) -> G:
    """Set what a file says about a camera, and return its geometry."""
    k = geometry.intrinsics
    for name, value in values.items():
        # the later one counts, as in OpenRAVE
        if name == "kk":
            k.fx, k.fy, k.cx, k.cy = value
            k.skew = 0.0
        elif name == "intrinsic":
            k.fx, k.skew, k.cx, _, k.fy, k.cy = value
    k.focal_length = values.get("focal_length", k.focal_length)
    k.distortion_model = values.get("distortion_model", k.distortion_model)
    k.distortion_coeffs = tuple(values.get("distortion_coeffs", k.distortion_coeffs))
    for name in _PLAIN:
        if name in values:
            setattr(geometry, name, values[name])
    geometry.framerate = values.get("framerate", _framerate(values))
    return geometry


def _framerate(values: Mapping[str, Any]) -> float:
    """Return what the time between images makes of the rate."""
    between: float | None = values.get("measurement_time")
    return 1.0 / between if between else _FRAMERATE


def lens_of_values(values: Mapping[str, Any]) -> Lens:
    """Return the lens that a file's values mean; raise ArgumentError if none."""
    geometry = fill_camera(CameraGeometry(), values)
    check_image_size(*image_size(geometry))
    return lens_of(geometry)


def values_of_camera(geometry: CameraGeometry, plain: CameraGeometry) -> dict[str, Any]:
    """Return a geometry as values of a file; None where it is as in `plain`."""
    k = geometry.intrinsics
    values: dict[str, Any] = {}
    said = (k.fx, k.fy, k.cx, k.cy, k.skew) != (0.0,) * 5
    values["kk"] = (k.fx, k.fy, k.cx, k.cy) if said and k.skew == 0 else None
    values["intrinsic"] = (
        (k.fx, k.skew, k.cx, 0.0, k.fy, k.cy) if said and k.skew != 0 else None
    )
    for name in ("focal_length", "distortion_model", "distortion_coeffs"):
        value = getattr(k, name)
        values[name] = None if value == getattr(plain.intrinsics, name) else value
    for name in _PLAIN:
        value = getattr(geometry, name)
        values[name] = None if value == getattr(plain, name) else value
    implied = _framerate(values)
    values["framerate"] = None if geometry.framerate == implied else geometry.framerate
    return values
