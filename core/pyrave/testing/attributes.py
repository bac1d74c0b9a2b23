"""State that an author's object keeps in attributes of its own, which copies need."""

from __future__ import annotations

import copy
import dataclasses
import dis
import enum
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from pyrave.testing.comparison import difference

if TYPE_CHECKING:
    from collections.abc import Mapping

_ATOMS = (bool, int, float, complex, str, bytes, enum.Enum, np.generic, type(None))
_CONTAINERS = (list, dict, set, bytearray)
_OURS = (
    "pyrave.interfaces.",
    "pyrave.authoring.",
    "pyrave.bodies.",
    "pyrave.collision.",
    "builtins.",
    "abc.",
)
_DEEPEST = 6


def own_attributes(item: object) -> dict[str, Any]:
    """Return copies of what an object keeps itself and that is plain data.

    Numbers, texts, arrays, and lists, tuples, sets, dictionaries and dataclasses of
    them. What pyrave's base classes set is left out, and what the class names in
    ``testing_caches``.
    """
    skipped = set(getattr(item, "testing_caches", ()))
    ours: set[str] = set().union(*(_set_by(one) for one in type(item).__mro__))
    return {
        name: copy.deepcopy(value)
        for name, value in vars(item).items()
        if name not in ours and name not in skipped and _is_plain(value)
    }


def changed_attributes(item: object, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of `own_attributes` that differ from what they were."""
    return {
        name: value
        for name, value in own_attributes(item).items()
        if name not in before or difference(before[name], value) is not None
    }


def class_attributes(kind: type) -> dict[str, Any]:
    """Return copies of lists, dictionaries, sets and arrays of an author's classes."""
    return {
        name: copy.deepcopy(value)
        for one in reversed(kind.__mro__)
        if not _is_ours(one)
        for name, value in vars(one).items()
        if isinstance(value, (*_CONTAINERS, np.ndarray))
        and not name.startswith("__")
        and name != "_settable"  # what `Closed` found out of a class
        and _is_plain(value)
    }


def shared_attribute(one: object, other: object) -> str | None:
    """Return the name of an attribute in which two objects share data, or None."""
    for name in own_attributes(one).keys() & own_attributes(other).keys():
        if _share(getattr(one, name, None), getattr(other, name, None)):
            return name
    return None


def _share(a: Any, b: Any, depth: int = 0) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.size > 0 and a.flags.writeable and bool(np.shares_memory(a, b))
    if isinstance(a, _CONTAINERS) and a is b:
        return True
    if depth == _DEEPEST:
        return False
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return any(_share(x, y, depth + 1) for x, y in zip(a, b, strict=False))
    if isinstance(a, dict) and isinstance(b, dict):
        return any(_share(a[key], b[key], depth + 1) for key in a.keys() & b.keys())
    return False


def _is_plain(value: Any, depth: int = 0) -> bool:
    if isinstance(value, _ATOMS):
        return True
    if isinstance(value, np.ndarray):
        return not value.dtype.hasobject
    if depth == _DEEPEST:
        return False
    parts: Any
    if isinstance(value, (list, tuple, set, frozenset)):
        parts = value
    elif isinstance(value, dict):
        parts = (*value, *value.values())
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = [getattr(value, one.name) for one in dataclasses.fields(value)]
    else:
        return isinstance(value, bytearray)
    return all(_is_plain(one, depth + 1) for one in parts)


def _is_ours(kind: type) -> bool:
    return f"{kind.__module__}.".startswith(_OURS)


@cache
def _set_by(kind: type) -> frozenset[str]:
    """Return the attributes that methods of one of pyrave's base classes assign."""
    if not _is_ours(kind):
        return frozenset()
    found = set()
    for value in vars(kind).values():
        both = (getattr(value, "fget", None), getattr(value, "fset", None))
        for function in (value, *both):
            code = getattr(function, "__code__", None)
            if code is not None:
                found |= {
                    one.argval
                    for one in dis.get_instructions(code)
                    if one.opname == "STORE_ATTR"
                }
    return frozenset(found)
