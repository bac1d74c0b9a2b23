"""Functions that do what Python 2 did, for scripts that were converted from it.

A converted script imports them by name, so that it runs without `pyrave openrave`, too.
"""

from __future__ import annotations

import decimal
import functools
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

__all__ = [
    "cmp",
    "python2_divide",
    "python2_divide_in_place",
    "python2_method",
    "round_half_away",
    "sorted_by",
]

_DIVISION = ("__div__", "__rdiv__")


def python2_divide(left: Any, right: Any) -> Any:
    """Return ``left / right``, rounded down where both are integers.

    Arrays of integers count as integers, as do lists of them beside an array. Classes
    with ``__div__`` divide by that.
    """
    return _divide(left, right, operator.truediv, operator.floordiv)


def python2_divide_in_place(left: Any, right: Any) -> Any:
    """Return the value of a variable after ``left /= right``; arrays are changed."""
    return _divide(left, right, operator.itruediv, operator.ifloordiv)


def _divide(
    left: Any,
    right: Any,
    true: Callable[[Any, Any], Any],
    floor: Callable[[Any, Any], Any],
) -> Any:
    arrays = isinstance(left, np.ndarray) or isinstance(right, np.ndarray)
    if _is_integral(left, arrays) and _is_integral(right, arrays):
        return floor(left, right)
    for first, second, name in zip(
        (left, right), (right, left), _DIVISION, strict=True
    ):
        method = getattr(type(first), name, None)
        if method is not None:
            result = method(first, second)
            if result is not NotImplemented:
                return result
    return true(left, right)


def _is_integral(value: Any, arrays: bool) -> bool:
    if isinstance(value, (int, np.integer, np.bool_)):
        return True
    if arrays and isinstance(value, (list, tuple)):
        value = np.asarray(value)
    return isinstance(value, np.ndarray) and value.dtype.kind in "biu"


def python2_method(thing: Any, name: str, *arguments: Any, **named: Any) -> Any:
    """Call a method that Python 3 does not have, or with other arguments.

    ``has_key``, ``iteritems``, ``next``, ``decode`` of text, and ``sort`` of a list by
    a function that compares; where the thing has the method, that is called.
    """
    if name == "sort" and isinstance(thing, list) and len(arguments) == 1:
        thing.sort(key=_key(arguments[0]), **named)
        return None
    if name == "sort" and isinstance(thing, list) and "cmp" in named:
        thing.sort(key=_key(named["cmp"]), reverse=named.get("reverse", False))
        return None
    method = getattr(thing, name, None)
    if method is None:
        instead = _METHODS.get(name)
        if instead is not None and isinstance(thing, instead[0]):
            return instead[1](thing, *arguments)
        if name == "next" and hasattr(thing, "__next__"):
            return next(thing, *arguments)
        method = getattr(thing, name)  # says that there is none
    return method(*arguments, **named)


_METHODS: dict[str, tuple[type, Callable[..., Any]]] = {
    "has_key": (dict, operator.contains),
    "iteritems": (dict, lambda thing: iter(thing.items())),
    "iterkeys": (dict, iter),
    "itervalues": (dict, lambda thing: iter(thing.values())),
    "viewitems": (dict, dict.items),
    "viewkeys": (dict, dict.keys),
    "viewvalues": (dict, dict.values),
    "decode": (str, lambda thing, *_: thing),
}
METHODS = frozenset({*_METHODS, "next", "sort"})
"""Names of the methods that `python2_method` knows."""


def cmp(left: Any, right: Any) -> int:
    """Return -1, 0 or 1: the first is less, they are equal, or it is greater."""
    return int(left > right) - int(left < right)


def _key(compare: Callable[[Any, Any], int] | None) -> Callable[[Any], Any] | None:
    return None if compare is None else functools.cmp_to_key(compare)


def sorted_by(
    things: Iterable[Any],
    cmp: Callable[[Any, Any], int] | None = None,
    key: Callable[[Any], Any] | None = None,
    reverse: bool = False,
) -> list[Any]:
    """Return a sorted list; `cmp` says of two things which is less."""
    if cmp is None:
        return sorted(things, key=key, reverse=reverse)
    compared = functools.cmp_to_key(cmp)
    if key is None:
        return sorted(things, key=compared, reverse=reverse)
    return sorted(things, key=lambda one: compared(key(one)), reverse=reverse)


def round_half_away(number: Any, digits: int = 0) -> Any:
    """Return a number as a float, rounded; halves go away from zero."""
    if not isinstance(number, (int, float, np.floating)) or not math.isfinite(number):
        return round(number, digits)
    unit = decimal.Decimal(1).scaleb(-digits)
    exact = decimal.Decimal(float(number))
    try:
        return float(exact.quantize(unit, decimal.ROUND_HALF_UP))
    except decimal.InvalidOperation:  # it has fewer digits than that
        return float(number)
