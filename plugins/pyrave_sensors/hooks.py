"""What the built-in sensors register: readers of their XML tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from pyrave.plugins import hookimpl

if TYPE_CHECKING:
    from pyrave_sensors.settings import SettingTable

__all__ = ["pyrave_xml_readers"]


@hookimpl
def pyrave_xml_readers() -> Iterable[tuple[str, str, Callable[..., Any]]]:
    """Return the readers of the sensors' elements, by interface id."""
    from pyrave_sensors.tables import LASER_2D

    tables = {"BaseLaser2D": LASER_2D, "base_laser2d": LASER_2D}
    return [("sensor", name, _reader(table)) for name, table in tables.items()]


def _reader(table: SettingTable) -> Callable[..., Any]:
    from pyrave_sensors.settings import read_settings

    def read(element: Any, context: Any) -> Any:
        return read_settings(table, element, context)

    return read
