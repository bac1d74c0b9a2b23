"""Settings of sensors in XML: reading with warnings, and writing back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from pyrave.errors import ArgumentError, nearest
from pyrave.formats.numbers import leading_numbers, plain_float
from pyrave.interfaces.settings.declarations import made_settings
from pyrave.records import equal_values
from pyrave.scene import Readable, XmlElement
from pyrave_sensors.settings.fields import (
    CustomReader,
    FileSetting,
    ReaderContext,
    schema_of,
)

# tags of every sensor: the file's reader handles them
_GENERIC = (
    "translation", "quat", "rotationaxis", "rotationmat", "sendcommand", "pyrave",
    "name", "interface_type",
)  # fmt: skip
_MAX_SLIPS = 3
_COUNTS = {1: "one number", 2: "two numbers", 3: "three numbers"}


@runtime_checkable
class WrittenValue(Protocol):
    """One of a tuple of values, each of which is written as an element of its own."""

    def to_xml(self, tag: str) -> XmlElement:
        """Return the element with that tag."""
        ...


@dataclass(frozen=True, slots=True)
class SensorReadable(Readable):
    """The settings that a file gives to a sensor.

    Parameters
    ----------
    interface
        The id in the file.
    entries
        (name, tag, value) of each setting, in the units of the file (degrees).
    extra
        Elements unknown to the reader; they are written back.
    """

    interface: str
    entries: tuple[tuple[str, str, Any], ...] = ()
    extra: tuple[XmlElement, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Values by name."""
        return {name: value for name, _, value in self.entries}

    def saying(self, geometry: Any) -> SensorReadable:
        """Return a readable that reads back as this geometry.

        Values of the file stay as they are written there wherever they still hold.
        """
        kind, schema = type(geometry), schema_of(type(geometry)).settings
        plain = made_settings(kind, "", {})
        values = {
            name: value
            for name, value in self.values.items()
            if _holds(schema[name], value, geometry)
        }
        written: set[str] = set()
        while True:
            implied = kind.from_file(values) if values else plain
            differing = [
                one
                for one in schema.values()
                if one.name not in written
                and not equal_values(one.value_in(implied), one.value_in(geometry))
            ]
            if not differing:
                break
            for one in differing:
                written.add(one.name)
                if one.value_in(geometry) is not None:
                    values[one.name] = one.encode(one.value_in(geometry))
        return replace(self, entries=_entries(kind, self.interface, values))

    def to_xml(self) -> XmlElement:
        """Return the ``<sensor>`` element with exactly the tags that are set."""
        children = tuple(
            child for _, tag, value in self.entries for child in _elements(tag, value)
        )
        return XmlElement(
            "sensor", (("type", self.interface),), children=children + self.extra
        )


def read_settings(kind: Any, element: Any, context: ReaderContext) -> SensorReadable:
    """Read the ``<sensor>`` element of a sensor.

    Meaningless values are reported as warnings, and ignored.

    Parameters
    ----------
    kind
        Class of the sensor's settings.
    element
        An lxml element.
    """
    words = (element.get("type") or "").split()
    interface = words[0].rpartition(":")[2] if words else ""
    schema = schema_of(kind)
    values: dict[str, Any] = {}
    sources: dict[str, Any] = {}
    extra: list[XmlElement] = []
    for child in element:
        if not isinstance(child.tag, str):
            continue
        tag = child.tag.lower()
        if tag in kind.custom:
            found = kind.custom[tag](kind, child, values, context)
        elif tag in schema.by_tag:
            found = _single(schema.by_tag[tag], child, context)
        else:
            if tag not in _GENERIC:
                _report_unknown(kind, child, context)
                extra.append(_plain(child))
            continue
        for name, value in found.items():
            # the later one counts
            values.pop(name, None)
            values[name], sources[name] = value, child
    _drop_conflicts(kind, values, sources, context)
    return SensorReadable(interface, _entries(kind, interface, values), tuple(extra))


def several(*names: str, optional: int = 0, centred: bool = False) -> CustomReader:
    """Return the reader of a tag that holds several settings in a row.

    Parameters
    ----------
    optional
        How many of the last may be missing.
    centred
        Whether a single number is the width of a range around 0.
    """
    least = len(names) - optional

    def read(
        kind: Any, child: Any, _values: Mapping[str, Any], context: ReaderContext
    ) -> dict[str, Any]:
        words = _words(child.text, child, context)
        if centred and len(words) == 1 and (width := _number(words[0])) is not None:
            words = [repr(-0.5 * width), repr(0.5 * width)]
        if len(words) < least or None in map(_number, words):
            counts = f"{least} or {len(names)}" if optional else f"{least}"
            expected = f"{counts} numbers: {', '.join(names)}"
            _ignore(
                child, context, f"holds {_cited(child.text)}, expected {expected}", None
            )
            return {}
        settings = schema_of(kind).settings
        found = {}
        for name, word in zip(names, words, strict=False):
            value = _value(settings[name], word, child, context)
            if value is not None:
                found[name] = value
        return found

    return read


def _single(one: FileSetting, child: Any, context: ReaderContext) -> dict[str, Any]:
    raw = child.get(one.attribute) if one.attribute else None
    text = (child.text if raw is None else raw) or ""
    value = _value(one, text.strip(), child, context)
    return {} if value is None else {one.name: value}


def _value(one: FileSetting, text: str, child: Any, context: ReaderContext) -> Any:
    """Return the value of a text; None, with a warning, if it has no meaning."""
    if one.kind is str:
        value: Any = _choice(one, text, child, context) if one.choices else text
    else:
        value = read_numbers(one, text, child, context)
    if value is None or one.owner is None:
        return value
    try:
        one.owner(**{one.field: one.decode(value)})
    except ArgumentError as error:
        context.warn(f"{error}; it is ignored", child, None)
        return None
    return value


def read_numbers(
    one: FileSetting, text: str, child: Any, context: ReaderContext
) -> Any:
    """Return the number or numbers of a text; None, with a warning, without meaning."""
    words = _words(text, child, context)
    count = one.count if one.kind is tuple else 1
    given = len(words)
    words = words[:count]
    numbers = [number for word in words if (number := _number(word)) is not None]
    whole = one.kind is not int or all(n == int(n) for n in numbers)
    meant = len(numbers) == len(words) and count in {None, len(words)} and whole
    if not meant or len(words) < given:
        expected = _COUNTS.get(count, f"{count} numbers") if count else "numbers"
        if one.kind is int:
            expected = "one whole number"
        hint = f"write for example <{child.tag}>{one.example}</{child.tag}>"
        wrong = f"holds {_cited(text)}, expected {expected}"
        if not meant:
            _ignore(child, context, wrong, hint)
            return None
        taken = " ".join(words)
        context.warn(f"<{child.tag}> {wrong}; {taken} is taken", child, hint)
    value: Any = tuple(numbers) if one.kind is tuple else one.kind(numbers[0])
    wrong = one.expected(value)
    if wrong:
        hint = f"it is in {one.unit}" if one.unit else one.doc
        _ignore(child, context, f"is {text}, expected {wrong}", hint)
        return None
    return value


def _choice(
    one: FileSetting, text: str, child: Any, context: ReaderContext
) -> str | None:
    for choice in one.choices:
        if choice.lower() == text.lower():
            return str(choice)
    near = nearest(text, one.choices)
    hint = f"did you mean {near}?" if near else f"write for example {one.example}"
    expected = " or ".join(one.choices)
    _ignore(child, context, f"is {_cited(text)}, expected {expected}", hint)
    return None


def _drop_conflicts(
    kind: Any,
    values: dict[str, Any],
    sources: dict[str, Any],
    context: ReaderContext,
) -> None:
    """Report values that make no sense together, and drop them."""
    while (found := kind.from_file(values).conflict()) is not None:
        given = [name for name in found.names if name in values]
        unit = schema_of(kind).settings[given[0]].unit
        hint = found.hint or (f"it is in {unit}" if unit else None)
        ignored = "both are ignored" if found.all else "it is ignored"
        source = sources[given[-1] if found.all else given[0]]
        context.warn(f"{found.message}; {ignored}", source, hint)
        for name in given if found.all else given[:1]:
            del values[name]


def _report_unknown(kind: Any, child: Any, context: ReaderContext) -> None:
    schema = schema_of(kind)
    near = nearest(child.tag, (*schema.by_tag, *kind.custom, *_GENERIC))
    own = ", ".join(one.tags[0] for one in schema.settings.values())
    hint = f"did you mean <{near}>?" if near else f"tags are {own}"
    context.warn(f"unknown tag <{child.tag}> of {kind.title}", child, hint)


def _ignore(child: Any, context: ReaderContext, wrong: str, hint: str | None) -> None:
    context.warn(f"<{child.tag}> {wrong}; it is ignored", child, hint)


def _cited(text: str | None) -> str:
    return repr((text or "").strip()[:60])


def _words(text: str | None, child: Any, context: ReaderContext) -> list[str]:
    """Return the words of a text, of slips the numbers that they begin with."""
    words = (text or "").split()
    if None not in map(_number, words):
        return words
    taken = leading_numbers(words)
    # what is no finite number at all stays what it is
    if taken is None or None in map(_number, taken):
        return words
    slips = [word for word, number in zip(words, taken, strict=True) if word != number]
    found = ", ".join(map(_cited, slips[:_MAX_SLIPS]))
    more = ", ..." if len(slips) > _MAX_SLIPS else ""
    context.warn(
        f"<{child.tag}> has {found}{more}, no number as it should be; "
        f"{_cited(' '.join(taken))[1:-1]} is taken",
        child,
        "numbers are separated by blanks, have a decimal point and no unit",
    )
    return taken


def _number(word: str) -> float | None:
    try:
        value = plain_float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _plain(element: Any) -> XmlElement:
    children = [child for child in element if isinstance(child.tag, str)]
    return XmlElement(
        element.tag,
        tuple(element.items()),
        _kept(element.text, indents=bool(children)),
        tuple(_plain(child) for child in children),
        _kept(element.tail, indents=True),
    )


def _kept(text: str | None, *, indents: bool) -> str:
    """Return a text, without white space that is only layout."""
    return text if text and (text.strip() or not indents) else ""


def _holds(one: FileSetting, value: Any, geometry: Any) -> bool:
    """Return True if a value of a file is that of the geometry."""
    held = one.value_in(geometry)
    if isinstance(held, np.ndarray):
        held = one.encode(held)
    return equal_values(one.decode(value), held)


def _entries(
    kind: Any, interface: str, values: Mapping[str, Any]
) -> tuple[tuple[str, str, Any], ...]:
    """Return (name, tag or ``tag@attribute``, value) as sensors with that id write."""
    found = []
    for name, value in values.items():
        one = schema_of(kind).settings[name]
        tag = one.tag(interface)
        spelled = f"{tag}@{one.attribute}" if one.attribute else tag
        found.append((name, spelled, value))
    return tuple(found)


def _elements(tag: str, value: Any) -> list[XmlElement]:
    """Return the elements of a value."""
    if isinstance(value, tuple) and value and isinstance(value[0], WrittenValue):
        return [one.to_xml(tag) for one in value]
    tag, _, attribute = tag.partition("@")
    if attribute:
        return [XmlElement(tag, ((attribute, written(value)),))]
    return [XmlElement(tag, text=written(value))]


def written(value: Any) -> str:
    """Return the text of a value in a file."""
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return " ".join(written(part) for part in value)
    return value if isinstance(value, str) else repr(value)
