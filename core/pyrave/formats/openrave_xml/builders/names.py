"""Finding links and joints by name while prefixes still change the names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, Protocol, TypeVar


class _HasName(Protocol):
    name: str


Named = TypeVar("Named", bound=_HasName)


class NameIndex(Generic[Named]):
    """The first item of each name, in the order in which items were added.

    A body may have very many items and prefixes, so that an addition or a rename
    costs only as much as the items that it concerns.
    """

    __slots__ = ("_exact", "_lower")

    def __init__(self) -> None:
        self._exact: dict[str, Named] = {}
        self._lower: dict[str, Named] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._exact

    def add(self, item: Named) -> None:
        """Take in an item that comes after all others; nameless ones are not kept."""
        if item.name:
            self._exact.setdefault(item.name, item)
            self._lower.setdefault(item.name.lower(), item)

    def find(self, name: str, *, any_case: bool = False) -> Named | None:
        """Return the item of a name; with `any_case` else the first that matches so."""
        found = self._exact.get(name)
        if found is None and any_case:
            return self._lower.get(name.lower())
        return found

    def rename(self, items: Iterable[Named], prefix: str) -> None:
        """Put a prefix before the names of `items`, the last ones that were added."""
        items = tuple(items)
        for item in items:
            for index, name in (
                (self._exact, item.name),
                (self._lower, item.name.lower()),
            ):
                if index.get(name) is item:
                    del index[name]
            item.name = prefix + item.name
        for item in items:
            self.add(item)
