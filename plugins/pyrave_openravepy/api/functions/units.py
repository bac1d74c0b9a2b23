"""Units that numbers of scenes are in; here they are metres, kilograms and seconds."""

from __future__ import annotations

import enum
from typing import Any

from pyrave.errors import ArgumentError, did_you_mean
from pyrave_openravepy.api.foundation.guard import Guarded, guarded

__all__ = [
    "AngleUnit",
    "GetAngleUnitConversionScale",
    "GetAngleUnitFromString",
    "GetAngleUnitStandardValue",
    "GetAngleUnitString",
    "GetLengthUnitConversionScale",
    "GetLengthUnitFromString",
    "GetLengthUnitStandardValue",
    "GetLengthUnitString",
    "GetMassUnitConversionScale",
    "GetMassUnitFromString",
    "GetMassUnitStandardValue",
    "GetMassUnitString",
    "GetTimeDurationUnitConversionScale",
    "GetTimeDurationUnitFromString",
    "GetTimeDurationUnitStandardValue",
    "GetTimeDurationUnitString",
    "GetTimeStampUnitString",
    "LengthUnit",
    "MassUnit",
    "TimeDurationUnit",
    "TimeStampUnit",
    "UnitInfo",
]


class LengthUnit(enum.IntEnum):
    """Units of lengths."""

    Meter = 0
    Decimeter = 1
    Centimeter = 2
    Millimeter = 3
    DeciMillimeter = 4
    CentiMillimeter = 5
    Micrometer = 6
    Nanometer = 7
    Inch = 8
    Foot = 9


class MassUnit(enum.IntEnum):
    """Units of masses."""

    Gram = 0
    Kilogram = 1
    Milligram = 2
    Pound = 3


class TimeDurationUnit(enum.IntEnum):
    """Units of durations."""

    Second = 0
    Millisecond = 1
    Microsecond = 2
    Nanosecond = 3
    Picosecond = 4


class AngleUnit(enum.IntEnum):
    """Units of angles."""

    Radian = 0
    Degree = 1


class TimeStampUnit(enum.IntEnum):
    """Units of times at which something was."""

    Second = 0
    Millisecond = 1
    Microsecond = 2
    Nanosecond = 3


_LENGTHS = (1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-9, 0.0254, 0.3048)
_MASSES = (1e-3, 1.0, 1e-6, 0.45359237)
_DURATIONS = (1.0, 1e-3, 1e-6, 1e-9, 1e-12)
_ANGLES = (1.0, 0.017453292519943295)
_SIZES: dict[type, tuple[float, ...]] = {
    LengthUnit: _LENGTHS,
    MassUnit: _MASSES,
    TimeDurationUnit: _DURATIONS,
    AngleUnit: _ANGLES,
}
"""Of each unit in SI."""


def _name(kind: Any, unit: Any) -> str:
    return str(kind(int(unit)).name).lower()


def _unit(kind: Any, text: str, default: Any) -> Any:
    names = {one.name.lower(): one for one in kind}
    found = names.get(str(text).lower())
    if found is not None:
        return found
    if default is not None:
        return kind(int(default))
    raise ArgumentError(
        f"{text!r} is no unit, expected one of {', '.join(names)}"
        f"{did_you_mean(str(text).lower(), list(names))}"
    )


def _scale(kind: Any, source: Any, target: Any) -> float:
    sizes: tuple[float, ...] = _SIZES[kind]
    first, last = int(kind(int(source))), int(kind(int(target)))
    return sizes[first] / sizes[last]


@guarded
def GetLengthUnitString(unit: int) -> str:
    """Return the name of a unit of length."""
    return _name(LengthUnit, unit)


@guarded
def GetMassUnitString(unit: int) -> str:
    """Return the name of a unit of mass."""
    return _name(MassUnit, unit)


@guarded
def GetTimeDurationUnitString(unit: int) -> str:
    """Return the name of a unit of durations."""
    return _name(TimeDurationUnit, unit)


@guarded
def GetAngleUnitString(unit: int) -> str:
    """Return the name of a unit of angles."""
    return _name(AngleUnit, unit)


@guarded
def GetTimeStampUnitString(unit: int) -> str:
    """Return the name of a unit of times."""
    return _name(TimeStampUnit, unit)


@guarded
def GetLengthUnitFromString(text: str, defaultUnit: Any = None) -> LengthUnit:
    """Return the unit of length of a name."""
    found: LengthUnit = _unit(LengthUnit, text, defaultUnit)
    return found


@guarded
def GetMassUnitFromString(text: str, defaultUnit: Any = None) -> MassUnit:
    """Return the unit of mass of a name."""
    found: MassUnit = _unit(MassUnit, text, defaultUnit)
    return found


@guarded
def GetTimeDurationUnitFromString(
    text: str, defaultUnit: Any = None
) -> TimeDurationUnit:
    """Return the unit of durations of a name."""
    found: TimeDurationUnit = _unit(TimeDurationUnit, text, defaultUnit)
    return found


@guarded
def GetAngleUnitFromString(text: str, defaultUnit: Any = None) -> AngleUnit:
    """Return the unit of angles of a name."""
    found: AngleUnit = _unit(AngleUnit, text, defaultUnit)
    return found


@guarded
def GetLengthUnitStandardValue(unit: int) -> float:
    """Return a unit of length in metres."""
    return _LENGTHS[LengthUnit(int(unit))]


@guarded
def GetMassUnitStandardValue(unit: int) -> float:
    """Return a unit of mass in kilograms."""
    return _MASSES[MassUnit(int(unit))]


@guarded
def GetTimeDurationUnitStandardValue(unit: int) -> float:
    """Return a unit of durations in seconds."""
    return _DURATIONS[TimeDurationUnit(int(unit))]


@guarded
def GetAngleUnitStandardValue(unit: int) -> float:
    """Return a unit of angles in radians."""
    return _ANGLES[AngleUnit(int(unit))]


@guarded
def GetLengthUnitConversionScale(sourceUnit: int, targetUnit: int) -> float:
    """Return the factor from lengths in a unit to those in another."""
    return _scale(LengthUnit, sourceUnit, targetUnit)


@guarded
def GetMassUnitConversionScale(sourceUnit: int, targetUnit: int) -> float:
    """Return the factor from masses in a unit to those in another."""
    return _scale(MassUnit, sourceUnit, targetUnit)


@guarded
def GetTimeDurationUnitConversionScale(sourceUnit: int, targetUnit: int) -> float:
    """Return the factor from durations in a unit to those in another."""
    return _scale(TimeDurationUnit, sourceUnit, targetUnit)


@guarded
def GetAngleUnitConversionScale(sourceUnit: int, targetUnit: int) -> float:
    """Return the factor from angles in a unit to those in another."""
    return _scale(AngleUnit, sourceUnit, targetUnit)


class UnitInfo(Guarded):
    """The units of an environment."""

    _kinds: tuple[tuple[str, Any], ...] = (
        ("lengthUnit", LengthUnit),
        ("massUnit", MassUnit),
        ("timeDurationUnit", TimeDurationUnit),
        ("angleUnit", AngleUnit),
        ("timeStampUnit", TimeStampUnit),
    )

    def __init__(self) -> None:
        self.lengthUnit = LengthUnit.Meter
        self.massUnit = MassUnit.Kilogram
        self.timeDurationUnit = TimeDurationUnit.Second
        self.angleUnit = AngleUnit.Radian
        self.timeStampUnit = TimeStampUnit.Microsecond

    def SerializeJSON(self) -> dict[str, str]:
        return {name: _name(kind, getattr(self, name)) for name, kind in self._kinds}

    def DeserializeJSON(self, obj: Any) -> None:
        for name, kind in self._kinds:
            if name in obj:
                setattr(self, name, _unit(kind, obj[name], None))

    def __repr__(self) -> str:
        return f"<UnitInfo({', '.join(self.SerializeJSON().values())})>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, UnitInfo):
            return NotImplemented
        return self.SerializeJSON() == other.SerializeJSON()

    __hash__ = None  # type: ignore[assignment]
