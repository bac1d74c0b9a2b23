"""Dataclasses with arrays, compared by content."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

_ARRAYS = re.compile(r"Array|Indices|Any\b|object")
"""Types that may be arrays, in annotations."""
_PLAIN = frozenset({int, float, bool, str, bytes, type(None)})
Tuple = TypeVar("Tuple", bound=tuple[Any, ...])
Kind = TypeVar("Kind", bound=type)


class Record:
    """A dataclass whose arrays count in comparisons by their values.

    ``==`` of what `dataclasses` makes compares tuples of fields, and has no answer for
    arrays. Here records are equal if they are of one class, and each field that
    compares is: arrays of one shape with equal numbers, nan at the same places; lists,
    tuples and dictionaries item by item. Frozen records hash alike where they are
    equal. A class that derives from it and writes its own ``__eq__`` has that.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Place(Record):
    ...     point: np.ndarray
    >>> Place(np.zeros(3)) == Place(np.zeros(3))
    True
    """

    __slots__ = ()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        # `dataclass` keeps what a class has of its own
        if "__eq__" not in vars(cls):
            cls.__eq__ = _equal_fields  # type: ignore[method-assign]
            cls.__hash__ = _hash_of_fields  # type: ignore[assignment,method-assign]


def _equal_fields(one: Any, other: Any) -> bool:
    if one.__class__ is not other.__class__:
        # an array would compare its items with a record
        return False if isinstance(other, np.ndarray) else NotImplemented
    if one is other:
        return True
    values, is_plain = _compared(one.__class__)
    if is_plain:
        try:
            return bool(values(one) == values(other))
        except ValueError:
            pass  # arrays in place of the tuples that it declares
    return equal_values(values(one), values(other))


def _hash_of_fields(one: Any) -> int:
    # arrays take part with their shapes: equal ones may differ in their bits
    values = _hashed(one.__class__)(one)
    try:
        return hash(values)
    except (TypeError, ValueError):
        return hash(_hashable(values))


def equal_values(one: Any, other: Any) -> bool:
    """Return True or False for whatever may be in a record."""
    if one is other:
        return True
    if type(one) in _PLAIN:
        return bool(one == other)
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return _equal_arrays(one, other)
    if isinstance(one, (list, tuple)) and type(one) is type(other):
        return len(one) == len(other) and all(map(equal_values, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            equal_values(value, other[key]) for key, value in one.items()
        )
    return bool(one == other)


def _equal_arrays(one: Any, other: Any) -> bool:
    if not isinstance(one, np.ndarray) or not isinstance(other, np.ndarray):
        return False
    if one.shape != other.shape:
        return False
    if one.dtype.kind == "O" or other.dtype.kind == "O":
        return all(map(equal_values, one.ravel().tolist(), other.ravel().tolist()))
    floats = one.dtype.kind in "fc" and other.dtype.kind in "fc"
    return bool(np.array_equal(one, other, equal_nan=floats))


@cache
def _compared(kind: Any) -> tuple[Callable[[Any], Any], bool]:
    """Return a getter of the values that compare, and whether none are arrays."""
    found = [one for one in dataclasses.fields(kind) if one.compare]
    said = " ".join(str(one.type) for one in found)
    return _values_of([one.name for one in found]), not _ARRAYS.search(said)


@cache
def _hashed(kind: Any) -> Callable[[Any], Any]:
    """Return a getter of the values of a record that count in its hash."""
    if not kind.__dataclass_params__.frozen:
        raise TypeError(f"unhashable type: {kind.__name__!r}, which is not frozen")
    return _values_of(
        [
            one.name
            for one in dataclasses.fields(kind)
            if (one.compare if one.hash is None else one.hash)
        ]
    )


def _values_of(names: list[str]) -> Callable[[Any], Any]:
    if len(names) > 1:
        return attrgetter(*names)
    return lambda one: tuple(getattr(one, name) for name in names)


def _hashable(value: Any) -> Any:
    """Return a hashable value that is the same for equal values."""
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, (list, tuple)):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return frozenset(value)
    if isinstance(value, float) and value != value:  # noqa: PLR0124 - nan
        return "nan"
    return value


def compared_by_items(kind: type[Tuple]) -> type[Tuple]:
    """Let named tuples that hold arrays be equal when their items are."""

    def equal(one: Any, other: object) -> bool:
        return isinstance(other, tuple) and equal_values(tuple(one), tuple(other))

    def differ(one: Any, other: object) -> bool:
        return not equal(one, other)

    changed: Any = kind
    changed.__eq__, changed.__ne__, changed.__hash__ = equal, differ, None
    return kind


def made_quickly(kind: Kind) -> Kind:
    """Let a frozen dataclass with slots set its fields in half the time.

    What `dataclasses` makes goes past the frozen ``__setattr__`` by that of `object`,
    which looks each slot up by its name; here the slots are set themselves. For records
    that files have by the thousand. Fields have no factories and no keywords only.
    """
    made: Any = kind
    fields = dataclasses.fields(made)
    plain = all(
        one.init and not one.kw_only and one.default_factory is dataclasses.MISSING
        for one in fields
    )
    if hasattr(kind, "__post_init__") or not plain:
        raise TypeError(f"{kind.__name__} sets more than the fields that it is given")
    names = [one.name for one in fields]
    slots = {f"_set_{name}": getattr(kind, name).__set__ for name in names}
    lines = [f"def __init__(self, {', '.join(names)}):"]
    lines += [f"    _set_{name}(self, {name})" for name in names]
    exec("\n".join(lines), slots)  # noqa: S102 - as `dataclasses` does
    quick: Any = slots["__init__"]
    usual = made.__init__
    for name in ("__annotations__", "__defaults__", "__module__", "__qualname__"):
        setattr(quick, name, getattr(usual, name))
    made.__init__ = quick
    return kind
