"""Kinds of parameters: what JSON must have for them, and what becomes of it."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

from pyrave.coercion import Coercion, bound, instance
from pyrave.errors import ArgumentError, shown
from pyrave.ik import IkParameterization, IkParameterizationType
from pyrave.spatial import as_array, as_numbers, as_pose, as_vector
from pyrave_serve.call_objects import ADDRESSES

_VALUES = Coercion(simple={float: bound, dict[str, Any]: instance(dict, "an object")})


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


def _plain(hint: Any, expected: str, value: Any, name: str) -> Any:
    made, faults = _VALUES.value(hint, value)
    for fault in faults:
        if fault.place:
            raise ArgumentError(f"{name}{fault}")
        raise ArgumentError(f"{name} is {shown(value)}, expected {expected}")
    return made


def _joints(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        read = partial(_plain, float, "a number")
        return {key: read(one, f"{name}.{key}") for key, one in value.items()}
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
    kind = IkParameterizationType.of(
        _plain(str, "a text", value["type"], f"{name}.type")
    )
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

_PLAIN: Mapping[Any, tuple[str, Mapping[str, Any]]] = {
    str: ("a text", {"type": "string"}),
    list[str]: ("a list of texts", {"type": "array", "items": {"type": "string"}}),
    bool: ("true or false", {"type": "boolean"}),
    float: ("a number", _NUMBER),
    int: ("a whole number", {"type": "integer"}),
    dict[str, Any]: ("an object", {"type": "object"}),
}
"""Types of values by plain annotations."""

Address = Annotated[
    str,
    Kind(
        "address",
        {"type": "string", "description": ADDRESSES},
        partial(_plain, str, "a text"),
    ),
]
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
    if typing.get_origin(annotation) is not Annotated:
        expected, schema = _PLAIN[annotation]
        name = expected.removeprefix("an ").removeprefix("a ")
        return Kind(name, schema, partial(_plain, annotation, expected))
    found: Kind = annotation.__metadata__[0]
    return found


def _or_null(kind: Kind, value: Any, name: str) -> Any:
    return None if value is None else kind.read(value, name)
