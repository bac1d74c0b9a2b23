"""Properties of sensors for single settings."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class SettingProperty(Generic[T]):
    """A property for one of the settings: assigned values are checked, and saved."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, sensor: None, owner: type) -> Self: ...
    @overload
    def __get__(self, sensor: Any, owner: type) -> T: ...
    def __get__(self, sensor: Any, owner: type) -> Self | T:
        if sensor is None:
            return self
        value: T = getattr(sensor.settings, self._name)
        return value

    def __set__(self, sensor: Any, value: T) -> None:
        sensor.change_settings(**{self._name: value})
