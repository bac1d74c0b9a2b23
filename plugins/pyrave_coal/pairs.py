"""The pairs of solids of a selection, without those whose boxes are apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pyrave.collision import FIRST, SECOND, PairSelection, Probe
from pyrave_coal.containment import InsideCandidates
from pyrave_coal.placed import Group, Placed, PlacedWorld, placed_solid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.spatial import Array
    from pyrave.world import GeometryTable

    Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PairTable:
    """Pairs of solids with what is known without comparing them.

    Parameters
    ----------
    first, second
        (k,) rows, or for the first the index in a probe.
    links
        (k, 2) rows of their links; -1 for a probe.
    gaps
        (k,) how far their boxes are apart, metres, 0 if they overlap.
    """

    first: Rows
    second: Rows
    links: Rows
    gaps: Array


class Plan:
    """Data derived from a selection, valid as long as the selection is.

    Parameters
    ----------
    selection
        With sides or with pairs.
    table
        Solids of the packed world.
    world
        The same in the library.
    """

    def __init__(
        self, selection: PairSelection, table: GeometryTable, world: PlacedWorld
    ) -> None:
        rows = np.array(sorted(world.solids), np.int64)
        self._world = world
        self.links = table.link
        self.groups: tuple[Group, Group] | None = None
        self._listed: tuple[Rows, Rows] | None = None
        if selection.sides is None:
            assert selection.pairs is not None  # noqa: S101 - one of both is given
            self._listed = _listed_pairs(selection.pairs, rows, table.link)
            self.first, self.second = self._listed
        else:
            sides = selection.sides[table.link[rows]]
            self.first = rows[(sides & FIRST) != 0]
            self.second = rows[(sides & SECOND) != 0]
            if ((sides & FIRST) & (sides >> 1)).any():
                self._listed = self._product(table.link)
        if self._listed is None:
            self.groups = Group(world, self.first), Group(world, self.second)
        product = self._listed is None
        both = self._listed or (self.first, self.second)
        self.inside = InsideCandidates(world.solids, *both, product=product)

    def _product(self, links: NDArray[np.int32]) -> tuple[Rows, Rows]:
        """Return all pairs of solids of different links."""
        first = np.repeat(self.first, len(self.second))
        second = np.tile(self.second, len(self.first))
        different = links[first] != links[second]
        return first[different], second[different]

    def pairs(self, table: GeometryTable, most: float) -> PairTable:
        """Return the pairs whose boxes are not further apart than a distance."""
        bounds = table.bounds
        if self._listed is None:
            gaps = _gaps(bounds[self.first][:, None], bounds[self.second][None])
            one, other = np.nonzero(gaps <= most)
            first, second, near = self.first[one], self.second[other], gaps[one, other]
        else:
            first, second = self._listed
            gaps = _gaps(bounds[first], bounds[second])
            chosen = gaps <= most
            first, second, near = first[chosen], second[chosen], gaps[chosen]
        links = np.stack((table.link[first], table.link[second]), axis=1)
        return PairTable(first, second, links.astype(np.int64), near)


class ProbeSolids:
    """The solids of a probe, and their pairs with a plan's second side."""

    def __init__(self, probe: Probe) -> None:
        self.solids: list[Placed] = [placed_solid(*one) for one in probe.solids]

    def pairs(self, plan: Plan, table: GeometryTable, most: float) -> PairTable:
        """Return the pairs whose boxes are not further apart than a distance."""
        own = np.array([one.bounds for one in self.solids]).reshape(-1, 6)
        gaps = _gaps(own[:, None], table.bounds[plan.second][None])
        one, other = np.nonzero(gaps <= most)
        second = plan.second[other]
        links = np.stack((np.full(len(one), -1), table.link[second]), axis=1)
        return PairTable(one, second, links.astype(np.int64), gaps[one, other])


def _gaps(one: Array, other: Array) -> Array:
    """Return the distances of boxes (..., 6), 0 where they overlap."""
    between = np.maximum(one[..., :3] - other[..., 3:], other[..., :3] - one[..., 3:])
    apart = np.maximum(between, 0.0)
    gaps: Array = np.sqrt((apart * apart).sum(axis=-1))
    return gaps


def _listed_pairs(
    pairs: NDArray[np.int32], rows: Rows, links: NDArray[np.int32]
) -> tuple[Rows, Rows]:
    """Return the pairs of solids of pairs of links."""
    solids: dict[int, list[int]] = {}
    for row in rows.tolist():
        solids.setdefault(int(links[row]), []).append(row)
    found = [
        (first, second)
        for one, other in pairs.tolist()
        for first in solids.get(one, ())
        for second in solids.get(other, ())
    ]
    both = np.array(found, np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]
