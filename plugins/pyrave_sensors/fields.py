"""Sensors whose settings are fields of their geometry, of the same names."""

from __future__ import annotations

import dataclasses
import math
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from pyrave.errors import ArgumentError
from pyrave.interfaces.sensor_data import SensorData
from pyrave.interfaces.sensor_geometry import SensorGeometry
from pyrave_sensors.measuring import MeasuringSensor
from pyrave_sensors.settings import COMMON, Kind
from pyrave_sensors.typed import as_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyrave_sensors.settings import Setting

__all__ = ["FieldSensor"]

G = TypeVar("G", bound=SensorGeometry)
D = TypeVar("D", bound=SensorData)

_ELSEWHERE = frozenset(one.name for one in COMMON)


class FieldSensor(MeasuringSensor[G, D]):
    """A sensor of whose geometry each field is one setting.

    Files have the units of the fields: radians and metres. What is wrong with one
    field its `Setting` says, what is wrong with several the table's check; both hold
    for files and for `set_sensor_geometry` alike.
    """

    def geometry_of(self, values: Mapping[str, Any]) -> G:
        """Return the geometry that a file's values mean."""
        geometry = self.default_geometry()
        for name in self._fields():
            if name in values:
                default = getattr(geometry, name)
                value = as_kind(values[name], type(default), default, name)
                setattr(geometry, name, value)
        return geometry

    def values_of(self, geometry: G) -> dict[str, Any]:
        """Return a geometry as values of a file."""
        plain = self.default_geometry()
        values: dict[str, Any] = {}
        for name in self._fields():
            value = getattr(geometry, name)
            same = np.array_equal(value, getattr(plain, name))
            values[name] = None if same else _flat(value)
        return values

    def check_geometry(self, geometry: G) -> None:
        """Raise ArgumentError if a geometry makes no sense."""
        values: dict[str, Any] = {}
        for name in self._fields():
            value = getattr(geometry, name)
            values[name] = _flat(value)
            _require_sound(self.settings.settings[name], value)
        wrong = self.settings.check and self.settings.check(values)
        if wrong:
            raise ArgumentError(wrong[1])

    @property
    def period(self) -> float:
        """Seconds between measurements; 0: every step measures."""
        period: float = getattr(self._geometry, "time_measurement", 0.0)
        return period

    def _fields(self) -> tuple[str, ...]:
        return _fields_of(type(self))


@cache
def _fields_of(kind: type[FieldSensor[Any, Any]]) -> tuple[str, ...]:
    """Return the fields of a geometry that are settings; each sensor asks twice."""
    known = {item.name for item in dataclasses.fields(kind.geometry_type)}
    return tuple(name for name in kind.settings.settings if name in known - _ELSEWHERE)


def _flat(value: Any) -> Any:
    return tuple(value.ravel().tolist()) if isinstance(value, np.ndarray) else value


def _numbers(value: Any) -> Sequence[float]:
    """Return the numbers of a value; mostly few, for which numpy takes long."""
    numbers = value if isinstance(value, tuple) else (value,)
    if all(isinstance(number, (int, float)) for number in numbers):
        return numbers
    return np.asarray(value, dtype=np.float64).ravel().tolist()


def _require_sound(setting: Setting, value: Any) -> None:
    """Raise ArgumentError for numbers that are not finite or out of bounds."""
    if setting.kind is Kind.TEXT or setting.kind is Kind.SWITCH:
        return
    numbers = _numbers(value)
    if not numbers:
        return
    if not all(map(math.isfinite, numbers)):
        expected = "finite numbers"
    elif setting.least is not None and min(numbers) < setting.least:
        expected = f"{setting.least:g} or more"
    elif setting.most is not None and max(numbers) > setting.most:
        expected = f"{setting.most:g} or less"
    elif setting.above is not None and min(numbers) <= setting.above:
        expected = f"more than {setting.above:g}"
    else:
        return
    unit = f" ({setting.unit})" if setting.unit else ""
    found = str(value)[:80]
    raise ArgumentError(f"{setting.name} is {found}, expected {expected}{unit}")
