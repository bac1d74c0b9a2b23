"""Pairs of links that an environment ignores, as rows of its packed world."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from pyrave.collision.engine_queries import FIRST, SECOND, PairSelection, Probe, Veto

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pyrave.environment import Environment
    from pyrave.world import PackedWorld

_Number = TypeVar("_Number", bound=np.integer)


class IgnoredLinks:
    """The ignored pairs of links as they are now; another one when that changes.

    Parameters
    ----------
    world
        Whose rows count: the environment's, or that of a group of geometries.
    """

    def __init__(self, env: Environment, world: PackedWorld) -> None:
        self._n = len(world.tables.links.id)
        parts = [np.empty((0, 2), np.int64)]
        for pair in env.ignored_pairs:
            sides = []
            for name, link in (
                (pair.first, pair.first_link),
                (pair.second, pair.second_link),
            ):
                body = env.bodies[name]
                if body.id not in world:
                    break
                rows = world.links_of(body.id)
                chosen = np.arange(rows.start, rows.stop)
                if link:
                    chosen = chosen[body.model.link_number(link)][None]
                sides.append(chosen)
            if len(sides) == 2:
                parts.append(np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2))
        self._pairs = np.concatenate(parts)
        self._codes = _distinct(self._coded(self._pairs))
        self._carrying = _distinct(world.tables.geometries.link)
        self._geometry_links = world.tables.geometries.link

    def __bool__(self) -> bool:
        return len(self._codes) > 0

    def _coded(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return one number (k,) per pair of rows, whichever comes first."""
        low = pairs.min(axis=1, initial=self._n)
        found: NDArray[np.int64] = low * self._n + pairs.max(axis=1, initial=-1)
        return found

    def without(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of pairs of rows (k, 2) that count."""
        if not self:
            return pairs
        return pairs[~np.isin(self._coded(pairs), self._codes)]

    def selection(self, sides: NDArray[np.uint8]) -> PairSelection:
        """Return the pairs that sides mean and that count."""
        if not self:
            return PairSelection(sides)
        first, second = sides & FIRST > 0, sides & SECOND > 0
        one, other = self._pairs.T
        meant = (first[one] & second[other]) | (first[other] & second[one])
        if not meant.any():
            return PairSelection(sides)
        rows = [self._carrying[side[self._carrying]] for side in (first, second)]
        counts = rows[0][:, None] != rows[1]
        places = np.full((2, self._n), -1)
        for place, mine in zip(places, rows, strict=True):
            place[mine] = np.arange(len(mine))
        for ends in (self._pairs.T, self._pairs.T[::-1]):
            of_first, of_second = places[0][ends[0]], places[1][ends[1]]
            known = (of_first >= 0) & (of_second >= 0)
            counts[of_first[known], of_second[known]] = False
        left, right = np.nonzero(counts)
        pairs = np.column_stack((rows[0][left], rows[1][right]))
        return PairSelection(pairs=np.ascontiguousarray(pairs, np.int32))

    def veto(self, probe: Probe | None, otherwise: Veto | None) -> Veto | None:
        """Return the test of solids for being ignored with a probe, or vetoed.

        The probe's solids are copies of such in the world.
        """
        if probe is None or not self:
            return otherwise
        carriers = self._geometry_links
        links = [int(carriers[row]) if row >= 0 else -1 for row in probe.rows]
        known = set(self._codes.tolist())
        if not np.isin(self._pairs, links).any():
            return otherwise

        def ignored(first: int, second: int) -> bool:
            ends = sorted((links[first], int(carriers[second])))
            if ends[0] >= 0 and ends[0] * self._n + ends[1] in known:
                return True
            return otherwise is not None and otherwise(first, second)

        return ignored


def _distinct(numbers: NDArray[_Number]) -> NDArray[_Number]:
    """Return sorted numbers (n,), each once.

    `np.unique` imports `numpy.ma`, of which a first call would wait.
    """
    ordered = np.sort(numbers)
    is_new = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=is_new[1:])
    return ordered[is_new]
