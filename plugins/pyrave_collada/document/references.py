"""References between elements: URLs, and paths of sids (SIDREF).

COLLADA 1.5, chapter 3 "Address syntax", as the files of six generations of writers use
it: a path starts at an id or at a sid below the element it stands in, goes through
instances to what they instantiate, and through parameters to what they refer to.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pyrave_collada.document.parsed import ColladaDocument, child

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyrave_collada.document.outline import Spot

_MAX_STEPS = 64
# instances in instances may double what lies below them each time
_INDEXED, _INDEXED_PER_ELEMENT = 50_000, 16


class Opener(Protocol):
    """Opens the documents that another one refers to."""

    def __call__(
        self, name: str, element: Any, source: ColladaDocument
    ) -> ColladaDocument | None:
        """Return the document of that name, None after reporting why there is none."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """Target of a path.

    Parameters
    ----------
    element
        The element.
    trail
        Elements that the path went through: instances above all, which tell one use
        of a shared element from another.
    member
        What follows behind a dot, such as ``ANGLE``; empty if nothing does.
    """

    element: Any
    trail: tuple[Any, ...] = ()
    member: str = ""


class Library:
    """All documents of a load, and the elements in them. Belongs to one load.

    Parameters
    ----------
    opener
        Opens documents that others refer to.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._documents: dict[Any, ColladaDocument] = {}
        self._by_name: dict[tuple[str | None, str], ColladaDocument | None] = {}
        self._indices: dict[Any, dict[str, tuple[Any, tuple[Any, ...]]]] = {}
        self._indexed = 0

    def add(self, document: ColladaDocument) -> None:
        """Take a document whose elements references may start from."""
        self._documents[document.root] = document

    def documents(self) -> tuple[ColladaDocument, ...]:
        """Return all documents of the load, the first one first."""
        return tuple(self._documents.values())

    def document(self, element: Any) -> ColladaDocument:
        """Return the document that an element is in."""
        return self._documents[element.getroottree().getroot()]

    # -- urls --------------------------------------------------------------------

    def target(self, element: Any, attribute: str = "url") -> Any:
        """Return the element that a URL attribute names, or None."""
        url = (element.get(attribute) or "").strip()
        return self.by_url(url, element) if url else None

    def by_url(self, url: str, element: Any) -> Any:
        """Return the element that ``file#id`` or ``#id`` names elsewhere, or None."""
        name, _, key = url.partition("#")
        source = self.document(element)
        document = self._opened(name, element, source) if name else source
        if document is None:
            return None
        return document.by_id.get(key) if key else document.root

    def _opened(
        self, name: str, element: Any, source: ColladaDocument
    ) -> ColladaDocument | None:
        key = (source.folder, name)
        if key not in self._by_name:
            self._by_name[key] = None  # while it is opened, and if it can't be
            document = self._opener(name, element, source)
            if document is not None:
                known = (d for d in self._documents.values() if d.file == document.file)
                document = next(known, document)
                self.add(document)
            self._by_name[key] = document
        return self._by_name[key]

    # -- sids --------------------------------------------------------------------

    def find(self, path: str, context: Any) -> Found | None:
        """Return the target of a path of sids from an element, or None.

        Parameters that hold a path are followed.
        """
        found = self._walk(path.strip(), context, ())
        for _ in range(_MAX_STEPS):
            if found is None:
                return None
            onward = _reference_in(found.element)
            if onward is None:
                return found
            text, start = onward
            found = self._walk(text, start, (*found.trail, start))
        return None

    def _walk(self, path: str, context: Any, trail: tuple[Any, ...]) -> Found | None:
        parts = [part for part in path.split("/") if part]
        if not parts:
            return None
        whole = self._steps(parts, context, trail)
        if whole is not None:
            return whole
        for cut in _members(parts[-1]):
            found = self._steps([*parts[:-1], cut[0]], context, trail)
            if found is not None:
                return Found(found.element, found.trail, cut[1])
        return None

    def _steps(
        self, parts: list[str], context: Any, trail: tuple[Any, ...]
    ) -> Found | None:
        rest = parts[1:]
        for element, passed in self._starts(parts[0], context):
            here, way = element, (*trail, *passed, element)
            for part in rest:
                step = self._below(here, part)
                if step is None:
                    break
                here = step[0]
                way = (*way, *step[1], here)
            else:
                return Found(here, way)
        return None

    def _starts(
        self, first: str, context: Any
    ) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        """Yield the elements that a path may start at, and instances on the way."""
        if first == ".":
            yield context, ()
            return
        below = self._below(context, first)
        if below is not None:
            yield below
        by_id = self._with_id(first, context)
        if by_id is not None:
            yield by_id, ()

    def _with_id(self, key: str, context: Any) -> Any:
        """Return the element of an id.

        A path in an instance starts in the document of what it stands for; what a
        document takes from others it refers to by their ids.
        """
        own = self.document(context)
        spot = own.outline.spot(context)
        target = self.target(context) if spot is not None and spot.is_instance else None
        first = (own,) if target is None else (self.document(target), own)
        for document in (*first, *self._documents.values()):
            found = document.by_id.get(key)
            if found is not None:
                return found
        return None

    def _below(self, element: Any, sid: str) -> tuple[Any, tuple[Any, ...]] | None:
        """Return the nearest element below with that sid, and instances on the way."""
        for document in self._documents.values():
            if sid in document.outline:
                break
        else:
            return None
        index = self._indices.get(element)
        if index is None:
            index = self._indices[element] = self._index(element)
        return index.get(sid)

    def _index(self, top: Any) -> dict[str, tuple[Any, tuple[Any, ...]]]:
        """Return the first element of each sid below one, nearest first.

        The targets of instances lie below the instances.
        """
        found: dict[str, tuple[Any, tuple[Any, ...]]] = {}
        first = self._spot(top)
        if first is None:
            return found
        queue: deque[tuple[Spot, tuple[Any, ...]]] = deque(
            (one, ()) for one in self._inside(first)
        )
        seen: set[tuple[Any, tuple[Any, ...]]] = set()
        size = sum(document.size for document in self._documents.values())
        most = _INDEXED + _INDEXED_PER_ELEMENT * size
        while queue and self._indexed < most:
            spot, passed = queue.popleft()
            self._indexed += 1
            element = spot.element
            for name in spot.names:
                found.setdefault(name, (element, passed))
            if not spot.is_instance:
                queue.extend([(one, passed) for one in spot.below])
                continue
            if (element, passed) in seen or element in passed:
                continue
            seen.add((element, passed))
            way = (*passed, element)
            queue.extend([(one, way) for one in self._inside(spot)])
        return found

    def _spot(self, element: Any) -> Spot | None:
        return self.document(element).outline.spot(element)

    def _inside(self, spot: Spot) -> Iterator[Spot]:
        """Yield the elements below a spot, and below the origin of an instance."""
        yield from spot.below
        target = self.target(spot.element) if spot.is_instance else None
        there = None if target is None else self._spot(target)
        if there is not None:
            yield from there.below


def _reference_in(element: Any) -> tuple[str, Any] | None:
    """Return the path in a parameter and where it starts, None for other elements."""
    if element.tag in {"newparam", "setparam"}:
        inner = child(element, "SIDREF")
        if inner is not None and inner.text:
            return inner.text.strip(), element.getparent()
    if element.tag == "bind":
        inner = child(element, "param")
        if inner is not None:
            text = inner.get("ref") or inner.text
            if text and text.strip():
                return text.strip(), element.getparent()
        inner = child(element, "SIDREF")
        if inner is not None and inner.text:
            return inner.text.strip(), element.getparent()
    return None


def _members(part: str) -> Iterator[tuple[str, str]]:
    """Yield ways to read a part as a sid and a member: ``a.X``, ``a(1)``."""
    for mark in (".", "("):
        place = part.rfind(mark)
        if place > 0:
            yield part[:place], part[place + 1 :].rstrip(")")
