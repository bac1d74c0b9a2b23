"""Conversion of values to the types that dataclasses and functions annotate.

Numbers become floats, lists and arrays become tuples; what does not fit is collected as
faults with their places.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from pyrave.errors import did_you_mean, shown

HUGE = 1e30
"""Magnitude above which no length, mass or inertia has a meaning."""
Place = tuple[Any, ...]
"""(place of the owner, name or index), () at the root."""
Fit = Callable[[Any, Place, "list[Fault]"], Any]
Rule = Callable[[Any], Any]
"""Returns a value as it should be, or raises `UnfitError`."""
_MAX_BITS = 64


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """One value that does not fit.

    Parameters
    ----------
    place
        The steps from the root to the value, nested: ``((), "links"), 0), "name"``.
    text
        What is wrong with it: "is -1, expected 0 or more".
    """

    place: Place
    text: str

    def __str__(self) -> str:
        return f"{_path(self.place)} {self.text}".lstrip()


class UnfitError(Exception):
    """A rule refuses a value; the text says why."""


def _path(place: Place) -> str:
    if not place:
        return ""
    owner, step = _path(place[0]), place[1]
    if isinstance(step, int):
        return f"{owner}[{step}]"
    return f"{owner}.{step}" if owner else str(step)


def _no_names() -> dict[str, Any]:
    return {}


_Column = tuple[str, Any, Any, Fit]


@dataclasses.dataclass(frozen=True, eq=False)
class Coercion:
    """Conditions on values of annotated types.

    Parameters
    ----------
    names
        Returns what annotations name that their modules import for type checkers only.
    rules
        By class and field: what goes beyond the annotation.
    infinite
        Classes and fields of numbers that may be infinite or huge.
    whole
        By class: rules about several fields.
    unchecked
        Fields that hold anything.
    simple
        Fits of further types, or of known ones in another way.
    """

    names: Callable[[], dict[str, Any]] = _no_names
    rules: Mapping[tuple[type[Any], str], Rule] = dataclasses.field(
        default_factory=dict
    )
    infinite: Collection[tuple[type[Any], str]] = ()
    whole: Mapping[type[Any], Callable[[Any, Place, list[Fault]], None]] = (
        dataclasses.field(default_factory=dict)
    )
    unchecked: Collection[str] = ()
    simple: Mapping[Any, Fit] = dataclasses.field(default_factory=dict)
    _plans: dict[type[Any], tuple[_Column, ...]] = dataclasses.field(
        default_factory=dict
    )

    def object(
        self, value: Any, place: Place = (), faults: list[Fault] | None = None
    ) -> tuple[Any, list[Fault]]:
        """Return a dataclass instance whose fields fit, and all that does not.

        What fits already stays the same object.
        """
        faults = [] if faults is None else faults
        return self._fit_object(value, place, faults), faults

    def field(self, cls: type[Any], name: str, value: Any) -> tuple[Any, list[Fault]]:
        """Return the value of one field of a class, and what is wrong with it."""
        faults: list[Fault] = []
        for known, _, _, fit in self.plan(cls):
            if known == name:
                value = fit(value, ((), name), faults)
        return value, faults

    def value(self, hint: Any, value: Any) -> tuple[Any, list[Fault]]:
        """Return a value of an annotated type, and what is wrong with it."""
        faults: list[Fault] = []
        return self._fit_of(hint)(value, (), faults), faults

    def plan(self, cls: type[Any]) -> tuple[_Column, ...]:
        """Return name, default, type without further rules and fit of each field."""
        known = self._plans.get(cls)
        if known is None:
            hints = typing.get_type_hints(cls, localns=self.names())
            known = self._plans[cls] = tuple(
                (
                    field.name,
                    field.default,
                    hints[field.name] if hints[field.name] in {str, bool} else None,
                    self._field_fit(cls, field.name, hints[field.name]),
                )
                for field in dataclasses.fields(cls)
                if field.name not in self.unchecked
            )
        return known

    def _fit_object(self, value: Any, place: Place, faults: list[Fault]) -> Any:
        cls = type(value)
        before = len(faults)
        changed: dict[str, Any] = {}
        for name, default, plain, fit in self.plan(cls):
            item = getattr(value, name)
            if item is not default and type(item) is not plain:
                made = fit(item, (place, name), faults)
                if made is not item:
                    changed[name] = made
        if len(faults) > before:
            return value
        if changed:
            value = dataclasses.replace(value, **changed)
        whole = self.whole.get(cls)
        if whole is not None:
            whole(value, place, faults)
        return value

    def _field_fit(self, cls: type[Any], name: str, hint: Any) -> Fit:
        fit = self._fit_of(hint)
        keys = [(one, name) for one in cls.__mro__]
        if any(key in self.infinite for key in keys):
            fit = bound
        rule = next((self.rules[key] for key in keys if key in self.rules), None)
        if rule is None:
            return fit

        def ruled(value: Any, place: Place, faults: list[Fault]) -> Any:
            before = len(faults)
            value = fit(value, place, faults)
            if len(faults) > before:
                return value
            try:
                return rule(value)
            except UnfitError as error:
                faults.append(Fault(place, str(error)))
                return value

        return ruled

    def _fit_of(self, hint: Any) -> Fit:
        """Return a function that converts values to an annotated type."""
        if hint in self.simple or hint in _SIMPLE:
            return self.simple.get(hint) or _SIMPLE[hint]
        origin, arguments = typing.get_origin(hint), typing.get_args(hint)
        if origin in {typing.Union, types.UnionType}:
            return self._union(arguments)
        if origin is typing.Literal:
            return _choice(arguments)
        if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
            if set(arguments) == {float} and float not in self.simple:
                return _numbers(len(arguments))
            return self._record(arguments)
        if origin in {tuple, list, frozenset}:
            return _sequence(self._fit_of((*arguments, Any)[0]), origin)
        if isinstance(hint, type) and dataclasses.is_dataclass(hint):
            return self._union((hint,))
        return _anything

    def _record(self, hints: tuple[Any, ...]) -> Fit:
        """Fit a tuple whose items have types of their own."""
        fits = [self._fit_of(one) for one in hints]
        kind = "numbers" if set(hints) == {float} else "items"

        def fit(value: Any, place: Place, faults: list[Fault]) -> Any:
            items = _items(value)
            if items is None or len(items) != len(fits):
                text = f"is {shown(value)}, expected {len(fits)} {kind}"
                faults.append(Fault(place, text))
                return value
            pairs = enumerate(zip(fits, items, strict=True))
            made = tuple(one(item, (place, i), faults) for i, (one, item) in pairs)
            return _same(value, made)

        return fit

    def _union(self, choices: tuple[Any, ...]) -> Fit:
        """Fit one of several dataclasses, or None, a text and one other type."""
        kinds = tuple(
            one
            for one in choices
            if isinstance(one, type) and dataclasses.is_dataclass(one)
        )
        others = [one for one in choices if one not in (*kinds, types.NoneType)]
        optional = types.NoneType in choices
        text = len(others) > 1 and str in others
        if text:
            others.remove(str)
        fits = [self._fit_of(one) for one in others[:1]]
        expected = ", ".join(kind.__name__ for kind in kinds)
        expected = f"one of {expected}" if len(kinds) > 1 else expected

        def fit(value: Any, place: Place, faults: list[Fault]) -> Any:
            if (value is None and optional) or (text and isinstance(value, str)):
                return value
            if isinstance(value, kinds):
                return self._fit_object(value, place, faults)
            for one in fits:
                return one(value, place, faults)
            faults.append(Fault(place, f"is {shown(value)}, expected {expected}"))
            return value

        return fit


def _anything(value: Any, _place: Place, _faults: list[Fault]) -> Any:
    return value


def instance(cls: type[Any], name: str) -> Fit:
    """Return a function that refuses values that are no instance of a class."""

    def fit(value: Any, place: Place, faults: list[Fault]) -> Any:
        if not isinstance(value, cls):
            faults.append(Fault(place, f"is {shown(value)}, expected {name}"))
        return value

    return fit


def _truth(value: Any, place: Place, faults: list[Fault]) -> Any:
    if isinstance(value, np.bool_):
        return bool(value)
    if not isinstance(value, bool):
        faults.append(Fault(place, f"is {shown(value)}, expected True or False"))
    return value


def _whole(value: Any, place: Place, faults: list[Fault]) -> Any:
    """Fit a whole number, which may be a float."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        value = int(value)
    expected = "a whole number"
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        number = int(value)
        if abs(number) <= 2**_MAX_BITS:
            return number
        expected += f" of at most {_MAX_BITS} bits"
    faults.append(Fault(place, f"is {shown(value)}, expected {expected}"))
    return value


def _number(value: Any, place: Place, faults: list[Fault]) -> Any:
    if type(value) is float and -HUGE <= value <= HUGE:
        return value
    number = bound(value, place, faults)
    if type(number) is float and not math.isnan(number) and not abs(number) <= HUGE:
        kind = "not finite" if math.isinf(number) else "absurdly large"
        faults.append(Fault(place, f"is {number}, which is {kind}"))
    return number


def bound(value: Any, place: Place, faults: list[Fault]) -> Any:
    """Fit a number that may be infinite."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        faults.append(Fault(place, f"is {shown(value)}, expected a number"))
        return value
    try:
        number = float(value)
    except OverflowError:
        faults.append(Fault(place, "is a number that is absurdly large"))
        return value
    if math.isnan(number):
        faults.append(Fault(place, "is nan, expected a finite number"))
    return value if type(value) is float else number


def _numbers(count: int) -> Fit:
    """Fit a tuple of so many numbers; arrays may have any shape of that size."""
    floats = (float,) * count

    def fit(value: Any, place: Place, faults: list[Fault]) -> Any:
        if type(value) is tuple:
            # whatever is not finite or huge shows in the sum
            if tuple(map(type, value)) == floats and sum(map(abs, value)) <= HUGE:
                return value
        elif isinstance(value, np.ndarray):
            value = value.ravel()
        items = _items(value)
        if items is None or len(items) != count:
            text = f"is {shown(value)}, expected {count} numbers"
            faults.append(Fault(place, text))
            return value
        return tuple(_number(one, (place, i), faults) for i, one in enumerate(items))

    return fit


def _sequence(fit_item: Fit, kind: type[Any]) -> Fit:
    """Fit a tuple, a list or a frozen set of any length."""

    def fit(value: Any, place: Place, faults: list[Fault]) -> Any:
        items = _items(value, ordered=kind is tuple)
        if items is None:
            faults.append(
                Fault(place, f"is {shown(value)}, expected a {kind.__name__}")
            )
            return value
        made = [fit_item(item, (place, i), faults) for i, item in enumerate(items)]
        if kind is tuple:
            return _same(value, tuple(made))
        try:
            return value if type(value) is kind is frozenset else kind(made)
        except TypeError:
            faults.append(Fault(place, f"is {shown(value)}, expected pairs of names"))
            return value

    return fit


def _items(value: Any, *, ordered: bool = True) -> Any:
    """Return the items of a sequence, None if it is none; sets have no order."""
    if isinstance(value, (tuple, list)):
        return value
    if isinstance(value, (frozenset, set)):
        return None if ordered else value
    return value.tolist() if isinstance(value, np.ndarray) and value.ndim else None


def _same(value: Any, made: tuple[Any, ...]) -> Any:
    """Return the given tuple if nothing in it changed."""
    unchanged = type(value) is tuple and all(
        new is old for new, old in zip(made, value, strict=True)
    )
    return value if unchanged else made


def _choice(choices: tuple[Any, ...]) -> Fit:
    def fit(value: Any, place: Place, faults: list[Fault]) -> Any:
        if isinstance(value, np.ndarray) or value not in choices:
            names = list(map(str, choices))
            near = did_you_mean(value, names) if isinstance(value, str) else ""
            text = f"is {shown(value)}, expected one of {', '.join(names)}{near}"
            faults.append(Fault(place, text))
        return value

    return fit


_SIMPLE: Mapping[Any, Fit] = {
    float: _number,
    bool: _truth,
    int: _whole,
    str: instance(str, "a text"),
}
