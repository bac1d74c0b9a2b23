"""`KDTree`: the nearest of many points, with squared distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave import spatial
from pyrave_openravepy.api.foundation.guard import Guarded, guarded

__all__ = ["KDTree", "max_pts_visit"]

Array = NDArray[np.float64]
Found = tuple[NDArray[np.int64], Array]
_AT_ONCE = 4_000_000
"""Distances that are kept at once."""


class KDTree(Guarded):
    """Points among which the nearest are looked for.

    Distances are squared, as OpenRAVE's are, and answers are exact whatever `eps` is.

    Parameters
    ----------
    n
        (n, d) points.
    """

    def __init__(self, n: Any = None, dd: int = 0, bs: int = 1) -> None:
        if n is None or isinstance(n, int):
            points = np.zeros((int(n or 0), int(dd)))
        else:
            points = spatial.as_numbers(n, "points")
        if points.ndim != 2:
            raise ValueError(f"points have shape {points.shape}, expected (n, d)")
        self._points: Array = np.array(points)

    def __len__(self) -> int:
        return len(self._points)

    def dim(self) -> int:
        return int(self._points.shape[1])

    def kSearch(self, q: Any, k: int, eps: float = 0.0) -> Found:
        places, distances = self.kSearchArray([spatial.as_numbers(q, "q")], k, eps)
        return places[0], distances[0]

    def kSearchArray(self, q: Any, k: int, eps: float = 0.0) -> Found:
        queries, count = self._queries(q), int(k)
        if not 0 < count <= len(self):
            raise ValueError(f"k is {k}, expected 1 to the {len(self)} points")
        places = np.empty((len(queries), count), np.int64)
        distances = np.empty((len(queries), count))
        for rows, squares in self._squares(queries):
            nearest = np.argpartition(squares, count - 1, axis=1)[:, :count]
            values = np.take_along_axis(squares, nearest, axis=1)
            order = np.argsort(values, axis=1, kind="stable")
            places[rows] = np.take_along_axis(nearest, order, axis=1)
            distances[rows] = np.take_along_axis(values, order, axis=1)
        return places, distances

    def kPriSearch(self, q: Any, k: int, eps: float = 0.0) -> Found:
        return self.kSearch(q, k, eps)

    def kPriSearchArray(self, q: Any, k: int, eps: float = 0.0) -> Found:
        return self.kSearchArray(q, k, eps)

    def kFRSearch(
        self, q: Any, sqrad: float, k: int, eps: float = 0.0
    ) -> tuple[NDArray[np.int64], Array, int]:
        query = [spatial.as_numbers(q, "q")]
        places, distances, counts = self.kFRSearchArray(query, sqrad, k, eps)
        return places[0], distances[0], int(counts[0])

    def kFRSearchArray(
        self, qarray: Any, sqrad: float, k: int, eps: float = 0.0
    ) -> tuple[NDArray[np.int64], Array, NDArray[np.int64]]:
        """Return the nearest k in a radius, -1 where there are less, and counts."""
        queries, wanted = self._queries(qarray), int(k)
        if wanted < 0:
            raise ValueError(f"k is {k}, expected at least 0")
        places = np.full((len(queries), wanted), -1, np.int64)
        distances = np.full((len(queries), wanted), np.inf)
        counts = np.empty(len(queries), np.int64)
        for rows, squares in self._squares(queries):
            near = squares <= float(sqrad)
            counts[rows] = near.sum(axis=1)
            if wanted:
                order = np.argsort(squares, axis=1, kind="stable")[:, :wanted]
                values = np.take_along_axis(squares, order, axis=1)
                inside = values <= float(sqrad)
                had = slice(0, order.shape[1])
                places[rows, had] = np.where(inside, order, -1)
                distances[rows, had] = np.where(inside, values, np.inf)
        return places, distances, counts

    def _queries(self, given: Any) -> Array:
        return spatial.as_array(given, (None, self.dim()), "queries")

    def _squares(self, queries: Array) -> Any:
        step = max(1, _AT_ONCE // max(1, self._points.size))
        for first in range(0, len(queries), step):
            rows = slice(first, first + step)
            apart = queries[rows, None, :] - self._points[None, :, :]
            yield rows, (apart**2).sum(axis=2)


@guarded
def max_pts_visit(maxPts: int = 0) -> None:
    """Take the points that a search of OpenRAVE's visits at most; ours are exact."""
    int(maxPts)
