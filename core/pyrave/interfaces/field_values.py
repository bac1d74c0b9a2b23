"""Checking values of a dataclass by the types of its fields, and reading texts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from functools import cache
from typing import Any

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.spatial import Array
from pyrave.trajectories.specification import ConfigurationSpecification

Check = Callable[[str, Any], Any]

_WORDS = {"true": True, "1": True, "false": False, "0": False}


@cache
def checks_of(kind: Any) -> Mapping[str, Check]:
    """Return what checks each field of a dataclass: ``check(name, value)``."""
    return {
        one.name: check
        for one in fields(kind)
        if (check := _check(one)) is not None and not one.name.startswith("_")
    }


@cache
def own_fields(kind: Any, base: Any = None) -> Mapping[str, str]:
    """Return names and kinds of the fields that a class adds and that XML can carry."""
    known = set() if base is None else {one.name for one in fields(base)}
    return {
        one.name: _kind(one)
        for one in fields(kind)
        if one.name not in known and _kind(one) in _SIMPLE
    }


def from_text(name: str, kind: str, text: str) -> Any:
    """Return the value of a field that a file has as a text.

    Raises
    ------
    ArgumentError
        It says no such value.
    """
    words = text.split()
    try:
        if kind == "bool":
            return _WORDS[text.strip().lower()]
        if kind == "int":
            return int(text)
        if kind == "float":
            return float(text)
        if kind == "Array":
            return np.array([float(word) for word in words])
    except (KeyError, ValueError):
        raise ArgumentError(
            f"{name} is {shown(text)}, expected {_SAID[kind]}"
        ) from None
    return text


def to_text(value: Any) -> str:
    """Return the value of a field as a text."""
    if isinstance(value, np.ndarray):
        return " ".join(map(repr, value.ravel().tolist()))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _kind(one: Field[Any]) -> str:
    given: Any = one.type
    if not isinstance(given, str):
        given = getattr(getattr(given, "__origin__", given), "__name__", str(given))
    return "Array" if given.rpartition(".")[2] in _ARRAYS else given


def _check(one: Field[Any]) -> Check | None:
    kind = _kind(one)
    if kind.startswith("Callable"):
        return _function
    check = _CHECKS.get(kind)
    bounds = one.metadata
    if check is None or not bounds.keys() & {"minimum", "maximum"}:
        return check
    low, high = bounds.get("minimum", -math.inf), bounds.get("maximum", math.inf)

    def bounded(name: str, value: Any) -> Any:
        found = check(name, value)
        if np.size(found) and not (np.min(found) >= low and np.max(found) <= high):
            raise _wrong(name, value, f"{low:g} to {high:g}")
        return found

    return bounded


def _wrong(name: str, value: Any, expected: str) -> ArgumentError:
    return ArgumentError(f"{name} is {shown(value)}, expected {expected}")


def _array(name: str, value: Any) -> Array:
    if type(value) is np.ndarray and value.dtype == np.float64:
        return value
    try:
        found = np.asarray(value)
        if found.dtype.kind in "biuf":
            return found.astype(np.float64)
    except ValueError:
        pass
    raise _wrong(name, value, _SAID["Array"])


def _number(name: str, value: Any) -> float:
    fits = isinstance(value, (int, float, np.integer, np.floating))
    if not fits or isinstance(value, bool) or math.isnan(value):
        raise _wrong(name, value, _SAID["float"])
    return float(value)


def _count(name: str, value: Any) -> int:
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool):
        raise _wrong(name, value, _SAID["int"])
    return int(value)


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise _wrong(name, value, _SAID["bool"])
    return bool(value)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value, _SAID["str"])
    return value


def _texts(name: str, value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and isinstance(text, str) for key, text in value.items()
    ):
        raise _wrong(name, value, "a mapping of names to texts")
    return value if isinstance(value, dict) else dict(value)


def _pairs(name: str, value: Any) -> tuple[tuple[str, str], ...]:
    try:
        found = tuple((planner, text) for planner, text in value)
    except (TypeError, ValueError):
        found = ((None, None),)
    if not all(isinstance(word, str) for pair in found for word in pair):
        raise _wrong(name, value, "pairs of a planner and its parameters as XML")
    return found


def _specification(name: str, value: Any) -> ConfigurationSpecification:
    if not isinstance(value, ConfigurationSpecification):
        raise _wrong(name, value, "a ConfigurationSpecification")
    return value


def _function(name: str, value: Any) -> Any:
    if value is not None and not callable(value):
        raise _wrong(name, value, "a function or None")
    return value


_ARRAYS = {"Array", "ndarray", "float64]"}
_SIMPLE = ("bool", "int", "float", "str", "Array")
_SAID = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "Array": "numbers",
}
_CHECKS: Mapping[str, Check] = {
    "bool": _truth,
    "int": _count,
    "float": _number,
    "str": _text,
    "Array": _array,
    "dict[str, str]": _texts,
    "tuple[tuple[str, str], ...]": _pairs,
    "ConfigurationSpecification": _specification,
}
