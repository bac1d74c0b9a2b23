"""Geometries of sensors: frozen dataclasses whose fields describe themselves.

A field made by `setting` knows the tags that files use for it, its unit, its range and
its meaning. Reading of XML, checks, properties, saving and the tables of the
documentation follow from that.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, dataclass, replace
from typing import Any, Protocol

import numpy as np

from pyrave.interfaces import Setting
from pyrave.interfaces.settings.declarations import SETTING, declared_field
from pyrave.scene import Location

FAR = 1e9
"""Longest length, metres, apart from the maximum range."""
LONG = 1e6
"""Longest time, seconds."""
_FILE = "file"
_SI = {"metres": "m", "seconds": "s", "radians": "rad", "degrees": "rad"}


class ReaderContext(Protocol):
    """The part of a custom reader's context that sensors use."""

    def warn(self, message: str, element: Any = None, hint: str | None = None) -> None:
        """Report a warning at an element."""
        ...

    def location(self, element: Any = None) -> Location:
        """Return the location of an element."""
        ...


CustomReader = Callable[[Any, Any, Mapping[str, Any], ReaderContext], dict[str, Any]]
"""Returns values by name of (geometry class, element, values so far, context)."""


@dataclass(frozen=True, slots=True)
class Form:
    """Another form of a value in files: its type there, and both conversions."""

    kind: type
    decode: Callable[[Any], Any]
    encode: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class FileSetting:
    """Description of one field.

    Parameters
    ----------
    tags
        Spellings in files, lower case: OpenRAVE's old one, its new one, others.
    doc, example, shown
        Meaning, a sensible value, and the default in words where the value itself does
        not explain it.
    unit, least, above, most
        Unit and range (lower bound, exclusive lower bound, upper bound) in files.
    choices
        The only values allowed.
    attribute
        Name of the attribute that holds the value; empty: the text of the element.
    values
        The type in words where it is none of numbers and texts.
    form
        Conversion between file and field; None: both hold the same value.
    name
        Key among the values of a file: the field's name, or for a field of a section
        (a nested dataclass) its first tag.
    field, section, owner
        Field, the field of the sensor's settings that holds the section (or empty), and
        the section's class.
    kind, count
        Type of the value in files, and how many numbers a tuple has (None: any).
    default
        Value of the field unless a file gives one.
    """

    tags: tuple[str, ...]
    doc: str
    example: str
    shown: str | None = None
    unit: str = ""
    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: tuple[Any, ...] = ()
    attribute: str = ""
    values: str = ""
    form: Form | None = None
    name: str = ""
    field: str = ""
    section: str = ""
    owner: type | None = None
    kind: type = float
    count: int | None = None
    default: Any = None

    def tag(self, interface: str) -> str:
        """Return the spelling of sensors with that id: COLLADA's have underscores."""
        return self.tags[1 if "_" in interface and len(self.tags) > 1 else 0]

    @property
    def declared(self) -> Setting:
        """The declaration in SI units and radians; files have their own."""
        in_radians = self.form is not None and self.form.kind is object
        bounds: tuple[float | None, ...] = (self.least, self.above, self.most)
        if in_radians:
            bounds = tuple(None if b is None else math.radians(b) for b in bounds)
        elif self.form is not None:
            bounds = (None, None, None)
        return Setting(
            self.doc,
            _SI.get(self.unit, self.unit).replace("degrees", "rad"),
            least=bounds[0],
            above=bounds[1],
            most=bounds[2],
            choices=self.choices,
            aliases=self.tags,
            kind=self.values,
            part_name=self.tags[0] if self.tags else "",
        )

    def decode(self, value: Any) -> Any:
        """Return the field's value of a file's value."""
        return value if self.form is None else self.form.decode(value)

    def encode(self, value: Any) -> Any:
        """Return the file's value of the field's value."""
        if isinstance(value, np.ndarray):
            return tuple(value.ravel().tolist())
        return value if self.form is None else self.form.encode(value)

    def value_in(self, settings: Any) -> Any:
        """Return the field's value in a sensor's settings."""
        part = getattr(settings, self.section) if self.section else settings
        return getattr(part, self.field)

    def expected(self, value: Any) -> str:
        """Return the violated expectation of a file's value, or nothing."""
        unit = f" {self.unit}" if self.unit else ""
        if self.choices:
            words = " or ".join(map(str, self.choices))
            return "" if value in self.choices else words
        if self.kind not in {float, int, tuple}:
            return ""
        numbers = value if isinstance(value, tuple) else (value,)
        if not numbers or not isinstance(numbers[0], (int, float)):
            return ""
        if not all(map(math.isfinite, numbers)):
            return "finite numbers" if self.kind is tuple else "a finite number"
        rows = isinstance(self.default, np.ndarray) and self.default.ndim == 2
        if rows and len(numbers) % self.default.shape[1]:
            return f"{self.default.shape[1]} numbers for each"
        if self.least is not None and min(numbers) < self.least:
            return f"{self.least:g} or more{unit}"
        if self.above is not None and min(numbers) <= self.above:
            return f"more than {self.above:g}{unit}"
        if self.most is not None and max(numbers) > self.most:
            return f"{self.most:g} or less{unit}"
        return ""


def setting(default: Any, tags: str = "", /, **description: Any) -> Any:
    """Return a dataclass field with a description.

    Parameters
    ----------
    default
        Value of the field; None where a file has to give one, or another field does.
    tags
        Spellings, between blanks; the field's name unless given.
    description
        Fields of `FileSetting`.
    """
    described = FileSetting(tuple(tags.split()), **description)
    declared = described.declared
    return declared_field(default, {_FILE: described, SETTING: declared})


@dataclass(frozen=True, slots=True)
class Schema:
    """All settings of a class, those of the most derived class first."""

    settings: Mapping[str, FileSetting]
    by_tag: Mapping[str, FileSetting]

    def own(self) -> Iterator[FileSetting]:
        """Yield the settings outside of sections."""
        return (one for one in self.settings.values() if not one.section)


def schema_of(kind: Any) -> Schema:
    """Return the settings that a dataclass describes, with those of its sections."""
    return _schema_of(kind)


@functools.cache
def _schema_of(kind: Any) -> Schema:
    hints = typing.get_type_hints(kind)
    known = {item.name: item for item in dataclasses.fields(kind)}
    order = dict.fromkeys(
        name for base in kind.__mro__ for name in vars(base).get("__annotations__", ())
    )
    found: dict[str, FileSetting] = {}
    for name in order:
        if name not in known:
            continue
        if dataclasses.is_dataclass(hints[name]):
            for one in schema_of(hints[name]).settings.values():
                found[one.tags[0]] = replace(
                    one, name=one.tags[0], section=name, owner=hints[name]
                )
            continue
        described = _described(known[name])
        if described is not None:
            found[name] = _completed(described, known[name], hints[name])
    by_tag = {tag: one for one in found.values() for tag in one.tags}
    return Schema(found, by_tag)


def _described(item: dataclasses.Field[Any]) -> FileSetting | None:
    """Return a field's description; None for a word behind the id."""
    described: FileSetting | None = item.metadata.get(_FILE)
    declared: Setting | None = item.metadata.get(SETTING)
    if described is not None or declared is None or not declared.example:
        return described
    return FileSetting(
        (item.name, *declared.aliases), declared.help, declared.example,
        unit=declared.unit, least=declared.least, above=declared.above,
        most=declared.most, choices=declared.choices,
    )  # fmt: skip


def _completed(
    described: FileSetting, item: dataclasses.Field[Any], hint: Any
) -> FileSetting:
    """Return a description with what follows from the field itself."""
    if typing.get_origin(hint) in {types.UnionType, typing.Union}:
        hint = next(one for one in typing.get_args(hint) if one is not types.NoneType)
    default = item.default
    if item.default_factory is not MISSING:
        default = item.default_factory()
    arguments = typing.get_args(hint)
    kind = typing.get_origin(hint) or hint
    count = described.count
    if isinstance(default, np.ndarray):
        kind, count = tuple, default.size or None
    elif kind is tuple and Ellipsis not in arguments and described.form is None:
        count = len(arguments)
    if described.form is not None and described.form.kind is not object:
        kind = described.form.kind
    return replace(
        described,
        tags=described.tags or (item.name,),
        name=item.name,
        field=item.name,
        kind=kind,
        count=count,
        default=default,
    )


@dataclass(frozen=True, slots=True)
class Conflict:
    """Values that make no sense together.

    Parameters
    ----------
    names
        The settings, most likely culprit first.
    message
        The reason, as a clause.
    hint
        What to do; empty: the unit of the culprit.
    all
        Whether all of them are ignored; False: the first of them that a file gives.
    """

    names: tuple[str, ...]
    message: str
    hint: str = ""
    all: bool = False


def _radians(value: Any) -> Any:
    return tuple(map(math.radians, value)) if isinstance(value, tuple) else (
        math.radians(value)
    )  # fmt: skip


def _degrees(value: Any) -> Any:
    return tuple(map(math.degrees, value)) if isinstance(value, tuple) else (
        math.degrees(value)
    )  # fmt: skip


DEGREES = Form(object, _radians, _degrees)
"""Angles: degrees in files."""
