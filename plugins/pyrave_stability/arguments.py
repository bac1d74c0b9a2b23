"""Arguments that are one object or several."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from pyrave.errors import ArgumentError, shown

T = TypeVar("T")


def several(given: T | Iterable[T], kind: type[T]) -> tuple[T, ...]:
    """Return one item or an iterable of items as a tuple.

    Raises
    ------
    ArgumentError
        Something in it is not of that kind.
    """
    if isinstance(given, kind):
        return (given,)
    items: tuple[object, ...] = (given,)
    if isinstance(given, Iterable) and not isinstance(given, str):
        items = tuple(given)
    found = []
    for one in items:
        if not isinstance(one, kind):
            raise ArgumentError(f"expected a {kind.__name__}, got {shown(one)}")
        found.append(one)
    return tuple(found)
