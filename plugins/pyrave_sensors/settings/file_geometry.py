"""The geometry of the built-in sensors, between callers, files and measurements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pyrave.errors import ArgumentError
from pyrave.interfaces import SensorGeometry
from pyrave_sensors.settings.fields import Conflict, CustomReader, schema_of
from pyrave_sensors.settings.xml import SensorReadable

if TYPE_CHECKING:
    from pyrave.scene import Readable


@dataclass(frozen=True, repr=False)
class FileGeometry(SensorGeometry):
    """Geometry of the built-in sensors, which files say in elements.

    A subclass adds the settings of one type: what callers set, files say and
    measurements follow are these values, in SI units and radians.
    """

    title: ClassVar[str] = "a sensor"
    in_elements: ClassVar[bool] = True
    custom: ClassVar[Mapping[str, CustomReader]] = {}
    """Readers of tags that hold more than one setting, or none."""

    @classmethod
    def from_file(cls, values: Mapping[str, Any]) -> Self:
        """Return the geometry that a file's values mean."""
        schema = schema_of(cls)
        given: dict[str, Any] = {}
        parts: dict[str, dict[str, Any]] = {}
        for name, value in values.items():
            one = schema.settings[name]
            place = parts.setdefault(one.section, {}) if one.section else given
            place[one.field] = one.decode(value)
        for section, part in parts.items():
            owner: Any = next(
                s.owner for s in schema.settings.values() if s.section == section
            )
            given[section] = owner(**part)
        return cls(**cls.completed(given))

    @classmethod
    def completed(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Return given values with those that follow from them."""
        return given

    def conflict(self) -> Conflict | None:
        """Return values that make no sense together; None: all do."""
        return None

    def check(self) -> None:
        """Raise ArgumentError for values in conflict."""
        found = self.conflict()
        if found is not None:
            raise ArgumentError(found.message)

    @classmethod
    def from_readable(cls, readable: Readable) -> Self | None:
        """Return the geometry that a sensor's element says."""
        if not isinstance(readable, SensorReadable):
            return None
        return cls.from_file(readable.values)

    def to_readable(self, interface: str, known: Readable | None) -> Readable:
        """Return a readable that reads back as this geometry."""
        if not isinstance(known, SensorReadable):
            known = SensorReadable(interface)
        return known.saying(self)


def same_but_for_looks(one: SensorGeometry, other: SensorGeometry) -> bool:
    """Return True if geometries measure alike: colour, power and seed may differ."""
    return one == replace(other, color=one.color, power=one.power, seed=one.seed)
