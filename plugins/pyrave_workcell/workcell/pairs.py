"""Sets of pairs of frames: for each frame a row of bits, its partners."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeVar

Pair = frozenset[str]
Item = TypeVar("Item")
_TWO = 2


class Chosen(NamedTuple):
    """Some of the frames of `Pairs`: their places in its names, and a row of them."""

    places: tuple[int, ...]
    row: int


class Pairs(AbstractSet[Pair]):
    """Pairs of frames, each a set of two names.

    Rules act on whole rows: the pairs of a thousand frames are half a million.

    Parameters
    ----------
    names
        The frames that may be in a pair.
    """

    __slots__ = ("_places", "_rows", "names")

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        self._places = {name: place for place, name in enumerate(self.names)}
        self._rows = [0] * len(self.names)

    @classmethod
    def between_groups(cls, names: Iterable[str], groups: Mapping[str, str]) -> Pairs:
        """Return the pairs of frames that are of different groups."""
        made = cls(names)
        together: dict[str, int] = defaultdict(int)
        for place, name in enumerate(made.names):
            together[groups[name]] |= 1 << place
        every = (1 << len(made.names)) - 1
        made._rows = [every & ~together[groups[name]] for name in made.names]
        return made

    @classmethod
    def _from_iterable(cls, it: Iterable[Item]) -> frozenset[Item]:
        return frozenset(it)

    def __contains__(self, pair: object) -> bool:
        if not isinstance(pair, frozenset) or len(pair) != _TWO:
            return False
        places = self.chosen(pair).places
        return len(places) == _TWO and bool(self._rows[places[0]] >> places[1] & 1)

    def __iter__(self) -> Iterator[Pair]:
        for place, row in enumerate(self._rows):
            for other in places_of(row >> place):
                yield frozenset((self.names[place], self.names[place + other]))

    def __len__(self) -> int:
        return sum(map(int.bit_count, self._rows)) // 2

    def chosen(self, names: Iterable[str]) -> Chosen:
        """Return some frames; names of others are passed over."""
        known = self._places
        places = tuple({known[name]: None for name in names if name in known})
        return Chosen(places, sum(1 << place for place in places))

    def partners(self, place: int) -> int:
        """Return the row of a frame."""
        return self._rows[place]

    def keep(self, others: Pairs) -> None:
        """Keep only the pairs that are in others too, of the same frames."""
        self._rows = [a & b for a, b in zip(self._rows, others._rows, strict=True)]

    def drop(self, others: Pairs) -> None:
        """Take away the pairs that are in others, of the same frames."""
        self._rows = [a & ~b for a, b in zip(self._rows, others._rows, strict=True)]

    def exclude(self, first: Chosen, second: Chosen) -> None:
        """Take away the pairs of some frames with others."""
        rows = self._rows
        for one, other in ((first, second), (second, first)):
            left = ~other.row
            for place in one.places:
                rows[place] &= left

    def include(self, first: Chosen, second: Chosen) -> None:
        """Add the pairs of some frames with others."""
        rows = self._rows
        for one, other in ((first, second), (second, first)):
            for place in one.places:
                rows[place] |= other.row & ~(1 << place)


def places_of(row: int) -> Iterator[int]:
    """Yield the places of a row that are set, rising."""
    while row:
        lowest = row & -row
        yield lowest.bit_length() - 1
        row ^= lowest
