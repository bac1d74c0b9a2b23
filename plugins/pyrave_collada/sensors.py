"""Sensors of libraries: handed to the readers that sensor plugins registered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyrave.formats import to_xml_element
from pyrave.scene import XmlReadable
from pyrave_collada.readables import interface_of, read_custom

if TYPE_CHECKING:
    from pyrave.scene import Readable
    from pyrave_collada.reading import Reading

__all__ = ["Sensor", "read_sensor"]


@dataclass(frozen=True, slots=True)
class Sensor:
    """A sensor as descriptions have it."""

    interface: str
    name: str
    readables: tuple[tuple[str, Readable], ...]


def read_sensor(element: Any, reading: Reading) -> Sensor:
    """Return a ``<sensor>``: its class, and what its reader makes of its children."""
    named = interface_of(element)
    interface = named[1] if named is not None else (element.get("type") or "").strip()
    key = interface.split()[0] if interface else ""
    found = read_custom("sensor", key, element, reading) if key else None
    if found is None:
        found = XmlReadable(to_xml_element(element))
    name = element.get("name") or element.get("id") or ""
    return Sensor(interface, "_".join(name.split()), ((key or "sensor", found),))
