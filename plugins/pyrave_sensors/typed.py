"""Conversion of assigned values to the types that a dataclass annotates."""

from __future__ import annotations

import dataclasses
import functools
import math
import operator
import types
import typing
from collections.abc import Iterable
from typing import Any, TypeVar

import numpy as np

from pyrave.errors import ArgumentError, shown
from pyrave.spatial import Array

T = TypeVar("T")

_MOST = 2**64


def as_typed(given: T, plain: Any) -> T:
    """Return a copy of a dataclass whose fields have the annotated types.

    Numbers become floats, sequences tuples, and sequences of numbers arrays.

    Parameters
    ----------
    given
        The object.
    plain
        One of the same class: its arrays have the shapes that are wanted, 0 for any
        length.

    Raises
    ------
    ArgumentError
        A field has another type; names it.
    """
    kind: Any = type(given)
    values = {
        name: as_kind(getattr(given, name), hint, getattr(plain, name), name)
        for name, hint, _ in _fields(kind)
    }
    item: Any = given
    typed: T = dataclasses.replace(item, **values)
    return typed


def settle(frozen: Any) -> None:
    """Give the fields of a frozen dataclass the annotated types, in its __post_init__.

    Raises
    ------
    ArgumentError
        As `as_typed`.
    """
    kind: Any = type(frozen)
    for name, hint, default in _fields(kind):
        value = getattr(frozen, name)
        if value is not default:
            object.__setattr__(frozen, name, as_kind(value, hint, None, name))


@functools.cache
def _fields(kind: Any) -> tuple[tuple[str, Any, Any], ...]:
    """Return name, annotated type and default of each field."""
    hints = typing.get_type_hints(kind)
    fields = dataclasses.fields(kind)
    return tuple((item.name, hints[item.name], item.default) for item in fields)


def whole_number(value: Any, name: str) -> int:
    """Return a whole number, which may be a float, or raise ArgumentError."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    try:
        number = operator.index(value)
    except TypeError:
        raise _wrong(name, value, "a whole number") from None
    if abs(number) > _MOST:
        raise _wrong(name, value, "a whole number of at most 64 bits")
    return number


def as_kind(value: Any, kind: Any, plain: Any, name: str) -> Any:
    """Return a value as an annotated type, or raise ArgumentError."""
    origin = typing.get_origin(kind)
    if origin in {types.UnionType, typing.Union}:
        if value is None:
            return None
        kind = next(one for one in typing.get_args(kind) if one is not types.NoneType)
        origin = typing.get_origin(kind)
    if isinstance(plain, np.ndarray):
        return _array(value, plain.shape, name)
    if origin is tuple:
        return _tuple(value, typing.get_args(kind), name)
    if dataclasses.is_dataclass(kind):
        return _nested(value, kind, plain, name)
    return _plain(value, kind, name)


def _nested(value: Any, kind: Any, plain: Any, name: str) -> Any:
    if not isinstance(value, kind):
        raise _wrong(name, value, f"a {kind.__name__}")
    if type(value).__dataclass_params__.frozen:
        return value  # settled when it was made
    return as_typed(value, plain if isinstance(plain, type(value)) else value)


def _plain(value: Any, kind: Any, name: str) -> Any:
    if kind is bool:
        kinds = (bool, np.bool_, int, np.integer)
        if not isinstance(value, kinds) or value not in {0, 1}:
            raise _wrong(name, value, "True or False")
        return bool(value)
    if kind is int:
        return whole_number(value, name)
    if kind is str:
        if not isinstance(value, str):
            raise _wrong(name, value, "a text")
        return value
    if isinstance(value, str):
        raise _wrong(name, value, "a number")
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError):
        raise _wrong(name, value, "a number") from None


def _tuple(value: Any, kinds: tuple[Any, ...], name: str) -> tuple[Any, ...]:
    several = len(kinds) == 2 and kinds[1] is Ellipsis
    words = "some in a row" if several else f"{len(kinds)} in a row"
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise _wrong(name, value, words)
    try:
        items = tuple(value)
    except TypeError:  # an array without axes
        raise _wrong(name, value, words) from None
    wanted = kinds[:1] * len(items) if several else kinds
    if len(items) != len(wanted):
        raise _wrong(name, value, words)
    return tuple(
        as_kind(item, kind, None, name)
        for item, kind in zip(items, wanted, strict=True)
    )


def _array(value: Any, shape: tuple[int, ...], name: str) -> Array:
    """Return an array of a shape; where the shape has 0 any number of rows will do."""
    wanted = tuple(size or -1 for size in shape)
    try:
        array = np.array(value, dtype=np.float64)
        return array.reshape(wanted) if array.size else np.empty(shape)
    except (TypeError, ValueError, OverflowError):
        words = " x ".join("n" if size == 0 else str(size) for size in shape)
        raise _wrong(name, value, f"{words} numbers") from None


def _wrong(name: str, value: Any, expected: str) -> ArgumentError:
    return ArgumentError(f"{name} is {shown(value)}, expected {expected}")
