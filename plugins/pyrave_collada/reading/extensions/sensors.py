"""Sensors on robots: what libraries say of them, and where they are attached."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats import tags_of_readers, to_xml_element
from pyrave.scene import AttachedSensorDescription, XmlReadable
from pyrave_collada.document.parsed import child, children, one_word
from pyrave_collada.reading.readables import interface_of, read_custom

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyrave.scene import Readable
    from pyrave_collada.document.extras import Extras
    from pyrave_collada.reading.extensions.places import Places
    from pyrave_collada.reading.load import ColladaReading

_ANGLES = ("angle_range", "angle_min", "angle_max", "angle_increment")
_OWN_TAGS = ("reference_attach_sensor", "sensor_maker", "sensor_model")


@dataclass(frozen=True, slots=True)
class _Mounting:
    """A sensor's place: name, ``attach_sensor``, its holder, and the sensor or None."""

    name: str
    holder: Any
    extra: Any
    part: Any
    sensor: Any


def read_sensors(
    attached: Extras, places: Places, reading: ColladaReading
) -> tuple[AttachedSensorDescription, ...]:
    """Return the sensors of a robot; of equal names the last one counts."""
    mountings: dict[str, _Mounting] = {}
    for holder, extra, part in attached:
        name = one_word(extra.get("name") or "")
        name = name or f"sensor{len(mountings)}"
        sensor = _sensor(part, reading)
        before = mountings.pop(name, None)
        if sensor is None and before is not None:
            sensor = before.sensor  # it is moved: what it is stays
        mountings[name] = _Mounting(name, holder, extra, part, sensor)
    names = {one.sensor: one.name for one in reversed(mountings.values())}
    found = []
    for one in mountings.values():
        frame = child(one.part, "frame_origin")
        if frame is None:
            reading.dangling(one.extra, "the link", "")
            continue
        link = places.link_at(frame, one.holder)
        if link is None:
            continue
        interface, sensor_name = "", ""
        readables: list[tuple[str, Readable]] = []
        if one.sensor is not None:
            interface, sensor_name, readables = _read(one.sensor, names, reading)
        readables += [
            (tag.tag, XmlReadable(to_xml_element(tag)))
            for tag in children(one.part, *_OWN_TAGS)
        ]
        found.append(
            AttachedSensorDescription(
                one.name,
                link,
                reading.values.pose(frame),
                interface=interface,
                sensor_name=sensor_name,
                readables=tuple(readables),
                location=reading.location(one.extra),
            )
        )
    return tuple(found)


def _sensor(part: Any, reading: ColladaReading) -> Any:
    instance = child(part, "instance_sensor")
    if instance is None:
        return None
    found = reading.library.target(instance)
    if found is None:
        reading.dangling(instance, "the sensor", instance.get("url") or "")
    return found


def _read(
    element: Any, names: Mapping[Any, str], reading: ColladaReading
) -> tuple[str, str, list[tuple[str, Readable]]]:
    """Return a ``<sensor>``'s id, its name, and what readers make of it.

    Children with readers of their own are theirs, as in OpenRAVE's XML.
    """
    kind = (element.get("type") or "").strip()
    named = interface_of(element)
    interface = named.id if named is not None and named.id else kind
    key = interface.partition(" ")[0]
    copy, originals = _adapted(element, interface, names, reading)
    own, is_read = tags_of_readers(
        copy, key, lambda name: reading.context.find_reader("sensor", name)
    )
    tags = [
        (one.tag, read_custom("sensor", one.tag, one, reading, originals))
        for one in own
    ]
    for one in own:
        copy.remove(one)
    found = read_custom("sensor", key, copy, reading, originals) if is_read else None
    if found is None and kind.lower() != key.lower():
        # a class of its own, with the tags of a type that is known
        found = read_custom("sensor", kind, copy, reading, originals)
    name = element.get("name") or element.get("id") or ""
    rest = copy if own else element
    readable = XmlReadable(to_xml_element(rest)) if found is None else found
    whole = (interface.partition(" ")[0] or "sensor", readable)
    kept = [(tag, found) for tag, found in tags if found is not None]
    return interface, one_word(name), [whole, *kept]


def _adapted(
    element: Any, interface: str, names: Mapping[Any, str], reading: ColladaReading
) -> tuple[Any, dict[Any, Any]]:
    """Return a sensor as readers expect it, and the original of each element.

    Sensors that it refers to go by the names under which the robot has them, and angles
    are in degrees: OpenHRP3 wrote those of its one type of lasers in radians.
    """
    copy = deepcopy(element)
    copy.tail = None
    copy.set("type", interface)
    originals = dict(_pairs(copy, element))
    for one in copy.iterchildren("instance_sensor"):
        url = one.get("url") or ""
        target = reading.library.by_url(url, element) if url else None
        if target is None:
            reading.dangling(originals[one], "the sensor", url)
        elif target not in names:
            reading.warn(
                originals[one],
                "unattached-sensor",
                f"<instance_sensor> refers to {url!r}, which no <attach_sensor> puts "
                "on the robot",
                "attach it to a link, too",
            )
        else:
            one.set("url", f"#{names[target]}")
    document = reading.library.document(element)
    if document.has_radian_sensors and element.get("type") == "base_laser1d":
        for one in copy.iterchildren(*_ANGLES):
            one.text = _degrees(one.text or "")
    return copy, originals


def _pairs(copy: Any, element: Any) -> Iterator[tuple[Any, Any]]:
    yield from zip(copy.iter("*"), element.iter("*"), strict=True)


def _degrees(text: str) -> str:
    try:
        return " ".join(repr(math.degrees(float(word))) for word in text.split())
    except ValueError:
        return text  # the sensor's reader says what is wrong
