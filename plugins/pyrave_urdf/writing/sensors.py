"""Sensors of written URDF: those that no kept element says, as Gazebo's."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats import Diagnostics, ReadContext
from pyrave.scene import same
from pyrave_urdf.reading.document import open_document
from pyrave_urdf.reading.elements.gazebo import blocks_of
from pyrave_urdf.reading.elements.sensor_settings import finite_numbers
from pyrave_urdf.reading.elements.sensors import OPTICAL, read_sensors
from pyrave_urdf.reading.load import UrdfReading
from pyrave_urdf.writing.kept import plain_xml
from pyrave_urdf.writing.numbers import add, numbers, rpy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyrave.formats import Losses
    from pyrave.scene import AttachedSensorDescription, Pose
    from pyrave_urdf.writing.tree import WrittenJoint

_KINDS = {
    "basecamera": "camera",
    "baselaser2d": "ray",
    "multibeamlidar": "ray",
    "baseimu": "imu",
    "baseforce6d": "force_torque",
}
_CAMERAS = {
    "color depth": "depth",
    "depth": "depth_camera",
    "segmentation": "segmentation",
}
"""Types of cameras by what they deliver; all others are plain ones."""
_INTRINSIC = ("fx", "s", "cx", "", "fy", "cy")
_KK = ("fx", "fy", "cx", "cy")
_BROWN = ("", "plumb_bob", "radtan")
_BROWN_COEFFICIENTS = ("k1", "k2", "p1", "p2", "k3")
_CARRIED = ("always_on", "visualize", "topic", "plugin")
"""Elements that stay of a sensor that was changed after reading."""
_COVARIANCE = 9
_OFF = ("0", "false")
_MAX_SAMPLES = 1e9
_LOST = "sensors of kinds that URDF has no elements for are not written"
_CHANGED = "settings of sensors that Gazebo's elements do not have are not written"


def add_sensors(
    robot: Any,
    sensors: Sequence[AttachedSensorDescription],
    joints: Mapping[str, WrittenJoint],
    reading: ReadContext,
    losses: Losses,
) -> None:
    """Append what the elements that are there already do not say of the sensors."""
    links = {one.get("name"): one for one in robot.iterchildren("link")}
    said = {_key(one): one for one in _read(robot, links, joints, reading)}
    for sensor in sensors:
        before, old = said.get(_key(sensor)), None
        if before is not None:
            there = same(before.pose, sensor.pose)
            if there and _lasting(before) == _lasting(sensor):
                continue
            old = _element(robot, sensor.name)
            if old is None:
                continue
        kind = _KINDS.get(sensor.interface.partition(" ")[0].lower())
        if kind is None or not sensor.name:
            losses.add(_LOST, sensor.name)
        else:
            if old is None:
                block = add(robot, "gazebo", reference=sensor.link)
            else:
                block = old.getparent()
            words, settings = _words(sensor), _settings(sensor)
            element = _begun(block, kind, sensor)
            if kind == "camera":
                outputs = " ".join(words.get("outputs", "color").split())
                element.set("type", _CAMERAS.get(outputs, kind))
                model = words.get("distortion_model", "").strip().lower()
                lens = settings.get("distortion_coeffs", [])
                if model not in _BROWN or len(lens) > len(_BROWN_COEFFICIENTS):
                    settings.pop("distortion_coeffs", None)
            _SENSOR[kind](element, settings)
            if old is not None:
                element.extend(old.iterchildren(*_CARRIED))
                block.replace(old, element)
    written = {one.name: one for one in _read(robot, links, joints, reading)}
    for sensor in sensors:
        found = written.get(sensor.name)
        if found is not None and not _is_alike(found, sensor):
            losses.add(_CHANGED, sensor.name)


def in_order(
    robot: Any,
    blocks: Sequence[Any],
    sensors: Sequence[AttachedSensorDescription],
    joints: Mapping[str, WrittenJoint],
    reading: ReadContext,
) -> list[Any]:
    """Return ``<gazebo>`` blocks in an order that gives the sensors in theirs.

    Blocks of one link or joint keep their order.

    Parameters
    ----------
    robot
        The ``<robot>``, whose own ``<sensor>`` elements are read first.
    """
    links = {one.get("name"): one for one in robot.iterchildren("link")}
    said = {_key(one) for one in _read(robot, links, joints, reading)}
    claimed = {place for place, one in enumerate(sensors) if _key(one) in said}
    reached: dict[str, int] = {}

    def claim(element: Any, link: str) -> int:
        name = "_".join((element.get("name") or "").split())
        for place, sensor in enumerate(sensors):
            fits = f"{sensor.name}_".startswith(f"{name}_")
            if fits and link == sensor.link and place not in claimed:
                claimed.add(place)
                return place
        return -1

    places = []
    for block in blocks:
        owner = block.get("reference")
        is_joint = owner in joints and owner not in links
        link = joints[owner].child if is_joint else owner
        for element in block.iterchildren("sensor"):
            reached[owner] = max(reached.get(owner, -1), claim(element, link))
        places.append(reached.get(owner, -1))
    order = sorted(range(len(blocks)), key=lambda number: places[number])
    return [blocks[number] for number in order]


def _element(robot: Any, name: str) -> Any:
    """Return the one ``<sensor>`` of a name in Gazebo's blocks, or None."""
    found = [
        one
        for one in robot.iterfind("gazebo/sensor")
        if "_".join((one.get("name") or "").split()) == name
    ]
    return found[0] if len(found) == 1 else None


def _key(sensor: AttachedSensorDescription) -> tuple[str, str, str]:
    return sensor.name, sensor.link, sensor.interface


def _read(
    robot: Any,
    links: Mapping[str, Any],
    joints: Mapping[str, Any],
    reading: ReadContext,
) -> list[AttachedSensorDescription]:
    """Return the sensors that the reader finds."""
    document = open_document(etree.tostring(robot, encoding="utf-8"), "<written>")
    context = replace(reading, diagnostics=Diagnostics())
    again = UrdfReading(context, document, None)
    root = document.root
    return list(read_sensors(root, blocks_of(root), links, joints, again))


def _is_alike(
    found: AttachedSensorDescription, wanted: AttachedSensorDescription
) -> bool:
    """Return True if a sensor is read back, wherever it is and whether it is on."""
    same = replace(found, pose=wanted.pose, readables=wanted.readables) == wanted
    return same and _lasting(found) == _lasting(wanted)


def _lasting(sensor: AttachedSensorDescription) -> list[Any]:
    """Return a sensor's data but for what switches it on, as all of URDF are."""
    found: list[Any] = []
    for key, readable in sensor.readables:
        xml = plain_xml(readable)
        if xml is None:
            found.append((key, readable))
            continue
        kept = [
            child
            for child in xml.children
            if child.tag.lower() != "power" or child.text.strip() in _OFF
        ]
        found.append((key, replace(xml, children=tuple(kept))))
    return found


def _words(sensor: AttachedSensorDescription) -> dict[str, str]:
    """Return the texts that a sensor's data says, by tag."""
    found: dict[str, str] = {}
    for _, readable in sensor.readables:
        xml = plain_xml(readable)
        for child in () if xml is None else xml.children:
            found[child.tag.lower()] = child.text
    return found


def _settings(sensor: AttachedSensorDescription) -> dict[str, list[float]]:
    """Return the numbers that a sensor's data says, by tag."""
    found = {tag: finite_numbers(text.split()) for tag, text in _words(sensor).items()}
    return {tag: values for tag, values in found.items() if values}


def _begun(block: Any, kind: str, sensor: AttachedSensorDescription) -> Any:
    element = add(block, "sensor", name=sensor.name, type=kind)
    pose: Pose = sensor.pose
    if kind == "camera":
        pose = pose @ OPTICAL.inverse()
    add(element, "pose").text = numbers(*pose.translation, *rpy(pose.rotation))
    return element


def _texts(element: Any, **values: float) -> None:
    for tag, value in values.items():
        add(element, tag).text = numbers(value)


def _rate(element: Any, settings: Mapping[str, list[float]], period: str) -> None:
    rate = settings.get("framerate", [0.0])[0]
    seconds = settings.get(period, [0.0])[0]
    rate = rate or (1.0 / seconds if seconds > 0.0 else 0.0)
    if rate > 0.0:
        _texts(element, update_rate=rate)


def _camera(element: Any, settings: Mapping[str, list[float]]) -> None:
    _rate(element, settings, "measurement_time")
    camera = add(element, "camera")
    width, height = (settings.get(tag, [0.0])[0] for tag in ("width", "height"))
    focal = settings.get("kk", [0.0])[0]
    if width and focal > 0.0:
        _texts(camera, horizontal_fov=2.0 * math.atan(0.5 * width / focal))
    if width and height:
        _texts(add(camera, "image"), width=width, height=height)
    if "max_range" in settings:
        _texts(add(camera, "clip"), far=settings["max_range"][0])
    kk, intrinsic = settings.get("kk", []), settings.get("intrinsic", [])
    values = {}
    if len(intrinsic) == len(_INTRINSIC):
        values = dict(zip(_INTRINSIC, intrinsic, strict=True))
        del values[""]
    elif len(kk) == len(_KK) and kk[1:] != [focal, 0.5 * width, 0.5 * height]:
        values = dict(zip(_KK, kk, strict=True))
    if values:
        _texts(add(add(camera, "lens"), "intrinsics"), **values)
    depth_alone = element.get("type") == _CAMERAS["depth"]
    spread = settings.get("noise_sigma" if depth_alone else "noise_gaussian")
    if spread:
        _add_noise(camera, stddev=spread[0])
    if "distortion_coeffs" in settings:
        lens = settings["distortion_coeffs"]
        values = dict(zip(_BROWN_COEFFICIENTS, lens, strict=False))
        _texts(add(camera, "distortion"), **values)


def _ray(element: Any, settings: Mapping[str, list[float]]) -> None:
    _rate(element, settings, "scantime")
    ray = add(element, "ray")
    scan = add(ray, "scan")
    low, high, step = (
        math.radians(settings.get(tag, [0.0])[0])
        for tag in ("minangle", "maxangle", "resolution")
    )
    if low < high:
        steps = (high - low) / step if step > 0.0 else 0.0
        samples = round(steps) + 1 if steps < _MAX_SAMPLES else 1
        horizontal = add(scan, "horizontal")
        _texts(horizontal, samples=samples, min_angle=low, max_angle=high)
    beams = settings.get("elevations", [])
    if len(beams) > 1:
        vertical = add(scan, "vertical")
        first, last = math.radians(beams[0]), math.radians(beams[-1])
        _texts(vertical, samples=len(beams), min_angle=first, max_angle=last)
    ranges = {tag: f"{tag}range" for tag in ("min", "max") if f"{tag}range" in settings}
    if "noise_quantisation" in settings:
        ranges["resolution"] = "noise_quantisation"
    if ranges:
        inner = add(ray, "range")
        _texts(inner, **{tag: settings[name][0] for tag, name in ranges.items()})
    noise = {"mean": "noise_bias", "stddev": "noise_sigma"}
    values = {tag: settings[name][0] for tag, name in noise.items() if name in settings}
    if values:
        _add_noise(ray, **values)


def _add_noise(element: Any, **values: float) -> None:
    noise = add(element, "noise")
    add(noise, "type").text = "gaussian"
    _texts(noise, **values)


def _imu(element: Any, settings: Mapping[str, list[float]]) -> None:
    _rate(element, settings, "measurement_time")
    spreads = {
        tag: settings.get(f"{tag}_covariance", [])
        for tag in ("angular_velocity", "linear_acceleration")
    }
    if not settings.get("draw_covariances", [0.0])[0] or not any(spreads.values()):
        return
    imu = add(element, "imu")
    for tag, rows in spreads.items():
        if len(rows) == _COVARIANCE:
            _add_noise_of_axes(add(imu, tag), [math.sqrt(max(v, 0)) for v in rows[::4]])


def _force_torque(element: Any, settings: Mapping[str, list[float]]) -> None:
    _rate(element, settings, "measurement_time")
    sensor = add(element, "force_torque")
    add(sensor, "frame").text = "sensor"
    reversed_ = settings.get("polarity", [1.0])[0] < 0.0
    direction = "parent_to_child" if reversed_ else "child_to_parent"
    add(sensor, "measure_direction").text = direction
    for tag in ("force", "torque"):
        if f"{tag}_sigma" in settings:
            _add_noise_of_axes(add(sensor, tag), settings[f"{tag}_sigma"] * 3)


def _add_noise_of_axes(element: Any, spreads: Sequence[float]) -> None:
    for axis, spread in zip("xyz", spreads, strict=True):
        _add_noise(add(element, axis), stddev=spread)


_SENSOR: dict[str, Callable[[Any, Mapping[str, list[float]]], None]] = {
    "camera": _camera,
    "ray": _ray,
    "imu": _imu,
    "force_torque": _force_torque,
}
