"""What the built-in sensors register: readers of their XML tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from pyrave.plugins import hookimpl

__all__ = ["pyrave_xml_readers"]

_LASER_IDS = ("BaseLaser2D", "base_laser2d")


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of the sensors' elements, by interface id."""
    from pyrave_sensors.xml import read_laser

    return [("sensor", interface_id, read_laser) for interface_id in _LASER_IDS]
