"""Leaving out of a description those readables that cannot go where it goes."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any, TypeVar

from pyrave.errors import PluginError, PluginGuard, error_text, shown
from pyrave.scene.readable import Readable, XmlElement, XmlReadable

T = TypeVar("T")
_HOLDERS = (
    "bodies",
    "links",
    "geometries",
    "joints",
    "manipulators",
    "attached_sensors",
    "interfaces",
)
"""Fields of descriptions whose items have readables or hold what has them."""


def without_failing(
    item: T, attempt: Callable[[Readable], object]
) -> tuple[T, list[str]]:
    """Return a description without the readables that fail, and what is left out.

    Parameters
    ----------
    item
        A `SceneDescription` or a part of one.
    attempt
        Called with each readable of a plugin's class; may raise anything.

    Returns
    -------
    SceneDescription or its part
        The same object if nothing fails.
    list of str
        A text for each readable: its key, its owner and what was raised.
    """
    lost: list[str] = []
    return _without(item, attempt, lost), lost


def _without(item: Any, attempt: Callable[[Readable], object], lost: list[str]) -> Any:
    changes: dict[str, Any] = {}

    def keeps(key: str, readable: Readable) -> bool:
        if type(readable) is XmlReadable:
            return True
        with PluginGuard() as guard:
            attempt(readable)
        if guard.error is None:
            return True
        name = getattr(item, "name", "") or getattr(item, "interface", "") or "scene"
        kind = type(readable)
        lost.append(
            f"the readable {key!r} of {name!r} ({kind.__module__}.{kind.__qualname__}):"
            f" {error_text(guard.error)}"
        )
        return False

    own = getattr(item, "readables", ())
    kept = tuple(pair for pair in own if keeps(*pair))
    if len(kept) < len(own):
        changes["readables"] = kept
    actuator = getattr(item, "actuator", None)
    if actuator is not None and not keeps("actuator", actuator):
        changes["actuator"] = None
    for field in _HOLDERS:
        parts = getattr(item, field, ())
        made = tuple(_without(part, attempt, lost) for part in parts)
        if any(new is not old for new, old in zip(made, parts, strict=True)):
            changes[field] = made
    return dataclasses.replace(item, **changes) if changes else item


def xml_of(readable: Readable) -> XmlElement | None:
    """Return the XML that a readable writes, checked.

    Raises
    ------
    PluginError
        Its class raises, or returns something else.
    """
    xml: Any = None
    with PluginGuard() as guard:
        xml = readable.to_xml()
        if xml is not None:
            _check(xml)
    if guard.error is not None:
        raise PluginError(f"its to_xml() raised {error_text(guard.error)}") from (
            guard.error
        )
    written: XmlElement | None = xml
    return written


def check_writable(readable: Readable) -> None:
    """Raise if a readable cannot be written, or not be compared with what is read."""
    xml_of(readable)
    other = readable
    with PluginGuard():
        other = copy.deepcopy(readable)
    if not isinstance(readable == other, bool):
        raise TypeError(
            "comparing it gives no truth value; its class should be a frozen dataclass "
            "of numbers, texts and tuples"
        )


def _check(xml: Any) -> None:
    if not isinstance(xml, XmlElement):
        raise TypeError(f"to_xml() returned {shown(xml)}, expected an XmlElement")
    for pair in xml.attributes:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"an attribute is {shown(pair)}, expected (name, text)")
    words = (word for pair in xml.attributes for word in pair)
    for one in (xml.tag, xml.text, xml.tail, *words):
        if not isinstance(one, str):
            raise TypeError(f"its XML holds {shown(one)}, expected a text")
    for child in xml.children:
        _check(child)
