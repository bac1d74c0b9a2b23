"""Types of settings: in words, how values are brought to them, and read from texts."""

from __future__ import annotations

import functools
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from pyrave.interfaces.settings.words import split_texts

_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


@functools.cache
def without_none(hint: Any) -> tuple[Any, bool]:
    """Return a type without None, and whether None was allowed."""
    if typing.get_origin(hint) not in {typing.Union, types.UnionType}:
        return hint, False
    parts = typing.get_args(hint)
    rest = [one for one in parts if one is not types.NoneType]
    if len(rest) == len(parts):
        return hint, False
    plain = rest[0] if len(rest) == 1 else typing.Union[tuple(rest)]  # noqa: UP007
    return plain, True


@functools.cache
def _is_numbers(hint: Any) -> bool:
    """Return True if a type is that of one number or several."""
    if typing.get_origin(hint) not in {typing.Union, types.UnionType}:
        return False
    parts = set(typing.get_args(hint))
    return parts == {float, tuple[float, ...]}


@functools.cache
def _is_array(hint: Any) -> bool:
    origin = typing.get_origin(hint)
    # NDArray of numpy 2.5 is an alias that knows what it stands for
    aliased = typing.get_origin(getattr(origin, "__value__", None))
    return np.ndarray in {hint, origin, aliased}


@functools.cache
def is_many(hint: Any) -> bool:
    """Return True for a tuple."""
    plain, _ = without_none(hint)
    return typing.get_origin(plain) is tuple


def is_simple(hint: Any) -> bool:
    """Return True for a type that settings may have."""
    if hint in {bool, int, float, str} or _is_array(hint) or _is_numbers(hint):
        return True
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        # one type for all: what fits one of them fits each
        kinds = set(parts) - {Ellipsis}
        return len(kinds) == 1 and kinds <= {float, int, str}
    return origin is typing.Literal


def type_text(hint: Any) -> str:
    """Return a type in words."""
    plain, optional = without_none(hint)
    text = _TYPES.get(plain) if isinstance(plain, type) else None
    if text is None:
        parts = typing.get_args(plain)
        if _is_array(plain):
            text = "numbers"
        elif _is_numbers(plain):
            text = "one number or one for each joint"
        elif typing.get_origin(plain) is tuple:
            what = "texts" if str in parts else "numbers"
            text = what if Ellipsis in parts else f"{len(parts)} {what}"
        elif typing.get_origin(plain) is typing.Literal:
            text = f"one of {', '.join(map(str, parts))}"
        else:
            text = getattr(plain, "__name__", str(plain))
    return f"{text} or None" if optional else text


_TYPES = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
}


@functools.cache
def fit_of(hint: Any) -> Callable[[Any], Any]:
    """Return a converter to a type, which raises TypeError or ValueError."""
    plain, optional = without_none(hint)
    made = _fit_plain(plain)
    return (lambda value: None if value is None else made(value)) if optional else made


def _fit_plain(hint: Any) -> Callable[[Any], Any]:
    if isinstance(hint, type) and hint in _FITS:
        return _FITS[hint]
    if _is_array(hint):
        return _as_array
    if _is_numbers(hint):
        return _one_or_many
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and is_simple(hint):
        one = _FITS[parts[0]]
        count = None if Ellipsis in parts else len(parts)
        return lambda value: _as_tuple(one, count, value)
    return lambda value: value


def _as_truth(value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)) or (
        isinstance(value, (int, np.integer)) and value in {0, 1}
    ):
        return bool(value)
    raise TypeError


def _as_whole(value: Any) -> int:
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return int(value)
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        return int(value)
    raise TypeError


def _as_number(value: Any) -> float:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    fits = isinstance(value, (int, float, np.integer, np.floating))
    if not fits or isinstance(value, bool):
        raise TypeError
    return float(value)


def _as_text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _as_array(value: Any) -> np.ndarray:
    found = np.asarray(value)
    if found.dtype.kind not in "biuf":
        raise TypeError
    made: np.ndarray = found.astype(np.float64)
    made.setflags(write=False)  # settings are frozen, and defaults are shared
    return made


def _one_or_many(value: Any) -> Any:
    if type(value) in {float, int} or np.ndim(value) == 0:
        return _as_number(value)
    return _floats(value)


def _floats(value: Any) -> Any:
    return _as_tuple(_as_number, None, value)


def _as_tuple(one: Callable[[Any], Any], count: int | None, value: Any) -> Any:
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist()
    if count is None and isinstance(value, (int, float, np.integer, np.floating)):
        value = (value,)  # as the text of one number is several, too
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise TypeError
    made = tuple(map(one, value))
    if count is not None and len(made) != count:
        raise ValueError
    return made


_FITS: Mapping[Any, Callable[[Any], Any]] = {
    bool: _as_truth,
    int: _as_whole,
    float: _as_number,
    str: _as_text,
}


def from_text(hint: Any, text: str, choices: tuple[Any, ...]) -> Any:
    """Return the value of a type that a text says, or raise KeyError or ValueError."""
    if hint is bool:
        return _TRUTHS[text.lower()]
    if hint is int:
        return int(text)
    if hint is float:
        return float(text)
    if choices and not is_many(hint):
        # files and command lines do not mind case
        return next((c for c in choices if str(c).lower() == text.lower()), text)
    parts = text.replace(",", " ").split()
    if _is_array(hint):
        return np.array([float(one) for one in parts])
    if _is_numbers(hint):
        numbers = tuple(float(one) for one in parts)
        return numbers[0] if len(numbers) == 1 else numbers
    if typing.get_origin(hint) is tuple:
        one = typing.get_args(hint)[0]
        parts = split_texts(text) if one is str else parts
        return tuple(from_text(one, part, choices) for part in parts)
    return text
