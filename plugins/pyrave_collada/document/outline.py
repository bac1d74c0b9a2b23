"""Outline of a document for paths of sids: named elements and their parents.

A document of ten thousand elements has a few hundred with a sid, an instance or
something of the kind below; only those are walked through, once for each element that
a path starts from.
"""

from __future__ import annotations

from typing import Any


class Spot:
    """An element with a sid or a symbol, or above one, or an instance.

    Attributes
    ----------
    element
        The element.
    names
        Its sid and its symbol, those that are given.
    is_instance
        Whether it stands for the element that its URL names.
    below
        Spots of its children in the order of the document; an ``<extra>`` is none of
        them: what it holds has no sids, and names other files.
    """

    __slots__ = ("below", "element", "is_instance", "names")

    def __init__(self, element: Any, names: tuple[str, ...] = ()) -> None:
        self.element = element
        self.names = names
        self.is_instance = _is_instance(element)
        self.below: list[Spot] = []


class Outline:
    """The spots of a document. Belongs to one load.

    Elements are added in the order of the document.
    """

    def __init__(self) -> None:
        self._spots: dict[Any, Spot] = {}
        self._names: set[str] = set()

    def __contains__(self, name: str) -> bool:
        """Return True if there is an element of a sid or symbol anywhere."""
        return name in self._names

    def add(self, element: Any) -> None:
        """Take an element if it has a sid, a symbol or the URL of an instance."""
        sid, symbol = element.get("sid"), element.get("symbol")
        if sid or symbol:
            names = tuple(name for name in (sid, symbol) if name)
            self._names.update(names)
            self._place(Spot(element, names))
        elif _is_instance(element):
            self._place(Spot(element))

    def _place(self, spot: Spot) -> None:
        while True:
            element = spot.element
            self._spots[element] = spot
            parent = element.getparent()
            if parent is None or element.tag == "extra":
                return
            above = self._spots.get(parent)
            if above is not None:
                above.below.append(spot)
                return
            above = Spot(parent)
            above.below.append(spot)
            spot = above

    def spot(self, element: Any) -> Spot | None:
        """Return the spot of an element; None if no path can lead on from there."""
        return self._spots.get(element)


def _is_instance(element: Any) -> bool:
    tag: str = element.tag
    return tag.startswith("instance_") and element.get("url") is not None
