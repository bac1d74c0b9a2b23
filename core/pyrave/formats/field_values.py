"""Fields of descriptions as JSON: what formats keep exactly besides their own words."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

import pyrave.scene as scene_model
from pyrave.formats.meshes.json_values import decode_mesh, encode_mesh

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyrave.formats.output.file_names import FileNames

_TYPES: dict[str, type[Any]] = {
    name: value
    for name in scene_model.__all__
    if isinstance(value := getattr(scene_model, name), type)
    and dataclasses.is_dataclass(value)
}


def encode(value: Any, names: FileNames) -> Any:
    """Return a field's value as JSON data; description objects become objects."""
    if isinstance(value, scene_model.MeshReference) and value.found:
        data = {
            "type": "MeshReference",
            "uri": names.name_of(value.uri, value.written),
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
        # of an object with a type of its own the class has another key
        key = "class" if "type" in fields else "type"
        return {key: type(value).__name__, **fields}
    if isinstance(value, frozenset):
        return [encode(item, names) for item in sorted(value)]
    if isinstance(value, (tuple, list)):
        return [encode(item, names) for item in value]
    return value


def decode(data: Any) -> Any:
    """Return the value of JSON data; `pyrave.scene.checks` judges its type.

    Raises
    ------
    ValueError, TypeError
        If the data of an object does not fit its class.
    """
    if isinstance(data, list):
        return tuple(decode(item) for item in data)
    if not isinstance(data, dict):
        return data
    key = "class" if "class" in data else "type"
    said = data.get(key, "")
    cls = _TYPES.get(said) if isinstance(said, str) else None
    if cls is None:
        raise ValueError(f"an object has the unknown type {said!r}")
    if cls is scene_model.MeshData:
        return decode_mesh(data)
    # without places and problems
    known = {field.name: field for field in dataclasses.fields(cls) if field.repr}
    for name in data:
        if name != key and name not in known:
            raise ValueError(f"{cls.__name__} has no {name!r}")
    given = {name: decode(data[name]) for name in known.keys() & data.keys() - {key}}
    for name, value in given.items():
        if str(known[name].type).startswith("frozenset"):
            given[name] = frozenset(value)
    return cls(**given)


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
