"""Copies of states, which are made in every save and every restore."""

from __future__ import annotations

import copy
from enum import Enum
from typing import Any, Self

import numpy as np


class Immutable:
    """Part of a state that nobody changes, its arrays neither: its copy is itself.

    For what is large, as trajectories are: robots are saved and put back all the time.
    """

    __slots__ = ()

    def __deepcopy__(self, _memo: object) -> Self:
        return self


class _UnusualError(Exception):
    """A value that only `copy.deepcopy` knows to copy."""


_ATOMS = frozenset({type(None), bool, int, float, complex, str, bytes, range})
_FIXED = (Immutable, Enum, np.number, np.bool_)


def copied(value: Any) -> Any:
    """Return a deep copy of a value, as `copy.deepcopy` does, five times as fast."""
    try:
        return _copied(value, set())
    except _UnusualError:
        return copy.deepcopy(value)


def _copied(value: Any, seen: set[int]) -> Any:
    """Return a copy of plain data of which nothing comes twice.

    Parameters
    ----------
    seen
        Ids of what was copied already.

    Raises
    ------
    _UnusualError
        It is not plain.
    """
    kind = type(value)
    if kind in _ATOMS or isinstance(value, _FIXED):
        return value
    if id(value) in seen:
        raise _UnusualError
    if kind is np.ndarray and not value.dtype.hasobject:
        seen.add(id(value))
        return value.copy(order="K")
    if kind is dict:
        seen.add(id(value))
        return {key: _copied(one, seen) for key, one in value.items()}
    if kind is list:
        seen.add(id(value))
        return [_copied(one, seen) for one in value]
    if kind is tuple:
        found = tuple([_copied(one, seen) for one in value])
        same = all(one is other for one, other in zip(found, value, strict=True))
        return value if same else found
    raise _UnusualError
