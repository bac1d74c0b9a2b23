"""Shortening of paths in the space in which they were found."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.planning.search.trees import Space
    from pyrave.spatial import Array

_BLOCK = 16
_ROUNDING = 1e-6


class Simplifier:
    """Shortcuts of paths; the seed decides which are tried."""

    def __init__(self, space: Space, seed: int) -> None:
        self._space = space
        self._rng = np.random.default_rng(seed)

    def length(self, path: Array) -> float:
        """Return the weighted length of a path (n, d)."""
        return self._space.length(path)

    def shortened(
        self, path: Array, tries: int, is_over: Callable[[], bool] = lambda: False
    ) -> Array:
        """Return a path that is not longer, free where the space says so.

        Parameters
        ----------
        path
            (n, d) free; no two waypoints that follow each other are further apart than
            half a turn of a circular joint.
        tries
            How many shortcuts are tried.
        is_over
            Says that there is no more time.
        """
        path = self._unwound(path)
        if tries == 0 or len(path) < 3:
            return path
        room = np.empty((len(path) + 2 * _BLOCK, path.shape[1]))
        room[: len(path)] = path
        count = len(path)
        for done in range(0, tries, _BLOCK):
            if count < 3 or is_over():
                break
            places = self._rng.random((min(_BLOCK, tries - done), 2))
            if count + 2 * _BLOCK > len(room):
                room = np.vstack((room[:count], np.empty((2 * _BLOCK, path.shape[1]))))
            room[:count] = self._unwound(room[:count])
            count = self._space.shorten(room, count, places)
        count = self._space.prune(room, count)
        return self._unwound(room[:count])

    def _unwound(self, path: Array) -> Array:
        """Return the waypoints with no whole turns between them."""
        found = np.array(path)
        if not self._space.is_winding:
            return found
        for k in range(1, len(found)):
            moved = found[k - 1] + self._space.difference(path[k], path[k - 1])
            turned = np.abs(moved - path[k]) > _ROUNDING
            found[k][turned] = moved[turned]
        return found
