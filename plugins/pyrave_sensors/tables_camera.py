"""Tags of the built-in cameras: OpenRAVE's, COLLADA's, and those of pyrave."""

from __future__ import annotations

import math
import re
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from pyrave.errors import ArgumentError
from pyrave_sensors.camera_geometry import FORMATS, lens_of_values
from pyrave_sensors.camera_options import CameraOptions
from pyrave_sensors.settings import Kind, ReaderContext, Setting, SettingTable
from pyrave_sensors.stereo_parts import read_stereo_part
from pyrave_sensors.tables_laser import RANGE_NOISE

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CAMERA", "STEREO_CAMERA"]

_SECONDS = "seconds"
# no more digits than an image has pixels
_PIXELS = re.compile("[0-9]{1,9}")
_LENS = (
    Setting("kk", ("kk",), "640 640 320 240", Kind.NUMBERS, count=4, unit="pixels"),
    Setting(
        "intrinsic",
        ("intrinsic",),
        "640 0 320 0 640 240",
        Kind.NUMBERS,
        count=6,
        unit="pixels",
    ),
    Setting("focal_length", ("focal_length",), "0.01", above=0.0, unit="metres"),
    Setting("distortion_model", ("distortion_model",), "plumb_bob", Kind.TEXT),
    Setting("distortion_coeffs", ("distortion_coeffs",), "0.1 0 0 0 0", Kind.NUMBERS),
)
_IMAGE = (
    Setting("width", ("width",), "640", Kind.INTEGER, above=0, unit="pixels"),
    Setting("height", ("height",), "480", Kind.INTEGER, above=0, unit="pixels"),
    Setting("channels", ("channels",), "3", Kind.INTEGER, above=0),
    Setting("format", ("format",), "uint8", Kind.TEXT, choices=FORMATS),
    Setting("gain", ("gain",), "1", least=0.0),
    Setting("framerate", ("framerate",), "5", above=0.0, unit="images a second"),
    Setting("measurement_time", ("measurement_time",), "0.2", least=0.0, unit=_SECONDS),
    Setting("exposure_time", ("exposure_time",), "0.01", least=0.0, unit=_SECONDS),
    Setting("target_region", ("target_region",), "#part", Kind.TEXT, attribute="url"),
    Setting(
        "sensor_reference", ("sensor_reference",), "#camera", Kind.TEXT, attribute="url"
    ),
)
_OPTIONS = (
    Setting("outputs", ("outputs",), "color depth", Kind.TEXT),
    Setting("shadows", ("shadows",), "1", Kind.SWITCH),
    Setting("samples", ("samples",), "2", Kind.INTEGER, above=0, most=8),
    Setting("exposure_samples", ("exposure_samples",), "8", Kind.INTEGER, above=0),
    Setting("max_range", ("max_range",), "1000", above=0.0, unit="metres"),
    Setting("see_invisible", ("see_invisible",), "1", Kind.SWITCH),
    Setting("include_robot", ("include_robot",), "0", Kind.SWITCH),
    Setting("noise_gaussian", ("noise_gaussian",), "0.01", least=0.0),
    Setting("noise_shot", ("noise_shot",), "0.01", least=0.0),
    Setting("background", ("background",), "0.5 0.7 0.9", Kind.NUMBERS, count=3),
    Setting("lamps", ("lamps",), "0 0 1 0 0.6 0.6 0.6", Kind.NUMBERS),
)


def _image_dimensions(
    child: Any, _: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Read width, height and, if there is a third number, channels."""
    words = (child.text or "").split()
    numbers = [int(word) for word in words if _PIXELS.fullmatch(word)]
    if len(numbers) < 2 or len(numbers) != len(words) or min(numbers[:2]) < 1:
        context.warn(
            f"<{child.tag}> holds {(child.text or '').strip()[:60]!r}, expected width "
            "and height in pixels, and the number of channels; it is ignored",
            child,
            f"write for example <{child.tag}>640 480 3</{child.tag}>",
        )
        return {}
    found: dict[str, Any] = {"width": numbers[0], "height": numbers[1]}
    if len(numbers) > 2:
        found["channels"] = numbers[2]
    return found


def _distortion_model(
    child: Any, _: Mapping[str, Any], context: ReaderContext
) -> dict[str, Any]:
    """Read a model's name, or its coefficients if the name is in an attribute."""
    text = (child.text or "").strip()
    model = child.get("type")
    if model is None:
        return {"distortion_model": text}
    found: dict[str, Any] = {"distortion_model": model.strip()}
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
    return found | ({"distortion_coeffs": numbers} if numbers else {})


def _wrong(values: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return which value of a camera makes no sense, and why."""
    if values.get("channels", 3) not in {1, 3}:
        return "channels", f"an image of {values['channels']} channels is not known"
    for name in _OPTION_NAMES & values.keys():
        try:
            CameraOptions.of_values({name: values[name]})
        except ArgumentError as error:
            return name, str(error)
    for names in _TOGETHER:
        if any(name in values for name in names):
            part = {name: values[name] for name in names if name in values}
            try:
                lens_of_values(part)
            except ArgumentError as error:
                return next(reversed(part)), str(error)
    return None


def _wrong_stereo(values: Mapping[str, Any]) -> tuple[str, str] | None:
    if len(values.get("instance_sensor", (0, 0))) == 1:
        why = "<instance_sensor> names one camera, expected two or none"
        return "instance_sensor", why
    return _wrong(values)


# what is wrong about them is said about the last one that is there
_TOGETHER = (
    ("kk",),
    ("intrinsic",),
    ("height", "width"),
    ("distortion_model",),
    ("distortion_model", "distortion_coeffs"),
)
_OPTION_NAMES = {item.name for item in fields(CameraOptions)}
_CUSTOM = {
    "image_dimensions": _image_dimensions,
    "distortion_model": _distortion_model,
}

CAMERA = SettingTable(
    "a camera", (*_LENS, *_IMAGE, *_OPTIONS, *RANGE_NOISE), check=_wrong, custom=_CUSTOM
)
STEREO_CAMERA = SettingTable(
    "a stereo camera",
    (
        *_LENS,
        *_IMAGE,
        *_OPTIONS,
        *RANGE_NOISE,
        Setting("baseline", ("baseline",), "0.1", above=0.0, unit="metres"),
        Setting("instance_sensor", ("instance_sensor",), "", Kind.TEXT),
    ),
    check=_wrong_stereo,
    custom={**_CUSTOM, "instance_sensor": read_stereo_part},
)
