"""Readables: data that a custom reader left on an object, and plain XML trees.

A readable is stored under a key (an interface id or a tag; keys match without
case) and can write itself back as XML. See `docs/plugin-author-guide`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from pyrave.errors import NotFoundError
from pyrave.records import made_quickly
from pyrave.scene.location import Location


@made_quickly
@dataclass(frozen=True, slots=True)
class XmlElement:
    """One element of a plain XML tree; mixed text after children is `tail`.

    Parameters
    ----------
    attributes
        (name, value) pairs.
    """

    tag: str
    attributes: tuple[tuple[str, str], ...] = ()
    text: str = ""
    children: tuple[XmlElement, ...] = ()
    tail: str = ""
    location: Location | None = field(default=None, compare=False, repr=False)

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return an attribute's value, matched without case.

        Parameters
        ----------
        default
            What is returned without such an attribute.
        """
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


class InnerKey(str):
    """The key of what stands in the ``<kinbody>`` of a robot, not right in the robot.

    It is equal to the plain text; files have it back where it was.
    """

    __slots__ = ()


ReadableItems = tuple[tuple[str, Readable], ...]
"""Readables of one object, each with its key."""


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

    Parameters
    ----------
    items
        (key, readable) pairs.
    """

    __slots__ = ("_items", "_next", "_places")

    def __init__(self, items: Iterable[tuple[str, Readable]] = ()) -> None:
        self._items: dict[int, tuple[str, Readable]] = {}
        self._places: dict[str, list[int]] = {}
        self._next = 0
        for key, readable in items:
            self.add(key, readable)

    def __repr__(self) -> str:
        keys = ", ".join(key for key, _ in self._items.values())
        return f"<readables: {keys or 'none'}>"

    def _ipython_key_completions_(self) -> list[str]:
        """Return the keys for brackets, for shells that complete them."""
        return list(self)

    def __getitem__(self, key: str) -> Readable:
        found = self.all(key)
        if not found:
            raise NotFoundError("readable", key, list(self))
        return found[-1]

    def __setitem__(self, key: str, readable: Readable) -> None:
        """Put one readable in the place of those under `key`."""
        places = self._places.get(key.lower())
        if not places:
            self.add(key, readable)
            return
        self._items[places[0]] = (key, readable)
        for place in places[1:]:
            del self._items[place]
        del places[1:]

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise NotFoundError("readable", key, list(self))
        for place in self._places.pop(key.lower()):
            del self._items[place]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self._places

    def __iter__(self) -> Iterator[str]:
        return iter({key.lower(): key for key, _ in self._items.values()}.values())

    def __len__(self) -> int:
        return len(self._places)

    def add(self, key: str, readable: Readable) -> None:
        """Put a readable behind those that `key` has."""
        self._items[self._next] = (key, readable)
        self._places.setdefault(key.lower(), []).append(self._next)
        self._next += 1

    def all(self, key: str) -> tuple[Readable, ...]:
        """Return every readable under `key`, in order; none: ``()``."""
        places = self._places.get(key.lower(), ())
        return tuple(self._items[place][1] for place in places)

    def get(self, key: str, default: Readable | None = None) -> Readable | None:
        """Return the last readable under `key`, or `default`."""
        found = self.all(key)
        return found[-1] if found else default

    def items(self) -> tuple[tuple[str, Readable], ...]:
        """Return all (key, readable) pairs in order."""
        return tuple(self._items.values())
