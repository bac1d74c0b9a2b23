"""Elements of Gazebo's blocks and of sensors that act nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyrave_urdf.reading.elements.sensor_settings import (
    finite_numbers,
    number_reader,
    settings_of,
)
from pyrave_urdf.vocabulary import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from pyrave_urdf.reading.elements.gazebo import Block
    from pyrave_urdf.reading.load import UrdfReading

_AXES = frozenset("xyz")
_SENSOR = ELEMENTS["sensor"]
_INNER = frozenset(
    "/".join(path.split("/")[:depth])
    for path in _SENSOR
    for depth in range(1, path.count("/") + 1)
)
"""Paths that lead to others."""
_SAME = {"lidar": "ray"}


def note_idle_blocks(
    root: Any,
    blocks: Iterable[Block],
    links: Collection[str],
    joints: Collection[str],
    reading: UrdfReading,
) -> None:
    """Report parts of a robot's ``<gazebo>`` blocks and sensors that act nowhere."""
    for element in root.iterchildren("sensor"):
        _note_sensor(element, reading)
    for name, block, parts in blocks:
        owner = "gazebo"
        if name:
            if name not in links and name not in joints:
                text = f"gazebo reference={name!r}"
                reading.idle.note("<robot>", text, block)
                continue
            owner = "gazebo of a link" if name in links else "gazebo of a joint"
        known = ELEMENTS[owner]
        for tag, child in parts:
            if tag not in known:
                reading.note_idle(owner, child)
            elif tag == "sensor":
                _note_sensor(child, reading)


def _note_sensor(element: Any, reading: UrdfReading) -> None:
    # what is wrong is told where its numbers are read
    if settings_of(element, number_reader(lambda *_: None)) is None:
        kind = (element.get("type") or "").strip()
        reading.idle.note("<robot>", f"sensor type={kind!r}", element)
        return
    for path, one in _leaves(element, ""):
        reading.idle.note("<sensor>", path, one)


def _leaves(element: Any, above: str) -> Iterator[tuple[str, Any]]:
    """Yield (path, element) of what acts nowhere below an element of a sensor."""
    for child in element:
        tag = _SAME.get(child.tag, child.tag) if not above else child.tag
        path = f"{above}/{'AXIS' if tag in _AXES else tag}".lstrip("/")
        inner = [f"{path}/{name}" for name in child.attrib]
        given = any(one in _SENSOR or one in _INNER for one in inner)
        if path in _INNER:
            yield from _leaves(child, path)
        elif path not in _SENSOR and not given and not _is_neutral(path, child):
            yield path, child


def _is_neutral(path: str, element: Any) -> bool:
    """Return True if an element says that there is no error of a kind."""
    numbers = finite_numbers((element.text or "").split())
    return "/noise/" in path and bool(numbers) and not any(numbers)
