"""``<sensor>``: cameras, scanners and inertial sensors, in URDF or Gazebo blocks."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lxml import etree

from pyrave.formats import run_custom_reader, to_xml_element
from pyrave.scene import (
    IDENTITY,
    AttachedSensorDescription,
    Pose,
    XmlReadable,
)
from pyrave_urdf.reading.load import pose_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyrave.scene import JointDescription, Readable
    from pyrave_urdf.reading.load import Reading

# what OpenRAVE's cameras call z, x and y is what a sensor calls x, -y and -z
OPTICAL = Pose((0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, -1.0, 0.0))
_MOST_IMAGE = 1e5
_LEAST_ANGLE = 1e-9
_INSIDE = frozenset({
    *("parent", "origin", "camera", "ray", "lidar", "imu", "plugin", "pose"),
    *("always_on", "update_rate", "visualize", "topic"),
})  # fmt: skip


def read_sensors(
    root: Any,
    links: Mapping[str, Any],
    joints: Mapping[str, JointDescription],
    reading: Reading,
) -> Iterator[AttachedSensorDescription]:
    """Yield the sensors of a robot whose kind is known.

    ``<sensor>`` below ``<robot>`` names its link; in ``<gazebo reference="link">`` it
    is SDFormat's. A reference to a joint is one to its child link.
    """
    taken: set[str] = set()
    numbers: dict[str, int] = {}
    known: _Known = {}
    for element, link, pose, is_gazebo in _sensors(root, links, joints, reading):
        made = _read(element, reading, known, is_gazebo=is_gazebo)
        if made is None:
            continue
        interface, turn, readable = made
        name = element.get("name") or interface
        name = "_".join(name.split())
        unique = name
        while unique in taken:
            numbers[name] = numbers.get(name, 1) + 1
            unique = f"{name}_{numbers[name]}"
        taken.add(unique)
        yield AttachedSensorDescription(
            unique,
            link,
            pose @ turn,
            interface,
            readables=((interface, readable),),
            location=reading.location(element),
        )


def _sensors(
    root: Any,
    links: Mapping[str, Any],
    joints: Mapping[str, JointDescription],
    reading: Reading,
) -> Iterator[tuple[Any, str, Pose, bool]]:
    """Yield (sensor, link, T_link_sensor, whether it is SDFormat's)."""
    for element in root.iterchildren("sensor"):
        inside, _ = reading.children(element, _INSIDE)
        parent = reading.last(inside.get("parent"))
        if parent is None:
            reading.warn(
                element,
                "unknown-link",
                f"the sensor {element.get('name')!r} has no parent; it is left out",
                'write <parent link="..."/>',
            )
            continue
        name = str(parent.get("link") or parent.get("joint") or "").strip()
        link = _link(name, links, joints)
        if link is None:
            reading.unknown(parent, "link", name, links, "unknown-link")
            continue
        yield element, link, reading.origin(inside.get("origin")), False
    for block in root.iterchildren("gazebo"):
        name = (block.get("reference") or "").strip()
        link = _link(name, links, joints)
        if link is not None:
            for element in block.iterchildren("sensor"):
                yield element, link, _sdf_pose(element), True


def _link(
    name: str, links: Mapping[str, Any], joints: Mapping[str, JointDescription]
) -> str | None:
    if name in links:
        return name
    return joints[name].child if name in joints else None


def _sdf_pose(element: Any) -> Pose:
    """Return the pose that SDFormat writes as six numbers; identity if it has none."""
    numbers = _numbers((element.findtext("pose") or "").split())
    if len(numbers) != _POSE:
        return IDENTITY
    x, y, z, roll, pitch, yaw = numbers
    return pose_of(roll, pitch, yaw, (x, y, z))


def _numbers(words: Iterable[str]) -> list[float]:
    """Return words as numbers, none if one is no finite number."""
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        return []
    return numbers if all(map(math.isfinite, numbers)) else []


# -- kinds of sensors ------------------------------------------------------------------


def _read(
    element: Any, reading: Reading, known: _Known, *, is_gazebo: bool
) -> tuple[str, Pose, Readable] | None:
    """Return (interface, pose of our sensor in theirs, data) of a sensor.

    None for kinds that pyrave has none of; they are kept as data all the same.

    Parameters
    ----------
    known
        Data of sensors before, by their interface and settings.
    """
    kind = (element.get("type") or "").strip().lower()
    camera = element.find("camera")
    ray = next((one for one in element if one.tag in _RAYS), None)
    turn = IDENTITY
    if camera is not None and "thermal" not in kind and "segment" not in kind:
        interface, settings = "BaseCamera", _camera(camera)
        # URDF's frame of a camera is the optical one already
        turn = OPTICAL if is_gazebo else IDENTITY
    elif ray is not None:
        interface, settings = _scanner(ray)
    elif kind == "imu":
        interface, settings = "BaseIMU", {}
    elif kind == "force_torque":
        interface, settings = "BaseForce6D", {}
    else:
        return None
    rate = _value(element, "update_rate")
    if rate is not None and rate > 0.0:
        tag, value = _PERIODS[interface], 1.0 / rate
        if tag:
            settings[tag] = repr(rate if tag == "framerate" else value)
    # robots have many sensors of one kind; what is reported stands at each of them
    key = interface, tuple(settings.items())
    readable = known.get(key)
    if readable is None:
        before = reading.reports
        readable = _readable(interface, settings, element, reading)
        if reading.reports == before:
            known[key] = readable
    return interface, turn, readable


_Known = dict[tuple[str, tuple[tuple[str, str], ...]], "Readable"]
_RAYS = frozenset({"ray", "lidar"})
_POSE = 6
# the setting that an update rate becomes
_PERIODS = {
    "BaseCamera": "framerate",
    "BaseLaser2D": "scantime",
    "MultiBeamLidar": "scantime",
    "BaseIMU": "measurement_time",
    "BaseForce6D": "measurement_time",
}


def _camera(camera: Any) -> dict[str, str]:
    """Return the settings of a camera: a pinhole with square pixels."""
    width = _value(camera, "image", "width")
    height = _value(camera, "image", "height")
    angle = _value(camera, "horizontal_fov") or _value(camera, "image", "hfov")
    found: dict[str, str] = {}
    if width is None or height is None:
        return found
    if not (1.0 <= width <= _MOST_IMAGE and 1.0 <= height <= _MOST_IMAGE):
        return found
    found["width"], found["height"] = str(int(width)), str(int(height))
    if angle is not None and _LEAST_ANGLE <= angle < math.pi:
        focal = 0.5 * width / math.tan(0.5 * angle)
        numbers = (focal, focal, 0.5 * width, 0.5 * height)
        found["kk"] = " ".join(map(repr, numbers))
    far = _value(camera, "clip", "far") or _value(camera, "image", "far")
    if far is not None and far > 0.0:
        found["max_range"] = repr(far)
    return found


def _scanner(ray: Any) -> tuple[str, dict[str, str]]:
    """Return the interface and settings of a scanner: one plane of rays, or several."""
    scan = ray.find("scan")
    scan = ray if scan is None else scan
    found: dict[str, str] = {}
    low = _value(scan, "horizontal", "min_angle")
    high = _value(scan, "horizontal", "max_angle")
    samples = _value(scan, "horizontal", "samples")
    if low is not None and high is not None and low < high:
        found["minangle"] = repr(math.degrees(low))
        found["maxangle"] = repr(math.degrees(high))
        if samples is not None and samples > 1.0:
            found["resolution"] = repr(math.degrees(high - low) / (samples - 1.0))
    for tag, name in (("minrange", "min"), ("maxrange", "max")):
        value = _value(ray, "range", name)
        if value is not None and value >= 0.0:
            found[tag] = repr(value)
    noise = _value(ray, "noise", "stddev")
    if noise is not None and noise > 0.0:
        found["noise_sigma"] = repr(noise)
    beams = _value(scan, "vertical", "samples")
    if beams is None or not 1.0 < beams <= _MOST_BEAMS:
        return "BaseLaser2D", found
    low = math.degrees(_value(scan, "vertical", "min_angle") or 0.0)
    high = math.degrees(_value(scan, "vertical", "max_angle") or 0.0)
    step = (high - low) / (int(beams) - 1)
    found["elevations"] = " ".join(repr(low + i * step) for i in range(int(beams)))
    return "MultiBeamLidar", found


_MOST_BEAMS = 1024.0


def _value(element: Any, *path: str) -> float | None:
    """Return a number that stands in an attribute (URDF) or a child (SDFormat)."""
    for tag in path[:-1]:
        element = element.find(tag)
        if element is None:
            return None
    text = element.get(path[-1])
    if text is None:
        text = element.findtext(path[-1])
    numbers = _numbers((text or "").split())
    return numbers[0] if len(numbers) == 1 else None


def _readable(
    interface: str, settings: Mapping[str, str], element: Any, reading: Reading
) -> Readable:
    """Return what the sensor plugin's reader makes of the settings."""
    made = etree.Element("sensor", type=interface)
    for tag, text in settings.items():
        etree.SubElement(made, tag).text = text
    reader = reading.context.find_reader("sensor", interface.lower())
    if reader is not None:
        done, found = run_custom_reader(reader, made, reading, lambda _: element)
        if done and found is not None:
            return found
    return XmlReadable(to_xml_element(made))
