"""Infos: what a body, a link, a joint, ... is made of, as data that has a JSON form."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from pyrave_openravepy.api.bodies.boxes import TriMesh, pose_of
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.foundation.guard import Guarded
from pyrave_openravepy.api.foundation.poses import matrix_of

__all__ = ["Field", "Info", "array", "infos", "maps", "number", "plain", "pose", "word"]

Code = Callable[[Any], Any]


def _same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class Field:
    """An attribute of an info.

    Parameters
    ----------
    name
        Of the attribute.
    key
        Its name in JSON, empty if it is not written.
    make
        Returns the default.
    encode, decode
        To JSON data and back.
    """

    name: str
    key: str
    make: Callable[[], Any]
    encode: Code = _same
    decode: Code = _same


def plain(name: str, key: str, default: Any) -> Field:
    """Return a field of a text, a number, a truth value or a list of such."""
    return Field(name, key, lambda: copy.copy(default), _as_data)


def number(name: str, key: str, default: float = 0.0) -> Field:
    """Return a field of a number."""
    return Field(name, key, lambda: default, float, float)


def array(name: str, key: str, default: Any) -> Field:
    """Return a field of numbers."""
    known = np.array(default, dtype=np.float64)
    return Field(name, key, known.copy, _as_data, _as_array)


def pose(name: str, key: str) -> Field:
    """Return a field of a pose, a matrix (4, 4) which is seven numbers in JSON."""
    return Field(name, key, lambda: np.eye(4), _pose_data, matrix_of)


def word(name: str, key: str, default: Any, words: dict[str, Any]) -> Field:
    """Return a field of a member of an enumeration.

    Parameters
    ----------
    words
        Member by its word in JSON.
    """
    names = {int(member): text for text, member in words.items()}
    known = {text.lower(): member for text, member in words.items()}

    def decode(text: Any) -> Any:
        if str(text).lower() in known:
            return known[str(text).lower()]
        raise openrave_exception(
            f"{key!r} is {text!r}, expected one of {', '.join(words)}",
            ErrorCode.InvalidArguments,
        )

    return Field(name, key, lambda: default, lambda value: names[int(value)], decode)


def infos(name: str, key: str, kind: type[Info]) -> Field:
    """Return a field of a list of infos."""
    return Field(
        name,
        key,
        list,
        lambda listed: [one.SerializeJSON() for one in listed],
        lambda listed: [kind._from_data(one) for one in listed],
    )


def inner(name: str, key: str, kind: type[Info]) -> Field:
    """Return a field of one info or None."""
    return Field(
        name,
        key,
        lambda: None,
        lambda one: None if one is None else one.SerializeJSON(),
        lambda data: None if data is None else kind._from_data(data),
    )


def maps(name: str, key: str) -> Field:
    """Return a field of lists of numbers, or texts, by name."""
    return Field(name, key, dict, _map_data, _map_of)


def mesh(name: str, key: str) -> Field:
    """Return a field of a mesh or None."""
    return Field(name, key, lambda: None, _mesh_data, _mesh_of)


def _map_data(known: dict[str, Any]) -> Any:
    return [
        {"id": key, "value" if isinstance(its, str) else "values": _as_data(its)}
        for key, its in known.items()
    ]


def _map_of(data: Any) -> dict[str, Any]:
    if isinstance(data, dict):
        return dict(data)
    return {one["id"]: one.get("value", one.get("values")) for one in data}


def _mesh_data(given: Any) -> Any:
    if given is None or not len(given.vertices):
        return None
    flat = [np.asarray(one).ravel().tolist() for one in (given.vertices, given.indices)]
    return {"vertices": flat[0], "indices": flat[1]}


def _mesh_of(data: Any) -> Any:
    if data is None:
        return None
    return TriMesh(
        np.array(data["vertices"], float).reshape(-1, 3),
        np.array(data["indices"], int).reshape(-1, 3),
    )


def _pose_data(given: Any) -> list[float]:
    return [float(value) for value in pose_of(matrix_of(given))]


def _same_data(one: Any, other: Any) -> bool:
    """Return True of equal JSON data; numbers may differ as by a pose as quaternion."""
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, (int, float)) and isinstance(other, (int, float))
        return numbers and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same_data, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(
            _same_data(value, other[key]) for key, value in one.items()
        )
    return bool(one == other)


def _as_array(data: Any) -> Any:
    return np.array(data, dtype=np.float64)


def _as_data(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (list, tuple)):
        return [_as_data(one) for one in value]
    return value


class Info(Guarded):
    """Data that a thing is made of; attributes are those of OpenRAVE's."""

    FIELDS: ClassVar[tuple[Field, ...]] = ()

    if TYPE_CHECKING:

        def __setattr__(self, name: str, value: Any) -> None: ...

    def __init__(self) -> None:
        for field in self.FIELDS:
            setattr(self, field.name, field.make())

    @classmethod
    def _from_data(cls, data: Any) -> Self:
        """Return an info of JSON data."""
        made = cls()
        made.DeserializeJSON(data)
        return made

    def SerializeJSON(self, unitScale: float = 1.0, options: Any = None) -> Any:
        """Return JSON data; what is None is left out."""
        found = {
            field.key: field.encode(getattr(self, field.name))
            for field in self.FIELDS
            if field.key
        }
        return {key: value for key, value in found.items() if value is not None}

    def DeserializeJSON(
        self, obj: Any, unitScale: float = 1.0, options: Any = None
    ) -> bool:
        """Take over what JSON data say; the rest stays."""
        data = json.loads(obj) if isinstance(obj, str) else obj
        if not isinstance(data, dict):
            raise openrave_exception(
                f"JSON of a {type(self).__name__} is {obj!r:.80}, expected a dict",
                ErrorCode.InvalidArguments,
            )
        for field in self.FIELDS:
            if field.key and field.key in data:
                setattr(self, field.name, field.decode(data[field.key]))
        return True

    def __copy__(self) -> Self:
        made = type(self)()
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self)()
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Info) or type(other) is not type(self):
            return NotImplemented
        return _same_data(self.SerializeJSON(), other.SerializeJSON())

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        name = getattr(self, "_name", "") or getattr(self, "_grabbedname", "")
        return f"<{type(self).__name__} {name!r}>"
