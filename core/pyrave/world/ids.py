"""Identity numbers of bodies, links and geometries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pyrave.records import made_quickly

if TYPE_CHECKING:
    from pyrave.scene import BodyDescription, GeometryDescription


@dataclass(slots=True)
class IdSource:
    """The next free numbers of an environment; a number is never given twice."""

    body: int = 0
    link: int = 0
    geometry: int = 0

    def take_over(self, other: IdSource) -> None:
        """Go on where another source is, as clones do."""
        self.body, self.link, self.geometry = other.body, other.link, other.geometry

    def take(self, description: BodyDescription) -> BodyIds:
        """Return new ids for a body and all that its description says."""
        geometries, first = [], self.geometry
        for link in description.links:
            end = first + len(link.geometries)
            geometries.append(tuple(range(first, end)))
            first = end
        made = BodyIds(self.body, self.link, tuple(geometries))
        self.body += 1
        self.link += len(geometries)
        self.geometry = first
        return made

    def take_geometries(self, count: int) -> range:
        """Return new ids for geometries."""
        first = self.geometry
        self.geometry += count
        return range(first, self.geometry)


@made_quickly
@dataclass(frozen=True, slots=True)
class BodyIds:
    """Ids of one body in an environment; clones have the same ones.

    Parameters
    ----------
    body
        Id of the body.
    first_link
        Id of its base; the others follow in the order of the links.
    geometries
        Per link the ids of its geometries, of all groups, in the order in which the
        link's description lists them.
    """

    body: int
    first_link: int
    geometries: tuple[tuple[int, ...], ...]

    def fit(self, description: BodyDescription) -> bool:
        """Return True if there is an id for each geometry of a description."""
        return [len(ids) for ids in self.geometries] == [
            len(link.geometries) for link in description.links
        ]

    def edited(
        self, source: IdSource, before: BodyDescription, after: BodyDescription
    ) -> BodyIds:
        """Return the ids after an edit of the geometries of links.

        A geometry that is still there keeps its id, and so does one that was changed
        in its place.
        """
        if before.links is after.links:
            return self
        geometries = tuple(
            known
            if new.geometries is old.geometries
            else _matched(source, known, old.geometries, new.geometries)
            for known, old, new in zip(
                self.geometries, before.links, after.links, strict=True
            )
        )
        return replace(self, geometries=geometries)


def _matched(
    source: IdSource,
    known: tuple[int, ...],
    before: Sequence[GeometryDescription],
    after: Sequence[GeometryDescription],
) -> tuple[int, ...]:
    """Return the ids of edited geometries."""
    # one description may stand for several geometries
    waiting: dict[int, list[int]] = {}
    for number, old in zip(known, before, strict=True):
        waiting.setdefault(id(old), []).append(number)
    found: list[int | None] = []
    for new in after:
        same = waiting.get(id(new))
        found.append(same.pop(0) if same else None)
    if len(before) == len(after):
        left = {number for numbers in waiting.values() for number in numbers}
        found = [
            old if number is None and old in left else number
            for number, old in zip(found, known, strict=True)
        ]
    return tuple(
        source.take_geometries(1)[0] if number is None else number for number in found
    )
