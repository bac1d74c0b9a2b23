"""Orders of configurations, and products of sequences."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyrave_openravepy.api.foundation.guard import guarded

__all__ = ["TSP", "sequence_cross_product"]


@guarded
def TSP(
    solutions: Any, distfn: Callable[[Any, Any], Any] | None = None
) -> NDArray[np.float64]:
    """Return solutions so that each is followed by the nearest of those left."""
    rows = np.array(solutions, dtype=np.float64)
    for index in range(len(rows) - 2):
        rest = rows[index + 1 :]
        if distfn is None:
            apart = ((rest - rows[index]) ** 2).sum(axis=1)
        else:
            apart = np.array([distfn(rows[index], one) for one in rest])
        nearest = index + 1 + int(np.argmin(apart))
        rows[[index + 1, nearest]] = rows[[nearest, index + 1]]
    return rows


@guarded
def sequence_cross_product(*sequences: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield a list for each combination; the last sequence goes fastest."""
    return map(list, itertools.product(*sequences))
