"""The ``<pyrave>`` element: values that OpenRAVE has no tag for, exactly.

Its children are ``<set name="field">JSON</set>``: fields of the description that the
enclosing element makes, for which the OpenRAVE tags alone would give other values; and
``<order name="field">2 0 1</order>``: the order of a field's objects, where that of the
elements is another.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import TYPE_CHECKING, Any, TypeVar

import pyrave.scene as scene_model
from pyrave.formats.xml import local_name
from pyrave.scene.checks import fitted_field
from pyrave.scene.readable import Readable, XmlElement

if TYPE_CHECKING:
    from pyrave.formats.file_names import FileNames
    from pyrave.formats.openrave_xml.scope import Scope

__all__ = [
    "_ORDERED",
    "Overrides",
    "decode",
    "encode",
    "read_overrides",
    "with_overrides",
]

Described = TypeVar("Described")
_ORDERED = frozenset({"attached_sensors", "interfaces", "manipulators"})
# What is said by elements alone.
_ELEMENTS = frozenset({
    *("attached_sensors", "bodies", "geometries", "interfaces", "joints", "links"),
    *("location", "manipulators", "problems", "readables"),
})  # fmt: skip
_NAMED = (
    scene_model.AttachedSensorDescription,
    scene_model.BodyDescription,
    scene_model.JointDescription,
    scene_model.LinkDescription,
    scene_model.ManipulatorDescription,
)

_TYPES: dict[str, type[Any]] = {
    name: value
    for name, value in vars(scene_model).items()
    if isinstance(value, type) and dataclasses.is_dataclass(value)
}


def encode(value: Any, names: FileNames) -> Any:
    """Return a field's value as JSON data; description objects become objects."""
    if isinstance(value, scene_model.MeshReference) and value.found:
        uri = names.of(value.uri, value.written)
        return {"type": "MeshReference", "uri": uri, "scale": list(value.scale)}
    if isinstance(value, scene_model.MeshData):
        return {
            "type": "MeshData",
            "vertices": value.vertices.tolist(),
            "faces": value.faces.tolist(),
        }
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            field.name: encode(getattr(value, field.name), names)
            for field in dataclasses.fields(value)
            if field.compare
        }
        return {"type": type(value).__name__, **fields}
    if isinstance(value, frozenset):
        return [encode(item, names) for item in sorted(value)]
    if isinstance(value, (tuple, list)):
        return [encode(item, names) for item in value]
    return value


def decode(data: Any, annotation: Any) -> Any:
    """Return the value of JSON data for a field of a type.

    Raises
    ------
    ValueError, TypeError
        If the data does not fit the type.
    """
    origin = typing.get_origin(annotation)
    if origin in {typing.Union, types.UnionType}:
        return _decode_union(data, typing.get_args(annotation))
    if origin is tuple:
        arguments = typing.get_args(annotation)
        if not isinstance(data, list):
            raise ValueError(f"expected a list, found {data!r}")
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(decode(item, arguments[0]) for item in data)
        if len(arguments) != len(data):
            raise ValueError(f"expected {len(arguments)} values, found {len(data)}")
        return tuple(decode(d, a) for d, a in zip(data, arguments, strict=True))
    if origin is frozenset:
        (item,) = typing.get_args(annotation)
        return frozenset(decode(value, item) for value in data)
    if origin is typing.Literal:
        if data not in typing.get_args(annotation):
            raise ValueError(f"{data!r} is none of {typing.get_args(annotation)}")
        return data
    if annotation is float and type(data) in {int, float}:
        return float(data)
    if isinstance(data, dict):
        return _decode_object(data, annotation)
    if data is not None and isinstance(annotation, type) and type(data) is annotation:
        return data
    raise ValueError(f"{data!r} is no {annotation}")


def _decode_union(data: Any, choices: tuple[Any, ...]) -> Any:
    if data is None and type(None) in choices:
        return None
    named = _TYPES.get(data.get("type", "")) if isinstance(data, dict) else None
    if named in choices:
        return decode(data, named)
    for choice in choices:
        if choice is not type(None):
            try:
                return decode(data, choice)
            except (TypeError, ValueError, OverflowError):
                continue
    raise ValueError(f"{data!r} fits none of {choices}")


def _decode_object(data: dict[str, Any], annotation: Any) -> Any:
    cls = _TYPES.get(data.get("type", ""))
    wanted = scene_model.XmlReadable if annotation is Readable else annotation
    if cls is None or not (isinstance(wanted, type) and issubclass(cls, wanted)):
        raise ValueError(f"an object of type {data.get('type')!r} is no {annotation}")
    hints = _hints(cls)
    values = {}
    for name, item in data.items():
        if name == "type":
            continue
        if name not in hints:
            raise ValueError(f"{cls.__name__} has no {name!r}")
        values[name] = (
            item if cls is scene_model.MeshData else decode(item, hints[name])
        )
    return cls(**values)


_HINTS: dict[type[Any], dict[str, Any]] = {}


def _hints(cls: type[Any]) -> dict[str, Any]:
    if cls not in _HINTS:
        from numpy.typing import NDArray

        names = {**vars(scene_model), "NDArray": NDArray, "XmlElement": XmlElement}
        names["np"] = __import__("numpy")
        _HINTS[cls] = typing.get_type_hints(cls, localns=names)
    return _HINTS[cls]


class Overrides:
    """What the ``<pyrave>`` element of an object says, until the object is made."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.values: dict[str, tuple[Any, Any]] = {}
        self.orders: dict[str, tuple[list[str], Any]] = {}


def read_overrides(element: Any, scope: Scope) -> Overrides:
    """Return what a ``<pyrave>`` element says; problems are reported."""
    found = Overrides(scope)
    for child in element:
        tag, name = local_name(child), child.get("name")
        if tag == "order" and name:
            found.orders[name] = (scope.text(child).split(), child)
        elif tag == "set" and name:
            try:
                data = json.loads(child.text or "", parse_constant=_constant)
            except (ValueError, RecursionError) as problem:
                message = f"<set> does not hold JSON: {problem}"
                scope.error(child, "bad-pyrave", message)
                continue
            found.values[name] = (data, child)
        elif tag:
            scope.unknown_tag(child, ("set", "order"))
    return found


def with_overrides(item: Described, overrides: Overrides | None) -> Described:
    """Return a description with what its ``<pyrave>`` element sets."""
    if overrides is None:
        return item
    scope, hints = overrides.scope, _hints(type(item))
    changed: dict[str, Any] = {}
    for name, (data, element) in overrides.values.items():
        if name not in hints or not is_settable(item, name):
            message = f"{type(item).__name__} has no field {name!r} that can be set"
            scope.error(element, "bad-pyrave", message)
            continue
        try:
            value, faults = fitted_field(type(item), name, decode(data, hints[name]))
            for fault in faults:
                scope.error(element, "bad-pyrave", str(fault))
            changed[name] = _with_files(value, element, scope)
        except (TypeError, ValueError, OverflowError, RecursionError) as problem:
            scope.error(element, "bad-pyrave", f"<set name={name!r}>: {problem}")
    for name, (words, element) in overrides.orders.items():
        objects = getattr(item, name, ()) if name in _ORDERED else ()
        if sorted(words) == sorted(map(str, range(len(objects)))):
            changed[name] = tuple(objects[int(word)] for word in words)
        else:
            message = f"<order name={name!r}> does not fit {len(objects)} objects"
            hint = "delete it; the order of the elements is taken"
            scope.warn(element, "stale-pyrave", message, hint)
    return dataclasses.replace(item, **changed) if changed else item  # type: ignore[type-var]


def is_settable(item: Any, name: str) -> bool:
    """Return whether a ``<set>`` can say a field of a description."""
    if name in _ELEMENTS or (name == "name" and isinstance(item, _NAMED)):
        return False
    return any(f.name == name and f.compare for f in dataclasses.fields(item))


def _with_files(value: Any, element: Any, scope: Scope) -> Any:
    """Return a value whose mesh files were looked for as those of other tags are."""
    if isinstance(value, scene_model.MeshReference):
        path = scope.resource(element, value.uri)
        return scene_model.MeshReference(
            path or value.uri, value.scale, value.uri, found=path is not None
        )
    if isinstance(value, tuple):
        return tuple(_with_files(item, element, scope) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for field in dataclasses.fields(value):
        mine = getattr(value, field.name)
        if isinstance(mine, tuple) or dataclasses.is_dataclass(mine):
            found = _with_files(mine, element, scope)
            if found is not mine:
                changed[field.name] = found
    return dataclasses.replace(value, **changed) if changed else value


def _constant(name: str) -> float:
    if name == "NaN":
        raise ValueError("NaN is not a value")
    return float(name)
