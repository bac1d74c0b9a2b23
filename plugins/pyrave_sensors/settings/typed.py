"""Conversion of assigned values to the types that a dataclass annotates."""

from __future__ import annotations

import dataclasses
from typing import Any, TypeVar

import numpy as np

from pyrave.coercion import Coercion, Fault, Place, bound
from pyrave.errors import ArgumentError, shown
from pyrave.spatial import Array

T = TypeVar("T")


def _switch(value: Any, place: Place, faults: list[Fault]) -> Any:
    """Fit a truth value, which may be 0 or 1."""
    if isinstance(value, (bool, np.bool_, int, np.integer)) and value in {0, 1}:
        return bool(value)
    faults.append(Fault(place, f"is {shown(value)}, expected True or False"))
    return value


# settings know their own ranges
_SETTINGS = Coercion(simple={float: bound, bool: _switch})


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
    item: Any = given
    arrays = {
        field.name: _array(getattr(given, field.name), shape.shape, field.name)
        for field in dataclasses.fields(item)
        if isinstance(shape := getattr(plain, field.name), np.ndarray)
    }
    typed: T = _fitting(*_SETTINGS.object(dataclasses.replace(item, **arrays)))
    return typed


def settle(frozen: Any) -> None:
    """Give the fields of a frozen dataclass the annotated types, in its __post_init__.

    Raises
    ------
    ArgumentError
        As `as_typed`.
    """
    for name, default, _, _ in _SETTINGS.plan(type(frozen)):
        value = getattr(frozen, name)
        if value is not default:
            made = _fitting(*_SETTINGS.field(type(frozen), name, value))
            object.__setattr__(frozen, name, made)


def _fitting(made: Any, faults: list[Fault]) -> Any:
    """Return a converted value, or raise its first fault."""
    if faults:
        raise ArgumentError(str(faults[0]))
    return made


def _array(value: Any, shape: tuple[int, ...], name: str) -> Array:
    """Return an array of a shape; where the shape has 0 any number of rows will do."""
    wanted = tuple(size or -1 for size in shape)
    try:
        array = np.array(value, dtype=np.float64)
        return array.reshape(wanted) if array.size else np.empty(shape)
    except (TypeError, ValueError, OverflowError):
        words = " x ".join("n" if size == 0 else str(size) for size in shape)
        message = f"{name} is {shown(value)}, expected {words} numbers"
        raise ArgumentError(message) from None
