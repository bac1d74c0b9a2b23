"""Settings of pyrave's sensors from elements of URDF and SDFormat.

Numbers stand in attributes (URDF) or in elements (SDFormat). What a sensor of a kind
has no setting for is data alone: `pyrave_urdf.vocabulary` says which elements act.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyrave.formats.numbers import plain_float

if TYPE_CHECKING:
    from collections.abc import Iterable

Number = Callable[..., "float | None"]
Warn = Callable[[Any, str, str], None]
Settings = dict[str, str]
"""Texts by the tags of pyrave's sensors."""

_IMAGE = 1.0, 1e5
_VIEW = 1e-9, math.nextafter(math.pi, 0.0)
_MAX_BEAMS = 1024.0
_ANY = -math.inf, math.inf
_INFINITE = ("inf", "infinity")
_AXES = "xyz"
RAYS = frozenset({"ray", "lidar"})
_OUTPUTS = (
    ("rgbd", "color depth"),
    ("depth_camera", "depth"),
    ("depth", "color depth"),
    ("segment", "segmentation"),
)
"""Images of cameras of other kinds than ``camera``, by words in their types."""
_GRAY = ("l8", "l16", "l_int", "r_float", "mono")
# the setting that an update rate becomes
_PERIODS = {
    "BaseCamera": "framerate",
    "BaseLaser2D": "scantime",
    "MultiBeamLidar": "scantime",
    "BaseIMU": "measurement_time",
    "BaseForce6D": "measurement_time",
}


def settings_of(element: Any, number: Number) -> tuple[str, Settings] | None:
    """Return (interface, settings) of a ``<sensor>``, None if pyrave has none such.

    Parameters
    ----------
    number
        Reads numbers, as those of `number_reader` do.
    """
    kind = (element.get("type") or "").strip().lower()
    camera = element.find("camera")
    ray = next((one for one in element if one.tag in RAYS), None)
    if camera is not None and "thermal" not in kind:
        interface, settings = "BaseCamera", _camera(camera, kind, number)
    elif ray is not None:
        interface, settings = _scanner(ray, number)
    elif kind == "imu":
        interface, settings = "BaseIMU", _imu(element.find("imu"), number)
    elif kind == "force_torque":
        interface, settings = (
            "BaseForce6D",
            _force(element.find("force_torque"), number),
        )
    else:
        return None
    rate = number(element, "update_rate")
    if rate is not None and rate > 0.0:
        tag = _PERIODS[interface]
        settings[tag] = repr(rate if tag == "framerate" else 1.0 / rate)
    # there is no element that switches one off: simulators run them
    settings["power"] = "1"
    return interface, settings


# -- cameras ---------------------------------------------------------------------------


def _camera(camera: Any, kind: str, number: Number) -> Settings:
    """Return the settings of a camera."""
    found: Settings = {}
    width = number(camera, "image", "width", between=_IMAGE)
    height = number(camera, "image", "height", between=_IMAGE)
    if width is not None and height is not None:
        found["width"], found["height"] = str(int(width)), str(int(height))
        found |= _lens(camera, width, height, number)
    if text(camera, "image", "format").lower().startswith(_GRAY):
        found["channels"] = "1"
    far = (
        number(camera, "clip", "far")
        or number(camera, "image", "far")
        or number(camera, "depth_camera", "clip", "far")
    )
    if far is not None and far > 0.0:
        found["max_range"] = repr(far)
    outputs = next((made for word, made in _OUTPUTS if word in kind), None)
    if outputs is None and camera.find("depth_camera") is not None:
        outputs = "color depth"
    if outputs is not None:
        found["outputs"] = outputs
    spread = number(camera, "noise", "stddev")
    if spread is not None and spread > 0.0:
        depth_alone = outputs == "depth"
        found["noise_sigma" if depth_alone else "noise_gaussian"] = repr(spread)
    return found | _distortion(camera, number)


def _lens(camera: Any, width: float, height: float, number: Number) -> Settings:
    """Return the intrinsics: as given, else of square pixels and an angle of view."""
    names = ("fx", "fy", "cx", "cy")
    given = [number(camera, "lens", "intrinsics", name) for name in names]
    if all(one is not None for one in given):
        fx, fy, cx, cy = (one or 0.0 for one in given)
        skew = number(camera, "lens", "intrinsics", "s") or 0.0
        if fx > 0.0 and fy > 0.0 and not skew:
            return {"kk": _row((fx, fy, cx, cy))}
        if fx > 0.0 and fy > 0.0:
            return {"intrinsic": _row((fx, skew, cx, 0.0, fy, cy))}
    angle = number(camera, "horizontal_fov", between=_VIEW)
    angle = angle or number(camera, "image", "hfov", between=_VIEW)
    if angle is None:
        return {}
    focal = 0.5 * width / math.tan(0.5 * angle)
    return {"kk": _row((focal, focal, 0.5 * width, 0.5 * height))}


def _distortion(camera: Any, number: Number) -> Settings:
    names = ("k1", "k2", "p1", "p2", "k3")
    given = [number(camera, "distortion", name) or 0.0 for name in names]
    if not any(given):
        return {}
    return {"distortion_model": "plumb_bob", "distortion_coeffs": _row(given)}


# -- scanners --------------------------------------------------------------------------


def _scanner(ray: Any, number: Number) -> tuple[str, Settings]:
    """Return the interface and settings of a scanner: one plane of rays, or several."""
    scan = ray.find("scan")
    scan = ray if scan is None else scan
    found: Settings = {}
    low = number(scan, "horizontal", "min_angle")
    high = number(scan, "horizontal", "max_angle")
    samples = number(scan, "horizontal", "samples")
    density = number(scan, "horizontal", "resolution")
    if samples is not None and density is not None and density > 0.0:
        samples = round(samples * density)  # ranges between rays are ranges, too
    if low is not None and high is not None and low < high:
        found["minangle"] = repr(math.degrees(low))
        found["maxangle"] = repr(math.degrees(high))
        if samples is not None and samples > 1.0:
            found["resolution"] = repr(math.degrees(high - low) / (samples - 1.0))
    for tag, name in (("minrange", "min"), ("maxrange", "max")):
        value = number(ray, "range", name)
        if value is not None and value >= 0.0:
            found[tag] = repr(value)
    found |= _errors_of_ranges(ray, number)
    beams = number(scan, "vertical", "samples")
    if beams is None or not 1.0 < beams <= _MAX_BEAMS:
        return "BaseLaser2D", found
    low = math.degrees(number(scan, "vertical", "min_angle") or 0.0)
    high = math.degrees(number(scan, "vertical", "max_angle") or 0.0)
    step = (high - low) / (int(beams) - 1)
    found["elevations"] = _row(low + i * step for i in range(int(beams)))
    return "MultiBeamLidar", found


def _errors_of_ranges(ray: Any, number: Number) -> Settings:
    found = {}
    spread = number(ray, "noise", "stddev")
    if spread is not None and spread > 0.0:
        found["noise_sigma"] = repr(spread)
    bias = _sum(number(ray, "noise", name) for name in ("mean", "bias_mean"))
    if bias:
        found["noise_bias"] = repr(bias)
    step = number(ray, "range", "resolution")
    if step is not None and step > 0.0:
        found["noise_quantisation"] = repr(step)
    return found


# -- inertial and force sensors --------------------------------------------------------

# parts of an `<imu>`: SDFormat's of today and of before, and their covariances
_IMU = {
    "angular_velocity_covariance": ("angular_velocity", "noise/rate"),
    "linear_acceleration_covariance": ("linear_acceleration", "noise/accel"),
}


def _imu(imu: Any, number: Number) -> Settings:
    """Return the settings of an inertial sensor: its noise, of each measurement."""
    found = {}
    for tag, (new, old) in _IMU.items():
        spreads = [0.0] * 3
        if imu is not None:
            same = number(imu, *old.split("/"), "stddev")
            for k, axis in enumerate(_AXES):
                own = number(imu, new, axis, "noise", "stddev")
                spreads[k] = (same if own is None else own) or 0.0
        if any(spreads):
            rows = [0.0] * 9
            rows[::4] = [one * one for one in spreads]
            found[tag] = _row(rows)
    if found:
        found["draw_covariances"] = "1"
    return found


def _force(sensor: Any, number: Number) -> Settings:
    """Return the settings of a force-torque sensor: its sign and its noise."""
    found: Settings = {}
    if sensor is None:
        return found
    if text(sensor, "measure_direction").lower() == "parent_to_child":
        found["polarity"] = "-1"
    for tag in ("force", "torque"):
        # one number stands for the three axes
        spreads = [
            number(sensor, tag, axis, "noise", "stddev") or 0.0 for axis in _AXES
        ]
        if max(spreads) > 0.0:
            found[f"{tag}_sigma"] = repr(max(spreads))
    return found


# -- texts and numbers -----------------------------------------------------------------


def text(element: Any, *path: str) -> str:
    """Return the text of an attribute (URDF) or a child (SDFormat), or empty."""
    for tag in path[:-1]:
        element = element.find(tag)
        if element is None:
            return ""
    given = element.get(path[-1])
    return str((element.findtext(path[-1]) if given is None else given) or "").strip()


def number_reader(warn: Warn) -> Number:
    """Return a function that reads numbers of elements, and warns of wrong ones.

    Its arguments are an element, the path below it, and ``between`` for the least and
    the greatest value. It returns None where nothing stands, or nothing that is right.
    """

    def read(
        element: Any, *path: str, between: tuple[float, float] = _ANY
    ) -> float | None:
        words = text(element, *path).split()
        found = finite_numbers(words)
        if len(found) == 1 and between[0] <= found[0] <= between[1]:
            return found[0]
        if words and words[-1].lstrip("+-").lower() not in _INFINITE:
            named = element.find("/".join(path))
            low, high = between
            wanted = "" if between == _ANY else f" from {low:g} to {high:g}"
            warn(
                element if named is None else named,
                "bad-number",
                f"{path[-1]} of a sensor is {' '.join(words)!r}, expected one number"
                f"{wanted}; it is ignored",
            )
        return None

    return read


def finite_numbers(words: Iterable[str]) -> list[float]:
    """Return words as numbers, none if one is no finite number."""
    try:
        found = [plain_float(word) for word in words]
    except ValueError:
        return []
    return found if all(map(math.isfinite, found)) else []


def _sum(values: Iterable[float | None]) -> float:
    return sum(value or 0.0 for value in values)


def _row(values: Iterable[float]) -> str:
    return " ".join(map(repr, values))
