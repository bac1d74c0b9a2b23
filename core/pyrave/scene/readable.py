"""Readables: data that a custom reader left on an object, and plain XML trees.

A readable is stored under a key (an interface id or a tag; keys match without
case) and can write itself back as XML. See `docs/plugin-author-guide`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pyrave.errors import NotFoundError
from pyrave.scene.location import Location

__all__ = ["Readable", "Readables", "XmlElement", "XmlReadable"]


@dataclass(frozen=True, slots=True)
class XmlElement:
    """One element of a plain XML tree; mixed text after children is `tail`."""

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    children: tuple[XmlElement, ...] = ()
    tail: str = ""
    location: Location | None = field(default=None, compare=False, repr=False)

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return an attribute's value, matched without case."""
        wanted = name.lower()
        for key, value in self.attributes:
            if key.lower() == wanted:
                return value
        return default


class Readable:
    """Base of what a custom XML reader returns.

    Subclasses should be frozen dataclasses: readables travel with descriptions,
    which are compared, copied and pickled.
    """

    def to_xml(self) -> XmlElement | None:
        """Return the element that this data was read from, or None to not write it."""
        return None


@dataclass(frozen=True, slots=True)
class XmlReadable(Readable):
    """A readable that is just the XML tree it was read from."""

    element: XmlElement

    def to_xml(self) -> XmlElement:
        """Return the tree as it was read."""
        return self.element


class Readables:
    """Readables of one object by key; keys match without case, order is kept."""

    __slots__ = ("_items",)

    def __init__(self, items: tuple[tuple[str, Readable], ...] = ()) -> None:
        self._items: dict[str, tuple[str, Readable]] = {}
        for key, readable in items:
            self[key] = readable

    def __getitem__(self, key: str) -> Readable:
        try:
            return self._items[key.lower()][1]
        except KeyError:
            raise NotFoundError("readable", key, list(self)) from None

    def __setitem__(self, key: str, readable: Readable) -> None:
        self._items[key.lower()] = (key, readable)

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise NotFoundError("readable", key, list(self))
        del self._items[key.lower()]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self._items

    def __iter__(self) -> Iterator[str]:
        return (key for key, _ in self._items.values())

    def __len__(self) -> int:
        return len(self._items)

    def get(self, key: str, default: Readable | None = None) -> Readable | None:
        """Return the readable under `key`, or `default`."""
        return self._items.get(key.lower(), (key, default))[1]

    def items(self) -> tuple[tuple[str, Readable], ...]:
        """Return (key, readable) pairs in order."""
        return tuple(self._items.values())
