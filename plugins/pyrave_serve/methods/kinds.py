"""Kinds of parameters: what JSON must have for them, and what becomes of it."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pyrave.errors import ArgumentError, shown
from pyrave.ik import IkParameterization, IkParameterizationType
from pyrave.spatial import as_array, as_number, as_numbers, as_pose, as_vector
from pyrave_serve.call_objects import ADDRESSES

_MOST = 2**53
"""Whole numbers up to here are exact in every JSON."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of parameter.

    Parameters
    ----------
    name
        As the documentation calls it.
    schema
        JSON schema of what is accepted.
    read
        Returns a value as methods want it, given the JSON value and the parameter's
        name; raises an `ArgumentError`.
    """

    name: str
    schema: Mapping[str, Any]
    read: Callable[[Any, str], Any]


def _text(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"{name} is {shown(value)}, expected a text")
    return value


def _texts(value: Any, name: str) -> list[str]:
    if not isinstance(value, list):
        raise ArgumentError(f"{name} is {shown(value)}, expected a list of texts")
    return [_text(one, f"{name}[{i}]") for i, one in enumerate(value)]


def _truth(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise ArgumentError(f"{name} is {shown(value)}, expected true or false")
    return value


def _number(value: Any, name: str) -> float:
    if isinstance(value, bool):
        raise ArgumentError(f"{name} is {shown(value)}, expected a number")
    return as_number(value, name)


def _whole(value: Any, name: str) -> int:
    number = _number(value, name)
    if number != int(number) or abs(number) > _MOST:
        raise ArgumentError(f"{name} is {shown(value)}, expected a whole number")
    return int(number)


def _object(value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArgumentError(f"{name} is {shown(value)}, expected an object")
    return value


def _joints(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {key: _number(one, f"{name}.{key}") for key, one in value.items()}
    return as_vector(value, None, name)


def _target(value: Any, name: str) -> Any:
    if not isinstance(value, dict):
        return as_pose(value, name)
    if set(value) != {"type", "values"}:
        raise ArgumentError(
            f"{name} is {shown(value)}, expected a pose, or an object with the type "
            'and the values of a goal: {"type": "Translation3D", "values": [0, 0, 1]}'
        )
    values = as_vector(value["values"], None, f"{name}.values")
    kind = IkParameterizationType.of(_text(value["type"], f"{name}.type"))
    return IkParameterization(kind, tuple(values.tolist()))


def _points(value: Any, name: str) -> Any:
    points = as_numbers(value, name)
    return as_array(points, (3,) if points.ndim == 1 else (None, 3), name)


_NUMBER = {"type": "number"}
_ROW = {"type": "array", "items": _NUMBER}
_THREE = {**_ROW, "minItems": 3, "maxItems": 3}
_POSE = {
    "oneOf": [
        {
            "type": "array", "minItems": 4, "maxItems": 4,
            "items": {**_ROW, "minItems": 4, "maxItems": 4},
            "description": "4x4 matrix, rows first",
        },
        {**_ROW, "minItems": 7, "maxItems": 7, "description": "qw qx qy qz x y z"},
    ]
}  # fmt: skip
_GOAL = {
    "type": "object",
    "properties": {"type": {"type": "string"}, "values": _ROW},
    "required": ["type", "values"],
    "additionalProperties": False,
}

Text = Annotated[str, Kind("text", {"type": "string"}, _text)]
Address = Annotated[
    str, Kind("address", {"type": "string", "description": ADDRESSES}, _text)
]
Texts = Annotated[
    list[str],
    Kind("list of texts", {"type": "array", "items": {"type": "string"}}, _texts),
]
Truth = Annotated[bool, Kind("true or false", {"type": "boolean"}, _truth)]
Number = Annotated[float, Kind("number", _NUMBER, _number)]
Whole = Annotated[int, Kind("whole number", {"type": "integer"}, _whole)]
Object = Annotated[dict[str, Any], Kind("object", {"type": "object"}, _object)]
Pose = Annotated[Any, Kind("pose", _POSE, as_pose)]
Point = Annotated[
    Any, Kind("x, y, z", _THREE, lambda value, name: as_vector(value, 3, name))
]
Points = Annotated[
    Any,
    Kind(
        "x, y, z, or a list of these",
        {"oneOf": [_THREE, {"type": "array", "items": _THREE}]},
        _points,
    ),
]
Joints = Annotated[
    Any,
    Kind(
        "list of numbers, or object of numbers by joint",
        {"oneOf": [_ROW, {"type": "object", "additionalProperties": _NUMBER}]},
        _joints,
    ),
]
Numbers = Annotated[
    Any, Kind("list of numbers", _ROW, lambda value, name: as_vector(value, None, name))
]
Rows = Annotated[
    Any,
    Kind(
        "list of lists of numbers",
        {"type": "array", "items": _ROW},
        lambda value, name: as_array(value, (None, None), name),
    ),
]
Target = Annotated[
    Any, Kind("pose, or type and values", {"oneOf": [*_POSE["oneOf"], _GOAL]}, _target)
]


def kind_of(annotation: Any) -> Kind:
    """Return the kind that a parameter is annotated with, ``X | None`` as X."""
    if typing.get_origin(annotation) in {typing.Union, types.UnionType}:
        rest = [a for a in typing.get_args(annotation) if a is not types.NoneType]
        optional = kind_of(rest[0])
        return Kind(optional.name, optional.schema, partial(_or_null, optional))
    found: Kind = annotation.__metadata__[0]
    return found


def _or_null(kind: Kind, value: Any, name: str) -> Any:
    return None if value is None else kind.read(value, name)
