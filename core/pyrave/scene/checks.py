"""What the values of descriptions must fulfil, whichever way they come in.

Readers check tags where they read them. Here are the same rules for descriptions that
scripts make, for fields of ``<pyrave>`` elements and for scenes that are to be written.
What a field may hold follows from its annotation; what goes beyond is in `_RULES`.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from itertools import islice, pairwise
from typing import Any, TypeVar

import numpy as np

from pyrave.errors import ArgumentError, did_you_mean, shortened
from pyrave.scene import body as bodies
from pyrave.scene import contact as contacts
from pyrave.scene import description as scenes
from pyrave.scene import geometry as geometries
from pyrave.scene import physics
from pyrave.scene.pose import IDENTITY, Pose
from pyrave.scene.readable import Readable
from pyrave.spatial import nearest_rotations

HUGE = 1e30
"""Magnitude above which no length, mass or inertia has a meaning."""

Described = TypeVar("Described")
_Place = tuple[Any, ...]  # (place of the owner, name or index), () at the root
_Fit = Callable[[Any, _Place, "list[Fault]"], Any]
_ROTATION_TOLERANCE = 1e-4
_ROUNDING = 1e-12
_MOST = 20
_EYE = IDENTITY.rotation
_UNCHECKED = frozenset({"composition", "location", "problems", "readables", "uri"})


@dataclasses.dataclass(frozen=True, slots=True)
class Fault:
    """One value that no description may hold.

    Parameters
    ----------
    place
        The steps from the root to the value, nested: ``((), "links"), 0), "name"``.
    text
        What is wrong with it: "is -1, expected 0 or more".
    """

    place: _Place
    text: str

    def __str__(self) -> str:
        return f"{_path(self.place)} {self.text}".lstrip()


class _UnfitError(Exception):
    """A rule refuses a value; the text says why."""


def validated(kind: type[Described], description: Any) -> Described:
    """Return a description of a kind with all values in their own types.

    Numbers become floats, lists and arrays become tuples, directions get length 1, and
    rotations that were rounded become exact. What fits already is returned as it is.

    Raises
    ------
    ArgumentError
        It is of another kind, or it holds values without meaning: lists them all, with
        their paths in the description.
    """
    if not isinstance(description, kind):
        raise ArgumentError(
            f"expected a {kind.__name__}, got {type(description).__name__}"
        )
    made, faults = coerced(description)
    if not faults:
        return made
    what = f"{type(description).__name__} {getattr(description, 'name', '')!r}"
    lines = [shortened(str(fault)) for fault in islice(faults, _MOST)]
    if len(faults) > _MOST:
        lines.append(f"and {len(faults) - _MOST} more")
    if len(lines) == 1:
        raise ArgumentError(f"{what}: {lines[0]}")
    raise ArgumentError("\n  ".join((f"{what} has values without meaning:", *lines)))


def coerced(description: Described) -> tuple[Described, list[Fault]]:
    """Return a description as `validated` does, and all that is wrong with it."""
    faults: list[Fault] = []
    return _fit_object(description, (), faults), faults


def coerced_field(cls: type[Any], name: str, value: Any) -> tuple[Any, list[Fault]]:
    """Return the value of one field of a class, and what is wrong with it."""
    faults: list[Fault] = []
    for field, _, _, fit in _plan(cls):
        if field == name:
            value = fit(value, ((), name), faults)
    return value, faults


def _path(place: _Place) -> str:
    if not place:
        return ""
    owner, step = _path(place[0]), place[1]
    if isinstance(step, int):
        return f"{owner}[{step}]"
    return f"{owner}.{step}" if owner else str(step)


# -- rules: they return the value, as it should be, or raise ---------------------------


def _not_negative(value: Any) -> Any:
    numbers = value if isinstance(value, tuple) else (value,)
    for number in numbers:
        if not number >= 0.0:
            raise _UnfitError(f"is {number}, expected 0 or more")
    return value


def _direction(value: Any) -> Any:
    length = math.hypot(*value)
    if abs(length - 1.0) <= _ROUNDING:
        return value
    if not length > 0.0:
        raise _UnfitError(f"is {value}, which is no direction")
    return tuple(number / length for number in value)


def _rotation(value: Any) -> Any:
    if value == _EYE:
        return value
    a, b, c, d, e, f, g, h, i = value
    off = max(
        abs(a * a + b * b + c * c - 1.0),
        abs(d * d + e * e + f * f - 1.0),
        abs(g * g + h * h + i * i - 1.0),
        abs(a * d + b * e + c * f),
        abs(a * g + b * h + c * i),
        abs(d * g + e * h + f * i),
    )
    turned = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if off > _ROTATION_TOLERANCE or turned <= 0.0:
        raise _UnfitError(f"is {value}, expected a rotation")
    if off <= _ROUNDING:
        return value
    nearest = nearest_rotations(np.array(value).reshape(3, 3))
    return tuple(nearest.ravel().tolist())


def _fraction(value: Any) -> Any:
    if not 0.0 <= value <= 1.0:
        raise _UnfitError(f"is {value}, expected 0 to 1")
    return value


def _rising(times: Any) -> Any:
    if len(times) < 2 or any(a >= b for a, b in pairwise(times)):
        raise _UnfitError(f"is {times}, expected 2 or more rising times")
    return times


_Rule = Callable[[Any], Any]
_RATES = (
    *("velocity_limit", "acceleration_limit", "jerk_limit", "torque_limit"),
    *("inertia_limit", "hard_velocity_limit", "hard_acceleration_limit"),
    "hard_jerk_limit",
)
_SIZES: Mapping[type[Any], tuple[str, ...]] = {
    geometries.Box: ("half_extents",),
    geometries.Cage: ("half_extents",),
    geometries.Sphere: ("radius",),
    geometries.Cylinder: ("radius", "height"),
    geometries.Capsule: ("radius", "height"),
    geometries.Prism: ("height",),
    geometries.Container: ("outer_extents", "inner_extents", "bottom_cross", "bottom"),
    bodies.Inertial: ("mass",),
    bodies.JointAxis: ("weight", *_RATES),
    contacts.ContactDescription: ("max_normal_force",),
    physics.Friction: ("coefficient",),
}
_RULES: Mapping[tuple[type[Any], str], _Rule] = {
    **{(cls, name): _not_negative for cls, names in _SIZES.items() for name in names},
    (bodies.JointAxis, "direction"): _direction,
    (bodies.JointPath, "times"): _rising,
    (bodies.ManipulatorDescription, "direction"): _direction,
    (Pose, "rotation"): _rotation,
    (physics.Restitution, "coefficient"): _fraction,
}
_BOUNDS = ("lower", "upper", "hard_lower", "hard_upper")
_MAY_BE_INFINITE = frozenset({
    *((bodies.JointAxis, name) for name in (*_BOUNDS, *_RATES)),
    (contacts.ContactDescription, "max_normal_force"),
    (physics.Limits, "lower"),
    (physics.Limits, "upper"),
})  # fmt: skip


# -- rules about several fields of an object -------------------------------------------


def _check_limits(axis: Any, place: _Place, faults: list[Fault]) -> None:
    if axis.lower > axis.upper:
        text = f"is {axis.lower}, which is above the upper limit {axis.upper}"
        faults.append(Fault((place, "lower"), text))


def _check_path(path: Any, place: _Place, faults: list[Fault]) -> None:
    if len(path.times) != len(path.poses):
        text = f"has {len(path.times)} times for {len(path.poses)} poses"
        faults.append(Fault(place, text))


def _check_cage(cage: Any, place: _Place, faults: list[Fault]) -> None:
    for index, (_, half) in enumerate(cage.walls):
        for number in half:
            if not number >= 0.0:
                text = f"is {number}, expected 0 or more"
                faults.append(Fault((((place, "walls"), index), 1), text))


def _check_mesh(mesh: Any, place: _Place, faults: list[Fault]) -> None:
    vertices, faces = mesh.vertices, mesh.faces
    # not a number is not below anything
    if vertices.size and not abs(vertices).max() <= HUGE:
        text = "holds a value that is not finite or absurdly large"
        faults.append(Fault((place, "vertices"), text))
    if faces.size and not 0 <= faces.min() <= faces.max() < len(vertices):
        faults.append(Fault((place, "faces"), "names a vertex that is not there"))


def _check_constraint(one: Any, place: _Place, faults: list[Fault]) -> None:
    freedoms = one.freedoms
    if len(one.limits) > len(freedoms):
        text = f"has {len(one.limits)} rows, a {one.kind} has {len(freedoms)} freedoms"
        faults.append(Fault((place, "limits"), text))
    spring = one.spring or physics.Spring()
    for name, rows in (("compliance", spring.compliance), ("damping", spring.damping)):
        if rows and {len(freedoms)} != {len(rows), *map(len, rows)}:
            n = len(freedoms)
            text = f"has {len(rows)} rows of {[*map(len, rows)]}, expected {n}x{n}"
            faults.append(Fault(((place, "spring"), name), text))


_WHOLE: Mapping[type[Any], Callable[[Any, _Place, list[Fault]], None]] = {
    bodies.JointAxis: _check_limits,
    physics.Limits: _check_limits,
    bodies.JointPath: _check_path,
    geometries.Cage: _check_cage,
    geometries.MeshData: _check_mesh,
    physics.ConstraintDescription: _check_constraint,
}


# -- types -----------------------------------------------------------------------------


def _fit_object(value: Any, place: _Place, faults: list[Fault]) -> Any:
    """Fit all fields of a description; what fits already stays the same object."""
    cls = type(value)
    before = len(faults)
    changed: dict[str, Any] = {}
    for name, default, plain, fit in _plan(cls):
        item = getattr(value, name)
        if item is not default and type(item) is not plain:
            made = fit(item, (place, name), faults)
            if made is not item:
                changed[name] = made
    if len(faults) > before:
        return value
    if changed:
        value = dataclasses.replace(value, **changed)
    whole = _WHOLE.get(cls)
    if whole is not None:
        whole(value, place, faults)
    return value


_Column = tuple[str, Any, Any, _Fit]
_plans: dict[type[Any], tuple[_Column, ...]] = {}


def _plan(cls: type[Any]) -> tuple[_Column, ...]:
    """Return the name, default, type without further rules and fit of each field."""
    known = _plans.get(cls)
    if known is None:
        hints = typing.get_type_hints(cls, localns=_names())
        known = _plans[cls] = tuple(
            (
                field.name,
                field.default,
                hints[field.name] if hints[field.name] in {str, bool} else None,
                _field_fit(cls, field.name, hints[field.name]),
            )
            for field in dataclasses.fields(cls)
            if field.name not in _UNCHECKED
        )
    return known


def _names() -> dict[str, Any]:
    from numpy.typing import NDArray

    modules = (geometries, contacts, bodies, physics, scenes)
    named = {name: one for module in modules for name, one in vars(module).items()}
    return {**named, "NDArray": NDArray, "np": np}


def _field_fit(cls: type[Any], name: str, hint: Any) -> _Fit:
    fit = _fit_of(hint)
    if any((c, name) in _MAY_BE_INFINITE for c in cls.__mro__):
        fit = _bound
    rule = next((_RULES[c, name] for c in cls.__mro__ if (c, name) in _RULES), None)
    if rule is None:
        return fit

    def ruled(value: Any, place: _Place, faults: list[Fault]) -> Any:
        before = len(faults)
        value = fit(value, place, faults)
        if len(faults) > before:
            return value
        try:
            return rule(value)
        except _UnfitError as error:
            faults.append(Fault(place, str(error)))
            return value

    return ruled


def _fit_of(hint: Any) -> _Fit:
    """Return what brings a value to an annotated type."""
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in {typing.Union, types.UnionType}:
        return _union(arguments)
    if origin is typing.Literal:
        return _choice(arguments)
    if origin is tuple:
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return _sequence(_fit_of(arguments[0]), tuple)
        if set(arguments) == {float}:
            return _numbers(len(arguments))
        return _record([_fit_of(one) for one in arguments])
    if origin is frozenset:
        return _sequence(_fit_of(arguments[0]), frozenset)
    if _is_description(hint):
        return _union((hint,))
    return _anything


def _is_description(hint: Any) -> bool:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def _anything(value: Any, _place: _Place, _faults: list[Fault]) -> Any:
    return value


def _instance(cls: type[Any], name: str) -> _Fit:
    def fit(value: Any, place: _Place, faults: list[Fault]) -> Any:
        if not isinstance(value, cls):
            faults.append(Fault(place, f"is {value!r}, expected {name}"))
        return value

    return fit


def _truth(value: Any, place: _Place, faults: list[Fault]) -> Any:
    if isinstance(value, np.bool_):
        return bool(value)
    if not isinstance(value, bool):
        faults.append(Fault(place, f"is {value!r}, expected True or False"))
    return value


def _number(value: Any, place: _Place, faults: list[Fault]) -> Any:
    if type(value) is float and -HUGE <= value <= HUGE:
        return value
    number = _bound(value, place, faults)
    if type(number) is float and not math.isnan(number) and not abs(number) <= HUGE:
        kind = "not finite" if math.isinf(number) else "absurdly large"
        faults.append(Fault(place, f"is {number}, which is {kind}"))
    return number


def _bound(value: Any, place: _Place, faults: list[Fault]) -> Any:
    """Fit a number that may be infinite."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value.item()
    if isinstance(value, bool) or not isinstance(
        value, (int, float, np.integer, np.floating)
    ):
        faults.append(Fault(place, f"is {value!r}, expected a number"))
        return value
    try:
        number = float(value)
    except OverflowError:
        faults.append(Fault(place, "is a number that is absurdly large"))
        return value
    if math.isnan(number):
        faults.append(Fault(place, "is nan, which is not finite"))
    return value if type(value) is float else number


def _numbers(count: int) -> _Fit:
    """Fit a tuple of so many numbers; arrays may have any shape of that size."""
    floats = (float,) * count

    def fit(value: Any, place: _Place, faults: list[Fault]) -> Any:
        if type(value) is tuple:
            # whatever is not finite or huge shows in the sum
            if tuple(map(type, value)) == floats and sum(map(abs, value)) <= HUGE:
                return value
        elif isinstance(value, np.ndarray):
            value = value.ravel()
        items = _items(value, place, faults)
        if items is None:
            return value
        if len(items) != count:
            text = f"is {value!r}, expected {count} numbers"
            faults.append(Fault(place, text))
            return value
        return tuple(_number(one, (place, i), faults) for i, one in enumerate(items))

    return fit


def _record(fits: list[_Fit]) -> _Fit:
    """Fit a tuple whose items have types of their own."""

    def fit(value: Any, place: _Place, faults: list[Fault]) -> Any:
        items = _items(value, place, faults)
        if items is None:
            return value
        if len(items) != len(fits):
            text = f"is {value!r}, expected {len(fits)} items"
            faults.append(Fault(place, text))
            return value
        pairs = enumerate(zip(fits, items, strict=True))
        made = tuple(one(item, (place, i), faults) for i, (one, item) in pairs)
        return _same(value, made)

    return fit


def _sequence(fit_item: _Fit, kind: type[Any]) -> _Fit:
    """Fit a tuple or a frozen set of any length."""

    def fit(value: Any, place: _Place, faults: list[Fault]) -> Any:
        items = _items(value, place, faults)
        if items is None:
            return value
        made = [fit_item(item, (place, i), faults) for i, item in enumerate(items)]
        if kind is tuple:
            return _same(value, tuple(made))
        try:
            return value if type(value) is kind else kind(made)
        except TypeError:
            faults.append(Fault(place, f"is {value!r}, expected pairs of names"))
            return value

    return fit


def _items(value: Any, place: _Place, faults: list[Fault]) -> Any:
    """Return the items of a sequence, None if it is none."""
    if isinstance(value, (tuple, list, frozenset, set)):
        return value
    if isinstance(value, np.ndarray) and value.ndim:
        return value.tolist()
    faults.append(Fault(place, f"is {value!r}, expected a tuple"))
    return None


def _same(value: Any, made: tuple[Any, ...]) -> Any:
    """Return the given tuple if nothing in it changed."""
    unchanged = type(value) is tuple and all(
        new is old for new, old in zip(made, value, strict=True)
    )
    return value if unchanged else made


def _union(choices: tuple[Any, ...]) -> _Fit:
    """Fit one of several kinds of descriptions, or None and another type."""
    kinds = tuple(one for one in choices if _is_description(one))
    others = [one for one in choices if one not in kinds and one is not type(None)]
    optional = type(None) in choices
    if len(others) > 1 and str in others:  # a text, or what else is allowed
        others.remove(str)
        fit_rest = _union(tuple(one for one in choices if one is not str))
        return lambda value, place, faults: (
            value if isinstance(value, str) else fit_rest(value, place, faults)
        )
    if others:
        (other,) = others
        fit_other = _fit_of(other)
    expected = ", ".join(kind.__name__ for kind in kinds)
    expected = f"one of {expected}" if len(kinds) > 1 else expected

    def fit(value: Any, place: _Place, faults: list[Fault]) -> Any:
        if value is None and optional:
            return None
        if isinstance(value, kinds):
            return _fit_object(value, place, faults)
        if others:
            return fit_other(value, place, faults)
        faults.append(Fault(place, f"is {value!r}, expected {expected}"))
        return value

    return fit


def _choice(choices: tuple[Any, ...]) -> _Fit:
    def fit(value: Any, place: _Place, faults: list[Fault]) -> Any:
        if not isinstance(value, str) or value not in choices:
            near = did_you_mean(value, choices) if isinstance(value, str) else ""
            text = f"is {value!r}, expected one of {', '.join(choices)}{near}"
            faults.append(Fault(place, text))
        return value

    return fit


_SIMPLE: Mapping[Any, _Fit] = {
    float: _number,
    bool: _truth,
    str: _instance(str, "a text"),
    Readable: _instance(Readable, "what a custom reader returns"),
}
