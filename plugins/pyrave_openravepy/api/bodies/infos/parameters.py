"""Numbers and texts by name that links and joints carry.

Files have them as ``<float_parameters id="name">1 2</float_parameters>`` and the like;
they are readables of links and joints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pyrave import BodyChange
from pyrave.scene import Readable, XmlElement, XmlReadable
from pyrave_openravepy.api.enums import ErrorCode
from pyrave_openravepy.api.foundation.errors import openrave_exception
from pyrave_openravepy.api.interface import ReadableInterface

__all__ = ["FLOATS", "INTS", "TEXTS", "Parameters", "parameter_items", "parameters_of"]

FLOATS, INTS, TEXTS = "float_parameters", "int_parameters", "string_parameters"
Items = tuple[tuple[str, Readable], ...]


def parameters_of(readables: Items, key: str) -> dict[str, Any]:
    """Return the parameters of a kind by name."""
    found: dict[str, Any] = {}
    for tag, readable in readables:
        if tag.lower() != key or not isinstance(readable, XmlReadable):
            continue
        name = readable.element.get("id") or readable.element.get("name") or ""
        text = readable.element.text
        if key == TEXTS:
            found[name] = text.strip()
        else:
            numbers = np.array(text.split(), float)
            found[name] = numbers.astype(int) if key == INTS else numbers
    return found


def parameter_items(key: str, values: dict[str, Any]) -> Items:
    """Return readables that say parameters of a kind."""
    return tuple((key, _readable(key, name, its)) for name, its in values.items())


def _readable(key: str, name: str, values: Any) -> XmlReadable:
    if key == TEXTS:
        text = str(values)
    else:
        kind = int if key == INTS else float
        listed = np.atleast_1d(np.asarray(values)).ravel().tolist()
        text = " ".join(repr(kind(value)) for value in listed)
    return XmlReadable(XmlElement(key, (("id", str(name)),), text))


class Parameters(ReadableInterface):
    """Parameters of a link or joint; a part of their classes."""

    def GetFloatParameters(self, name: str | None = None, index: int = -1) -> Any:
        return self._parameters(FLOATS, name, index)

    def GetIntParameters(self, name: str | None = None, index: int = -1) -> Any:
        return self._parameters(INTS, name, index)

    def GetStringParameters(self, name: str | None = None) -> Any:
        return self._parameters(TEXTS, name, -1)

    def SetFloatParameters(self, name: str, parameters: Any) -> None:
        self._set_parameters(FLOATS, name, parameters)

    def SetIntParameters(self, name: str, parameters: Any) -> None:
        self._set_parameters(INTS, name, parameters)

    def SetStringParameters(self, name: str, parameters: Any) -> None:
        self._set_parameters(TEXTS, name, parameters)

    def _parameters(self, key: str, name: str | None, index: int) -> Any:
        known = parameters_of(self._native.description.readables, key)
        if name is None:
            return known
        found = known.get(str(name))
        if found is None or index < 0 or key == TEXTS:
            return found
        return found[index] if index < len(found) else None

    def _set_parameters(self, key: str, name: str, values: Any) -> None:
        """Set parameters of a name; none of them takes the name away."""
        known = self._native.description.readables
        kept = tuple(
            (tag, one)
            for tag, one in known
            if not (tag.lower() == key and _is_called(one, str(name)))
        )
        if values is not None and np.size(values):
            try:
                kept += parameter_items(key, {str(name): values})
            except (TypeError, ValueError):
                raise openrave_exception(
                    f"{key} {name!r} are {values!r}, expected numbers",
                    ErrorCode.InvalidArguments,
                ) from None
        put_readables(self._native, kept)

    def _readable_items(self) -> Items:
        return tuple(self._native.description.readables)

    def _set_readable(self, key: str, readable: Readable | None) -> None:
        known = self._readable_items()
        kept = tuple(pair for pair in known if pair[0].lower() != key.lower())
        if readable is not None:
            kept += ((key, readable),)
        put_readables(self._native, kept)


def _is_called(readable: Readable, name: str) -> bool:
    if not isinstance(readable, XmlReadable):
        return False
    return (readable.element.get("id") or readable.element.get("name")) == name


def put_readables(part: Any, readables: Iterable[tuple[str, Readable]]) -> None:
    """Give a link or joint of pyrave other readables."""
    body = part.body
    known = body.description
    field = "links" if part in body.links else "joints"
    parts = list(getattr(known, field))
    parts[part.index] = replace(part.description, readables=tuple(readables))
    body.apply_edit(replace(known, **{field: tuple(parts)}), BodyChange(0))
