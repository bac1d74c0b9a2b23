"""Readables: data that a custom reader left on an object, and plain XML trees.

A readable is stored under a key (an interface id or a tag; keys match without
case) and can write itself back as XML. See `docs/plugin-author-guide`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
    """Readables of one object by key; keys match without case, order is kept.

    Files may repeat a tag, so a key may have several: ``readables[key]`` is the last,
    as OpenRAVE has it, and `all` gives every one. Mutable; belongs to its object.
    """

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[tuple[str, Readable]] = ()) -> None:
        self._items = list(items)

    def __getitem__(self, key: str) -> Readable:
        found = self.all(key)
        if not found:
            raise NotFoundError("readable", key, list(self))
        return found[-1]

    def __setitem__(self, key: str, readable: Readable) -> None:
        """Put one readable in the place of those under `key`."""
        wanted = key.lower()
        places = [i for i, (k, _) in enumerate(self._items) if k.lower() == wanted]
        if not places:
            self._items.append((key, readable))
            return
        self._items[places[0]] = (key, readable)
        for place in reversed(places[1:]):
            del self._items[place]

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise NotFoundError("readable", key, list(self))
        wanted = key.lower()
        self._items = [item for item in self._items if item[0].lower() != wanted]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(self.all(key))

    def __iter__(self) -> Iterator[str]:
        return iter({key.lower(): key for key, _ in self._items}.values())

    def __len__(self) -> int:
        return len({key.lower() for key, _ in self._items})

    def add(self, key: str, readable: Readable) -> None:
        """Put a readable behind those that `key` has."""
        self._items.append((key, readable))

    def all(self, key: str) -> tuple[Readable, ...]:
        """Return every readable under `key`, in order; none: ``()``."""
        wanted = key.lower()
        return tuple(value for k, value in self._items if k.lower() == wanted)

    def get(self, key: str, default: Readable | None = None) -> Readable | None:
        """Return the last readable under `key`, or `default`."""
        found = self.all(key)
        return found[-1] if found else default

    def items(self) -> tuple[tuple[str, Readable], ...]:
        """Return all (key, readable) pairs in order."""
        return tuple(self._items)
