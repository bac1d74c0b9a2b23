"""Fields of descriptions as JSON: what formats keep exactly besides their own words."""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from typing import TYPE_CHECKING, Any

import pyrave.scene as scene_model
from pyrave.formats.mesh_values import decode_mesh, encode_mesh
from pyrave.scene.readable import Readable, XmlElement

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.formats.file_names import FileNames

_TYPES: dict[str, type[Any]] = {
    name: value
    for name, value in vars(scene_model).items()
    if isinstance(value, type) and dataclasses.is_dataclass(value)
}


def encode(value: Any, names: FileNames) -> Any:
    """Return a field's value as JSON data; description objects become objects."""
    if isinstance(value, scene_model.MeshReference) and value.found:
        data = {
            "type": "MeshReference",
            "uri": names.of(value.uri, value.written),
            "scale": list(value.scale),
        }
        return data | {"y_up": True} if value.y_up else data
    if isinstance(value, scene_model.MeshData):
        return encode_mesh(value)
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
    if cls is scene_model.MeshData:
        return decode_mesh(data)
    hints = field_types(cls)
    values = {}
    for name, item in data.items():
        if name == "type":
            continue
        if name not in hints:
            raise ValueError(f"{cls.__name__} has no {name!r}")
        values[name] = decode(item, hints[name])
    return cls(**values)


_HINTS: dict[type[Any], dict[str, Any]] = {}


def field_types(cls: type[Any]) -> dict[str, Any]:
    """Return the type of each field of a description class."""
    if cls not in _HINTS:
        from numpy.typing import NDArray

        names = {**vars(scene_model), "NDArray": NDArray, "XmlElement": XmlElement}
        names["np"] = __import__("numpy")
        _HINTS[cls] = typing.get_type_hints(cls, localns=names)
    return _HINTS[cls]


def with_files(value: Any, find: Callable[[str], str | None]) -> Any:
    """Return a value whose mesh files were looked for.

    Parameters
    ----------
    find
        ``name -> absolute path``, None if there is no such file.
    """
    if isinstance(value, scene_model.MeshReference):
        path = find(value.uri)
        return dataclasses.replace(
            value, uri=path or value.uri, written=value.uri, found=path is not None
        )
    if isinstance(value, tuple):
        return tuple(with_files(item, find) for item in value)
    if not dataclasses.is_dataclass(value) or isinstance(value, type):
        return value
    changed = {}
    for field in dataclasses.fields(value):
        mine = getattr(value, field.name)
        if isinstance(mine, tuple) or dataclasses.is_dataclass(mine):
            found = with_files(mine, find)
            if found is not mine:
                changed[field.name] = found
    return dataclasses.replace(value, **changed) if changed else value


def from_json(text: str) -> Any:
    """Return the data of a JSON text, in which infinite numbers may stand.

    Raises
    ------
    ValueError, RecursionError
        It is no JSON, or holds NaN.
    """
    return json.loads(text, parse_constant=_constant)


def _constant(name: str) -> float:
    if name == "NaN":
        raise ValueError("NaN is not a value")
    return float(name)
