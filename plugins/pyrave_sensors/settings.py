"""Settings of sensors as scene files hold them: tables of tags, and one reader."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from pyrave.errors import nearest
from pyrave.scene import Readable, XmlElement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyrave.scene import Location

__all__ = [
    "COMMON",
    "MOST_SEED",
    "CustomReader",
    "Kind",
    "Range",
    "ReaderContext",
    "SensorReadable",
    "Setting",
    "SettingTable",
    "SeveralSettings",
    "WrittenValue",
    "read_settings",
]


class Kind(enum.Enum):
    """What a tag holds."""

    NUMBER = "one number"
    NUMBERS = "numbers"
    INTEGER = "one whole number"
    TEXT = "a text"
    SWITCH = "0 or 1"


class ReaderContext(Protocol):
    """The part of a custom reader's context that is used here."""

    def warn(self, message: str, element: Any = None, hint: str | None = None) -> None:
        """Report a warning at an element."""
        ...

    def location(self, element: Any = None) -> Location:
        """Return where an element is."""
        ...


CustomReader = Callable[[Any, Mapping[str, Any], ReaderContext], dict[str, Any]]


@runtime_checkable
class WrittenValue(Protocol):
    """One of a tuple of values, each of which is written as an element of its own."""

    def to_xml(self, tag: str) -> XmlElement:
        """Return the element with that tag."""
        ...


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of a sensor.

    Parameters
    ----------
    name
        Its name in a `SensorReadable`.
    tags
        Spellings that are understood, in lower case: OpenRAVE's old one, its new one
        if that differs, others.
    example
        A value that makes sense, for hints.
    kind
        What the tag holds.
    count
        How many numbers NUMBERS are; None: any number of them.
    least, above, most
        Numbers must not be less, must be more, must not be more.
    choices
        What a TEXT may be; empty: anything.
    unit
        In words, for hints.
    attribute
        Where the value is in an attribute of the tag, its name.
    """

    name: str
    tags: tuple[str, ...]
    example: str
    kind: Kind = Kind.NUMBER
    count: int | None = None
    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    unit: str = ""
    attribute: str = ""

    def tag(self, interface: str) -> str:
        """Return how sensors with that id spell the tag."""
        return self.tags[1 if "_" in interface and len(self.tags) > 1 else 0]


@dataclass(frozen=True, slots=True)
class SeveralSettings:
    """A tag that holds several settings in a row; further numbers are left out.

    With `centred` a single number is the width of a range around 0.
    """

    tag: str
    names: tuple[str, ...]
    centred: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """Two settings of which the first must not be above the second."""

    low: str
    high: str
    defaults: tuple[float, float]


MOST_SEED = 2**63
"""The largest number at which noise may start."""

COMMON = (
    Setting("color", ("color",), "0.5 0.5 1", Kind.NUMBERS, count=3),
    Setting("power", ("power",), "1", Kind.SWITCH),
    Setting("hardware_id", ("hardware_id",), "camera-0017", Kind.TEXT),
    Setting("seed", ("seed",), "1", Kind.INTEGER, least=0, most=MOST_SEED),
)
"""Settings that every sensor has."""

# tags of every sensor: the file's reader takes care of them
_GENERIC = (
    "translation",
    "quat",
    "rotationaxis",
    "rotationmat",
    "sendcommand",
    "pyrave",
    "name",
    "interface_type",
)


class SettingTable:
    """All settings of one kind of sensor.

    Parameters
    ----------
    what
        The sensor in words, with its article.
    settings
        What it has beside `COMMON`.
    several
        Tags that stand for several settings.
    ranges
        Pairs that are checked together.
    check
        Further check of all values: returns the name of one that makes no sense and
        why, or None.
    custom
        Readers of tags that hold more than one value: they get the element, the values
        so far and the context, and return values by name.
    """

    def __init__(
        self,
        what: str,
        settings: Iterable[Setting],
        *,
        several: Iterable[SeveralSettings] = (),
        ranges: Iterable[Range] = (),
        check: Callable[[Mapping[str, Any]], tuple[str, str] | None] | None = None,
        custom: Mapping[str, CustomReader] | None = None,
    ) -> None:
        self.what = what
        self.settings = {one.name: one for one in (*settings, *COMMON)}
        self.by_tag = {tag: one for one in self.settings.values() for tag in one.tags}
        self.several = {one.tag: one for one in several}
        self.ranges = tuple(ranges)
        self.check = check
        self.custom = dict(custom or {})

    def tags(self) -> tuple[str, ...]:
        """Return every tag that is understood."""
        return (*self.by_tag, *self.several, *self.custom, *_GENERIC)

    def entry(self, interface: str, name: str, value: Any) -> tuple[str, str, Any]:
        """Return (name, tag, value) of a setting as sensors with that id write it.

        The tag of a value in an attribute is ``tag@attribute``.
        """
        setting = self.settings[name]
        tag = setting.tag(interface)
        return name, f"{tag}@{setting.attribute}" if setting.attribute else tag, value


@dataclass(frozen=True, slots=True)
class SensorReadable(Readable):
    """What a file says about a sensor; what it does not say stays at its default.

    Parameters
    ----------
    interface
        The id in the file.
    entries
        (name, tag, value) of each setting, in the units of the file (degrees!).
    extra
        Elements that the reader does not know; they are written back.
    """

    interface: str
    entries: tuple[tuple[str, str, Any], ...] = ()
    extra: tuple[XmlElement, ...] = ()

    @property
    def values(self) -> dict[str, Any]:
        """Values by name."""
        return {name: value for name, _, value in self.entries}

    def changed(self, table: SettingTable, values: Mapping[str, Any]) -> SensorReadable:
        """Return a readable with other values; None takes a value away."""
        kept = [one for one in self.entries if one[0] not in values]
        new = [
            table.entry(self.interface, name, value)
            for name, value in values.items()
            if value is not None
        ]
        return replace(self, entries=(*kept, *new))

    def to_xml(self) -> XmlElement:
        """Return the ``<sensor>`` element with exactly the tags that are set."""
        children = tuple(
            child for _, tag, value in self.entries for child in _elements(tag, value)
        )
        return XmlElement(
            "sensor", (("type", self.interface),), children=children + self.extra
        )


def read_settings(
    table: SettingTable, element: Any, context: ReaderContext
) -> SensorReadable:
    """Read the ``<sensor>`` element of a sensor.

    What has no meaning is reported as a warning and left at its default.

    Parameters
    ----------
    element
        An element of lxml's.
    """
    words = (element.get("type") or "").split()
    interface = words[0].rpartition(":")[2] if words else ""
    values: dict[str, Any] = {}
    sources: dict[str, Any] = {}
    extra: list[XmlElement] = []
    for child in element:
        if not isinstance(child.tag, str):
            continue
        tag = child.tag.lower()
        if tag in table.custom:
            found = table.custom[tag](child, values, context)
        elif tag in table.several:
            found = _several(table, child, context)
        elif tag in table.by_tag:
            found = _single(table.by_tag[tag], child, context)
        else:
            if tag not in _GENERIC:
                _unknown(table, child, context)
                extra.append(_plain(child))
            continue
        for name, value in found.items():
            values[name], sources[name] = value, child
    _check(table, values, sources, element, context)
    entries = tuple(table.entry(interface, *item) for item in values.items())
    return SensorReadable(interface, entries, tuple(extra))


def _single(setting: Setting, child: Any, context: ReaderContext) -> dict[str, Any]:
    raw = child.get(setting.attribute) if setting.attribute else None
    text = (child.text if raw is None else raw) or ""
    value = _value(setting, text.strip(), child, context)
    return {} if value is None else {setting.name: value}


def _several(table: SettingTable, child: Any, context: ReaderContext) -> dict[str, Any]:
    several = table.several[child.tag.lower()]
    names = several.names
    words = (child.text or "").split()
    if several.centred and len(words) == 1 and _number(words[0]) is not None:
        half = 0.5 * float(words[0])
        words = [repr(-half), repr(half)]
    if len(words) < len(names):
        context.warn(
            f"<{child.tag}> holds {(child.text or '').strip()[:60]!r}, expected "
            f"{len(names)} numbers; it is ignored",
            child,
            f"they are {', '.join(names)}",
        )
        return {}
    found = {}
    for name, word in zip(names, words, strict=False):
        if not name:
            continue
        value = _value(table.settings[name], word, child, context)
        if value is not None:
            found[name] = value
    return found


def _value(setting: Setting, text: str, child: Any, context: ReaderContext) -> Any:
    if setting.kind is Kind.TEXT:
        return _choice(setting, text, child, context)
    words = text.split()
    numbers = [number for word in words if (number := _number(word)) is not None]
    count = setting.count if setting.kind is Kind.NUMBERS else 1
    whole = setting.kind is not Kind.INTEGER or all(n == int(n) for n in numbers)
    if len(numbers) != len(words) or count not in {None, len(words)} or not whole:
        expected = _NUMBERS.get(count, f"{count} numbers") if count else "numbers"
        if setting.kind is Kind.INTEGER:
            expected = setting.kind.value
        context.warn(
            f"<{child.tag}> holds {text[:60]!r}, expected {expected}; it is ignored",
            child,
            f"write for example <{child.tag}>{setting.example}</{child.tag}>",
        )
        return None
    wrong = _bound(setting, numbers)
    if wrong:
        unit = f"it is in {setting.unit}" if setting.unit else "see the documentation"
        context.warn(
            f"<{child.tag}> is {text}, expected {wrong}; it is ignored", child, unit
        )
        return None
    match setting.kind:
        case Kind.SWITCH:
            return bool(numbers[0])
        case Kind.INTEGER:
            return int(numbers[0])
        case Kind.NUMBERS:
            return tuple(numbers)
        case _:
            return numbers[0]


def _choice(
    setting: Setting, text: str, child: Any, context: ReaderContext
) -> str | None:
    if not setting.choices:
        return text
    for choice in setting.choices:
        if choice.lower() == text.lower():
            return choice
    near = nearest(text, setting.choices)
    context.warn(
        f"<{child.tag}> is {text[:60]!r}, expected {' or '.join(setting.choices)}; it "
        "is ignored",
        child,
        f"did you mean {near}?" if near else f"write for example {setting.example}",
    )
    return None


_NUMBERS = {1: "one number", 2: "two numbers", 3: "three numbers"}


def _bound(setting: Setting, numbers: list[float]) -> str:
    """Return what is expected of numbers that are out of bounds, or nothing."""
    unit = f" {setting.unit}" if setting.unit else ""
    if setting.least is not None and any(n < setting.least for n in numbers):
        return f"{setting.least:g} or more{unit}"
    if setting.above is not None and any(n <= setting.above for n in numbers):
        return f"more than {setting.above:g}{unit}"
    if setting.most is not None and any(n > setting.most for n in numbers):
        return f"{setting.most:g} or less{unit}"
    return ""


def _check(
    table: SettingTable,
    values: dict[str, Any],
    sources: dict[str, Any],
    element: Any,
    context: ReaderContext,
) -> None:
    """Report values that have no meaning together, and forget them."""
    for pair in table.ranges:
        lower = values.get(pair.low, pair.defaults[0])
        upper = values.get(pair.high, pair.defaults[1])
        if lower > upper:
            where = sources.get(pair.high, sources.get(pair.low, element))
            context.warn(
                f"the lower bound {lower:g} is above the upper bound {upper:g}; both "
                "are ignored",
                where,
                f"the defaults are {pair.defaults[0]:g} and {pair.defaults[1]:g}",
            )
            values.pop(pair.low, None)
            values.pop(pair.high, None)
    while table.check is not None:
        wrong = table.check(values)
        if wrong is None:
            return
        name, why = wrong
        unit = table.settings[name].unit
        context.warn(
            f"{why}; it is ignored",
            sources[name],
            f"it is in {unit}" if unit else None,
        )
        del values[name]


def _unknown(table: SettingTable, child: Any, context: ReaderContext) -> None:
    near = nearest(child.tag, table.tags())
    own = ", ".join(one.tags[0] for one in table.settings.values())
    hint = f"did you mean <{near}>?" if near else f"tags are {own}"
    context.warn(f"unknown tag <{child.tag}> of {table.what}", child, hint)


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


def _number(word: str) -> float | None:
    if "_" in word:
        return None
    try:
        value = float(word)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _elements(tag: str, value: Any) -> list[XmlElement]:
    """Return the elements that a value is written as."""
    if isinstance(value, tuple) and value and isinstance(value[0], WrittenValue):
        return [one.to_xml(tag) for one in value]
    tag, _, attribute = tag.partition("@")
    if attribute:
        return [XmlElement(tag, ((attribute, _text(value)),))]
    return [XmlElement(tag, text=_text(value))]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, tuple):
        return " ".join(_text(part) for part in value)
    return value if isinstance(value, str) else repr(value)
