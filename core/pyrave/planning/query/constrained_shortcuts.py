"""Shortcuts of paths that keep constraints."""

from __future__ import annotations

from itertools import pairwise
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pyrave.interfaces import PlannerParameters
    from pyrave.planning.query.space import PlanningSpace
    from pyrave.spatial import Array

_TRIES = 40
_LEAPS = (16, 8, 4, 2, 1)
_PROGRESS = 0.2
"""Part of a step by which each one must come nearer."""


def shortened(
    space: PlanningSpace,
    parameters: PlannerParameters,
    path: Array,
    rng: np.random.Generator,
    deadline: float,
) -> Array:
    """Return a path (k, n) that is not longer, with the same ends.

    Pieces of it are replaced by steps straight on that are projected onto the
    constraints, as far as nothing is in the way (Berenson et al., "Manipulation
    planning on constraint manifolds", ICRA 2009, section V). Then waypoints are left
    out. How many are tried does not depend on time, but at the deadline it ends.
    """
    for _ in range(_TRIES):
        if len(path) < 3 or perf_counter() > deadline:
            break
        first, last = np.sort(rng.choice(len(path), 2, replace=False)).tolist()
        if last - first < 2:
            continue
        piece = path[first : last + 1]
        other = _straight_on(space, parameters, piece[0], piece[-1])
        if other is None or space.length(other) >= space.length(piece):
            continue
        if _is_free(space, parameters, other):
            path = np.vstack((path[:first], other, path[last + 1 :]))
    return _thinned(space, parameters, path, deadline)


def _thinned(
    space: PlanningSpace, parameters: PlannerParameters, path: Array, deadline: float
) -> Array:
    """Return a path without waypoints that straight motions may leave out."""
    kept, at = [0], 0
    while at < len(path) - 1:
        for ahead in _LEAPS:
            last = min(at + ahead, len(path) - 1)
            late = perf_counter() > deadline
            if ahead == 1 or late or _is_free(space, parameters, path[[at, last]]):
                at = at + 1 if late else last
                break
        kept.append(at)
    return path[kept]


def _straight_on(
    space: PlanningSpace, parameters: PlannerParameters, start: Array, end: Array
) -> Array | None:
    """Return projected steps from one configuration to another, if they get there."""
    step, neighbour = parameters.step_length, parameters.neighbour_state
    rows, left = [start], space.distance(start, end)
    while left > step:
        way = space.difference(end, rows[-1])
        found = None if neighbour is None else neighbour(rows[-1], step / left * way)
        if found is None:
            return None
        before, left = left, space.distance(found, end)
        if left > before - _PROGRESS * step:
            return None
        rows.append(found)
    return np.array([*rows, end])


def _is_free(space: PlanningSpace, parameters: PlannerParameters, path: Array) -> bool:
    """Return True if a path keeps the constraints and nothing is in its way."""
    check, rows = parameters.check_path_constraints, [path[:1]]
    for start, end in pairwise(path):
        if check is not None and not check(start, end):
            return False
        way = space.difference(end, start)
        count = max(1, int(np.ceil(np.abs(way / parameters.resolutions).max())))
        rows.append(start + np.arange(1, count + 1)[:, None] / count * way)
    return not space.hits(np.concatenate(rows)).any()
