"""Checks of the shapes and numbers of measurements."""

from __future__ import annotations

import dataclasses
from functools import cache
from numbers import Real
from operator import attrgetter
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from pyrave.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

# a letter is a number that is the same in all fields; "|" separates what is allowed
_SHAPES: Mapping[str, Mapping[str, str]] = {
    "SensorData": {"pose": "4 4"},
    "LaserData": {
        "positions": "1 3|n 3",
        "ranges": "n 3",
        "intensity": "n|0",
        "body_ids": "n|0",
        "rings": "n|0",
        "time_offsets": "n|0",
    },
    "JointEncoderData": {"values": "n", "velocities": "n|0"},
    "Force6DData": {"force": "3", "torque": "3", "saturated": "6"},
    "IMUData": {
        "rotation": "4",
        "angular_velocity": "3",
        "linear_acceleration": "3",
        "rotation_covariance": "3 3",
        "angular_velocity_covariance": "3 3",
        "linear_acceleration_covariance": "3 3",
    },
    "OdometryData": {
        "target_pose": "4 4",
        "linear_velocity": "3",
        "angular_velocity": "3",
        "pose_covariance": "6 6",
        "velocity_covariance": "6 6",
    },
    "TactileData": {"forces": "n 3", "force_covariance": "3 3"},
    "ContactData": {"points": "n 3", "normals": "n 3"},
    "TactileArrayData": {"pressures": "r c"},
    "ActuatorData": {},
    "CameraData": {},
}
"""Shapes of the fields of classes of `pyrave.sensing.data`, by their names."""
_HOME = "pyrave.sensing.data"
_ARRAY = np.ndarray
_PLACES = {"pose", "target_pose"}
_MAY_BE_NAN = {"disparity", "measured_current", "applied_current"}
_MAY_BE_INFINITE = {"depth", "distance"}
_NUMBERS = ("biuf", "numbers")
_WHOLE = ("iu", "whole numbers")
_TYPES: Mapping[str, tuple[str, str]] = {
    "body_ids": _WHOLE,
    "link_indices": _WHOLE,
    "geometry_indices": _WHOLE,
    "rings": _WHOLE,
    "saturated": ("b", "truth values"),
    "occluded": ("b", "truth values"),
}
"""Kinds of numbers that a field may have, and in words, unless all."""


def shapes_of(data: Any) -> tuple[object, ...]:
    """Return shapes and types of the fields: equal ones have equal `shape_problem`."""
    kind: Any = data.__class__
    return (
        kind,
        *[
            (value.shape, value.dtype) if value.__class__ is _ARRAY else value.__class__
            for value in values_of(kind)(data)
        ],
    )


@cache
def _names(kind: Hashable) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cast("Any", kind)))


@cache
def values_of(kind: Hashable) -> Callable[[Any], tuple[Any, ...]]:
    """Return a getter of the values of all fields of a class of data."""
    return attrgetter(*_names(kind))


def shape_problem(data: Any) -> str | None:
    """Return the fault in shapes and types of a measurement, or None.

    Of a kind that pyrave does not know only stamp and pose are looked at, and whether
    arrays hold numbers or texts.
    """
    sizes: dict[str, int] = {}
    kind: Any = type(data)
    known, is_image = _fields(kind)
    ours = is_image or _is_ours(kind)
    for name in _names(kind):
        value = getattr(data, name)
        problem = _problem(name, value, known.get(name), sizes)
        if problem is None and ours:
            problem = _type_problem(name, value)
        if problem is not None:
            return f"{type(data).__name__}.{name} {problem}"
    return _picture_problem(data) if is_image else None


def _is_ours(kind: Any) -> bool:
    return kind.__module__ == _HOME and kind.__name__ in _SHAPES


@cache
def _fields(kind: Hashable) -> tuple[Mapping[str, str], bool]:
    """Return the shapes of a class's fields, and whether it has images."""
    ancestors = reversed(cast("Any", kind).__mro__)
    ours = [one for one in ancestors if _is_ours(one)]
    shapes = {k: v for one in ours for k, v in _SHAPES[one.__name__].items()}
    return shapes, any(one.__name__ == "CameraData" for one in ours)


def data_problem(data: Any) -> str | None:
    """Return the fault in shapes, types or numbers of a measurement, or None."""
    problem = shape_problem(data)
    if problem is not None:
        return problem
    kind: Any = type(data)
    ours = _is_ours(kind) and not _fields(kind)[1]
    for name in _names(kind):
        value = getattr(data, name)
        problem = _place_problem(value) if name in _PLACES else None
        if problem is None and ours:
            problem = _number_problem(name, value)
        if problem is not None:
            return f"{type(data).__name__}.{name} {problem}"
    return None


def _problem(
    name: str, value: Any, shapes: str | None, sizes: dict[str, int]
) -> str | None:
    if name == "stamp":
        fits = isinstance(value, Real) and not isinstance(value, bool)
        return None if fits else f"is {shown(value)}, expected seconds"
    if isinstance(value, np.ndarray) and value.dtype == object:
        return "is an array of objects, expected numbers"
    if shapes is None:
        return None
    if not isinstance(value, np.ndarray):
        return f"is a {type(value).__name__}, expected an array"
    if not any(_fits(value.shape, one.split(), sizes) for one in shapes.split("|")):
        words = set(shapes.replace("|", " ").split())
        met = [
            f"{letter} = {size}" for letter, size in sizes.items() if letter in words
        ]
        said = " or ".join(
            f"({', '.join(one.split())}{',' if len(one.split()) == 1 else ''})"
            for one in shapes.split("|")
        )
        more = f" with {', '.join(met)}" if met else ""
        return f"has shape {value.shape}, expected {said}{more}"
    return None


def _type_problem(name: str, value: Any) -> str | None:
    """Return the fault in the type of an array's numbers, or None."""
    if not isinstance(value, np.ndarray):
        return None
    kinds, said = _TYPES.get(name, _NUMBERS)
    if value.dtype.kind in kinds or not value.size:
        return None
    return f"is of {value.dtype}, expected {said}"


def _place_problem(value: Any) -> str | None:
    rotation = value[:3, :3]
    rigid = np.allclose(rotation @ rotation.T, np.eye(3), atol=1e-6)
    if not rigid or not np.allclose(value[3], (0, 0, 0, 1)):
        return f"is no pose (4, 4): {value.tolist()}"
    return None


def _fits(shape: tuple[int, ...], wanted: list[str], sizes: dict[str, int]) -> bool:
    if len(shape) != len(wanted):
        return False
    met = dict(sizes)
    for size, word in zip(shape, wanted, strict=True):
        if size != (int(word) if word.isdigit() else met.setdefault(word, size)):
            return False
    if wanted != ["0"]:
        sizes.update(met)
    return True


def _number_problem(name: str, value: Any) -> str | None:
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "fc":
        return None
    if name not in _MAY_BE_NAN and np.isnan(numbers).any():
        return "has a NaN; leave out what was not measured"
    allowed = _MAY_BE_INFINITE | _MAY_BE_NAN
    if name not in allowed and np.isinf(numbers).any():
        return "has an infinite number; ranges end at max_range"
    return None


def _picture_problem(data: Any) -> str | None:
    """Return the fault in the sizes of a camera's layers: (..., h, w)."""
    size = None
    for field in dataclasses.fields(data):
        value = getattr(data, field.name)
        if field.name in {"stamp", "pose"} or not np.size(value):
            continue
        deep = field.name in {"image", "second_image", "normals"}
        own = np.shape(value)[:-1] if deep else np.shape(value)
        size = own if size is None else size
        if own != size:
            return f"CameraData.{field.name} has {own} pixels, other layers {size}"
    return None
